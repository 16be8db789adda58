// States on disk: in the order of their hashes, found again, and an exploration that goes on with them.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <sstream>

#include "counters.hpp"
#include "search/exploration.hpp"
#include "search/frontier.hpp"
#include "search/spilled.hpp"
#include "store/compressed.hpp"

using namespace mule;
using namespace mule::search;

namespace {

using State = std::vector<Word>;

const std::string kDirectory = "/tmp";

State random_state(std::mt19937_64& random, unsigned words, Word values) {
    State state(words);
    for (Word& word : state) word = random() % values;
    state[0] |= kOccupied;
    return state;
}

bool never() { return false; }

// Counters of two words that count round and round, up to 200 each: 40,000 states, and edges back to the oldest ones.
constexpr Word kRound = 200;

std::uint32_t expand_round(const Word* state, std::uint64_t, Word* out) {
    for (unsigned counter = 0; counter < 2; ++counter) {
        Word* entry = out + std::size_t{counter} * (kHeaderWords + 2);
        Word* target = entry + kHeaderWords;
        std::copy(state, state + 2, target);
        target[counter] = (target[counter] & kOccupied) | ((target[counter] & ~kOccupied) + 1) % kRound;
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(target, 2), counter, 0, 0};
    }
    return 2;
}
bool is_elsewhere(const Word* state, std::uint32_t) { return (state[0] & ~kOccupied) != 150 || state[1] != 150; }

Program round_program(std::uint32_t propositions) {
    Program program;
    program.words = 2;
    program.transitions = 2;
    program.propositions = propositions;
    program.max_successors = 2;
    program.replace(&expand_round, &counters::guard, &is_elsewhere, nullptr);
    return program;
}

SearchResult finish(Exploration& search) {
    while (search.step(1000)) {
    }
    return search.take_result();
}

}  // namespace

TEST_CASE_TEMPLATE("a table gives its states in the order of their hashes", Store, Table<2>, CompressedTable) {
    Store table(2);
    std::mt19937_64 random(3);
    std::set<State> expected;
    for (unsigned i = 0; i < 12'000; ++i) {
        const State state = random_state(random, 2, 200);
        table.insert(state.data(), hash_words(state.data(), 2));
        const HashedKey key = table.key(state.data(), hash_words(state.data(), 2));
        expected.insert(State(key.key, key.key + table.key_words()));
    }
    std::set<State> seen;
    std::uint64_t before = 0;
    table.for_each_in_order([&](std::uint64_t hash, const Word* key) {
        CHECK(hash == hash_words(key, table.key_words()));
        CHECK(hash >= before);
        before = hash;
        seen.insert(State(key, key + table.key_words()));
    });
    CHECK(seen == expected);
    table.clear(0);
    CHECK(table.size() == 0);
}

TEST_CASE("a table gives what wrapped around its end last") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        Table<1> table(1, false, 8);
        std::mt19937_64 random(seed);
        for (unsigned i = 0; i < 5; ++i) {
            const Word state = (random() | kOccupied) & ~kMark;
            table.insert(&state, hash_words(&state, 1));
        }
        std::uint64_t before = 0, count = 0;
        table.for_each_in_order([&](std::uint64_t hash, const Word*) {
            CHECK(hash >= before);
            before = hash;
            ++count;
        });
        CHECK(count == table.size());
    }
}

TEST_CASE("keys are found in a run, in runs that were merged, and in one that was read again") {
    std::mt19937_64 random(7);
    std::set<State> all;
    std::vector<SortedRun> runs;
    for (unsigned i = 0; i < 3; ++i) {
        Table<3> table(3);
        while (table.size() < 4'000 * i) {
            const State state = random_state(random, 3, 1000);
            if (all.insert(state).second) table.insert(state.data(), hash_words(state.data(), 3));
        }
        SortedRun& run = runs.emplace_back(kDirectory, 3);
        table.for_each_in_order([&](std::uint64_t hash, const Word* key) { run.add(hash, key); });
        run.finish();
    }
    SortedRun whole = merged(kDirectory, {&runs[0], &runs[1], &runs[2]}, never);
    REQUIRE(whole.size() == all.size());
    std::stringstream file;
    Writer writer(file);
    whole.write(writer);
    writer.finish();
    SortedRun again(kDirectory, 3);
    Reader reader(file);
    again.read(reader);
    reader.finish();
    std::vector<std::pair<std::uint64_t, State>> wanted;
    for (unsigned i = 0; i < 5'000; ++i) wanted.emplace_back(0, random_state(random, 3, 1000));
    for (const State& state : all)
        if (random() % 3 == 0) wanted.emplace_back(0, state);
    for (auto& [hash, state] : wanted) hash = hash_words(state.data(), 3);
    std::sort(wanted.begin(), wanted.end());
    for (const SortedRun* run : {&whole, &again}) {
        SortedRun::Cursor cursor(*run);
        for (const auto& [hash, state] : wanted) CHECK(cursor.seek({hash, state.data()}) == all.contains(state));
    }
}

TEST_CASE("a frontier whose middle is on disk gives the same states") {
    Fifo frontier(3);
    std::mt19937 random(1);
    StateNumber next = 0, expected = 0;
    while (expected < 60'000) {
        if (next < 60'000 && random() % 5 < 3) {
            const Word state[] = {next, 1, next};
            frontier.push(next++, state, 0);
        } else if (!frontier.empty()) {
            if (!frontier.ready()) frontier.settle();
            const Open open = frontier.pop();
            CHECK(open.number == expected);
            CHECK(open.state[0] == expected);
            CHECK(open.state[2] == expected++);
        }
        if (random() % 500 == 0) frontier.shrink(kDirectory);
    }
    CHECK(frontier.disk_bytes() == 0);
}

TEST_CASE("an exploration that goes on with disk finds what one in memory does") {
    for (const std::uint32_t propositions : {0u, 1u}) {
        const Program program = round_program(propositions);
        const std::vector<Word> initial = {kOccupied, 0};
        SearchOptions in_memory;
        const SearchResult expected = finish(*make_exploration(program, initial, in_memory, nullptr, {}));
        CHECK(expected.progress.states == (propositions == 0 ? kRound * kRound : expected.progress.states));
        SearchOptions options;
        options.max_bytes = 400'000;
        options.spill = kDirectory;
        const auto search = make_exploration(program, initial, options, nullptr, {});
        std::uint64_t steps = 0;
        std::unique_ptr<Exploration> copy;
        while (search->step(500)) {
            if (++steps != 50) continue;
            CHECK(search->progress().disk > 0);
            std::stringstream file;
            search->write(file);
            copy = read_exploration(program, options, nullptr, file);
        }
        REQUIRE(copy != nullptr);
        for (Exploration* each : {search.get(), copy.get()}) {
            const SearchResult found = finish(*each);
            CHECK(found.stopped == "");
            if (propositions == 0) {  // else it ends where it finds something, somewhere in the same level
                CHECK(found.progress.states == expected.progress.states);
                CHECK(found.progress.transitions == expected.progress.transitions);
            }
            CHECK(found.progress.depth == expected.progress.depth);
            CHECK(found.progress.disk > 0);
            CHECK(found.found == expected.found);
            CHECK(found.path.size() == expected.path.size());
        }
    }
}

TEST_CASE("the limit on states is kept by an exploration that goes on with disk") {
    const Program program = round_program(0);
    SearchOptions options;
    options.max_bytes = 400'000;
    options.max_states = 30'000;
    options.spill = kDirectory;
    const SearchResult found = finish(*make_exploration(program, {kOccupied, 0}, options, nullptr, {}));
    CHECK(found.stopped == "states");
    CHECK(found.progress.states == 30'000);
}

TEST_CASE("an exploration that cannot write to the disk stops") {
    const Program program = round_program(0);
    SearchOptions options;
    options.max_bytes = 400'000;
    options.spill = "/nowhere";
    const SearchResult found = finish(*make_exploration(program, {kOccupied, 0}, options, nullptr, {}));
    CHECK(found.stopped == "disk");
    CHECK(found.progress.states < kRound * kRound);
}
