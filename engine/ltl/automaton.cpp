#include "ltl/automaton.hpp"

#include <algorithm>

#include "require.hpp"

namespace mule::ltl {

namespace {

constexpr std::uint64_t kMostKnown = std::uint64_t{1} << 20;
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

}  // namespace

PropertyAutomaton::PropertyAutomaton(std::vector<std::vector<AutomatonEdge>> edges, std::uint32_t atoms,
                                     std::uint32_t marks, bool may_stand_still)
    : edges_(std::move(edges)),
      atoms_(atoms),
      marks_(marks),
      all_marks_(marks == 0 ? 0 : ~Word{0} >> (64 - std::min(marks, kMostMarks))) {
    require(atoms <= kMostAtoms, "the automaton has too many atoms");
    require(marks <= kMostMarks, "the automaton has too many acceptance marks");
    require(!edges_.empty(), "the automaton has no states");
    for (const auto& out : edges_) {
        require(out.size() < kNoEdge, "a state of the automaton has too many edges");
        std::uint32_t read = 0;
        for (const AutomatonEdge& edge : out) {
            require(edge.target < edges_.size(), "an edge of the automaton leads nowhere");
            require((edge.marks & ~all_marks_) == 0, "an edge of the automaton has a mark that there is not");
            for (const Cube& cube : edge.label) read |= cube.positive | cube.negative;
        }
        require(atoms == kMostAtoms || read >> atoms == 0, "an edge of the automaton reads an atom that there is not");
        atoms_read_.push_back(read);
    }
    if (atoms < 20 && std::uint64_t{states()} << atoms <= kMostKnown)
        known_.assign(std::size_t{states()} << atoms, kUnknown);
    find_components();
    judge_components(may_stand_still);
}

std::span<const std::uint16_t> PropertyAutomaton::under(std::uint32_t state, std::uint32_t letter) {
    if (known_.empty()) {
        match(state, letter);
        return matches_;
    }
    std::uint32_t& place = known_[std::size_t{state} << atoms_ | (letter & atoms_read_[state])];
    if (place == kUnknown) {
        match(state, letter);
        place = static_cast<std::uint32_t>(lists_.size());
        lists_.push_back(static_cast<std::uint16_t>(matches_.size()));
        lists_.insert(lists_.end(), matches_.begin(), matches_.end());
    }
    return {lists_.data() + place + 1, lists_[place]};
}

void PropertyAutomaton::match(std::uint32_t state, std::uint32_t letter) {
    matches_.clear();
    for (std::uint16_t number = 0; number < edges_[state].size(); ++number) {
        const auto& label = edges_[state][number].label;
        if (std::any_of(label.begin(), label.end(), [&](const Cube& cube) { return cube.contains(letter); }))
            matches_.push_back(number);
    }
}

// By reachability in both directions: automata are small.
void PropertyAutomaton::find_components() {
    const std::uint32_t count = states();
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
    for (std::uint32_t from = 0; from < count; ++from) {
        std::vector<std::uint32_t> work = {from};
        reaches[from][from] = true;
        while (!work.empty()) {
            const std::uint32_t state = work.back();
            work.pop_back();
            for (const AutomatonEdge& edge : edges_[state]) {
                if (reaches[from][edge.target]) continue;
                reaches[from][edge.target] = true;
                work.push_back(edge.target);
            }
        }
    }
    components_.assign(count, kUnknown);
    std::uint32_t found = 0;
    for (std::uint32_t state = 0; state < count; ++state) {
        if (components_[state] != kUnknown) continue;
        for (std::uint32_t other = state; other < count; ++other)
            if (reaches[state][other] && reaches[other][state]) components_[other] = found;
        ++found;
    }
    cycles_.assign(found, Cycles::kRejecting);
}

void PropertyAutomaton::judge_components(bool may_stand_still) {
    std::vector<Word> marks(cycles_.size());
    std::vector<bool> cyclic(cycles_.size());
    for (std::uint32_t state = 0; state < states(); ++state) {
        for (const AutomatonEdge& edge : edges_[state]) {
            if (components_[edge.target] != components_[state]) continue;
            marks[components_[state]] |= edge.marks;
            cyclic[components_[state]] = true;
        }
    }
    for (std::uint32_t component = 0; component < cycles_.size(); ++component) {
        if (!cyclic[component] || marks[component] != all_marks_) continue;
        bool all_accepting = !may_stand_still;
        for (std::uint32_t mark = 0; mark < marks_ && all_accepting; ++mark)
            all_accepting = !has_cycle_without(Word{1} << mark, component);
        cycles_[component] = all_accepting ? Cycles::kAccepting : Cycles::kMixed;
    }
}

// Takes away states without unmarked edges to states that are left, until nothing changes: what is left then has a
// cycle.
bool PropertyAutomaton::has_cycle_without(Word mark, std::uint32_t component) const {
    std::vector<bool> left(states());
    for (std::uint32_t state = 0; state < states(); ++state) left[state] = components_[state] == component;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t state = 0; state < states(); ++state) {
            if (!left[state]) continue;
            const bool goes_on =
                std::any_of(edges_[state].begin(), edges_[state].end(),
                            [&](const AutomatonEdge& edge) { return (edge.marks & mark) == 0 && left[edge.target]; });
            if (goes_on) continue;
            left[state] = false;
            changed = true;
        }
    }
    return std::find(left.begin(), left.end(), true) != left.end();
}

}  // namespace mule::ltl
