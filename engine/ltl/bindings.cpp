#include "ltl/bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "ltl/automaton_from_python.hpp"
#include "ltl/emptiness.hpp"
#include "reduction/reducer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::ltl {

namespace {

std::vector<std::tuple<TransitionId, std::uint16_t, std::uint16_t>> tuples(const std::vector<ProductStep>& steps) {
    std::vector<std::tuple<TransitionId, std::uint16_t, std::uint16_t>> result;
    for (const ProductStep& step : steps) result.emplace_back(step.transition, step.outcome, step.edge);
    return result;
}

// For each transition the numbers of its requirements.
BitMatrix matrix_from_python(const std::vector<std::vector<std::uint32_t>>& rows, std::uint32_t requirements) {
    BitMatrix matrix(static_cast<std::uint32_t>(rows.size()), requirements);
    for (std::uint32_t t = 0; t < matrix.rows(); ++t) {
        for (const std::uint32_t requirement : rows[t]) {
            if (requirement >= requirements) throw nb::value_error("no such requirement");
            set_bit(matrix.row(t), requirement);
        }
    }
    return matrix;
}

void set_fairness(EmptinessOptions& options, bool compassion, std::uint32_t requirements,
                  const std::vector<std::vector<std::uint32_t>>& raising,
                  const std::vector<std::vector<std::uint32_t>>& meeting) {
    options.fairness = {compassion, matrix_from_python(raising, requirements),
                        matrix_from_python(meeting, requirements)};
}

std::unique_ptr<EmptinessSearch> make(const Program& program, const std::vector<Word>& initial,
                                      const EmptinessOptions& options, Reducer* reducer,
                                      const std::vector<std::vector<EdgeFromPython>>& edges, std::uint32_t atoms,
                                      std::uint32_t marks, const FieldFromPython& field) {
    return make_emptiness_search(program, initial, automaton_of(program, edges, atoms, marks), field_from_python(field),
                                 options, reducer);
}

}  // namespace

void bind_ltl(nb::module_& module) {
    nb::enum_<EmptinessAlgorithm>(module, "EmptinessAlgorithm")
        .value("NESTED_DEPTH_FIRST", EmptinessAlgorithm::kNestedDepthFirst)
        .value("COMPONENTS", EmptinessAlgorithm::kComponents);
    nb::enum_<Visibility>(module, "Visibility")
        .value("C2", Visibility::kC2)
        .value("VI", Visibility::kVI)
        .value("FAIR", Visibility::kFair);
    nb::class_<EmptinessOptions>(module, "EmptinessOptions")
        .def(nb::init<>())
        .def_rw("algorithm", &EmptinessOptions::algorithm)
        .def_rw("visibility", &EmptinessOptions::visibility)
        .def_rw("proviso", &EmptinessOptions::proviso)
        .def_rw("visible", &EmptinessOptions::visible)
        .def_rw("sticky", &EmptinessOptions::sticky)
        .def("set_fairness", &set_fairness, "compassion"_a, "requirements"_a, "raising"_a, "meeting"_a)
        .def_rw("finite_runs", &EmptinessOptions::finite_runs)
        .def_rw("limits", &EmptinessOptions::limits);
    nb::class_<EmptinessResult>(module, "EmptinessResult")
        .def_ro("progress", &EmptinessResult::progress)
        .def_ro("stopped", &EmptinessResult::stopped)
        .def_ro("empty", &EmptinessResult::empty)
        .def_ro("failures", &EmptinessResult::failures)
        .def_ro("reduced", &EmptinessResult::reduced)
        .def_ro("fully_expanded", &EmptinessResult::fully_expanded)
        .def_ro("workers", &EmptinessResult::workers)
        .def_prop_ro("prefix", [](const EmptinessResult& self) { return tuples(self.prefix); })
        .def_prop_ro("cycle", [](const EmptinessResult& self) { return tuples(self.cycle); });
    module.attr("STUTTER") = kStutter;
    module.attr("NO_EDGE") = PropertyAutomaton::kNoEdge;
    nb::class_<EmptinessSearch, Stepped>(module, "EmptinessSearch")
        .def("take_result", &EmptinessSearch::take_result, nb::call_guard<nb::gil_scoped_release>());
    module.def("make_emptiness_search", &make, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), "edges"_a,
               "atoms"_a, "marks"_a, "field"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
}

}  // namespace mule::ltl
