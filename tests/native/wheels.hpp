// A program written by hand for products with an automaton: wheels that turn for ever, and some automata about them.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "independent.hpp"
#include "ltl/emptiness.hpp"
#include "search/entries.hpp"
#include "store/hash.hpp"
#include "store/table.hpp"

namespace mule::wheels {

using namespace ltl;

// Three wheels that turn for ever, in the second of two words; the first one has the automaton's state.
inline constexpr unsigned kWheels = 3;
inline constexpr unsigned kWords = 2;
inline constexpr Word kPositions = 12;
inline const std::vector<Word> kStart = {kOccupied, 0};
inline constexpr AutomatonField kField{0, 0, 7};

inline Word position(const Word* state, unsigned wheel) { return state[1] >> (8 * wheel) & 0xFF; }

// The last wheel comes to its end and stays there.
inline std::uint32_t turn(const Word* state, std::uint64_t, Word* out) {
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
inline bool can_turn(const Word* state, std::uint32_t wheel) {
    return wheel + 1 != kWheels || position(state, wheel) + 1 != kPositions;
}
// 0, 1: the first, the second wheel is at its beginning. 2: the last one has gone back.
inline bool shows(const Word* state, std::uint32_t number) {
    if (number == 2) return position(state, 2) >= kPositions;
    return position(state, number) == 0;
}

inline Program program() {
    Program program;
    program.words = kWords;
    program.transitions = program.guards = program.max_successors = program.propositions = kWheels;
    program.replace(&turn, &can_turn, &shows, nullptr);
    return program;
}

inline constexpr Cube kAny{0, 0};
constexpr Cube with(unsigned atom) { return {1u << atom, 0}; }
constexpr Cube without(unsigned atom) { return {0, 1u << atom}; }

// The two atoms hold again and again: two marks.
inline PropertyAutomaton both_again(unsigned one, unsigned other) {
    std::vector<std::vector<AutomatonEdge>> edges(1);
    edges[0] = {{{kAny}, 0, 0}, {{with(one)}, 0, 1}, {{with(other)}, 0, 2}};
    return {std::move(edges), kWheels, 2, false};
}
// From some moment on the atom never holds.
inline PropertyAutomaton never_from_some_moment(unsigned atom) {
    std::vector<std::vector<AutomatonEdge>> edges(2);
    edges[0] = {{{kAny}, 0, 0}, {{without(atom)}, 1, 0}};
    edges[1] = {{{without(atom)}, 1, 1}};
    return {std::move(edges), kWheels, 1, false};
}

inline EmptinessOptions by_components() {
    EmptinessOptions options;
    options.algorithm = EmptinessAlgorithm::kComponents;
    return options;
}

// All wheels that the automaton looks at are seen.
inline EmptinessOptions seeing(std::vector<unsigned> wheels, Proviso proviso) {
    EmptinessOptions options = by_components();
    options.visible = {0};
    for (const unsigned wheel : wheels) options.visible[0] |= Word{1} << wheel;
    options.proviso = proviso;
    return options;
}

// Follows the run, and says which marks are on its cycle.
inline Word marks_on_cycle(const Program& program, const PropertyAutomaton& automaton, const EmptinessResult& found) {
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

}  // namespace mule::wheels
