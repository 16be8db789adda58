// Searches by several threads against the serial one: the same counts and verdicts, a shortest path, the same limits.
#include <doctest/doctest.h>

#include <set>

#include "counters.hpp"
#include "independent.hpp"
#include "parallel/search.hpp"

using namespace mule;
using namespace mule::counters;
using namespace mule::parallel;

namespace {

using Counting = Wide<3, 30>;

// Threads share everything, and the table grows often.
Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 5}; }

void counts_as_one(const Program& program, const SearchOptions& options) {
    const SearchResult expected = finish(*make_search(program, Counting::start(), options, nullptr), 1000);
    for (const unsigned workers : {1u, 2u, 3u, 4u}) {
        CAPTURE(workers);
        for (const std::uint64_t step : {64u, 100'000u}) {
            const auto search = make_parallel_search(program, Counting::start(), options, nullptr, tiny(workers));
            const SearchResult found = finish(*search, step);
            CHECK(found.progress.states == expected.progress.states);
            CHECK(found.progress.transitions == expected.progress.transitions);
            CHECK(found.progress.depth == expected.progress.depth);
            CHECK(found.progress.open == 0);
            CHECK(found.deadlocks == expected.deadlocks);
            CHECK(found.failures == expected.failures);
            CHECK(found.error_states == expected.error_states);
            CHECK(found.transient == expected.transient);
            CHECK(found.fired == expected.fired);
            CHECK(found.found == Found::kNothing);
        }
    }
}

}  // namespace

TEST_CASE("several threads count what one counts") {
    SearchOptions options;
    counts_as_one(Counting::program(), options);
    Program with_transient = Counting::program();
    with_transient.transient = 1;
    counts_as_one(with_transient, options);
    options.error_state_mask = {0, 0, 0xFFFFFF};
    counts_as_one(Counting::program(), options);
}

TEST_CASE("several threads find the violation that one finds, on a shortest path, and always the same one") {
    const Program program = Counting::program(1);
    const SearchOptions options;
    const SearchResult expected = finish(*make_search(program, Counting::start(), options, nullptr), 1000);
    REQUIRE(expected.found == Found::kProposition);
    std::set<std::uint64_t> states;
    for (const unsigned workers : {1u, 2u, 4u}) {
        const auto search = make_parallel_search(program, Counting::start(), options, nullptr, tiny(workers));
        const SearchResult found = finish(*search, 5000);
        CHECK(found.found == Found::kProposition);
        CHECK(found.path.size() == expected.path.size());
        if (workers > 1) {  // one that works alone stops in the middle of its level
            states.insert(found.progress.states);
        }
    }
    CHECK(states.size() == 1);
}

TEST_CASE("several threads find failing steps and deadlocks") {
    const Program program = Counting::program();
    SearchOptions failures;
    failures.stop_at_assertion = failures.stop_at_error = true;
    SearchOptions deadlocks;
    deadlocks.stop_at_deadlock = true;
    for (const SearchOptions& options : {failures, deadlocks}) {
        const SearchResult expected = finish(*make_search(program, Counting::start(), options, nullptr), 1000);
        for (const unsigned workers : {1u, 2u, 4u}) {
            const auto search = make_parallel_search(program, Counting::start(), options, nullptr, tiny(workers));
            const SearchResult found = finish(*search, 700);
            CHECK(found.found == expected.found);
            CHECK(found.path.size() == expected.path.size());
        }
    }
}

TEST_CASE("several threads with a reduction of their own come to the same deadlock") {
    const Program program = Counting::program<false>();
    SearchOptions options;
    options.proviso = Proviso::kClosedMinus;
    for (const unsigned workers : {1u, 2u, 4u}) {
        Reducer reducer = independent(program, Memory::kValid);
        const SearchResult found =
            finish(*make_parallel_search(program, Counting::start(), options, &reducer, tiny(workers)), 1000);
        CHECK(found.deadlocks == 1);
        CHECK(found.progress.states < Counting::kMany);
    }
}

TEST_CASE("threads do not follow a wheel that turns for ever and ignore what it leaves out") {
    // The first counter goes round and round, and the reduced sets begin with it; the invariant is about the others.
    const Program program = Counting::turning();
    for (const Proviso proviso : {Proviso::kClosedMinus, Proviso::kDuplicateMinus, Proviso::kDuplicate}) {
        SearchOptions options;
        options.proviso = proviso;
        for (const unsigned workers : {1u, 2u, 4u}) {
            Reducer reducer = independent(program, Memory::kValid);
            const auto search = make_parallel_search(program, Counting::start(), options, &reducer, tiny(workers));
            const SearchResult found = finish(*search, 1000);
            CHECK(found.found == Found::kProposition);
            CHECK(found.fully_expanded > 0);
        }
    }
}

TEST_CASE("several threads stop at the limits of one") {
    const Program program = Counting::program();
    for (const std::uint64_t most : {1u, 10u, 1'000u, 20'000u}) {
        SearchOptions options;
        options.max_states = most;
        for (const unsigned workers : {1u, 3u}) {
            const SearchResult found =
                finish(*make_parallel_search(program, Counting::start(), options, nullptr, tiny(workers)), 500);
            CHECK(found.stopped == "states");
            CHECK(found.progress.states == most);
        }
    }
    SearchOptions enough;
    enough.max_states = finish(*make_search(program, Counting::start(), {}, nullptr), 1000).progress.states;
    CHECK(finish(*make_parallel_search(program, Counting::start(), enough, nullptr, tiny(2)), 500).stopped.empty());
    SearchOptions small;
    small.max_bytes = 100'000;
    CHECK(finish(*make_parallel_search(program, Counting::start(), small, nullptr, tiny(2)), 500).stopped == "memory");
}

TEST_CASE("what several threads cannot do is refused") {
    const Program program = Counting::program();
    SearchOptions deep;
    deep.order = Order::kDepthFirst;
    SearchOptions stack;
    stack.proviso = Proviso::kStack;
    for (const SearchOptions& options : {deep, stack})
        CHECK_THROWS_AS(make_parallel_search(program, Counting::start(), options, nullptr, tiny(2)),
                        std::invalid_argument);
    CHECK_THROWS_AS(make_parallel_search(program, Counting::start(), {}, nullptr, tiny(0)), std::invalid_argument);
}
