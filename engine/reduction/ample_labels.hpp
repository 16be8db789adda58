// The labels of control locations (seed 004, section 6) that relations/ample.py computed; it says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reduction/bits.hpp"

namespace mule::reduction {

// While `guard` is false (and `given` true), no other process can make it true.
struct AmpleBlock {
    GuardId guard;
    std::optional<GuardId> given;
};

// One of the blocks keeps the transition disabled; or it is enabled, where it may be.
struct AmpleCondition {
    TransitionId transition;
    bool may_be_enabled;
    std::vector<AmpleBlock> blocks;
};

// Where all conditions hold, the enabled transitions of the process are an ample set.
struct AmpleLocation {
    std::uint32_t process;
    std::vector<AmpleCondition> conditions;
};

struct AmpleLabels {
    BitMatrix transitions_of;                        // process x transition: takes part in
    std::vector<AmpleLocation> locations;            // the safe ones, with or without conditions
    std::vector<std::vector<std::uint32_t>> starts;  // per transition, the locations that it starts from

    // Throws std::invalid_argument where a size or an identifier is off.
    void check(std::uint32_t transitions, std::uint32_t guards) const;
};

}  // namespace mule::reduction
