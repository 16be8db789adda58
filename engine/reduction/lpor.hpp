// Local partial-order reduction (seed 000, Algorithm 2), with the necessary enabling sets of the state at hand.
#pragma once

#include "reduction/algorithm.hpp"

namespace mule::reduction {

class Lpor final : public StubbornSets {
  public:
    explicit Lpor(std::shared_ptr<const ReductionTables> tables);

    // Of the sets with each of the enabled transitions as the initial one, the first smallest.
    void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;
    // One of the others.
    bool choose_another(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;

  private:
    void enter(std::span<const TransitionId> enabled);
    void close(TransitionId initial, GuardOracle& oracle);
    bool add(TransitionId transition);
    bool leads_to(TransitionId start, const Word* targets, GuardOracle& oracle);
    void find_what_can_run(GuardOracle& oracle);
    void find_enabling_sets(GuardOracle& oracle);
    bool can_run(TransitionId transition) const;
    std::size_t size_of(const std::vector<Word>& row) const;

    std::uint32_t words_;
    std::span<const TransitionId> enabled_;
    std::vector<Word> enabled_row_;
    std::vector<Word> stubborn_;  // the set under construction
    std::vector<TransitionId> work_;
    std::vector<std::vector<Word>> given_;  // the sets given out for this state
    // What can still run if no member of the set does; the disabled ones among them.
    std::vector<Word> runnable_;
    bool runnable_is_known_ = false;
    bool sets_are_known_ = false;                    // in this state
    std::vector<std::vector<const Word*>> sets_of_;  // per disabled transition, what is necessary for it
    std::vector<std::vector<Word>> asked_;           // the sets that came from outside
    std::vector<Word> reached_;
    std::vector<Word> frontier_;
    std::vector<Word> fresh_;
};

}  // namespace mule::reduction
