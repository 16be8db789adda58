// Emptiness by strongly connected components, for any number of marks: Couvreur's algorithm ("On-the-fly verification
// of linear temporal logic", FM 1999). It ends as soon as the edges it has seen make up a component with all marks.
#pragma once

#include "ltl/lasso.hpp"
#include "ltl/product_search.hpp"

namespace mule {

template <unsigned W>
class ComponentSearch : public ProductSearch<W, ComponentSearch<W>> {
    using Base = ProductSearch<W, ComponentSearch<W>>;
    friend Base;
    using typename Base::Frame;

  public:
    using Base::Base;

  private:
    // The state's place in `live_`, from 1; 0: its component is done.
    static constexpr Word kPlace = 0xFFFFFFFFu;

    struct Root {
        std::uint32_t place;  // of the first state of the component
        Word inside;          // the marks on the edges inside
        Word before;          // the marks on the edge that led to it
    };

    std::size_t bytes() const { return live_.capacity() * sizeof(StateNumber) + roots_.capacity() * sizeof(Root); }

    void entered() {
        const Frame& frame = this->stack_.back();
        Word before = 0;
        if (this->stack_.size() > 1) before = this->marks(this->stack_[this->stack_.size() - 2], this->entry_to(frame));
        live_.push_back(frame.number);
        this->store_.info(frame.number) |= live_.size();
        roots_.push_back({static_cast<std::uint32_t>(live_.size()), 0, before});
    }

    void met(const Frame& from, const Word* entry, StateNumber number) {
        const auto place = static_cast<std::uint32_t>(this->store_.info(number) & kPlace);
        if (place == 0) return;
        Word inside = this->marks(from, entry);
        while (roots_.back().place > place) {
            inside |= roots_.back().inside | roots_.back().before;
            roots_.pop_back();
        }
        roots_.back().inside |= inside;
        if (roots_.back().inside == this->successors_.all_marks()) report();
    }

    void left(StateNumber number, const Word*) {
        if ((this->store_.info(number) & kPlace) != roots_.back().place) return;
        for (std::size_t i = roots_.back().place - 1; i < live_.size(); ++i) this->store_.info(live_[i]) &= ~kPlace;
        live_.resize(roots_.back().place - 1);
        roots_.pop_back();
    }

    void report() {
        const std::uint32_t first = roots_.back().place;
        Lasso<W> lasso(this->store_, this->successors_);
        lasso.cycle_inside([&](StateNumber number) { return (this->store_.info(number) & kPlace) >= first; });
        this->result_.prefix = lasso.take_prefix();
        this->result_.cycle = lasso.take_cycle();
        this->found();
    }

    std::vector<StateNumber> live_;
    std::vector<Root> roots_;
};

}  // namespace mule
