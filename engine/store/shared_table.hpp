// The exact state store that many threads fill at once, without locks: the cells of Table, taken by compare-and-swap.
//
// A thread takes a free cell by swapping the state's first word in. Where states have more words, that word carries
// kMark until the others are written; who meets it with the same first word waits for them. So of all insertions of a
// state exactly one wins, and nobody reads a state that is half written. The table grows only between insertions, when
// its owner says so; all threads can help to move the cells.
#pragma once

#include <atomic>
#include <thread>

#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/table.hpp"

namespace mule::store {

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class SharedTable {
  public:
    explicit SharedTable(unsigned words, std::uint64_t initial_capacity = std::uint64_t{1} << 12)
        : words_(words), capacity_(initial_capacity), cells_(initial_capacity * words) {}

    unsigned words() const { return W != 0 ? W : words_; }
    std::size_t bytes() const { return cells_.bytes(); }
    // How many states it may hold before it must grow. Whoever inserts sees to it that there are never more.
    std::uint64_t room() const { return room_in(capacity_); }

    void prefetch(std::uint64_t hash) const {
        const Word* cell = cells_.data() + home(hash) * words();
        fetch_to_write(cell);
        if (words() > 2) fetch_to_write(cell + words() - 1);
    }

    // True where this call stored the state; of all calls with the same state that is exactly one.
    [[gnu::always_inline]] bool insert(const Word* state, std::uint64_t hash) {
        for (std::uint64_t cell = home(hash);; cell = after(cell)) {
            Word* stored = cells_.data() + cell * words();
            Word first = std::atomic_ref(*stored).load(std::memory_order_acquire);
            if (first == 0 && take(stored, first, state)) return true;
            if (is(stored, first, state)) return false;
        }
    }

    bool contains(const Word* state, std::uint64_t hash) {
        for (std::uint64_t cell = home(hash);; cell = after(cell)) {
            Word* stored = cells_.data() + cell * words();
            const Word first = std::atomic_ref(*stored).load(std::memory_order_acquire);
            if (first == 0) return false;
            if (is(stored, first, state)) return true;
        }
    }

    // To grow, while nobody inserts: begin, then each part once, by whatever thread, then end.
    std::uint64_t capacity_for(std::uint64_t states) const {
        std::uint64_t capacity = capacity_;
        while (room_in(capacity) < states) capacity = capacity < kSmall ? capacity * 4 : capacity / 4 * 5;
        return capacity;
    }
    std::size_t bytes_for(std::uint64_t capacity) const { return capacity * words() * sizeof(Word); }

    void begin_growth(std::uint64_t capacity) {
        WordBlock larger(capacity * words());
        old_ = std::move(cells_);
        cells_ = std::move(larger);
        old_capacity_ = capacity_;
        capacity_ = capacity;
    }
    void move_part(unsigned part, unsigned parts) {
        const std::uint64_t end = old_capacity_ * (part + 1) / parts;
        for (std::uint64_t i = old_capacity_ * part / parts; i < end; ++i) {
            const Word* stored = old_.data() + i * words();
            if (stored[0] != 0) move(stored);
        }
    }
    void end_growth() { old_ = WordBlock(); }

  private:
    static constexpr std::uint64_t kSmall = std::uint64_t{1} << 17;
    static constexpr unsigned kPatience = 64;  // looks at a cell that is being written before others may run

    // A line that another processor holds must be this one's before it can be swapped into. Compilers say so only for
    // processors that are known to have the instruction; the others ignore it.
    static void fetch_to_write(const Word* place) {
#if defined(__x86_64__)
        asm volatile("prefetchw %0" : : "m"(*place));
#else
        __builtin_prefetch(place, 1);
#endif
    }

    static std::uint64_t room_in(std::uint64_t capacity) { return capacity / 5 * 4; }

    std::uint64_t home(std::uint64_t hash) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * capacity_) >> 64);
    }
    std::uint64_t after(std::uint64_t cell) const { return cell + 1 == capacity_ ? 0 : cell + 1; }

    // Where another thread was first, `first` is what that one wrote.
    bool take(Word* stored, Word& first, const Word* state) {
        const std::atomic_ref cell(*stored);
        const bool alone = words() == 1;
        const Word taken = alone ? state[0] : state[0] | kMark;
        if (!cell.compare_exchange_strong(first, taken, std::memory_order_acq_rel, std::memory_order_acquire))
            return false;
        if (alone) return true;
        for (unsigned i = 1; i < words(); ++i) stored[i] = state[i];
        cell.store(state[0], std::memory_order_release);
        return true;
    }

    bool is(Word* stored, Word first, const Word* state) const {
        if (words() == 1) return first == state[0];
        if (((first ^ state[0]) & ~kMark) != 0) return false;
        if ((first & kMark) != 0) wait_for(stored);
        for (unsigned i = 1; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    [[gnu::noinline]] static void wait_for(Word* stored) {
        const std::atomic_ref cell(*stored);
        for (unsigned looks = 0; (cell.load(std::memory_order_acquire) & kMark) != 0;)
            if (++looks % kPatience == 0) std::this_thread::yield();
    }

    // The states are all different, so their first words are all that threads must agree on. Nothing is read before it
    // is written: the first look at a fresh page would only map a page of zeros, to be replaced at the first write,
    // and all other processors would have to be told.
    void move(const Word* stored) {
        std::uint64_t cell = home(hash_words(stored, words()));
        for (;; cell = after(cell)) {
            Word free = 0;
            const std::atomic_ref first(cells_.data()[cell * words()]);
            if (first.compare_exchange_strong(free, stored[0], std::memory_order_relaxed)) break;
        }
        for (unsigned i = 1; i < words(); ++i) cells_.data()[cell * words() + i] = stored[i];
    }

    unsigned words_;
    std::uint64_t capacity_;
    WordBlock cells_;
    WordBlock old_;  // while the table grows
    std::uint64_t old_capacity_ = 0;
};

}  // namespace mule::store
