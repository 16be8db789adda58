// What the engine knows of a model: compiled functions over bit-packed states. It never sees a language.
#pragma once

#include <cstdint>

namespace mule {

using Word = std::uint64_t;
using TransitionId = std::uint32_t;
using GuardId = std::uint32_t;

// One successor as the compiled `expand` writes it: this header, then `words` words of state.
struct SuccessorHeader {
    std::uint64_t hash;        // of the successor's words, updated incrementally
    TransitionId transition;   // which transition it comes from
    std::uint16_t outcome;     // which of its outcomes
    std::uint16_t failure;     // 0, or why the model has no meaning here (then there is no successor)
};

struct Program {
    std::uint32_t words = 0;        // words of a packed state
    std::uint32_t transitions = 0;
    std::uint32_t guards = 0;
    std::uint32_t propositions = 0;
    std::uint32_t max_successors = 0;  // the most successors that one `expand` can write

    // Writes all successors of `state` one after the other; returns how many.
    std::uint32_t (*expand)(const Word* state, std::uint64_t hash, Word* successors) = nullptr;
    // A guard by itself (false where it is undefined).
    bool (*guard)(const Word* state, GuardId guard) = nullptr;
    // A proposition of the property that is checked.
    bool (*proposition)(const Word* state, std::uint32_t proposition) = nullptr;
};

}  // namespace mule
