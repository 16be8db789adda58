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

// The search that was written by however many workers, with the same program, automaton and options, and with a reducer
// like this one; throws ArchiveError where it is not. The reduced product is that of a search without a cut: what was
// decided for a state is kept with it, and what a proviso asks are the levels, which are kept, too.
std::unique_ptr<ltl::EmptinessSearch> read_parallel_emptiness_search(
    const Program& program, const std::vector<Word>& initial, const ltl::PropertyAutomaton& automaton,
    const ltl::AutomatonField& field, const ltl::EmptinessOptions& options, reduction::Reducer* reducer,
    const Team& team, std::istream& in);

}  // namespace mule::parallel
