// Depth-first search of the product, on which both emptiness checks are built. As in the plain depth-first search the
// entries of the states on the stack lie on one arena, and what is known when a state is expanded never gets there.
#pragma once

#include "ltl/state_store.hpp"
#include "ltl/successors.hpp"
#include "search/depth_first.hpp"

namespace mule {

// The algorithm: `entered()` after a state was pushed, `met(frame, entry, number)` for each edge from it to a state met
// before, `left(number, edge)` after a state was popped, with the entry that had led to it (null for the first state).
template <unsigned W, typename Algorithm>
class ProductSearch {
  public:
    ProductSearch(const Program& program, PropertyAutomaton& automaton, const AutomatonField& field,
                  const EmptinessOptions& options, Reducer* reducer, const Watch::Callback& callback)
        : options_(options),
          automaton_(automaton),
          successors_(program, automaton, field, options, reducer),
          watch_(options.limits, callback),
          store_(program.words) {}

    EmptinessResult run(const Word* initial) {
        initial_.assign(initial, initial + store_.words());
        const std::uint64_t hash = hash_words(initial, store_.words());
        push(kInitial, store_.insert(initial, hash).number, hash);
        while (!stack_.empty() && !done_) {
            Frame& frame = stack_.back();
            if (frame.next == frame.end) {
                pop();
                continue;
            }
            const std::size_t entry = frame.next;
            frame.next += successors_.stride();
            visit(entry);
            tick();
        }
        poll(false);
        return std::move(result_);
    }

  protected:
    static constexpr std::size_t kInitial = ~std::size_t{0};

    struct Frame {
        std::size_t entry;  // the entry on the arena that led here
        std::size_t begin;  // this state's own entries
        std::size_t next;
        std::size_t end;
        Word idle;
        StateNumber number;
        std::uint32_t automaton_state;
    };

    // The entry that led to a state on the stack; not for the first one.
    const Word* entry_to(const Frame& frame) { return arena_.data() + frame.entry; }

    Word marks(const Frame& from, const Word* entry) const {
        return successors_.marks(from.automaton_state, from.idle, header_of(entry));
    }

    void tick() {
        if (++steps_ % 4096 == 0) poll(true);
    }

    void stop(const char* reason) {
        if (!done_) result_.stopped = reason;
        done_ = true;
    }

    void found() {
        result_.empty = false;
        done_ = true;
    }

    const EmptinessOptions& options_;
    PropertyAutomaton& automaton_;
    ProductSuccessors successors_;
    Watch watch_;
    StateStore<W> store_;
    std::vector<Frame> stack_;
    bool done_ = false;
    EmptinessResult result_;

  private:
    Algorithm& algorithm() { return static_cast<Algorithm&>(*this); }

    const Word* state_at(std::size_t entry) {
        return entry == kInitial ? initial_.data() : words_of(arena_.data() + entry);
    }

    void visit(std::size_t entry) {
        if (store_.about_to_grow() && store_.bytes_after_growth() + arena_.bytes() > options_.limits.max_bytes)
            return stop("memory");
        const std::uint64_t hash = header_of(arena_.data() + entry).hash;
        const std::uint64_t most = std::min(options_.limits.max_states, StateStore<W>::kMostStates);
        if (store_.size() >= most && store_.find(state_at(entry), hash) == StateStore<W>::kAbsent)
            return stop("states");
        const auto place = store_.insert(state_at(entry), hash);
        if (place.fresh)
            push(entry, place.number, hash);
        else
            algorithm().met(stack_.back(), arena_.data() + entry, place.number);
    }

    void push(std::size_t entry, StateNumber number, std::uint64_t hash) {
        const std::size_t begin = arena_.size();
        Word* out = arena_.room_for(successors_.room(state_at(entry)));
        const Word* state = state_at(entry);
        Word& info = store_.info(number);
        info |= kOnStack;
        const auto expansion = successors_.expand(state, hash, out, Decision::kOpen, [&](const Word* words, auto h) {
            const StateNumber known = store_.find(words, h);
            return known != StateStore<W>::kAbsent && (store_.info(known) & kOnStack) != 0;
        });
        info |= static_cast<Word>(expansion.decision) << kDecisionShift;
        result_.failures += expansion.failures;
        result_.reduced += expansion.decision != Decision::kFull;
        result_.fully_expanded += expansion.gave_up;
        result_.progress.transitions += expansion.count;
        transient_ += expansion.transient;
        stack_.push_back({entry, begin, begin, begin, expansion.idle, number, successors_.automaton_state(state)});
        result_.progress.depth = std::max<std::uint64_t>(result_.progress.depth, stack_.size() - 1);
        algorithm().entered();
        const std::size_t end = begin + keep_unknown(out, expansion.count) * successors_.stride();
        arena_.resize(end);
        stack_.back().end = end;
    }

    // Passes the edges to states met before to the algorithm, and keeps the others, for which the same may hold by the
    // time their turn comes.
    std::uint32_t keep_unknown(Word* out, std::uint32_t count) {
        const unsigned stride = successors_.stride();
        for (std::uint32_t i = 0; i < count; ++i) store_.prefetch(header_of(out + std::size_t{i} * stride).hash);
        for (std::uint32_t i = 0; i < count; ++i) store_.prefetch_state(header_of(out + std::size_t{i} * stride).hash);
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < count && !done_; ++i) {
            Word* entry = out + std::size_t{i} * stride;
            const StateNumber known = store_.find(words_of(entry), header_of(entry).hash);
            if (known != StateStore<W>::kAbsent) {
                algorithm().met(stack_.back(), entry, known);
                continue;
            }
            if (kept != i) std::memcpy(out + std::size_t{kept} * stride, entry, stride * sizeof(Word));
            ++kept;
        }
        return kept;
    }

    void pop() {
        const Frame frame = stack_.back();
        store_.info(frame.number) &= ~kOnStack;
        arena_.resize(frame.begin);
        stack_.pop_back();
        algorithm().left(frame.number, frame.entry == kInitial ? nullptr : entry_to(frame));
    }

    void poll(bool running) {
        result_.progress.states = store_.size() - transient_;
        result_.progress.open = stack_.size();
        result_.progress.bytes =
            store_.bytes() + arena_.bytes() + stack_.capacity() * sizeof(Frame) + algorithm().bytes();
        if (done_ || !running) {
            result_.progress.seconds = watch_.seconds();
        } else if (watch_.over(result_.progress, result_.stopped)) {
            done_ = true;
        }
    }

    std::vector<Word> initial_;
    Arena arena_;
    std::uint64_t steps_ = 0;
    std::uint64_t transient_ = 0;  // how many of the stored states are
};

}  // namespace mule
