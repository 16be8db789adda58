// Is there a run of the system that the automaton accepts? On the fly, with partial-order reduction.
#pragma once

#include <string>
#include <vector>

#include "ltl/automaton.hpp"
#include "reduction/bits.hpp"
#include "search/search.hpp"

namespace mule::ltl {

enum class EmptinessAlgorithm {
    kNestedDepthFirst,  // for at most one mark
    kComponents,
};

// The visibility provisos of guard-based POR, Table 1.
enum class Visibility {
    kC2,    // all chosen transitions are invisible, or all enabled ones are chosen
    kVI,    // V by way of the relations, and I: an invisible key transition is chosen if an invisible one is enabled
    kFair,  // V by way of the relations alone, for runs that are fair (Peled, section 3.1, C3)
};

// The bits of a packed state that hold the automaton's state.
struct AutomatonField {
    std::uint32_t word = 0;
    std::uint32_t shift = 0;
    Word mask = 0;

    std::uint32_t read(const Word* state) const { return static_cast<std::uint32_t>(state[word] >> shift & mask); }
    Word written(Word old, std::uint32_t value) const { return (old & ~(mask << shift)) | Word{value} << shift; }
};

// Which infinite runs count. Each requirement is raised where some transitions are enabled, outside of transient
// states, and met when some transitions run.
struct Fairness {
    bool compassion = false;  // what is raised again and again is met again and again; else: what is raised for ever is
    BitMatrix raising;        // for each transition the requirements that it raises where it is enabled
    BitMatrix meeting;        // for each transition the requirements that it meets

    std::uint32_t requirements() const { return raising.columns(); }
};

struct EmptinessOptions {
    EmptinessAlgorithm algorithm = EmptinessAlgorithm::kNestedDepthFirst;
    Visibility visibility = Visibility::kC2;
    Proviso proviso = Proviso::kStack;  // stack, duplicate, c3prime or static
    std::vector<Word> visible;          // transitions, as a row of bits; may be empty
    std::vector<Word> sticky;           // the same; every cycle of the system takes one of them
    Fairness fairness;                  // without requirements all runs count
    bool finite_runs = true;            // a run that comes to an end counts as one that stutters there for ever
    Limits limits;
    // What tells this search from all others, for its files.
    std::vector<std::uint64_t> identity;
    // The limit on states is looked at between two batches, so that the search can be written where it is reached.
    bool whole_batches = false;
};

inline constexpr TransitionId kStutter = ~TransitionId{0};

struct ProductStep {
    TransitionId transition;  // kStutter: nothing is enabled, the system stays as it is
    std::uint16_t outcome;
    std::uint16_t edge;  // among those of the automaton's state; PropertyAutomaton::kNoEdge: it does not move
};

struct EmptinessResult {
    Progress progress;                // states and transitions of the product
    std::string stopped;              // "", or why it is not complete
    bool empty = true;                // as far as the search came
    std::vector<ProductStep> prefix;  // from the initial state to the cycle
    std::vector<ProductStep> cycle;
    std::uint64_t failures = 0;        // steps without a meaning, which are not followed
    std::uint64_t reduced = 0;         // states in which a reduced set was used
    std::uint64_t fully_expanded = 0;  // states in which an ignoring proviso made the search give up a reduced set
    std::uint32_t workers = 1;         // that took part
};

class EmptinessSearch : public Stepped {
  public:
    // Once, when no more steps will be made.
    virtual EmptinessResult take_result() = 0;
};

// Throws std::invalid_argument for options that do not go together, or not with the program.
void check_emptiness_options(const Program& program, const std::vector<Word>& initial,
                             const PropertyAutomaton& automaton, const AutomatonField& field,
                             const EmptinessOptions& options, const Reducer* reducer);

// `initial` has the automaton's initial state in `field`. The letter of a state: the program's first propositions, one
// an atom. All that is given by reference must outlive the search. Throws std::invalid_argument for options that do not
// go together.
std::unique_ptr<EmptinessSearch> make_emptiness_search(const Program& program, const std::vector<Word>& initial,
                                                       PropertyAutomaton automaton, const AutomatonField& field,
                                                       const EmptinessOptions& options, Reducer* reducer);

}  // namespace mule::ltl
