// A violation that a worker has found. The level is finished before one is reported, so that of a level's violations it
// is always the same one, whoever finds it: the nearest, then by what it is and where.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "search/judge.hpp"
#include "search/origins.hpp"

namespace mule::parallel {

struct Candidate {
    Finding finding;
    std::vector<Word> state;  // in which it shows, or from which a step fails
    std::optional<Step> failing;
    StateNumber number = 0;
    std::uint16_t part = 0;  // the worker that numbered the state

    bool operator<(const Candidate& other) const { return rank() < other.rank(); }

  private:
    // A deadlock shows when its state is expanded: it is one step nearer than what is found on the way out of the
    // level.
    std::tuple<bool, Found, std::uint32_t, const std::vector<Word>&, std::uint32_t, std::uint32_t> rank() const {
        const Step step = failing.value_or(Step{0, 0});
        return {finding.found != Found::kDeadlock,
                finding.found,
                finding.proposition,
                state,
                step.transition,
                step.outcome};
    }
};

// The better one stays.
inline void keep_better(std::optional<Candidate>& best, std::optional<Candidate>&& other) {
    if (other && (!best || *other < *best)) best = std::move(other);
    other.reset();
}

}  // namespace mule::parallel
