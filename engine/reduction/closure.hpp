// The closure algorithm (seed 003, Algorithm 1), as one search that Algorithm 3 can run step by step.
#pragma once

#include <span>
#include <vector>

#include "reduction/algorithm.hpp"
#include "reduction/heuristic.hpp"

namespace mule::reduction {

// How the choices that Algorithm 1 leaves open are made.
enum class Selection {
    kFirst,      // the first usable necessary enabling set
    kHeuristic,  // the cheapest (section 4.3)
};

// One search context of section 6: the set under construction and its work.
class ClosureSearch {
  public:
    // `candidates` is shared by all searches in one state.
    ClosureSearch(const ReductionTables& tables, CandidateSets& candidates, Selection selection);

    // Begins with {first}, for whose DNA the search will make room: it is a key transition.
    void start(TransitionId first, std::span<const TransitionId> enabled, const Word* enabled_row);
    // Adds members, any transitions.
    void add(const Word* set);
    // Processes one transition; false when there is no work left and row() is stubborn.
    bool advance(GuardOracle& oracle);

    const Word* row() const { return row_.data(); }
    std::uint32_t enabled_count() const { return enabled_count_; }

  private:
    void add_everything();
    void process_enabled(TransitionId transition);
    bool process_first_disabled(GuardOracle& oracle);
    bool process_cheap_disabled(GuardOracle& oracle);
    bool process_dear_disabled(GuardOracle& oracle);
    const Word* cheapest_set(TransitionId transition, GuardOracle& oracle, Cost& least);
    Cost cost(const Word* set, Cost limit) const {
        return heuristic(set, row_.data(), enabled_row_, tables_->words, limit);
    }

    const ReductionTables* tables_;
    CandidateSets* candidates_;
    Selection selection_;
    const Word* enabled_row_ = nullptr;
    std::uint32_t all_enabled_ = 0;
    TransitionId key_ = 0;
    std::vector<Word> row_;  // visited or work
    std::vector<TransitionId> enabled_work_;
    std::vector<TransitionId> disabled_work_;
    std::vector<TransitionId> dear_work_;  // disabled, and only to be had with another enabled transition
    std::uint32_t enabled_count_ = 0;
};

class Closure : public StubbornSets {
  public:
    Closure(std::shared_ptr<const ReductionTables> tables, Selection selection);
    void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;
    // A stubborn set that contains `seed`, some of which is enabled.
    void close(std::span<const TransitionId> seed, std::span<const TransitionId> enabled, GuardOracle& oracle,
               StubbornSet& out);

  private:
    CandidateSets candidates_;
    ClosureSearch search_;
    std::vector<Word> enabled_row_;
    std::vector<Word> seed_row_;
};

}  // namespace mule::reduction
