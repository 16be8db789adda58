// Where a search stops storing states. Time and interrupts are the caller's, who owns the loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "program.hpp"
#include "store/place.hpp"

namespace mule::search {

// The states inside a step that the language takes for one: they are stored, and the limit on states does not count
// them, unless they are very many.
struct Transient {
    const Program* program = nullptr;
    std::uint64_t stored = 0;  // how many are known to be

    bool is(const Word* state) const { return program != nullptr && program->is_transient(state); }
};

inline constexpr std::uint64_t kTransientForEach = 1000;  // state that the limit allows
inline constexpr std::uint64_t kAnyTransient = std::uint64_t{1} << 20;

inline constexpr const char* kTooManyStates = "states";

struct Limits {
    std::uint64_t max_states = ~std::uint64_t{0};
    std::uint64_t max_bytes = ~std::uint64_t{0};
    std::uint64_t max_stored = ~std::uint64_t{0};  // with transient ones

    // A step may have no end.
    std::uint64_t most_transient() const {
        if (max_states > ~std::uint64_t{0} / kTransientForEach) return ~std::uint64_t{0};
        return std::max(kAnyTransient, kTransientForEach * max_states);
    }

    // Whether one more state of this kind is within the limit; `stored`: states, `inside` of them transient.
    bool counts_allow(bool is_transient, std::uint64_t stored, std::uint64_t inside) const {
        return is_transient ? inside < most_transient() : stored - inside < max_states;
    }

    // Why this state may not be stored; null: it may, or it is there already. `besides()`: what the search holds
    // besides the store.
    template <typename Store, typename Besides>
    const char* refusal(Store& store, const Transient& transient, const Word* state, std::uint64_t hash,
                        Besides&& besides) const {
        if (are_far_from(store)) [[likely]]
            return nullptr;
        return refusal_near(store, transient, state, hash, besides);
    }

    // Whether the store may take any state: one look at its size.
    template <typename Store>
    bool are_far_from(const Store& store) const {
        return !store.about_to_grow() && store.size() < std::min(max_states, store::kMostNumbers);
    }

    // Whether the store cannot take so many states more without growing beyond the limit.
    template <typename Store, typename Besides>
    bool is_memory_full(const Store& store, std::uint64_t more, Besides&& besides) const {
        return store.grows_within(more) && store.bytes_after_growth() + besides() > max_bytes;
    }

    // The same as `refusal`, for callers that have asked `are_far_from`.
    template <typename Store, typename Besides>
    [[gnu::noinline]] const char* refusal_near(Store& store, const Transient& transient, const Word* state,
                                               std::uint64_t hash, Besides&& besides) const {
        if (store.about_to_grow() && store.bytes_after_growth() + besides() > max_bytes) return "memory";
        if (store.size() < std::min(max_stored, store.most_states()) &&
            counts_allow(transient.is(state), store.size(), transient.stored))
            return nullptr;
        return store.find(state, hash) == Store::kAbsent ? kTooManyStates : nullptr;
    }
};

}  // namespace mule::search
