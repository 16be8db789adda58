// The closed-set proviso (Bosnacki, Leue, Lluch-Lafuente 2006), in its weak form: some successor by a key transition is
// not closed. Here a state is closed once a reduced set is being kept for it, and not when it is expanded fully.
//
// A state is closed before its own successors are asked about, whoever expands it. So from a state with a reduced set
// some key successor leads on that is closed later, or never: that is one that is expanded fully, and nothing is
// ignored for ever. For safety, in any order and by any number of explorers, as long as closing and asking have one
// order for all of them. It allows whatever C3-_duplicate allows.
#pragma once

#include "proviso/standing.hpp"

namespace mule::proviso {

struct ClosedMinusProviso {
    static constexpr bool kOneIsEnough = true;
    static bool allows(Standing standing) { return standing == Standing::kFresh || standing == Standing::kUnreduced; }
};

}  // namespace mule::proviso
