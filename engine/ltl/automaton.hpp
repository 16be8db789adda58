// The Büchi automaton of a property, as the product reads it: generalised acceptance by marks on edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program.hpp"

namespace mule::ltl {

// A conjunction of literals over the atoms of a letter.
struct Cube {
    std::uint32_t positive;
    std::uint32_t negative;

    bool contains(std::uint32_t letter) const { return (letter & positive) == positive && (letter & negative) == 0; }
};

struct AutomatonEdge {
    std::vector<Cube> label;  // on any letter that one of them contains
    std::uint32_t target;
    Word marks;
};

// What the cycles of one strongly connected component of the automaton are like.
enum class Cycles : std::uint8_t {
    kRejecting,  // no cycle has all marks
    kAccepting,  // each cycle has all marks
    kMixed,
};

class PropertyAutomaton {
  public:
    // Throws std::invalid_argument for targets, marks or atoms that do not exist. A run may be inside transient states
    // for ever, where the automaton does not move: with `may_stand_still` no component counts as kAccepting.
    PropertyAutomaton(std::vector<std::vector<AutomatonEdge>> edges, std::uint32_t atoms, std::uint32_t marks,
                      bool may_stand_still);

    static constexpr std::uint32_t kMostAtoms = 32;
    static constexpr std::uint32_t kMostMarks = 64;
    static constexpr std::uint16_t kNoEdge = 0xFFFF;  // the automaton does not move

    std::uint32_t states() const { return static_cast<std::uint32_t>(edges_.size()); }
    std::uint32_t marks() const { return marks_; }
    Word all_marks() const { return all_marks_; }
    std::uint32_t atoms_read(std::uint32_t state) const { return atoms_read_[state]; }
    std::uint32_t degree(std::uint32_t state) const { return static_cast<std::uint32_t>(edges_[state].size()); }
    const AutomatonEdge& edge(std::uint32_t state, std::uint16_t number) const { return edges_[state][number]; }
    Word marks_of(std::uint32_t state, std::uint16_t number) const {
        return number == kNoEdge ? 0 : edges_[state][number].marks;
    }

    std::uint32_t component(std::uint32_t state) const { return components_[state]; }
    Cycles cycles(std::uint32_t state) const { return cycles_[components_[state]]; }

    // The edges of `state` under a letter (of which only the bits atoms_read(state) matter); valid until the next call.
    std::span<const std::uint16_t> under(std::uint32_t state, std::uint32_t letter);

  private:
    void find_components();
    void judge_components(bool may_stand_still);
    bool has_cycle_without(Word mark, std::uint32_t component) const;
    void match(std::uint32_t state, std::uint32_t letter);

    std::vector<std::vector<AutomatonEdge>> edges_;
    std::uint32_t atoms_;
    std::uint32_t marks_;
    Word all_marks_;
    std::vector<std::uint32_t> atoms_read_;
    std::vector<std::uint32_t> components_;
    std::vector<Cycles> cycles_;  // by component

    // Answers of `under`, where there are few enough possible questions: an offset in `lists_` for each.
    std::vector<std::uint32_t> known_;
    std::vector<std::uint16_t> lists_;  // each: how many, then the edges
    std::vector<std::uint16_t> matches_;
};

}  // namespace mule::ltl
