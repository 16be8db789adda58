// One of the workers that expand the states of a level and store their successors in the table that they share. Where
// the states are shared with other teams, it collects the successors that those own, and stores what they have sent.
#pragma once

#include "parallel/batched_worker.hpp"
#include "parallel/candidate.hpp"
#include "parallel/inbox.hpp"
#include "search/expander.hpp"
#include "search/outbox.hpp"
#include "store/shared_table.hpp"

namespace mule::parallel {

template <unsigned W>
class alignas(128) Worker : public BatchedWorker<Worker<W>, Run, Counts> {
    using Base = BatchedWorker<Worker<W>, Run, Counts>;
    friend Base;

  public:
    // `reducer`: one of its own, or null. `part`: its number among all workers.
    Worker(const Program& program, const SearchOptions& options, Reducer* reducer, SharedTable<W>& table,
           Ration& ration, Inbox& inbox, Share share, std::uint16_t part, bool keep_origins)
        : Base(ration, program.max_successors, options.whole_batches),
          program_(program),
          options_(options),
          reducer_(reducer),
          table_(table),
          inbox_(inbox),
          share_(share),
          outbox_(program.words, share),
          part_(part),
          keep_origins_(keep_origins),
          closes_(reducer != nullptr && options.proviso == Proviso::kClosedMinus),
          judge_(program, options),
          expander_(program, options, reducer, judge_),
          shelf_(program.words, part),
          entries_(this->most_in_a_batch() * expander_.stride()),
          is_key_(this->most_in_a_batch()),
          standings_(this->most_in_a_batch()) {}

    void begin(const Word* initial) {
        table_.insert(initial, hash_words(initial, table_.words()));
        keep(initial, program_.is_transient(initial), kNoOrigin);
    }

    // What the coordinator takes between two rounds.
    std::optional<Candidate>& candidate() { return candidate_; }
    Judge& judge() { return judge_; }
    Outbox& outbox() { return outbox_; }
    const Outbox& outbox() const { return outbox_; }
    Origins& origins() { return origins_; }
    const Origins& origins() const { return origins_; }
    Shelf& shelf() { return shelf_; }
    const Shelf& shelf() const { return shelf_; }
    std::size_t bytes() const {
        return origins_.bytes() + outbox_.bytes() + judge_.bytes() + (reducer_ == nullptr ? 0 : reducer_->bytes());
    }

  private:
    using Base::counts_;
    using Base::kBatch;
    using Base::run_;

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

    bool is_over() const { return this->refused_ || (this->is_alone_ && candidate_); }
    bool is_stored(const Word* state, std::uint64_t hash) { return table_.contains(state, hash); }

    // False where no state is left to expand, and nothing that was sent is left to store.
    bool fill_batch(Level<Run>& level) {
        if (!inbox_.empty() && take_received()) return true;
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
            const std::uint64_t hash = hash_words(state, table_.words());
            ++counts_.expanded;
            Word* out = at(entries_.data(), filled);
            if (closes_) table_.prefetch(hash);
            const auto expansion = expander_.expand(state, hash, out);
            if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion))
                found(source, state, judge_.found_failure() ? std::optional(expansion.failing) : std::nullopt);
            if (is_over()) break;
            const bool owns_all = share_.whole();
            for (std::uint32_t i = 0; i < expansion.chosen; ++i) {
                const std::uint64_t successor = header_of(at(out, i)).hash;
                if (owns_all || share_.owns(successor)) table_.prefetch(successor);
            }
            if (expansion.reduced()) {
                for (std::uint32_t i = 0; i < expansion.chosen; ++i) is_key_[filled + i] = expander_.is_key(at(out, i));
                if (closes_) close(state, hash);
            }
            expanded_.push_back({source, filled + expansion.chosen, filled + expansion.count});
            filled += expansion.count;
        }
        return !expanded_.empty();
    }

    void flush_batch() {
        std::uint32_t begin = 0;
        std::size_t reduced = 0;
        for (const Expanded& each : expanded_) {
            take_all(begin, each.chosen, each.source);
            if (each.chosen != each.end && !is_over()) keep_or_give_up(begin, each, reduced++);
            begin = each.end;
        }
        expanded_.clear();
        closed_.clear();
    }

    // A reduced set is being kept for the state. Cells stay where they are while workers are at work.
    void close(const Word* state, std::uint64_t hash) {
        Word* cell = table_.find(state, hash);
        table_.mark(cell);
        closed_.push_back(cell);
    }

    void keep_or_give_up(std::uint32_t begin, const Expanded& expanded, std::size_t reduced) {
        if (will_do(begin, expanded.chosen)) return;
        ++counts_.fully_expanded;
        if (closes_) table_.unmark(closed_[reduced]);
        take_all(expanded.chosen, expanded.end, expanded.source);
    }

    void take_all(std::uint32_t begin, std::uint32_t end, const Source& source) {
        for (std::uint32_t i = begin; i < end && !is_over(); ++i) standings_[i] = take(at(entries_.data(), i), source);
    }

    // Whether the proviso allows a reduced set. What it asks about a successor is answered by the successor's own
    // insertion: it is fresh where this one won. States are closed when they are expanded, so before anything is asked.
    bool will_do(std::uint32_t begin, std::uint32_t end) const {
        const auto is_key = [&](std::uint32_t i) { return is_key_[begin + i] != 0; };
        const auto standing = [&](std::uint32_t i) { return standings_[begin + i]; };
        return allows(options_.proviso, end - begin, is_key, standing);
    }

    Standing take(const Word* entry, const Source& source) {
        const SuccessorHeader& header = header_of(entry);
        const Word* state = words_of(entry);
        const bool transient = program_.is_transient(state);
        counts_.transitions += transient ? 0 : 1;
        if (!share_.owns(header.hash)) {
            outbox_.add(entry, source.part, source.number);
            return Standing::kElsewhere;
        }
        return store(state, header.hash, transient, [&] {
            return Origin{source.number, header.transition, header.outcome, source.part};
        });
    }

    // False where nothing is left of what was sent.
    [[gnu::noinline]] bool take_received() {
        const std::span<const Word> some = inbox_.take(kBatch);
        outbox_.for_each_in(some,
                            [&](const Word* entry, const Origin&, Word) { table_.prefetch(header_of(entry).hash); });
        outbox_.for_each_in(some, [&](const Word* entry, const Origin& origin, Word) {
            const Word* state = words_of(entry);
            const auto its_origin = [&] { return origin; };
            if (!is_over()) store(state, header_of(entry).hash, program_.is_transient(state), its_origin);
        });
        return !some.empty();
    }

    // `origin()`: asked only where the state is fresh.
    template <typename OriginOf>
    [[gnu::always_inline]] Standing store(const Word* state, std::uint64_t hash, bool transient, OriginOf&& origin) {
        if (this->is_careful() && this->is_refused(state, hash, transient)) return Standing::kClosed;
        const Met met = table_.insert(state, hash);
        if (met != Met::kFresh) return closes_ && met == Met::kKnown ? Standing::kUnreduced : Standing::kClosed;
        keep(state, transient, origin());
        return Standing::kFresh;
    }

    void keep(const Word* state, bool transient, const Origin& origin) {
        this->count_stored();
        if (keep_origins_) origins_.add(origin);
        const StateNumber number = shelf_.push(state);
        if (judge_.arrive(state, transient)) found({number, part_}, state, std::nullopt);
    }

    [[gnu::noinline]] void found(const Source& where, const Word* state, std::optional<Step> failing) {
        keep_better(candidate_, Candidate{judge_.take_finding(), std::vector(state, state + table_.words()), failing,
                                          where.number, where.part});
    }

    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    SharedTable<W>& table_;
    Inbox& inbox_;
    Share share_;
    Outbox outbox_;
    std::uint16_t part_;
    bool keep_origins_;
    bool closes_;  // states for which reduced sets are kept are marked in the table
    Judge judge_;
    Expander expander_;
    Shelf shelf_;
    Origins origins_;
    std::vector<Word> entries_;
    std::vector<std::uint8_t> is_key_;  // for each entry of a reduced set: whether it comes from a key transition
    std::vector<Standing> standings_;   // for each entry that was stored, or found to be
    std::vector<Expanded> expanded_;    // the states of the batch
    std::vector<Word*> closed_;         // the cells of those with a reduced set, where states are closed
    std::optional<Candidate> candidate_;
};

}  // namespace mule::parallel
