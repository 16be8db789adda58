// The D1/D2 checker (seed 003, section 7.9): stubborn sets against the real state space, one state at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "program.hpp"
#include "reduction/reducer.hpp"
#include "search/search.hpp"

namespace mule::validation {

enum class Condition : std::uint8_t {
    kNotEmpty,  // something is enabled, but nothing stubborn is
    kD1,        // a stubborn transition does not commute with the path of others before it
    kD2,        // no stubborn transition stays enabled (weak sets), or not all do (strong sets)
};

// What is wrong with one set. For D1 the last step of `path`, u, and `transition`, t, are the two sides of the diamond
// that does not close: after u, t's `outcome` leads to a state that t before u does not reach. For D2 `transition` was
// enabled in `state` and is not at the end of `path`.
struct Violation {
    Condition condition;
    std::vector<Word> state;
    std::vector<Step> path;  // of transitions outside the set, from `state` on
    TransitionId transition;
    std::uint16_t outcome;
    StubbornSet set;
};

struct Validation {
    std::uint64_t states = 0;    // whose set was checked
    std::uint64_t explored = 0;  // states reached by transitions outside the sets
    std::uint64_t cut = 0;       // states whose exploration met the limit: checked in part only
    std::optional<Violation> violation;
};

class Validator {
  public:
    // Whole sets as the algorithm computes them; with Memory::kValid the sets that a search would use.
    // `limit`: how many states to explore for each state that is checked.
    Validator(const Program& program, Reducer& reducer, std::uint64_t limit);
    ~Validator();

    // False when the set of `state` is not stubborn; the violation is then in result(), and is the last that is looked
    // for.
    bool check(const Word* state);
    const Validation& result() const { return result_; }

  private:
    class Exploration;

    Reducer* reducer_;
    std::uint64_t limit_;
    Validation result_;
    std::unique_ptr<Exploration> exploration_;
};

// All states at once, `program.words` words each; stops at the first violation.
Validation validate(const Program& program, Reducer& reducer, std::span<const Word> states, std::uint64_t limit);

}  // namespace mule::validation
