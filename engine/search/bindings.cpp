#include "search/bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "reduction/bindings.hpp"
#include "search/dpor.hpp"
#include "search/source_dpor.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule {

void bind_stateless(nb::module_& module) {
    module.def(
        "search_stateless",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer,
           nb::object callback) {
            const Watch::Callback watch = watch_from_python(callback);
            nb::gil_scoped_release release;
            return Stateless(program, options, reducer, watch).run(initial.data());
        },
        "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), "callback"_a.none());
    module.def(
        "search_dpor",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
           std::vector<std::vector<GuardId>> guards_of, const nb::bytes& do_not_accord, const nb::bytes& enabling,
           const std::vector<std::tuple<std::uint32_t, std::uint32_t, Word>>& locations,
           std::vector<std::vector<std::vector<TransitionId>>> alternatives,
           std::vector<std::vector<AgentId>> agents_of, nb::object callback) {
            const nb::bytes absent("", 0);
            const Relations relations = relations_from_python(program.transitions, program.guards, std::move(guards_of),
                                                              do_not_accord, absent, enabling, absent, absent);
            Agents agents;
            for (const auto& [word, shift, mask] : locations) agents.locations.push_back({word, shift, mask});
            agents.alternatives = std::move(alternatives);
            agents.of = std::move(agents_of);
            const Watch::Callback watch = watch_from_python(callback);
            nb::gil_scoped_release release;
            return Dpor(program, options, relations, agents, watch).run(initial.data());
        },
        "program"_a, "initial"_a, "options"_a, "guards_of"_a, "do_not_accord"_a, "enabling"_a, "locations"_a,
        "alternatives"_a, "agents_of"_a, "callback"_a.none());
    module.def(
        "search_source_dpor",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
           const nb::bytes& dependent, const nb::bytes& disabled_by, nb::object callback) {
            const auto matrix = [&](const nb::bytes& rows, const char* name) {
                const auto* begin = static_cast<const std::uint8_t*>(rows.data());
                return unpack_rows({begin, rows.size()}, program.transitions, program.transitions, name);
            };
            SourceDpor search(program, options, matrix(dependent, "dependent"), matrix(disabled_by, "disabled_by"),
                              watch_from_python(callback));
            nb::gil_scoped_release release;
            return search.run(initial.data());
        },
        "program"_a, "initial"_a, "options"_a, "dependent"_a, "disabled_by"_a, "callback"_a.none());
}

}  // namespace mule
