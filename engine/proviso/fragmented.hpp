// C3'' (Brim, Cerna, Moravec, Simsa 2005): no successor is on the local depth-first stack, none is owned by another
// explorer. The stack is that of a fragment: it ends where a state is expanded fully, whose successors begin fragments
// of their own. Within an explorer the successors of a reduced state are left before it is, so every cycle has a state
// that is expanded fully. For LTL without next, with any number of explorers.
//
// Two heuristics let a reduced set lead to another explorer where no cycle of reduced states can come back from there:
// then the search says that the successor is `kBeyond` and not `kElsewhere`.
#pragma once

#include "program.hpp"
#include "proviso/standing.hpp"

namespace mule::proviso {

struct FragmentedProviso {
    static constexpr bool kOneIsEnough = false;
    static bool allows(Standing standing) {
        return standing == Standing::kFresh || standing == Standing::kClosed || standing == Standing::kBeyond;
    }

    // Whether a reduced set of a state with this history may lead from one explorer to another.
    static bool may_cross(Word, std::uint16_t, std::uint16_t) { return false; }
    // What a successor's history is where the search crosses.
    static Word crossed(Word, std::uint16_t) { return 0; }
};

}  // namespace mule::proviso
