// Depth-first search of the product, on which both emptiness checks are built. Edges to states that are known when a
// state is expanded never get to the arena.
#pragma once

#include "ltl/lasso.hpp"
#include "search/numbered_walk.hpp"

namespace mule::ltl {

// What a frame holds of a state of the product.
struct ProductFrame {
    Word idle = 0;
    std::uint32_t automaton_state = 0;
};

// The algorithm: `entered()` after a state was pushed, `met(frame, entry, number)` for each edge from it to a state met
// before, `left_over(number, edge)` after a state was popped, with the entry that had led to it (null for the first).
template <unsigned W, typename Algorithm>
class ProductSearch : public NumberedWalk<EmptinessSearch, ProductSearch<W, Algorithm>, W, ProductFrame> {
    using Walk = NumberedWalk<EmptinessSearch, ProductSearch<W, Algorithm>, W, ProductFrame>;
    friend Walk;
    friend typename Walk::Loop;

  public:
    ProductSearch(const Program& program, PropertyAutomaton automaton, const AutomatonField& field,
                  const EmptinessOptions& options, Reducer* reducer)
        : Walk(program.words),
          automaton_(std::move(automaton)),
          successors_(program, automaton_, field, options, reducer),
          options_(options),
          reducer_(reducer) {}

    EmptinessResult take_result() override {
        result_.progress = this->progress();
        result_.stopped = this->stopped();
        return std::move(result_);
    }

  protected:
    using typename Walk::Frame;
    using Walk::states_, Walk::number_of;

    Word marks(const Frame& from, const Word* entry) const {
        return successors_.marks(from.automaton_state, from.idle, header_of(entry));
    }

    // An accepting cycle, and a way to it; unless the search had to end while it was rebuilt.
    void found(Lasso<NumberedStore<W>>& lasso) {
        if (this->done()) return;
        result_.empty = false;
        result_.prefix = lasso.take_prefix();
        result_.cycle = lasso.take_cycle();
        this->finish();
    }

    PropertyAutomaton automaton_;
    ProductSuccessors successors_;
    EmptinessResult result_;

  private:
    using Walk::transitions_, Walk::transient_;

    Algorithm& algorithm() { return static_cast<Algorithm&>(*this); }
    const Algorithm& algorithm() const { return static_cast<const Algorithm&>(*this); }

    std::size_t besides() const {
        return this->stack_bytes() + algorithm().bytes() + (reducer_ == nullptr ? 0 : reducer_->bytes());
    }

    std::size_t room(const Word* state) const { return successors_.room(state); }

    void visit(std::size_t entry) {
        const Word* state = this->state_at(entry);
        const std::uint64_t hash = this->hash_at(entry);
        const auto besides_store = [&] { return besides(); };
        if (const char* reason =
                options_.limits.refusal(states_, {&successors_.program(), transient_}, state, hash, besides_store))
            return this->stop(reason);
        const Place place = states_.insert(state, hash);
        if (place.fresh)
            this->push(entry, place.cell);
        else
            algorithm().met(this->stack_.back(), this->entry_at(entry), place.number);
    }

    std::uint32_t expand(Frame& frame, const Word* state, std::uint64_t hash, Word* out) {
        const auto expansion = successors_.expand(state, hash, out, Decision::kOpen,
                                                  [&](const Word* words, auto h) { return standing_of(words, h); });
        states_.info(number_of(frame)) |= static_cast<Word>(expansion.decision) << kDecisionShift;
        result_.failures += expansion.failures;
        result_.reduced += expansion.decision != Decision::kFull;
        result_.fully_expanded += expansion.gave_up;
        transitions_ += expansion.count;
        transient_ += expansion.transient;
        frame.idle = expansion.idle;
        frame.automaton_state = successors_.automaton_state(state);
        algorithm().entered();
        return keep_unknown(frame, out, expansion.count);
    }

    Standing standing_of(const Word* state, std::uint64_t hash) const {
        const std::uint64_t known = states_.find(state, hash);
        if (known == kAbsent) return Standing::kFresh;
        const bool asks = states_.marked(known) && !does_for_cycles(decision_in(states_.info(states_.number(known))));
        return asks ? Standing::kOpen : Standing::kClosed;
    }

    // Passes the edges to states met before to the algorithm, and keeps the others, for which the same may hold by the
    // time their turn comes.
    std::uint32_t keep_unknown(const Frame& frame, Word* out, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) states_.prefetch(header_of(this->at(out, i)).hash);
        for (std::uint32_t i = 0; i < count; ++i) states_.prefetch_state(header_of(this->at(out, i)).hash);
        return this->keep_if(out, count, [&](const Word* entry) {
            if (this->done()) return false;
            const std::uint64_t known = states_.find(words_of(entry), header_of(entry).hash);
            if (known == kAbsent) return true;
            algorithm().met(frame, entry, states_.number(known));
            return false;
        });
    }

    void left(const Frame& frame) {
        algorithm().left_over(number_of(frame), frame.entry == Walk::kFirst ? nullptr : this->entry_at(frame.entry));
    }

    const EmptinessOptions& options_;
    Reducer* reducer_;
};

}  // namespace mule::ltl
