// How Python drives a search.
#pragma once

#include <nanobind/nanobind.h>

#include "search/search.hpp"

namespace mule::search {

void bind_search(nanobind::module_& module);

}  // namespace mule::search
