// A look for an accepting cycle, in one partition of a product: which of its states are left (see partition.hpp).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "ltl/incoming_edges.hpp"

namespace mule::ltl {

class Look {
  public:
    // `marks`: how many acceptance marks there are.
    Look(const IncomingEdges& edges, std::size_t marks) : edges_(edges), hops_(marks) {}

    // `edges_out`: how many edges that may be on a cycle lead from each state.
    void begin_trimming(const std::vector<std::uint32_t>& edges_out) {
        begin(false);
        alive_.assign(edges_out.size(), true);
        edges_left_ = edges_out;
        left_ = edges_out.size();
        for (StateNumber state = 0; state < edges_out.size(); ++state)
            if (edges_left_[state] == 0) take_away(state);
    }

    void begin_reaching(std::uint32_t mark, bool keep) {
        begin(true);
        mark_ = mark;
        keep_ = keep;
        swept_ = 0;
        reached_.assign(alive_.size(), false);
        if (keep) hops_.at(mark).resize(alive_.size());
    }

    std::uint64_t end_reaching() {
        begin(false);
        const std::uint64_t before = left_;
        for (StateNumber state = 0; state < alive_.size(); ++state)
            if (alive_[state] && !reached_[state]) take_away(state);
        return before - left_;
    }

    bool has_work() const { return pending_next_ < pending_.size() || (reaching_ && swept_ < alive_.size()); }

    // Of one state: calls `tell(edge, state, marked)` for each edge whose source is to be told.
    template <typename Tell>
    void work(Tell&& tell) {
        if (pending_next_ < pending_.size()) {
            const StateNumber state = pending_[pending_next_++];
            edges_.for_each(state, [&](const IncomingEdges::Edge& edge) { tell(edge, state, false); });
        } else {
            const auto state = static_cast<StateNumber>(swept_++);
            if (!alive_[state]) return;
            edges_.for_each(state, [&](const IncomingEdges::Edge& edge) {
                if ((edge.marks >> mark_ & 1) != 0) tell(edge, state, true);
            });
        }
    }

    // The source of an edge is told that its target is taken away, or that it was reached.
    void noted(StateNumber source, Node target, bool marked) {
        if (!reaching_) {
            if (--edges_left_[source] == 0 && alive_[source]) take_away(source);
        } else if (alive_[source] && !reached_[source]) {
            reached_[source] = true;
            if (keep_) hops_[mark_][source] = {target, marked};
            pending_.push_back(source);
        }
    }

    std::uint64_t left() const { return left_; }
    StateNumber first_left() const {
        const auto found = std::find(alive_.begin(), alive_.end(), true);
        if (found == alive_.end()) throw std::invalid_argument("no state is left");
        return static_cast<StateNumber>(found - alive_.begin());
    }
    Hop hop(StateNumber from, std::uint32_t mark) const { return hops_.at(mark).at(from); }

    std::size_t bytes() const {
        return edges_left_.capacity() * sizeof edges_left_[0] + pending_.capacity() * sizeof pending_[0];
    }

  private:
    void begin(bool reaching) {
        reaching_ = reaching;
        pending_.clear();
        pending_next_ = 0;
    }

    void take_away(StateNumber state) {
        alive_[state] = false;
        --left_;
        pending_.push_back(state);
    }

    const IncomingEdges& edges_;
    bool reaching_ = false;
    std::vector<bool> alive_;
    std::vector<bool> reached_;
    std::vector<std::uint32_t> edges_left_;  // that may be on a cycle, to states that are left
    std::uint64_t left_ = 0;                 // that are alive
    std::vector<StateNumber> pending_;       // taken away, or reached: their edges are to be told
    std::size_t pending_next_ = 0;
    std::uint64_t swept_ = 0;  // reaching: so many states were looked at for marked edges
    std::uint32_t mark_ = 0;
    bool keep_ = false;
    std::vector<std::vector<Hop>> hops_;  // by mark and state
};

}  // namespace mule::ltl
