// The heuristic function h of seed 003, section 4.3: what it would cost to add a set of transitions.
#pragma once

#include <bit>
#include <cstdint>

#include "program.hpp"

namespace mule::reduction {

// The paper's n for an enabled transition, 1 for a disabled one and 0 for one that is in already. n is larger than any
// number of transitions: fewest enabled first, then fewest disabled.
using Cost = std::uint64_t;
inline constexpr Cost kEnabledCost = Cost{1} << 32;
inline constexpr Cost kNoCostLimit = ~Cost{0};

// h of `set`, or some value that is not below `limit`.
inline Cost heuristic(const Word* set, const Word* already_in, const Word* enabled, std::uint32_t words, Cost limit) {
    Cost cost = 0;
    for (std::uint32_t i = 0; i < words && cost < limit; ++i) {
        const Word added = set[i] & ~already_in[i];
        if (added == 0) continue;
        cost += static_cast<Cost>(std::popcount(added & ~enabled[i])) +
                static_cast<Cost>(std::popcount(added & enabled[i])) * kEnabledCost;
    }
    return cost;
}

}  // namespace mule::reduction
