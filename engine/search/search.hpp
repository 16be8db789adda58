// What every search shares: its options, what it reports, and that one can step it.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "program.hpp"
#include "proviso/proviso.hpp"
#include "search/limits.hpp"
#include "search/pattern.hpp"

namespace mule::reduction {
class Reducer;
}

namespace mule::search {

enum class Order { kBreadthFirst, kDepthFirst, kAStar, kBestFirst, kIterativeDeepening };

// How a breadth-first search keeps what it has met: as it is, as signatures, as some bits (store/lossy.hpp).
enum class Keeping { kExact, kCompact, kBitstate };

struct SearchOptions : Limits {
    Order order = Order::kBreadthFirst;
    Keeping keeping = Keeping::kExact;
    std::uint64_t bitstate_bytes = 0;  // of the array of bits
    std::string
        spill;  // the directory in which a breadth-first search goes on when `max_bytes` are reached; "": nowhere
    std::uint32_t weight = 1;  // of estimates, in A*
    std::vector<std::shared_ptr<Pattern>> patterns;
    Proviso proviso = Proviso::kNone;
    std::vector<Word> sticky;  // C3_static: the transitions, one bit each, that are in no reduced set
    bool stop_at_deadlock = false;
    bool stop_at_assertion = false;
    bool stop_at_error = false;
    // Failing guards are transitions of their own (to an error state) when safety is preserved.
    bool failing_guards_are_transitions = false;
    // Where a language counts the states after an error: the bits that tell them apart; empty: they are not counted.
    std::vector<Word> error_state_mask;
    std::uint32_t sample = 0;  // how many stored states to return, picked evenly at random
    // What tells this search from all others, for its files.
    std::vector<std::uint64_t> identity;
    // The limit on states is looked at between two batches, so that the search can be written where it is reached.
    bool whole_batches = false;
    // Of an exploration that shares the states with others: where the memory is full it does not stop, but sets states
    // aside until it is written.
    bool sets_aside = false;
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
    std::uint64_t disk = 0;      // bytes there
    std::int64_t estimate = -1;  // the least one so far, where there are estimates
};

enum class Found { kNothing, kDeadlock, kProposition, kFailure };

struct Step {
    TransitionId transition;
    std::uint16_t outcome;
};

// What the states met so far mean for the question.
struct Judged {
    std::uint64_t deadlocks = 0;
    std::uint64_t failures = 0;      // steps that the model gives no meaning
    std::uint64_t assertions = 0;    // steps that violate an assertion
    std::uint64_t error_states = 0;  // the states after them, where they count; part of `progress.states`
    std::uint64_t transient = 0;     // states met that are inside a step that the language takes for one
    Found found = Found::kNothing;
    std::uint32_t proposition = 0;  // which one is false, where `found` says so
    std::vector<Word> sample;
    std::vector<std::uint8_t> fired;  // for each transition: 1 if it was enabled in some state met
};

struct SearchResult : Judged {
    Progress progress;
    // "", or why it is not complete: what `stop` was told, "memory", "disk", "states", "cyclic"
    std::string stopped;
    std::vector<Step> path;            // from the initial state to what was found
    std::uint64_t runs = 0;            // followed to their end, by a search that stores no states
    std::uint64_t cut_runs = 0;        // given up because sleep sets show that they were followed in another order
    std::uint64_t fully_expanded = 0;  // states in which the proviso made the search give up a reduced set
    std::uint64_t expanded = 0;        // expansions, by a search that an estimate may guide
    std::uint64_t rounds = 0;          // IDA*: how many bounds it has searched below
    std::uint32_t workers = 1;         // that took part
    bool table_full = false;           // IDA*: some states were not stored
    bool bounded = false;              // A*, IDA*: the path is as short as the estimate says that one can be
    double expected_omissions = 0;     // states that a lossy store may have taken for others, on the way
    double hash_factor = 0;            // bitstate: bits for each state
};

// A search that its caller drives: the caller owns the loop, the clock, the progress line and the interrupt.
class Stepped {
  public:
    virtual ~Stepped() = default;
    Stepped(const Stepped&) = delete;
    Stepped& operator=(const Stepped&) = delete;

    // Goes on for about so many states; false where there is nothing left to do.
    virtual bool step(std::uint64_t states) = 0;
    virtual Progress progress() const = 0;
    // Ends the search where it is: its result is not complete, for this reason.
    void stop(std::string reason) {
        if (!done_) stopped_ = std::move(reason);
        done_ = true;
    }

    // Some steps are long: a second search, the way back to what was found. These ask now and then: why to stop, or "".
    using Question = std::function<std::string()>;
    void asks(Question why_to_stop) { why_to_stop_ = std::move(why_to_stop); }

    // Why it is not complete; "": it is, or it goes on.
    const std::string& stopped() const { return stopped_; }

    // All that is needed to go on from here, between two steps.
    virtual void write(std::ostream&) const { throw std::logic_error("this search cannot be written"); }
    // Whether it can, now,
    virtual bool can_be_written() const { return false; }
    // and whether there is something to go on with.
    virtual bool has_more() const { return progress().open != 0; }

  protected:
    Stepped() = default;
    bool done() const { return done_; }
    // Often, in a long step; true where it must end.
    bool tick() {
        if (++ticks_ % kTicksBetweenQuestions == 0) {
            if (std::string reason = ask(); !reason.empty()) stop(std::move(reason));
        }
        return done_;
    }
    std::string ask() const { return why_to_stop_ ? why_to_stop_() : ""; }
    // What was looked for is found.
    void finish() { done_ = true; }

  private:
    static constexpr std::uint64_t kTicksBetweenQuestions = 1024;

    bool done_ = false;
    std::string stopped_;
    Question why_to_stop_;
    std::uint64_t ticks_ = 0;
};

class Search : public Stepped {
  public:
    // Once, when no more steps will be made.
    virtual SearchResult take_result() = 0;
};

// In any of the orders, with a store of what was met. The program, the options and the reducer (which may be
// null) must outlive the search.
std::unique_ptr<Search> make_search(const Program& program, const std::vector<Word>& initial,
                                    const SearchOptions& options, Reducer* reducer);

// The search, breadth first or depth first, that was written with the same program and options, and with a reducer like
// this one, which has remembered nothing yet; throws ArchiveError where it is not.
std::unique_ptr<Search> read_search(const Program& program, const SearchOptions& options, Reducer* reducer,
                                    std::istream& in);

}  // namespace mule::search
