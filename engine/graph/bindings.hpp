// What this room shows Python.
#pragma once

#include <nanobind/nanobind.h>

namespace mule::graph {

void bind_graph(nanobind::module_& module);

}  // namespace mule::graph
