// One of several explorers that each own a part of the product: it expands the states that it owns, and sends away the
// successors that it does not own. When all are explored, they look for an accepting cycle together.
//
// No reply is asked for: the owner of a state keeps the edges that lead *to* it, and with these, all that can be on an
// accepting cycle is found by going backwards (the algorithm of Emerson and Lei 1986 for several marks, with the
// elimination of Cerna and Pelanek's OWCTY, SPIN 2003, both in the reversed graph). From all states those are taken
// away, in turn, until nothing changes,
//   - from which no edge leads to a state that is left (trimming),
//   - from which no edge with a certain mark can be reached over states that are left (reaching).
// From each state that is left, edges with every mark can be reached, over such states again: in a component that
// cannot be left they all lie on cycles with all marks. And a state on an accepting cycle is never taken away.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ltl/emptiness.hpp"
#include "search/exploration.hpp"

namespace mule::ltl {

// A state of the product, wherever it is.
struct Node {
    StateNumber number;
    std::uint16_t part;
};

// A step towards an edge with a certain mark; `marked`: it is the edge.
struct Hop {
    Node to;
    bool marked;
};

struct PartitionCounts {
    std::uint64_t failures = 0;
    std::uint64_t reduced = 0;
    std::uint64_t fully_expanded = 0;
};

class ProductPartition : public Stepped {
  public:
    // What others are to receive, since this was asked last. All partitions must be in the same phase when it is
    // received: whoever leads them begins another one when nothing is under way.
    virtual std::vector<Word> outbox(std::uint16_t owner) = 0;
    virtual void receive(std::span<const Word> batch) = 0;
    virtual bool has_work() const = 0;
    virtual bool ended() const = 0;
    // Whether its memory is full. Then it explores nothing more, but what it is sent is still stored.
    virtual bool is_full() const = 0;
    virtual PartitionCounts counts() const = 0;

    // The phases; what begins one sends nothing. Exploring comes first, and can be gone on with after a look for a
    // cycle.
    virtual void begin_exploring() = 0;
    // All states are left but those without edges, which are taken away, and what that takes with it.
    virtual void begin_trimming() = 0;
    // `keep`: the hops are asked for later.
    virtual void begin_reaching(std::uint32_t mark, bool keep) = 0;
    // Takes away what was not reached, which is trimming; says how many states that are.
    virtual std::uint64_t end_reaching() = 0;
    virtual std::uint64_t left() const = 0;

    // Afterwards, one of the states that are left, the first one that was stored; there must be one.
    virtual StateNumber first_left() const = 0;
    virtual Hop hop(StateNumber from, std::uint32_t mark) const = 0;
    // From which state it was stored; the part is kNobody for the initial one.
    static constexpr std::uint16_t kNobody = 0xFFFF;
    virtual Node origin(StateNumber number) const = 0;
    virtual std::vector<Word> state(StateNumber number) const = 0;
    // A step from one of its states to the state with these words, with all of `marks`; throws std::invalid_argument
    // where there is none.
    virtual ProductStep step_to(StateNumber from, const std::vector<Word>& to, Word marks) = 0;
};

// From the initial state if it is in this share. The options' proviso is C3_duplicate, C3' or C3_static. The automaton
// must have an acceptance mark, and fairness must be one that marks tell. All that is given by reference must outlive
// the partition.
std::unique_ptr<ProductPartition> make_product_partition(const Program& program, const std::vector<Word>& initial,
                                                         PropertyAutomaton automaton, const AutomatonField& field,
                                                         const EmptinessOptions& options, Reducer* reducer,
                                                         search::Share share);

// The partition that was written while it was being explored, with the same program and options; throws ArchiveError
// where it is not.
std::unique_ptr<ProductPartition> read_product_partition(const Program& program, const std::vector<Word>& initial,
                                                         PropertyAutomaton automaton, const AutomatonField& field,
                                                         const EmptinessOptions& options, Reducer* reducer,
                                                         search::Share share, std::istream& in);

}  // namespace mule::ltl
