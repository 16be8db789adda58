// A program written by hand: counters that count to a limit, one transition each.
#pragma once

#include <algorithm>
#include <vector>

#include "search/entries.hpp"
#include "search/search.hpp"
#include "store/table.hpp"

namespace mule::counters {

using namespace store;
using namespace search;

inline constexpr unsigned kCounters = 3;
inline constexpr Word kLimit = 5;
inline constexpr std::uint64_t kStates = (kLimit + 1) * (kLimit + 1) * (kLimit + 1);
inline const std::vector<Word> kInitial = {kOccupied};

inline Word value(Word state, unsigned counter) { return state >> (8 * counter) & 0xFF; }

inline std::uint32_t expand(const Word* state, std::uint64_t, Word* out) {
    std::uint32_t count = 0;
    for (unsigned counter = 0; counter < kCounters; ++counter) {
        if (value(*state, counter) == kLimit) continue;
        Word* entry = out + std::size_t{count++} * (kHeaderWords + 1);
        entry[kHeaderWords] = *state + (Word{1} << (8 * counter));
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, 1), counter, 0, 0};
    }
    return count;
}

inline bool guard(const Word*, std::uint32_t) { return true; }
// The first counter is never at its limit while the others are at 0.
inline bool proposition(const Word* state, std::uint32_t) {
    return value(*state, 0) != kLimit || value(*state, 1) + value(*state, 2) != 0;
}

inline Program program(std::uint32_t propositions = 0) {
    Program program;
    program.words = 1;
    program.transitions = kCounters;
    program.propositions = propositions;
    program.max_successors = kCounters;
    program.replace(&expand, &guard, &proposition, nullptr);
    return program;
}

// Counters in the last of several words; the other words never change, so all states have the same first word. Each
// counts to High.
template <unsigned Words, Word High>
struct Wide {
    static constexpr unsigned kWords = Words;
    static constexpr Word kHigh = High;
    static constexpr std::uint64_t kMany = (High + 1) * (High + 1) * (High + 1);

    static std::vector<Word> start() {
        std::vector<Word> state(Words, 7);
        state.front() = kOccupied;
        state.back() = 0;
        return state;
    }

    // Fails: the first counter must not come to its end while the second one is at 3.
    template <bool Fails>
    static std::uint32_t expand(const Word* state, std::uint64_t, Word* out) {
        const Word last = state[Words - 1];
        std::uint32_t count = 0;
        for (unsigned counter = 0; counter < kCounters; ++counter) {
            if (value(last, counter) == High) continue;
            Word* entry = out + std::size_t{count++} * (kHeaderWords + Words);
            std::copy(state, state + Words, entry + kHeaderWords);
            entry[kHeaderWords + Words - 1] += Word{1} << (8 * counter);
            const bool fails = Fails && value(entry[kHeaderWords + Words - 1], 0) == High && value(last, 1) == 3;
            *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(entry + kHeaderWords, Words), counter, 0,
                                                          fails ? kError : std::uint16_t{0}};
        }
        return count;
    }
    static bool guard(const Word* state, std::uint32_t guard) { return value(state[Words - 1], guard) < High; }
    // 0: the sum of the counters is not 4/9 of what it can be. 1: states with an even last counter are transient.
    static bool proposition(const Word* state, std::uint32_t number) {
        const Word last = state[Words - 1];
        if (number == 1) return value(last, 2) % 2 == 0;
        return value(last, 0) + value(last, 1) + value(last, 2) != High * 4 / 3;
    }

    template <bool Fails = true>
    static Program program(std::uint32_t propositions = 0) {
        Program program;
        program.words = Words;
        program.transitions = program.guards = kCounters;
        program.propositions = propositions;
        program.max_successors = kCounters;
        program.replace(&expand<Fails>, &guard, &proposition, nullptr);
        return program;
    }

    // The first counter begins again at 0 when it comes to 3, and is in no step of the others' way. Proposition 0: the
    // others stand still.
    static Program turning() {
        Program program = Wide::program<false>(1);
        program.replace(&expand_turning, &guard, &others_stand_still, nullptr);
        return program;
    }
    static std::uint32_t expand_turning(const Word* state, std::uint64_t hash, Word* out) {
        const std::uint32_t count = expand<false>(state, hash, out);
        for (std::uint32_t i = 0; i < count; ++i) {
            Word* entry = out + std::size_t{i} * (kHeaderWords + Words);
            Word& last = entry[kHeaderWords + Words - 1];
            if (value(last, 0) != 3) continue;
            last &= ~Word{0xFF};
            reinterpret_cast<SuccessorHeader*>(entry)->hash = hash_words(entry + kHeaderWords, Words);
        }
        return count;
    }
    static bool others_stand_still(const Word* state, std::uint32_t) { return state[Words - 1] >> 8 == 0; }
};

inline SearchResult finish(Search& search, std::uint64_t states) {
    while (search.step(states)) {
    }
    return search.take_result();
}

}  // namespace mule::counters
