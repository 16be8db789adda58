#include "reduction/beam.hpp"

#include <limits>

namespace mule::reduction {

Beam::Beam(std::shared_ptr<const ReductionTables> tables, Selection selection)
    : StubbornSets(std::move(tables)),
      selection_(selection),
      candidates_(tables_->sets, tables_->relations.transitions),
      enabled_row_(tables_->words) {}

// Ties go to the highest transition (mule bench table5 tells): it costs least to stay with one context until it grows,
// and states that prefer the same process have more successors in common.
void Beam::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    for (const TransitionId t : enabled) set_bit(enabled_row_.data(), t);
    while (contexts_.size() < enabled.size()) contexts_.emplace_back(*tables_, candidates_, selection_);
    candidates_.enter_state();

    std::size_t started = 0;  // a context that has not started yet has one enabled transition
    while (true) {
        std::size_t smallest = 0;
        std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
        for (std::size_t c = 0; c < started; ++c) {
            if (contexts_[c].enabled_count() < fewest) {
                fewest = contexts_[c].enabled_count();
                smallest = c;
            }
        }
        if (fewest > 1 && started < enabled.size()) {
            smallest = started++;
            fewest = 1;
            contexts_[smallest].start(enabled[enabled.size() - 1 - smallest], enabled, enabled_row_.data());
        }
        if (fewest == enabled.size()) {  // nothing smaller is left to be found
            report_everything(enabled, out);
            break;
        }
        ClosureSearch& context = contexts_[smallest];
        bool working = true;
        while (working && context.enabled_count() == fewest) working = context.advance(oracle);
        if (working) continue;
        report(context.row(), enabled, out);
        break;
    }
    for (const TransitionId t : enabled) clear_bit(enabled_row_.data(), t);
}

}  // namespace mule::reduction
