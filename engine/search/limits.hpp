// Where a search stops storing states. Time and interrupts are the caller's, who owns the loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "program.hpp"

namespace mule::search {

struct Limits {
    std::uint64_t max_states = ~std::uint64_t{0};
    std::uint64_t max_bytes = ~std::uint64_t{0};

    // Why this state may not be stored; null: it may, or it is there already. `besides()`: what the search holds
    // besides the store.
    template <typename Store, typename Besides>
    const char* refusal(Store& store, const Word* state, std::uint64_t hash, Besides&& besides) const {
        if (store.about_to_grow() && store.bytes_after_growth() + besides() > max_bytes) return "memory";
        if (store.size() < std::min(max_states, store.most_states())) return nullptr;
        return store.find(state, hash) == Store::kAbsent ? "states" : nullptr;
    }
};

}  // namespace mule::search
