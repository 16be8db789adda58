// In which states of a graph the formulas of CTL hold (Clarke, Emerson and Sistla, 1986), each operator in time linear
// in the graph.
//
// Formulas speak of states that are not transient, and of *runs*: infinite paths that come to such states again and
// again. The transient states between two others are passed over.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "graph/paths.hpp"
#include "reduction/bits.hpp"

namespace mule::graph {

class StateSet {
  public:
    explicit StateSet(std::uint32_t states) : states_(states), words_((std::size_t{states} + 63) / 64) {}

    bool contains(std::uint32_t state) const { return test_bit(words_.data(), state); }
    void insert(std::uint32_t state) { words_[state / 64] |= Word{1} << state % 64; }

    StateSet complement() const {
        StateSet result = *this;
        for (Word& word : result.words_) word = ~word;
        return result;
    }
    StateSet operator&(const StateSet& other) const {
        StateSet result = *this;
        for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] &= other.words_[i];
        return result;
    }
    StateSet operator|(const StateSet& other) const {
        StateSet result = *this;
        for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] |= other.words_[i];
        return result;
    }

  private:
    std::uint32_t states_;
    std::vector<Word> words_;
};

// What a set says about transient states has no meaning, neither given nor answered, but for `runs`.
class Labelling {
  public:
    explicit Labelling(const Graph& graph);

    bool transient(std::uint32_t state) const { return graph_.transient(state); }
    const StateSet& runs() const { return runs_; }  // where a run begins
    StateSet nothing() const { return StateSet(graph_.states()); }
    StateSet proposition(std::uint32_t number) const;

    StateSet exists_next(const StateSet& set) const;
    StateSet exists_until(const StateSet& before, const StateSet& goal) const;
    StateSet exists_always(const StateSet& set) const;

    // Witnesses, as short as breadth-first search makes them; nothing where there is none.
    std::optional<Path> next(std::uint32_t from, const StateSet& set) const;
    std::optional<Path> until(std::uint32_t from, const StateSet& before, const StateSet& goal) const;
    struct Lasso {
        Path prefix;
        Path cycle;
    };
    std::optional<Lasso> always(std::uint32_t from, const StateSet& set) const;

  private:
    bool counts(std::uint32_t state, const StateSet& set) const {
        return !transient(state) && set.contains(state) && runs_.contains(state);
    }
    bool allows(std::uint32_t state, const StateSet& set) const { return transient(state) || set.contains(state); }
    StateSet on_runs_inside(const StateSet& set) const;
    // Adds the states that lead to the set over states that `set` allows.
    void close_backwards(StateSet& reached, std::vector<std::uint32_t>& queue, const StateSet& set) const;

    const Graph& graph_;
    std::vector<std::uint64_t> offsets_;  // edges by target
    std::vector<std::uint32_t> sources_;
    StateSet runs_;
};

}  // namespace mule::graph
