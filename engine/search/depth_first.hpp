// Depth-first search with an explicit stack. A state's successors lie on one arena; those known already when the state
// is expanded are dropped at once, so the arena holds little more than what is still to do.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

#include "search/error_states.hpp"
#include "search/sample.hpp"
#include "search/successors.hpp"
#include "store/compressed.hpp"

namespace mule {

// A stack of words that never initialises what it hands out.
class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() { std::free(data_); }

    Word* data() { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(Word); }
    void resize(std::size_t size) { size_ = size; }

    Word* room_for(std::size_t words) {
        if (size_ + words > capacity_) {
            capacity_ = std::max(capacity_ + capacity_ / 2, size_ + words);
            data_ = static_cast<Word*>(std::realloc(data_, capacity_ * sizeof(Word)));
            if (data_ == nullptr) throw std::bad_alloc();
        }
        return data_ + size_;
    }

  private:
    Word* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Store: Table or CompressedTable.
template <typename Store>
class DepthFirst {
  public:
    DepthFirst(const Program& program, const SearchOptions& options, Reducer* reducer, const Watch::Callback& callback)
        : program_(program),
          options_(options),
          expander_(program, options, reducer),
          watch_(options, callback),
          table_(program.words),
          sample_(options.sample, program.words),
          errors_(options) {}

    SearchResult run(const Word* initial) {
        initial_.assign(initial, initial + table_.words());
        const std::uint64_t hash = hash_words(initial, table_.words());
        const auto place = table_.insert(initial, hash);
        arrive(initial);
        if (!done_) push(kInitial, place.cell, hash);
        while (!stack_.empty() && !done_) {
            Frame& frame = stack_.back();
            if (frame.next == frame.end) {
                pop();
                continue;
            }
            const std::size_t entry = frame.next;
            frame.next += expander_.stride();
            visit(entry);
            if (++steps_ % 4096 == 0) poll();
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
    static constexpr std::size_t kInitial = ~std::size_t{0};

    struct Frame {
        std::size_t entry;  // the entry on the arena that led here
        std::size_t begin;  // this state's own entries
        std::size_t next;
        std::size_t end;
        std::uint64_t cell;  // where the table keeps the state, as of `epoch`
        std::uint64_t epoch;
        std::uint64_t hash;
    };

    const Word* state_at(std::size_t entry) {
        return entry == kInitial ? initial_.data() : words_of(arena_.data() + entry);
    }

    void visit(std::size_t entry) {
        if (table_.about_to_grow() && table_.bytes_after_growth() + arena_.bytes() > options_.max_bytes)
            return stop("memory");
        const std::uint64_t hash = header_of(arena_.data() + entry).hash;
        if (table_.size() >= options_.max_states && table_.find(state_at(entry), hash) == Store::kAbsent)
            return stop("states");
        const auto place = table_.insert(state_at(entry), hash);
        if (!place.fresh) return;
        arrive(state_at(entry));
        if (done_ && result_.found == Found::kProposition) result_.path = path_to(entry);
        if (!done_) push(entry, place.cell, hash);
    }

    // Looks at a state that was just stored.
    void arrive(const Word* state) {
        if (program_.is_transient(state)) {
            ++transient_;
            return;
        }
        sample_.offer(state);
        for (std::uint32_t p = 0; p < program_.propositions; ++p) {
            if (!program_.proposition(state, p)) {
                result_.proposition = p;
                result_.found = Found::kProposition;
                done_ = true;
                return;
            }
        }
    }

    void push(std::size_t entry, std::uint64_t cell, std::uint64_t hash) {
        const std::size_t begin = arena_.size();
        Word* out = arena_.room_for(std::size_t{program_.max_successors} * expander_.stride());
        if (options_.proviso == Proviso::kStack) table_.mark(cell);
        auto expansion = expander_.expand(state_at(entry), hash, out);
        for (std::uint32_t i = 0; i < expansion.count; ++i) table_.prefetch(header_of(at(out, i)).hash);
        if (expansion.dead) {
            ++result_.deadlocks;
            if (options_.stop_at_deadlock) return found(Found::kDeadlock, entry);
        }
        if (expansion.fails()) {
            result_.failures += expansion.failures;
            result_.assertions += expansion.assertions;
            if (expansion.failures != 0) errors_.add(state_at(entry));
            if (options_.stop_at_failure) {
                found(Found::kFailure, entry);
                result_.path.push_back(expansion.failing);
                return;
            }
        }
        bool fully = must_expand_fully(out, expansion);
        while (fully && expander_.reduce_otherwise(state_at(entry), out, expansion))
            fully = must_expand_fully(out, expansion);
        const std::uint32_t kept = fully ? expansion.count : expansion.chosen;
        if (kept > expansion.chosen) ++result_.fully_expanded;
        result_.progress.transitions += program_.transient == Program::kNone ? kept : lasting(out, kept);
        const std::size_t end = begin + drop_known(out, kept) * expander_.stride();
        arena_.resize(end);
        stack_.push_back({entry, begin, begin, end, cell, table_.epoch(), hash});
        result_.progress.depth = std::max<std::uint64_t>(result_.progress.depth, stack_.size() - 1);
    }

    // How many successors are no transient states.
    std::uint32_t lasting(Word* out, std::uint32_t count) const {
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < count; ++i) found += program_.is_transient(words_of(at(out, i))) ? 0 : 1;
        return found;
    }

    Word* at(Word* out, std::uint32_t i) const { return out + std::size_t{i} * expander_.stride(); }

    bool must_expand_fully(Word* out, const Expander::Expansion& expansion) {
        if (expansion.chosen == expansion.count) return false;
        for (std::uint32_t i = 0; i < expansion.chosen; ++i) {
            if (!expander_.is_key(at(out, i))) continue;
            const std::uint64_t cell = table_.find(words_of(at(out, i)), header_of(at(out, i)).hash);
            if (cell == Store::kAbsent) return false;
            // Condition C3-_stack is content with any successor off the stack, C3-_duplicate only with a new one.
            if (options_.proviso == Proviso::kStack && !table_.marked(cell)) return false;
        }
        return true;
    }

    // Keeps the successors not stored yet; they may still be by the time their turn comes.
    std::uint32_t drop_known(Word* out, std::uint32_t count) {
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            Word* entry = at(out, i);
            if (table_.find(words_of(entry), header_of(entry).hash) != Store::kAbsent) continue;
            if (kept != i) std::memcpy(at(out, kept), entry, expander_.stride() * sizeof(Word));
            ++kept;
        }
        return kept;
    }

    void pop() {
        const Frame frame = stack_.back();
        if (options_.proviso == Proviso::kStack) {
            const bool moved = frame.epoch != table_.epoch();
            table_.unmark(moved ? table_.find(state_at(frame.entry), frame.hash) : frame.cell);
        }
        arena_.resize(frame.begin);
        stack_.pop_back();
    }

    Step step_at(std::size_t entry) {
        const SuccessorHeader& header = header_of(arena_.data() + entry);
        return {header.transition, header.outcome};
    }

    // The steps to the top of the stack, and then over `entry`.
    std::vector<Step> path_to(std::size_t entry) {
        std::vector<Step> path;
        for (const Frame& frame : stack_)
            if (frame.entry != kInitial) path.push_back(step_at(frame.entry));
        if (entry != kInitial) path.push_back(step_at(entry));
        return path;
    }

    void found(Found what, std::size_t entry) {
        result_.found = what;
        result_.path = path_to(entry);
        done_ = true;
    }

    void stop(const char* reason) {
        if (!done_) result_.stopped = reason;
        done_ = true;
    }

    void poll() {
        result_.progress.states = table_.size() - transient_;
        result_.progress.open = stack_.size();
        result_.progress.bytes = table_.bytes() + arena_.bytes() + stack_.capacity() * sizeof(Frame);
        if (done_ || stack_.empty()) {
            result_.progress.seconds = watch_.seconds();
        } else if (watch_.over(result_.progress, result_.stopped)) {
            done_ = true;
        }
    }

    const Program& program_;
    const SearchOptions& options_;
    Expander expander_;
    Watch watch_;
    Store table_;
    Sample sample_;
    ErrorStates errors_;
    std::vector<Word> initial_;
    Arena arena_;
    std::vector<Frame> stack_;
    std::uint64_t steps_ = 0;
    std::uint64_t transient_ = 0;  // how many of the stored states are
    bool done_ = false;
    SearchResult result_;
};

}  // namespace mule
