// Shortest paths and strongly connected components of a part of a graph.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace mule::graph {

struct Path {
    std::vector<std::uint64_t> edges;
    std::uint32_t end = 0;
};

// The shortest path of at least one edge over states `inside` that ends with an edge for which `goal(edge)` holds; the
// first and the last state need not be inside.
template <typename Inside, typename Goal>
std::optional<Path> shortest_path(const Rows& rows, std::uint32_t from, Inside&& inside, Goal&& goal) {
    struct Origin {
        std::uint32_t source;
        std::uint64_t edge;
    };
    constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
    std::vector<Origin> origins(rows.states(), Origin{0, kUnknown});
    std::vector<std::uint32_t> queue = {from};
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const std::uint32_t source = queue[next];
        for (std::uint64_t edge = rows.offsets[source]; edge < rows.offsets[source + 1]; ++edge) {
            const std::uint32_t target = rows.targets[edge];
            if (goal(edge)) {
                Path path{{edge}, target};
                for (std::uint32_t at = source; at != from; at = origins[at].source)
                    path.edges.push_back(origins[at].edge);
                std::reverse(path.edges.begin(), path.edges.end());
                return path;
            }
            if (target == from || origins[target].edge != kUnknown || !inside(target)) continue;
            origins[target] = {source, edge};
            queue.push_back(target);
        }
    }
    return std::nullopt;
}

struct Components {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::vector<std::uint32_t> of;  // kNone: outside
    std::uint32_t count = 0;

    // Whether an edge is on some cycle.
    bool joins(std::uint32_t source, std::uint32_t target) const {
        return of[source] != kNone && of[source] == of[target];
    }
};

// Tarjan's algorithm (1972), without recursion, on the states `inside` that can be reached from those for which
// `is_root` holds. E: Rows, or what is asked like them.
template <typename E, typename Inside, typename IsRoot>
Components strong_components(const E& edges, Inside&& inside, IsRoot&& is_root) {
    struct Frame {
        std::uint32_t state;
        std::uint64_t next;
    };
    const std::uint32_t states = edges.states();
    Components result{std::vector<std::uint32_t>(states, Components::kNone), 0};
    std::vector<std::uint32_t> low(states, 0);  // from 1; 0: not met yet
    std::vector<std::uint32_t> live;
    std::vector<Frame> stack;
    std::uint32_t met = 0;
    std::vector<std::uint32_t> index(states, 0);
    const auto enter = [&](std::uint32_t state) {
        index[state] = low[state] = ++met;
        live.push_back(state);
        stack.push_back({state, edges.begin(state)});
    };
    for (std::uint32_t root = 0; root < states; ++root) {
        if (index[root] != 0 || !is_root(root) || !inside(root)) continue;
        enter(root);
        while (!stack.empty()) {
            const std::uint32_t state = stack.back().state;
            if (stack.back().next < edges.end(state)) {
                const std::uint32_t target = edges.target(state, stack.back().next++);
                if (!inside(target)) continue;
                if (index[target] == 0)
                    enter(target);
                else if (result.of[target] == Components::kNone)
                    low[state] = std::min(low[state], index[target]);
                continue;
            }
            stack.pop_back();
            if (!stack.empty()) low[stack.back().state] = std::min(low[stack.back().state], low[state]);
            if (low[state] != index[state]) continue;
            std::uint32_t member;
            do {
                member = live.back();
                live.pop_back();
                result.of[member] = result.count;
            } while (member != state);
            ++result.count;
        }
    }
    return result;
}

// From all states.
template <typename E, typename Inside>
Components strong_components(const E& edges, Inside&& inside) {
    return strong_components(edges, inside, [](std::uint32_t) { return true; });
}

}  // namespace mule::graph
