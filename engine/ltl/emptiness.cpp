#include "ltl/emptiness.hpp"

#include "ltl/components.hpp"
#include "ltl/nested_depth_first.hpp"
#include "require.hpp"
#include "store/width.hpp"

namespace mule::ltl {

void check_emptiness_options(const Program& program, const std::vector<Word>& initial,
                             const PropertyAutomaton& automaton, const AutomatonField& field,
                             const EmptinessOptions& options, const Reducer* reducer) {
    const bool nested = options.algorithm == EmptinessAlgorithm::kNestedDepthFirst;
    const std::uint32_t requirements = options.fairness.requirements();
    const bool fair = requirements != 0;
    const std::size_t row = words_for(program.transitions);
    require(initial.size() == program.words && field.word < program.words, "the initial state has the wrong length");
    require(field.read(initial.data()) < automaton.states() && automaton.states() - 1 <= field.mask,
            "the automaton's state does not fit into its field");
    require(!nested || (automaton.marks() <= 1 && !fair), "a nested depth-first search takes one acceptance mark");
    require(program.transient == Program::kNone || automaton.marks() != 0,
            "where states are transient the automaton needs an acceptance mark");
    require(!fair || (options.fairness.raising.rows() == program.transitions &&
                      options.fairness.meeting.rows() == program.transitions &&
                      options.fairness.meeting.columns() == requirements),
            "fairness: one row a transition");
    require(options.visible.empty() || options.visible.size() >= row, "visible: one bit a transition");
    require(options.sticky.empty() || options.sticky.size() >= row, "sticky: one bit a transition");
    if (reducer == nullptr) return;
    require(options.proviso == Proviso::kStack || options.proviso == Proviso::kC3Prime ||
                options.proviso == Proviso::kStatic || options.proviso == Proviso::kDuplicate,
            "this proviso is not enough for temporal properties");
    require(!fair || options.proviso != Proviso::kC3Prime, "under fairness nothing may be ignored: C3' does not do");
    require(!reducer->options().weak, "temporal properties need strong stubborn sets");
    require(reducer->memory() != Memory::kValid, "temporal properties need sets that are a function of the state");
    require(!options.visible.empty(), "a reduction needs to know the visible transitions");
    require(options.proviso != Proviso::kStatic || !options.sticky.empty(), "sticky transitions are missing");
}

std::unique_ptr<EmptinessSearch> make_emptiness_search(const Program& program, const std::vector<Word>& initial,
                                                       PropertyAutomaton automaton, const AutomatonField& field,
                                                       const EmptinessOptions& options, Reducer* reducer) {
    check_emptiness_options(program, initial, automaton, field, options, reducer);
    require(reducer == nullptr || options.proviso != Proviso::kDuplicate, "this proviso is for breadth-first searches");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<EmptinessSearch> {
        const auto begun = [&](auto search) -> std::unique_ptr<EmptinessSearch> {
            search->begin(initial.data());
            return search;
        };
        if (options.algorithm == EmptinessAlgorithm::kNestedDepthFirst)
            return begun(std::make_unique<NestedDepthFirst<W>>(program, std::move(automaton), field, options, reducer));
        return begun(std::make_unique<ComponentSearch<W>>(program, std::move(automaton), field, options, reducer));
    });
}

}  // namespace mule::ltl
