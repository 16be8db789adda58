// Each cycle condition on all combinations of what a store can say of up to three successors.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "proviso/proviso.hpp"
#include "proviso/static.hpp"

using namespace mule;
using namespace mule::search;

namespace {

struct Kept {
    Standing standing;
    bool key;
};

bool allowed(Proviso proviso, const std::vector<Kept>& kept) {
    return allows(
        proviso, static_cast<std::uint32_t>(kept.size()), [&](std::uint32_t i) { return kept[i].key; },
        [&](std::uint32_t i) { return kept[i].standing; });
}

template <typename Visit>
void for_each_combination(Visit&& visit) {
    constexpr Standing kAll[] = {Standing::kFresh, Standing::kUnreduced, Standing::kOpen, Standing::kClosed,
                                 Standing::kElsewhere};
    for (unsigned count = 1; count <= 3; ++count) {
        unsigned combinations = 1;
        for (unsigned i = 0; i < count; ++i) combinations *= 10;
        for (unsigned code = 0; code < combinations; ++code) {
            std::vector<Kept> kept;
            for (unsigned i = 0, rest = code; i < count; ++i, rest /= 10)
                kept.push_back({kAll[rest % 5], rest / 5 % 2 != 0});
            visit(kept);
        }
    }
}

bool off_stack(const Kept& kept) { return kept.standing == Standing::kFresh || kept.standing == Standing::kClosed; }
bool fresh(const Kept& kept) { return kept.standing == Standing::kFresh; }
bool not_closed(const Kept& kept) { return fresh(kept) || kept.standing == Standing::kUnreduced; }

}  // namespace

TEST_CASE("the strong conditions ask it of every successor, the weak ones of one by a key transition") {
    for_each_combination([](const std::vector<Kept>& kept) {
        const auto all = [&](auto&& holds) { return std::all_of(kept.begin(), kept.end(), holds); };
        const auto some_key = [&](auto&& holds) {
            return std::any_of(kept.begin(), kept.end(), [&](const Kept& each) { return each.key && holds(each); });
        };
        CHECK(allowed(Proviso::kStack, kept) == all(off_stack));
        CHECK(allowed(Proviso::kC3Prime, kept) == all(off_stack));
        CHECK(allowed(Proviso::kStackMinus, kept) == some_key(off_stack));
        CHECK(allowed(Proviso::kDuplicate, kept) == all(fresh));
        CHECK(allowed(Proviso::kDuplicateMinus, kept) == some_key(fresh));
        CHECK(allowed(Proviso::kClosedMinus, kept) == some_key(not_closed));
        CHECK(allowed(Proviso::kNone, kept));
        CHECK(allowed(Proviso::kStatic, kept));
    });
}

TEST_CASE("a successor that another explorer owns is relied on by no condition") {
    const std::vector<Kept> kept = {{Standing::kElsewhere, true}};
    for (const Proviso proviso :
         {Proviso::kStack, Proviso::kStackMinus, Proviso::kDuplicate, Proviso::kDuplicateMinus, Proviso::kClosedMinus})
        CHECK(!allowed(proviso, kept));
}

TEST_CASE("only what looks at the stack needs one") {
    CHECK(needs_stack(Proviso::kStack));
    CHECK(needs_stack(Proviso::kStackMinus));
    CHECK(needs_stack(Proviso::kC3Prime));
    for (const Proviso proviso :
         {Proviso::kNone, Proviso::kDuplicate, Proviso::kDuplicateMinus, Proviso::kClosedMinus, Proviso::kStatic})
        CHECK(!needs_stack(proviso));
}

TEST_CASE("the static condition keeps sticky transitions out of reduced sets") {
    const std::vector<Word> sticky = {Word{1} << 5, Word{1} << 1};
    const std::vector<TransitionId> free = {0, 4, 64}, stuck = {0, 65};
    CHECK(static_proviso_allows(free, sticky));
    CHECK(!static_proviso_allows(stuck, sticky));
}
