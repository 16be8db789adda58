#include "closure.hpp"

#include <algorithm>

namespace mule {

ClosureSearch::ClosureSearch(const ReductionTables& tables, Selection selection)
    : tables_(&tables), selection_(selection), row_(tables.words) {}

void ClosureSearch::start(TransitionId first, std::span<const TransitionId> enabled, const Word* enabled_row) {
    enabled_row_ = enabled_row;
    all_enabled_ = static_cast<std::uint32_t>(enabled.size());
    key_ = first;
    std::fill(row_.begin(), row_.end(), 0);
    set_bit(row_.data(), first);
    enabled_work_.assign(1, first);
    disabled_work_.clear();
    enabled_count_ = 1;
}

// Enabled transitions go first: what they add is not a matter of choice, and the choices after it know more.
bool ClosureSearch::advance(GuardOracle& oracle) {
    if (!enabled_work_.empty()) {
        const TransitionId transition = enabled_work_.back();
        enabled_work_.pop_back();
        process_enabled(transition);
        return true;
    }
    if (disabled_work_.empty()) return false;
    const bool found =
        selection_ == Selection::first ? process_first_disabled(oracle) : process_cheapest_disabled(oracle);
    if (!found) add_everything();
    return true;
}

void ClosureSearch::process_enabled(TransitionId transition) {
    const Relations& relations = tables_->relations;
    const Word* strong = relations.do_not_accord.row(transition);
    if (!tables_->options.weak || transition == key_) return add(strong);
    const Word* weak = relations.do_not_left_accord.row(transition);
    if (selection_ == Selection::first) return add(weak);
    const Cost strong_cost = cost(strong, no_cost_limit);
    add(cost(weak, strong_cost) < strong_cost ? weak : strong);
}

bool ClosureSearch::process_first_disabled(GuardOracle& oracle) {
    const TransitionId transition = disabled_work_.back();
    disabled_work_.pop_back();
    for (const SetId set : tables_->sets.of(transition)) {
        if (!tables_->sets.usable(set, oracle)) continue;
        add(tables_->sets.members(set));
        return true;
    }
    return false;
}

// Of all disabled work, what has a set inside already is done, and the cheapest of the rest comes next: the dear
// choices wait until most of the set is known. A set that is no cheaper is not even asked whether it is usable, which
// keeps remembered decisions short.
bool ClosureSearch::process_cheapest_disabled(GuardOracle& oracle) {
    const NecessarySets& sets = tables_->sets;
    Cost least = no_cost_limit;
    std::size_t least_at = 0;
    const Word* cheapest = nullptr;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < disabled_work_.size(); ++i) {
        const TransitionId transition = disabled_work_[i];
        Cost own_least = least;
        const Word* own_cheapest = nullptr;
        for (const SetId set : sets.of(transition)) {
            const Cost set_cost = cost(sets.members(set), own_least);
            if (set_cost >= own_least || !sets.usable(set, oracle)) continue;
            own_least = set_cost;
            own_cheapest = sets.members(set);
            if (set_cost == 0) break;
        }
        if (own_least == 0) continue;
        if (own_cheapest != nullptr) {
            least = own_least;
            least_at = kept;
            cheapest = own_cheapest;
        }
        disabled_work_[kept++] = transition;
    }
    disabled_work_.resize(kept);
    if (cheapest == nullptr) return disabled_work_.empty();
    disabled_work_.erase(disabled_work_.begin() + static_cast<std::ptrdiff_t>(least_at));
    add(cheapest);
    return true;
}

void ClosureSearch::add(const Word* set) {
    for (std::uint32_t i = 0; i < tables_->words; ++i) {
        const Word added = set[i] & ~row_[i];
        if (added == 0) continue;
        row_[i] |= added;
        for_each_bit(added & enabled_row_[i], i * 64, [&](TransitionId t) {
            enabled_work_.push_back(t);
            ++enabled_count_;
        });
        for_each_bit(added & ~enabled_row_[i], i * 64, [&](TransitionId t) { disabled_work_.push_back(t); });
    }
}

// A disabled transition none of whose guards is known to be false has no necessary enabling set: only the set of all
// transitions is surely stubborn then.
void ClosureSearch::add_everything() {
    fill_bits(row_.data(), tables_->relations.transitions);
    enabled_work_.clear();
    disabled_work_.clear();
    enabled_count_ = all_enabled_;
}

Closure::Closure(std::shared_ptr<const ReductionTables> tables, Selection selection)
    : StubbornSets(std::move(tables)), search_(*tables_, selection), enabled_row_(tables_->words) {}

void Closure::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    for (const TransitionId t : enabled) set_bit(enabled_row_.data(), t);
    search_.start(enabled.front(), enabled, enabled_row_.data());
    while (search_.advance(oracle)) {
    }
    report(search_.row(), enabled, out);
    for (const TransitionId t : enabled) clear_bit(enabled_row_.data(), t);
}

}  // namespace mule
