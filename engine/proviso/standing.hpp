// What a store says of a successor, and the conditions over it. A reduced set that does not meet its condition is given
// up, so that no transition is ignored for ever (C3 and its variants).
#pragma once

#include <cstdint>

#include "rooms.hpp"

namespace mule::proviso {

enum class Standing : std::uint8_t {
    kFresh,      // not met before, or stored by this very expansion
    kUnreduced,  // met before, and no reduced set was kept for it so far: it still waits, or was expanded fully
    kOpen,       // on the depth-first stack, with a reduced set
    kClosed,     // met before, and nothing else is known of it
    kElsewhere,  // owned by another explorer, which has not said what it knows
    kBeyond,     // the same, but no cycle of reduced states comes back from there
};

}  // namespace mule::proviso
