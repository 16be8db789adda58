// A reducer for programs whose transitions do not look at each other: each has a guard of its own.
#pragma once

#include "reduction/reducer.hpp"

namespace mule {

inline reduction::Reducer independent(const Program& program, reduction::Memory memory) {
    using namespace reduction;
    const std::uint32_t count = program.transitions;
    Relations relations;
    relations.transitions = relations.guards = count;
    relations.do_not_accord = relations.do_not_left_accord = BitMatrix(count, count);
    relations.enabling = relations.disabling = relations.never_coenabled = BitMatrix(count, count);
    for (std::uint32_t transition = 0; transition < count; ++transition) {
        relations.guards_of.push_back({transition});
        set_bit(relations.do_not_accord.row(transition), transition);
        set_bit(relations.do_not_left_accord.row(transition), transition);
        set_bit(relations.disabling.row(transition), transition);
    }
    return Reducer(program, std::move(relations), "deletion", {}, std::vector<Word>(program.words),
                   std::vector<bool>(count), {}, memory);
}

}  // namespace mule
