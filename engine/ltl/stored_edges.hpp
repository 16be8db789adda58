// The product as far as it is stored, edge by edge: what a search has decided for a state is looked up, not decided
// anew.
#pragma once

#include <algorithm>
#include <vector>

#include "ltl/successors.hpp"
#include "store/numbered.hpp"

namespace mule::ltl {

inline constexpr auto kNeverAsked = [](const Word*, std::uint64_t) { return Standing::kFresh; };

inline ProductStep step_of(const Word* entry) {
    const SuccessorHeader& header = header_of(entry);
    return {header.transition, header.outcome, header.failure};
}

struct StoredEdge {
    StateNumber to;
    Word marks;
    ProductStep step;
};

// Store: NumberedStore, or one that is asked like it.
template <typename Store>
class StoredEdges {
  public:
    StoredEdges(const Store& store, ProductSuccessors& successors) : store_(store), successors_(successors) {}

    const Store& store() const { return store_; }
    ProductSuccessors& successors() { return successors_; }

    // Calls `visit` with each edge to a stored state; it ends the visit by returning true.
    template <typename Visit>
    bool for_each(StateNumber number, Visit&& visit) {
        const Word* state = store_.state(number);
        entries_.resize(std::max(entries_.size(), successors_.room(state)));
        const auto expansion = successors_.expand(state, hash_words(state, store_.words()), entries_.data(),
                                                  decision_in(store_.info(number)), kNeverAsked);
        const std::uint32_t from = successors_.automaton_state(state);
        for (std::uint32_t i = 0; i < expansion.count; ++i) {
            const Word* entry = entries_.data() + std::size_t{i} * successors_.stride();
            const std::uint64_t to = store_.find(words_of(entry), header_of(entry).hash);
            if (to == kAbsent) continue;
            if (visit(StoredEdge{store_.number(to), successors_.marks(from, expansion.idle, header_of(entry)),
                                 step_of(entry)}))
                return true;
        }
        return false;
    }

  private:
    const Store& store_;
    ProductSuccessors& successors_;
    std::vector<Word> entries_;
};

}  // namespace mule::ltl
