// Is there a run in a graph that an automaton accepts? The product is built whole, then decided by its components.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "ltl/automaton.hpp"
#include "search/search.hpp"

namespace mule::graph {

struct GraphEmptiness {
    Progress progress;    // states and edges of the product
    std::string stopped;  // "", or why it is not complete
    bool empty = true;
    std::vector<std::uint64_t> prefix;  // edges of the graph, from the initial state to the cycle
    std::vector<std::uint64_t> cycle;
};

class GraphEmptinessSearch : public Stepped {
  public:
    // Once, when no more steps will be made.
    virtual GraphEmptiness take_result() = 0;
};

// `finite_runs`: whether a run that comes to an end counts, as one that stutters there. The graph must outlive the
// search.
std::unique_ptr<GraphEmptinessSearch> make_graph_emptiness_search(const Graph& graph, PropertyAutomaton automaton,
                                                                  std::uint32_t initial, bool finite_runs,
                                                                  const Limits& limits);

}  // namespace mule::graph
