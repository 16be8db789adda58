// find_nes of equation (1), seed 003, section 4.2: which necessary enabling sets a disabled transition may choose from.
#pragma once

#include <cstdint>
#include <vector>

#include "reduction/oracle.hpp"
#include "reduction/relations.hpp"

namespace mule::reduction {

// A necessary set is a number: below `guards` it is NES(g), and may be used while g is false; from `guards` on it is
// NDS(g), and may be used while g is true, by transitions with a guard that is never true together with g (Theorem 2).
using SetId = std::uint32_t;

class NecessarySets {
  public:
    // `is_control` may be empty. Sets over control guards come first in every list: their usability costs a
    // remembered decision nothing (see oracle.hpp), and predecessors in the control flow are Godefroid's first choice.
    NecessarySets(const Relations& relations, bool disabling_sets, const std::vector<bool>& is_control);

    std::uint32_t count() const { return 2 * guards_; }
    const Word* members(SetId set) const {
        return set < guards_ ? enabling_->row(set) : disabling_->row(set - guards_);
    }
    bool usable(SetId set, GuardOracle& oracle) const {
        return set < guards_ ? !oracle.value(set) : oracle.value(set - guards_);
    }
    // Whether it costs a remembered decision nothing to ask if `set` is usable.
    bool over_control(SetId set) const { return over_control_[set] != 0; }
    std::span<const SetId> of(TransitionId transition) const { return sets_of_[transition]; }
    // The sets, used by anyone at all, that `transition` is a member of.
    std::span<const SetId> with(TransitionId transition) const { return sets_with_[transition]; }

  private:
    std::uint32_t guards_;
    const BitMatrix* enabling_;
    const BitMatrix* disabling_;
    std::vector<std::uint8_t> over_control_;
    Lists sets_of_;
    Lists users_of_;
    Lists sets_with_;
};

// The sets that a transition may choose from in one state, without those whose control guard rules them out: most of
// them, as a process is at one location only. What is left may still be unusable for its data.
class CandidateSets {
  public:
    explicit CandidateSets(const NecessarySets& sets, std::uint32_t transitions);

    void enter_state() { ++generation_; }
    std::span<const SetId> of(TransitionId transition, GuardOracle& oracle) {
        Candidates& candidates = candidates_[transition];
        if (candidates.generation != generation_) select(transition, oracle);
        return {items_.data() + candidates.begin, candidates.count};
    }

  private:
    struct Candidates {
        std::uint64_t generation;
        std::uint32_t begin;
        std::uint32_t count;
    };
    void select(TransitionId transition, GuardOracle& oracle);

    const NecessarySets* sets_;
    std::uint64_t generation_ = 0;
    std::vector<Candidates> candidates_;  // per transition
    std::vector<SetId> items_;
};

}  // namespace mule::reduction
