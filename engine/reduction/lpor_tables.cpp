#include "reduction/lpor_tables.hpp"

#include <stdexcept>

namespace mule::reduction {

namespace {

// Row t: all that a sequence of enabling transitions which begins with t comes to, t itself too.
BitMatrix forward_enable_sets(const BitMatrix& can_enable, std::uint32_t transitions) {
    BitMatrix sets(transitions, transitions);
    const std::uint32_t words = words_for(transitions);
    std::vector<TransitionId> work;
    for (TransitionId start = 0; start < transitions; ++start) {
        Word* reached = sets.row(start);
        set_bit(reached, start);
        work.assign(1, start);
        while (!work.empty()) {
            const Word* next = can_enable.row(work.back());
            work.pop_back();
            for (std::uint32_t i = 0; i < words; ++i) {
                const Word fresh = next[i] & ~reached[i];
                reached[i] |= fresh;
                for_each_bit(fresh, i * 64, [&](TransitionId t) { work.push_back(t); });
            }
        }
    }
    return sets;
}

// A transition is not dependent on itself, and need not be for this.
bool transitive(const BitMatrix& relation, std::uint32_t transitions) {
    const std::uint32_t words = words_for(transitions);
    bool holds = true;
    for (TransitionId t = 0; t < transitions && holds; ++t) {
        relation.for_each_in_row(t, [&](TransitionId u) {
            for (std::uint32_t i = 0; i < words && holds; ++i) {
                Word beyond = relation.row(u)[i] & ~relation.row(t)[i];
                if (t / 64 == i) beyond &= ~(Word{1} << (t % 64));
                holds = beyond == 0;
            }
        });
    }
    return holds;
}

}  // namespace

LporTables::LporTables(LocalRelations relations, std::uint32_t transitions)
    : local(std::move(relations)), leads_to_dependency(transitions, transitions) {
    if (local.dependent_on.absent() && local.can_enable.absent()) return;
    if (local.dependent_on.rows() != transitions || local.can_enable.rows() != transitions)
        throw std::invalid_argument("LPOR needs the relations dependent_on and can_enable");
    const BitMatrix forward = forward_enable_sets(local.can_enable, transitions);
    for (TransitionId t = 0; t < transitions; ++t) {
        for (TransitionId u = 0; u < transitions; ++u) {
            if (intersect(forward.row(u), local.dependent_on.row(t), words_for(transitions)))
                set_bit(leads_to_dependency.row(t), u);
        }
    }
    is_transitive = transitive(local.dependent_on, transitions);
}

}  // namespace mule::reduction
