// Is there a run in a graph that an automaton accepts? The product is built whole, then decided by its components.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "ltl/automaton.hpp"

namespace mule {

struct GraphEmptiness {
    Progress progress;  // states and edges of the product
    std::string stopped;
    bool empty = true;
    std::vector<std::uint64_t> prefix;  // edges of the graph, from the initial state to the cycle
    std::vector<std::uint64_t> cycle;
};

// `finite_runs`: whether a run that comes to an end counts, as one that stutters there.
GraphEmptiness check_graph_emptiness(const Graph& graph, PropertyAutomaton& automaton, std::uint32_t initial,
                                     bool finite_runs, const SearchOptions& limits, const Watch::Callback& callback);

}  // namespace mule
