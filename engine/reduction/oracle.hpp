// The values of guards in one state, read only when an algorithm asks, and a log of what it asked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program.hpp"

namespace mule::reduction {

struct Consulted {
    GuardId guard;
    bool value;
};

// A guard that compares some bits of one word with a constant: read in place, without calling the compiled model.
struct BitTest {
    Word mask = 0;  // 0: the guard is not of this form
    Word value = 0;
    std::uint32_t word = 0;
    bool negated = false;
};

// Control guards test control locations only: they are a function of the control state, under which decisions are
// remembered, and so are not logged.
class GuardOracle {
  public:
    // `is_control` may be empty: then every guard that is asked for is logged.
    GuardOracle(std::uint32_t guards, const std::vector<bool>& is_control, std::vector<BitTest> bit_tests = {})
        : memo_(guards), is_control_(is_control.begin(), is_control.end()), bit_tests_(std::move(bit_tests)) {
        is_control_.resize(guards, 0);
        bit_tests_.resize(guards);
    }

    // What is asked from now on is asked of `state`.
    void enter(const Program& program, const Word* state) {
        program_ = &program;
        state_ = state;
        forget();
    }

    // The same with the values given, one a guard; they must outlive the questions.
    void enter(std::span<const std::uint8_t> values) {
        program_ = nullptr;
        state_ = nullptr;
        values_ = values;
        forget();
    }

    bool value(GuardId guard) {
        if (memo_[guard] >> 1 == generation_) return memo_[guard] & 1;
        const bool value = program_ != nullptr ? read(guard) : values_[guard] != 0;
        memo_[guard] = generation_ << 1 | static_cast<std::uint64_t>(value);
        if (is_control_[guard] == 0) log_.push_back({guard, value});
        return value;
    }

    std::span<const Consulted> log() const { return log_; }
    // Null where the values were given.
    const Word* state() const { return state_; }

    // The same, without a note of it: for conditions that are checked rather than explored.
    bool peek(GuardId guard) { return memo_[guard] >> 1 == generation_ ? (memo_[guard] & 1) != 0 : read(guard); }

  private:
    bool read(GuardId guard) const {
        const BitTest& test = bit_tests_[guard];
        if (test.mask != 0) return ((state_[test.word] & test.mask) == test.value) != test.negated;
        return program_->guard(state_, guard);
    }

    void forget() {
        ++generation_;
        log_.clear();
    }

    const Program* program_ = nullptr;
    const Word* state_ = nullptr;
    std::span<const std::uint8_t> values_;
    std::uint64_t generation_ = 0;
    std::vector<std::uint64_t> memo_;  // generation and value: stale entries need no clearing
    std::vector<std::uint8_t> is_control_;
    std::vector<BitTest> bit_tests_;
    std::vector<Consulted> log_;
};

}  // namespace mule::reduction
