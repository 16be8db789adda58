// Is there a run of the system that the automaton accepts? By several workers, breadth first.
#pragma once

#include "ltl/emptiness.hpp"
#include "parallel/search.hpp"

namespace mule::parallel {

// Without reduction it counts what one worker counts, and with one the same for every number of workers. The options'
// algorithm has no say in it; their proviso is C3_duplicate, C3' or C3_static. The program, the options and the reducer
// (which may be null, is the first worker's, and is copied for the others) must outlive the search.
std::unique_ptr<ltl::EmptinessSearch> make_parallel_emptiness_search(const Program& program,
                                                                     const std::vector<Word>& initial,
                                                                     const ltl::PropertyAutomaton& automaton,
                                                                     const ltl::AutomatonField& field,
                                                                     const ltl::EmptinessOptions& options,
                                                                     reduction::Reducer* reducer, const Team& team);

}  // namespace mule::parallel
