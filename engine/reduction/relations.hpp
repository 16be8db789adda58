// What may interfere with what: the static relations that Python computed from the model (seed 003, sections 3 and 4).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reduction/bits.hpp"

namespace mule::reduction {

struct Relations {
    std::uint32_t transitions = 0;
    std::uint32_t guards = 0;
    std::vector<std::vector<GuardId>> guards_of;  // per transition, the conjuncts of its guard
    BitMatrix do_not_accord;                      // transition x transition: DNA, symmetric
    BitMatrix do_not_left_accord;                 // transition x transition: DNB, not symmetric; only weak sets use it
    BitMatrix enabling;                           // guard x transition: NES, what may make a false guard true
    BitMatrix disabling;                          // guard x transition: NDS, what may make a true guard false
    BitMatrix never_coenabled;                    // guard x guard: the complement of MC

    // Throws std::invalid_argument where a size or an identifier is off.
    void check() const;
};

// Rows as Python's int.to_bytes((columns + 7) // 8, "little") writes them, joined. No bytes at all: an absent matrix.
BitMatrix unpack_rows(std::span<const std::uint8_t> bytes, std::uint32_t rows, std::uint32_t columns,
                      std::string_view name);

}  // namespace mule::reduction
