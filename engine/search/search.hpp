// What every search shares: its options, what it reports, and the watch on limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace mule {

class Reducer;

enum class Order { kBreadthFirst, kDepthFirst };

// When a reduced set must be given up for all enabled transitions (conditions C3-, for safety).
enum class Proviso {
    kNone,
    kStack,      // all chosen successors are on the depth-first stack
    kDuplicate,  // all chosen successors were met before
};

struct SearchOptions {
    Order order = Order::kBreadthFirst;
    Proviso proviso = Proviso::kNone;
    bool stop_at_deadlock = false;
    bool stop_at_failure = false;
    // Failing guards are transitions of their own (to an error state) when safety is preserved.
    bool failing_guards_are_transitions = false;
    std::uint64_t max_states = ~std::uint64_t{0};
    std::uint64_t max_bytes = ~std::uint64_t{0};
    double max_seconds = 1e18;
    // Where a language counts the states after an error: the bits that tell them apart; empty: they are not counted.
    std::vector<Word> error_state_mask;
    std::uint32_t sample = 0;  // how many stored states to return, picked evenly at random
    // For each transition: 1 where runs are cut in states in which it is enabled: nothing follows them there, and
    // nothing they do there is judged. Empty: none is.
    std::vector<std::uint8_t> cuts;
};

struct Progress {
    std::uint64_t states = 0;       // without transient ones
    std::uint64_t transitions = 0;  // without those to transient states
    std::uint64_t depth = 0;
    std::uint64_t open = 0;  // states that wait to be expanded (breadth first) or are on the stack (depth first)
    std::uint64_t bytes = 0;
    double seconds = 0;
};

enum class Found { kNothing, kDeadlock, kProposition, kFailure };

struct Step {
    TransitionId transition;
    std::uint16_t outcome;
};

struct SearchResult {
    Progress progress;
    std::uint64_t deadlocks = 0;
    std::uint64_t failures = 0;      // steps that the model gives no meaning
    std::uint64_t assertions = 0;    // steps that violate an assertion
    std::uint64_t error_states = 0;  // the states after them, where they count; part of `progress.states`
    std::string stopped;             // "", "time", "memory", "states", "interrupted" or "cyclic"
    Found found = Found::kNothing;
    std::uint32_t proposition = 0;  // which one is false, where `found` says so
    std::vector<Step> path;         // from the initial state to what was found
    std::vector<Word> sample;
    std::vector<std::uint8_t> fired;   // for each transition: 1 if it was enabled in some state met
    std::uint64_t runs = 0;            // followed to their end, by a search that stores no states
    std::uint64_t cut_runs = 0;        // given up because sleep sets show that they were followed in another order
    std::uint64_t fully_expanded = 0;  // states in which the proviso made the search give up a reduced set
};

// Asks, every few thousand steps, whether to go on.
class Watch {
  public:
    using Callback = std::function<bool(const Progress&)>;

    Watch(const SearchOptions& options, Callback callback)
        : options_(options), callback_(std::move(callback)), start_(Clock::now()), last_call_(start_) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    // True when the search must stop; `reason` says why.
    bool over(Progress& progress, std::string& reason) {
        const auto now = Clock::now();
        progress.seconds = std::chrono::duration<double>(now - start_).count();
        if (progress.seconds > options_.max_seconds) reason = "time";
        if (progress.bytes > options_.max_bytes) reason = "memory";
        if (callback_ && now - last_call_ > std::chrono::milliseconds(100)) {
            last_call_ = now;
            if (!callback_(progress)) reason = "interrupted";
        }
        return !reason.empty();
    }

  private:
    using Clock = std::chrono::steady_clock;
    const SearchOptions& options_;
    Callback callback_;
    Clock::time_point start_;
    Clock::time_point last_call_;
};

SearchResult search(const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
                    Reducer* reducer, const Watch::Callback& callback);

}  // namespace mule
