// Counterexamples: a path to a cycle, and the cycle, both found breadth first among the stored states.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "ltl/stored_edges.hpp"

namespace mule::ltl {

template <typename Store>
class Lasso {
  public:
    // `must_end()`, after each state: whether to give up. What was built is then of no use.
    Lasso(const Store& store, ProductSuccessors& successors, std::function<bool()> must_end)
        : edges_(store, successors), successors_(successors), must_end_(std::move(must_end)), origins_(store.size()) {}

    // The shortest cycle over the edge from `from` to `to`, which lies on one.
    void cycle_over(StateNumber from, ProductStep step, StateNumber to) {
        cycle_ = {step};
        if (to != from)
            append(path(
                to, [&](const Edge& edge) { return edge.to == from; }, kAnywhere));
        if (given_up_) return;
        std::vector<StateNumber> states = {from};
        for (StateNumber at = to; states.size() < cycle_.size(); at = after(at, cycle_[states.size() - 1]))
            states.push_back(at);
        std::vector<bool> on_cycle(origins_.size());
        for (const StateNumber number : states) on_cycle[number] = true;
        enter_cycle([&](StateNumber number) { return on_cycle[number]; });
        if (given_up_) return;
        const auto entrance = std::find(states.begin(), states.end(), entrance_) - states.begin();
        std::rotate(cycle_.begin(), cycle_.begin() + entrance, cycle_.end());
    }

    // A short cycle with all marks inside a component, which meets the requirements of a row that may be empty.
    template <typename Inside>
    void cycle_inside(Inside&& inside, std::vector<Word> unmet = {}) {
        enter_cycle(inside);
        go_round(inside, std::move(unmet));
    }
    // The same where a way to the component is known: the states on it, from the first one on.
    template <typename Inside>
    void cycle_inside(const std::vector<StateNumber>& way, Inside&& inside, std::vector<Word> unmet) {
        for (std::size_t i = 0; i + 1 < way.size(); ++i) prefix_.push_back(step_between(way[i], way[i + 1]));
        entrance_ = way.back();
        go_round(inside, std::move(unmet));
    }

    std::vector<ProductStep> take_prefix() { return std::move(prefix_); }
    std::vector<ProductStep> take_cycle() { return std::move(cycle_); }

  private:
    using Edge = StoredEdge;
    struct Origin {
        StateNumber from;
        std::uint32_t search;  // in which it was found
        ProductStep step;
    };
    static constexpr auto kAnywhere = [](StateNumber) { return true; };

    template <typename Inside>
    void go_round(Inside&& inside, std::vector<Word> unmet) {
        const StateNumber first = entrance_;
        StateNumber at = first;
        Word missing = successors_.all_marks();
        std::vector<Word> met(unmet.size());
        while (!given_up_ &&
               (missing != 0 || std::any_of(unmet.begin(), unmet.end(), [](Word word) { return word != 0; }))) {
            Edge last{};
            append(path(
                at,
                [&](const Edge& edge) {
                    if (!inside(edge.to)) return false;
                    std::fill(met.begin(), met.end(), 0);
                    if (!met.empty()) successors_.add_met(edge.step.transition, met);
                    last = edge;
                    return (edge.marks & missing) != 0 || intersect(met, unmet);
                },
                inside));
            missing &= ~last.marks;
            for (std::size_t w = 0; w < unmet.size(); ++w) unmet[w] &= ~met[w];
            at = last.to;
        }
        if (at != first || cycle_.empty())
            append(path(
                at, [&](const Edge& edge) { return edge.to == first; }, inside));
    }

    void append(const std::vector<ProductStep>& steps) { cycle_.insert(cycle_.end(), steps.begin(), steps.end()); }

    static bool intersect(const std::vector<Word>& left, const std::vector<Word>& right) {
        for (std::size_t w = 0; w < left.size(); ++w)
            if ((left[w] & right[w]) != 0) return true;
        return false;
    }

    StateNumber after(StateNumber number, const ProductStep& step) {
        StateNumber result = number;
        edges_.for_each(number, [&](const Edge& edge) {
            result = edge.to;
            return edge.step.transition == step.transition && edge.step.outcome == step.outcome &&
                   edge.step.edge == step.edge;
        });
        return result;
    }

    ProductStep step_between(StateNumber from, StateNumber to) {
        ProductStep step{};
        edges_.for_each(from, [&](const Edge& edge) {
            step = edge.step;
            return edge.to == to;
        });
        return step;
    }

    // The shortest path of at least one edge that ends with an edge for which `goal` holds, over states `inside`.
    template <typename Goal, typename Inside>
    std::vector<ProductStep> path(StateNumber from, Goal&& goal, Inside&& inside) {
        ++search_;
        origins_[from] = {from, search_, {}};
        queue_.assign(1, from);
        for (std::size_t next = 0; next < queue_.size() && !given_up_; ++next) {
            given_up_ = must_end_();
            const StateNumber number = queue_[next];
            ProductStep last{};
            const bool reached = edges_.for_each(number, [&](const Edge& edge) {
                last = edge.step;
                if (goal(edge)) return true;
                if (origins_[edge.to].search == search_ || !inside(edge.to)) return false;
                origins_[edge.to] = {number, search_, edge.step};
                queue_.push_back(edge.to);
                return false;
            });
            if (!reached) continue;
            std::vector<ProductStep> steps = {last};
            for (StateNumber at = number; at != from; at = origins_[at].from) steps.push_back(origins_[at].step);
            std::reverse(steps.begin(), steps.end());
            return steps;
        }
        return {};
    }

    // The shortest path from the first state to one for which `on_cycle` holds.
    template <typename OnCycle>
    void enter_cycle(OnCycle&& on_cycle) {
        entrance_ = 0;
        if (on_cycle(0)) return;
        prefix_ = path(
            0,
            [&](const Edge& edge) {
                if (!on_cycle(edge.to)) return false;
                entrance_ = edge.to;
                return true;
            },
            kAnywhere);
    }

    StoredEdges<Store> edges_;
    ProductSuccessors& successors_;
    std::function<bool()> must_end_;
    bool given_up_ = false;
    std::vector<Origin> origins_;
    std::vector<StateNumber> queue_;
    std::uint32_t search_ = 0;
    StateNumber entrance_ = 0;
    std::vector<ProductStep> prefix_;
    std::vector<ProductStep> cycle_;
};

}  // namespace mule::ltl
