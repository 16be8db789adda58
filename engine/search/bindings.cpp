#include "search/bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <tuple>

#include "reduction/bindings.hpp"
#include "search/dpor.hpp"
#include "search/explorer.hpp"
#include "search/source_dpor.hpp"
#include "search/stateless.hpp"
#include "store/numbered.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mule::search {

namespace {

void bind_options(nb::module_& module) {
    nb::enum_<Order>(module, "Order")
        .value("BREADTH_FIRST", Order::kBreadthFirst)
        .value("DEPTH_FIRST", Order::kDepthFirst)
        .value("ASTAR", Order::kAStar)
        .value("BEST_FIRST", Order::kBestFirst)
        .value("IDASTAR", Order::kIterativeDeepening);
    nb::enum_<Keeping>(module, "Keeping")
        .value("EXACT", Keeping::kExact)
        .value("COMPACT", Keeping::kCompact)
        .value("BITSTATE", Keeping::kBitstate);
    nb::enum_<Proviso>(module, "Proviso")
        .value("NONE", Proviso::kNone)
        .value("STACK", Proviso::kStack)
        .value("STACK_MINUS", Proviso::kStackMinus)
        .value("DUPLICATE", Proviso::kDuplicate)
        .value("DUPLICATE_MINUS", Proviso::kDuplicateMinus)
        .value("C3_PRIME", Proviso::kC3Prime)
        .value("STATIC", Proviso::kStatic)
        .value("FRAGMENTED", Proviso::kFragmented)
        .value("FRAGMENTED_ORDER", Proviso::kFragmentedOrder)
        .value("FRAGMENTED_HISTORY", Proviso::kFragmentedHistory)
        .value("CLOSED_MINUS", Proviso::kClosedMinus);
    nb::class_<Limits>(module, "Limits")
        .def(nb::init<>())
        .def_rw("max_states", &Limits::max_states)
        .def_rw("max_bytes", &Limits::max_bytes);
    nb::class_<Pattern>(module, "Pattern")
        .def(
            "__init__",
            [](Pattern* self, const Program& projection, const std::vector<Word>& initial,
               const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Word>>& bits,
               std::uint64_t max_states) {
                std::vector<Pattern::Bits> copied;
                for (const auto& [from_word, from_shift, to_word, to_shift, mask] : bits)
                    copied.push_back({from_word, from_shift, to_word, to_shift, mask});
                nb::gil_scoped_release release;
                new (self) Pattern(projection, initial, std::move(copied), max_states);
            },
            "projection"_a, "initial"_a, "bits"_a, "max_states"_a)
        .def_prop_ro_static("most_words", [](nb::handle) { return Pattern::kMostWords; })
        .def_prop_ro("complete", &Pattern::complete)
        .def_prop_ro("states", &Pattern::states)
        .def_prop_ro("from_initial", &Pattern::from_initial)
        .def("distance",
             [](const Pattern& self, const std::vector<Word>& state) { return self.distance(state.data()); });
    nb::class_<SearchOptions, Limits>(module, "SearchOptions")
        .def(nb::init<>())
        .def_rw("order", &SearchOptions::order)
        .def_rw("keeping", &SearchOptions::keeping)
        .def_rw("bitstate_bytes", &SearchOptions::bitstate_bytes)
        .def_rw("spill", &SearchOptions::spill)
        .def_rw("weight", &SearchOptions::weight)
        .def_rw("patterns", &SearchOptions::patterns)
        .def_rw("proviso", &SearchOptions::proviso)
        .def_rw("sticky", &SearchOptions::sticky)
        .def_rw("stop_at_deadlock", &SearchOptions::stop_at_deadlock)
        .def_rw("stop_at_assertion", &SearchOptions::stop_at_assertion)
        .def_rw("stop_at_error", &SearchOptions::stop_at_error)
        .def_rw("failing_guards_are_transitions", &SearchOptions::failing_guards_are_transitions)
        .def_rw("error_state_mask", &SearchOptions::error_state_mask)
        .def_rw("sample", &SearchOptions::sample)
        .def_rw("identity", &SearchOptions::identity)
        .def_rw("whole_batches", &SearchOptions::whole_batches)
        .def_rw("sets_aside", &SearchOptions::sets_aside)
        .def_rw("cuts", &SearchOptions::cuts);
}

std::vector<std::pair<TransitionId, std::uint16_t>> pairs(const std::vector<Step>& steps) {
    std::vector<std::pair<TransitionId, std::uint16_t>> result;
    for (const Step& step : steps) result.emplace_back(step.transition, step.outcome);
    return result;
}

void bind_results(nb::module_& module) {
    nb::class_<Progress>(module, "Progress")
        .def_ro("states", &Progress::states)
        .def_ro("transitions", &Progress::transitions)
        .def_ro("depth", &Progress::depth)
        .def_ro("open", &Progress::open)
        .def_ro("bytes", &Progress::bytes)
        .def_ro("disk", &Progress::disk)
        .def_ro("estimate", &Progress::estimate);
    nb::enum_<Found>(module, "Found")
        .value("NOTHING", Found::kNothing)
        .value("DEADLOCK", Found::kDeadlock)
        .value("PROPOSITION", Found::kProposition)
        .value("FAILURE", Found::kFailure);
    nb::class_<SearchResult>(module, "SearchResult")
        .def_ro("progress", &SearchResult::progress)
        .def_ro("deadlocks", &SearchResult::deadlocks)
        .def_ro("failures", &SearchResult::failures)
        .def_ro("assertions", &SearchResult::assertions)
        .def_ro("error_states", &SearchResult::error_states)
        .def_ro("stopped", &SearchResult::stopped)
        .def_ro("found", &SearchResult::found)
        .def_ro("proposition", &SearchResult::proposition)
        .def_ro("sample", &SearchResult::sample)
        .def_ro("fully_expanded", &SearchResult::fully_expanded)
        .def_ro("expanded", &SearchResult::expanded)
        .def_ro("rounds", &SearchResult::rounds)
        .def_ro("table_full", &SearchResult::table_full)
        .def_ro("bounded", &SearchResult::bounded)
        .def_ro("workers", &SearchResult::workers)
        .def_ro("expected_omissions", &SearchResult::expected_omissions)
        .def_ro("hash_factor", &SearchResult::hash_factor)
        .def_ro("runs", &SearchResult::runs)
        .def_ro("cut_runs", &SearchResult::cut_runs)
        .def_prop_ro("fired",
                     [](const SearchResult& self) {
                         return nb::bytes(reinterpret_cast<const char*>(self.fired.data()), self.fired.size());
                     })
        .def_prop_ro("path", [](const SearchResult& self) { return pairs(self.path); });
}

void bind_stepped(nb::module_& module) {
    nb::class_<Stepped>(module, "Stepped")
        .def("step", &Stepped::step, "states"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("progress", &Stepped::progress)
        .def("stop", &Stepped::stop, "reason"_a)
        .def(
            "asks",
            [](Stepped& self, nb::object why_to_stop) {
                if (why_to_stop.is_none()) return self.asks({});
                self.asks([why_to_stop = std::move(why_to_stop)] {
                    nb::gil_scoped_acquire lock;
                    return nb::cast<std::string>(why_to_stop());
                });
            },
            "why_to_stop"_a.none())
        .def_prop_ro("can_be_written", &Stepped::can_be_written)
        .def_prop_ro("has_more", &Stepped::has_more)
        .def(
            "write",
            [](const Stepped& self, const std::string& path) {
                std::ofstream out(path, std::ios::binary);
                self.write(out);
            },
            "path"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<Search, Stepped>(module, "Search")
        .def("take_result", &Search::take_result, nb::call_guard<nb::gil_scoped_release>());
}

std::span<const Word> words_in(const nb::bytes& bytes, std::vector<Word>& aligned) {
    if (bytes.size() % sizeof(Word) != 0) throw nb::value_error("not a batch of states");
    aligned.resize(bytes.size() / sizeof(Word));
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    return aligned;
}

void bind_exploration(nb::module_& module) {
    nb::class_<PathEnd>(module, "PathEnd")
        .def_prop_ro("steps", [](const PathEnd& self) { return pairs(self.steps); })
        .def_ro("from_initial_state", &PathEnd::from_initial_state)
        .def_ro("part", &PathEnd::part)
        .def_ro("number", &PathEnd::number);
    nb::class_<Exploration, Search>(module, "Exploration")
        .def(
            "outbox",
            [](Exploration& self, std::uint16_t owner) {
                const std::vector<Word> batch = self.outbox(owner);
                return nb::bytes(reinterpret_cast<const char*>(batch.data()), batch.size() * sizeof(Word));
            },
            "owner"_a)
        .def(
            "receive",
            [](Exploration& self, const nb::bytes& batch) {
                std::vector<Word> aligned;
                const std::span<const Word> words = words_in(batch, aligned);
                nb::gil_scoped_release release;
                self.receive(words);
            },
            "batch"_a)
        .def_prop_ro("has_work", &Exploration::has_work)
        .def_prop_ro("ended", &Exploration::ended)
        .def_prop_ro("is_full", &Exploration::is_full)
        .def_prop_ro("error_states",
                     [](const Exploration& self) {
                         const std::vector<Word> words = self.error_states();
                         return nb::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
                     })
        .def("path_to", &Exploration::path_to, "part"_a, "number"_a)
        .def_prop_ro("found_path", &Exploration::found_path);
    module.def(
        "make_exploration",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer,
           std::uint16_t part, std::uint16_t parts) {
            if (part >= parts) throw nb::value_error("no such part");
            return make_exploration(program, initial, options, reducer, {part, parts});
        },
        "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), "part"_a, "parts"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
    module.def(
        "read_exploration",
        [](const Program& program, const SearchOptions& options, Reducer* reducer, const std::string& path) {
            std::ifstream in(path, std::ios::binary);
            return read_exploration(program, options, reducer, in);
        },
        "program"_a, "options"_a, "reducer"_a.none(), "path"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
        nb::keep_alive<0, 3>());
}

// An order that a Python object gives: it has `push(number)`, `pop()` and a length.
class PythonFrontier {
  public:
    explicit PythonFrontier(nb::object frontier) : frontier_(std::move(frontier)) {}

    void push(StateNumber number, const Word*, StateNumber) {
        nb::gil_scoped_acquire lock;
        frontier_.attr("push")(number);
        ++size_;
    }
    Open pop() {
        nb::gil_scoped_acquire lock;
        --size_;
        return {nb::cast<StateNumber>(frontier_.attr("pop")()), nullptr};
    }
    bool empty() const { return size_ == 0; }
    bool ready() const { return size_ != 0; }
    void settle() {}
    std::uint64_t size() const { return size_; }
    std::uint64_t depth() const { return 0; }
    std::size_t bytes() const { return 0; }

  private:
    nb::object frontier_;
    std::uint64_t size_ = 0;
};

template <typename Concrete, typename... Arguments>
std::unique_ptr<Search> begun(const std::vector<Word>& initial, Arguments&&... arguments) {
    auto search = std::make_unique<Concrete>(std::forward<Arguments>(arguments)...);
    search->begin(initial.data());
    return search;
}

void bind_searches(nb::module_& module) {
    const auto kept_program = nb::keep_alive<0, 1>();
    const auto kept_options = nb::keep_alive<0, 3>();
    const auto kept_reducer = nb::keep_alive<0, 4>();
    module.def("make_search", &make_search, "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), kept_program,
               kept_options, kept_reducer);
    module.def(
        "read_search",
        [](const Program& program, const SearchOptions& options, Reducer* reducer, const std::string& path) {
            std::ifstream in(path, std::ios::binary);
            return read_search(program, options, reducer, in);
        },
        "program"_a, "options"_a, "reducer"_a.none(), "path"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
        nb::keep_alive<0, 3>(), nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "make_search_in_order",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer,
           nb::object frontier) {
            return begun<Explorer<NumberedStore<0>, PythonFrontier>>(initial, program, options, reducer,
                                                                     PythonFrontier(std::move(frontier)));
        },
        "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), "frontier"_a, kept_program, kept_options,
        kept_reducer);
    module.def(
        "make_stateless_search",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer) {
            return begun<Stateless>(initial, program, options, reducer);
        },
        "program"_a, "initial"_a, "options"_a, "reducer"_a.none(), kept_program, kept_options, kept_reducer);
    module.def(
        "make_dpor_search",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
           std::vector<std::vector<GuardId>> guards_of, const nb::bytes& do_not_accord, const nb::bytes& enabling,
           const std::vector<std::tuple<std::uint32_t, std::uint32_t, Word>>& locations,
           std::vector<std::vector<std::vector<TransitionId>>> alternatives,
           std::vector<std::vector<AgentId>> agents_of) {
            const nb::bytes absent("", 0);
            Agents agents;
            for (const auto& [word, shift, mask] : locations) agents.locations.push_back({word, shift, mask});
            agents.alternatives = std::move(alternatives);
            agents.of = std::move(agents_of);
            return begun<Dpor>(initial, program, options,
                               relations_from_python(program.transitions, program.guards, std::move(guards_of),
                                                     do_not_accord, absent, enabling, absent, absent),
                               std::move(agents));
        },
        "program"_a, "initial"_a, "options"_a, "guards_of"_a, "do_not_accord"_a, "enabling"_a, "locations"_a,
        "alternatives"_a, "agents_of"_a, kept_program, kept_options);
    module.def(
        "make_source_dpor_search",
        [](const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
           const nb::bytes& dependent, const nb::bytes& disabled_by) {
            const auto matrix = [&](const nb::bytes& rows, const char* name) {
                const auto* begin = static_cast<const std::uint8_t*>(rows.data());
                return unpack_rows({begin, rows.size()}, program.transitions, program.transitions, name);
            };
            return begun<SourceDpor>(initial, program, options, matrix(dependent, "dependent"),
                                     matrix(disabled_by, "disabled_by"));
        },
        "program"_a, "initial"_a, "options"_a, "dependent"_a, "disabled_by"_a, kept_program, kept_options);
}

}  // namespace

void bind_search(nb::module_& module) {
    bind_options(module);
    bind_results(module);
    bind_stepped(module);
    bind_exploration(module);
    bind_searches(module);
}

}  // namespace mule::search
