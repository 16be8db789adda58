// One of the workers that expand the states of a level of the product and store their successors.
//
// The ignoring proviso asks whether a successor is of an earlier level, or of this one: such a step goes *back*. A
// reduced set is given up where one of its steps goes back, unless to a state of an earlier level that does for all
// cycles over it: it is expanded fully (C3), or with all visible transitions (C3'). So along all other steps from
// states with a reduced set the levels grow, and every cycle has a state that does. What is stored while a level is
// expanded is of the next one, whoever stored it and when, nothing of this level is stored any more, and what was
// decided in earlier ones is settled: the answer is the same at every moment of the level and for every number of
// workers, and so is the reduced product. (That an insertion must have won, as in C3_duplicate, is not needed: the
// levels take the place of the times of insertion.)
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ltl/successors.hpp"
#include "parallel/batched_worker.hpp"
#include "parallel/recorded_edges.hpp"
#include "store/shared_numbered.hpp"

namespace mule::parallel {

// What workers have counted besides.
struct ProductCounts : Counts {
    std::uint64_t transient = 0;  // among those stored
    std::uint64_t recorded = 0;   // edges
    std::uint64_t failures = 0;
    std::uint64_t reduced = 0;

    // So that they can be written.
    std::array<std::uint64_t*, 8> all() {
        return {&stored, &expanded, &transitions, &fully_expanded, &transient, &recorded, &failures, &reduced};
    }

    void operator+=(const ProductCounts& other) {
        Counts::operator+=(other);
        transient += other.transient;
        recorded += other.recorded;
        failures += other.failures;
        reduced += other.reduced;
    }
};

// The levels of the states that are stored: known of whole chunks, since the numbers of one chunk are given in order.
class KnownLevels {
  public:
    void make_chunks(std::size_t chunks) {
        if (chunks_.size() < chunks) chunks_.resize(chunks);
    }
    // What was of the level that was expanded is of an earlier one.
    void end_level() { ++level_; }
    // From now on these states are of the level that is being expanded.
    void add(const std::vector<Stretch>& states) {
        for (const Stretch& stretch : states) chunk_of(stretch.begin) = {level_, stretch.begin, stretch.end};
    }
    // Of a chunk whose first states are of earlier levels.
    void add_in(std::uint32_t chunk, std::uint32_t earlier, std::uint32_t known) {
        const StateNumber first = chunk * SharedNumbered<0>::kChunk;
        chunks_[chunk] = {level_, first + earlier, first + known};
    }
    // How many states of a chunk are of the level that is being expanded or of earlier ones, and of earlier ones alone.
    std::uint32_t states_in(std::uint32_t chunk) const { return inside(chunk, chunks_[chunk].end); }
    std::uint32_t earlier_in(std::uint32_t chunk) const { return inside(chunk, chunks_[chunk].earlier(level_)); }
    bool contain(StateNumber number) const { return number < chunk_of(number).end; }
    bool contain_earlier(StateNumber number) const { return number < chunk_of(number).earlier(level_); }

  private:
    struct Chunk {
        std::uint64_t level = 0;  // the last one that some of its states are of: they begin here
        StateNumber begin = 0;
        StateNumber end = 0;

        StateNumber earlier(std::uint64_t now) const { return level == now ? begin : end; }
    };

    Chunk& chunk_of(StateNumber number) { return chunks_[number >> SharedNumbered<0>::kChunkBits]; }
    const Chunk& chunk_of(StateNumber number) const { return chunks_[number >> SharedNumbered<0>::kChunkBits]; }
    static std::uint32_t inside(std::uint32_t chunk, StateNumber end) {
        return end == 0 ? 0 : end - chunk * SharedNumbered<0>::kChunk;
    }

    std::vector<Chunk> chunks_;
    std::uint64_t level_ = 1;
};

// The lower half of what is kept beside a state: from which one it was stored, kNoNumber for the first.
inline StateNumber source_in(Word info) { return static_cast<StateNumber>(info); }

template <unsigned W>
class alignas(128) ProductWorker : public BatchedWorker<ProductWorker<W>, Stretch, ProductCounts> {
    using Base = BatchedWorker<ProductWorker<W>, Stretch, ProductCounts>;
    friend Base;

  public:
    // `automaton`: copied. `reducer`: one of its own, or null.
    ProductWorker(const Program& program, const PropertyAutomaton& automaton, const AutomatonField& field,
                  const EmptinessOptions& options, Reducer* reducer, SharedNumbered<W>& states, RecordedEdges& edges,
                  const KnownLevels& levels, Ration& ration)
        : Base(ration, most_successors(program, automaton), options.whole_batches),
          program_(program),
          automaton_(automaton),
          reducer_(reducer),
          successors_(program, automaton_, field, options, reducer),
          states_(states),
          edges_(edges),
          levels_(levels),
          entries_(this->most_in_a_batch() * successors_.stride()) {}

    void begin(const Word* initial) {
        states_.insert(hand_, initial, hash_words(initial, states_.words()), kNoNumber);
        count_stored(initial);
    }

    // What the coordinator takes between two rounds.
    std::vector<Stretch> take_stretches() { return hand_.take_stretches(); }
    const std::vector<Stretch>& stretches() const { return hand_.stretches(); }
    // What others have stored of the next level.
    void add_stretches(const std::vector<Stretch>& stored) { hand_.add(stored); }
    ProductSuccessors& successors() { return successors_; }
    std::size_t bytes() const {
        return entries_.capacity() * sizeof(Word) + (reducer_ == nullptr ? 0 : reducer_->bytes());
    }

  private:
    using Base::counts_;
    using Base::kBatch;
    using Base::run_;

    struct Expanded {
        StateNumber source;
        std::uint32_t automaton_state;
        Word idle;
        std::uint32_t end;  // of its entries
    };

    static std::uint64_t most_successors(const Program& program, const PropertyAutomaton& automaton) {
        std::uint64_t degree = 1;
        for (std::uint32_t state = 0; state < automaton.states(); ++state)
            degree = std::max<std::uint64_t>(degree, automaton.degree(state));
        return (std::uint64_t{program.max_successors} + 1) * degree;
    }

    bool is_over() const { return this->refused_; }
    bool is_stored(const Word* state, std::uint64_t hash) const { return states_.find(state, hash) != kAbsent; }

    Word* at(std::size_t i) { return entries_.data() + i * successors_.stride(); }

    // False where no state is left to expand.
    bool fill_batch(Level<Stretch>& level) {
        const auto standing_of = [&](const Word* words, std::uint64_t hash) {
            const std::uint64_t place = states_.find(words, hash);
            return place != kAbsent && goes_back(states_.number(place)) ? Standing::kOpen : Standing::kFresh;
        };
        for (std::uint32_t filled = 0; filled < kBatch;) {
            if (run_.left() == 0 && !level.take(run_)) {
                run_ = {};
                break;
            }
            const StateNumber source = run_.begin++;
            ++counts_.expanded;
            const Word* state = states_.state(source);
            const auto expansion =
                successors_.expand(state, hash_words(state, states_.words()), at(filled), Decision::kOpen, standing_of);
            states_.info(source) |= static_cast<Word>(expansion.decision) << kDecisionShift;
            counts_.failures += expansion.failures;
            counts_.reduced += expansion.decision != Decision::kFull;
            counts_.fully_expanded += expansion.gave_up;
            counts_.transitions += expansion.count;
            for (std::uint32_t i = 0; i < expansion.count; ++i) states_.prefetch(header_of(at(filled + i)).hash);
            filled += expansion.count;
            expanded_.push_back({source, successors_.automaton_state(state), expansion.idle, filled});
        }
        return !expanded_.empty();
    }

    bool goes_back(StateNumber number) const {
        if (levels_.contain_earlier(number)) return !does_for_cycles(decision_in(states_.info(number)));
        return levels_.contain(number);
    }

    void flush_batch() {
        for (std::uint32_t i = 0; i < expanded_.back().end; ++i) states_.prefetch_state(header_of(at(i)).hash);
        std::uint32_t begin = 0;
        for (const Expanded& each : expanded_) {
            for (std::uint32_t i = begin; i < each.end && !is_over(); ++i) take(each, at(i));
            edges_.finish(each.source);
            begin = each.end;
        }
        expanded_.clear();
    }

    void take(const Expanded& from, const Word* entry) {
        const SuccessorHeader& header = header_of(entry);
        const Word* state = words_of(entry);
        if (this->is_careful() && this->is_refused(state, header.hash, program_.is_transient(state))) return;
        const Place place = states_.insert(hand_, state, header.hash, from.source);
        if (place.fresh) count_stored(state);
        const std::uint32_t to = successors_.automaton_state(state);
        if (automaton_.component(from.automaton_state) != automaton_.component(to) ||
            automaton_.cycles(to) == Cycles::kRejecting)
            return;
        if (!place.fresh && levels_.contain(place.number)) edges_.note_back(place.number);
        edges_.add(from.source, place.number, successors_.marks(from.automaton_state, from.idle, header));
        ++counts_.recorded;
    }

    void count_stored(const Word* state) {
        Base::count_stored();
        counts_.transient += program_.is_transient(state);
    }

    const Program& program_;
    PropertyAutomaton automaton_;
    Reducer* reducer_;
    ProductSuccessors successors_;
    SharedNumbered<W>& states_;
    RecordedEdges& edges_;
    const KnownLevels& levels_;
    typename SharedNumbered<W>::Hand hand_;
    std::vector<Word> entries_;
    std::vector<Expanded> expanded_;  // the states of the batch
};

}  // namespace mule::parallel
