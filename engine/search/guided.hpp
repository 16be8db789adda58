// The order of directed search (Hart, Nilsson and Raphael 1968; Edelkamp, Lluch-Lafuente and Leue 2001): A* takes the
// states by their depth plus their weighted estimate, best-first search by their estimate alone. The estimate is the
// first integer function of the program, or 0 where the program has none; where it is undefined or negative it is 0.
//
// Of states with the same sum A* takes those with the least estimate first, as long as it is sure that it expands no
// more states than breadth-first search (see `chosen`), and then in the order of breadth-first search; so without an
// estimate it is breadth-first search. Best-first search takes the last one that was met, which leads on. A* opens a
// state again where a shorter way to it is found, so that an estimate need not be consistent.
//
// What waits is no goal, unless that is a deadlock, which is only seen when the state is expanded: so it is at least
// one step away, whatever the estimate says.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "search/estimate.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"

namespace mule::search {

class Guided {
  public:
    Guided(const Program& program, const SearchOptions& options)
        : estimate_(program, options),
          by_depth_(options.order == Order::kAStar),
          weight_(options.weight),
          least_distance_(options.stop_at_deadlock ? 0 : 1) {}

    void push(StateNumber number, const Word* state, StateNumber source) {
        nodes_.push_back({source, source == kNoNumber ? 0 : nodes_[source].depth + 1, estimate_(state), true, false});
        least_estimate_ = std::min(least_estimate_, nodes_[number].estimate);
        enqueue(number);
    }

    // A state that is known was met again; true where the way over `source` is shorter, and counts from now on.
    bool shorter(StateNumber number, StateNumber source) {
        const std::uint32_t depth = nodes_[source].depth + 1;
        if (!by_depth_ || depth >= nodes_[number].depth) return false;
        Node& node = nodes_[number];
        node.depth = depth;
        node.source = source;
        if (node.open) --size_;
        node.open = true;
        enqueue(number);
        return true;
    }

    Open pop() {
        drop_stale();
        const StateNumber number = take(by_depth_ ? chosen() : buckets_.begin()->second).number;
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
    std::int64_t least_estimate() const { return estimate_.exists() ? std::int64_t{least_estimate_} : -1; }
    // Whether nothing that waits can be the beginning of a path of fewer steps, as far as the estimate can tell.
    bool none_below(std::uint64_t steps) {
        if (!by_depth_ || size_ == 0) return true;
        drop_stale();
        return buckets_.begin()->first.first >= steps;
    }

  private:
    struct Node {
        StateNumber source;  // the state before it on the shortest way so far
        std::uint32_t depth;
        std::uint32_t estimate;
        bool open;
        bool expanded;
    };
    static constexpr std::uint64_t kSeldom = 64;

    struct Waiting {
        StateNumber number;
        std::uint32_t depth;  // that of its node, unless a shorter way was found
    };
    // Whether breadth-first search would come to a state later than to another one that is as deep: where their ways
    // part. Very long ways are not followed to their beginning.
    struct Later {
        const std::vector<Node>& nodes;
        bool operator()(const Waiting& first, const Waiting& second) const {
            constexpr unsigned kFar = 64;
            StateNumber a = first.number, b = second.number;
            for (unsigned i = 0; i < kFar && nodes[a].source != nodes[b].source; ++i) {
                if (nodes[a].source == kNoNumber || nodes[b].source == kNoNumber) break;
                a = nodes[a].source;
                b = nodes[b].source;
            }
            return a > b;
        }
    };
    using Bucket = std::vector<Waiting>;                  // in A* a heap
    using Key = std::pair<std::uint64_t, std::uint32_t>;  // the sum and the depth, or the estimate twice

    void enqueue(StateNumber number) {
        const Node& node = nodes_[number];
        const std::uint32_t distance = std::max(node.estimate, least_distance_);
        const std::uint64_t first = by_depth_ ? node.depth + std::uint64_t{weight_} * distance : distance;
        Bucket& bucket = buckets_[{first, by_depth_ ? node.depth : distance}];
        bucket.push_back({number, node.depth});
        if (by_depth_) std::push_heap(bucket.begin(), bucket.end(), Later{nodes_});
        ++size_;
        ++queued_;
    }

    // Of the states with the least sum the deepest ones, which have the least estimate, if that is no risk. The next to
    // the last states before a goal are one: breadth-first search may need few of them. So no more of them are taken
    // out of its order than there are states that it would have expanded and that the estimate keeps away.
    Bucket& chosen() {
        const std::uint64_t sum = buckets_.begin()->first.first;
        if (sum != sum_) {
            sum_ = sum;
            risked_ = spared_ = 0;
        }
        for (;;) {
            const auto deepest = std::prev(buckets_.upper_bound({sum, ~std::uint32_t{0}}));
            drop_stale(deepest->second);
            if (deepest->second.empty()) {
                buckets_.erase(deepest);
                continue;
            }
            const bool is_risk = deepest->first.second + least_distance_ >= sum;
            if (!is_risk || weight_ != 1) return deepest->second;
            if (risked_ >= spared_ && popped_++ % kSeldom == 0) spared_ = spared(sum);
            if (risked_ >= spared_) return buckets_.begin()->second;
            ++risked_;
            return deepest->second;
        }
    }

    // States that breadth-first search expands before it comes to the states before a goal at this sum.
    std::uint64_t spared(std::uint64_t sum) const {
        std::uint64_t count = 0;
        for (auto at = buckets_.upper_bound({sum, ~std::uint32_t{0}}); at != buckets_.end(); ++at)
            if (at->first.second + least_distance_ < sum) count += at->second.size();
        return count;
    }

    Waiting take(Bucket& bucket) {
        if (by_depth_) std::pop_heap(bucket.begin(), bucket.end(), Later{nodes_});
        const Waiting taken = bucket.back();
        bucket.pop_back();
        return taken;
    }

    // Takes away what a shorter way has replaced, until a state that waits comes first.
    void drop_stale() {
        for (;;) {
            Bucket& bucket = buckets_.begin()->second;
            drop_stale(bucket);
            if (!bucket.empty()) return;
            buckets_.erase(buckets_.begin());
        }
    }
    void drop_stale(Bucket& bucket) {
        while (!bucket.empty()) {
            const Waiting& next = by_depth_ ? bucket.front() : bucket.back();
            if (nodes_[next.number].open && nodes_[next.number].depth == next.depth) return;
            take(bucket);
            --queued_;
        }
    }

    Estimate estimate_;
    bool by_depth_;
    std::uint32_t weight_;
    std::uint32_t least_distance_;  // of what waits
    std::vector<Node> nodes_;       // one per state
    std::map<Key, Bucket> buckets_;
    std::uint64_t size_ = 0;    // states that wait
    std::uint64_t queued_ = 0;  // with those that were replaced
    std::uint64_t deepest_ = 0;
    std::uint32_t least_estimate_ = ~std::uint32_t{0};
    std::uint64_t sum_ = 0;     // of the states that were popped last
    std::uint64_t risked_ = 0;  // see `chosen`
    std::uint64_t spared_ = 0;
    std::uint64_t popped_ = 0;
    bool again_ = false;
    bool ready_ = true;
};

}  // namespace mule::search
