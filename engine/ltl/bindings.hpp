// What this room shows Python.
#pragma once

#include <nanobind/nanobind.h>

namespace mule::ltl {

void bind_ltl(nanobind::module_& module);

}  // namespace mule::ltl
