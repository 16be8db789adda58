// Breadth-first search. States wait in a queue; their successors are generated in batches, so that the table's cache
// lines arrive while other successors are still being computed.
#pragma once

#include <deque>
#include <memory>

#include "search/error_states.hpp"
#include "search/sample.hpp"
#include "search/successors.hpp"
#include "store/compressed.hpp"

namespace mule {

// First in, first out, in chunks that are freed once they are read.
class StateQueue {
  public:
    explicit StateQueue(unsigned words) : words_(words), per_chunk_(std::max(1u, 16384u / words)) {}

    bool empty() const { return size_ == 0; }
    std::uint64_t size() const { return size_; }
    std::size_t bytes() const { return (chunks_.size() + 1) * per_chunk_ * words_ * sizeof(Word); }

    void push(const Word* state) {
        if (chunks_.empty() || back_ == per_chunk_) {
            chunks_.push_back(std::make_unique_for_overwrite<Word[]>(std::size_t{per_chunk_} * words_));
            back_ = 0;
        }
        std::copy(state, state + words_, chunks_.back().get() + std::size_t{back_++} * words_);
        ++size_;
    }

    // The pointer stays valid until a whole further chunk has been read.
    const Word* pop() {
        if (front_ == per_chunk_) {
            spent_ = std::move(chunks_.front());
            chunks_.pop_front();
            front_ = 0;
        }
        --size_;
        return chunks_.front().get() + std::size_t{front_++} * words_;
    }

  private:
    unsigned words_;
    std::uint32_t per_chunk_;
    std::deque<std::unique_ptr<Word[]>> chunks_;
    std::unique_ptr<Word[]> spent_;
    std::uint32_t front_ = 0;
    std::uint32_t back_ = 0;
    std::uint64_t size_ = 0;
};

// Which step first led to each state, by order of discovery: enough to rebuild a path without keeping states twice.
class Origins {
  public:
    void add(std::uint64_t source, Step step) { origins_.push_back({static_cast<std::uint32_t>(source), step}); }
    std::size_t bytes() const { return origins_.capacity() * sizeof(Origin); }
    static constexpr std::uint64_t kMostStates = 0xFFFFFFFFu;

    std::vector<Step> path_to(std::uint64_t state) const {
        std::vector<Step> path;
        for (; state != 0; state = origins_[state - 1].source) path.push_back(origins_[state - 1].step);
        std::reverse(path.begin(), path.end());
        return path;
    }

  private:
    struct Origin {
        std::uint32_t source;
        Step step;
    };
    std::vector<Origin> origins_;
};

// Store: Table or CompressedTable.
template <typename Store>
class BreadthFirst {
  public:
    BreadthFirst(const Program& program, const SearchOptions& options, Reducer* reducer,
                 const Watch::Callback& callback)
        : program_(program),
          options_(options),
          expander_(program, options, reducer),
          watch_(options, callback),
          table_(program.words),
          queue_(program.words),
          sample_(options.sample, program.words),
          errors_(options),
          keep_origins_(options.stop_at_deadlock || options.stop_at_failure || program.propositions != 0),
          entries_((program.max_successors + kBatch) * std::size_t{expander_.stride()}) {}

    SearchResult run(const Word* initial) {
        discover(initial, hash_words(initial, table_.words()), 0, {}, program_.is_transient(initial));
        level_end_ = 1;
        while (!queue_.empty() && !done_) {
            fill_batch();
            flush_batch();
            if (++batches_ % 64 == 0 || table_.about_to_grow()) poll();
        }
        poll();
        result_.error_states = errors_.size();
        result_.progress.states += errors_.size();
        if (errors_.counted()) result_.progress.transitions += result_.failures;
        result_.sample = sample_.take();
        result_.fired = expander_.take_fired();
        return std::move(result_);
    }

  private:
    static constexpr std::uint32_t kBatch = 96;

    struct Source {
        std::uint64_t number;  // by order of discovery
        std::uint32_t end;     // where its entries end in the batch
    };

    void fill_batch() {
        sources_.clear();
        std::uint32_t filled = 0;
        while (filled < kBatch && !queue_.empty() && expanded_ < level_end_) {
            const Word* state = queue_.pop();
            Word* out = entries_.data() + std::size_t{filled} * expander_.stride();
            const auto expansion = expander_.expand(state, hash_words(state, table_.words()), out);
            const std::uint64_t number = expanded_++;
            if (expansion.dead && at_deadlock(number)) return;
            if (expansion.fails() && at_failure(number, state, expansion)) return;
            const std::uint32_t kept = options_.proviso == Proviso::kNone ? expansion.chosen : expansion.count;
            for (std::uint32_t i = 0; i < kept; ++i)
                table_.prefetch(header_of(out + std::size_t{i} * expander_.stride()).hash);
            if (expansion.chosen < expansion.count) {
                flush_batch();
                keep_or_give_up(number, out, expansion);
                filled = 0;
                continue;
            }
            filled += kept;
            sources_.push_back({number, filled});
        }
    }

    // Condition C3-_duplicate: keep the reduced set only if it leads to a state not met before.
    void keep_or_give_up(std::uint64_t number, const Word* out, const Expander::Expansion& expansion) {
        bool any_fresh = false;
        for (std::uint32_t i = 0; i < expansion.count; ++i) {
            if (i == expansion.chosen) {
                if (any_fresh) return;
                ++result_.fully_expanded;
            }
            const Word* entry = out + std::size_t{i} * expander_.stride();
            if (take(entry, number) && i < expansion.chosen) any_fresh |= expander_.is_key(entry);
            if (done_) return;
        }
    }

    void flush_batch() {
        std::uint32_t i = 0;
        for (const Source& source : sources_) {
            for (; i < source.end && !done_; ++i)
                take(entries_.data() + std::size_t{i} * expander_.stride(), source.number);
        }
        sources_.clear();
        if (expanded_ == level_end_ && !queue_.empty()) {
            level_end_ = expanded_ + queue_.size();
            ++result_.progress.depth;
        }
    }

    bool take(const Word* entry, std::uint64_t source) {
        const SuccessorHeader& header = header_of(entry);
        const bool transient = program_.is_transient(words_of(entry));
        result_.progress.transitions += transient ? 0 : 1;
        return discover(words_of(entry), header.hash, source, {header.transition, header.outcome}, transient);
    }

    bool discover(const Word* state, std::uint64_t hash, std::uint64_t source, Step step, bool transient) {
        if (table_.about_to_grow() && table_.bytes_after_growth() > options_.max_bytes) {
            stop("memory");
            return false;
        }
        if (table_.size() >= options_.max_states && table_.find(state, hash) == Store::kAbsent) {
            stop("states");
            return false;
        }
        if (!table_.insert(state, hash).fresh) return false;
        const std::uint64_t number = table_.size() - 1;
        if (keep_origins_ && number != 0) origins_.add(source, step);
        queue_.push(state);
        if (transient) {
            ++transient_;
            return true;
        }
        sample_.offer(state);
        for (std::uint32_t p = 0; p < program_.propositions && !done_; ++p) {
            if (!program_.proposition(state, p)) {
                result_.proposition = p;
                found(Found::kProposition, number);
            }
        }
        return true;
    }

    bool at_deadlock(std::uint64_t number) {
        ++result_.deadlocks;
        if (options_.stop_at_deadlock) found(Found::kDeadlock, number);
        return done_;
    }

    bool at_failure(std::uint64_t number, const Word* state, const Expander::Expansion& expansion) {
        result_.failures += expansion.failures;
        result_.assertions += expansion.assertions;
        if (expansion.failures != 0) errors_.add(state);
        if (options_.stop_at_failure) {
            found(Found::kFailure, number);
            result_.path.push_back(expansion.failing);
        }
        return done_;
    }

    void found(Found what, std::uint64_t number) {
        result_.found = what;
        result_.path = origins_.path_to(number);
        done_ = true;
    }

    void stop(const char* reason) {
        if (!done_) result_.stopped = reason;
        done_ = true;
    }

    void poll() {
        result_.progress.states = table_.size() - transient_;
        result_.progress.open = queue_.size();
        result_.progress.bytes = table_.bytes() + queue_.bytes() + origins_.bytes();
        if (done_) {
            result_.progress.seconds = watch_.seconds();
        } else if (watch_.over(result_.progress, result_.stopped)) {
            // What ended on its own is complete, however late it is.
            if (queue_.empty()) result_.stopped.clear();
            done_ = true;
        }
        if (keep_origins_ && table_.size() >= Origins::kMostStates) stop("states");
    }

    const Program& program_;
    const SearchOptions& options_;
    Expander expander_;
    Watch watch_;
    Store table_;
    StateQueue queue_;
    Origins origins_;
    Sample sample_;
    ErrorStates errors_;
    bool keep_origins_;
    std::vector<Word> entries_;
    std::vector<Source> sources_;
    std::uint64_t expanded_ = 0;
    std::uint64_t transient_ = 0;  // how many of the stored states are
    std::uint64_t level_end_ = 0;
    std::uint64_t batches_ = 0;
    bool done_ = false;
    SearchResult result_;
};

}  // namespace mule
