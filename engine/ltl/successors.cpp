#include "ltl/successors.hpp"

#include <stdexcept>

#include "store/hash.hpp"

namespace mule::ltl {

ProductSuccessors::ProductSuccessors(const Program& program, PropertyAutomaton& automaton, const AutomatonField& field,
                                     const EmptinessOptions& options, Reducer* reducer)
    : program_(program),
      automaton_(automaton),
      field_(field),
      options_(options),
      reducer_(reducer),
      stride_(kHeaderWords + program.words),
      probe_(stride_) {
    const std::uint32_t requirements = options.fairness.requirements();
    if (requirements != 0 && !options.fairness.compassion &&
        requirements + automaton.marks() <= PropertyAutomaton::kMostMarks) {
        fair_marks_ = (~Word{0} >> (64 - requirements)) << automaton.marks();
    } else {
        fair_words_ = words_for(requirements);
        raised_.resize(fair_words_);
    }
    if (options.visible.empty()) return;
    for (TransitionId t = 0; t < program.transitions; ++t)
        if (test_bit(options.visible.data(), t)) visible_.push_back(t);
}

std::uint32_t ProductSuccessors::letter(const Word* state, std::uint32_t atoms) const {
    std::uint32_t letter = 0;
    for_each_bit(atoms, 0, [&](std::uint32_t atom) {
        letter |= static_cast<std::uint32_t>(program_.proposition(state, atom)) << atom;
    });
    return letter;
}

// Drops failing entries; lists the enabled transitions in ascending order where somebody asks for them.
void ProductSuccessors::collect(Word* out, std::uint32_t written, Expansion& result) {
    enabled_.clear();
    Word raised = 0;
    std::fill(raised_.begin(), raised_.end(), 0);
    for (std::uint32_t i = 0; i < written; ++i) {
        const Word* entry = at(out, i);
        const SuccessorHeader header = header_of(entry);
        if (reducer_ != nullptr) enabled_.push_back(header.transition);
        if (fair_marks_ != 0) raised |= *options_.fairness.raising.row(header.transition) << automaton_.marks();
        if (fair_words_ != 0) {
            const Word* row = options_.fairness.raising.row(header.transition);
            for (std::uint32_t w = 0; w < fair_words_; ++w) raised_[w] |= row[w];
        }
        if (header.failure != 0) {
            ++result.failures;
            continue;
        }
        if (i != result.count) std::copy(entry, entry + stride_, at(out, result.count));
        ++result.count;
    }
    // Inside a step that is taken for one, the others wait; that does not mean that they cannot move.
    if (!result.transient) {
        result.idle = fair_marks_ & ~raised;
    } else if (fair_words_ != 0) {
        if (options_.fairness.compassion)
            std::fill(raised_.begin(), raised_.end(), 0);
        else
            fill_bits(raised_.data(), options_.fairness.requirements());
    }
    if (!std::is_sorted(enabled_.begin(), enabled_.end())) std::sort(enabled_.begin(), enabled_.end());
    enabled_.erase(std::unique(enabled_.begin(), enabled_.end()), enabled_.end());
}

void ProductSuccessors::add_met(TransitionId transition, std::vector<Word>& row) const {
    if (transition != kStutter) {
        const Word* met = options_.fairness.meeting.row(transition);
        for (std::uint32_t w = 0; w < fair_words_; ++w) row[w] |= met[w];
    }
    if (options_.fairness.compassion) return;
    for (std::uint32_t w = 0; w < fair_words_; ++w) row[w] |= ~raised_[w];
}

// A reduced set that is visible as it may be, a function of the system's state; false: there is none.
bool ProductSuccessors::choose(const Word* state) {
    const std::span<const std::uint32_t> positions = reducer_->choose(state, enabled_);
    if (positions.size() == enabled_.size()) return false;
    chosen_.clear();
    bool any_visible = false;
    bool invisible_key = false;
    for (const std::uint32_t position : positions) {
        const TransitionId transition = enabled_[position & ~kKey];
        chosen_.push_back(transition);
        const bool visible = has(options_.visible, transition);
        any_visible |= visible;
        invisible_key |= !visible && (position & kKey) != 0;
    }
    if (any_visible && options_.visibility == Visibility::kC2) return false;
    if (options_.visibility != Visibility::kFair && !invisible_key && !choose_invisible_key(state)) return false;
    return options_.proviso != Proviso::kStatic || static_proviso_allows(chosen_, options_.sticky);
}

// Condition I for a set that does not meet it: the smallest closure of an invisible transition, where one is enabled.
bool ProductSuccessors::choose_invisible_key(const Word* state) {
    std::vector<TransitionId> smallest = enabled_;
    bool needed = false;
    for (const TransitionId transition : enabled_) {
        if (has(options_.visible, transition)) continue;
        needed = true;
        reducer_->close(state, enabled_, {&transition, 1}, set_);
        if (set_.enabled.size() < smallest.size()) smallest = set_.enabled;
    }
    if (needed) chosen_ = smallest;
    return chosen_.size() < enabled_.size();
}

// Makes the chosen set one that has all visible transitions.
void ProductSuccessors::add_visible(const Word* state) {
    seed_ = chosen_;
    seed_.insert(seed_.end(), visible_.begin(), visible_.end());
    reducer_->close(state, enabled_, seed_, set_);
    chosen_ = set_.enabled;
    const bool sees =
        std::any_of(chosen_.begin(), chosen_.end(), [&](TransitionId t) { return has(options_.visible, t); });
    if (sees && options_.visibility == Visibility::kC2) chosen_ = enabled_;
}

// Leaves the entries of chosen transitions, in their order; the others wait in `rest_`.
void ProductSuccessors::bring_chosen_to_front(Word* out, std::uint32_t& count) {
    rest_.clear();
    std::uint32_t front = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Word* entry = at(out, i);
        if (!is_chosen(header_of(entry).transition)) {
            rest_.insert(rest_.end(), entry, entry + stride_);
        } else {
            if (front != i) std::copy(entry, entry + stride_, at(out, front));
            ++front;
        }
    }
    count = front;
}

// Replaces one word's share of the hash.
void ProductSuccessors::put(Word* entry, std::uint32_t automaton_state) const {
    Word& word = entry[kHeaderWords + field_.word];
    const Word changed = field_.written(word, automaton_state);
    if (changed == word) return;
    header_at(entry).hash += mix_word(changed, field_.word) - mix_word(word, field_.word);
    word = changed;
}

std::uint32_t ProductSuccessors::move_automaton(Word* out, std::uint32_t count, std::uint32_t from,
                                                std::span<const std::uint16_t> edges) const {
    for (std::size_t e = edges.size(); e-- > 0;) {
        Word* block = at(out, e * count);
        if (e != 0) std::copy(out, at(out, count), block);
        const std::uint32_t to = target(from, edges[e]);
        for (std::uint32_t i = 0; i < count; ++i) {
            header_at(at(block, i)).failure = edges[e];
            put(at(block, i), to);
        }
    }
    return count * static_cast<std::uint32_t>(edges.size());
}

}  // namespace mule::ltl
