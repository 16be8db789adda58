#include "ltl/emptiness.hpp"

#include <stdexcept>

#include "ltl/components.hpp"
#include "ltl/nested_depth_first.hpp"

namespace mule {

namespace {

void require(bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(problem);
}

void check(const Program& program, const std::vector<Word>& initial, const PropertyAutomaton& automaton,
           const AutomatonField& field, const EmptinessOptions& options, Reducer* reducer) {
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
    require(!fair || options.ignoring != Ignoring::kC3Prime, "under fairness nothing may be ignored: C3' does not do");
    require(!reducer->options().weak, "temporal properties need strong stubborn sets");
    require(reducer->memory() != Memory::kValid, "temporal properties need sets that are a function of the state");
    require(!options.visible.empty(), "a reduction needs to know the visible transitions");
    require(options.ignoring != Ignoring::kStatic || !options.sticky.empty(), "sticky transitions are missing");
}

}  // namespace

EmptinessResult check_emptiness(const Program& program, const std::vector<Word>& initial, PropertyAutomaton& automaton,
                                const AutomatonField& field, const EmptinessOptions& options, Reducer* reducer,
                                const Watch::Callback& callback) {
    check(program, initial, automaton, field, options, reducer);
    const auto run = [&]<unsigned W>() {
        if (options.algorithm == EmptinessAlgorithm::kNestedDepthFirst)
            return NestedDepthFirst<W>(program, automaton, field, options, reducer, callback).run(initial.data());
        return ComponentSearch<W>(program, automaton, field, options, reducer, callback).run(initial.data());
    };
    switch (program.words) {
        case 1:
            return run.template operator()<1>();
        case 2:
            return run.template operator()<2>();
        case 3:
            return run.template operator()<3>();
        case 4:
            return run.template operator()<4>();
        default:
            return run.template operator()<0>();
    }
}

}  // namespace mule
