// Beam search (seed 003, Algorithm 3): one closure search for each enabled transition, and always the smallest goes on.
#pragma once

#include <span>
#include <vector>

#include "reduction/closure.hpp"

namespace mule::reduction {

class Beam : public StubbornSets {
  public:
    Beam(std::shared_ptr<const ReductionTables> tables, Selection selection);
    void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;

  private:
    Selection selection_;
    CandidateSets candidates_;
    std::vector<ClosureSearch> contexts_;
    std::vector<Word> enabled_row_;
};

}  // namespace mule::reduction
