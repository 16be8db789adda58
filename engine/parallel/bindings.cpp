#include "parallel/bindings.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "parallel/search.hpp"
#include "reduction/reducer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::parallel {

void bind_parallel(nb::module_& module) {
    nb::class_<Team>(module, "Team")
        .def(nb::init<>())
        .def_rw("workers", &Team::workers)
        .def_rw("alone_until", &Team::alone_until)
        .def_rw("worth_sharing", &Team::worth_sharing)
        .def_rw("capacity", &Team::capacity)
        .def_ro_static("most_workers", &Team::kMostWorkers);
    module.def("make_parallel_search", &make_parallel_search, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(),
               "team"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
}

}  // namespace mule::parallel
