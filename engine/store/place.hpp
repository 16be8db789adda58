// What a store says when a state is put in.
#pragma once

#include <cstdint>

#include "rooms.hpp"

namespace mule::store {

using StateNumber = std::uint32_t;

inline constexpr StateNumber kNoNumber = ~StateNumber{0};
inline constexpr std::uint64_t kMostNumbers = kNoNumber - 1;
inline constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

struct Place {
    std::uint64_t cell;  // where the state is, until the store's epoch changes
    StateNumber number;  // the same for ever; kNoNumber where the store does not keep it
    bool fresh;          // it was not there before
};

// What a store that knows no numbers says.
enum class Met : std::uint8_t {
    kFresh,   // the state was not there before
    kKnown,   // it was, without a mark
    kMarked,  // and with one
};

}  // namespace mule::store
