// A depth-first walk over a graph whose states are kept under their numbers, with a word for each: what the searches of
// products and the construction of graphs have in common.
#pragma once

#include "search/depth_first_loop.hpp"
#include "store/numbered.hpp"

namespace mule::search {

// Face: what callers know of the search, a Stepped. Walker: as for DepthFirstLoop, which adds
//
//     std::size_t besides() const   the bytes that it holds besides the states
template <typename Face, typename Walker, unsigned W, typename More = NothingMore>
class NumberedWalk : public Face, protected DepthFirstLoop<Walker, NumberedStore<W>, More> {
  protected:
    using Loop = DepthFirstLoop<Walker, NumberedStore<W>, More>;
    using typename Loop::Frame;

    explicit NumberedWalk(unsigned words) : Loop(states_, words, true), states_(words) {}

  public:
    void begin(const Word* initial) {
        this->begin_with(initial, states_.insert(initial, hash_words(initial, states_.words())).cell);
    }

    bool step(std::uint64_t states) override { return this->walk(states); }

    Progress progress() const override {
        return {.states = states_.size() - transient_,
                .transitions = transitions_,
                .depth = this->deepest(),
                .open = this->stack_.size(),
                .bytes = states_.bytes() + static_cast<const Walker&>(*this).besides()};
    }

  protected:
    static StateNumber number_of(const Frame& frame) { return static_cast<StateNumber>(frame.cell); }
    bool ended() const { return this->done(); }

    NumberedStore<W> states_;
    std::uint64_t transitions_ = 0;
    std::uint64_t transient_ = 0;  // how many of the stored states are known to be
};

}  // namespace mule::search
