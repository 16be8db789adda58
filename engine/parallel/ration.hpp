// How many states may be stored before all workers meet: they take it in portions, and so know without asking each
// other that there is room.
#pragma once

#include <atomic>
#include <cstdint>

#include "rooms.hpp"

namespace mule::parallel {

class Ration {
  public:
    void begin(std::uint64_t stored, std::uint64_t most) {
        given_ = stored;
        most_ = most;
    }
    bool take(std::uint64_t portion) {
        if (given_.fetch_add(portion, std::memory_order_relaxed) + portion <= most_) return true;
        given_.fetch_sub(portion, std::memory_order_relaxed);
        return false;
    }

  private:
    alignas(64) std::atomic<std::uint64_t> given_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace mule::parallel
