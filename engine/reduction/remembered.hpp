// Decisions remembered: under the control state and the enabled transitions, a tree over the guards that the algorithm
// read. A decision is a function of these, so remembering it changes no answer.
//
// Several threads may share what is remembered. They look it up without locks: nothing that was filed moves or changes,
// but for links that lead to more. One at a time files something new.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "reduction/oracle.hpp"
#include "reduction/stable_list.hpp"

namespace mule::reduction {

class Remembered {
  public:
    // Words of the state outside `control_mask` are told apart by the guards only.
    Remembered(std::vector<Word> control_mask, std::size_t most_bytes);

    // From now on both remember the same, until the end of this one.
    void share(const Remembered& other);

    // False when nothing is remembered: remember() then files the decision for this same question. What `positions`
    // points at lives until the next remember() of one that shares with nobody, and else for ever.
    bool recall(const Program& program, const Word* state, std::span<const TransitionId> enabled,
                std::span<const std::uint32_t>& positions);
    std::span<const std::uint32_t> remember(std::span<const Consulted> consulted,
                                            std::span<const std::uint32_t> positions);

    // The same where the decision holds under `conditions` alone, whatever was read on the way to it.
    std::span<const std::uint32_t> remember_under(std::span<const Consulted> conditions, GuardOracle& oracle,
                                                  std::span<const std::uint32_t> positions);

    // Of the one that others share with; these have nothing of their own.
    std::size_t bytes() const { return shares_ ? 0 : decisions_->bytes(); }
    template <typename Writer>
    void write(Writer& writer) const {
        const Flat flat = decisions_->flat();
        writer.values(flat.entries);
        writer.values(flat.keys);
        writer.values(flat.nodes);
        writer.values(flat.leaves);
    }
    template <typename Reader>
    void read(Reader& reader) {
        Flat flat;
        reader.values(flat.entries);
        reader.values(flat.keys);
        reader.values(flat.nodes);
        reader.values(flat.leaves);
        decisions_->restore(flat);
    }
    void keep_below(std::size_t bytes) { most_bytes_ = std::min(most_bytes_, bytes); }

  private:
    // A place in the tree: a node if not negative, ~offset of a leaf if negative.
    using Place = std::int32_t;
    using Link = std::atomic<Place>;
    struct Node {
        GuardId guard;
        Link children[2];
    };
    struct Entry {
        std::uint64_t hash;
        std::atomic<std::uint32_t> key;  // offset among the keys, written last
        Link root;
    };
    struct Table {
        explicit Table(std::size_t size);

        std::unique_ptr<Entry[]> entries;
        std::size_t mask;
    };

    // What is filed, one after the other.
    struct Flat {
        std::vector<Word> entries;  // each: the hash, then the key with the root above it
        std::vector<Word> keys;
        std::vector<std::uint32_t> nodes;  // each: the guard, then the children
        std::vector<std::uint32_t> leaves;
    };

    // What is filed.
    struct Decisions {
        Decisions() { clear(); }
        std::size_t bytes() const;
        void clear();
        void grow();
        Flat flat() const;
        void restore(const Flat& flat);

        std::mutex filing;
        std::vector<std::unique_ptr<Table>> tables;  // the last one is in use; others may still be looking at the rest
        std::atomic<Table*> table = nullptr;
        std::size_t used = 0;
        StableList<Word> keys;  // each: its length, then its words
        StableList<Node> nodes;
        StableList<std::uint32_t> leaves;  // each: how many positions, then the positions
        bool shared = false;
    };

    Link& follow(Link& link, const Consulted& question);
    // Null where there is no room for more.
    Link* root_for_key();
    std::span<const std::uint32_t> add_leaf(Link& link, std::span<const std::uint32_t> positions);
    std::span<const std::uint32_t> leaf_at(Place place) const;
    void build_key(const Word* state, std::span<const TransitionId> enabled);
    Entry& entry_of_key(const Table& table) const;

    std::vector<std::pair<std::uint32_t, Word>> control_;  // words with a mask, and the mask
    std::size_t most_bytes_;
    std::shared_ptr<Decisions> decisions_;
    bool shares_ = false;  // somebody else's
    std::vector<Word> key_;
    std::uint64_t key_hash_ = 0;
    std::vector<GuardId> path_;
};

}  // namespace mule::reduction
