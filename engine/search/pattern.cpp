#include "search/pattern.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/entries.hpp"

namespace mule::search {

Pattern::Pattern(const Program& projection, const std::vector<Word>& initial, std::vector<Bits> bits,
                 std::uint64_t max_states)
    : states_(projection.words), bits_(std::move(bits)) {
    if (projection.words > kMostWords) throw std::invalid_argument("the projection has too many words");
    std::vector<Edge> edges = explore(projection, initial, max_states);
    if (complete_) measure(projection, std::move(edges));
}

std::vector<Pattern::Edge> Pattern::explore(const Program& projection, const std::vector<Word>& initial,
                                            std::uint64_t max_states) {
    const std::size_t stride = kHeaderWords + projection.words;
    std::vector<Word> entries(std::size_t{projection.max_successors} * stride);
    std::vector<Edge> edges;
    states_.insert(initial.data(), hash(initial.data()));
    for (StateNumber from = 0; from < states_.size(); ++from) {
        const Word* state = states_.state(from);
        const std::uint32_t count = projection.expand(state, hash(state), entries.data());
        for (std::uint32_t i = 0; i < count; ++i) {
            const Word* entry = entries.data() + i * stride;
            if (header_of(entry).failure != 0) continue;
            const StateNumber to = states_.insert(words_of(entry), header_of(entry).hash).number;
            if (to != from) edges.push_back({from, to});
        }
        if (states_.size() > max_states) {
            complete_ = false;
            break;
        }
    }
    return edges;
}

// Breadth first, backwards from the goal.
void Pattern::measure(const Program& projection, std::vector<Edge> edges) {
    std::sort(edges.begin(), edges.end(), [](const Edge& one, const Edge& other) { return one.to < other.to; });
    std::vector<std::size_t> begin(states_.size() + 1, edges.size());
    for (std::size_t at = edges.size(); at-- > 0;) begin[edges[at].to] = at;
    for (std::size_t state = states_.size(); state-- > 0;) begin[state] = std::min(begin[state], begin[state + 1]);
    distances_.assign(states_.size(), kNever);
    std::vector<StateNumber> reached;
    for (StateNumber state = 0; state < states_.size(); ++state) {
        if (!projection.proposition(states_.state(state), 0)) continue;
        distances_[state] = 0;
        reached.push_back(state);
    }
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const StateNumber to = reached[next];
        for (std::size_t at = begin[to]; at < begin[to + 1]; ++at) {
            const StateNumber from = edges[at].from;
            if (distances_[from] != kNever) continue;
            distances_[from] = distances_[to] + 1;
            reached.push_back(from);
        }
    }
}

}  // namespace mule::search
