// What LPOR knows before a search (seed 000, section III): the local relations, and the forward enable sets made of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reduction/bits.hpp"

namespace mule::reduction {

// Sets of transitions, of each of which one must run before a transition that is disabled in a state can be enabled.
using AskEnablingSets =
    std::function<std::vector<std::vector<TransitionId>>(const Word* state, TransitionId transition)>;

struct LocalRelations {
    BitMatrix dependent_on;  // row t: those that t is dependent on
    BitMatrix can_enable;    // row t: those that t can enable
    bool net = false;        // use what is necessary in a state: the sets of false guards, or what `ask` answers
    AskEnablingSets ask;
};

struct LporTables {
    LporTables() = default;
    // Algorithm 1, without the en-fields (src/mule/lpor/stubborn.py says why).
    LporTables(LocalRelations local, std::uint32_t transitions);

    LocalRelations local;
    BitMatrix leads_to_dependency;  // row t: first members of enabling sequences to something that t is dependent on
    bool is_transitive = false;     // dependency is
};

}  // namespace mule::reduction
