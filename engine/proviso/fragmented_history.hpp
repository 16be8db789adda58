// C3''' (Brim, Cerna, Moravec, Simsa 2005): a reduced set may lead to an explorer that the search has not been to since
// the last full expansion. A state knows the explorers that lie before it, over all fragments that have reached it; one
// that is reached with more of them is explored again, with its old set where that still will do, else fully. So in the
// end every reduced state has one set, whose edges were all followed with its last history. Along a cycle of reduced
// states histories only grow, so they are the same; a cycle over several explorers would come back to one of them.
#pragma once

#include "proviso/fragmented.hpp"

namespace mule::proviso {

struct FragmentedHistoryProviso : FragmentedProviso {
    // Explorers share a bit where there are more of them than bits: then they count as one, and a reduced set does not
    // lead from the one to the other.
    static constexpr unsigned kBits = 56;
    static Word bit(std::uint16_t part) { return Word{1} << part % kBits; }

    static bool may_cross(Word history, std::uint16_t from, std::uint16_t to) {
        return ((history | bit(from)) & bit(to)) == 0;
    }
    static Word crossed(Word history, std::uint16_t from) { return history | bit(from); }
};

}  // namespace mule::proviso
