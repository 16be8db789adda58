// The successors of one state of the product: the system's, thinned out by the reduction, times the automaton's.
#pragma once

#include <span>
#include <vector>

#include "ltl/emptiness.hpp"
#include "proviso/static.hpp"
#include "reduction/reducer.hpp"
#include "search/entries.hpp"

namespace mule::ltl {

// Which of the enabled transitions are explored in a state; made once, and kept with the state.
enum class Decision : std::uint8_t {
    kOpen,
    kReduced,  // what the reduction chooses
    kVisible,  // the same, and all visible transitions (C3')
    kFull,
};

// What the search knows about a state, in one word: the lower half is the algorithm's own.
inline constexpr unsigned kDecisionShift = 32;

inline Decision decision_in(Word info) { return static_cast<Decision>(info >> kDecisionShift & 3); }

// Whether a cycle over a state with this decision is allowed by the proviso, whatever was decided for its other states.
inline bool does_for_cycles(Decision decision) { return decision == Decision::kVisible || decision == Decision::kFull; }

// Entries are those of `Program::expand`, with the automaton's state after the step; `failure` is the automaton's edge.
class ProductSuccessors {
  public:
    ProductSuccessors(const Program& program, PropertyAutomaton& automaton, const AutomatonField& field,
                      const EmptinessOptions& options, Reducer* reducer);

    const Program& program() const { return program_; }
    unsigned stride() const { return stride_; }
    std::uint32_t automaton_state(const Word* state) const { return field_.read(state); }

    // The words that the entries of a state may need.
    std::size_t room(const Word* state) const {
        const std::size_t degree = std::max<std::uint32_t>(automaton_.degree(field_.read(state)), 1);
        return (std::size_t{program_.max_successors} + 1) * degree * stride_;
    }

    struct Expansion {
        std::uint32_t count = 0;
        std::uint32_t failures = 0;
        Decision decision = Decision::kFull;
        bool transient = false;
        bool gave_up = false;  // a reduced set, to the ignoring proviso
        Word idle = 0;         // the marks of requirements that are not raised here
    };

    // Writes the entries of `state` to `out`. Where nothing was decided yet, `standing_of(words, hash)` tells what the
    // search knows of a state of the product.
    template <typename StandingOf>
    Expansion expand(const Word* state, std::uint64_t hash, Word* out, Decision decision, StandingOf&& standing_of);

    // The marks of the step to an entry from a state with this automaton state and these idle requirements.
    Word marks(std::uint32_t automaton_state, Word idle, const SuccessorHeader& header) const {
        Word marks = automaton_.marks_of(automaton_state, header.failure);
        if (fair_marks_ != 0) marks |= idle | marks_met(header.transition);
        return marks;
    }
    Word all_marks() const { return automaton_.all_marks() | fair_marks_; }

    // Where requirements are not told by marks:
    bool judges_parts() const { return fair_words_ != 0; }
    bool asks_compassion() const { return options_.fairness.compassion; }
    // those that are raised in the state that was expanded last,
    const std::vector<Word>& raised() const { return raised_; }
    // and those met by a step from it: where no compassion is asked for, also those that it does not raise.
    void add_met(TransitionId transition, std::vector<Word>& row) const;

  private:
    Word* at(Word* out, std::size_t i) const { return out + i * stride_; }
    static SuccessorHeader& header_at(Word* entry) { return *reinterpret_cast<SuccessorHeader*>(entry); }

    Word marks_met(TransitionId transition) const {
        return transition == kStutter ? fair_marks_ : *options_.fairness.meeting.row(transition) << automaton_.marks();
    }

    std::uint32_t letter(const Word* state, std::uint32_t atoms) const;
    void collect(Word* out, std::uint32_t written, Expansion& result);
    bool choose(const Word* state);
    bool choose_invisible_key(const Word* state);
    void add_visible(const Word* state);
    bool has(const std::vector<Word>& row, TransitionId transition) const {
        return !row.empty() && test_bit(row.data(), transition);
    }
    bool is_chosen(TransitionId transition) const {
        return std::binary_search(chosen_.begin(), chosen_.end(), transition);
    }
    void bring_chosen_to_front(Word* out, std::uint32_t& count);
    void put(Word* entry, std::uint32_t automaton_state) const;
    std::uint32_t move_automaton(Word* out, std::uint32_t count, std::uint32_t from,
                                 std::span<const std::uint16_t> edges) const;
    template <typename StandingOf>
    bool will_do(Word* out, std::uint32_t count, std::uint32_t from, std::span<const std::uint16_t> edges,
                 StandingOf&& standing_of);

    std::uint32_t target(std::uint32_t from, std::uint16_t edge) const {
        return edge == PropertyAutomaton::kNoEdge ? from : automaton_.edge(from, edge).target;
    }

    const Program& program_;
    PropertyAutomaton& automaton_;
    AutomatonField field_;
    const EmptinessOptions& options_;
    Reducer* reducer_;
    unsigned stride_;
    Word fair_marks_ = 0;           // the marks of all requirements, where they are told by marks
    std::uint32_t fair_words_ = 0;  // of a row of requirements, where they are not
    std::vector<Word> raised_;
    std::vector<TransitionId> visible_;
    std::vector<TransitionId> enabled_;
    std::vector<TransitionId> chosen_;
    std::vector<TransitionId> seed_;
    std::vector<Word> rest_;
    std::vector<Word> probe_;
    StubbornSet set_;
};

template <typename StandingOf>
ProductSuccessors::Expansion ProductSuccessors::expand(const Word* state, std::uint64_t hash, Word* out,
                                                       Decision decision, StandingOf&& standing_of) {
    static constexpr std::uint16_t kStay[] = {PropertyAutomaton::kNoEdge};
    Expansion result;
    result.transient = program_.is_transient(state);
    const std::uint32_t from = field_.read(state);
    std::span<const std::uint16_t> edges = kStay;
    if (!result.transient) {
        edges = automaton_.under(from, letter(state, automaton_.atoms_read(from)));
        if (edges.empty()) return result;
    }
    collect(out, program_.expand(state, hash, out), result);
    if (result.count == 0) {
        // A finite run goes on by stuttering; one that ends in an error, or inside a step, is no run.
        if (result.failures != 0 || result.transient || !options_.finite_runs) return result;
        header_at(out) = {hash, kStutter, 0, 0};
        std::copy(state, state + program_.words, out + kHeaderWords);
        result.count = 1;
    } else if (reducer_ != nullptr && enabled_.size() > 1 && decision != Decision::kFull && choose(state)) {
        const std::uint32_t all = result.count;
        if (decision == Decision::kVisible) add_visible(state);
        bring_chosen_to_front(out, result.count);
        result.decision = decision == Decision::kOpen ? Decision::kReduced : decision;
        if (decision == Decision::kOpen && !will_do(out, result.count, from, edges, standing_of)) {
            std::copy(rest_.begin(), rest_.end(), at(out, result.count));
            result.count = all;
            result.decision = Decision::kFull;
            result.gave_up = true;
            if (options_.proviso == Proviso::kC3Prime) {
                add_visible(state);
                if (chosen_.size() < enabled_.size()) {
                    bring_chosen_to_front(out, result.count);
                    result.decision = Decision::kVisible;
                }
            }
        }
    }
    result.count = move_automaton(out, result.count, from, edges);
    return result;
}

// Whether the proviso allows the chosen entries, each with every edge of the automaton.
template <typename StandingOf>
bool ProductSuccessors::will_do(Word* out, std::uint32_t count, std::uint32_t from,
                                std::span<const std::uint16_t> edges, StandingOf&& standing_of) {
    const auto degree = static_cast<std::uint32_t>(edges.size());
    const auto is_key = [](std::uint32_t) { return true; };
    return allows(options_.proviso, count * degree, is_key, [&](std::uint32_t i) {
        const Word* entry = at(out, i / degree);
        std::copy(entry, entry + stride_, probe_.begin());
        put(probe_.data(), target(from, edges[i % degree]));
        return standing_of(words_of(probe_.data()), header_of(probe_.data()).hash);
    });
}

}  // namespace mule::ltl
