// A program written by hand: counters that count to a limit, one transition each.
#pragma once

#include "search/entries.hpp"
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

}  // namespace mule::counters
