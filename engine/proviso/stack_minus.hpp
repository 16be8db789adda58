// C3-_stack (Holzmann, Godefroid, Pirottin 1992): some successor by a key transition is off the depth-first stack, or
// expanded fully there. Then every state leads to one that is expanded fully: who is off the stack was left before. For
// safety, depth first only.
#pragma once

#include "proviso/standing.hpp"

namespace mule::proviso {

struct StackMinusProviso {
    static constexpr bool kOneIsEnough = true;
    static bool allows(Standing standing) { return standing == Standing::kFresh || standing == Standing::kClosed; }
};

}  // namespace mule::proviso
