// The values of guards in one state, read only when an algorithm asks, and a log of what it asked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program.hpp"

namespace mule {

struct Consulted {
    GuardId guard;
    bool value;
};

// Control guards test control locations only: they are a function of the control state, under which decisions are
// remembered, and so are not logged.
class GuardOracle {
  public:
    // `is_control` may be empty: then every guard that is asked for is logged.
    GuardOracle(std::uint32_t guards, const std::vector<bool>& is_control)
        : memo_(guards), is_control_(is_control.begin(), is_control.end()) {
        is_control_.resize(guards, 0);
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
        values_ = values;
        forget();
    }

    bool value(GuardId guard) {
        if (memo_[guard] >> 1 == generation_) return memo_[guard] & 1;
        const bool value = program_ != nullptr ? program_->guard(state_, guard) : values_[guard] != 0;
        memo_[guard] = generation_ << 1 | static_cast<std::uint64_t>(value);
        if (is_control_[guard] == 0) log_.push_back({guard, value});
        return value;
    }

    std::span<const Consulted> log() const { return log_; }

  private:
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
    std::vector<Consulted> log_;
};

}  // namespace mule
