// The one question every stubborn set algorithm answers, and what it may know when it does.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "reduction/ample_labels.hpp"
#include "reduction/lpor_tables.hpp"
#include "reduction/necessary_sets.hpp"
#include "reduction/oracle.hpp"
#include "reduction/relations.hpp"

namespace mule::reduction {

struct ReductionOptions {
    bool weak = false;  // weak sets: DNB_t may stand in for DNA_t, except for a key transition (Lemma 1)
    bool nds = true;    // necessary disabling sets (seed 003, section 4.2)
};

// The relations and all that is derived from them once; shared by all workers.
struct ReductionTables {
    ReductionTables(Relations facts, ReductionOptions choices, std::vector<bool> control,
                    std::vector<BitTest> tests = {}, AmpleLabels labels = {}, LocalRelations local = {});
    ReductionTables(const ReductionTables&) = delete;
    ReductionTables& operator=(const ReductionTables&) = delete;

    Relations relations;
    ReductionOptions options;
    std::vector<bool> is_control;
    std::vector<BitTest> bit_tests;  // one a guard, or none at all
    AmpleLabels ample;               // where ample sets are asked for
    LporTables lpor;                 // where LPOR is
    NecessarySets sets;
    std::uint32_t words;  // of a row over transitions
};

// Set in a position that Reducer::choose gives out where the transition there is a key transition. Only these may be
// relied on to keep others from being ignored for ever: what a weak set holds besides may disable what was put off.
inline constexpr std::uint32_t kKey = std::uint32_t{1} << 31;

struct StubbornSet {
    std::vector<Word> row;              // all members, disabled ones too
    std::vector<TransitionId> enabled;  // the enabled members, ascending
    std::vector<TransitionId> keys;     // those of them that no sequence outside the set disables (D2), ascending

    bool contains(TransitionId transition) const { return test_bit(row.data(), transition); }
};

class StubbornSets {
  public:
    explicit StubbornSets(std::shared_ptr<const ReductionTables> tables) : tables_(std::move(tables)) {}
    virtual ~StubbornSets() = default;

    // `enabled` is ascending, without repetitions and not empty. The answer is a function of `enabled` and of the
    // values that the oracle logs: nothing else, so that it can be remembered.
    virtual void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) = 0;

    // A set that was not given out yet for the state of the last choose(), and that leaves something out; false where
    // the algorithm knows of none.
    virtual bool choose_another(std::span<const TransitionId>, GuardOracle&, StubbornSet&) { return false; }

  protected:
    // Fills `out` from the row of its members.
    void report(const Word* row, std::span<const TransitionId> enabled, StubbornSet& out) const;
    void report_everything(std::span<const TransitionId> enabled, StubbornSet& out) const;

    std::shared_ptr<const ReductionTables> tables_;
};

// ample, closure, closure-h, beam, beam-noh, deletion or lpor; throws std::invalid_argument for any other name.
std::unique_ptr<StubbornSets> make_stubborn_sets(std::string_view name, std::shared_ptr<const ReductionTables> tables);

}  // namespace mule::reduction
