// The depth-first loop over a store, for every search that needs a stack. The entries of the states on the stack lie on
// one arena.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

#include "proviso/standing.hpp"
#include "search/entries.hpp"
#include "search/search.hpp"
#include "store/archive.hpp"
#include "store/hash.hpp"
#include "store/place.hpp"

namespace mule::search {

// A stack of words that never initialises what it hands out.
class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() { std::free(data_); }

    Word* data() { return data_; }
    const Word* data() const { return data_; }
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

struct NothingMore {};

// Walker, the class that derives from this one:
//
//     std::size_t room(const Word* state)                   the words that the entries of a state may take
//     std::uint32_t expand(frame, state, hash, Word* out)   writes the entries to walk over, and says how many
//     void visit(std::size_t entry)                         the turn of an entry has come: it may push
//     void left(const Frame& frame)                         after a state was popped; the entry that led to it is there
//     bool ended()                                          whether to stop
//
// More: what a frame holds besides.
template <typename Walker, typename Store, typename More = NothingMore>
class DepthFirstLoop {
  protected:
    static constexpr std::size_t kFirst = ~std::size_t{0};

    struct Frame : More {
        std::size_t entry = kFirst;  // the entry on the arena that led here; kFirst: the walk began here
        std::size_t begin = 0;       // this state's own entries
        std::size_t next = 0;
        std::size_t end = 0;
        std::uint64_t cell = 0;  // where the store keeps the state, as of `epoch`
        std::uint64_t epoch = 0;
    };

    // `marks`: the store is told which states are on the stack, as far as provisos ask about these.
    DepthFirstLoop(Store& store, unsigned words, bool marks)
        : store_(store), words_(words), stride_(kHeaderWords + words), marks_(marks) {}

    // The first state, which the store has in `cell`.
    void begin_with(const Word* state, std::uint64_t cell) {
        first_.assign(state, state + words_);
        push(kFirst, cell);
    }

    // Takes about so many entries; false where there are no more.
    bool walk(std::uint64_t entries) {
        for (; entries != 0 && goes_on(); --entries) {
            Frame& frame = stack_.back();
            if (frame.next == frame.end) {
                pop();
                continue;
            }
            const std::size_t entry = frame.next;
            frame.next += stride_;
            walker().visit(entry);
        }
        return goes_on();
    }

    // Takes the state to which an entry leads onto the stack.
    void push(std::size_t entry, std::uint64_t cell) {
        const std::size_t begin = arena_.size();
        Word* out = arena_.room_for(walker().room(state_at(entry)));
        if (marks_) mark(cell);
        Frame& frame = stack_.emplace_back();
        frame.entry = entry;
        frame.begin = frame.next = frame.end = begin;
        frame.cell = cell;
        frame.epoch = store_.epoch();
        depth_ = std::max<std::uint64_t>(depth_, stack_.size() - 1);
        const std::uint32_t kept = walker().expand(frame, state_at(entry), hash_at(entry), out);
        arena_.resize(begin + std::size_t{kept} * stride_);
        stack_.back().end = arena_.size();
    }

    // The state that is being expanded has no reduced set: a cycle that comes back to it ignores nothing.
    void ignores_nothing() {
        if (marks_) mark_off(stack_.back());
    }

    // What the store says of a successor.
    Standing standing_of(const Word* state, std::uint64_t hash) {
        const std::uint64_t cell = store_.find(state, hash);
        if (cell == Store::kAbsent) return Standing::kFresh;
        return store_.marked(cell) ? Standing::kOpen : Standing::kClosed;
    }

    Word* at(Word* out, std::uint32_t i) const { return out + std::size_t{i} * stride_; }
    // Not for kFirst.
    const Word* entry_at(std::size_t entry) const { return arena_.data() + entry; }
    const Word* state_at(std::size_t entry) const {
        return entry == kFirst ? first_.data() : words_of(entry_at(entry));
    }
    std::uint64_t hash_at(std::size_t entry) const {
        return entry == kFirst ? hash_words(first_.data(), words_) : header_of(entry_at(entry)).hash;
    }
    Step step_at(std::size_t entry) const {
        const SuccessorHeader& header = header_of(entry_at(entry));
        return {header.transition, header.outcome};
    }

    // The steps to the top of the stack.
    std::vector<Step> path() const {
        std::vector<Step> steps;
        for (const Frame& frame : stack_)
            if (frame.entry != kFirst) steps.push_back(step_at(frame.entry));
        return steps;
    }

    // Keeps the entries for which `wanted` holds, in their order; says how many they are.
    template <typename Wanted>
    std::uint32_t keep_if(Word* out, std::uint32_t count, Wanted&& wanted) const {
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            Word* entry = at(out, i);
            if (!wanted(entry)) continue;
            if (kept != i) std::memcpy(at(out, kept), entry, stride_ * sizeof(Word));
            ++kept;
        }
        return kept;
    }

    // Leaves the rest of the walk alone: the stack is empty afterwards, without anybody being told.
    void abandon() {
        stack_.clear();
        arena_.resize(0);
    }

    // The stack between two steps. Places in the store must not change between the writing and the reading.
    // The entry whose turn has come waits for it again.
    void put_back() { stack_.back().next -= stride_; }

    void write_walk(Writer& writer) const {
        writer.values(stack_);
        writer.values(first_);
        writer.value(depth_);
        writer.value(std::uint64_t{arena_.size()});
        writer.bytes(arena_.data(), arena_.size() * sizeof(Word));
    }
    void read_walk(Reader& reader) {
        reader.values(stack_);
        reader.values(first_);
        reader.value(depth_);
        std::vector<Word> words;
        reader.values(words);
        std::copy(words.begin(), words.end(), arena_.room_for(words.size()));
        arena_.resize(words.size());
    }

    std::uint64_t deepest() const { return depth_; }
    std::size_t stack_bytes() const { return arena_.bytes() + stack_.capacity() * sizeof(Frame); }

    Store& store_;
    std::vector<Frame> stack_;

  private:
    Walker& walker() { return static_cast<Walker&>(*this); }
    bool goes_on() { return !stack_.empty() && !walker().ended(); }

    void pop() {
        const Frame frame = stack_.back();
        if (marks_) mark_off(frame);
        arena_.resize(frame.begin);
        stack_.pop_back();
        walker().left(frame);
    }

    // A store that is the stack itself marks nothing.
    void mark(std::uint64_t cell) {
        if constexpr (requires { store_.mark(cell); }) store_.mark(cell);
    }
    void mark_off(const Frame& frame) {
        if constexpr (requires { store_.unmark(frame.cell); }) {
            const bool moved = frame.epoch != store_.epoch();
            store_.unmark(moved ? store_.find(state_at(frame.entry), hash_at(frame.entry)) : frame.cell);
        }
    }

    unsigned words_;
    unsigned stride_;
    bool marks_;
    std::vector<Word> first_;
    Arena arena_;
    std::uint64_t depth_ = 0;
};

}  // namespace mule::search
