// C3'' with the node order (Brim, Cerna, Moravec, Simsa 2005): a reduced set may lead to an explorer with a smaller
// number. A cycle over several explorers has to come back to a larger one, and there it is expanded fully.
#pragma once

#include "proviso/fragmented.hpp"

namespace mule::proviso {

struct FragmentedOrderProviso : FragmentedProviso {
    static bool may_cross(Word, std::uint16_t from, std::uint16_t to) { return to < from; }
};

}  // namespace mule::proviso
