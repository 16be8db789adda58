// The cycle conditions by name. Each stands in a file of its own; none of them knows a search.
#pragma once

#include "proviso/c3prime.hpp"
#include "proviso/closed_minus.hpp"
#include "proviso/duplicate.hpp"
#include "proviso/duplicate_minus.hpp"
#include "proviso/fragmented.hpp"
#include "proviso/fragmented_history.hpp"
#include "proviso/fragmented_order.hpp"
#include "proviso/stack.hpp"
#include "proviso/stack_minus.hpp"

namespace mule::proviso {

enum class Proviso {
    kNone,
    kStack,
    kStackMinus,
    kDuplicate,
    kDuplicateMinus,
    kC3Prime,
    kStatic,  // judged when the set is chosen, by its transitions (static.hpp)
    kFragmented,
    kFragmentedOrder,
    kFragmentedHistory,
    kClosedMinus,
};

inline bool needs_stack(Proviso proviso) {
    return proviso == Proviso::kStack || proviso == Proviso::kStackMinus || proviso == Proviso::kC3Prime;
}

// Those of fragmented depth-first search.
inline bool is_fragmented(Proviso proviso) {
    return proviso == Proviso::kFragmented || proviso == Proviso::kFragmentedOrder ||
           proviso == Proviso::kFragmentedHistory;
}

namespace detail {

// A condition asks of each successor that its standing is allowed, or, where one is enough, of one by a key transition:
// only these may be relied on to keep others from being ignored (see kKey).
template <typename Condition, typename IsKey, typename StandingOf>
bool allowed(std::uint32_t count, IsKey&& is_key, StandingOf&& standing_of) {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (Condition::kOneIsEnough && !is_key(i)) continue;
        if (Condition::allows(standing_of(i)) == Condition::kOneIsEnough) return Condition::kOneIsEnough;
    }
    return !Condition::kOneIsEnough;
}

}  // namespace detail

// Whether a reduced set will do that leads to `count` successors. They are asked about in order, and only while it
// matters: `is_key(i)`, whether the successor is a key transition's, and `standing_of(i)`.
template <typename IsKey, typename StandingOf>
bool allows(Proviso proviso, std::uint32_t count, IsKey&& is_key, StandingOf&& standing_of) {
    switch (proviso) {
        case Proviso::kNone:
        case Proviso::kStatic:
            return true;
        case Proviso::kStack:
            return detail::allowed<StackProviso>(count, is_key, standing_of);
        case Proviso::kStackMinus:
            return detail::allowed<StackMinusProviso>(count, is_key, standing_of);
        case Proviso::kDuplicate:
            return detail::allowed<DuplicateProviso>(count, is_key, standing_of);
        case Proviso::kDuplicateMinus:
            return detail::allowed<DuplicateMinusProviso>(count, is_key, standing_of);
        case Proviso::kClosedMinus:
            return detail::allowed<ClosedMinusProviso>(count, is_key, standing_of);
        case Proviso::kC3Prime:
            return detail::allowed<C3PrimeProviso>(count, is_key, standing_of);
        case Proviso::kFragmented:
        case Proviso::kFragmentedOrder:
        case Proviso::kFragmentedHistory:
            return detail::allowed<FragmentedProviso>(count, is_key, standing_of);
    }
    __builtin_unreachable();
}

// Calls `with.operator()<Condition>()` for one of fragmented depth-first search.
template <typename With>
auto with_fragmented(Proviso proviso, With&& with) {
    if (proviso == Proviso::kFragmentedOrder) return with.template operator()<FragmentedOrderProviso>();
    if (proviso == Proviso::kFragmentedHistory) return with.template operator()<FragmentedHistoryProviso>();
    return with.template operator()<FragmentedProviso>();
}

}  // namespace mule::proviso
