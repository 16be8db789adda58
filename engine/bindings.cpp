// The Python face of the engine: functions over addresses of compiled code and packed states.
#include "reduction/bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "graph/bindings.hpp"
#include "ltl/bindings.hpp"
#include "parallel/bindings.hpp"
#include "program.hpp"
#include "reduction/reducer.hpp"
#include "search/bindings.hpp"
#include "search/search.hpp"
#include "store/hash.hpp"
#include "validation/validate.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule {

using namespace reduction;
using namespace validation;

namespace {

template <typename Function>
Function function_at(std::uintptr_t address) {
    return reinterpret_cast<Function>(address);
}

void replace(const Program& program, std::uintptr_t expand, std::uintptr_t guard, std::uintptr_t proposition,
             std::uintptr_t function) {
    program.replace(function_at<Program::Expand>(expand), function_at<Program::Predicate>(guard),
                    function_at<Program::Predicate>(proposition), function_at<Program::Function>(function));
}

void bind_program(nb::module_& module) {
    nb::class_<Program>(module, "Program")
        .def(
            "__init__",
            [](Program* self, std::uint32_t words, std::uint32_t transitions, std::uint32_t guards,
               std::uint32_t propositions, std::uint32_t functions, std::uint32_t max_successors,
               std::optional<std::uint32_t> end_states, std::optional<std::uint32_t> transient, std::uintptr_t expand,
               std::uintptr_t guard, std::uintptr_t proposition, std::uintptr_t function) {
                new (self) Program();
                self->words = words;
                self->transitions = transitions;
                self->guards = guards;
                self->propositions = propositions;
                self->functions = functions;
                self->max_successors = max_successors;
                self->end_states = end_states.value_or(Program::kNone);
                self->transient = transient.value_or(Program::kNone);
                replace(*self, expand, guard, proposition, function);
            },
            "words"_a, "transitions"_a, "guards"_a, "propositions"_a, "functions"_a, "max_successors"_a,
            "end_states"_a.none(), "transient"_a.none(), "expand"_a, "guard"_a, "proposition"_a, "function"_a)
        .def("replace", &replace, "expand"_a, "guard"_a, "proposition"_a, "function"_a);
}

void bind_reducer(nb::module_& module) {
    nb::enum_<Memory>(module, "Memory")
        .value("NONE", Memory::kNone)
        .value("EXACT", Memory::kExact)
        .value("VALID", Memory::kValid);
    nb::class_<ReducerStatistics>(module, "ReducerStatistics")
        .def_ro("hits", &ReducerStatistics::hits)
        .def_ro("misses", &ReducerStatistics::misses)
        .def_ro("bytes", &ReducerStatistics::bytes);
    nb::class_<Reducer>(module, "Reducer")
        .def(
            "__init__",
            [](Reducer* self, const Program& program, std::vector<std::vector<GuardId>> guards_of,
               const nb::bytes& do_not_accord, const nb::bytes& do_not_left_accord, const nb::bytes& enabling,
               const nb::bytes& disabling, const nb::bytes& never_coenabled, const std::string& algorithm, bool weak,
               bool nds, std::vector<Word> control_mask, std::vector<bool> is_control,
               const std::vector<std::tuple<std::uint32_t, Word, Word, bool>>& bit_tests, Memory memory,
               std::uint32_t processes, const nb::bytes& transitions_of,
               const std::vector<AmpleLocationFromPython>& ample_locations,
               std::vector<std::vector<std::uint32_t>> ample_starts, const nb::bytes& dependent_on,
               const nb::bytes& can_enable, bool net, nb::object enabling_sets) {
                std::vector<BitTest> tests;
                for (const auto& [word, mask, value, negated] : bit_tests)
                    tests.push_back({mask, value, word, negated});
                new (self) Reducer(
                    program,
                    relations_from_python(program.transitions, program.guards, std::move(guards_of), do_not_accord,
                                          do_not_left_accord, enabling, disabling, never_coenabled),
                    algorithm, {.weak = weak, .nds = nds}, std::move(control_mask), std::move(is_control),
                    std::move(tests), memory,
                    ample_labels_from_python(program.transitions, processes, transitions_of, ample_locations,
                                             std::move(ample_starts)),
                    local_relations_from_python(program, dependent_on, can_enable, net, std::move(enabling_sets)));
            },
            "program"_a, "guards_of"_a, "do_not_accord"_a, "do_not_left_accord"_a, "enabling"_a, "disabling"_a,
            "never_coenabled"_a, "algorithm"_a, "weak"_a, "nds"_a, "control_mask"_a, "is_control"_a, "bit_tests"_a,
            "memory"_a, "processes"_a, "transitions_of"_a, "ample_locations"_a, "ample_starts"_a, "dependent_on"_a,
            "can_enable"_a, "net"_a, "enabling_sets"_a.none(), nb::keep_alive<1, 2>())
        .def(
            "choose",
            [](Reducer& self, const std::vector<Word>& state, const std::vector<TransitionId>& enabled) {
                std::vector<TransitionId> chosen;
                for (const std::uint32_t position : self.choose(state.data(), enabled))
                    chosen.push_back(enabled[position & ~kKey]);
                return chosen;
            },
            "state"_a, "enabled"_a, "Which of the enabled transitions (ascending, not empty) a search explores here.")
        .def(
            "copy", [](const Reducer& self) { return std::make_unique<Reducer>(self); }, nb::keep_alive<0, 1>(),
            "The same question to the same tables, with a memory of its own.")
        .def_prop_ro("statistics", &Reducer::statistics);
}

void bind_validation(nb::module_& module) {
    nb::enum_<Condition>(module, "Condition")
        .value("NOT_EMPTY", Condition::kNotEmpty)
        .value("D1", Condition::kD1)
        .value("D2", Condition::kD2);
    nb::class_<Violation>(module, "Violation")
        .def_ro("condition", &Violation::condition)
        .def_ro("state", &Violation::state)
        .def_prop_ro("path",
                     [](const Violation& self) {
                         std::vector<std::pair<TransitionId, std::uint16_t>> steps;
                         for (const Step& step : self.path) steps.emplace_back(step.transition, step.outcome);
                         return steps;
                     })
        .def_ro("transition", &Violation::transition)
        .def_ro("outcome", &Violation::outcome)
        .def_prop_ro("set", [](const Violation& self) { return self.set.enabled; });
    nb::class_<Validation>(module, "Validation")
        .def_ro("states", &Validation::states)
        .def_ro("explored", &Validation::explored)
        .def_ro("cut", &Validation::cut)
        .def_ro("violation", &Validation::violation);
    module.def(
        "validate",
        [](const Program& program, Reducer& reducer, const std::vector<Word>& states, std::uint64_t limit) {
            nb::gil_scoped_release release;
            return validate(program, reducer, states, limit);
        },
        "program"_a, "reducer"_a, "states"_a, "limit"_a);
}

// All successors of one state, for tests: (transition, outcome, failure, hash, words).
std::vector<std::tuple<TransitionId, int, int, std::uint64_t, std::vector<Word>>> successors(
    const Program& program, const std::vector<Word>& state) {
    const unsigned stride = sizeof(SuccessorHeader) / sizeof(Word) + program.words;
    std::vector<Word> out(std::size_t{program.max_successors} * stride);
    const std::uint32_t count =
        program.expand(state.data(), store::hash_words(state.data(), program.words), out.data());
    std::vector<std::tuple<TransitionId, int, int, std::uint64_t, std::vector<Word>>> result;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Word* entry = out.data() + std::size_t{i} * stride;
        const auto& header = *reinterpret_cast<const SuccessorHeader*>(entry);
        const Word* words = entry + stride - program.words;
        result.emplace_back(header.transition, header.outcome, header.failure, header.hash,
                            std::vector<Word>(words, words + program.words));
    }
    return result;
}

}  // namespace
}  // namespace mule

NB_MODULE(_engine, module) {
    using namespace mule;
    bind_program(module);
    search::bind_search(module);
    bind_reduction(module);
    bind_reducer(module);
    bind_validation(module);
    parallel::bind_parallel(module);
    ltl::bind_ltl(module);
    graph::bind_graph(module);
    module.def("successors", &successors, "program"_a, "state"_a);
    module.def(
        "guards",
        [](const Program& program, const std::vector<Word>& state) {
            std::vector<bool> values(program.guards);
            for (GuardId guard = 0; guard < program.guards; ++guard) values[guard] = program.guard(state.data(), guard);
            return values;
        },
        "program"_a, "state"_a);
    module.def(
        "functions",
        [](const Program& program, const std::vector<Word>& state) {
            std::vector<std::optional<std::int64_t>> values(program.functions);
            for (std::uint32_t i = 0; i < program.functions; ++i) {
                const std::int64_t value = program.function(state.data(), i);
                if (value != Program::kUndefined) values[i] = value;
            }
            return values;
        },
        "program"_a, "state"_a);
    module.def("hash_words",
               [](const std::vector<Word>& state) { return store::hash_words(state.data(), state.size()); });
}
