// The algorithms over given guard values, without a compiled program: for tests and for looking at one state closely.
#include "reduction/bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::reduction {

namespace {

BitMatrix unpack(const nb::bytes& bytes, std::uint32_t rows, std::uint32_t columns, const char* name) {
    return unpack_rows({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, rows, columns, name);
}

}  // namespace

Relations relations_from_python(std::uint32_t transitions, std::uint32_t guards,
                                std::vector<std::vector<GuardId>> guards_of, const nb::bytes& do_not_accord,
                                const nb::bytes& do_not_left_accord, const nb::bytes& enabling,
                                const nb::bytes& disabling, const nb::bytes& never_coenabled) {
    Relations relations;
    relations.transitions = transitions;
    relations.guards = guards;
    relations.guards_of = std::move(guards_of);
    relations.do_not_accord = unpack(do_not_accord, transitions, transitions, "do_not_accord");
    relations.do_not_left_accord = unpack(do_not_left_accord, transitions, transitions, "do_not_left_accord");
    relations.enabling = unpack(enabling, guards, transitions, "enabling");
    relations.disabling = unpack(disabling, guards, transitions, "disabling");
    relations.never_coenabled = unpack(never_coenabled, guards, guards, "never_coenabled");
    relations.check();
    return relations;
}

AmpleLabels ample_labels_from_python(std::uint32_t transitions, std::uint32_t processes,
                                     const nb::bytes& transitions_of,
                                     const std::vector<AmpleLocationFromPython>& locations,
                                     std::vector<std::vector<std::uint32_t>> starts) {
    AmpleLabels labels;
    labels.transitions_of = unpack(transitions_of, processes, transitions, "transitions_of");
    labels.starts = std::move(starts);
    for (const auto& [process, conditions] : locations) {
        AmpleLocation& location = labels.locations.emplace_back(AmpleLocation{process, {}});
        for (const auto& [transition, may_be_enabled, blocks] : conditions) {
            AmpleCondition& condition =
                location.conditions.emplace_back(AmpleCondition{transition, may_be_enabled, {}});
            for (const auto& [guard, given] : blocks) condition.blocks.push_back({guard, given});
        }
    }
    return labels;
}

LocalRelations local_relations_from_python(const Program& program, const nb::bytes& dependent_on,
                                           const nb::bytes& can_enable, bool net, nb::object enabling_sets) {
    LocalRelations local;
    local.dependent_on = unpack(dependent_on, program.transitions, program.transitions, "dependent_on");
    local.can_enable = unpack(can_enable, program.transitions, program.transitions, "can_enable");
    local.net = net;
    if (!enabling_sets.is_none()) {
        local.ask = [words = program.words, enabling_sets](const Word* state, TransitionId transition) {
            nb::gil_scoped_acquire lock;
            const std::vector<Word> copy(state, state + words);
            return nb::cast<std::vector<std::vector<TransitionId>>>(enabling_sets(copy, transition));
        };
    }
    return local;
}

namespace {

using Transitions = std::vector<TransitionId>;

class StubbornSetsOverValues {
  public:
    StubbornSetsOverValues(Relations relations, const std::string& algorithm, ReductionOptions options)
        : tables_(std::make_shared<const ReductionTables>(std::move(relations), options, std::vector<bool>())),
          algorithm_(make_stubborn_sets(algorithm, tables_)),
          oracle_(tables_->relations.guards, {}) {}

    std::tuple<Transitions, Transitions, Transitions> choose(const Transitions& enabled,
                                                             const std::vector<bool>& guard_values) {
        const std::uint32_t transitions = tables_->relations.transitions;
        const bool ascending = std::is_sorted(enabled.begin(), enabled.end(), std::less_equal<TransitionId>());
        if (enabled.empty() || !ascending || enabled.back() >= transitions) {
            throw std::invalid_argument("enabled must be an ascending, non-empty list of transitions");
        }
        if (guard_values.size() != tables_->relations.guards) {
            throw std::invalid_argument("guard_values must have one value a guard");
        }
        const std::vector<std::uint8_t> values(guard_values.begin(), guard_values.end());
        oracle_.enter(values);
        StubbornSet set;
        algorithm_->choose(enabled, oracle_, set);
        Transitions whole;
        for (TransitionId t = 0; t < transitions; ++t) {
            if (set.contains(t)) whole.push_back(t);
        }
        return {std::move(whole), std::move(set.enabled), std::move(set.keys)};
    }

  private:
    std::shared_ptr<const ReductionTables> tables_;
    std::unique_ptr<StubbornSets> algorithm_;
    GuardOracle oracle_;
};

}  // namespace

void bind_reduction(nb::module_& module) {
    nb::class_<StubbornSetsOverValues>(module, "StubbornSets",
                                       "A stubborn set algorithm over guard values that the caller gives.")
        .def(
            "__init__",
            [](StubbornSetsOverValues* self, std::uint32_t transitions, std::uint32_t guards,
               std::vector<std::vector<GuardId>> guards_of, const nb::bytes& do_not_accord,
               const nb::bytes& do_not_left_accord, const nb::bytes& enabling, const nb::bytes& disabling,
               const nb::bytes& never_coenabled, const std::string& algorithm, bool weak, bool nds) {
                new (self) StubbornSetsOverValues(
                    relations_from_python(transitions, guards, std::move(guards_of), do_not_accord, do_not_left_accord,
                                          enabling, disabling, never_coenabled),
                    algorithm, {.weak = weak, .nds = nds});
            },
            "transitions"_a, "guards"_a, "guards_of"_a, "do_not_accord"_a, "do_not_left_accord"_a, "enabling"_a,
            "disabling"_a, "never_coenabled"_a, "algorithm"_a, "weak"_a = false, "nds"_a = true)
        .def("choose", &StubbornSetsOverValues::choose, "enabled"_a, "guard_values"_a,
             "All members, the enabled members and the key transitions, each ascending.");
}

}  // namespace mule::reduction
