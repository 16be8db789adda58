// The graph of a system, depth first. What a reduced set must be, besides stubborn, is partly in the relations of the
// reducer (C2, C3_static: transitions that interfere with everything are in no reduced set), partly here.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "search/search.hpp"

namespace mule::graph {

struct GraphOptions {
    Proviso proviso = Proviso::kStack;  // stack, or static by way of the reducer's relations
    // For branching time: a reduced set is a single transition with a single successor.
    bool single = false;
    std::vector<TransitionId> origins;  // the number that an edge gets for its transition
    Limits limits;
};

struct GraphResult {
    Graph graph;  // of no use where the construction was stopped
    Progress progress;
    std::string stopped;  // "", or why it is not complete
    std::uint64_t deadlocks = 0;
    std::uint64_t failures = 0;    // steps without a meaning, which are not followed
    std::uint64_t assertions = 0;  // steps that violate an assertion, neither
    std::uint64_t reduced = 0;     // states in which a reduced set was used
    std::vector<std::uint8_t> fired;
};

class GraphConstruction : public Stepped {
  public:
    // Once, when no more steps will be made.
    virtual GraphResult take_result() = 0;
};

// A letter has all of the program's propositions. All that is given by reference must outlive the construction. Throws
// std::invalid_argument for options that do not go together.
std::unique_ptr<GraphConstruction> make_graph_construction(const Program& program, const std::vector<Word>& initial,
                                                           const GraphOptions& options, Reducer* reducer);

}  // namespace mule::graph
