// C3_duplicate (Lluch-Lafuente, Edelkamp, Leue 2002): every successor is fresh. A cycle of reduced states would need
// times of insertion that grow all the way round. For LTL without next, in any order and by any number of explorers, as
// long as "fresh" means that this expansion's own insertion won.
#pragma once

#include "proviso/standing.hpp"

namespace mule::proviso {

struct DuplicateProviso {
    static constexpr bool kOneIsEnough = false;
    static bool allows(Standing standing) { return standing == Standing::kFresh; }
};

}  // namespace mule::proviso
