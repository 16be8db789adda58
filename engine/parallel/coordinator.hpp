// What the searches by several workers share. The coordinator runs in the thread of its caller, which is also the first
// worker's. Workers meet after each level, when the caller wants to hear of them, and when the store must grow.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "parallel/crew.hpp"
#include "parallel/level.hpp"
#include "parallel/ration.hpp"
#include "parallel/search.hpp"
#include "reduction/reducer.hpp"

namespace mule::parallel {

// Face: what callers know of the search, a Stepped. Worker: a BatchedWorker. Store: what its workers fill.
template <typename Face, typename Worker, typename Store>
class Coordinator : public Face {
  public:
    void begin(const Word* initial) {
        make_room_for(1);
        first().begin(initial);
        meet(1);
    }

    // With 0 states what was received is stored, and nothing is expanded.
    bool step(std::uint64_t states) override {
        const std::uint64_t enough = total_.expanded + states;
        while (states == 0 && has_work() && received() != 0) do_round(0);
        while (has_work() && total_.expanded < enough) do_round(enough - total_.expanded);
        return has_work();
    }

    virtual bool has_work() const { return !this->done() && !level_.empty(); }

  protected:
    using Run = typename Worker::Run;
    using Count = typename Worker::Count;

    // `arguments`: for the face.
    template <typename... Arguments>
    Coordinator(const Team& team, const Limits& limits, unsigned words, Arguments&&... arguments)
        : Face(std::forward<Arguments>(arguments)...),
          team_(team),
          limits_(limits),
          store_(words, team.capacity),
          crew_(team.workers) {
        if (team.workers == 0 || team.workers > Team::kMostWorkers)
            throw std::invalid_argument("no such number of workers");
    }

    // The first worker has the reducer itself, which may be null, and the others have copies that remember the same.
    Reducer* reducer_of(unsigned member, Reducer* reducer) {
        if (reducer == nullptr || member == 0) return reducer;
        copies_.push_back(std::make_unique<Reducer>(*reducer));
        copies_.back()->share_memory_of(*reducer);
        return copies_.back().get();
    }

    Worker& first() { return *workers_.front(); }
    std::uint64_t open_states() const { return total_.stored - total_.expanded; }
    std::uint32_t most_hands() const { return most_hands_; }

    Team team_;
    const Limits& limits_;
    Store store_;
    Ration ration_;
    Level<Run> level_;
    std::vector<std::unique_ptr<Reducer>> copies_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::uint64_t depth_ = 0;
    Count total_;

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0} / 2;

    // Of the states that are stored.
    virtual std::uint64_t transient() const = 0;
    virtual std::size_t bytes() const = 0;
    // Whether there are numbers for what so many workers may store before they meet again.
    virtual bool has_numbers_for(unsigned hands) const = 0;
    virtual std::uint32_t states_per_run() = 0;
    // The store may be fuller than before, before workers meet again.
    virtual void made_room() {}
    // What a worker has done, which has counted so much; `alone`: the others had nothing to do.
    virtual void hear(Worker& worker, const Count& counts, bool alone) = 0;
    virtual void begin_level() = 0;
    // States that came from elsewhere, which the workers store before they go on.
    virtual std::uint64_t received() const { return 0; }
    // A limit is reached.
    virtual void give_up(const char* reason) = 0;
    // After each round that leaves something to do.
    virtual void met() {}

    void do_round(std::uint64_t states) {
        if (transient() >= limits_.most_transient()) return give_up("states");
        const std::uint64_t portion = first().portion();
        unsigned hands = is_worth_sharing(states) ? team_.workers : 1;
        if (hands > 1 && states_left() < hands * portion) hands = 1;
        if (!make_room_for(hands)) return give_up("memory");
        if (!has_numbers_for(hands)) return give_up("states");
        level_.open(states, states_per_run());
        ration_.begin(total_.stored, std::min(store_.room(), most_stored()));
        if (hands > 1) {
            crew_.run([&](unsigned member) { workers_[member]->work(level_, kAll, false); });
        } else if (states_left() >= portion) {
            first().work(level_, std::max(states, std::uint64_t{1}), true);
        } else {
            ration_.begin(total_.stored, store_.room());
            first().work_carefully(level_, std::max(states, std::uint64_t{1}), states_left());
        }
        most_hands_ = std::max(most_hands_, hands);
        meet(hands);
        if (first().refused()) return give_up("states");
        if (has_work() && bytes() > limits_.max_bytes) return give_up("memory");
        if (has_work()) met();
    }

    bool is_worth_sharing(std::uint64_t states) const {
        return team_.workers > 1 && total_.stored >= team_.alone_until &&
               std::min(states, level_.states()) + received() >= team_.worth_sharing;
    }

    // How many states may still be stored, and how many there may be then, without transient ones.
    std::uint64_t states_left() const {
        const std::uint64_t states = total_.stored - transient();
        return limits_.max_states > states ? limits_.max_states - states : 0;
    }
    std::uint64_t most_stored() const {
        const std::uint64_t left = states_left();
        return left > ~std::uint64_t{0} - total_.stored ? ~std::uint64_t{0} : total_.stored + left;
    }

    // For a portion each.
    bool make_room_for(unsigned hands) {
        const std::uint64_t wanted = total_.stored + hands * first().portion();
        if (store_.room() < wanted) {
            const std::uint64_t capacity = store_.capacity_for(wanted);
            if (bytes() + store_.bytes_for(capacity) > limits_.max_bytes) return false;
            store_.begin_growth(capacity);
            if (total_.stored < team_.worth_sharing || team_.workers == 1)
                store_.move_part(0, 1);
            else
                crew_.run([&](unsigned member) { store_.move_part(member, team_.workers); });
            store_.end_growth();
        }
        made_room();
        return true;
    }

    // All that the first `hands` workers have done is known to the coordinator, and what they have begun can be gone on
    // with by any of them.
    void meet(unsigned hands) {
        level_.close();
        for (unsigned member = 0; member < hands; ++member) {
            Worker& worker = *workers_[member];
            const Count counts = worker.take_counts();
            total_ += counts;
            level_.are_expanded(counts.expanded);
            if (worker.unfinished().left() != 0) level_.put_back(std::move(worker.unfinished()));
            worker.unfinished() = {};
            hear(worker, counts, hands == 1);
        }
        if (level_.empty() && !first().refused() && !this->done()) {
            level_.clear();
            begin_level();
        }
    }

    std::uint32_t most_hands_ = 1;
    Crew crew_;
};

}  // namespace mule::parallel
