// Searches by several threads against the serial one: the same counts and verdicts, a shortest path, the same limits.
#include <doctest/doctest.h>

#include <set>

#include "counters.hpp"
#include "parallel/search.hpp"
#include "reduction/reducer.hpp"
#include "search/search.hpp"

using namespace mule;
using namespace mule::counters;
using namespace mule::parallel;

namespace {

// Three counters in the last of three words; the other words never change, so all states have the same first word.
constexpr unsigned kWords = 3;
constexpr Word kHigh = 30;
constexpr std::uint64_t kMany = (kHigh + 1) * (kHigh + 1) * (kHigh + 1);
const std::vector<Word> kStart = {kOccupied, 7, 0};

// Fails: the first counter must not come to its end while the second one is at 3.
template <bool Fails>
std::uint32_t expand_wide(const Word* state, std::uint64_t, Word* out) {
    std::uint32_t count = 0;
    for (unsigned counter = 0; counter < kCounters; ++counter) {
        if (value(state[2], counter) == kHigh) continue;
        Word* entry = out + std::size_t{count++} * (kHeaderWords + kWords);
        std::copy(state, state + kWords, entry + kHeaderWords);
        entry[kHeaderWords + 2] += Word{1} << (8 * counter);
        const bool fails = Fails && value(entry[kHeaderWords + 2], 0) == kHigh && value(state[2], 1) == 3;
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, kWords), counter, 0,
                                                      fails ? kError : std::uint16_t{0}};
    }
    return count;
}
bool some_guard(const Word* state, std::uint32_t guard) { return value(state[2], guard) < kHigh; }
// 0: the sum of the counters is not 40. 1: states with an even last counter are transient.
bool proposition_wide(const Word* state, std::uint32_t number) {
    if (number == 1) return value(state[2], 2) % 2 == 0;
    return value(state[2], 0) + value(state[2], 1) + value(state[2], 2) != 40;
}

template <bool Fails = true>
Program wide(std::uint32_t propositions = 0) {
    Program program;
    program.words = kWords;
    program.transitions = program.guards = kCounters;
    program.propositions = propositions;
    program.max_successors = kCounters;
    program.replace(&expand_wide<Fails>, &some_guard, &proposition_wide, nullptr);
    return program;
}

// Counters do not look at each other.
Reducer independent(const Program& program) {
    Relations relations;
    relations.transitions = relations.guards = kCounters;
    relations.do_not_accord = relations.do_not_left_accord = BitMatrix(kCounters, kCounters);
    relations.enabling = relations.disabling = relations.never_coenabled = BitMatrix(kCounters, kCounters);
    for (unsigned c = 0; c < kCounters; ++c) {
        relations.guards_of.push_back({c});
        set_bit(relations.do_not_accord.row(c), c);
        set_bit(relations.do_not_left_accord.row(c), c);
        set_bit(relations.disabling.row(c), c);
    }
    return Reducer(program, std::move(relations), "deletion", {}, {0, 0, 0}, std::vector<bool>(kCounters), {},
                   Memory::kValid);
}

SearchResult finish(Search& search, std::uint64_t states) {
    while (search.step(states)) {
    }
    return search.take_result();
}

// Threads share everything, and the table grows often.
Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 5}; }

void counts_as_one(const Program& program, const SearchOptions& options) {
    const SearchResult expected = finish(*make_search(program, kStart, options, nullptr), 1000);
    for (const unsigned workers : {1u, 2u, 3u, 4u}) {
        CAPTURE(workers);
        for (const std::uint64_t step : {64u, 100'000u}) {
            const auto search = make_parallel_search(program, kStart, options, nullptr, tiny(workers));
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
    counts_as_one(wide(), options);
    Program with_transient = wide();
    with_transient.transient = 1;
    counts_as_one(with_transient, options);
    options.error_state_mask = {0, 0, 0xFFFFFF};
    counts_as_one(wide(), options);
}

TEST_CASE("several threads find the violation that one finds, on a shortest path, and always the same one") {
    const Program program = wide(1);
    const SearchOptions options;
    const SearchResult expected = finish(*make_search(program, kStart, options, nullptr), 1000);
    REQUIRE(expected.found == Found::kProposition);
    std::set<std::uint64_t> states;
    for (const unsigned workers : {1u, 2u, 4u}) {
        const auto search = make_parallel_search(program, kStart, options, nullptr, tiny(workers));
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
    const Program program = wide();
    SearchOptions failures;
    failures.stop_at_failure = true;
    SearchOptions deadlocks;
    deadlocks.stop_at_deadlock = true;
    for (const SearchOptions& options : {failures, deadlocks}) {
        const SearchResult expected = finish(*make_search(program, kStart, options, nullptr), 1000);
        for (const unsigned workers : {1u, 2u, 4u}) {
            const auto search = make_parallel_search(program, kStart, options, nullptr, tiny(workers));
            const SearchResult found = finish(*search, 700);
            CHECK(found.found == expected.found);
            CHECK(found.path.size() == expected.path.size());
        }
    }
}

TEST_CASE("several threads with a reduction of their own come to the same deadlock") {
    const Program program = wide<false>();
    SearchOptions options;
    options.proviso = Proviso::kDuplicateMinus;
    for (const unsigned workers : {1u, 2u, 4u}) {
        Reducer reducer = independent(program);
        const SearchResult found =
            finish(*make_parallel_search(program, kStart, options, &reducer, tiny(workers)), 1000);
        CHECK(found.deadlocks == 1);
        CHECK(found.progress.states < kMany);
    }
}

TEST_CASE("several threads stop at the limits of one") {
    const Program program = wide();
    for (const std::uint64_t most : {1u, 10u, 1'000u, 20'000u}) {
        SearchOptions options;
        options.max_states = most;
        for (const unsigned workers : {1u, 3u}) {
            const SearchResult found =
                finish(*make_parallel_search(program, kStart, options, nullptr, tiny(workers)), 500);
            CHECK(found.stopped == "states");
            CHECK(found.progress.states == most);
        }
    }
    SearchOptions enough;
    enough.max_states = finish(*make_search(program, kStart, {}, nullptr), 1000).progress.states;
    CHECK(finish(*make_parallel_search(program, kStart, enough, nullptr, tiny(2)), 500).stopped.empty());
    SearchOptions small;
    small.max_bytes = 100'000;
    CHECK(finish(*make_parallel_search(program, kStart, small, nullptr, tiny(2)), 500).stopped == "memory");
}

TEST_CASE("what several threads cannot do is refused") {
    const Program program = wide();
    SearchOptions deep;
    deep.order = Order::kDepthFirst;
    SearchOptions stack;
    stack.proviso = Proviso::kStack;
    for (const SearchOptions& options : {deep, stack})
        CHECK_THROWS_AS(make_parallel_search(program, kStart, options, nullptr, tiny(2)), std::invalid_argument);
    CHECK_THROWS_AS(make_parallel_search(program, kStart, {}, nullptr, tiny(0)), std::invalid_argument);
}
