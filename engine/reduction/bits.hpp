// Rows of bits and rows of lists: the two shapes in which the algorithms read a static relation.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "program.hpp"

namespace mule::reduction {

inline std::uint32_t words_for(std::uint32_t bits) { return (bits + 63) / 64; }
inline bool test_bit(const Word* row, std::uint32_t bit) { return (row[bit / 64] >> (bit % 64)) & 1; }
inline void set_bit(Word* row, std::uint32_t bit) { row[bit / 64] |= Word{1} << (bit % 64); }
inline void clear_bit(Word* row, std::uint32_t bit) { row[bit / 64] &= ~(Word{1} << (bit % 64)); }

inline void fill_bits(Word* row, std::uint32_t bits) {
    for (std::uint32_t i = 0; i < bits / 64; ++i) row[i] = ~Word{0};
    if (bits % 64 != 0) row[bits / 64] = (Word{1} << (bits % 64)) - 1;
}

// Calls `visit` with each bit of one word, lowest first, counted from `base`.
template <typename Visit>
void for_each_bit(Word word, std::uint32_t base, Visit&& visit) {
    for (; word != 0; word &= word - 1) visit(base + static_cast<std::uint32_t>(std::countr_zero(word)));
}

inline bool is_subset(const Word* inner, const Word* outer, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i) {
        if ((inner[i] & ~outer[i]) != 0) return false;
    }
    return true;
}

inline bool intersect(const Word* a, const Word* b, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i) {
        if ((a[i] & b[i]) != 0) return true;
    }
    return false;
}

class BitMatrix {
  public:
    BitMatrix() = default;
    BitMatrix(std::uint32_t rows, std::uint32_t columns)
        : rows_(rows), columns_(columns), stride_(words_for(columns)), words_(std::size_t{rows} * stride_) {}

    std::uint32_t rows() const { return rows_; }
    std::uint32_t columns() const { return columns_; }
    bool absent() const { return rows_ == 0; }
    const Word* row(std::uint32_t i) const { return words_.data() + std::size_t{i} * stride_; }
    Word* row(std::uint32_t i) { return words_.data() + std::size_t{i} * stride_; }
    bool at(std::uint32_t i, std::uint32_t j) const { return test_bit(row(i), j); }

    template <typename Visit>
    void for_each_in_row(std::uint32_t i, Visit&& visit) const {
        for (std::uint32_t w = 0; w < stride_; ++w) for_each_bit(row(i)[w], w * 64, visit);
    }

    BitMatrix transposed() const {
        BitMatrix result(columns_, rows_);
        for (std::uint32_t i = 0; i < rows_; ++i) {
            for_each_in_row(i, [&](std::uint32_t j) { set_bit(result.row(j), i); });
        }
        return result;
    }

  private:
    std::uint32_t rows_ = 0;
    std::uint32_t columns_ = 0;
    std::uint32_t stride_ = 0;
    std::vector<Word> words_;
};

// Lists of numbers in one piece of memory.
class Lists {
  public:
    void append(std::span<const std::uint32_t> items) {
        items_.insert(items_.end(), items.begin(), items.end());
        ends_.push_back(static_cast<std::uint32_t>(items_.size()));
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }

    std::span<const std::uint32_t> operator[](std::uint32_t i) const {
        const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
        return {items_.data() + begin, ends_[i] - begin};
    }

    // For each number below `count`, the lists that hold it, ascending.
    Lists inverted(std::uint32_t count) const {
        Lists result;
        result.ends_.assign(count, 0);
        for (const std::uint32_t item : items_) ++result.ends_[item];
        std::vector<std::uint32_t> next(count);
        std::uint32_t total = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            next[i] = total;
            total += result.ends_[i];
            result.ends_[i] = total;
        }
        result.items_.resize(total);
        for (std::uint32_t i = 0; i < size(); ++i) {
            for (const std::uint32_t item : (*this)[i]) result.items_[next[item]++] = i;
        }
        return result;
    }

  private:
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint32_t> items_;
};

}  // namespace mule::reduction
