// What must be the same where a product that was written is read again.
#pragma once

#include <vector>

#include "ltl/emptiness.hpp"

namespace mule::ltl {

// `kind`: of the search that writes it.
inline std::vector<std::uint64_t> product_signature(std::uint64_t kind, const Program& program,
                                                    const std::vector<Word>& initial,
                                                    const PropertyAutomaton& automaton, const AutomatonField& field,
                                                    const EmptinessOptions& options, const Reducer* reducer) {
    std::vector<std::uint64_t> numbers = {kind,
                                          program.words,
                                          program.transitions,
                                          program.guards,
                                          program.propositions,
                                          automaton.states(),
                                          automaton.marks(),
                                          field.word,
                                          field.shift,
                                          field.mask,
                                          static_cast<std::uint64_t>(options.proviso),
                                          static_cast<std::uint64_t>(options.visibility),
                                          options.finite_runs,
                                          options.fairness.compassion,
                                          options.fairness.requirements(),
                                          reducer != nullptr,
                                          options.identity.size()};
    numbers.insert(numbers.end(), options.identity.begin(), options.identity.end());
    numbers.insert(numbers.end(), initial.begin(), initial.end());
    return numbers;
}

}  // namespace mule::ltl
