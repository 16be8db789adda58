#include "parallel/bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <fstream>

#include "ltl/automaton_from_python.hpp"
#include "parallel/emptiness.hpp"
#include "parallel/search.hpp"
#include "reduction/reducer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::parallel {

namespace {

std::unique_ptr<EmptinessSearch> make_emptiness(const Program& program, const std::vector<Word>& initial,
                                                const EmptinessOptions& options, Reducer* reducer,
                                                const std::vector<std::vector<EdgeFromPython>>& edges,
                                                std::uint32_t atoms, std::uint32_t marks, const FieldFromPython& field,
                                                const Team& team) {
    return make_parallel_emptiness_search(program, initial, automaton_of(program, edges, atoms, marks),
                                          field_from_python(field), options, reducer, team);
}

std::unique_ptr<EmptinessSearch> read_emptiness(const Program& program, const std::vector<Word>& initial,
                                                const EmptinessOptions& options, Reducer* reducer,
                                                const std::vector<std::vector<EdgeFromPython>>& edges,
                                                std::uint32_t atoms, std::uint32_t marks, const FieldFromPython& field,
                                                const Team& team, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return read_parallel_emptiness_search(program, initial, automaton_of(program, edges, atoms, marks),
                                          field_from_python(field), options, reducer, team, in);
}

}  // namespace

void bind_parallel(nb::module_& module) {
    nb::class_<Team>(module, "Team")
        .def(nb::init<>())
        .def_rw("workers", &Team::workers)
        .def_rw("alone_until", &Team::alone_until)
        .def_rw("worth_sharing", &Team::worth_sharing)
        .def_rw("capacity", &Team::capacity)
        .def_rw("first", &Team::first)
        .def_ro_static("most_workers", &Team::kMostWorkers);
    module.def("make_parallel_search", &make_parallel_search, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(),
               "team"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
    module.def(
        "read_parallel_search",
        [](const Program& program, const SearchOptions& options, Reducer* reducer, const Team& team,
           const std::string& path) {
            std::ifstream in(path, std::ios::binary);
            return read_parallel_search(program, options, reducer, team, in);
        },
        "program"_a, "options"_a, "reducer"_a.none(), "team"_a, "path"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::call_guard<nb::gil_scoped_release>());
    const auto share_of = [](std::uint16_t part, std::uint16_t parts) {
        if (part >= parts) throw nb::value_error("no such part");
        return Share{part, parts};
    };
    module.def(
        "make_parallel_exploration",
        [=](const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer,
            const Team& team, std::uint16_t part, std::uint16_t parts) {
            return make_parallel_exploration(program, initial, options, reducer, team, share_of(part, parts));
        },
        "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), "team"_a, "part"_a, "parts"_a,
        nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
    module.def(
        "read_parallel_exploration",
        [=](const Program& program, const SearchOptions& options, Reducer* reducer, const Team& team,
            std::uint16_t part, std::uint16_t parts, const std::string& path) {
            std::ifstream in(path, std::ios::binary);
            return read_parallel_exploration(program, options, reducer, team, share_of(part, parts), in);
        },
        "program"_a, "options"_a, "reducer"_a.none(), "team"_a, "part"_a, "parts"_a, "path"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::call_guard<nb::gil_scoped_release>());
    module.def("make_parallel_emptiness_search", &make_emptiness, "program"_a, "initial"_a, "options"_a,
               "reducer"_a.none(), "edges"_a, "atoms"_a, "marks"_a, "field"_a, "team"_a, nb::keep_alive<0, 1>(),
               nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
    module.def("read_parallel_emptiness_search", &read_emptiness, "program"_a, "initial"_a, "options"_a,
               "reducer"_a.none(), "edges"_a, "atoms"_a, "marks"_a, "field"_a, "team"_a, "path"_a,
               nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(),
               nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace mule::parallel
