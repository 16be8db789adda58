#include "reduction/ample.hpp"

#include <algorithm>

namespace mule::reduction {

Ample::Ample(std::shared_ptr<const ReductionTables> tables)
    : StubbornSets(std::move(tables)),
      given_(tables_->ample.transitions_of.rows()),
      asked_(tables_->ample.transitions_of.rows()) {}

void Ample::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    std::fill(given_.begin(), given_.end(), 0);
    if (!find(enabled, oracle, out)) report_everything(enabled, out);
}

bool Ample::choose_another(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    return find(enabled, oracle, out);
}

// The smallest set not given out yet, the first of several. An enabled transition tells where its process is, so that
// no location need be read.
bool Ample::find(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    const AmpleLabels& labels = tables_->ample;
    if (labels.locations.empty()) return false;
    asked_ = given_;
    const AmpleLocation* best = nullptr;
    std::size_t least = enabled.size();
    for (std::size_t i = 0; i < enabled.size() && least > 1; ++i) {
        for (const std::uint32_t number : labels.starts[enabled[i]]) {
            const AmpleLocation& location = labels.locations[number];
            if (asked_[location.process] != 0) continue;
            asked_[location.process] = 1;
            const Word* own = labels.transitions_of.row(location.process);
            const auto size = static_cast<std::size_t>(
                std::count_if(enabled.begin(), enabled.end(), [&](TransitionId t) { return test_bit(own, t); }));
            if (size < least && is_ample(location, enabled, oracle)) {
                best = &location;
                least = size;
            }
        }
    }
    if (best == nullptr) return false;
    given_[best->process] = 1;
    report(labels.transitions_of.row(best->process), enabled, out);
    return true;
}

bool Ample::is_ample(const AmpleLocation& location, std::span<const TransitionId> enabled, GuardOracle& oracle) const {
    return std::all_of(location.conditions.begin(), location.conditions.end(), [&](const AmpleCondition& condition) {
        return (condition.may_be_enabled && std::binary_search(enabled.begin(), enabled.end(), condition.transition)) ||
               is_blocked(condition, oracle);
    });
}

bool Ample::is_blocked(const AmpleCondition& condition, GuardOracle& oracle) const {
    return std::any_of(condition.blocks.begin(), condition.blocks.end(), [&](const AmpleBlock& block) {
        return !oracle.value(block.guard) && (!block.given || oracle.value(*block.given));
    });
}

}  // namespace mule::reduction
