// C3_stack (Peled 1994): no successor is on the depth-first stack. Then every cycle has a state that is expanded fully.
// For LTL without next and for branching time, depth first only: a cycle is closed by the edge to a state on the stack.
// That state may itself be the one that is expanded fully: searches call only those `kOpen` that are not.
#pragma once

#include "proviso/standing.hpp"

namespace mule::proviso {

struct StackProviso {
    static constexpr bool kOneIsEnough = false;
    static bool allows(Standing standing) { return standing == Standing::kFresh || standing == Standing::kClosed; }
};

}  // namespace mule::proviso
