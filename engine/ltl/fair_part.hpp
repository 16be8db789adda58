// Emptiness for Streett acceptance: a part of a component in which all that is raised is met.
//
// What a component raises and does not meet is raised in no run of it that is fair: the states that raise it are taken
// out, and the components of the rest are judged in the same way (Lichtenstein and Pnueli, POPL 1985). Where a
// requirement must be raised for ever to count, no part is better than the whole.
#pragma once

#include <algorithm>
#include <vector>

#include "ltl/stored_edges.hpp"

namespace mule::ltl {

template <typename Store>
class FairPart {
  public:
    // `component`: its states. `place_of(state)`: the state's position in it, or anything from its size on outside.
    // `tick()`, after each state: whether to give up.
    template <typename PlaceOf, typename Tick>
    FairPart(const Store& store, ProductSuccessors& successors, std::vector<StateNumber> component, PlaceOf&& place_of,
             Tick&& tick)
        : edges_(store, successors), successors_(successors), component_(std::move(component)) {
        parts_.assign(component_.size(), 0);
        std::vector<Position> whole(component_.size());
        for (Position i = 0; i < whole.size(); ++i) whole[i] = i;
        waiting_.push_back({0, std::move(whole)});
        while (!waiting_.empty() && !found_ && !stopped_) {
            const Part part = std::move(waiting_.back());
            waiting_.pop_back();
            judge(part, place_of, tick);
        }
    }

    bool found() const { return found_; }
    bool contains(std::size_t position) const { return position < parts_.size() && parts_[position] == number_; }
    // What a fair cycle in it must meet.
    const std::vector<Word>& to_meet() const { return to_meet_; }

  private:
    using Position = std::uint32_t;
    static constexpr std::uint32_t kOut = ~std::uint32_t{0};

    struct Part {
        std::uint32_t number;
        std::vector<Position> states;
    };

    bool has(std::uint32_t part, std::size_t position) const {
        return position < parts_.size() && parts_[position] == part;
    }

    template <typename PlaceOf, typename Tick>
    void judge(const Part& part, PlaceOf& place_of, Tick& tick) {
        Word marks = 0;
        bool has_edge = false;
        std::vector<Word> raised(successors_.raised().size());
        std::vector<Word> met(raised.size());
        for (const Position position : part.states) {
            edges_.for_each(component_[position], [&](const StoredEdge& edge) {
                if (!has(part.number, place_of(edge.to))) return false;
                marks |= edge.marks;
                has_edge = true;
                successors_.add_met(edge.step.transition, met);
                return false;
            });
            const std::vector<Word>& here = successors_.raised();
            for (std::size_t w = 0; w < raised.size(); ++w) raised[w] |= here[w];
            if ((stopped_ = tick())) return;
        }
        if (!has_edge || marks != successors_.all_marks()) return;
        std::vector<Word> unmet(raised.size());
        for (std::size_t w = 0; w < raised.size(); ++w) unmet[w] = raised[w] & ~met[w];
        if (std::all_of(unmet.begin(), unmet.end(), [](Word word) { return word == 0; })) {
            found_ = true;
            number_ = part.number;
            to_meet_ = std::move(raised);
        } else if (successors_.asks_compassion()) {
            split(part, unmet, place_of, tick);
        }
    }

    // The components of what is left without the states that raise what is not met.
    template <typename PlaceOf, typename Tick>
    void split(const Part& part, const std::vector<Word>& unmet, PlaceOf& place_of, Tick& tick) {
        std::vector<Position> kept;
        for (const Position position : part.states) {
            edges_.for_each(component_[position], [](const StoredEdge&) { return true; });
            const std::vector<Word>& here = successors_.raised();
            bool stays = true;
            for (std::size_t w = 0; w < unmet.size(); ++w) stays &= (here[w] & unmet[w]) == 0;
            parts_[position] = stays ? part.number : kOut;
            if (stays) kept.push_back(position);
            if ((stopped_ = tick())) return;
        }
        if (order_.empty()) order_.resize(component_.size());
        for (const Position position : kept) order_[position] = 0;
        for (const Position root : kept)
            if (order_[root] == 0 && !stopped_) find_components(root, part.number, place_of, tick);
    }

    struct Frame {
        Position state;
        std::uint32_t lowest;
        std::size_t next;  // among the successors that wait, up to those of the frame above
    };

    // Tarjan's algorithm on the part `number`; each component that is done is a part of its own, and waits.
    template <typename PlaceOf, typename Tick>
    void find_components(Position root, std::uint32_t number, PlaceOf& place_of, Tick& tick) {
        std::vector<Frame> frames;
        std::vector<Position> pending;
        std::vector<Position> live;
        const auto enter = [&](Position state) {
            live.push_back(state);
            order_[state] = ++last_;
            frames.push_back({state, last_, pending.size()});
            edges_.for_each(component_[state], [&](const StoredEdge& edge) {
                const std::size_t place = place_of(edge.to);
                if (has(number, place)) pending.push_back(static_cast<Position>(place));
                return false;
            });
        };
        enter(root);
        while (!frames.empty() && !stopped_) {
            Frame& frame = frames.back();
            if (pending.size() > frame.next) {
                const Position to = pending.back();
                pending.pop_back();
                if (order_[to] != 0) {
                    if (parts_[to] == number) frame.lowest = std::min(frame.lowest, order_[to]);
                } else if (!(stopped_ = tick())) {
                    enter(to);
                }
                continue;
            }
            const Frame done = frame;
            frames.pop_back();
            if (!frames.empty()) frames.back().lowest = std::min(frames.back().lowest, done.lowest);
            if (done.lowest != order_[done.state]) continue;
            Part part{++numbers_, {}};
            do {
                part.states.push_back(live.back());
                parts_[live.back()] = part.number;
                live.pop_back();
            } while (part.states.back() != done.state);
            waiting_.push_back(std::move(part));
        }
    }

    StoredEdges<Store> edges_;
    ProductSuccessors& successors_;
    std::vector<StateNumber> component_;
    std::vector<std::uint32_t> parts_;  // by position: the part that it is in
    std::vector<std::uint32_t> order_;  // by position: when Tarjan's algorithm came there; 0: it did not
    std::uint32_t last_ = 0;
    std::uint32_t numbers_ = 0;
    std::vector<Part> waiting_;
    bool found_ = false;
    bool stopped_ = false;
    std::uint32_t number_ = 0;
    std::vector<Word> to_meet_;
};

}  // namespace mule::ltl
