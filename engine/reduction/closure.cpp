#include "reduction/closure.hpp"

#include <algorithm>

namespace mule::reduction {

ClosureSearch::ClosureSearch(const ReductionTables& tables, CandidateSets& candidates, Selection selection)
    : tables_(&tables), candidates_(&candidates), selection_(selection), row_(tables.words) {}

void ClosureSearch::start(TransitionId first, std::span<const TransitionId> enabled, const Word* enabled_row) {
    enabled_row_ = enabled_row;
    all_enabled_ = static_cast<std::uint32_t>(enabled.size());
    key_ = first;
    std::fill(row_.begin(), row_.end(), 0);
    set_bit(row_.data(), first);
    enabled_work_.assign(1, first);
    disabled_work_.clear();
    dear_work_.clear();
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
    bool found = false;
    if (!disabled_work_.empty()) {
        found = selection_ == Selection::kFirst ? process_first_disabled(oracle) : process_cheap_disabled(oracle);
    } else if (!dear_work_.empty()) {
        found = process_dear_disabled(oracle);
    } else {
        return false;
    }
    if (!found) add_everything();
    return true;
}

void ClosureSearch::process_enabled(TransitionId transition) {
    const Relations& relations = tables_->relations;
    const Word* strong = relations.do_not_accord.row(transition);
    if (!tables_->options.weak || transition == key_) return add(strong);
    const Word* weak = relations.do_not_left_accord.row(transition);
    if (selection_ == Selection::kFirst) return add(weak);
    const Cost strong_cost = cost(strong, kNoCostLimit);
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

// The cheapest usable set of `transition` below `least`, and in `least` what it costs. A set that is no cheaper is not
// even asked whether it is usable, which keeps remembered decisions short.
const Word* ClosureSearch::cheapest_set(TransitionId transition, GuardOracle& oracle, Cost& least) {
    const Word* cheapest = nullptr;
    for (const SetId set : candidates_->of(transition, oracle)) {
        const Word* members = tables_->sets.members(set);
        const Cost set_cost = cost(members, least);
        if (set_cost >= least || !tables_->sets.usable(set, oracle)) continue;
        least = set_cost;
        cheapest = members;
        if (least == 0) break;
    }
    return cheapest;
}

// A transition that cannot do without another enabled one waits: its choice is better made when more of the set is
// known, and it may have become free by then.
bool ClosureSearch::process_cheap_disabled(GuardOracle& oracle) {
    const TransitionId transition = disabled_work_.back();
    disabled_work_.pop_back();
    Cost least = kEnabledCost;
    const Word* cheapest = cheapest_set(transition, oracle, least);
    if (cheapest == nullptr) {
        dear_work_.push_back(transition);
    } else if (least > 0) {
        add(cheapest);
    }
    return true;
}

// Of the transitions that waited, those with a set inside by now are done, and the cheapest of the rest is next.
bool ClosureSearch::process_dear_disabled(GuardOracle& oracle) {
    Cost least = kNoCostLimit;
    std::size_t least_at = 0;
    const Word* cheapest = nullptr;
    std::size_t kept = 0;
    for (const TransitionId transition : dear_work_) {
        Cost own_least = least;
        const Word* own_cheapest = cheapest_set(transition, oracle, own_least);
        if (own_least == 0) continue;
        if (own_cheapest != nullptr) {
            least = own_least;
            least_at = kept;
            cheapest = own_cheapest;
        }
        dear_work_[kept++] = transition;
    }
    dear_work_.resize(kept);
    if (cheapest == nullptr) return dear_work_.empty();
    dear_work_.erase(dear_work_.begin() + static_cast<std::ptrdiff_t>(least_at));
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
    dear_work_.clear();
    enabled_count_ = all_enabled_;
}

Closure::Closure(std::shared_ptr<const ReductionTables> tables, Selection selection)
    : StubbornSets(std::move(tables)),
      candidates_(tables_->sets, tables_->relations.transitions),
      search_(*tables_, candidates_, selection),
      enabled_row_(tables_->words),
      seed_row_(tables_->words) {}

void Closure::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    close(enabled.last(1), enabled, oracle, out);
}

void Closure::close(std::span<const TransitionId> seed, std::span<const TransitionId> enabled, GuardOracle& oracle,
                    StubbornSet& out) {
    for (const TransitionId t : enabled) set_bit(enabled_row_.data(), t);
    for (const TransitionId t : seed) set_bit(seed_row_.data(), t);
    const auto first =
        std::find_if(seed.begin(), seed.end(), [&](TransitionId t) { return test_bit(enabled_row_.data(), t); });
    candidates_.enter_state();
    search_.start(*first, enabled, enabled_row_.data());
    search_.add(seed_row_.data());
    for (const TransitionId t : seed) clear_bit(seed_row_.data(), t);
    while (search_.advance(oracle)) {
    }
    report(search_.row(), enabled, out);
    for (const TransitionId t : enabled) clear_bit(enabled_row_.data(), t);
}

}  // namespace mule::reduction
