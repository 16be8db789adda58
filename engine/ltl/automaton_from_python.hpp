#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "ltl/emptiness.hpp"

namespace mule::ltl {

// For each state its edges: the cubes of the label, the target, the marks.
using EdgeFromPython = std::tuple<std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t, Word>;

inline PropertyAutomaton automaton_from_python(const std::vector<std::vector<EdgeFromPython>>& states,
                                               std::uint32_t atoms, std::uint32_t marks, bool may_stand_still) {
    std::vector<std::vector<AutomatonEdge>> edges;
    for (const auto& state : states) {
        auto& out = edges.emplace_back();
        for (const auto& [cubes, target, own_marks] : state) {
            AutomatonEdge edge{{}, target, own_marks};
            for (const auto& [positive, negative] : cubes) edge.label.push_back({positive, negative});
            out.push_back(std::move(edge));
        }
    }
    return {std::move(edges), atoms, marks, may_stand_still};
}

// The same, for a search of the product with a program.
inline PropertyAutomaton automaton_of(const Program& program, const std::vector<std::vector<EdgeFromPython>>& states,
                                      std::uint32_t atoms, std::uint32_t marks) {
    if (atoms > program.propositions)
        throw std::invalid_argument("the automaton has more atoms than the program propositions");
    return automaton_from_python(states, atoms, marks, program.transient != Program::kNone);
}

using FieldFromPython = std::tuple<std::uint32_t, std::uint32_t, Word>;

inline AutomatonField field_from_python(const FieldFromPython& field) {
    return {std::get<0>(field), std::get<1>(field), std::get<2>(field)};
}

}  // namespace mule::ltl
