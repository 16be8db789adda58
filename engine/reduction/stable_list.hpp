// A list whose items never move, so that one thread can add to it while others read what they were told of.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>

#include "rooms.hpp"

namespace mule::reduction {

template <typename Item>
class StableList {
  public:
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(Item); }

    Item& operator[](std::size_t i) { return *place(i); }
    const Item& operator[](std::size_t i) const { return *place(i); }

    // So many items beside each other; the number of the first one.
    std::size_t add(std::size_t count) {
        std::size_t last = size_ + count - 1;
        if (chunk_of(size_) != chunk_of(last)) {
            size_ = end_of(chunk_of(last) - 1);
            last = size_ + count - 1;
            if (chunk_of(size_) != chunk_of(last)) return add(count);
        }
        auto& chunk = chunks_[chunk_of(last)];
        if (!chunk) chunk = std::make_unique<Item[]>(std::size_t{1} << (chunk_of(last) + kFirstBits));
        const std::size_t first = size_;
        size_ += count;
        return first;
    }

    void clear() { size_ = 0; }

  private:
    static constexpr unsigned kFirstBits =
        8;  // each chunk is as long as all before it together, and the first one again

    static unsigned chunk_of(std::size_t i) { return static_cast<unsigned>(std::bit_width((i >> kFirstBits) + 1)) - 1; }
    static std::size_t end_of(unsigned chunk) { return ((std::size_t{2} << chunk) - 1) << kFirstBits; }

    Item* place(std::size_t i) const {
        const unsigned chunk = chunk_of(i);
        return chunks_[chunk].get() + (i - (((std::size_t{1} << chunk) - 1) << kFirstBits));
    }

    std::array<std::unique_ptr<Item[]>, 40> chunks_;
    std::size_t size_ = 0;
};

}  // namespace mule::reduction
