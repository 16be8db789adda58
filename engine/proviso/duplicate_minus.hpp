// C3-_duplicate (Lluch-Lafuente, Edelkamp, Leue 2002): some successor by a key transition is fresh. From a reduced
// state fresh successors lead on with growing times of insertion, so to a state that is expanded fully. For safety, in
// any order and by any number of explorers, as long as "fresh" means that this expansion's own insertion won.
#pragma once

#include "proviso/standing.hpp"

namespace mule::proviso {

struct DuplicateMinusProviso {
    static constexpr bool kOneIsEnough = true;
    static bool allows(Standing standing) { return standing == Standing::kFresh; }
};

}  // namespace mule::proviso
