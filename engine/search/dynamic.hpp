// What searches have in common that learn from the runs they follow, and go back to a state to try what is missing.
#pragma once

#include "reduction/bits.hpp"
#include "search/stateless.hpp"

namespace mule {

// A state of the path with all that can happen there.
struct ExpandedState {
    std::uint64_t hash = 0;
    std::uint32_t count = 0;  // entries
    std::vector<Word> entries;
    std::vector<std::uint8_t> taken;  // per entry
    std::vector<Word> enabled;        // transitions
};

class DynamicSearch : protected StatelessSearch {
  protected:
    DynamicSearch(const Program& program, const SearchOptions& options, const Watch::Callback& callback)
        : StatelessSearch(program, options, nullptr, callback), row_words_(words_for(program.transitions)) {}

    // The search has push, descend, pop and bytes, and a node for each state of the path in nodes_.
    template <class Search>
    SearchResult follow(Search& search, const Word* initial) {
        const std::uint64_t hash = hash_words(initial, program_.words);
        arrive(initial, hash);
        if (!done_) search.push(initial, hash);
        for (std::uint64_t steps = 1; path_.size() != 0 && !done_; ++steps) {
            if (!search.descend(search.nodes_[path_.size() - 1])) search.pop();
            if (steps % 1024 == 0) poll(search.bytes());
        }
        return finish(search.bytes());
    }

    // Expands and judges the state that was just taken onto the path.
    Expander::Expansion expand(ExpandedState& node, const Word* state, std::uint64_t hash) {
        node.hash = hash;
        node.entries.resize(std::size_t{program_.max_successors} * expander_.stride());
        const Expander::Expansion expansion = expander_.expand(state, hash, node.entries.data());
        judge(expansion);
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
};

}  // namespace mule
