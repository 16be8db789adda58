// Products searched by several threads against the serial search: the same counts and verdicts, runs that are accepted,
// and the same reduced product for every number of threads.
#include <doctest/doctest.h>

#include "parallel/emptiness.hpp"
#include "wheels.hpp"

using namespace mule;
using namespace mule::wheels;
using namespace mule::parallel;

namespace {

Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 8}; }

EmptinessResult finish(EmptinessSearch& search, std::uint64_t states = 1000) {
    while (search.step(states)) {
    }
    return search.take_result();
}

EmptinessResult searched(const PropertyAutomaton& automaton, const EmptinessOptions& options, bool reduces,
                         unsigned workers) {
    const Program program = wheels::program();
    Reducer reducer = independent(program, Memory::kExact);
    Reducer* chosen = reduces ? &reducer : nullptr;
    const auto search = workers == 0 ? make_emptiness_search(program, kStart, automaton, kField, options, chosen)
                                     : make_parallel_emptiness_search(program, kStart, automaton, kField, options,
                                                                      chosen, tiny(workers));
    EmptinessResult found = finish(*search);
    CHECK(found.stopped.empty());
    if (!found.empty) CHECK(marks_on_cycle(program, automaton, found) == automaton.all_marks());
    return found;
}

}  // namespace

TEST_CASE("several workers see the whole product") {
    const auto serial = searched(both_again(0, 2), by_components(), false, 0);
    CHECK(serial.empty);
    CHECK(serial.progress.states == kPositions * kPositions * kPositions);
    for (unsigned workers = 1; workers <= 4; ++workers) {
        const auto found = searched(both_again(0, 2), by_components(), false, workers);
        CHECK(found.empty);
        CHECK(found.progress.states == serial.progress.states);
        CHECK(found.progress.transitions == serial.progress.transitions);
        CHECK(found.workers == workers);
    }
}

TEST_CASE("several workers find an accepting cycle with all marks") {
    for (unsigned workers = 1; workers <= 4; ++workers) {
        CHECK(!searched(both_again(0, 1), by_components(), false, workers).empty);
        CHECK(!searched(never_from_some_moment(0), by_components(), false, workers).empty);
        CHECK(!searched(never_from_some_moment(2), by_components(), false, workers).empty);
    }
}

TEST_CASE("the reduced product is the same for every number of workers, and no run is lost") {
    const auto whole = searched(both_again(2, 2), by_components(), false, 1);
    for (const Proviso proviso : {Proviso::kDuplicate, Proviso::kC3Prime}) {
        const EmptinessOptions unseen = seeing({2}, proviso);
        const auto alone = searched(both_again(2, 2), unseen, true, 1);
        CHECK(alone.empty);
        CHECK(alone.reduced != 0);
        CHECK(alone.progress.transitions < whole.progress.transitions);
        for (unsigned workers = 2; workers <= 4; ++workers) {
            const auto found = searched(both_again(2, 2), unseen, true, workers);
            CHECK(found.empty);
            CHECK(found.progress.states == alone.progress.states);
            CHECK(found.progress.transitions == alone.progress.transitions);
            CHECK(found.reduced == alone.reduced);
            CHECK(!searched(both_again(0, 1), seeing({0, 1}, proviso), true, workers).empty);
            CHECK(!searched(never_from_some_moment(1), seeing({1}, proviso), true, workers).empty);
        }
    }
}

TEST_CASE("a limit on the states of the product is kept exactly") {
    const Program program = wheels::program();
    for (const std::uint64_t most : {1, 7, 500, 1727, 1728}) {
        EmptinessOptions options = by_components();
        options.limits.max_states = most;
        const auto search =
            make_parallel_emptiness_search(program, kStart, both_again(0, 2), kField, options, nullptr, tiny(3));
        const auto found = finish(*search, 50);
        CHECK(found.progress.states <= most);
        CHECK(found.stopped == (most < 1728 ? "states" : ""));
    }
}

TEST_CASE("a cycle is found among the states that a limit allows") {
    const Program program = wheels::program();
    EmptinessOptions options = by_components();
    options.limits.max_states = 1500;
    const auto search =
        make_parallel_emptiness_search(program, kStart, both_again(0, 1), kField, options, nullptr, tiny(2));
    CHECK(!finish(*search).empty);
}

TEST_CASE("under fairness all wheels turn") {
    // From some moment on the first wheel is never at its beginning: only where it stands still, which is not fair.
    EmptinessOptions options = by_components();
    BitMatrix each(kWheels, kWheels);
    for (unsigned wheel = 0; wheel < kWheels; ++wheel) set_bit(each.row(wheel), wheel);
    for (const bool compassion : {false, true}) {
        options.fairness = {compassion, each, each};
        for (unsigned workers = 0; workers <= 3; ++workers) {
            CHECK(searched(never_from_some_moment(0), options, false, workers).empty);
            CHECK(!searched(both_again(0, 1), options, false, workers).empty);
        }
    }
}

TEST_CASE("several workers have no stack") {
    const Program program = wheels::program();
    Reducer reducer = independent(program, Memory::kExact);
    const EmptinessOptions options = seeing({0}, Proviso::kStack);
    CHECK_THROWS_AS(
        make_parallel_emptiness_search(program, kStart, both_again(0, 1), kField, options, &reducer, tiny(2)),
        std::invalid_argument);
}
