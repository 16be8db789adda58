// Counters the first of which begins again at 0 when it comes to 3, and is in no step of the others' way.
#pragma once

#include "counters.hpp"

namespace mule::counters {

template <typename Counting>
std::uint32_t expand_turning(const Word* state, std::uint64_t hash, Word* out) {
    const std::uint32_t count = Counting::template expand<false>(state, hash, out);
    for (std::uint32_t i = 0; i < count; ++i) {
        Word* entry = out + std::size_t{i} * (kHeaderWords + Counting::kWords);
        Word& last = entry[kHeaderWords + Counting::kWords - 1];
        if (value(last, 0) != 3) continue;
        last &= ~Word{0xFF};
        reinterpret_cast<SuccessorHeader*>(entry)->hash = hash_words(entry + kHeaderWords, Counting::kWords);
    }
    return count;
}

template <typename Counting>
bool others_stand_still(const Word* state, std::uint32_t) {
    return state[Counting::kWords - 1] >> 8 == 0;
}

template <typename Counting>
Program turning(std::uint32_t propositions) {
    Program program = Counting::template program<false>(propositions);
    program.replace(&expand_turning<Counting>, &Counting::guard, &others_stand_still<Counting>, nullptr);
    return program;
}

}  // namespace mule::counters
