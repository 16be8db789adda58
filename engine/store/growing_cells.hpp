// Cells in one block, found by their hash, that many threads fill at once. The block grows only between insertions,
// when its owner says so; all threads can help to move the cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "store/memory.hpp"

namespace mule::store {

// Self: a store whose cells have `cell_words()` words each, the first of which is 0 where a cell is free. It says how
// many states such a block may hold (`room_in(capacity)`), how large the next one is (`larger(capacity)`), and in which
// cell a search for what a cell holds begins (`home_of(cell)`). Homes are in the order of the hashes, so that most of
// what one part of the old block holds lies in the same part of the new one, and threads need not agree on cells.
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
        Part mine{capacity_ * part / parts, capacity_ * (part + 1) / parts, capacity_ * part / parts};
        std::vector<const Word*> left;
        const std::uint64_t end = old_capacity_ * (part + 1) / parts;
        for (std::uint64_t i = old_capacity_ * part / parts; i < end; ++i) {
            const Word* cell = old_.data() + i * self().cell_words();
            if (cell[0] != 0 && !move(cell, mine)) left.push_back(cell);
        }
        const std::lock_guard lock(left_mutex_);
        left_.insert(left_.end(), left.begin(), left.end());
    }
    void end_growth() {
        for (const Word* cell : left_) settle(cell);
        left_.clear();
        old_ = WordBlock();
    }

  protected:
    GrowingCells(std::uint64_t capacity, unsigned cell_words) : capacity_(capacity), cells_(capacity * cell_words) {}

    std::uint64_t after(std::uint64_t cell) const { return cell + 1 == capacity_ ? 0 : cell + 1; }

    // While nobody else inserts: into the first free cell. What it holds must be the only one of its kind.
    void settle(const Word* cell) {
        std::uint64_t at = self().home_of(cell);
        while (!is_free(at)) at = after(at);
        write(at, cell);
    }

    std::uint64_t capacity_;
    WordBlock cells_;

  private:
    // Of the new block, which one thread fills.
    struct Part {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint64_t fresh;  // from here on all cells are free
    };

    const Self& self() const { return static_cast<const Self&>(*this); }

    bool is_free(std::uint64_t at) const { return cells_.data()[at * self().cell_words()] == 0; }
    void write(std::uint64_t at, const Word* cell) {
        std::copy(cell, cell + self().cell_words(), cells_.data() + at * self().cell_words());
    }

    // False where it belongs, or would have to go on, outside of the part. No cell of a fresh page is read before it is
    // written: that would only map a page of zeros, to be replaced at the first write, and all other processors would
    // have to be told.
    bool move(const Word* cell, Part& part) {
        std::uint64_t at = self().home_of(cell);
        if (at < part.begin) return false;
        while (at < part.fresh && !is_free(at)) ++at;
        if (at >= part.end) return false;
        write(at, cell);
        part.fresh = std::max(part.fresh, at + 1);
        return true;
    }

    WordBlock old_;  // while it grows
    std::uint64_t old_capacity_ = 0;
    std::mutex left_mutex_;
    std::vector<const Word*> left_;  // cells that no part could take
};

}  // namespace mule::store
