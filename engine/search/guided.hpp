// The order of directed search (Hart, Nilsson and Raphael 1968; Edelkamp, Lluch-Lafuente and Leue 2001): A* takes the
// states by their depth plus their weighted estimate, best-first search by their estimate alone. The estimate is the
// first integer function of the program, or 0 where the program has none; where it is undefined or negative it is 0.
//
// Of states that are alike in this, those with the smaller estimate come first. Then A* takes the first one that was
// met, so that without an estimate it is breadth-first search, and best-first search the last one, which leads on.
// A* opens a state again where a shorter way to it is found, so that an estimate need not be consistent.
//
// What waits is no goal, unless that is a deadlock, which is only seen when the state is expanded: so it is at least
// one step away, whatever the estimate says.
#pragma once

#include <map>
#include <vector>

#include "search/frontier.hpp"
#include "search/search.hpp"

namespace mule::search {

class Guided {
  public:
    Guided(const Program& program, const SearchOptions& options)
        : program_(program),
          by_depth_(options.order == Order::kAStar),
          weight_(options.weight),
          least_distance_(options.stop_at_deadlock ? 0 : 1) {}

    void push(StateNumber number, const Word* state, StateNumber source) {
        nodes_.push_back({source == kNoNumber ? 0 : nodes_[source].depth + 1, estimate(state), true, false});
        least_estimate_ = std::min(least_estimate_, nodes_[number].estimate);
        enqueue(number);
    }

    // A state that is known was met again; true where the way over `source` is shorter, and counts from now on.
    bool shorter(StateNumber number, StateNumber source) {
        const std::uint32_t depth = nodes_[source].depth + 1;
        if (!by_depth_ || depth >= nodes_[number].depth) return false;
        Node& node = nodes_[number];
        node.depth = depth;
        if (node.open) --size_;
        node.open = true;
        enqueue(number);
        return true;
    }

    Open pop() {
        drop_stale();
        const StateNumber number = buckets_.begin()->second.take(by_depth_).number;
        --size_;
        --queued_;
        Node& node = nodes_[number];
        again_ = node.expanded;
        node.open = false;
        node.expanded = true;
        deepest_ = std::max<std::uint64_t>(deepest_, node.depth);
        ready_ = false;
        return {number, nullptr};
    }

    bool empty() const { return size_ == 0; }
    // The successors of each state are stored before the next one is chosen.
    bool ready() const { return ready_ && size_ != 0; }
    void settle() { ready_ = true; }
    std::uint64_t size() const { return size_; }
    std::uint64_t depth() const { return deepest_; }
    std::size_t bytes() const { return nodes_.capacity() * sizeof(Node) + queued_ * sizeof(Waiting); }

    std::uint32_t depth_of(StateNumber number) const { return nodes_[number].depth; }
    // Whether the last state that was popped had been before.
    bool again() const { return again_; }
    // Of all states so far; -1 where nothing is estimated.
    std::int64_t least_estimate() const { return program_.functions == 0 ? -1 : std::int64_t{least_estimate_}; }
    // Whether nothing that waits can be the beginning of a path of fewer steps, as far as the estimate can tell.
    bool none_below(std::uint64_t steps) {
        if (!by_depth_ || size_ == 0) return true;
        drop_stale();
        return buckets_.begin()->first.first >= steps;
    }

  private:
    struct Node {
        std::uint32_t depth;
        std::uint32_t estimate;
        bool open;
        bool expanded;
    };
    struct Waiting {
        StateNumber number;
        std::uint32_t depth;  // that of its node, unless a shorter way was found
    };
    // States that are alike in all that the order looks at.
    class Bucket {
      public:
        bool empty() const { return first_ == waiting_.size(); }
        void add(const Waiting& waiting) { waiting_.push_back(waiting); }
        const Waiting& next(bool oldest) const { return oldest ? waiting_[first_] : waiting_.back(); }
        Waiting take(bool oldest) {
            const Waiting taken = next(oldest);
            if (oldest)
                ++first_;
            else
                waiting_.pop_back();
            return taken;
        }

      private:
        std::vector<Waiting> waiting_;
        std::size_t first_ = 0;
    };
    using Key = std::pair<std::uint64_t, std::uint32_t>;  // what comes first, and the estimate

    std::uint32_t estimate(const Word* state) const {
        if (program_.functions == 0) return 0;
        const std::int64_t value = program_.function(state, 0);
        return value > 0 ? static_cast<std::uint32_t>(value) : 0;
    }

    void enqueue(StateNumber number) {
        const Node& node = nodes_[number];
        const std::uint32_t distance = std::max(node.estimate, least_distance_);
        const std::uint64_t first = by_depth_ ? node.depth + std::uint64_t{weight_} * distance : distance;
        buckets_[{first, distance}].add({number, node.depth});
        ++size_;
        ++queued_;
    }

    // Takes away what a shorter way has replaced, until a state that waits comes first.
    void drop_stale() {
        for (;;) {
            auto& bucket = buckets_.begin()->second;
            if (bucket.empty()) {
                buckets_.erase(buckets_.begin());
                continue;
            }
            const Waiting& next = bucket.next(by_depth_);
            if (nodes_[next.number].open && nodes_[next.number].depth == next.depth) return;
            bucket.take(by_depth_);
            --queued_;
        }
    }

    const Program& program_;
    bool by_depth_;
    std::uint32_t weight_;
    std::uint32_t least_distance_;  // of what waits
    std::vector<Node> nodes_;       // one per state
    std::map<Key, Bucket> buckets_;
    std::uint64_t size_ = 0;    // states that wait
    std::uint64_t queued_ = 0;  // with those that were replaced
    std::uint64_t deepest_ = 0;
    std::uint32_t least_estimate_ = ~std::uint32_t{0};
    bool again_ = false;
    bool ready_ = true;
};

}  // namespace mule::search
