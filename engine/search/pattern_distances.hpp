// Distances in a projection of a model to a few of its variables (a pattern database, Culberson and Schaeffer 1998; for
// model checking Edelkamp and Lluch-Lafuente 2004): backwards from the goals, by rules that say what a step may do to
// these variables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace mule::search {

// A variable of the projection, and one of its values, counted from 0.
using Digit = std::pair<std::uint32_t, std::uint32_t>;

struct ProjectedStep {
    std::vector<Digit> before;        // what the step asks for
    std::vector<Digit> after;         // what holds afterwards, with what was asked for and stays
    std::vector<std::uint32_t> lost;  // variables that it writes and of which it asks nothing
};

// For each state of the projection, the last variable counting fastest, the least number of steps to a goal, at most
// `kMostSteps`; kNever where no goal can be reached. `goals`: in each, the values that are wanted of each variable.
inline constexpr std::uint8_t kMostSteps = 254;
inline constexpr std::uint8_t kNever = 255;
// Where so many steps were looked at, it is given up: the result is empty.
inline constexpr std::uint64_t kMostWork = 10'000'000;

std::vector<std::uint8_t> pattern_distances(const std::vector<std::uint32_t>& sizes,
                                            const std::vector<ProjectedStep>& steps,
                                            const std::vector<std::vector<std::vector<std::uint32_t>>>& goals);

}  // namespace mule::search
