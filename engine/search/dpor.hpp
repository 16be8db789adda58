// Dynamic partial-order reduction (Flanagan and Godefroid 2005), for transitions that may be joint, may have several
// outcomes and may wait for each other. docs/lpor.md says why it is right.
#pragma once

#include "reduction/relations.hpp"
#include "search/dynamic.hpp"

namespace mule::search {

using AgentId = std::uint32_t;

// Where a state keeps the location of an agent.
struct LocationField {
    std::uint32_t word = 0;
    std::uint32_t shift = 0;
    Word mask = 0;
};

// Agents are processes, or stand for a single transition without one. A transition takes part in the moves of all its
// agents; only those move an agent, and any two of them are taken to interfere.
struct Agents {
    std::vector<LocationField> locations;                              // per agent
    std::vector<std::vector<std::vector<TransitionId>>> alternatives;  // per agent and location
    std::vector<std::vector<AgentId>> of;                              // per transition

    // Throws std::invalid_argument where a size or an identifier is off.
    void check(std::uint32_t transitions) const;
};

class Dpor final : public DynamicSearch<Dpor> {
    friend DynamicSearch;

  public:
    // Of the relations: do_not_accord, enabling and guards_of.
    Dpor(const Program& program, const SearchOptions& options, Relations relations, Agents agents);

  private:
    // A state of the path and, once it is left over one of its entries, the event that leads on.
    struct Node : ExpandedState {
        std::vector<std::uint8_t> can_move;  // per agent: one of its transitions is enabled
        std::vector<std::uint8_t> chosen;    // per agent: the persistent set, by whose moves it is
        std::uint32_t current = 0;           // the entry that the path goes on with
        TransitionId transition = 0;         // and its transition
        std::vector<Word> interferes;        // the transitions that a move of its agents is in a race with
        std::vector<std::uint32_t> clock;    // per agent its last event that happens before this one, from 1 on
        std::vector<std::uint32_t> last;     // per agent of the transition, its last event before this one
    };

    void push(const Word* state, std::uint64_t hash);
    void pop();
    bool descend(Node& node);
    void begin_event(std::size_t at);
    void find_interference(std::size_t at);
    void choose_first(std::size_t at, bool everything);
    void choose(std::size_t at, AgentId agent);
    void detect_races();
    void detect_races_of(AgentId agent);
    void race(std::size_t at, AgentId agent);
    void choose_cover(std::size_t at, AgentId agent);
    const Word* necessary(const Word* state, TransitionId disabled) const;
    bool before(std::size_t event, AgentId agent) const;
    const std::vector<TransitionId>& moves(const Word* state, AgentId agent) const;
    std::size_t bytes() const override;

    const Relations relations_;
    const Agents agents_;
    std::vector<Node> nodes_;          // the first path_.size() of them are in use
    std::vector<std::uint32_t> last_;  // per agent its last event on the path, from 1 on; 0: none
    std::vector<Word> everything_;
    std::vector<std::uint32_t> beginning_;  // the clock of an agent without events
    std::vector<std::uint8_t> covered_;
    std::vector<AgentId> cover_work_;
};

}  // namespace mule::search
