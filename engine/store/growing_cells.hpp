// Cells in one block, found by their hash, that many threads fill at once. The block grows only between insertions,
// when its owner says so; all threads can help to move the cells.
#pragma once

#include <cstdint>

#include "store/memory.hpp"

namespace mule::store {

// Self: a store whose cells have `cell_words()` words each, the first of which is 0 where a cell is free. It says how
// many states such a block may hold (`room_in(capacity)`), how large the next one is (`larger(capacity)`), and moves a
// cell of the old block to the new one (`move(cell)`).
template <typename Self>
class GrowingCells {
  public:
    std::size_t cell_bytes() const { return cells_.bytes(); }
    // How many states it may hold before it must grow. Whoever inserts sees to it that there are never more.
    std::uint64_t room() const { return Self::room_in(capacity_); }

    // To grow, while nobody inserts: begin, then each part once, by whatever thread, then end.
    std::uint64_t capacity_for(std::uint64_t states) const {
        std::uint64_t capacity = capacity_;
        while (Self::room_in(capacity) < states) capacity = Self::larger(capacity);
        return capacity;
    }
    std::size_t bytes_for(std::uint64_t capacity) const { return capacity * self().cell_words() * sizeof(Word); }

    void begin_growth(std::uint64_t capacity) {
        WordBlock larger(capacity * self().cell_words());
        old_ = std::move(cells_);
        cells_ = std::move(larger);
        old_capacity_ = capacity_;
        capacity_ = capacity;
    }
    void move_part(unsigned part, unsigned parts) {
        const std::uint64_t end = old_capacity_ * (part + 1) / parts;
        for (std::uint64_t i = old_capacity_ * part / parts; i < end; ++i) {
            const Word* cell = old_.data() + i * self().cell_words();
            if (cell[0] != 0) static_cast<Self&>(*this).move(cell);
        }
    }
    void end_growth() { old_ = WordBlock(); }

  protected:
    GrowingCells(std::uint64_t capacity, unsigned cell_words) : capacity_(capacity), cells_(capacity * cell_words) {}

    std::uint64_t after(std::uint64_t cell) const { return cell + 1 == capacity_ ? 0 : cell + 1; }

    std::uint64_t capacity_;
    WordBlock cells_;

  private:
    const Self& self() const { return static_cast<const Self&>(*this); }

    WordBlock old_;  // while it grows
    std::uint64_t old_capacity_ = 0;
};

}  // namespace mule::store
