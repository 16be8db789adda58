#include "reduction/algorithm.hpp"

#include <stdexcept>
#include <string>

#include "reduction/ample.hpp"
#include "reduction/beam.hpp"
#include "reduction/closure.hpp"
#include "reduction/deletion.hpp"
#include "reduction/lpor.hpp"

namespace mule::reduction {

namespace {

Relations checked(Relations relations, const ReductionOptions& options, const std::vector<bool>& is_control) {
    relations.check();
    if (options.weak && relations.transitions > 0 && relations.do_not_left_accord.absent()) {
        throw std::invalid_argument("weak stubborn sets need do_not_left_accord");
    }
    if (!is_control.empty() && is_control.size() != relations.guards) {
        throw std::invalid_argument("is_control must have one flag a guard");
    }
    return relations;
}

}  // namespace

ReductionTables::ReductionTables(Relations facts, ReductionOptions choices, std::vector<bool> control,
                                 std::vector<BitTest> tests, AmpleLabels labels, LocalRelations local)
    : relations(checked(std::move(facts), choices, control)),
      options(choices),
      is_control(std::move(control)),
      bit_tests(std::move(tests)),
      ample(std::move(labels)),
      lpor(std::move(local), relations.transitions),
      sets(relations, options.nds, is_control),
      words(words_for(relations.transitions)) {
    ample.check(relations.transitions, relations.guards);
}

void StubbornSets::report(const Word* row, std::span<const TransitionId> enabled, StubbornSet& out) const {
    out.row.assign(row, row + tables_->words);
    out.enabled.clear();
    out.keys.clear();
    for (const TransitionId t : enabled) {
        if (!test_bit(row, t)) continue;
        out.enabled.push_back(t);
        const bool key =
            !tables_->options.weak || is_subset(tables_->relations.do_not_accord.row(t), row, tables_->words);
        if (key) out.keys.push_back(t);
    }
}

void StubbornSets::report_everything(std::span<const TransitionId> enabled, StubbornSet& out) const {
    out.row.assign(tables_->words, 0);
    fill_bits(out.row.data(), tables_->relations.transitions);
    out.enabled.assign(enabled.begin(), enabled.end());
    out.keys = out.enabled;
}

std::unique_ptr<StubbornSets> make_stubborn_sets(std::string_view name, std::shared_ptr<const ReductionTables> tables) {
    if (name == "ample") return std::make_unique<Ample>(std::move(tables));
    if (name == "closure") return std::make_unique<Closure>(std::move(tables), Selection::kFirst);
    if (name == "closure-h") return std::make_unique<Closure>(std::move(tables), Selection::kHeuristic);
    if (name == "beam") return std::make_unique<Beam>(std::move(tables), Selection::kHeuristic);
    if (name == "beam-noh") return std::make_unique<Beam>(std::move(tables), Selection::kFirst);
    if (name == "deletion") return std::make_unique<Deletion>(std::move(tables));
    if (name == "lpor") return std::make_unique<Lpor>(std::move(tables));
    throw std::invalid_argument("no stubborn set algorithm is called " + std::string(name) +
                                " (ample, closure, closure-h, beam, beam-noh, deletion, lpor)");
}

}  // namespace mule::reduction
