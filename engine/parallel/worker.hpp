// One of the workers that expand the states of a level and store their successors in the table that they share. As in
// search/explorer.hpp, successors are generated in batches, so that the table's cache lines arrive while others are
// still being computed.
#pragma once

#include "parallel/candidate.hpp"
#include "parallel/level.hpp"
#include "parallel/ration.hpp"
#include "search/expander.hpp"
#include "store/shared_table.hpp"

namespace mule::parallel {

// What workers have counted since they last met.
struct Counts {
    std::uint64_t stored = 0;
    std::uint64_t expanded = 0;
    std::uint64_t transitions = 0;
    std::uint64_t fully_expanded = 0;
};

template <unsigned W>
class alignas(128) Worker {
  public:
    // `reducer`: a copy of its own, or null.
    Worker(const Program& program, const SearchOptions& options, std::unique_ptr<Reducer> reducer,
           SharedTable<W>& table, Ration& ration, std::uint16_t part, bool keep_origins)
        : program_(program),
          options_(options),
          reducer_(std::move(reducer)),
          table_(table),
          ration_(ration),
          part_(part),
          keep_origins_(keep_origins),
          judge_(program, options),
          expander_(program, options, reducer_.get(), judge_),
          shelf_(program.words, part),
          entries_(most_in_a_batch(program) * expander_.stride()),
          is_key_(most_in_a_batch(program)),
          standings_(most_in_a_batch(program)) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    static std::uint64_t most_in_a_batch(const Program& program) { return kBatch + program.max_successors; }
    // What a worker takes of the ration at once.
    static std::uint64_t portion(const Program& program) { return most_in_a_batch(program) + kPortion; }

    void begin(const Word* initial) {
        table_.insert(initial, hash_words(initial, table_.words()));
        keep(initial, program_.is_transient(initial), kNoOrigin);
    }

    // Until about so many states of the level are expanded, or none is left, or the ration is used up. Who works alone
    // has found the first violation that there is, and stops there.
    void work(Level<Run>& level, std::uint64_t states, bool alone) {
        portion_ = 0;
        is_alone_ = alone;
        for (const std::uint64_t enough = counts_.expanded + states; counts_.expanded < enough && !ended();) {
            if (portion_ < most_in_a_batch(program_)) {
                if (!ration_.take(portion(program_))) return;
                portion_ += portion(program_);
            }
            if (!fill_batch(level)) return;
            flush_batch();
        }
    }

    // Alone, where states are about to be refused: each one is looked at. `left`: how many may still be stored, not
    // counting transient ones.
    void work_carefully(Level<Run>& level, std::uint64_t states, std::uint64_t left) {
        left_ = left;
        is_careful_ = true;
        work(level, states, true);
        is_careful_ = false;
    }
    bool refused() const { return refused_; }

    // What the coordinator takes between two rounds.
    Run& unfinished() { return run_; }
    std::vector<Run>& found_runs() { return shelf_.runs(); }
    Counts take_counts() { return std::exchange(counts_, {}); }
    std::optional<Candidate>& candidate() { return candidate_; }
    Judge& judge() { return judge_; }
    const Reducer* reducer() const { return reducer_.get(); }
    const Origins& origins() const { return origins_; }
    const Shelf& shelf() const { return shelf_; }
    std::size_t bytes() const { return origins_.bytes() + judge_.bytes() + (reducer_ ? reducer_->bytes() : 0); }

  private:
    static constexpr std::uint32_t kBatch = 96;
    static constexpr std::uint64_t kPortion = 256;

    struct Source {
        StateNumber number;
        std::uint16_t part;
    };
    struct Expanded {
        Source source;
        std::uint32_t chosen;  // where the entries that a reduced set keeps end in the batch
        std::uint32_t end;     // and where all its entries do
    };

    Word* at(Word* out, std::uint32_t i) const { return out + std::size_t{i} * expander_.stride(); }

    bool ended() const { return refused_ || (is_alone_ && candidate_); }

    // False where no state is left to expand.
    bool fill_batch(Level<Run>& level) {
        std::uint32_t filled = 0;
        while (filled < kBatch) {
            if (run_.left() == 0) {
                shelf_.recycle(run_);
                if (!level.take(run_)) {
                    run_ = {};
                    break;
                }
            }
            const Source source{run_.first + run_.begin, run_.part};
            const Word* state = shelf_.state(run_, run_.begin++);
            ++counts_.expanded;
            Word* out = at(entries_.data(), filled);
            const auto expansion = expander_.expand(state, hash_words(state, table_.words()), out);
            if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion))
                found(source, state, judge_.found_failure() ? std::optional(expansion.failing) : std::nullopt);
            if (ended()) break;
            for (std::uint32_t i = 0; i < expansion.chosen; ++i) table_.prefetch(header_of(at(out, i)).hash);
            if (expansion.reduced())
                for (std::uint32_t i = 0; i < expansion.chosen; ++i) is_key_[filled + i] = expander_.is_key(at(out, i));
            expanded_.push_back({source, filled + expansion.chosen, filled + expansion.count});
            filled += expansion.count;
        }
        return !expanded_.empty();
    }

    void flush_batch() {
        std::uint32_t begin = 0;
        for (const Expanded& each : expanded_) {
            take_all(begin, each.chosen, each.source);
            if (each.chosen != each.end && !ended() && !will_do(begin, each.chosen)) {
                ++counts_.fully_expanded;
                take_all(each.chosen, each.end, each.source);
            }
            begin = each.end;
        }
        expanded_.clear();
    }

    void take_all(std::uint32_t begin, std::uint32_t end, const Source& source) {
        for (std::uint32_t i = begin; i < end && !ended(); ++i)
            standings_[i] = take(at(entries_.data(), i), source) ? Standing::kFresh : Standing::kClosed;
    }

    // Whether the proviso allows a reduced set. What it asks about a successor is answered by the successor's own
    // insertion: it is fresh where this one won.
    bool will_do(std::uint32_t begin, std::uint32_t end) const {
        const auto is_key = [&](std::uint32_t i) { return is_key_[begin + i] != 0; };
        const auto standing = [&](std::uint32_t i) { return standings_[begin + i]; };
        return allows(options_.proviso, end - begin, is_key, standing);
    }

    // Whether the successor was not met before, by anybody.
    bool take(const Word* entry, const Source& source) {
        const SuccessorHeader& header = header_of(entry);
        const Word* state = words_of(entry);
        const bool transient = program_.is_transient(state);
        counts_.transitions += transient ? 0 : 1;
        if (is_careful_ && is_refused(state, header.hash, transient)) return false;
        if (!table_.insert(state, header.hash)) return false;
        --portion_;
        keep(state, transient, {source.number, header.transition, header.outcome, source.part});
        return true;
    }

    [[gnu::noinline]] bool is_refused(const Word* state, std::uint64_t hash, bool transient) {
        if (transient || table_.contains(state, hash)) return false;
        if (left_ == 0) refused_ = true;
        --left_;
        return refused_;
    }

    void keep(const Word* state, bool transient, const Origin& origin) {
        const StateNumber number = stored_++;
        ++counts_.stored;
        if (keep_origins_) origins_.add(origin);
        shelf_.push(state);
        if (judge_.arrive(state, transient)) found({number, part_}, state, std::nullopt);
    }

    [[gnu::noinline]] void found(const Source& where, const Word* state, std::optional<Step> failing) {
        keep_better(candidate_, Candidate{judge_.take_finding(), std::vector(state, state + table_.words()), failing,
                                          where.number, where.part});
    }

    const Program& program_;
    const SearchOptions& options_;
    std::unique_ptr<Reducer> reducer_;
    SharedTable<W>& table_;
    Ration& ration_;
    std::uint16_t part_;
    bool keep_origins_;
    Judge judge_;
    Expander expander_;
    Shelf shelf_;
    Origins origins_;
    Run run_;  // that is being expanded
    std::vector<Word> entries_;
    std::vector<std::uint8_t> is_key_;  // for each entry of a reduced set: whether it comes from a key transition
    std::vector<Standing> standings_;   // for each entry that was stored, or found to be
    std::vector<Expanded> expanded_;    // the states of the batch
    StateNumber stored_ = 0;
    std::uint64_t portion_ = 0;  // of the ration, not used yet
    bool is_alone_ = false;
    bool is_careful_ = false;
    bool refused_ = false;
    std::uint64_t left_ = 0;
    Counts counts_;
    std::optional<Candidate> candidate_;
};

}  // namespace mule::parallel
