// What the engine knows of a model: compiled functions over bit-packed states. It never sees a language.
#pragma once

#include <atomic>
#include <cstdint>

#include "rooms.hpp"

namespace mule {

using Word = std::uint64_t;
using TransitionId = std::uint32_t;
using GuardId = std::uint32_t;

// One successor as the compiled `expand` writes it: this header, then `words` words of state.
struct SuccessorHeader {
    std::uint64_t hash;       // of the successor's words, updated incrementally
    TransitionId transition;  // which transition it comes from
    std::uint16_t outcome;    // which of its outcomes
    std::uint16_t failure;    // 0, or why the model has no meaning here (then there is no successor)
};

struct Program {
    std::uint32_t words = 0;  // words of a packed state
    std::uint32_t transitions = 0;
    std::uint32_t guards = 0;
    std::uint32_t propositions = 0;
    std::uint32_t functions = 0;
    std::uint32_t max_successors = 0;  // the most successors that one `expand` can write

    // Two more of the predicates behind `proposition`, by number, where the model has them.
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t end_states = kNone;  // it is right that nothing can move
    std::uint32_t transient = kNone;   // inside a step that the language takes for one

    // Writes all successors of `state` one after the other; returns how many.
    using Expand = std::uint32_t (*)(const Word* state, std::uint64_t hash, Word* successors);
    // One of the model's predicates (false where it is undefined).
    using Predicate = bool (*)(const Word* state, std::uint32_t number);
    // One of the model's integer functions: a number of 32 bits, or kUndefined where its evaluation fails.
    using Function = std::int64_t (*)(const Word* state, std::uint32_t number);
    static constexpr std::int64_t kUndefined = INT64_MIN;

    // Better code may replace these while a search runs (see `replace`), so they are read anew for each call.
    mutable Expand expand_function = nullptr;
    mutable Predicate guard_function = nullptr;
    mutable Predicate proposition_function = nullptr;
    mutable Function function_function = nullptr;

    std::uint32_t expand(const Word* state, std::uint64_t hash, Word* successors) const {
        return current(expand_function)(state, hash, successors);
    }
    bool guard(const Word* state, GuardId guard) const { return current(guard_function)(state, guard); }
    bool proposition(const Word* state, std::uint32_t proposition) const {
        return current(proposition_function)(state, proposition);
    }
    std::int64_t function(const Word* state, std::uint32_t function) const {
        return current(function_function)(state, function);
    }
    bool is_transient(const Word* state) const { return transient != kNone && proposition(state, transient); }
    bool may_end(const Word* state) const { return end_states != kNone && proposition(state, end_states); }

    void replace(Expand expand, Predicate guard, Predicate proposition, Function function) const {
        std::atomic_ref(expand_function).store(expand, std::memory_order_relaxed);
        std::atomic_ref(guard_function).store(guard, std::memory_order_relaxed);
        std::atomic_ref(proposition_function).store(proposition, std::memory_order_relaxed);
        std::atomic_ref(function_function).store(function, std::memory_order_relaxed);
    }

  private:
    template <typename Function>
    static Function current(Function& function) {
        return std::atomic_ref(function).load(std::memory_order_relaxed);
    }
};

}  // namespace mule
