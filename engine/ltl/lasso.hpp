// Counterexamples: a path to a cycle, and the cycle, both found breadth first among the stored states.
#pragma once

#include <algorithm>
#include <vector>

#include "ltl/state_store.hpp"
#include "ltl/successors.hpp"

namespace mule {

inline constexpr auto kNeverAsked = [](const Word*, std::uint64_t) { return false; };

inline ProductStep step_of(const Word* entry) {
    const SuccessorHeader& header = header_of(entry);
    return {header.transition, header.outcome, header.failure};
}

template <unsigned W>
class Lasso {
  public:
    Lasso(const StateStore<W>& store, ProductSuccessors& successors)
        : store_(store), successors_(successors), origins_(store.size()) {}

    // The shortest cycle over the edge from `from` to `to`, which lies on one.
    void cycle_over(StateNumber from, ProductStep step, StateNumber to) {
        cycle_ = {step};
        if (to != from)
            append(path(
                to, [&](const Edge& edge) { return edge.to == from; }, kAnywhere));
        std::vector<StateNumber> states = {from};
        for (StateNumber at = to; states.size() < cycle_.size(); at = after(at, cycle_[states.size() - 1]))
            states.push_back(at);
        std::vector<bool> on_cycle(store_.size());
        for (const StateNumber number : states) on_cycle[number] = true;
        enter_cycle([&](StateNumber number) { return on_cycle[number]; });
        const auto entrance = std::find(states.begin(), states.end(), entrance_) - states.begin();
        std::rotate(cycle_.begin(), cycle_.begin() + entrance, cycle_.end());
    }

    // A short cycle with all marks inside a component.
    template <typename Inside>
    void cycle_inside(Inside&& inside) {
        enter_cycle(inside);
        const StateNumber first = entrance_;
        StateNumber at = first;
        Word missing = successors_.all_marks();
        while (missing != 0) {
            Edge last{};
            append(path(
                at,
                [&](const Edge& edge) {
                    if ((edge.marks & missing) == 0 || !inside(edge.to)) return false;
                    last = edge;
                    return true;
                },
                inside));
            missing &= ~last.marks;
            at = last.to;
        }
        if (at != first || cycle_.empty())
            append(path(
                at, [&](const Edge& edge) { return edge.to == first; }, inside));
    }

    std::vector<ProductStep> take_prefix() { return std::move(prefix_); }
    std::vector<ProductStep> take_cycle() { return std::move(cycle_); }

  private:
    struct Edge {
        StateNumber to;
        Word marks;
        ProductStep step;
    };
    struct Origin {
        StateNumber from;
        std::uint32_t search;  // in which it was found
        ProductStep step;
    };
    static constexpr auto kAnywhere = [](StateNumber) { return true; };

    void append(const std::vector<ProductStep>& steps) { cycle_.insert(cycle_.end(), steps.begin(), steps.end()); }

    // Calls `visit` with each edge to a stored state; it ends the visit by returning true.
    template <typename Visit>
    bool for_each_edge(StateNumber number, Visit&& visit) {
        const Word* state = store_.state(number);
        entries_.resize(std::max(entries_.size(), successors_.room(state)));
        const auto expansion = successors_.expand(state, hash_words(state, store_.words()), entries_.data(),
                                                  decision_in(store_.info(number)), kNeverAsked);
        const std::uint32_t from = successors_.automaton_state(state);
        for (std::uint32_t i = 0; i < expansion.count; ++i) {
            const Word* entry = entries_.data() + std::size_t{i} * successors_.stride();
            const StateNumber to = store_.find(words_of(entry), header_of(entry).hash);
            if (to == StateStore<W>::kAbsent) continue;
            if (visit(Edge{to, successors_.marks(from, expansion.idle, header_of(entry)), step_of(entry)})) return true;
        }
        return false;
    }

    StateNumber after(StateNumber number, const ProductStep& step) {
        StateNumber result = number;
        for_each_edge(number, [&](const Edge& edge) {
            result = edge.to;
            return edge.step.transition == step.transition && edge.step.outcome == step.outcome &&
                   edge.step.edge == step.edge;
        });
        return result;
    }

    // The shortest path of at least one edge that ends with an edge for which `goal` holds, over states `inside`.
    template <typename Goal, typename Inside>
    std::vector<ProductStep> path(StateNumber from, Goal&& goal, Inside&& inside) {
        ++search_;
        origins_[from] = {from, search_, {}};
        queue_.assign(1, from);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            const StateNumber number = queue_[next];
            ProductStep last{};
            const bool reached = for_each_edge(number, [&](const Edge& edge) {
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

    const StateStore<W>& store_;
    ProductSuccessors& successors_;
    std::vector<Origin> origins_;
    std::vector<StateNumber> queue_;
    std::vector<Word> entries_;
    std::uint32_t search_ = 0;
    StateNumber entrance_ = 0;
    std::vector<ProductStep> prefix_;
    std::vector<ProductStep> cycle_;
};

}  // namespace mule
