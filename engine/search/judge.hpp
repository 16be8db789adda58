// What a state, and what can happen in it, means for the question: the same in every order and for every worker.
#pragma once

#include "search/error_states.hpp"
#include "search/sample.hpp"
#include "search/search.hpp"

namespace mule::search {

// What can happen in a state, as far as somebody judges it.
struct Happenings {
    std::uint32_t failures = 0;    // steps without a meaning
    std::uint32_t assertions = 0;  // steps that violate an assertion
    bool stops = false;            // the search stops at one of these steps,
    Step failing{};                // the first one of those
    bool stuck = false;            // nothing can happen, not even a step that fails

    bool fails() const { return failures + assertions != 0; }
};

// What is looked for.
struct Finding {
    Found found = Found::kNothing;
    std::uint32_t proposition = 0;
};

class Judge {
  public:
    Judge(const Program& program, const SearchOptions& options)
        : program_(program),
          options_(options),
          sample_(options.sample, program.words),
          errors_(options.error_state_mask) {
        judged_.fired.resize(program.transitions);
    }

    // A transition is enabled in some state that is expanded.
    void enabled(TransitionId transition) { judged_.fired[transition] = 1; }

    // A state that was not met before; true where what is looked for is found.
    bool arrive(const Word* state, bool transient) {
        if (transient) {
            ++judged_.transient;
            return false;
        }
        sample_.offer(state);
        return violates(state);
    }

    // Whether a state that is not transient violates one of the propositions: then that is found.
    bool violates(const Word* state) {
        for (std::uint32_t p = 0; p < program_.propositions; ++p) {
            if (program_.proposition(state, p)) continue;
            judged_.proposition = p;
            judged_.found = Found::kProposition;
            return true;
        }
        return false;
    }

    // The search goes on: what is found now is not what was found before.
    Finding take_finding() {
        const Finding finding{judged_.found, judged_.proposition};
        judged_.found = Found::kNothing;
        return finding;
    }
    void set_finding(const Finding& finding) {
        judged_.found = finding.found;
        judged_.proposition = finding.proposition;
    }

    // A state that was expanded; true where what is looked for is found. Where that is a failure, its step is the last
    // one of the path. `again`: it was expanded before, and is not counted twice.
    bool expanded(const Word* state, const Happenings& happenings, bool again = false) {
        if (happenings.stuck && !program_.may_end(state) && !program_.is_transient(state)) {
            judged_.deadlocks += again ? 0 : 1;
            if (options_.stop_at_deadlock) judged_.found = Found::kDeadlock;
        }
        if (!happenings.fails()) return found();
        judged_.failures += again ? 0 : happenings.failures;
        judged_.assertions += again ? 0 : happenings.assertions;
        if (happenings.failures != 0) errors_.add(state);
        if (happenings.stops) judged_.found = Found::kFailure;
        return found();
    }

    bool found() const { return judged_.found != Found::kNothing; }
    bool found_failure() const { return judged_.found == Found::kFailure; }

    // What one judge found and what another did: a violation, if either has one.
    void merge(const Judge& other) {
        judged_.deadlocks += other.judged_.deadlocks;
        judged_.failures += other.judged_.failures;
        judged_.assertions += other.judged_.assertions;
        judged_.transient += other.judged_.transient;
        for (std::size_t t = 0; t < judged_.fired.size(); ++t) judged_.fired[t] |= other.judged_.fired[t];
        errors_.merge(other.errors_);
        if (!found()) {
            judged_.found = other.judged_.found;
            judged_.proposition = other.judged_.proposition;
        }
    }

    // The other judge knows what this one has counted, and this one begins anew. What was found is not handed over.
    void hand_over_to(Judge& other) {
        other.merge(*this);
        for (const auto count : kCounts) judged_.*count = 0;
        errors_.clear();
    }

    std::uint64_t transient() const { return judged_.transient; }
    std::uint64_t failures() const { return judged_.failures; }
    // States that are not in any store, and the steps to them.
    std::uint64_t error_states() const { return errors_.size(); }
    std::vector<Word> error_state_words() const { return errors_.words(); }
    std::uint64_t steps_to_error_states() const { return errors_.counted() ? judged_.failures : 0; }
    std::size_t bytes() const { return errors_.bytes(); }

    // Once, at the end.
    Judged take() {
        judged_.error_states = errors_.size();
        judged_.sample = sample_.take();
        return std::move(judged_);
    }

    // Before anything is found.
    void write(Writer& writer) const {
        for (const auto count : kCounts) writer.value(judged_.*count);
        writer.values(judged_.fired);
        sample_.write(writer);
        errors_.write(writer);
    }
    void read(Reader& reader) {
        for (const auto count : kCounts) reader.value(judged_.*count);
        reader.values(judged_.fired);
        sample_.read(reader);
        errors_.read(reader);
    }

  private:
    static constexpr std::uint64_t Judged::*kCounts[] = {&Judged::deadlocks, &Judged::failures, &Judged::assertions,
                                                         &Judged::transient};

    const Program& program_;
    const SearchOptions& options_;
    Sample sample_;
    ErrorStates errors_;
    Judged judged_;
};

}  // namespace mule::search
