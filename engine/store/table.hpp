// The exact state store: packed states in one open-addressing table, without pointers and without separate keys.
//
// The top bit of a state's first word is always set, so an all-zero first word marks a free cell; the next bit is the
// table's own (`kMark`: the search keeps "on the stack" there). Cells are found by the hash's high bits, so states stay
// in hash order and growing is one sequential sweep. Cells move when the table grows; a state's number does not change.
// Numbers take four bytes a cell, and are kept where somebody asks for them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "store/archive.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/place.hpp"
#include "store/sorted_run.hpp"

namespace mule::store {

inline constexpr Word kOccupied = Word{1} << 63;
inline constexpr Word kMark = Word{1} << 62;

// The hash of a state as it lies in a table, which may have marked it.
inline std::uint64_t hash_stored(const Word* stored, unsigned words) {
    std::uint64_t hash = mix_word(stored[0] & ~kMark, 0);
    for (unsigned i = 1; i < words; ++i) hash += mix_word(stored[i], i);
    return hash;
}

// What stands before the cells in a file.
struct TableHeader {
    std::uint64_t capacity;
    std::uint64_t size;
    std::uint64_t epoch;
};

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class Table {
  public:
    static constexpr std::uint64_t kAbsent = mule::store::kAbsent;

    explicit Table(unsigned words, bool numbered = false, std::uint64_t initial_capacity = std::uint64_t{1} << 12)
        : words_(words), capacity_(initial_capacity), cells_(initial_capacity * words) {
        if (numbered) numbers_.resize(initial_capacity);
        set_limit();
    }

    unsigned words() const { return W != 0 ? W : words_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t most_states() const { return numbers_.empty() ? ~std::uint64_t{0} : kMostNumbers; }
    std::size_t bytes() const { return cells_.bytes() + numbers_.capacity() * sizeof(StateNumber); }
    std::uint64_t epoch() const { return epoch_; }  // changes whenever cells move

    void prefetch(std::uint64_t hash) const {
        const Word* cell = cells_.data() + home(hash) * words();
        __builtin_prefetch(cell, 1);
        if (words() > 2) __builtin_prefetch(cell + words() - 1, 1);
    }

    // Finds the state or stores it. Numbers count up from 0; that of a state met before is known where they are kept.
    [[gnu::always_inline]] Place insert(const Word* state, std::uint64_t hash) {
        if (size_ >= limit_) grow();
        std::uint64_t cell = home(hash);
        for (;;) {
            Word* stored = cells_.data() + cell * words();
            if (stored[0] == 0) {
                for (unsigned i = 0; i < words(); ++i) stored[i] = state[i];
                const auto number = static_cast<StateNumber>(size_++);
                if (!numbers_.empty()) numbers_[cell] = number;
                return {cell, number, true};
            }
            if (same(stored, state)) return {cell, numbers_.empty() ? kNoNumber : numbers_[cell], false};
            if (++cell == capacity_) cell = 0;
        }
    }

    std::uint64_t find(const Word* state, std::uint64_t hash) const {
        std::uint64_t cell = home(hash);
        for (;;) {
            const Word* stored = cells_.data() + cell * words();
            if (stored[0] == 0) return kAbsent;
            if (same(stored, state)) return cell;
            if (++cell == capacity_) cell = 0;
        }
    }

    // What stands for a state here, and its hash.
    static constexpr bool kKeyIsState = true;
    unsigned key_words() const { return words(); }
    HashedKey key(const Word* state, std::uint64_t hash) const { return {hash, state}; }

    // Calls `visit(hash, key)` with each state, in the order of HashedKey.
    template <typename Visit>
    void for_each_in_order(Visit&& visit) const {
        std::vector<HashedKey> cluster;  // neighbours, whose order is the one in which they came
        const auto collect = [&](std::uint64_t cell) {
            const Word* stored = cells_.data() + cell * words();
            cluster.push_back({hash_words(stored, words()), stored});
        };
        const auto finish_cluster = [&] {
            std::sort(cluster.begin(), cluster.end(),
                      [&](const HashedKey& a, const HashedKey& b) { return a.compare(b, words()) < 0; });
            for (const HashedKey& each : cluster) visit(each.hash, each.key);
            cluster.clear();
        };
        // Cells at the start may hold what wrapped around from the end: these come last.
        std::uint64_t begin = 0;
        for (; !is_free(begin); ++begin) collect(begin);
        const auto wrapped = [&](const HashedKey& each) { return home(each.hash) >= begin; };
        const auto end = std::partition(cluster.begin(), cluster.end(), std::not_fn(wrapped));
        std::vector<HashedKey> last(end, cluster.end());
        cluster.erase(end, cluster.end());
        for (std::uint64_t cell = begin; cell < capacity_; ++cell) {
            if (is_free(cell))
                finish_cluster();
            else
                collect(cell);
        }
        cluster.insert(cluster.end(), last.begin(), last.end());
        finish_cluster();
    }

    // Forgets all states, and takes so many bytes from now on, if these are more than now. Nothing may be marked.
    void clear(std::size_t bytes) {
        capacity_ = std::max<std::uint64_t>(capacity_, bytes / (words() * sizeof(Word)));
        cells_ = WordBlock();
        cells_ = WordBlock(capacity_ * words());
        size_ = 0;
        set_limit();
        ++epoch_;
    }

    // Calls `visit` with each state, in the order of their cells; with its mark, if it has one.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::uint64_t cell = 0; cell < capacity_; ++cell) {
            const Word* stored = cells_.data() + cell * words();
            if (stored[0] != 0) visit(stored);
        }
    }

    StateNumber number(std::uint64_t cell) const { return numbers_[cell]; }
    bool marked(std::uint64_t cell) const { return (cells_.data()[cell * words()] & kMark) != 0; }
    void mark(std::uint64_t cell) { cells_.data()[cell * words()] |= kMark; }
    void unmark(std::uint64_t cell) { cells_.data()[cell * words()] &= ~kMark; }
    void unmark_all() {
        for (std::uint64_t cell = 0; cell < capacity_; ++cell) unmark(cell);
    }

    // The bytes that the next growth will hold at its peak, for memory limits.
    std::size_t bytes_after_growth() const {
        const std::size_t number = numbers_.empty() ? 0 : sizeof(StateNumber);
        return bytes() + grown_capacity() * (words() * sizeof(Word) + number);
    }
    bool about_to_grow() const { return size_ >= limit_; }

    void write(Writer& writer) const {
        writer.value(TableHeader{capacity_, size_, epoch_});
        writer.block(cells_);
        writer.values(numbers_);
    }
    void read(Reader& reader) {
        TableHeader header;
        reader.value(header);
        capacity_ = header.capacity;
        size_ = header.size;
        epoch_ = header.epoch;
        reader.block(cells_);
        reader.values(numbers_);
        require_whole(cells_.bytes() / sizeof(Word) / words() == capacity_);
        set_limit();
    }

  private:
    static constexpr std::uint64_t kSmall = std::uint64_t{1} << 17;

    std::uint64_t home(std::uint64_t hash) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * capacity_) >> 64);
    }

    bool is_free(std::uint64_t cell) const { return cells_.data()[cell * words()] == 0; }

    bool same(const Word* stored, const Word* state) const {
        if (((stored[0] ^ state[0]) & ~kMark) != 0) return false;
        for (unsigned i = 1; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    void set_limit() { limit_ = capacity_ / 5 * 4; }

    // Large tables grow by a quarter, so that memory follows the states closely.
    std::uint64_t grown_capacity() const { return capacity_ < kSmall ? capacity_ * 4 : capacity_ / 4 * 5; }

    [[gnu::noinline]] void grow() {
        WordBlock old(grown_capacity() * words());
        std::swap(old, cells_);
        const std::uint64_t old_capacity = capacity_;
        capacity_ = grown_capacity();
        const std::vector<StateNumber> old_numbers = std::move(numbers_);
        numbers_.assign(old_numbers.empty() ? 0 : capacity_, 0);
        set_limit();
        ++epoch_;
        // Cells at the start may hold what wrapped around from the end: they go in like any other.
        for (std::uint64_t i = 0; i < old_capacity; ++i) {
            const Word* stored = old.data() + i * words();
            if (stored[0] == 0) continue;
            const std::uint64_t cell = place(stored);
            if (!numbers_.empty()) numbers_[cell] = old_numbers[i];
        }
    }

    std::uint64_t place(const Word* stored) {
        std::uint64_t cell = home(hash_stored(stored, words()));
        while (cells_.data()[cell * words()] != 0)
            if (++cell == capacity_) cell = 0;
        for (unsigned i = 0; i < words(); ++i) cells_.data()[cell * words() + i] = stored[i];
        return cell;
    }

    unsigned words_;
    std::uint64_t capacity_;
    std::uint64_t limit_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t epoch_ = 0;
    WordBlock cells_;
    std::vector<StateNumber> numbers_;  // one a cell, or none at all
};

}  // namespace mule::store
