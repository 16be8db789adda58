// Dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas 2014), for
// transitions that may disable each other and may have several outcomes. docs/lpor.md says why it is right.
#pragma once

#include <map>

#include "search/dynamic.hpp"

namespace mule::search {

class SourceDpor final : public DynamicSearch<SourceDpor> {
    friend DynamicSearch;

  public:
    // Of transitions: which cannot change places wherever they meet (reflexive, symmetric); row t, what may disable t.
    SourceDpor(const Program& program, const SearchOptions& options, BitMatrix dependent, const BitMatrix& disabled_by);

  private:
    using Sequence = std::vector<Step>;
    using Events = std::vector<std::uint32_t>;  // positions on the path, ascending

    // A state of the path and, once it is left over one of its entries, the event that leads on.
    struct Node : ExpandedState {
        std::vector<Word> chosen;      // the source set
        std::vector<Word> asleep;      // transitions that need not be explored here
        std::vector<Word> explored;    // transitions all of whose outcomes were
        std::vector<Sequence> wanted;  // what can be done from here, and must begin with one of the source set
        Step event{};
        std::vector<Word> before;  // the events that happen before this one
    };

    void push(const Word* state, std::uint64_t hash);
    void pop();
    bool descend(Node& node);
    void fall_asleep(std::size_t at);
    void inherit_wanted(std::size_t at);
    void choose(Node& node, bool everything);
    void begin_event(std::size_t at);
    void want(std::size_t at, Sequence sequence);
    bool may_begin_with(const Sequence& sequence, const std::vector<Word>& transitions);
    bool rest_after(Step first, Sequence& sequence) const;
    void reverse(std::size_t at, const Events& events, TransitionId last);
    void find_disabled();
    void find_disabled_by(std::size_t at, TransitionId disabled);
    void try_without(std::size_t at, const Events& events, const Events& open, std::size_t next, Events& left_out,
                     TransitionId disabled);
    Events not_after(std::size_t event) const;
    const std::vector<Word>& enabled_after(std::size_t at, const Events& events);
    bool before(std::uint32_t event, std::uint32_t later) const { return test_bit(nodes_[later].before.data(), event); }
    bool depends(TransitionId t, TransitionId u) const { return dependent_.at(t, u); }
    std::size_t bytes() const override;

    BitMatrix dependent_;
    BitMatrix disables_;       // row t: what t may disable
    std::vector<Node> nodes_;  // the first path_.size() of them are in use
    std::vector<Word> blocked_;
    std::vector<Word> successors_;
    std::vector<Word> state_;
    std::map<std::pair<std::size_t, Events>, std::vector<Word>> enabled_after_;  // along the current path
    std::size_t wanted_ = 0;  // steps of all sequences, to know what they take
};

}  // namespace mule::search
