// The graph of a system, depth first. What a reduced set must be, besides stubborn, is partly in the relations of the
// reducer (C2, C3_static: transitions that interfere with everything are in no reduced set), partly here.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "search/search.hpp"

namespace mule {

struct GraphOptions {
    // C3: a reduced set with a successor on the stack is given up.
    bool stack_proviso = true;
    // For branching time: a reduced set is a single transition with a single successor.
    bool single = false;
    std::vector<TransitionId> origins;  // the number that an edge gets for its transition
    SearchOptions limits;               // max_states, max_bytes, max_seconds
};

struct GraphResult {
    Graph graph;  // of no use where the construction was stopped
    Progress progress;
    std::string stopped;
    std::uint64_t deadlocks = 0;
    std::uint64_t failures = 0;    // steps without a meaning, which are not followed
    std::uint64_t assertions = 0;  // steps that violate an assertion, neither
    std::uint64_t reduced = 0;     // states in which a reduced set was used
    std::vector<std::uint8_t> fired;
};

// A letter has all of the program's propositions. Throws std::invalid_argument for options that do not go together.
GraphResult construct_graph(const Program& program, const std::vector<Word>& initial, const GraphOptions& options,
                            Reducer* reducer, const Watch::Callback& callback);

}  // namespace mule
