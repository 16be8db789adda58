#include "graph/graph.hpp"

#include <algorithm>
#include <stdexcept>

namespace mule::graph {

void Graph::check() const {
    const auto require = [](bool condition) {
        if (!condition) throw std::invalid_argument("the arrays do not make up a graph");
    };
    require(!letters.empty() && offsets.size() == letters.size() + 1);
    require(offsets.front() == 0 && offsets.back() == targets.size());
    require(std::is_sorted(offsets.begin(), offsets.end()));
    require(transitions.size() == targets.size() && outcomes.size() == targets.size());
    require(std::all_of(targets.begin(), targets.end(), [&](std::uint32_t target) { return target < states(); }));
}

}  // namespace mule::graph
