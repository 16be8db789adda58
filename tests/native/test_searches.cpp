// Every search on a program written by hand.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "counters.hpp"
#include "search/explorer.hpp"
#include "search/judge.hpp"
#include "search/sample.hpp"
#include "search/search.hpp"
#include "search/stateless.hpp"
#include "store/numbered.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::search;
using namespace mule::counters;

namespace {

SearchResult run(Search& search, std::uint64_t states) {
    while (search.step(states)) {
    }
    return search.take_result();
}

}  // namespace

TEST_CASE("breadth first and depth first count the same, in steps of any size") {
    const Program program = counters::program();
    for (const Order order : {Order::kBreadthFirst, Order::kDepthFirst}) {
        for (const std::uint64_t states : {1, 7, 1'000'000}) {
            SearchOptions options;
            options.order = order;
            const SearchResult result = run(*make_search(program, kInitial, options, nullptr), states);
            CHECK(result.progress.states == kStates);
            CHECK(result.progress.transitions == kCounters * kLimit * (kLimit + 1) * (kLimit + 1));
            CHECK(result.deadlocks == 1);
            CHECK(result.stopped.empty());
            CHECK(result.fired == std::vector<std::uint8_t>(kCounters, 1));
        }
    }
}

TEST_CASE("breadth first finds a shortest path, and depth first a path") {
    const Program program = counters::program(1);
    for (const Order order : {Order::kBreadthFirst, Order::kDepthFirst}) {
        SearchOptions options;
        options.order = order;
        const SearchResult result = run(*make_search(program, kInitial, options, nullptr), 10);
        CHECK(result.found == Found::kProposition);
        CHECK(result.path.size() == kLimit);
        for (const Step& step : result.path) CHECK(step.transition == 0);
    }
}

TEST_CASE("a search that is told to stop says why, and what it has seen") {
    const Program program = counters::program();
    SearchOptions options;
    const auto search = make_search(program, kInitial, options, nullptr);
    CHECK(search->step(1));
    search->stop("time");
    CHECK(!search->step(1'000'000));
    const SearchResult result = search->take_result();
    CHECK(result.stopped == "time");
    CHECK(result.progress.states < kStates);
}

TEST_CASE("a limit on the states holds exactly, and is no limit where it is just enough") {
    const Program program = counters::program();
    for (const Order order : {Order::kBreadthFirst, Order::kDepthFirst}) {
        SearchOptions options;
        options.order = order;
        options.max_states = kStates;
        CHECK(run(*make_search(program, kInitial, options, nullptr), 50).stopped.empty());
        options.max_states = kStates - 1;
        const SearchResult result = run(*make_search(program, kInitial, options, nullptr), 50);
        CHECK(result.stopped == "states");
        CHECK(result.progress.states == kStates - 1);
    }
}

TEST_CASE("without a store every run is followed") {
    const Program program = counters::program();
    const SearchOptions options;
    Stateless search(program, options, nullptr);
    search.begin(kInitial.data());
    const SearchResult result = run(search, 100);
    CHECK(result.runs == 756'756);  // 15! / (5! 5! 5!)
    CHECK(result.progress.depth == kCounters * kLimit);
}

TEST_CASE("judges of several workers add up, and one violation is enough") {
    const Program program = counters::program(1);
    SearchOptions options;
    options.stop_at_deadlock = true;
    options.error_state_mask = {0xFF};
    Judge one(program, options), other(program, options);
    const Word fine = kOccupied, broken = kOccupied | kLimit, failing = kOccupied | 3;
    one.enabled(0);
    other.enabled(2);
    CHECK(!one.arrive(&fine, false));
    CHECK(!one.arrive(&fine, true));
    CHECK(other.arrive(&broken, false));
    Happenings fails;
    fails.failures = 2;
    one.expanded(&failing, fails);
    other.expanded(&failing, fails);
    one.merge(other);
    const Judged judged = one.take();
    CHECK(judged.found == Found::kProposition);
    CHECK(judged.failures == 4);
    CHECK(judged.error_states == 1);
    CHECK(judged.transient == 1);
    CHECK(judged.fired == std::vector<std::uint8_t>{1, 0, 1});
}

TEST_CASE("a sample takes evenly from the whole stream") {
    constexpr Word kStates = 40000, kTenths = 10;
    Sample sample(2000, 1);
    for (Word state = 0; state < kStates; ++state) sample.offer(&state);
    std::vector<unsigned> taken(kTenths);
    for (const Word state : sample.take()) ++taken[state * kTenths / kStates];
    for (const unsigned each : taken) {
        CHECK(each > 150);
        CHECK(each < 250);
    }
}
