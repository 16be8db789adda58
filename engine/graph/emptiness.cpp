#include "graph/emptiness.hpp"

#include "graph/paths.hpp"
#include "store/numbered.hpp"

namespace mule::graph {

namespace {

class GraphProduct final : public GraphEmptinessSearch {
  public:
    GraphProduct(const Graph& graph, PropertyAutomaton automaton, std::uint32_t initial, bool finite_runs,
                 const Limits& limits)
        : graph_(graph), automaton_(std::move(automaton)), finite_runs_(finite_runs), limits_(limits), store_(1) {
        number(0, initial);
    }

    bool step(std::uint64_t states) override {
        for (; states != 0 && next_ < store_.size() && !done(); --states) expand(next_++);
        if (next_ == store_.size() && !done()) {
            decide();
            finish();
        }
        return !done();
    }

    Progress progress() const override {
        return {.states = store_.size(),
                .transitions = targets_.size(),
                .depth = 0,
                .open = store_.size() - next_,
                .bytes = store_.bytes() + besides()};
    }

    GraphEmptiness take_result() override {
        result_.progress = progress();
        result_.stopped = stopped();
        return std::move(result_);
    }

  private:
    struct Edge {
        std::uint64_t origin;  // the graph's edge
        std::uint16_t edge;    // the automaton's
    };

    // Beside the automaton's own marks: a letter is read. A run reads letters for ever.
    static constexpr Word kReads = Word{1} << 63;
    static constexpr std::uint16_t kStay[] = {PropertyAutomaton::kNoEdge};

    StateNumber number(std::uint32_t state, std::uint32_t automaton_state) {
        const Word key = Word{state} << 32 | automaton_state;
        const auto besides_store = [&] { return besides(); };
        if (const char* reason = limits_.refusal(store_, {}, &key, mix_word(key, 0), besides_store)) stop(reason);
        return done() ? 0 : store_.insert(&key, mix_word(key, 0)).number;
    }
    std::uint32_t state_of(StateNumber number) const { return static_cast<std::uint32_t>(*store_.state(number) >> 32); }
    std::uint32_t automaton_state_of(StateNumber number) const {
        return static_cast<std::uint32_t>(*store_.state(number));
    }
    Rows rows() const { return {offsets_, targets_}; }

    Word marks(StateNumber source, std::uint64_t edge) const {
        if (edges_[edge].edge == PropertyAutomaton::kNoEdge) return 0;
        return automaton_.marks_of(automaton_state_of(source), edges_[edge].edge) | kReads;
    }
    Word all_marks() const { return automaton_.all_marks() | kReads; }

    void expand(StateNumber node) {
        const std::uint32_t state = state_of(node);
        const std::uint32_t from = automaton_state_of(node);
        const bool transient = graph_.transient(state);
        const std::span<const std::uint16_t> under =
            transient ? std::span<const std::uint16_t>(kStay) : automaton_.under(from, graph_.letters[state]);
        for (const std::uint16_t edge : under) {
            const std::uint32_t to = transient ? from : automaton_.edge(from, edge).target;
            for (std::uint64_t origin = graph_.offsets[state]; origin < graph_.offsets[state + 1]; ++origin) {
                if (graph_.transitions[origin] == kStutter && !finite_runs_) continue;
                targets_.push_back(number(graph_.targets[origin], to));
                edges_.push_back({origin, edge});
            }
        }
        offsets_.push_back(targets_.size());
    }

    void decide() {
        const Components components = strong_components(rows(), [](std::uint32_t) { return true; });
        std::vector<Word> seen(components.count);
        for (StateNumber node = 0; node < store_.size(); ++node)
            for (std::uint64_t edge = offsets_[node]; edge < offsets_[node + 1]; ++edge)
                if (components.joins(node, targets_[edge])) seen[components.of[node]] |= marks(node, edge);
        for (StateNumber node = 0; node < store_.size(); ++node) {
            if (seen[components.of[node]] != all_marks()) continue;
            result_.empty = false;
            return explain(node, components);
        }
    }

    // A path to `node`, the first one of an accepting component that was found, and a cycle with all marks.
    void explain(StateNumber node, const Components& components) {
        if (node != 0) {
            const auto there = shortest_path(
                rows(), 0, [](std::uint32_t) { return true; }, [&](std::uint64_t e) { return targets_[e] == node; });
            result_.prefix = origins(there->edges);
        }
        const auto inside = [&](std::uint32_t other) { return components.joins(node, other); };
        std::vector<StateNumber> sources(targets_.size());
        for (StateNumber source = 0; source < store_.size(); ++source)
            std::fill(sources.begin() + offsets_[source], sources.begin() + offsets_[source + 1], source);
        Word missing = all_marks();
        StateNumber at = node;
        while (missing != 0) {
            const auto leg = shortest_path(rows(), at, inside, [&](std::uint64_t edge) {
                return inside(targets_[edge]) && (marks(sources[edge], edge) & missing) != 0;
            });
            for (const std::uint64_t edge : leg->edges) missing &= ~marks(sources[edge], edge);
            append(leg->edges);
            at = leg->end;
        }
        if (at == node) return;
        append(shortest_path(rows(), at, inside, [&](std::uint64_t edge) { return targets_[edge] == node; })->edges);
    }

    void append(const std::vector<std::uint64_t>& edges) {
        const auto more = origins(edges);
        result_.cycle.insert(result_.cycle.end(), more.begin(), more.end());
    }

    std::vector<std::uint64_t> origins(const std::vector<std::uint64_t>& edges) const {
        std::vector<std::uint64_t> result;
        for (const std::uint64_t edge : edges) result.push_back(edges_[edge].origin);
        return result;
    }

    std::size_t besides() const {
        return edges_.capacity() * sizeof(Edge) + targets_.capacity() * sizeof(std::uint32_t) +
               offsets_.capacity() * sizeof(std::uint64_t);
    }

    const Graph& graph_;
    PropertyAutomaton automaton_;
    bool finite_runs_;
    Limits limits_;
    NumberedStore<1> store_;
    StateNumber next_ = 0;
    std::vector<std::uint64_t> offsets_ = {0};
    std::vector<std::uint32_t> targets_;
    std::vector<Edge> edges_;
    GraphEmptiness result_;
};

}  // namespace

std::unique_ptr<GraphEmptinessSearch> make_graph_emptiness_search(const Graph& graph, PropertyAutomaton automaton,
                                                                  std::uint32_t initial, bool finite_runs,
                                                                  const Limits& limits) {
    if (automaton.marks() >= PropertyAutomaton::kMostMarks) throw std::invalid_argument("too many acceptance marks");
    return std::make_unique<GraphProduct>(graph, std::move(automaton), initial, finite_runs, limits);
}

}  // namespace mule::graph
