// Products searched by several threads against the serial search: the same counts and verdicts, runs that are accepted,
// and the same reduced product for every number of threads.
#include <doctest/doctest.h>

#include "parallel/emptiness.hpp"
#include "reduction/reducer.hpp"
#include "search/entries.hpp"
#include "store/hash.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::ltl;
using namespace mule::parallel;

namespace {

// Three wheels that turn for ever, in the second of two words; the first one has the automaton's state.
constexpr unsigned kWheels = 3;
constexpr unsigned kWords = 2;
constexpr Word kPositions = 12;
const std::vector<Word> kStart = {kOccupied, 0};
constexpr AutomatonField kField{0, 0, 7};

Word position(const Word* state, unsigned wheel) { return state[1] >> (8 * wheel) & 0xFF; }

// The last wheel comes to its end and stays there.
std::uint32_t turn(const Word* state, std::uint64_t, Word* out) {
    std::uint32_t count = 0;
    for (unsigned wheel = 0; wheel < kWheels; ++wheel) {
        const Word at = position(state, wheel);
        if (wheel + 1 == kWheels && at + 1 == kPositions) continue;
        Word* entry = out + std::size_t{count++} * (kHeaderWords + kWords);
        entry[kHeaderWords] = state[0];
        entry[kHeaderWords + 1] = state[1] + (((at + 1) % kPositions - at) << (8 * wheel));
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, kWords), wheel, 0, 0};
    }
    return count;
}
bool can_turn(const Word* state, std::uint32_t wheel) {
    return wheel + 1 != kWheels || position(state, wheel) + 1 != kPositions;
}
// 0, 1: the first, the second wheel is at its beginning. 2: the last one has gone back.
bool shows(const Word* state, std::uint32_t number) {
    if (number == 2) return position(state, 2) >= kPositions;
    return position(state, number) == 0;
}

Program wheels() {
    Program program;
    program.words = kWords;
    program.transitions = program.guards = program.max_successors = program.propositions = kWheels;
    program.replace(&turn, &can_turn, &shows, nullptr);
    return program;
}

Reducer independent(const Program& program) {
    Relations relations;
    relations.transitions = relations.guards = kWheels;
    relations.do_not_accord = relations.do_not_left_accord = BitMatrix(kWheels, kWheels);
    relations.enabling = relations.disabling = relations.never_coenabled = BitMatrix(kWheels, kWheels);
    for (unsigned wheel = 0; wheel < kWheels; ++wheel) {
        relations.guards_of.push_back({wheel});
        set_bit(relations.do_not_accord.row(wheel), wheel);
        set_bit(relations.do_not_left_accord.row(wheel), wheel);
        set_bit(relations.disabling.row(wheel), wheel);
    }
    return Reducer(program, std::move(relations), "deletion", {}, {0, 0}, std::vector<bool>(kWheels), {},
                   Memory::kExact);
}

constexpr Cube kAny{0, 0};
constexpr Cube with(unsigned atom) { return {1u << atom, 0}; }
constexpr Cube without(unsigned atom) { return {0, 1u << atom}; }

// The two atoms hold again and again: two marks.
PropertyAutomaton both_again(unsigned one, unsigned other) {
    std::vector<std::vector<AutomatonEdge>> edges(1);
    edges[0] = {{{kAny}, 0, 0}, {{with(one)}, 0, 1}, {{with(other)}, 0, 2}};
    return {std::move(edges), kWheels, 2, false};
}
// From some moment on the atom never holds.
PropertyAutomaton never_from_some_moment(unsigned atom) {
    std::vector<std::vector<AutomatonEdge>> edges(2);
    edges[0] = {{{kAny}, 0, 0}, {{without(atom)}, 1, 0}};
    edges[1] = {{{without(atom)}, 1, 1}};
    return {std::move(edges), kWheels, 1, false};
}

Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 8}; }

EmptinessResult finish(EmptinessSearch& search, std::uint64_t states = 1000) {
    while (search.step(states)) {
    }
    return search.take_result();
}

// Follows the run, and says which marks are on its cycle.
Word marks_on_cycle(const Program& program, const PropertyAutomaton& automaton, const EmptinessResult& found) {
    std::vector<Word> state = kStart;
    std::vector<Word> out((kWheels + 1) * (kHeaderWords + kWords));
    Word marks = 0;
    const auto take = [&](const ProductStep& step) {
        const std::uint32_t at = kField.read(state.data());
        const AutomatonEdge& edge = automaton.edge(at, step.edge);
        std::uint32_t letter = 0;
        for (unsigned atom = 0; atom < kWheels; ++atom)
            letter |= static_cast<std::uint32_t>(program.proposition(state.data(), atom)) << atom;
        CHECK(edge.label[0].contains(letter));
        marks |= edge.marks;
        const std::uint32_t count = program.expand(state.data(), 0, out.data());
        for (std::uint32_t i = 0; i < count; ++i) {
            const Word* entry = out.data() + i * (kHeaderWords + kWords);
            if (header_of(entry).transition != step.transition) continue;
            state.assign(words_of(entry), words_of(entry) + kWords);
            state[0] = kField.written(state[0], edge.target);
            return;
        }
        FAIL("no such step");
    };
    for (const ProductStep& step : found.prefix) take(step);
    const std::vector<Word> entrance = state;
    marks = 0;
    for (const ProductStep& step : found.cycle) take(step);
    CHECK(state == entrance);
    CHECK(!found.cycle.empty());
    return marks;
}

EmptinessResult searched(const PropertyAutomaton& automaton, const EmptinessOptions& options, bool reduces,
                         unsigned workers) {
    const Program program = wheels();
    Reducer reducer = independent(program);
    Reducer* chosen = reduces ? &reducer : nullptr;
    const auto search = workers == 0 ? make_emptiness_search(program, kStart, automaton, kField, options, chosen)
                                     : make_parallel_emptiness_search(program, kStart, automaton, kField, options,
                                                                      chosen, tiny(workers));
    EmptinessResult found = finish(*search);
    CHECK(found.stopped.empty());
    if (!found.empty) CHECK(marks_on_cycle(program, automaton, found) == automaton.all_marks());
    return found;
}

EmptinessOptions by_components() {
    EmptinessOptions options;
    options.algorithm = EmptinessAlgorithm::kComponents;
    return options;
}

// All wheels that the automaton looks at are seen.
EmptinessOptions seeing(std::vector<unsigned> wheels, Proviso proviso) {
    EmptinessOptions options = by_components();
    options.visible = {0};
    for (const unsigned wheel : wheels) options.visible[0] |= Word{1} << wheel;
    options.proviso = proviso;
    return options;
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
    const Program program = wheels();
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
    const Program program = wheels();
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
    const Program program = wheels();
    Reducer reducer = independent(program);
    const EmptinessOptions options = seeing({0}, Proviso::kStack);
    CHECK_THROWS_AS(
        make_parallel_emptiness_search(program, kStart, both_again(0, 1), kField, options, &reducer, tiny(2)),
        std::invalid_argument);
}
