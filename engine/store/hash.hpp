// The hash of a packed state: a sum of independently mixed words, so that a step updates only what it wrote.
// codegen/hashing.py emits the same function; the two must stay in step.
#pragma once

#include "program.hpp"

namespace mule::store {

inline constexpr std::uint64_t kHashSalt = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t kHashFirst = 0xD6E8FEB86659FD93u;
inline constexpr std::uint64_t kHashSecond = 0xA0761D6478BD642Fu;

inline std::uint64_t mix_word(Word word, unsigned position) {
    std::uint64_t x = (word + kHashSalt * (position + 1)) * kHashFirst;
    x ^= x >> 32;
    x *= kHashSecond;
    return x ^ (x >> 29);
}

inline std::uint64_t hash_words(const Word* state, unsigned words) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < words; ++i) sum += mix_word(state[i], i);
    return sum;
}

}  // namespace mule::store
