// Nested depth-first search (Courcoubetis et al. 1992, with the colours of Schwoon and Esparza, TACAS 2005) for one
// mark on edges. It is the search for marks on states in the graph with a state in the middle of each marked edge: the
// second search starts when that state would be left, that is when the search has come back over the edge.
//
// A cycle stays in one component of the automaton. The second search does so too, and is needed only where some cycles
// of the component have the mark and others do not.
#pragma once

#include "ltl/lasso.hpp"
#include "ltl/product_search.hpp"

namespace mule {

template <unsigned W>
class NestedDepthFirst : public ProductSearch<W, NestedDepthFirst<W>> {
    using Base = ProductSearch<W, NestedDepthFirst<W>>;
    friend Base;
    using typename Base::Frame;

  public:
    using Base::Base;

  private:
    static constexpr Word kRed = 1;  // the second search was here

    struct RedFrame {
        std::size_t begin;
        std::size_t next;
        std::size_t end;
    };

    std::size_t bytes() const { return red_arena_.bytes() + red_stack_.capacity() * sizeof(RedFrame); }

    void entered() {}

    void met(const Frame& from, const Word* entry, StateNumber number) {
        const Cycles cycles = this->automaton_.cycles(from.automaton_state);
        if (cycles == Cycles::kRejecting) return;
        const bool marked = this->automaton_.marks_of(from.automaton_state, header_of(entry).failure) != 0;
        if ((this->store_.info(number) & kOnStack) != 0) {
            if (marked || cycles == Cycles::kAccepting) report(from.number, number, entry);
        } else if (marked && cycles == Cycles::kMixed) {
            search_again(from, entry, number);
        }
    }

    void left(StateNumber number, const Word* edge) {
        if (edge == nullptr) return;
        const Frame& from = this->stack_.back();
        if (this->automaton_.cycles(from.automaton_state) != Cycles::kMixed) return;
        if (this->automaton_.marks_of(from.automaton_state, header_of(edge).failure) == 0) return;
        search_again(from, edge, number);
    }

    // Looks for a way from `first` to the stack: it closes a cycle over the edge from `from`, the stack's top.
    void search_again(const Frame& from, const Word* edge, StateNumber first) {
        const std::uint32_t component = this->automaton_.component(from.automaton_state);
        const unsigned stride = this->successors_.stride();
        if (!enter(first, component)) return;
        while (!red_stack_.empty() && !this->done_) {
            RedFrame& frame = red_stack_.back();
            if (frame.next == frame.end) {
                red_arena_.resize(frame.begin);
                red_stack_.pop_back();
                continue;
            }
            const Word* entry = red_arena_.data() + frame.next;
            frame.next += stride;
            const StateNumber number = this->store_.find(words_of(entry), header_of(entry).hash);
            if ((this->store_.info(number) & kOnStack) != 0) return report(from.number, first, edge);
            enter(number, component);
            this->tick();
        }
    }

    bool enter(StateNumber number, std::uint32_t component) {
        Word& info = this->store_.info(number);
        const Word* state = this->store_.state(number);
        if ((info & kRed) != 0 || this->automaton_.component(this->successors_.automaton_state(state)) != component)
            return false;
        info |= kRed;
        const std::size_t begin = red_arena_.size();
        Word* out = red_arena_.room_for(this->successors_.room(state));
        const auto expansion = this->successors_.expand(state, hash_words(state, this->store_.words()), out,
                                                        decision_in(info), kNeverAsked);
        const std::size_t end = begin + std::size_t{expansion.count} * this->successors_.stride();
        red_arena_.resize(end);
        red_stack_.push_back({begin, begin, end});
        return true;
    }

    // There is a cycle over the edge from `from` to `to`.
    void report(StateNumber from, StateNumber to, const Word* edge) {
        const ProductStep step = step_of(edge);
        Lasso<W> lasso(this->store_, this->successors_);
        lasso.cycle_over(from, step, to);
        this->result_.prefix = lasso.take_prefix();
        this->result_.cycle = lasso.take_cycle();
        this->found();
    }

    Arena red_arena_;
    std::vector<RedFrame> red_stack_;
};

}  // namespace mule
