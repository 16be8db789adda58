// The edges to the states of one partition of a product, as far as they may be on an accepting cycle.
#pragma once

#include <stdexcept>
#include <vector>

#include "ltl/partition.hpp"
#include "store/archive.hpp"

namespace mule::ltl {

// A node as a word; the bits above are those of flags.
inline Word word_of(Node node) { return Word{node.part} << 32 | node.number; }
inline Node node_in(Word word) { return {static_cast<StateNumber>(word), static_cast<std::uint16_t>(word >> 32)}; }

class IncomingEdges {
  public:
    // In a list of those to the same state.
    struct Edge {
        Word marks;
        StateNumber source;
        std::uint32_t next;
        std::uint16_t part;
    };

    // The next one; no edges lead to it yet.
    void add_state() { first_.push_back(kEnd); }

    void add(StateNumber to, Node source, Word marks) {
        if (edges_.size() >= kEnd) throw std::length_error("too many edges");
        edges_.push_back({marks, source.number, first_[to], source.part});
        first_[to] = static_cast<std::uint32_t>(edges_.size() - 1);
    }

    template <typename Visit>
    void for_each(StateNumber to, Visit&& visit) const {
        for (std::uint32_t i = first_[to]; i != kEnd; i = edges_[i].next) visit(edges_[i]);
    }
    const std::vector<Edge>& all() const { return edges_; }

    void write(Writer& writer, StateNumber to) const {
        std::uint32_t edges = 0;
        for_each(to, [&](const Edge&) { ++edges; });
        writer.value(edges);
        for_each(to, [&](const Edge& edge) {
            writer.value(edge.marks);
            writer.value(word_of({edge.source, edge.part}));
        });
    }

    // Those of the next state, in their order; `fits` is asked about the marks and the source of each.
    template <typename Fits>
    void read(Reader& reader, Fits&& fits) {
        std::uint32_t edges = 0;
        reader.value(edges);
        require_whole(edges < kEnd - edges_.size());
        first_.push_back(edges == 0 ? kEnd : static_cast<std::uint32_t>(edges_.size()));
        for (; edges != 0; --edges) {
            Word marks = 0;
            Word source = 0;
            reader.value(marks);
            reader.value(source);
            require_whole(fits(marks, source));
            const auto next = static_cast<std::uint32_t>(edges_.size() + 1);
            const Node node = node_in(source);
            edges_.push_back({marks, node.number, edges == 1 ? kEnd : next, node.part});
        }
    }

    std::size_t bytes() const { return first_.capacity() * sizeof first_[0] + edges_.capacity() * sizeof edges_[0]; }

  private:
    static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

    std::vector<std::uint32_t> first_;  // one per state
    std::vector<Edge> edges_;
};

}  // namespace mule::ltl
