// What workers share, whatever they search: they take runs of states of a level and expand them in batches, so that the
// store's cache lines arrive while other successors are still being computed. Room in the store comes out of the
// ration, in portions.
#pragma once

#include <utility>

#include "parallel/level.hpp"
#include "parallel/ration.hpp"

namespace mule::parallel {

// What workers have counted since they last met.
struct Counts {
    std::uint64_t stored = 0;
    std::uint64_t expanded = 0;
    std::uint64_t transitions = 0;
    std::uint64_t fully_expanded = 0;

    void operator+=(const Counts& other) {
        stored += other.stored;
        expanded += other.expanded;
        transitions += other.transitions;
        fully_expanded += other.fully_expanded;
    }
};

// Self: has `fill_batch(level)`, which says whether there was a state to expand, `flush_batch()`, `is_over()` (nothing
// more is to be stored, not even of this batch), and `is_stored(state, hash)`. R: a run of states. C: Counts, or more.
template <typename Self, typename R, typename C>
class BatchedWorker {
  public:
    using Run = R;
    using Count = C;

    // What a worker takes of the ration at once.
    std::uint64_t portion() const { return most_in_a_batch_ + kPortion; }

    // Until about so many states of the level are expanded, or none is left, or the ration is used up. Who works alone
    // has found the first violation that there is, and stops there.
    void work(Level<R>& level, std::uint64_t states, bool alone) {
        portion_ = 0;
        is_alone_ = alone;
        const std::uint64_t enough = counts_.expanded + states;
        while (counts_.expanded < enough && !has_enough_ && !self().is_over()) {
            if (portion_ < most_in_a_batch_) {
                if (!ration_.take(portion())) return;
                portion_ += portion();
            }
            if (!self().fill_batch(level)) return;
            self().flush_batch();
        }
    }

    // Alone, where states are about to be refused: each one is looked at. `left`: how many may still be stored, not
    // counting transient ones.
    void work_carefully(Level<R>& level, std::uint64_t states, std::uint64_t left) {
        left_ = left;
        is_careful_ = true;
        work(level, states, true);
        is_careful_ = false;
    }
    // Whether a state was not stored, because there are too many.
    bool refused() const { return refused_; }
    // Whether there are too many, and all of the batch were stored nevertheless.
    bool has_enough() const { return has_enough_; }

    // What the coordinator takes between two rounds.
    R& unfinished() { return run_; }
    C take_counts() { return std::exchange(counts_, {}); }

  protected:
    static constexpr std::uint32_t kBatch = 96;

    // `whole_batches`: a batch is stored to its end, so that the search can be written.
    BatchedWorker(Ration& ration, std::uint64_t most_successors, bool whole_batches)
        : ration_(ration), most_in_a_batch_(kBatch + most_successors), whole_batches_(whole_batches) {}
    BatchedWorker(const BatchedWorker&) = delete;
    BatchedWorker& operator=(const BatchedWorker&) = delete;

    std::uint64_t most_in_a_batch() const { return most_in_a_batch_; }

    void count_stored() {
        --portion_;
        ++counts_.stored;
    }

    // Of each state that is about to be stored, where the worker is careful.
    bool is_careful() const { return is_careful_; }
    [[gnu::noinline]] bool is_refused(const Word* state, std::uint64_t hash, bool transient) {
        if (transient || self().is_stored(state, hash)) return false;
        if (left_ == 0)
            (whole_batches_ ? has_enough_ : refused_) = true;
        else
            --left_;
        return refused_;
    }

    R run_;  // that is being expanded
    C counts_;
    bool is_alone_ = false;
    bool refused_ = false;

  private:
    static constexpr std::uint64_t kPortion = 256;

    Self& self() { return static_cast<Self&>(*this); }

    Ration& ration_;
    std::uint64_t most_in_a_batch_;
    std::uint64_t portion_ = 0;  // of the ration, not used yet
    bool whole_batches_;
    bool is_careful_ = false;
    bool has_enough_ = false;
    std::uint64_t left_ = 0;
};

}  // namespace mule::parallel
