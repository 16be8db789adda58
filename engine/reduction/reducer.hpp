// The door to this room for a search: which of the enabled transitions to explore in a state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reduction/algorithm.hpp"
#include "reduction/certified.hpp"
#include "reduction/closure.hpp"
#include "reduction/remembered.hpp"

namespace mule::reduction {

struct ReducerStatistics {
    std::uint64_t hits = 0;    // answered from memory
    std::uint64_t misses = 0;  // computed
    std::uint64_t bytes = 0;   // of memory for remembered decisions
};

// What to do with the sets that were computed.
enum class Memory : std::uint8_t {
    kNone,   // compute each one anew
    kExact,  // answer from memory what the algorithm would answer: the set is a function of the state
    kValid,  // use any remembered set that is stubborn here: faster, and a function of the search's history
};

// One per worker: copies share the tables, which nobody changes, and each has scratch memory and remembered decisions
// of its own. Where decisions are remembered exactly, or not at all, all copies choose the same sets.
class Reducer {
  public:
    // `control_mask`: one word a word of state, the bits that control guards may read; `is_control`: one flag a guard;
    // `bit_tests`: one a guard; `labels`: where the algorithm is ample; `local`: where it is lpor.
    Reducer(const Program& program, Relations relations, std::string_view algorithm, ReductionOptions options,
            std::vector<Word> control_mask, std::vector<bool> is_control, std::vector<BitTest> bit_tests, Memory memory,
            AmpleLabels labels = {}, LocalRelations local = {}, std::size_t most_bytes = std::size_t{256} << 20);
    // Remembers nothing yet.
    Reducer(const Reducer& other);
    // From now on both look up, and add to, the same remembered decisions; in threads of their own, too.
    void share_memory_of(const Reducer& other) { remembered_.share(other.remembered_); }
    Reducer& operator=(const Reducer&) = delete;

    // Positions in `enabled` (ascending, no repetitions, not empty) of the transitions to explore, ascending but for
    // kKey; valid until the next call.
    std::span<const std::uint32_t> choose(const Word* state, std::span<const TransitionId> enabled);
    // The same question about the same state again, right after choose(), where its answer will not do; empty: there is
    // no other set. Only sets that are computed anew have others.
    std::span<const std::uint32_t> choose_another(const Word* state, std::span<const TransitionId> enabled);
    // The whole set, disabled members too, always computed.
    void whole_set(const Word* state, std::span<const TransitionId> enabled, StubbornSet& out);
    // A set that contains `seed`, some of which is enabled: by the closure algorithm, always computed.
    void close(const Word* state, std::span<const TransitionId> enabled, std::span<const TransitionId> seed,
               StubbornSet& out);

    const ReductionOptions& options() const { return tables_->options; }
    Memory memory() const { return memory_; }
    ReducerStatistics statistics() const;
    // Of memory for remembered decisions.
    std::size_t bytes() const { return remembered_.bytes() + certified_.bytes(); }
    // Those that the next decisions depend on.
    template <typename Writer>
    void write(Writer& writer) const {
        if (memory_ != Memory::kValid) return;
        remembered_.write(writer);
        certified_.write(writer);
    }
    template <typename Reader>
    void read(Reader& reader) {
        if (memory_ != Memory::kValid) return;
        remembered_.read(reader);
        certified_.read(reader);
    }
    // From now on it forgets them all, or learns no more, where they would take more than this: all of those that share
    // their memory together.
    void keep_below(std::size_t bytes, unsigned sharers = 1) {
        remembered_.keep_below(bytes / 2);
        certified_.keep_below(bytes / 2 / sharers);
    }

  private:
    Reducer(const Program& program, std::shared_ptr<const ReductionTables> tables, std::string_view algorithm,
            std::vector<Word> control_mask, Memory memory, std::size_t most_bytes);

    std::span<const std::uint32_t> find_anew(const Word* state, std::span<const TransitionId> enabled);
    std::span<const std::uint32_t> find_valid(const Word* state, std::span<const TransitionId> enabled);
    void compute(const Word* state, std::span<const TransitionId> enabled);
    void list_positions(std::span<const TransitionId> enabled);

    const Program* program_;
    std::shared_ptr<const ReductionTables> tables_;
    std::string name_;  // of the algorithm
    std::vector<Word> control_mask_;
    Memory memory_;
    std::size_t most_bytes_;

    std::unique_ptr<StubbornSets> algorithm_;
    Closure closure_;
    GuardOracle oracle_;
    Remembered remembered_;
    Certified certified_;
    StubbornSet set_;
    std::vector<std::uint32_t> positions_;
    ReducerStatistics statistics_;
};

}  // namespace mule::reduction
