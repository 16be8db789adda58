// The exact state store that many threads fill at once, without locks: the cells of Table, taken by compare-and-swap.
//
// A thread takes a free cell by swapping the state's first word in. Where states have more words, that word carries
// kMark instead of kOccupied until the others are written; who meets it with the same first word waits for them. So of
// all insertions of a state exactly one wins, and nobody reads a state that is half written. Afterwards kMark is the
// search's: all threads see marks made, taken away and met in one order.
#pragma once

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "store/compressed.hpp"
#include "store/growing_cells.hpp"
#include "store/hash.hpp"
#include "store/table.hpp"

namespace mule::store {

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class SharedTable : public GrowingCells<SharedTable<W>> {
    using Cells = GrowingCells<SharedTable<W>>;
    friend Cells;

  public:
    explicit SharedTable(unsigned words, std::uint64_t initial_capacity = std::uint64_t{1} << 12)
        : Cells(initial_capacity, words), words_(words) {}

    unsigned words() const { return W != 0 ? W : words_; }
    std::size_t bytes() const { return this->cell_bytes(); }

    void prefetch(std::uint64_t hash) const {
        const Word* cell = this->cells_.data() + home(hash) * words();
        fetch_to_write(cell);
        if (words() > 2) fetch_to_write(cell + words() - 1);
    }

    // Fresh where this call stored the state; of all calls with the same state that is exactly one.
    [[gnu::always_inline]] Met insert(const Word* state, std::uint64_t hash) {
        for (std::uint64_t cell = home(hash);; cell = this->after(cell)) {
            Word* stored = this->cells_.data() + cell * words();
            Word first = std::atomic_ref(*stored).load(std::memory_order_seq_cst);
            if (first == 0 && take(stored, first, state)) return Met::kFresh;
            if (is(stored, first, state)) return (~first & (kMark | kOccupied)) == 0 ? Met::kMarked : Met::kKnown;
        }
    }

    // Null where the state is not there.
    Word* find(const Word* state, std::uint64_t hash) {
        for (std::uint64_t cell = home(hash);; cell = this->after(cell)) {
            Word* stored = this->cells_.data() + cell * words();
            const Word first = std::atomic_ref(*stored).load(std::memory_order_acquire);
            if (first == 0) return nullptr;
            if (is(stored, first, state)) return stored;
        }
    }
    bool contains(const Word* state, std::uint64_t hash) { return find(state, hash) != nullptr; }

    // A cell that `find` has found; cells stay where they are until the table grows.
    static void mark(Word* cell) { std::atomic_ref(*cell).fetch_or(kMark, std::memory_order_seq_cst); }
    static void unmark(Word* cell) { std::atomic_ref(*cell).fetch_and(~kMark, std::memory_order_seq_cst); }

    // The file of the store that one worker has for such states: Table, or CompressedTable for large ones. `size`: how
    // many states there are.
    void write(Writer& writer, std::uint64_t size) const {
        if constexpr (W == 0) writer.value(Layout::kPlain);
        writer.value(TableHeader{this->capacity_, size, 0});
        writer.block(this->cells_);
        writer.values(std::vector<StateNumber>());
    }
    // How many states there are; nothing where these would take more than so many bytes, and then nothing is read.
    std::optional<std::uint64_t> read(Reader& reader, std::size_t most_bytes) {
        if constexpr (W == 0) {
            Layout layout{};
            reader.value(layout);
            if (layout != Layout::kPlain) return take_compressed(reader, most_bytes);
        }
        TableHeader header;
        reader.value(header);
        if (header.capacity > most_bytes / sizeof(Word) / words()) return std::nullopt;
        this->capacity_ = header.capacity;
        reader.block(this->cells_);
        std::vector<StateNumber> numbers;
        reader.values(numbers);
        require_whole(this->cells_.bytes() == this->bytes_for(header.capacity) && header.size <= this->room());
        return header.size;
    }

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

    unsigned cell_words() const { return words(); }
    static std::uint64_t room_in(std::uint64_t capacity) { return capacity / 5 * 4; }
    static std::uint64_t larger(std::uint64_t capacity) { return capacity < kSmall ? capacity * 4 : capacity / 4 * 5; }

    std::uint64_t home(std::uint64_t hash) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * this->capacity_) >> 64);
    }

    // Where another thread was first, `first` is what that one wrote.
    bool take(Word* stored, Word& first, const Word* state) {
        const std::atomic_ref cell(*stored);
        const bool alone = words() == 1;
        const Word taken = alone ? state[0] : state[0] ^ (kOccupied | kMark);
        if (!cell.compare_exchange_strong(first, taken, std::memory_order_acq_rel, std::memory_order_seq_cst))
            return false;
        if (alone) return true;
        for (unsigned i = 1; i < words(); ++i) stored[i] = state[i];
        cell.store(state[0], std::memory_order_release);
        return true;
    }

    bool is(Word* stored, Word first, const Word* state) const {
        if (words() == 1) return ((first ^ state[0]) & ~kMark) == 0;  // it is never unfinished
        if (((first ^ state[0]) & ~(kOccupied | kMark)) != 0) return false;
        if (is_unfinished(first)) wait_for(stored);
        for (unsigned i = 1; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    static bool is_unfinished(Word first) { return (first & (kOccupied | kMark)) == kMark; }

    [[gnu::noinline]] static void wait_for(Word* stored) {
        const std::atomic_ref cell(*stored);
        for (unsigned looks = 0; is_unfinished(cell.load(std::memory_order_acquire));)
            if (++looks % kPatience == 0) std::this_thread::yield();
    }

    std::uint64_t home_of(const Word* cell) const { return home(hash_stored(cell, words())); }

    // What one worker has compressed.
    std::optional<std::uint64_t> take_compressed(Reader& reader, std::size_t most_bytes) {
        CompressedTable compressed(words());
        compressed.read_components(reader);
        const std::uint64_t size = compressed.size();
        const std::uint64_t capacity = this->capacity_for(size);
        if (compressed.bytes() + this->bytes_for(capacity) > most_bytes) return std::nullopt;
        this->begin_growth(capacity);
        this->end_growth();
        std::uint64_t taken = 0;
        compressed.for_each([&](Word* state) {
            require_whole(++taken <= size && (state[0] & kOccupied) != 0);
            const bool marked = (state[0] & kMark) != 0;
            state[0] &= ~kMark;
            const std::uint64_t hash = hash_words(state, words());
            insert(state, hash);
            if (marked) mark(find(state, hash));
        });
        return size;
    }

    unsigned words_;
};

}  // namespace mule::store
