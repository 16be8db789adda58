// The deletion algorithm (seed 003, Algorithm 2 and section 6): start with everything, and take away what can go.
#pragma once

#include <span>
#include <vector>

#include "reduction/algorithm.hpp"

namespace mule::reduction {

class Deletion : public StubbornSets {
  public:
    explicit Deletion(std::shared_ptr<const ReductionTables> tables);
    void choose(std::span<const TransitionId> enabled, GuardOracle& oracle, StubbornSet& out) override;

  private:
    enum class Part : std::uint8_t { kMembers, kKeys, kOthers };
    struct Removal {
        TransitionId transition;
        Part part;
    };

    bool begin(std::span<const TransitionId> enabled);
    bool find_complete_set(TransitionId transition);
    bool remove(TransitionId transition);
    bool remove_key(TransitionId transition);
    bool remove_member(TransitionId transition);
    bool cascade();
    bool abandon_incomplete(SetId set);
    void undo(std::size_t mark);
    void find_needs(std::span<const TransitionId> enabled);
    void delete_around(std::size_t protected_position, std::span<const TransitionId> enabled);
    void minimise(std::span<const TransitionId> enabled);
    std::uint32_t count_enabled(std::span<const TransitionId> enabled) const;

    const BitMatrix do_not_accord_inverse_;
    const BitMatrix do_not_left_accord_inverse_;

    // The stubborn set under construction: T_k and T_n of Algorithm 2, the latter's enabled part apart.
    std::vector<Word> members_;  // T_k and T_n together
    std::vector<Word> keys_;     // T_k: enabled, and all of DNA is in members_
    std::vector<Word> others_;   // enabled, and all of DNB is in members_; empty for strong sets
    std::uint32_t key_count_ = 0;
    std::vector<Word> enabled_row_;
    std::vector<Word> kept_;  // the fail transitions of section 6: without them there is no stubborn set
    TransitionId protected_key_ = 0;
    std::vector<Removal> trail_;
    std::vector<TransitionId> queue_;
    GuardOracle* oracle_ = nullptr;
    CandidateSets candidates_;

    // Each disabled member relies on one usable and complete necessary enabling set. The transitions that rely on one
    // set are a linked list. Section 6 counts the complete sets of a transition instead; but to count them is to read
    // every guard in every state, and a remembered decision would then depend on all of them.
    std::vector<TransitionId> first_relying_;  // per set
    std::vector<TransitionId> next_relying_;   // per transition

    BitMatrix needs_;  // per position in `enabled`, the positions without which it cannot be a key
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> need_count_;
    std::vector<Word> base_members_, base_keys_, base_others_, best_;
};

}  // namespace mule::reduction
