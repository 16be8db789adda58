// Graphs and sets of states stay on this side; arrays cross as bytes, witnesses as short lists of steps.
#include "graph/bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>
#include <tuple>

#include "graph/construction.hpp"
#include "graph/emptiness.hpp"
#include "graph/labelling.hpp"
#include "ltl/automaton_from_python.hpp"
#include "reduction/reducer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::graph {

namespace {

template <typename Number>
nb::bytes as_bytes(const std::vector<Number>& numbers) {
    return nb::bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

template <typename Number>
std::vector<Number> numbers_in(const nb::bytes& bytes) {
    if (bytes.size() % sizeof(Number) != 0) throw std::invalid_argument("the arrays do not make up a graph");
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
}

using Steps = std::vector<std::pair<TransitionId, std::uint16_t>>;

Steps steps(const Graph& graph, const std::vector<std::uint64_t>& edges) {
    Steps result;
    for (const std::uint64_t edge : edges) result.emplace_back(graph.transitions[edge], graph.outcomes[edge]);
    return result;
}

void bind_graphs(nb::module_& module) {
    nb::class_<Graph>(module, "Graph")
        .def(
            "__init__",
            [](Graph* self, const nb::bytes& offsets, const nb::bytes& targets, const nb::bytes& transitions,
               const nb::bytes& outcomes, const nb::bytes& letters) {
                Graph graph;
                graph.offsets = numbers_in<std::uint64_t>(offsets);
                graph.targets = numbers_in<std::uint32_t>(targets);
                graph.transitions = numbers_in<TransitionId>(transitions);
                graph.outcomes = numbers_in<std::uint16_t>(outcomes);
                graph.letters = numbers_in<std::uint32_t>(letters);
                graph.check();
                new (self) Graph(std::move(graph));
            },
            "offsets"_a, "targets"_a, "transitions"_a, "outcomes"_a, "letters"_a)
        .def_prop_ro("states", &Graph::states)
        .def_prop_ro("offsets", [](const Graph& self) { return as_bytes(self.offsets); })
        .def_prop_ro("targets", [](const Graph& self) { return as_bytes(self.targets); })
        .def_prop_ro("transitions", [](const Graph& self) { return as_bytes(self.transitions); })
        .def_prop_ro("outcomes", [](const Graph& self) { return as_bytes(self.outcomes); })
        .def_prop_ro("letters", [](const Graph& self) { return as_bytes(self.letters); });
    module.attr("MOST_PROPOSITIONS") = Graph::kMostPropositions;
}

void bind_construction(nb::module_& module) {
    nb::class_<GraphOptions>(module, "GraphOptions")
        .def(nb::init<>())
        .def_rw("proviso", &GraphOptions::proviso)
        .def_rw("single", &GraphOptions::single)
        .def_rw("origins", &GraphOptions::origins)
        .def_rw("limits", &GraphOptions::limits);
    nb::class_<GraphResult>(module, "GraphResult")
        .def_ro("graph", &GraphResult::graph)
        .def_ro("progress", &GraphResult::progress)
        .def_ro("stopped", &GraphResult::stopped)
        .def_ro("deadlocks", &GraphResult::deadlocks)
        .def_ro("failures", &GraphResult::failures)
        .def_ro("assertions", &GraphResult::assertions)
        .def_ro("reduced", &GraphResult::reduced)
        .def_prop_ro("fired", [](const GraphResult& self) { return as_bytes(self.fired); });
    nb::class_<GraphConstruction, Stepped>(module, "GraphConstruction")
        .def("take_result", &GraphConstruction::take_result, nb::call_guard<nb::gil_scoped_release>());
    module.def("make_graph_construction", &make_graph_construction, "program"_a, "initial"_a, "options"_a,
               "reducer"_a.none(), nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
}

void bind_emptiness(nb::module_& module) {
    nb::class_<GraphEmptiness>(module, "GraphEmptiness")
        .def_ro("progress", &GraphEmptiness::progress)
        .def_ro("stopped", &GraphEmptiness::stopped)
        .def_ro("empty", &GraphEmptiness::empty)
        .def("prefix", [](const GraphEmptiness& self, const Graph& graph) { return steps(graph, self.prefix); })
        .def("cycle", [](const GraphEmptiness& self, const Graph& graph) { return steps(graph, self.cycle); });
    nb::class_<GraphEmptinessSearch, Stepped>(module, "GraphEmptinessSearch")
        .def("take_result", &GraphEmptinessSearch::take_result);
    module.def(
        "make_graph_emptiness_search",
        [](const Graph& graph, const std::vector<std::vector<EdgeFromPython>>& edges, std::uint32_t initial,
           std::uint32_t atoms, std::uint32_t marks, bool finite_runs, const Limits& limits) {
            return make_graph_emptiness_search(graph, automaton_from_python(edges, atoms, marks, true), initial,
                                               finite_runs, limits);
        },
        "graph"_a, "edges"_a, "initial"_a, "atoms"_a, "marks"_a, "finite_runs"_a, "limits"_a, nb::keep_alive<0, 1>());
}

using PathToPython = std::pair<Steps, std::uint32_t>;

class GraphLabelling : public Labelling {
  public:
    explicit GraphLabelling(const Graph& graph) : Labelling(graph), graph_(graph) {}

    PathToPython told(const Path& path) const { return {steps(graph_, path.edges), path.end}; }
    std::optional<PathToPython> told(const std::optional<Path>& path) const {
        return path ? std::optional(told(*path)) : std::nullopt;
    }

  private:
    const Graph& graph_;
};

void bind_labelling(nb::module_& module) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<StateSet>(module, "StateSet")
        .def("__contains__", &StateSet::contains)
        .def("__invert__", &StateSet::complement)
        .def("__and__", [](const StateSet& self, const StateSet& other) { return self & other; })
        .def("__or__", [](const StateSet& self, const StateSet& other) { return self | other; });
    nb::class_<GraphLabelling>(module, "Labelling")
        .def(nb::init<const Graph&>(), "graph"_a, nb::keep_alive<1, 2>(), unlocked)
        .def("transient", &GraphLabelling::transient)
        .def_prop_ro("runs", [](const GraphLabelling& self) { return self.runs(); })
        .def("nothing", &GraphLabelling::nothing)
        .def("proposition", &GraphLabelling::proposition, unlocked)
        .def("exists_next", &GraphLabelling::exists_next, unlocked)
        .def("exists_until", &GraphLabelling::exists_until, unlocked)
        .def("exists_always", &GraphLabelling::exists_always, unlocked)
        .def("next", [](const GraphLabelling& self, std::uint32_t from,
                        const StateSet& set) { return self.told(self.next(from, set)); })
        .def("until", [](const GraphLabelling& self, std::uint32_t from, const StateSet& before,
                         const StateSet& goal) { return self.told(self.until(from, before, goal)); })
        .def("always", [](const GraphLabelling& self, std::uint32_t from, const StateSet& set) {
            const auto lasso = self.always(from, set);
            using Lasso = std::pair<PathToPython, PathToPython>;
            return lasso ? std::optional(Lasso{self.told(lasso->prefix), self.told(lasso->cycle)}) : std::nullopt;
        });
}

}  // namespace

void bind_graph(nb::module_& module) {
    bind_graphs(module);
    bind_construction(module);
    bind_emptiness(module);
    bind_labelling(module);
}

}  // namespace mule::graph
