// A state graph as it is kept: states by number, the initial one 0, edges in compressed rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ltl/emptiness.hpp"

namespace mule::graph {

// Edges by source: those of state s are offsets[s] up to offsets[s + 1].
struct Rows {
    std::span<const std::uint64_t> offsets;
    std::span<const std::uint32_t> targets;

    std::uint32_t states() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
    std::uint64_t begin(std::uint32_t state) const { return offsets[state]; }
    std::uint64_t end(std::uint32_t state) const { return offsets[state + 1]; }
    std::uint32_t target(std::uint32_t, std::uint64_t edge) const { return targets[edge]; }
};

struct Graph {
    static constexpr std::uint32_t kTransient = std::uint32_t{1} << 31;  // in a letter: nobody observes this state
    static constexpr std::uint32_t kMostPropositions = 31;

    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint32_t> targets;
    std::vector<TransitionId> transitions;  // kStutter: nothing can move, and time goes on
    std::vector<std::uint16_t> outcomes;
    std::vector<std::uint32_t> letters;  // bit i: proposition i holds

    std::uint32_t states() const { return static_cast<std::uint32_t>(letters.size()); }
    bool transient(std::uint32_t state) const { return (letters[state] & kTransient) != 0; }
    Rows rows() const { return {offsets, targets}; }

    // Throws std::invalid_argument where the arrays do not make up a graph.
    void check() const;
};

}  // namespace mule::graph
