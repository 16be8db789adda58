// The states of one level of a breadth-first search, in runs that workers take: a run is one worker's, from the moment
// it is taken until it is expanded.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "program.hpp"
#include "store/place.hpp"

namespace mule::parallel {

// States that one worker stored one after the other.
struct Run {
    std::unique_ptr<Word[]> states;
    std::uint32_t begin = 0;  // those before it are expanded
    std::uint32_t end = 0;
    StateNumber first = 0;   // the number of the first state, that is of position 0
    std::uint16_t part = 0;  // the worker that gave the numbers

    std::uint32_t left() const { return end - begin; }
};

// R: a run of states, of which `left()` are not expanded.
template <typename R>
class Level {
  public:
    bool empty() const { return next_ >= runs_.size(); }
    std::uint64_t states() const { return states_; }

    // Among the workers: about `states` may be taken before `take` says that there are no more; none, if that is 0.
    void open(std::uint64_t states, std::uint32_t per_run) {
        const std::uint64_t runs = states == 0 ? 0 : states / per_run + 1;
        end_ = runs < runs_.size() - next_ ? next_ + runs : runs_.size();
    }
    bool take(R& run) {
        if (next_.load(std::memory_order_relaxed) >= end_) return false;
        const std::size_t taken = next_.fetch_add(1, std::memory_order_relaxed);
        if (taken >= end_) return false;
        run = std::move(runs_[taken]);
        return true;
    }

    // Back at their coordinator: no worker takes more.
    void close() { next_ = std::min(next_.load(), end_); }
    void put_back(R&& run) { runs_[--next_] = std::move(run); }
    void are_expanded(std::uint64_t states) { states_ -= states; }
    // Calls `visit` with each run that is left, in the order in which they will be taken.
    template <typename Visit>
    void for_each_left(Visit&& visit) const {
        for (std::size_t i = next_; i < runs_.size(); ++i) visit(runs_[i]);
    }

    // The next level, after this one: the runs that a worker found, who then has none.
    void clear() {
        runs_.clear();
        next_ = 0;
        states_ = 0;
    }
    void add(std::vector<R>& runs) {
        for (const R& run : runs) states_ += run.left();
        if (runs_.empty()) {
            runs_.swap(runs);
        } else {
            std::move(runs.begin(), runs.end(), std::back_inserter(runs_));
            runs.clear();
        }
    }

  private:
    std::vector<R> runs_;
    std::uint64_t states_ = 0;
    std::size_t end_ = 0;
    alignas(64) std::atomic<std::size_t> next_ = 0;
};

// Where a worker puts the states that it stores, as runs of the next level.
class Shelf {
  public:
    Shelf(unsigned words, std::uint16_t part)
        : words_(words), per_run_(std::clamp(kRunWords / words, 1u, kMostStates)), part_(part) {}

    std::uint32_t per_run() const { return per_run_; }
    // Blocks that were made here and not given up here; one that moves to another worker is counted by both together.
    std::int64_t blocks() const { return blocks_; }
    std::size_t block_bytes() const { return std::size_t{per_run_} * words_ * sizeof(Word); }

    // The state's number: they count up.
    StateNumber push(const Word* state) {
        if (runs_.empty() || runs_.back().end == per_run_) begin_run();
        Run& run = runs_.back();
        std::copy(state, state + words_, run.states.get() + std::size_t{run.end++} * words_);
        return pushed_++;
    }
    // How many numbers were given, and, before any was, where to begin.
    StateNumber numbers() const { return pushed_; }
    void number_from(StateNumber first) { pushed_ = first; }
    const Word* state(const Run& run, std::uint32_t at) const { return run.states.get() + std::size_t{at} * words_; }

    // A run of another time, which a worker `part` has numbered: where its states go. It ends where its memory does, so
    // that nothing is added to it.
    Word* begin_run_of(std::uint16_t part, StateNumber first, std::uint32_t states) {
        begin_run();
        Run& run = runs_.back();
        run.part = part;
        run.end = per_run_;
        run.begin = per_run_ - states;
        run.first = first - run.begin;
        return run.states.get() + std::size_t{run.begin} * words_;
    }

    std::vector<Run>& runs() { return runs_; }
    const std::vector<Run>& runs() const { return runs_; }

    // A run is expanded: its memory is good for another one.
    void recycle(Run& run) {
        if (!run.states) return;
        if (spare_.size() < kMostSpare) {
            spare_.push_back(std::move(run.states));
        } else {
            run.states.reset();
            --blocks_;
        }
    }

  private:
    static constexpr unsigned kRunWords = 1024;
    static constexpr unsigned kMostStates = 64;
    static constexpr std::size_t kMostSpare = 4096;

    void begin_run() {
        Run run;
        run.first = pushed_;
        run.part = part_;
        if (spare_.empty()) {
            run.states = std::make_unique_for_overwrite<Word[]>(std::size_t{per_run_} * words_);
            ++blocks_;
        } else {
            run.states = std::move(spare_.back());
            spare_.pop_back();
        }
        runs_.push_back(std::move(run));
    }

    unsigned words_;
    std::uint32_t per_run_;
    std::uint16_t part_;
    StateNumber pushed_ = 0;
    std::int64_t blocks_ = 0;
    std::vector<Run> runs_;
    std::vector<std::unique_ptr<Word[]>> spare_;
};

}  // namespace mule::parallel
