// Every store against std::map: the same states, the same numbers, whatever moves.
#include <doctest/doctest.h>

#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

#include "store/compressed.hpp"
#include "store/lossy.hpp"
#include "store/numbered.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::search;

namespace {

using State = std::vector<Word>;

State random_state(std::mt19937_64& random, unsigned words, Word values) {
    State state(words);
    for (Word& word : state) word = random() % values;
    state[0] |= kOccupied;
    return state;
}

template <typename Store>
void agrees_with_a_map(Store store, unsigned words, unsigned steps) {
    std::mt19937_64 random(words);
    std::map<State, StateNumber> expected;
    for (unsigned step = 0; step < steps; ++step) {
        const State state = random_state(random, words, 40);
        const std::uint64_t hash = hash_words(state.data(), words);
        const bool known = expected.contains(state);
        CHECK((store.find(state.data(), hash) != Store::kAbsent) == known);
        const auto number = expected.try_emplace(state, static_cast<StateNumber>(expected.size())).first->second;
        const Place place = store.insert(state.data(), hash);
        CHECK(place.fresh == !known);
        CHECK(place.number == number);
    }
    CHECK(store.size() == expected.size());
    for (const auto& [state, number] : expected) {
        const std::uint64_t cell = store.find(state.data(), hash_words(state.data(), words));
        REQUIRE(cell != Store::kAbsent);
        CHECK(store.number(cell) == number);
    }
}

}  // namespace

TEST_CASE("numbers are the same for ever, in tables that move cells too") {
    agrees_with_a_map(Table<2>(2, true), 2, 20'000);
    agrees_with_a_map(Table<0>(3, true), 3, 60'000);
    agrees_with_a_map(CompressedTable(5, true), 5, 30'000);
    agrees_with_a_map(NumberedStore<2>(2), 2, 20'000);
    agrees_with_a_map(NumberedStore<0>(7), 7, 30'000);
}

TEST_CASE("a table grows, and keeps its marks") {
    Table<1> table(1);
    std::mt19937_64 random(1);
    std::vector<State> marked;
    for (unsigned step = 0; step < 50'000; ++step) {
        const State state = random_state(random, 1, Word{1} << 60);
        const Place place = table.insert(state.data(), hash_words(state.data(), 1));
        if (step % 100 == 0) {
            table.mark(place.cell);
            marked.push_back(state);
        }
    }
    CHECK(table.epoch() > 0);
    std::uint64_t marks = 0;
    table.for_each([&](const Word* state) { marks += (*state & kMark) != 0; });
    CHECK(marks == marked.size());
    for (const State& state : marked) {
        const std::uint64_t cell = table.find(state.data(), hash_words(state.data(), 1));
        REQUIRE(cell != Table<1>::kAbsent);
        CHECK(table.marked(cell));
        table.unmark(cell);
        CHECK(!table.marked(cell));
    }
}

TEST_CASE("a table without numbers says so") {
    Table<1> table(1);
    const Word state = kOccupied | 7;
    CHECK(table.insert(&state, hash_words(&state, 1)).fresh);
    CHECK(table.insert(&state, hash_words(&state, 1)).number == kNoNumber);
}

TEST_CASE("signatures tell states apart, and are written and read") {
    CompactTable table(3);
    std::mt19937_64 random(5);
    std::map<State, bool> known;
    for (unsigned step = 0; step < 30'000; ++step) {
        const State state = random_state(random, 3, 30);
        const std::uint64_t hash = hash_words(state.data(), 3);
        CHECK((table.find(state.data(), hash) != CompactTable::kAbsent) == known.contains(state));
        CHECK(table.insert(state.data(), hash).fresh == known.try_emplace(state, true).second);
    }
    CHECK(table.size() == known.size());
    CHECK(table.expected_omissions() > 0);
    CHECK(table.expected_omissions() < 1e-9);
    std::stringstream file;
    Writer writer(file);
    table.write(writer);
    writer.finish();
    CompactTable copy(3);
    Reader reader(file);
    copy.read(reader);
    reader.finish();
    for (const auto& [state, _] : known) CHECK_FALSE(copy.insert(state.data(), hash_words(state.data(), 3)).fresh);
}

TEST_CASE("an array of bits never takes a known state for a new one, and says how often it errs") {
    constexpr unsigned kMany = 20'000;
    Bitstate bits(2, kMany);  // eight bits for each state
    std::mt19937_64 random(6);
    std::vector<State> states;
    for (unsigned i = 0; i < kMany; ++i) states.push_back(random_state(random, 2, Word{1} << 40));
    for (const State& state : states) bits.insert(state.data(), hash_words(state.data(), 2));
    const double omitted = kMany - static_cast<double>(bits.size());
    CHECK(omitted > 0);
    CHECK(bits.expected_omissions() == doctest::Approx(omitted).epsilon(0.25));
    CHECK(bits.hash_factor() == doctest::Approx(8.0 * kMany / static_cast<double>(bits.size())));
    for (const State& state : states) {
        CHECK_FALSE(bits.insert(state.data(), hash_words(state.data(), 2)).fresh);
        CHECK(bits.find(state.data(), hash_words(state.data(), 2)) != Bitstate::kAbsent);
    }
}

TEST_CASE("a checksum is that of the bytes, however they are cut into pieces") {
    std::vector<char> bytes(1000);
    std::iota(bytes.begin(), bytes.end(), 0);
    Checksum whole;
    whole.add(bytes.data(), bytes.size());
    for (const std::size_t piece : {1u, 3u, 8u, 12u, 13u, 64u, 999u}) {
        Checksum sum;
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            sum.add(bytes.data() + at, std::min(piece, bytes.size() - at));
        CHECK(sum.value() == whole.value());
    }
    Checksum shorter;
    shorter.add(bytes.data(), bytes.size() - 1);
    CHECK(shorter.value() != whole.value());
}
