#include "reduction/deletion.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mule::reduction {

namespace {

constexpr TransitionId kNobody = std::numeric_limits<TransitionId>::max();
// Subset-minimal sets are not smallest sets: this many starting points are tried for a smaller one.
constexpr std::size_t kMostAttempts = 8;

BitMatrix inverse_for_weak(const ReductionTables& tables) {
    return tables.options.weak ? tables.relations.do_not_left_accord.transposed() : BitMatrix();
}

}  // namespace

Deletion::Deletion(std::shared_ptr<const ReductionTables> tables)
    : StubbornSets(std::move(tables)),
      do_not_accord_inverse_(tables_->relations.do_not_accord.transposed()),
      do_not_left_accord_inverse_(inverse_for_weak(*tables_)),
      members_(tables_->words),
      keys_(tables_->words),
      others_(tables_->words),
      enabled_row_(tables_->words),
      kept_(tables_->words),
      candidates_(tables_->sets, tables_->relations.transitions),
      first_relying_(tables_->sets.count()),
      next_relying_(tables_->relations.transitions) {}

// Algorithm 2 for the sets in which one chosen transition is a key, for each promising key; the smallest set wins, and
// among equals that of the lowest key. The needs found first bound the size from below, so most attempts are not made.
void Deletion::choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) {
    oracle_ = &oracle;
    candidates_.enter_state();
    for (const TransitionId t : enabled) set_bit(enabled_row_.data(), t);
    if (begin(enabled)) {
        find_needs(enabled);
        base_members_ = members_;
        base_keys_ = keys_;
        base_others_ = others_;
        const std::uint32_t base_key_count = key_count_;
        std::uint32_t best_count = std::numeric_limits<std::uint32_t>::max();
        for (std::size_t attempt = 0; attempt < std::min(order_.size(), kMostAttempts); ++attempt) {
            const std::uint32_t position = order_[attempt];
            if (need_count_[position] >= best_count) break;
            members_ = base_members_;
            keys_ = base_keys_;
            others_ = base_others_;
            key_count_ = base_key_count;
            delete_around(position, enabled);
            if (count_enabled(enabled) > need_count_[order_.front()]) minimise(enabled);
            const std::uint32_t count = count_enabled(enabled);
            if (count >= best_count) continue;
            best_count = count;
            best_ = members_;
        }
        report(best_.data(), enabled, out);
    } else {
        report_everything(enabled, out);
    }
    for (const TransitionId t : enabled) clear_bit(enabled_row_.data(), t);
}

// Everything is stubborn, less the disabled transitions that have no necessary enabling set to rely on. False when no
// key is left.
bool Deletion::begin(std::span<const TransitionId> enabled) {
    fill_bits(members_.data(), tables_->relations.transitions);
    keys_ = enabled_row_;
    if (tables_->options.weak) others_ = enabled_row_;
    key_count_ = static_cast<std::uint32_t>(enabled.size());
    std::fill(kept_.begin(), kept_.end(), 0);
    protected_key_ = kNobody;
    std::fill(first_relying_.begin(), first_relying_.end(), kNobody);
    trail_.clear();
    queue_.clear();
    for (TransitionId t = 0; t < tables_->relations.transitions; ++t) {
        if (!test_bit(enabled_row_.data(), t) && !find_complete_set(t)) remove_member(t);
    }
    const bool success = cascade();
    trail_.clear();
    return success;
}

// Makes `transition` rely on its first usable set that is complete.
bool Deletion::find_complete_set(TransitionId transition) {
    const NecessarySets& sets = tables_->sets;
    for (const SetId set : candidates_.of(transition, *oracle_)) {
        if (!is_subset(sets.members(set), members_.data(), tables_->words) || !sets.usable(set, *oracle_)) continue;
        next_relying_[transition] = first_relying_[set];
        first_relying_[set] = transition;
        return true;
    }
    return false;
}

// Delete of Algorithm 2; false, with the set as it was, when it would leave no key or take a transition that must stay.
bool Deletion::remove(TransitionId transition) {
    const std::size_t mark = trail_.size();
    bool success = true;
    if (test_bit(others_.data(), transition)) {
        clear_bit(others_.data(), transition);
        trail_.push_back({transition, Part::kOthers});
    }
    if (test_bit(keys_.data(), transition)) success = remove_key(transition);
    success = success && remove_member(transition) && cascade();
    if (success) return true;
    queue_.clear();
    undo(mark);
    return false;
}

bool Deletion::remove_key(TransitionId transition) {
    clear_bit(keys_.data(), transition);
    trail_.push_back({transition, Part::kKeys});
    return --key_count_ > 0 && transition != protected_key_;
}

bool Deletion::remove_member(TransitionId transition) {
    if (test_bit(kept_.data(), transition)) return false;
    clear_bit(members_.data(), transition);
    trail_.push_back({transition, Part::kMembers});
    queue_.push_back(transition);
    return true;
}

bool Deletion::cascade() {
    while (!queue_.empty()) {
        const TransitionId gone = queue_.back();
        queue_.pop_back();
        bool success = true;
        const Word* not_according = do_not_accord_inverse_.row(gone);
        for (std::uint32_t i = 0; i < tables_->words; ++i) {
            for_each_bit(not_according[i] & keys_[i], i * 64, [&](TransitionId t) {
                success = success && remove_key(t) && (test_bit(others_.data(), t) || remove_member(t));
            });
        }
        if (success && tables_->options.weak) {
            const Word* not_left_according = do_not_left_accord_inverse_.row(gone);
            for (std::uint32_t i = 0; i < tables_->words; ++i) {
                for_each_bit(not_left_according[i] & others_[i], i * 64, [&](TransitionId t) {
                    clear_bit(others_.data(), t);
                    trail_.push_back({t, Part::kOthers});
                    success = success && (test_bit(keys_.data(), t) || remove_member(t));
                });
            }
        }
        for (const SetId set : tables_->sets.with(gone)) {
            if (!success) break;
            if (first_relying_[set] != kNobody) success = abandon_incomplete(set);
        }
        if (!success) return false;
    }
    return true;
}

// Whoever relies on `set` finds another one or goes. Those that go stay in the list, for undo() to bring them back;
// those that moved need not move back, as undo() makes sets complete and never incomplete.
bool Deletion::abandon_incomplete(SetId set) {
    TransitionId* link = &first_relying_[set];
    while (*link != kNobody) {
        const TransitionId transition = *link;
        const TransitionId next = next_relying_[transition];
        if (test_bit(members_.data(), transition)) {
            if (find_complete_set(transition)) {
                *link = next;
                continue;
            }
            if (!remove_member(transition)) return false;
        }
        link = &next_relying_[transition];
    }
    return true;
}

void Deletion::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const Removal removal = trail_.back();
        trail_.pop_back();
        switch (removal.part) {
            case Part::kMembers:
                set_bit(members_.data(), removal.transition);
                break;
            case Part::kKeys:
                set_bit(keys_.data(), removal.transition);
                ++key_count_;
                break;
            case Part::kOthers:
                set_bit(others_.data(), removal.transition);
                break;
        }
    }
}

// Deletes each enabled transition by itself to see which keys go with it, and orders the keys by how many they need.
void Deletion::find_needs(std::span<const TransitionId> enabled) {
    const auto count = static_cast<std::uint32_t>(enabled.size());
    if (needs_.rows() < count) needs_ = BitMatrix(count, count);
    for (std::uint32_t position = 0; position < count; ++position) {
        std::fill_n(needs_.row(position), words_for(needs_.columns()), 0);
    }
    need_count_.assign(count, 0);
    order_.clear();
    for (std::uint32_t position = 0; position < count; ++position) {
        if (test_bit(keys_.data(), enabled[position])) order_.push_back(position);
    }
    for (std::uint32_t gone = 0; gone < count; ++gone) {
        if (!test_bit(members_.data(), enabled[gone])) continue;
        const bool dispensable = remove(enabled[gone]);
        for (const std::uint32_t position : order_) {
            if (dispensable && test_bit(keys_.data(), enabled[position])) continue;
            set_bit(needs_.row(position), gone);
            ++need_count_[position];
        }
        undo(0);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return need_count_[a] < need_count_[b]; });
}

// Algorithm 2 with the transition at this position bound to stay a key. High numbers go first: states then tend to
// agree on low ones.
void Deletion::delete_around(std::size_t protected_position, std::span<const TransitionId> enabled) {
    std::fill(kept_.begin(), kept_.end(), 0);
    protected_key_ = enabled[protected_position];
    const Word* needed = needs_.row(static_cast<std::uint32_t>(protected_position));
    for (std::uint32_t position = 0; position < enabled.size(); ++position) {
        if (test_bit(needed, position)) set_bit(kept_.data(), enabled[position]);
    }
    for (std::size_t position = enabled.size(); position-- > 0;) {
        const TransitionId t = enabled[position];
        if (!test_bit(members_.data(), t) || test_bit(kept_.data(), t)) continue;
        if (!remove(t)) set_bit(kept_.data(), t);
    }
    trail_.clear();
}

// Algorithm 2 as it stands, on what is left: now no proper subset of the enabled members will do (Theorem 1).
void Deletion::minimise(std::span<const TransitionId> enabled) {
    std::fill(kept_.begin(), kept_.end(), 0);
    protected_key_ = kNobody;
    for (const TransitionId t : enabled) {
        if (test_bit(members_.data(), t) && !remove(t)) set_bit(kept_.data(), t);
    }
    trail_.clear();
}

std::uint32_t Deletion::count_enabled(std::span<const TransitionId> enabled) const {
    std::uint32_t count = 0;
    for (const TransitionId t : enabled) count += test_bit(members_.data(), t);
    return count;
}

}  // namespace mule::reduction
