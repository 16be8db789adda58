#include "ltl/bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <fstream>
#include <tuple>

#include "ltl/automaton_from_python.hpp"
#include "ltl/emptiness.hpp"
#include "ltl/partition.hpp"
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

search::Share share_of(std::uint16_t part, std::uint16_t parts) {
    if (part >= parts || parts == ProductPartition::kNobody) throw nb::value_error("no such part");
    return {part, parts};
}

std::unique_ptr<ProductPartition> make_partition(const Program& program, const std::vector<Word>& initial,
                                                 const EmptinessOptions& options, Reducer* reducer,
                                                 const std::vector<std::vector<EdgeFromPython>>& edges,
                                                 std::uint32_t atoms, std::uint32_t marks, const FieldFromPython& field,
                                                 std::uint16_t part, std::uint16_t parts) {
    return make_product_partition(program, initial, automaton_of(program, edges, atoms, marks),
                                  field_from_python(field), options, reducer, share_of(part, parts));
}

std::unique_ptr<ProductPartition> read_partition(const Program& program, const std::vector<Word>& initial,
                                                 const EmptinessOptions& options, Reducer* reducer,
                                                 const std::vector<std::vector<EdgeFromPython>>& edges,
                                                 std::uint32_t atoms, std::uint32_t marks, const FieldFromPython& field,
                                                 std::uint16_t part, std::uint16_t parts, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return read_product_partition(program, initial, automaton_of(program, edges, atoms, marks),
                                  field_from_python(field), options, reducer, share_of(part, parts), in);
}

nb::bytes as_bytes(const std::vector<Word>& words) {
    return nb::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

void bind_partitions(nb::module_& module) {
    nb::class_<ProductPartition, Stepped>(module, "ProductPartition")
        .def(
            "outbox", [](ProductPartition& self, std::uint16_t owner) { return as_bytes(self.outbox(owner)); },
            "owner"_a)
        .def(
            "receive",
            [](ProductPartition& self, const nb::bytes& batch) {
                std::vector<Word> words(batch.size() / sizeof(Word));
                if (!words.empty()) std::memcpy(words.data(), batch.data(), words.size() * sizeof(Word));
                nb::gil_scoped_release release;
                self.receive(words);
            },
            "batch"_a)
        .def_prop_ro("has_work", &ProductPartition::has_work)
        .def_prop_ro("ended", &ProductPartition::ended)
        .def_prop_ro("is_full", &ProductPartition::is_full)
        .def("counts",
             [](const ProductPartition& self) {
                 const PartitionCounts counts = self.counts();
                 return std::tuple(counts.failures, counts.reduced, counts.fully_expanded);
             })
        .def("begin_exploring", &ProductPartition::begin_exploring)
        .def("begin_trimming", &ProductPartition::begin_trimming, nb::call_guard<nb::gil_scoped_release>())
        .def("begin_reaching", &ProductPartition::begin_reaching, "mark"_a, "keep"_a)
        .def("end_reaching", &ProductPartition::end_reaching, nb::call_guard<nb::gil_scoped_release>())
        .def("left", &ProductPartition::left)
        .def("first_left", &ProductPartition::first_left)
        .def(
            "hop",
            [](const ProductPartition& self, StateNumber from, std::uint32_t mark) {
                const Hop hop = self.hop(from, mark);
                return std::tuple(hop.to.part, hop.to.number, hop.marked);
            },
            "number"_a, "mark"_a)
        .def(
            "origin",
            [](const ProductPartition& self, StateNumber number) {
                const Node origin = self.origin(number);
                return std::pair(origin.part, origin.number);
            },
            "number"_a)
        .def("state", &ProductPartition::state, "number"_a)
        .def(
            "step_to",
            [](ProductPartition& self, StateNumber from, const std::vector<Word>& to, Word marks) {
                return tuples({self.step_to(from, to, marks)}).front();
            },
            "number"_a, "to"_a, "marks"_a);
    module.attr("NOBODY") = ProductPartition::kNobody;
    module.def("make_product_partition", &make_partition, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(),
               "edges"_a, "atoms"_a, "marks"_a, "field"_a, "part"_a, "parts"_a, nb::keep_alive<0, 1>(),
               nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
    module.def("read_product_partition", &read_partition, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(),
               "edges"_a, "atoms"_a, "marks"_a, "field"_a, "part"_a, "parts"_a, "path"_a, nb::keep_alive<0, 1>(),
               nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
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
        .def_rw("limits", &EmptinessOptions::limits)
        .def_rw("identity", &EmptinessOptions::identity)
        .def_rw("whole_batches", &EmptinessOptions::whole_batches);
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
    bind_partitions(module);
}

}  // namespace mule::ltl
