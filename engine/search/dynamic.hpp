// What searches have in common that learn from the runs they follow, and go back to a state to try what is missing.
#pragma once

#include "reduction/bits.hpp"
#include "search/stateless.hpp"

namespace mule::search {

// A state of the path with all that can happen there.
struct ExpandedState {
    std::uint64_t hash = 0;
    std::uint32_t count = 0;  // entries
    std::vector<Word> entries;
    std::vector<std::uint8_t> taken;  // per entry
    std::vector<Word> enabled;        // transitions
};

// Derived: push, descend and pop, and a node for each state of the path in nodes_. Which entry comes next is known only
// when the search comes back to a state, so this is not the loop over entries that other searches share.
template <class Derived>
class DynamicSearch : public StatelessSearch {
  public:
    void begin(const Word* initial) {
        const std::uint64_t hash = hash_words(initial, program_.words);
        arrive(initial, hash);
        if (!done()) derived().push(initial, hash);
    }

    bool step(std::uint64_t states) override {
        for (; states != 0 && goes_on(); --states)
            if (!derived().descend(derived().nodes_[path_.size() - 1])) derived().pop();
        return goes_on();
    }

  protected:
    DynamicSearch(const Program& program, const SearchOptions& options)
        : StatelessSearch(program, options, nullptr), row_words_(words_for(program.transitions)) {}

    // Expands and judges the state that was just taken onto the path.
    Expander::Expansion expand(ExpandedState& node, const Word* state, std::uint64_t hash) {
        node.hash = hash;
        node.entries.resize(std::size_t{program_.max_successors} * expander_.stride());
        const Expander::Expansion expansion = expander_.expand(state, hash, node.entries.data());
        judge(state, expansion);
        node.count = expansion.count;
        node.taken.assign(node.count, 0);
        node.enabled.assign(row_words_, 0);
        for (std::uint32_t i = 0; i < node.count; ++i)
            set_bit(node.enabled.data(), header_of(entry(node, i)).transition);
        return expansion;
    }

    const Word* entry(const ExpandedState& node, std::uint32_t i) const {
        return node.entries.data() + i * expander_.stride();
    }

    std::uint32_t row_words_;

  private:
    Derived& derived() { return static_cast<Derived&>(*this); }
    bool goes_on() const { return path_.size() != 0 && !done(); }
};

}  // namespace mule::search
