// Decisions remembered: under the control state and the enabled transitions, a tree over the guards that the algorithm
// read. A decision is a function of these, so remembering it changes no answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reduction/oracle.hpp"

namespace mule::reduction {

class Remembered {
  public:
    // Words of the state outside `control_mask` are told apart by the guards only.
    Remembered(std::vector<Word> control_mask, std::size_t most_bytes);

    // False when nothing is remembered: remember() then files the decision for this same question. What `positions`
    // points at lives until the next remember().
    bool recall(const Program& program, const Word* state, std::span<const TransitionId> enabled,
                std::span<const std::uint32_t>& positions);
    std::span<const std::uint32_t> remember(std::span<const Consulted> consulted,
                                            std::span<const std::uint32_t> positions);

    // The same where the decision holds under `conditions` alone, whatever was read on the way to it.
    std::span<const std::uint32_t> remember_under(std::span<const Consulted> conditions, GuardOracle& oracle,
                                                  std::span<const std::uint32_t> positions);

    std::size_t bytes() const;
    template <typename Writer>
    void write(Writer& writer) const {
        writer.values(table_);
        writer.value(std::uint64_t{used_});
        writer.values(keys_);
        writer.values(nodes_);
        writer.values(leaves_);
    }
    template <typename Reader>
    void read(Reader& reader) {
        std::uint64_t used = 0;
        reader.values(table_);
        reader.value(used);
        used_ = used;
        reader.values(keys_);
        reader.values(nodes_);
        reader.values(leaves_);
    }
    void keep_below(std::size_t bytes) { most_bytes_ = std::min(most_bytes_, bytes); }

  private:
    // A place in the tree: a node if not negative, ~offset of a leaf if negative.
    using Place = std::int32_t;
    struct Node {
        GuardId guard;
        Place children[2];
    };
    struct Entry {
        std::uint64_t hash;
        std::uint32_t key;  // offset in keys_
        Place root;
    };

    // A place to grow the tree of a key from: below a node, on the side of a value; without a node: its root.
    struct Branch {
        std::size_t slot;
        Place parent;
        std::uint32_t side;
    };

    Place& at(const Branch& branch);
    void follow(Branch& branch, const Consulted& question);
    std::size_t slot_for_new_key();
    std::span<const std::uint32_t> add_leaf(Place& link, std::span<const std::uint32_t> positions);
    void build_key(const Word* state, std::span<const TransitionId> enabled);
    std::size_t slot_of_key() const;
    void grow();
    void clear();

    std::vector<std::pair<std::uint32_t, Word>> control_;  // words with a mask, and the mask
    std::size_t most_bytes_;
    std::vector<Word> key_;
    std::uint64_t key_hash_ = 0;
    std::vector<Entry> table_;
    std::size_t used_ = 0;
    std::vector<Word> keys_;  // each: its length, then its words
    std::vector<Node> nodes_;
    std::vector<GuardId> path_;
    std::vector<std::uint32_t> leaves_;  // each: how many positions, then the positions
};

}  // namespace mule::reduction
