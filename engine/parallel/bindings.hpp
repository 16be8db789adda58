// How Python makes a search by several workers.
#pragma once

#include <nanobind/nanobind.h>

namespace mule::parallel {

void bind_parallel(nanobind::module_& module);

}  // namespace mule::parallel
