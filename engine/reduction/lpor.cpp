#include "reduction/lpor.hpp"

#include <algorithm>
#include <bit>

namespace mule::reduction {

Lpor::Lpor(std::shared_ptr<const ReductionTables> tables)
    : StubbornSets(std::move(tables)),
      words_(tables_->words),
      enabled_row_(words_),
      stubborn_(words_),
      runnable_(words_),
      sets_of_(tables_->relations.transitions),
      reached_(words_),
      frontier_(words_),
      fresh_(words_) {}

void Lpor::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    enter(enabled);
    std::vector<Word> best;
    std::size_t least = enabled.size() + 1;
    for (const TransitionId initial : enabled) {
        close(initial, oracle);
        const std::size_t size = size_of(stubborn_);
        if (size < least) {
            least = size;
            best = stubborn_;
        }
        if (least == 1) break;
    }
    given_.assign(1, best);
    report(best.data(), enabled, out);
}

bool Lpor::choose_another(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    // The span may have moved since choose(); what it holds is the same.
    enabled_ = enabled;
    for (const TransitionId initial : enabled) {
        close(initial, oracle);
        if (size_of(stubborn_) == enabled.size()) continue;
        if (std::find(given_.begin(), given_.end(), stubborn_) != given_.end()) continue;
        given_.push_back(stubborn_);
        report(stubborn_.data(), enabled, out);
        return true;
    }
    return false;
}

void Lpor::enter(std::span<const TransitionId> enabled) {
    enabled_ = enabled;
    std::fill(enabled_row_.begin(), enabled_row_.end(), 0);
    for (const TransitionId t : enabled) set_bit(enabled_row_.data(), t);
    sets_are_known_ = false;
}

void Lpor::close(TransitionId initial, GuardOracle& oracle) {
    const LporTables& lpor = tables_->lpor;
    std::fill(stubborn_.begin(), stubborn_.end(), 0);
    work_.clear();
    add(initial);
    work_.push_back(initial);
    for (std::size_t next = 0; next < work_.size(); ++next) {
        const TransitionId t = work_[next];
        const Word* dependent_on = lpor.local.dependent_on.row(t);
        for (const TransitionId u : enabled_) {
            if (test_bit(dependent_on, u) && add(u) && !lpor.is_transitive) work_.push_back(u);
        }
        const Word* starts = lpor.leads_to_dependency.row(t);
        for (const TransitionId u : enabled_) {
            if (!test_bit(starts, u) || test_bit(stubborn_.data(), u)) continue;
            if (lpor.local.net && !leads_to(u, dependent_on, oracle)) continue;
            add(u);
            work_.push_back(u);
        }
    }
}

bool Lpor::add(TransitionId transition) {
    if (test_bit(stubborn_.data(), transition)) return false;
    set_bit(stubborn_.data(), transition);
    runnable_is_known_ = false;
    return true;
}

// Whether a sequence of enabling transitions from `start` comes to one of `targets` while no member of the set runs.
// All but its first member are disabled here, for a sequence can begin with the last one that is enabled.
bool Lpor::leads_to(TransitionId start, const Word* targets, GuardOracle& oracle) {
    if (!runnable_is_known_) find_what_can_run(oracle);
    const BitMatrix& can_enable = tables_->lpor.local.can_enable;
    std::fill(reached_.begin(), reached_.end(), 0);
    std::fill(frontier_.begin(), frontier_.end(), 0);
    set_bit(frontier_.data(), start);
    for (bool grows = true; grows;) {
        std::fill(fresh_.begin(), fresh_.end(), 0);
        for (std::uint32_t w = 0; w < words_; ++w) {
            for_each_bit(frontier_[w], w * 64, [&](TransitionId t) {
                const Word* row = can_enable.row(t);
                for (std::uint32_t i = 0; i < words_; ++i) fresh_[i] |= row[i];
            });
        }
        grows = false;
        for (std::uint32_t i = 0; i < words_; ++i) {
            frontier_[i] = fresh_[i] & runnable_[i] & ~enabled_row_[i] & ~reached_[i];
            reached_[i] |= frontier_[i];
            grows |= frontier_[i] != 0;
        }
        if (intersect(reached_.data(), targets, words_)) return true;
    }
    return false;
}

void Lpor::find_what_can_run(GuardOracle& oracle) {
    if (!sets_are_known_) find_enabling_sets(oracle);
    for (std::uint32_t i = 0; i < words_; ++i) runnable_[i] = enabled_row_[i] & ~stubborn_[i];
    for (bool grows = true; grows;) {
        grows = false;
        for (TransitionId t = 0; t < sets_of_.size(); ++t) {
            if (test_bit(enabled_row_.data(), t) || test_bit(runnable_.data(), t) || !can_run(t)) continue;
            set_bit(runnable_.data(), t);
            grows = true;
        }
    }
    runnable_is_known_ = true;
}

bool Lpor::can_run(TransitionId transition) const {
    const auto& sets = sets_of_[transition];
    return std::all_of(sets.begin(), sets.end(),
                       [&](const Word* set) { return intersect(set, runnable_.data(), words_); });
}

// What is necessary for each disabled transition: a set for each false guard, or what the relations say.
void Lpor::find_enabling_sets(GuardOracle& oracle) {
    const Relations& relations = tables_->relations;
    const AskEnablingSets& ask = tables_->lpor.local.ask;
    asked_.clear();
    for (TransitionId t = 0; t < relations.transitions; ++t) {
        sets_of_[t].clear();
        if (test_bit(enabled_row_.data(), t)) continue;
        if (!ask) {
            for (const GuardId guard : relations.guards_of[t]) {
                if (!oracle.value(guard)) sets_of_[t].push_back(relations.enabling.row(guard));
            }
            continue;
        }
        for (const auto& set : ask(oracle.state(), t)) {
            std::vector<Word>& row = asked_.emplace_back(words_);
            for (const TransitionId u : set) set_bit(row.data(), u);
            sets_of_[t].push_back(row.data());
        }
    }
    sets_are_known_ = true;
}

std::size_t Lpor::size_of(const std::vector<Word>& row) const {
    std::size_t size = 0;
    for (const Word word : row) size += static_cast<std::size_t>(std::popcount(word));
    return size;
}

}  // namespace mule::reduction
