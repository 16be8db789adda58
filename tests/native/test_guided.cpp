// A* and best-first search on a program written by hand: counters, and estimates of several qualities.
#include <doctest/doctest.h>

#include "counters.hpp"
#include "search/search.hpp"

using namespace mule;
using namespace mule::counters;

namespace {

// How far the first counter is from its limit, and the others from 0, which they cannot come back to.
std::int64_t exact(const Word* state, std::uint32_t) {
    return static_cast<std::int64_t>(kLimit - value(*state, 0)) + (value(*state, 1) + value(*state, 2) == 0 ? 0 : 100);
}
std::int64_t misleading(const Word* state, std::uint32_t) { return 20 * static_cast<std::int64_t>(value(*state, 0)); }
std::int64_t undefined(const Word*, std::uint32_t) { return Program::kUndefined; }

SearchResult run(Order order, Program::Function estimate, std::uint64_t max_states = kStates) {
    Program program = counters::program(1);
    program.functions = estimate == nullptr ? 0 : 1;
    program.replace(&expand, &guard, &proposition, estimate);
    SearchOptions options;
    options.order = order;
    options.max_states = max_states;
    const auto search = make_search(program, kInitial, options, nullptr);
    while (search->step(3)) {
    }
    return search->take_result();
}

}  // namespace

TEST_CASE("A* with an exact estimate goes straight to the violation") {
    const SearchResult result = run(Order::kAStar, &exact);
    CHECK(result.found == Found::kProposition);
    CHECK(result.path.size() == kLimit);
    CHECK(result.bounded);
    CHECK(result.expanded == kLimit);
    CHECK(run(Order::kBestFirst, &exact).expanded == kLimit);
    CHECK(!run(Order::kBestFirst, &exact).bounded);
}

TEST_CASE("A* without a useful estimate is breadth first, and finds as short a path") {
    for (const Program::Function estimate : {Program::Function{nullptr}, Program::Function{&undefined}}) {
        const SearchResult result = run(Order::kAStar, estimate);
        CHECK(result.path.size() == kLimit);
        CHECK(result.bounded);
    }
}

TEST_CASE("a misleading estimate costs time, not the violation") {
    for (const Order order : {Order::kAStar, Order::kBestFirst}) {
        const SearchResult result = run(order, &misleading);
        CHECK(result.found == Found::kProposition);
        CHECK(result.path.size() == kLimit);
    }
}

TEST_CASE("a search that has to stop keeps what it has found") {
    CHECK(run(Order::kAStar, nullptr, 60).found == Found::kProposition);
    CHECK(run(Order::kAStar, nullptr, 10).stopped == "states");
}

TEST_CASE("a shorter way that is found late is taken") {
    // 0 -> 1 -> 2 -> 3 -> 4 and 0 -> 5 -> 3, where the estimate hides 5: 3 is met first by the longer way.
    Program program;
    program.words = 1;
    program.transitions = 1;
    program.propositions = 1;
    program.functions = 1;
    program.max_successors = 2;
    program.replace(
        [](const Word* state, std::uint64_t, Word* out) -> std::uint32_t {
            static constexpr Word kNext[8][2] = {{1, 5}, {2, 0}, {3, 0}, {6, 0}, {0, 0}, {3, 0}, {7, 0}, {4, 0}};
            std::uint32_t count = 0;
            for (const Word next : kNext[*state & 7]) {
                if (next == 0) continue;
                Word* entry = out + std::size_t{count} * (kHeaderWords + 1);
                entry[kHeaderWords] = kOccupied | next;
                *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, 1), 0,
                                                              static_cast<std::uint16_t>(count++), 0};
            }
            return count;
        },
        &guard, [](const Word* state, std::uint32_t) { return (*state & 7) != 4; },
        [](const Word* state, std::uint32_t) -> std::int64_t { return (*state & 7) == 5 ? 4 : 0; });
    SearchOptions options;
    options.order = Order::kAStar;
    const auto search = make_search(program, kInitial, options, nullptr);
    while (search->step(1)) {
    }
    const SearchResult result = search->take_result();
    CHECK(result.path.size() == 5);  // 0, 5, 3, 6, 7, 4
    CHECK(result.path.front().outcome == 1);
    CHECK(result.progress.transitions == 8);
    CHECK(result.expanded > result.progress.states - 1);
}
