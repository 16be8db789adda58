// Ample sets as SPIN finds them (seed 004, section 6): all enabled transitions of one process, where the label of its
// control location says that they may be taken alone.
#pragma once

#include "reduction/algorithm.hpp"

namespace mule::reduction {

class Ample final : public StubbornSets {
  public:
    explicit Ample(std::shared_ptr<const ReductionTables> tables);

    void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;
    // The set of another process.
    bool choose_another(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;

  private:
    bool find(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out);
    bool is_ample(const AmpleLocation& location, std::span<const TransitionId> enabled, GuardOracle& oracle) const;
    bool is_blocked(const AmpleCondition& condition, GuardOracle& oracle) const;

    std::vector<std::uint8_t> given_;  // per process, whether its set was given out for this state
    std::vector<std::uint8_t> asked_;  // and whether it was looked at this time
};

}  // namespace mule::reduction
