// Explorations that are written and read again, and that share the states of one program.
#include <doctest/doctest.h>

#include <sstream>

#include "counters.hpp"
#include "search/exploration.hpp"
#include "search/frontier.hpp"
#include "store/compressed.hpp"
#include "store/numbered.hpp"

using namespace mule;
using namespace mule::counters;

namespace {

SearchResult finish(Exploration& search) {
    while (search.step(7)) {
    }
    return search.take_result();
}

void check_same(const SearchResult& found, const SearchResult& expected) {
    CHECK(found.progress.states == expected.progress.states);
    CHECK(found.progress.transitions == expected.progress.transitions);
    CHECK(found.progress.depth == expected.progress.depth);
    CHECK(found.deadlocks == expected.deadlocks);
    CHECK(found.fired == expected.fired);
    CHECK(found.found == expected.found);
    CHECK(found.sample == expected.sample);
    REQUIRE(found.path.size() == expected.path.size());
    for (std::size_t i = 0; i < found.path.size(); ++i) CHECK(found.path[i].transition == expected.path[i].transition);
}

std::string written(Exploration& search) {
    std::ostringstream out;
    search.write(out);
    return out.str();
}

template <typename Store>
void check_store(Store& store, Store&& copy, unsigned words) {
    std::vector<Word> state(words);
    for (Word i = 0; i < 10'000; ++i) {
        for (unsigned w = 0; w < words; ++w) state[w] = kOccupied | (i * 7 + w % 3);
        store.insert(state.data(), hash_words(state.data(), words));
    }
    std::stringstream file;
    Writer writer(file);
    store.write(writer);
    writer.finish();
    Reader reader(file);
    copy.read(reader);
    reader.finish();
    REQUIRE(copy.size() == store.size());
    for (Word i = 0; i < 11'000; ++i) {
        for (unsigned w = 0; w < words; ++w) state[w] = kOccupied | (i * 7 + w % 3);
        const Place place = copy.insert(state.data(), hash_words(state.data(), words));
        CHECK(place.number == i);
        CHECK(place.fresh == (i >= 10'000));
    }
}

}  // namespace

TEST_CASE("a store that is read has the states of the one that was written, under their numbers") {
    Table<2> table(2, true);
    check_store(table, Table<2>(2, true), 2);
    CompressedTable compressed(7, true);
    check_store(compressed, CompressedTable(7, true), 7);
    NumberedStore<0> numbered(3);
    check_store(numbered, NumberedStore<0>(3), 3);
}

TEST_CASE("an exploration that was written at any step goes on as if nothing had happened") {
    for (const std::uint32_t propositions : {0u, 1u}) {
        const Program program = counters::program(propositions);
        SearchOptions options;
        options.sample = 10;
        const SearchResult expected = finish(*make_exploration(program, kInitial, options, nullptr, {}));
        for (std::uint64_t steps = 0; steps < 8; ++steps) {
            const auto search = make_exploration(program, kInitial, options, nullptr, {});
            for (std::uint64_t i = 0; i < steps; ++i)
                if (!search->step(1)) break;
            if (!search->has_work()) break;
            std::istringstream in(written(*search));
            check_same(finish(*read_exploration(program, options, nullptr, in)), expected);
        }
    }
}

TEST_CASE("a depth-first search that was written at any step, or at a limit, goes on as if nothing had happened") {
    const Program program = counters::program();
    SearchOptions options;
    options.order = Order::kDepthFirst;
    options.sample = 10;
    const auto finished = [](Search& search) {
        while (search.step(7)) {
        }
        return search.take_result();
    };
    const SearchResult expected = finished(*make_search(program, kInitial, options, nullptr));
    CHECK(expected.progress.states == kStates);
    for (std::uint64_t steps = 0; steps < 400; steps += 13) {
        const auto search = make_search(program, kInitial, options, nullptr);
        if (steps != 0) search->step(steps);
        std::stringstream file;
        search->write(file);
        check_same(finished(*read_search(program, options, nullptr, file)), expected);
    }
    for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
        options.order = order;
        options.whole_batches = true;
        options.max_states = 50;
        const auto search = make_search(program, kInitial, options, nullptr);
        while (search->step(7)) {
        }
        REQUIRE(search->can_be_written());
        std::stringstream file;
        search->write(file);
        CHECK(search->take_result().stopped == "states");
        options.max_states = kStates;
        const SearchResult found = finished(*read_search(program, options, nullptr, file));
        CHECK(found.stopped == "");
        CHECK(found.progress.states == kStates);
        CHECK(found.progress.transitions == expected.progress.transitions);
    }
}

TEST_CASE("a file that is cut short, changed, or of another search is refused") {
    const Program program = counters::program();
    const SearchOptions options;
    const auto search = make_exploration(program, kInitial, options, nullptr, {});
    search->step(50);
    const std::string whole = written(*search);
    const auto read = [&](const std::string& text, const Program& other) {
        std::istringstream in(text);
        read_exploration(other, options, nullptr, in);
    };
    CHECK_NOTHROW(read(whole, program));
    for (std::size_t at = 0; at < whole.size(); at += 97) {
        CHECK_THROWS_AS(read(whole.substr(0, at), program), ArchiveError);
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 4);
        CHECK_THROWS_AS(read(changed, program), ArchiveError);
    }
    CHECK_THROWS_AS(read(whole, counters::program(1)), ArchiveError);
}

TEST_CASE("a search that has ended is not written") {
    const Program program = counters::program();
    const SearchOptions options;
    const auto search = make_exploration(program, kInitial, options, nullptr, {});
    search->stop("time");
    CHECK_THROWS(written(*search));
}

TEST_CASE("explorations that own states by their hash count together what one does") {
    const Program program = counters::program();
    SearchOptions options;
    options.stop_at_assertion = true;  // keeps origins
    for (const std::uint16_t parts : {2, 3, 5}) {
        std::vector<std::unique_ptr<Exploration>> team;
        for (std::uint16_t part = 0; part < parts; ++part)
            team.push_back(make_exploration(program, kInitial, options, nullptr, {part, parts}));
        const auto works = [](const auto& search) { return search->has_work(); };
        while (std::any_of(team.begin(), team.end(), works)) {
            for (const auto& search : team) search->step(3);
            for (const auto& from : team)
                for (std::uint16_t part = 0; part < parts; ++part) team[part]->receive(from->outbox(part));
        }
        // Every path leads back to the initial state, over whichever explorations.
        for (std::uint16_t part = 0; part < parts; ++part) {
            PathEnd path = team[part]->path_to(part, 0);
            std::size_t steps = path.steps.size();
            while (!path.from_initial_state) {
                path = team[path.part]->path_to(path.part, path.number);
                steps += path.steps.size();
            }
            CHECK(steps <= kCounters * kLimit);
        }
        std::uint64_t states = 0, transitions = 0, deadlocks = 0;
        for (const auto& search : team) {
            const SearchResult result = search->take_result();
            CHECK(result.progress.states > 0);
            states += result.progress.states;
            transitions += result.progress.transitions;
            deadlocks += result.deadlocks;
        }
        CHECK(states == kStates);
        CHECK(transitions == kCounters * kLimit * (kLimit + 1) * (kLimit + 1));
        CHECK(deadlocks == 1);
    }
}

TEST_CASE("an exploration whose memory is full takes what it knows, and sets aside what it does not") {
    using Counting = Wide<3, 40>;  // more states than a new store has cells for
    const Program program = Counting::program();
    for (const Proviso proviso : {Proviso::kNone, Proviso::kFragmented, Proviso::kFragmentedHistory}) {
        CAPTURE(static_cast<int>(proviso));
        SearchOptions options;
        options.proviso = proviso;
        options.sets_aside = true;
        std::vector<std::unique_ptr<Exploration>> team;
        for (const std::uint16_t part : {0, 1}) {
            options.max_bytes = part == 0 ? 1'000'000 : 100'000'000;
            team.push_back(make_exploration(program, Counting::start(), options, nullptr, {part, 2}));
        }
        std::vector<std::vector<Word>> sent;
        while (!team[0]->is_full()) {
            for (const auto& search : team) search->step(50);
            team[1]->receive(team[0]->outbox(1));
            sent.push_back(team[1]->outbox(0));
            REQUIRE(sent.size() < 10'000);
            team[0]->receive(sent.back());
        }
        while (team[1]->has_work()) {  // and until there is no room for a single one
            team[1]->step(50);
            sent.push_back(team[1]->outbox(0));
            team[0]->receive(sent.back());
        }
        const std::uint64_t states = team[0]->progress().states;
        for (const std::vector<Word>& batch : sent) team[0]->receive(batch);
        CHECK(!team[0]->ended());
        CHECK(team[0]->stopped() == "");
        CHECK(team[0]->progress().states == states);

        for (auto& search : team) {  // with more memory
            std::istringstream in(written(*search));
            search = read_exploration(program, options, nullptr, in);
        }
        bool moved = true;
        while (moved || team[0]->has_work() || team[1]->has_work()) {
            moved = false;
            for (const auto& from : team) {
                for (std::uint16_t to = 0; to < 2; ++to) {
                    const std::vector<Word> batch = from->outbox(to);
                    moved = moved || !batch.empty();
                    team[to]->receive(batch);
                }
            }
            for (const auto& search : team) search->step(500);
        }
        CHECK(team[0]->progress().states + team[1]->progress().states == Counting::kMany);
    }
}

TEST_CASE("a fragment is not ended by its memory where states are set aside") {
    using Counting = Wide<3, 30>;
    const Program program = Counting::program();
    // Where the limit falls between what is looked for beforehand and what growing takes then.
    for (std::uint64_t most = 1'279'800; most < 1'280'600; most += 25) {
        SearchOptions options;
        options.proviso = Proviso::kFragmented;
        options.sets_aside = true;
        options.max_bytes = most;
        const auto search = make_exploration(program, Counting::start(), options, nullptr, {0, 1});
        while (search->has_work()) search->step(50);
        REQUIRE(search->stopped() == "");
    }
}
