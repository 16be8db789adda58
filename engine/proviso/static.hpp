// C3_static (Kurshan, Levin, Minea, Peled, Yenigun 1998): a reduced set has no sticky transition; every cycle of the
// system takes one. The set is a function of the system's state, so this does for every property, order and worker.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "program.hpp"
#include "reduction/bits.hpp"

namespace mule::proviso {

inline bool static_proviso_allows(std::span<const TransitionId> chosen, const std::vector<Word>& sticky) {
    return std::none_of(chosen.begin(), chosen.end(), [&](TransitionId t) { return test_bit(sticky.data(), t); });
}

}  // namespace mule::proviso
