// How relations cross from Python, and what this room shows it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "reduction/algorithm.hpp"

namespace mule::reduction {

// Each matrix is the join of its rows, each row an int.to_bytes((columns + 7) // 8, "little"); b"" where it is absent.
Relations relations_from_python(std::uint32_t transitions, std::uint32_t guards,
                                std::vector<std::vector<GuardId>> guards_of, const nanobind::bytes& do_not_accord,
                                const nanobind::bytes& do_not_left_accord, const nanobind::bytes& enabling,
                                const nanobind::bytes& disabling, const nanobind::bytes& never_coenabled);

// For each ample location its process and its conditions: a transition, whether it may be enabled, and blocks, each a
// guard and perhaps the guard that must be true for it.
using AmpleBlockFromPython = std::tuple<GuardId, std::optional<GuardId>>;
using AmpleConditionFromPython = std::tuple<TransitionId, bool, std::vector<AmpleBlockFromPython>>;
using AmpleLocationFromPython = std::tuple<std::uint32_t, std::vector<AmpleConditionFromPython>>;

AmpleLabels ample_labels_from_python(std::uint32_t transitions, std::uint32_t processes,
                                     const nanobind::bytes& transitions_of,
                                     const std::vector<AmpleLocationFromPython>& locations,
                                     std::vector<std::vector<std::uint32_t>> starts);

// `enabling_sets`: asked with the words of a state and a disabled transition; None: the sets of false guards.
LocalRelations local_relations_from_python(const Program& program, const nanobind::bytes& dependent_on,
                                           const nanobind::bytes& can_enable, bool net, nanobind::object enabling_sets);

void bind_reduction(nanobind::module_& module);

}  // namespace mule::reduction
