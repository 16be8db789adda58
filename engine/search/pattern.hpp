// A pattern database (Culberson and Schaeffer 1998): the program is projected on some of its variables, and the
// distance to the goal is computed for every state of the projection. What is forgotten may have any value, so that
// every step of the program is a step of the projection, or none: the distance is never above that in the program, and
// no step lowers it by more than one.
#pragma once

#include <cstdint>
#include <vector>

#include "program.hpp"
#include "store/numbered.hpp"
#include "store/table.hpp"

namespace mule::search {

class Pattern {
  public:
    static constexpr std::uint32_t kNever = 1'000'000;  // where no way leads to the goal
    static constexpr unsigned kMostWords = 8;

    // Bits of a word of the program's states that are bits of a word of the projection's.
    struct Bits {
        std::uint32_t from_word, from_shift, to_word, to_shift;
        Word mask;
    };

    // Proposition 0 of the projection holds at the goal. A projection of more states is given up.
    Pattern(const Program& projection, const std::vector<Word>& initial, std::vector<Bits> bits,
            std::uint64_t max_states);

    bool complete() const { return complete_; }
    std::uint64_t states() const { return states_.size(); }
    std::size_t bytes() const { return states_.bytes() + distances_.capacity() * sizeof(std::uint32_t); }
    std::uint32_t from_initial() const { return distances_.empty() ? 0 : distances_[0]; }

    // Of a state of the program.
    std::uint32_t distance(const Word* state) const {
        Word projected[kMostWords] = {store::kOccupied};
        for (const Bits& each : bits_)
            projected[each.to_word] |= (state[each.from_word] >> each.from_shift & each.mask) << each.to_shift;
        const std::uint64_t number = states_.find(projected, hash(projected));
        return number == store::kAbsent ? 0 : distances_[number];
    }

  private:
    struct Edge {
        StateNumber from, to;
    };

    std::uint64_t hash(const Word* state) const { return store::hash_words(state, states_.words()); }
    std::vector<Edge> explore(const Program& projection, const std::vector<Word>& initial, std::uint64_t max_states);
    void measure(const Program& projection, std::vector<Edge> edges);

    store::NumberedStore<0> states_;
    std::vector<Bits> bits_;
    std::vector<std::uint32_t> distances_;
    bool complete_ = true;
};

}  // namespace mule::search
