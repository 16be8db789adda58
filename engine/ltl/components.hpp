// Emptiness by strongly connected components, for any number of marks: Couvreur's algorithm ("On-the-fly verification
// of linear temporal logic", FM 1999). It ends as soon as the edges it has seen make up a component with all marks.
// Where fairness is more than marks, each component is judged when it is done.
#pragma once

#include "ltl/fair_part.hpp"
#include "ltl/product_search.hpp"

namespace mule::ltl {

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
        bool closed;          // whether there is an edge inside
    };

    std::size_t bytes() const { return live_.capacity() * sizeof(StateNumber) + roots_.capacity() * sizeof(Root); }

    void entered() {
        const Frame& frame = this->stack_.back();
        Word before = 0;
        if (this->stack_.size() > 1)
            before = this->marks(this->stack_[this->stack_.size() - 2], this->entry_at(frame.entry));
        live_.push_back(this->number_of(frame));
        this->states_.info(live_.back()) |= live_.size();
        roots_.push_back({static_cast<std::uint32_t>(live_.size()), 0, before, false});
    }

    void met(const Frame& from, const Word* entry, StateNumber number) {
        const auto place = static_cast<std::uint32_t>(this->states_.info(number) & kPlace);
        if (place == 0) return;
        Word inside = this->marks(from, entry);
        while (roots_.back().place > place) {
            inside |= roots_.back().inside | roots_.back().before;
            roots_.pop_back();
        }
        roots_.back().inside |= inside;
        roots_.back().closed = true;
        if (roots_.back().inside == this->successors_.all_marks() && !this->successors_.judges_parts()) report();
    }

    void left_over(StateNumber number, const Word*) {
        if ((this->states_.info(number) & kPlace) != roots_.back().place) return;
        if (roots_.back().closed && roots_.back().inside == this->successors_.all_marks() &&
            this->successors_.judges_parts())
            look_for_fair_part();
        for (std::size_t i = roots_.back().place - 1; i < live_.size(); ++i) this->states_.info(live_[i]) &= ~kPlace;
        live_.resize(roots_.back().place - 1);
        roots_.pop_back();
    }

    void report() {
        const std::uint32_t first = roots_.back().place;
        report_cycle_in([&](StateNumber number) { return (this->states_.info(number) & kPlace) >= first; }, {});
    }

    void look_for_fair_part() {
        const std::uint32_t first = roots_.back().place;
        const auto place_of = [&](StateNumber number) -> std::size_t {
            const auto place = static_cast<std::uint32_t>(this->states_.info(number) & kPlace);
            return place < first ? live_.size() : place - first;
        };
        const auto tick = [&] { return this->tick(); };
        const FairPart<NumberedStore<W>> part(this->states_, this->successors_,
                                              {live_.begin() + (first - 1), live_.end()}, place_of, tick);
        if (!part.found()) return;
        report_cycle_in([&](StateNumber number) { return part.contains(place_of(number)); }, part.to_meet());
    }

    template <typename Inside>
    void report_cycle_in(Inside&& inside, const std::vector<Word>& to_meet) {
        Lasso<NumberedStore<W>> lasso(this->states_, this->successors_, [&] { return this->tick(); });
        lasso.cycle_inside(inside, to_meet);
        this->found(lasso);
    }

    std::vector<StateNumber> live_;
    std::vector<Root> roots_;
};

}  // namespace mule::ltl
