// Every search on a program written by hand: counters that count to a limit, one transition each.
#include <doctest/doctest.h>

#include <memory>

#include "search/explorer.hpp"
#include "search/judge.hpp"
#include "search/search.hpp"
#include "search/stateless.hpp"
#include "store/numbered.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::search;

namespace {

constexpr unsigned kCounters = 3;
constexpr Word kLimit = 5;
constexpr std::uint64_t kStates = (kLimit + 1) * (kLimit + 1) * (kLimit + 1);

Word value(Word state, unsigned counter) { return state >> (8 * counter) & 0xFF; }

std::uint32_t expand(const Word* state, std::uint64_t, Word* out) {
    std::uint32_t count = 0;
    for (unsigned counter = 0; counter < kCounters; ++counter) {
        if (value(*state, counter) == kLimit) continue;
        Word* entry = out + std::size_t{count++} * (kHeaderWords + 1);
        entry[kHeaderWords] = *state + (Word{1} << (8 * counter));
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, 1), counter, 0, 0};
    }
    return count;
}

bool guard(const Word*, std::uint32_t) { return true; }
// The first counter is never at its limit while the others are at 0.
bool proposition(const Word* state, std::uint32_t) {
    return value(*state, 0) != kLimit || value(*state, 1) + value(*state, 2) != 0;
}

Program counters(std::uint32_t propositions = 0) {
    Program program;
    program.words = 1;
    program.transitions = kCounters;
    program.propositions = propositions;
    program.max_successors = kCounters;
    program.replace(&expand, &guard, &proposition, nullptr);
    return program;
}

const std::vector<Word> kInitial = {kOccupied};

SearchResult run(Search& search, std::uint64_t states) {
    while (search.step(states)) {
    }
    return search.take_result();
}

}  // namespace

TEST_CASE("breadth first and depth first count the same, in steps of any size") {
    const Program program = counters();
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
    const Program program = counters(1);
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
    const Program program = counters();
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
    const Program program = counters();
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
    const Program program = counters();
    const SearchOptions options;
    Stateless search(program, options, nullptr);
    search.begin(kInitial.data());
    const SearchResult result = run(search, 100);
    CHECK(result.runs == 756'756);  // 15! / (5! 5! 5!)
    CHECK(result.progress.depth == kCounters * kLimit);
}

TEST_CASE("judges of several workers add up, and one violation is enough") {
    const Program program = counters(1);
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
