// Nested depth-first search (Courcoubetis et al. 1992, with the colours of Schwoon and Esparza, TACAS 2005) for one
// mark on edges. It is the search for marks on states in the graph with a state in the middle of each marked edge: the
// second search starts when that state would be left, that is when the search has come back over the edge.
//
// A cycle stays in one component of the automaton. The second search does so too, and is needed only where some cycles
// of the component have the mark and others do not.
#pragma once

#include "ltl/product_search.hpp"

namespace mule::ltl {

// Looks for a way to the stack of the first search, over the sets that it has chosen.
template <unsigned W>
class SecondSearch : DepthFirstLoop<SecondSearch<W>, NumberedStore<W>> {
    using Loop = DepthFirstLoop<SecondSearch<W>, NumberedStore<W>>;
    using typename Loop::Frame;
    friend Loop;

  public:
    SecondSearch(NumberedStore<W>& store, ProductSuccessors& successors, unsigned words)
        : Loop(store, words, false), successors_(successors) {}

    // From `first`, within a component of the automaton; `must_end()`, after each edge: whether to give up.
    template <typename MustEnd>
    bool reaches_stack(StateNumber first, std::uint32_t component, const PropertyAutomaton& automaton,
                       MustEnd&& must_end) {
        automaton_ = &automaton;
        component_ = component;
        reached_ = false;
        if (!may_enter(first)) return false;
        this->begin_with(this->store_.state(first), first);
        while (this->walk(1) && !must_end()) {
        }
        this->abandon();
        return reached_;
    }

    std::size_t bytes() const { return this->stack_bytes(); }

  private:
    static constexpr Word kRed = 1;  // the second search was here

    bool ended() const { return reached_; }
    void left(const Frame&) {}
    std::size_t room(const Word* state) const { return successors_.room(state); }

    bool may_enter(StateNumber number) {
        Word& info = this->store_.info(number);
        const std::uint32_t at = successors_.automaton_state(this->store_.state(number));
        if ((info & kRed) != 0 || automaton_->component(at) != component_) return false;
        info |= kRed;
        return true;
    }

    void visit(std::size_t entry) {
        const std::uint64_t cell = this->store_.find(this->state_at(entry), this->hash_at(entry));
        if (this->store_.marked(cell))
            reached_ = true;
        else if (may_enter(this->store_.number(cell)))
            this->push(entry, cell);
    }

    std::uint32_t expand(const Frame& frame, const Word* state, std::uint64_t hash, Word* out) {
        const Word info = this->store_.info(static_cast<StateNumber>(frame.cell));
        return successors_.expand(state, hash, out, decision_in(info), kNeverAsked).count;
    }

    ProductSuccessors& successors_;
    const PropertyAutomaton* automaton_ = nullptr;
    std::uint32_t component_ = 0;
    bool reached_ = false;
};

template <unsigned W>
class NestedDepthFirst final : public ProductSearch<W, NestedDepthFirst<W>> {
    using Base = ProductSearch<W, NestedDepthFirst<W>>;
    friend Base;
    using typename Base::Frame;

  public:
    NestedDepthFirst(const Program& program, PropertyAutomaton automaton, const AutomatonField& field,
                     const EmptinessOptions& options, Reducer* reducer)
        : Base(program, std::move(automaton), field, options, reducer),
          second_(this->states_, this->successors_, program.words) {}

  private:
    std::size_t bytes() const { return second_.bytes(); }

    void entered() {}

    void met(const Frame& from, const Word* entry, StateNumber number) {
        const Cycles cycles = this->automaton_.cycles(from.automaton_state);
        if (cycles == Cycles::kRejecting) return;
        const bool marked = this->automaton_.marks_of(from.automaton_state, header_of(entry).failure) != 0;
        if (this->states_.marked(number)) {
            if (marked || cycles == Cycles::kAccepting) report(this->number_of(from), number, entry);
        } else if (marked && cycles == Cycles::kMixed) {
            search_again(from, entry, number);
        }
    }

    void left_over(StateNumber number, const Word* edge) {
        if (edge == nullptr) return;
        const Frame& from = this->stack_.back();
        if (this->automaton_.cycles(from.automaton_state) != Cycles::kMixed) return;
        if (this->automaton_.marks_of(from.automaton_state, header_of(edge).failure) == 0) return;
        search_again(from, edge, number);
    }

    // A way from `first` to the stack closes a cycle over the edge from `from`, the stack's top.
    void search_again(const Frame& from, const Word* edge, StateNumber first) {
        const std::uint32_t component = this->automaton_.component(from.automaton_state);
        const auto must_end = [&] { return this->tick(); };
        if (second_.reaches_stack(first, component, this->automaton_, must_end))
            report(this->number_of(from), first, edge);
    }

    // There is a cycle over the edge from `from` to `to`.
    void report(StateNumber from, StateNumber to, const Word* edge) {
        const ProductStep step = step_of(edge);
        Lasso<NumberedStore<W>> lasso(this->states_, this->successors_, [&] { return this->tick(); });
        lasso.cycle_over(from, step, to);
        this->found(lasso);
    }

    SecondSearch<W> second_;
};

}  // namespace mule::ltl
