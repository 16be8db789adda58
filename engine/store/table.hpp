// The exact state store: packed states in one open-addressing table, without pointers and without separate keys.
//
// The top bit of a state's first word is always set, so an all-zero first word marks a free cell; the next bit is the
// table's own (`kMark`: the search keeps "on the stack" there). Cells are found by the hash's high bits, so states stay
// in hash order and growing is one sequential sweep.
#pragma once

#include "store/hash.hpp"
#include "store/memory.hpp"

namespace mule {

inline constexpr Word kOccupied = Word{1} << 63;
inline constexpr Word kMark = Word{1} << 62;

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class Table {
  public:
    explicit Table(unsigned words, std::uint64_t initial_capacity = std::uint64_t{1} << 12)
        : words_(words), capacity_(initial_capacity), cells_(initial_capacity * words) {
        set_limit();
    }

    unsigned words() const { return W != 0 ? W : words_; }
    std::uint64_t size() const { return size_; }
    std::size_t bytes() const { return cells_.bytes(); }
    std::uint64_t epoch() const { return epoch_; }  // changes whenever cells move

    void prefetch(std::uint64_t hash) const {
        const Word* cell = cells_.data() + home(hash) * words();
        __builtin_prefetch(cell, 1);
        if (words() > 2) __builtin_prefetch(cell + words() - 1, 1);
    }

    struct Place {
        std::uint64_t cell;
        bool fresh;
    };

    // Finds the state or stores it.
    Place insert(const Word* state, std::uint64_t hash) {
        if (size_ >= limit_) grow();
        std::uint64_t cell = home(hash);
        for (;;) {
            Word* stored = cells_.data() + cell * words();
            if (stored[0] == 0) {
                for (unsigned i = 0; i < words(); ++i) stored[i] = state[i];
                ++size_;
                return {cell, true};
            }
            if (same(stored, state)) return {cell, false};
            if (++cell == capacity_) cell = 0;
        }
    }

    static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

    std::uint64_t find(const Word* state, std::uint64_t hash) const {
        std::uint64_t cell = home(hash);
        for (;;) {
            const Word* stored = cells_.data() + cell * words();
            if (stored[0] == 0) return kAbsent;
            if (same(stored, state)) return cell;
            if (++cell == capacity_) cell = 0;
        }
    }

    bool marked(std::uint64_t cell) const { return (cells_.data()[cell * words()] & kMark) != 0; }
    void mark(std::uint64_t cell) { cells_.data()[cell * words()] |= kMark; }
    void unmark(std::uint64_t cell) { cells_.data()[cell * words()] &= ~kMark; }

    // The bytes that the next growth will hold at its peak, for memory limits.
    std::size_t bytes_after_growth() const { return bytes() + grown_capacity() * words() * sizeof(Word); }
    bool about_to_grow() const { return size_ >= limit_; }

  private:
    static constexpr std::uint64_t kSmall = std::uint64_t{1} << 17;

    std::uint64_t home(std::uint64_t hash) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * capacity_) >> 64);
    }

    bool same(const Word* stored, const Word* state) const {
        if (((stored[0] ^ state[0]) & ~kMark) != 0) return false;
        for (unsigned i = 1; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    void set_limit() { limit_ = capacity_ / 5 * 4; }

    // Large tables grow by a quarter, so that memory follows the states closely.
    std::uint64_t grown_capacity() const { return capacity_ < kSmall ? capacity_ * 4 : capacity_ / 4 * 5; }

    void grow() {
        WordBlock old = std::move(cells_);
        const std::uint64_t old_capacity = capacity_;
        capacity_ = grown_capacity();
        cells_ = WordBlock(capacity_ * words());
        set_limit();
        ++epoch_;
        // Cells at the start may hold what wrapped around from the end: they go in like any other.
        for (std::uint64_t i = 0; i < old_capacity; ++i) {
            const Word* stored = old.data() + i * words();
            if (stored[0] != 0) place(stored);
        }
    }

    void place(const Word* stored) {
        const Word first = stored[0] & ~kMark;
        std::uint64_t hash = mix_word(first, 0);
        for (unsigned i = 1; i < words(); ++i) hash += mix_word(stored[i], i);
        std::uint64_t cell = home(hash);
        while (cells_.data()[cell * words()] != 0)
            if (++cell == capacity_) cell = 0;
        for (unsigned i = 0; i < words(); ++i) cells_.data()[cell * words() + i] = stored[i];
    }

    unsigned words_;
    std::uint64_t capacity_;
    std::uint64_t limit_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t epoch_ = 0;
    WordBlock cells_;
};

}  // namespace mule
