#include "graph/labelling.hpp"

namespace mule::graph {

Labelling::Labelling(const Graph& graph)
    : graph_(graph), offsets_(std::size_t{graph.states()} + 1), sources_(graph.targets.size()), runs_(graph.states()) {
    for (const std::uint32_t target : graph.targets) ++offsets_[target + 1];
    for (std::uint32_t state = 0; state < graph.states(); ++state) offsets_[state + 1] += offsets_[state];
    std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (std::uint32_t source = 0; source < graph.states(); ++source)
        for (std::uint64_t edge = graph.offsets[source]; edge < graph.offsets[source + 1]; ++edge)
            sources_[next[graph.targets[edge]]++] = source;
    runs_ = exists_always(nothing().complement());
}

StateSet Labelling::proposition(std::uint32_t number) const {
    StateSet result = nothing();
    for (std::uint32_t state = 0; state < graph_.states(); ++state)
        if ((graph_.letters[state] >> number & 1) != 0) result.insert(state);
    return result;
}

void Labelling::close_backwards(StateSet& reached, std::vector<std::uint32_t>& queue, const StateSet& set) const {
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const std::uint32_t target = queue[next];
        for (std::uint64_t i = offsets_[target]; i < offsets_[target + 1]; ++i) {
            const std::uint32_t source = sources_[i];
            if (reached.contains(source) || !allows(source, set)) continue;
            reached.insert(source);
            queue.push_back(source);
        }
    }
}

StateSet Labelling::exists_until(const StateSet& before, const StateSet& goal) const {
    StateSet reached = nothing();
    std::vector<std::uint32_t> queue;
    for (std::uint32_t state = 0; state < graph_.states(); ++state) {
        if (!counts(state, goal)) continue;
        reached.insert(state);
        queue.push_back(state);
    }
    close_backwards(reached, queue, before);
    return reached;
}

StateSet Labelling::exists_next(const StateSet& set) const {
    const StateSet after = exists_until(nothing(), set);
    StateSet result = nothing();
    for (std::uint32_t state = 0; state < graph_.states(); ++state) {
        for (std::uint64_t edge = graph_.offsets[state]; edge < graph_.offsets[state + 1]; ++edge) {
            if (!after.contains(graph_.targets[edge])) continue;
            result.insert(state);
            break;
        }
    }
    return result;
}

// The states that are not transient and lie on cycles over states that `set` allows: a run can come back for ever.
StateSet Labelling::on_runs_inside(const StateSet& set) const {
    const Components components =
        strong_components(graph_.rows(), [&](std::uint32_t state) { return allows(state, set); });
    StateSet result = nothing();
    for (std::uint32_t state = 0; state < graph_.states(); ++state) {
        if (transient(state)) continue;
        for (std::uint64_t edge = graph_.offsets[state]; edge < graph_.offsets[state + 1]; ++edge) {
            if (!components.joins(state, graph_.targets[edge])) continue;
            result.insert(state);
            break;
        }
    }
    return result;
}

StateSet Labelling::exists_always(const StateSet& set) const {
    StateSet reached = on_runs_inside(set);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t state = 0; state < graph_.states(); ++state)
        if (reached.contains(state)) queue.push_back(state);
    close_backwards(reached, queue, set);
    return reached;
}

std::optional<Path> Labelling::next(std::uint32_t from, const StateSet& set) const {
    return shortest_path(
        graph_.rows(), from, [&](std::uint32_t state) { return transient(state); },
        [&](std::uint64_t edge) { return counts(graph_.targets[edge], set); });
}

std::optional<Path> Labelling::until(std::uint32_t from, const StateSet& before, const StateSet& goal) const {
    if (counts(from, goal)) return Path{{}, from};
    if (!allows(from, before)) return std::nullopt;
    return shortest_path(
        graph_.rows(), from, [&](std::uint32_t state) { return allows(state, before); },
        [&](std::uint64_t edge) { return counts(graph_.targets[edge], goal); });
}

std::optional<Labelling::Lasso> Labelling::always(std::uint32_t from, const StateSet& set) const {
    const auto inside = [&](std::uint32_t state) { return allows(state, set); };
    const StateSet goals = on_runs_inside(set);
    std::optional<Path> prefix = until(from, set, goals);
    if (!prefix) return std::nullopt;
    std::optional<Path> cycle = shortest_path(graph_.rows(), prefix->end, inside,
                                              [&](std::uint64_t edge) { return graph_.targets[edge] == prefix->end; });
    if (!cycle) return std::nullopt;
    return Lasso{std::move(*prefix), std::move(*cycle)};
}

}  // namespace mule::graph
