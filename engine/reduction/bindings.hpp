// How relations cross from Python, and what this room shows it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "reduction/algorithm.hpp"

namespace mule {

// Each matrix is the join of its rows, each row an int.to_bytes((columns + 7) // 8, "little"); b"" where it is absent.
Relations relations_from_python(std::uint32_t transitions, std::uint32_t guards,
                                std::vector<std::vector<GuardId>> guards_of, const nanobind::bytes& do_not_accord,
                                const nanobind::bytes& do_not_left_accord, const nanobind::bytes& enabling,
                                const nanobind::bytes& disabling, const nanobind::bytes& never_coenabled);

void bind_reduction(nanobind::module_& module);

}  // namespace mule
