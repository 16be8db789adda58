#include "parallel/emptiness.hpp"

#include <optional>
#include <stdexcept>

#include "graph/paths.hpp"
#include "ltl/fair_part.hpp"
#include "ltl/lasso.hpp"
#include "parallel/crew.hpp"
#include "parallel/product_worker.hpp"
#include "store/width.hpp"

namespace mule::parallel {

namespace {

using graph::Components;

// The coordinator: it runs in the thread of its caller, which is also the first worker's. Workers meet after each
// level, when the caller wants to hear of them, and when the index must grow. Whenever the number of states has
// doubled, and at the end, the edges so far are looked through for an accepting cycle.
template <unsigned W>
class ParallelEmptiness final : public EmptinessSearch {
  public:
    ParallelEmptiness(const Program& program, const PropertyAutomaton& automaton, const AutomatonField& field,
                      const EmptinessOptions& options, const Reducer* reducer, const Team& team)
        : options_(options),
          team_(team),
          states_(program.words, team.capacity),
          edges_(automaton.marks() + (options.fairness.compassion ? 0 : options.fairness.requirements())),
          crew_(team.workers) {
        for (unsigned member = 0; member < team.workers; ++member) {
            auto copy = reducer == nullptr ? nullptr : std::make_unique<Reducer>(*reducer);
            if (copy && member != 0) copy->share_memory_of(*first().reducer());
            workers_.push_back(std::make_unique<ProductWorker<W>>(program, automaton, field, options, std::move(copy),
                                                                  states_, edges_, levels_, ration_));
        }
    }

    void begin(const Word* initial) {
        make_room_for(1);
        first().begin(initial);
        meet(1);
    }

    bool step(std::uint64_t states) override {
        const std::uint64_t enough = total_.expanded + states;
        while (has_work() && total_.expanded < enough) do_round(enough - total_.expanded);
        return has_work();
    }

    Progress progress() const override {
        return {.states = total_.stored - total_.transient,
                .transitions = total_.transitions,
                .depth = depth_,
                .open = total_.stored - total_.expanded,
                .bytes = bytes()};
    }

    EmptinessResult take_result() override {
        result_.progress = progress();
        result_.stopped = stopped();
        result_.failures = total_.failures;
        result_.reduced = total_.reduced;
        result_.fully_expanded = total_.fully_expanded;
        return std::move(result_);
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0} / 2;
    static constexpr std::uint64_t kFirstLook = 1000;  // states
    // What a look for a cycle takes for each number: Tarjan's arrays and stack.
    static constexpr std::size_t kLookBytes = 32;

    ProductWorker<W>& first() { return *workers_.front(); }
    bool has_work() const { return !done() && !level_.empty(); }

    std::size_t bytes() const {
        std::size_t sum = states_.bytes() + edges_.bytes(total_.recorded) + states_.size() * kLookBytes;
        for (const auto& worker : workers_) sum += worker->bytes();
        return sum;
    }

    void do_round(std::uint64_t states) {
        const std::uint64_t portion = first().portion();
        unsigned hands = is_worth_sharing(states) ? team_.workers : 1;
        if (hands > 1 && states_left() < hands * portion) hands = 1;
        if (bytes() > options_.limits.max_bytes || !make_room_for(hands)) return give_up("memory");
        if (states_.size() > kMostNumbers - hands * (portion + 2 * SharedNumbered<W>::kChunk)) return give_up("states");
        level_.open(states, SharedNumbered<W>::kChunk);
        ration_.begin(total_.stored, std::min(states_.room(), most_stored()));
        if (hands > 1) {
            result_.workers = hands;
            crew_.run([&](unsigned member) { workers_[member]->work(level_, kAll); });
        } else if (states_left() >= portion) {
            first().work(level_, states);
        } else {
            ration_.begin(total_.stored, states_.room());
            first().work_carefully(level_, states, states_left());
        }
        meet(hands);
        if (first().refused()) give_up("states");
    }

    bool is_worth_sharing(std::uint64_t states) const {
        return team_.workers > 1 && total_.stored >= team_.alone_until &&
               std::min(states, level_.states()) >= team_.worth_sharing;
    }

    // How many states may still be stored, and how many there may be then; transient ones are not limited.
    std::uint64_t states_left() const {
        const std::uint64_t states = total_.stored - total_.transient;
        return options_.limits.max_states > states ? options_.limits.max_states - states : 0;
    }
    std::uint64_t most_stored() const {
        const std::uint64_t left = states_left();
        return left > ~std::uint64_t{0} - total_.stored ? ~std::uint64_t{0} : total_.stored + left;
    }

    // Calls `work(part, parts)` for each part, in as many threads as is worth while.
    template <typename Work>
    void share(Work&& work) {
        if (total_.stored < team_.worth_sharing || team_.workers == 1)
            work(0, 1);
        else
            crew_.run([&](unsigned member) { work(member, team_.workers); });
    }

    // For a portion each.
    bool make_room_for(unsigned hands) {
        const std::uint64_t wanted = total_.stored + hands * first().portion();
        if (states_.room() < wanted) {
            const std::uint64_t capacity = states_.capacity_for(wanted);
            if (bytes() + states_.bytes_for(capacity) > options_.limits.max_bytes) return false;
            states_.begin_growth(capacity);
            share([&](unsigned part, unsigned parts) { states_.move_part(part, parts); });
            states_.end_growth();
        }
        const std::size_t chunks = states_.make_chunks_for(team_.workers);
        edges_.make_chunks(chunks);
        levels_.make_chunks(chunks);
        return true;
    }

    // All that the first `hands` workers have done is known to the coordinator, and what they have begun can be gone on
    // with by any of them.
    void meet(unsigned hands) {
        level_.close();
        for (unsigned member = 0; member < hands; ++member) {
            ProductWorker<W>& worker = *workers_[member];
            const ProductCounts counts = worker.take_counts();
            total_ += counts;
            level_.are_expanded(counts.expanded);
            if (worker.unfinished().left() != 0) level_.put_back(std::move(worker.unfinished()));
            worker.unfinished() = {};
        }
        edges_.set_states(states_.size());
        if (level_.empty() && !first().refused()) go_down();
    }

    void go_down() {
        level_.clear();
        for (const auto& worker : workers_) {
            std::vector<Stretch> stored = worker->take_stretches();
            levels_.begin_level(stored);
            level_.add(stored);
        }
        if (!level_.empty() && total_.expanded != 0) ++depth_;
        if (level_.empty() || (total_.stored >= kFirstLook && total_.stored >= 2 * looked_at_)) look_for_cycle();
        if (level_.empty()) finish();
    }

    // Some states will not be expanded; what is known of the others is worth a look.
    void give_up(const char* reason) {
        look_for_cycle();
        if (!done()) stop(reason);
    }

    void look_for_cycle() {
        looked_at_ = total_.stored;
        // A cycle has a step that goes back. Where it must end, nothing is inside any more.
        const auto is_root = [&](StateNumber state) { return edges_.goes_back_to(state); };
        const Components components = graph::strong_components(
            edges_, [&](StateNumber) { return !tick(); }, is_root);
        if (done() || components.count == 0) return;
        std::vector<Word> seen(components.count);
        std::vector<bool> has_edge(components.count);
        for_each_inner_edge(components, [&](std::uint32_t component, StateNumber source, std::uint64_t edge) {
            has_edge[component] = true;
            seen[component] |= edges_.marks(source, edge);
        });
        const auto accepts = [&](std::uint32_t component) {
            return component != Components::kNone && has_edge[component] &&
                   seen[component] == first().successors().all_marks();
        };
        if (first().successors().judges_parts())
            look_for_fair_part(components, accepts);
        else
            report_cycle_in([&](StateNumber state) { return accepts(components.of[state]); },
                            [&](StateNumber one, StateNumber other) { return components.joins(one, other); }, {});
    }

    template <typename Visit>
    void for_each_inner_edge(const Components& components, Visit&& visit) const {
        for (StateNumber state = 0; state < edges_.states(); ++state) {
            if (components.of[state] == Components::kNone) continue;
            for (std::uint64_t edge = edges_.begin(state); edge < edges_.end(state); ++edge)
                if (components.joins(state, edges_.target(state, edge))) visit(components.of[state], state, edge);
        }
    }

    template <typename Accepts>
    void look_for_fair_part(const Components& components, Accepts&& accepts) {
        std::vector<std::vector<StateNumber>> members(components.count);
        std::vector<StateNumber> places(components.of.size());
        for (StateNumber state = 0; state < components.of.size(); ++state) {
            const std::uint32_t component = components.of[state];
            if (!accepts(component)) continue;
            places[state] = static_cast<StateNumber>(members[component].size());
            members[component].push_back(state);
        }
        for (std::uint32_t component = 0; component < components.count && !done(); ++component) {
            if (members[component].empty()) continue;
            const auto place_of = [&](StateNumber state) -> std::size_t {
                return components.of[state] == component ? places[state] : components.of.size();
            };
            const FairPart<SharedNumbered<W>> part(states_, first().successors(), members[component], place_of,
                                                   [&] { return tick(); });
            const auto inside = [&](StateNumber state) { return part.contains(place_of(state)); };
            if (part.found())
                report_cycle_in(
                    inside, [&](auto, StateNumber state) { return inside(state); }, part.to_meet());
        }
    }

    // In the component of one of the states for which `accepted` holds: the one that is nearest to the first state, and
    // among several of them always the same. `together(one, other)`: whether both are in the component of the one.
    template <typename Accepted, typename Together>
    void report_cycle_in(Accepted&& accepted, Together&& together, const std::vector<Word>& to_meet) {
        const std::optional<StateNumber> nearest = nearest_of(accepted);
        if (!nearest || done()) return;
        std::vector<StateNumber> way;
        for (StateNumber at = *nearest; at != kNoNumber; at = source_in(states_.info(at))) way.push_back(at);
        std::reverse(way.begin(), way.end());
        Lasso<SharedNumbered<W>> lasso(states_, first().successors(), [&] { return tick(); });
        lasso.cycle_inside(
            way, [&](StateNumber state) { return together(*nearest, state); }, to_meet);
        if (done()) return;
        result_.empty = false;
        result_.prefix = lasso.take_prefix();
        result_.cycle = lasso.take_cycle();
        finish();
    }

    template <typename Accepted>
    std::optional<StateNumber> nearest_of(Accepted&& accepted) {
        std::vector<std::uint32_t> depths(edges_.states());
        std::optional<StateNumber> nearest;
        const auto is_nearer = [&](StateNumber state) {
            const std::uint32_t depth = depth_of(state, depths);
            if (!nearest || depth != depths[*nearest]) return !nearest || depth < depths[*nearest];
            const Word* words = states_.state(state);
            const Word* others = states_.state(*nearest);
            return std::lexicographical_compare(words, words + states_.words(), others, others + states_.words());
        };
        for (StateNumber state = 0; state < edges_.states() && !tick(); ++state)
            if (edges_.begin(state) != edges_.end(state) && accepted(state) && is_nearer(state)) nearest = state;
        return nearest;
    }

    // From 1; 0: not known yet.
    std::uint32_t depth_of(StateNumber state, std::vector<std::uint32_t>& depths) const {
        std::vector<StateNumber> unknown;
        StateNumber at = state;
        for (; at != kNoNumber && depths[at] == 0; at = source_in(states_.info(at))) unknown.push_back(at);
        std::uint32_t depth = at == kNoNumber ? 0 : depths[at];
        for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) depths[*next] = ++depth;
        return depth;
    }

    const EmptinessOptions& options_;
    Team team_;
    SharedNumbered<W> states_;
    RecordedEdges edges_;
    KnownLevels levels_;
    Ration ration_;
    Level<Stretch> level_;
    std::vector<std::unique_ptr<ProductWorker<W>>> workers_;
    std::uint64_t depth_ = 0;
    std::uint64_t looked_at_ = 0;  // how many states there were when a cycle was looked for
    ProductCounts total_;
    EmptinessResult result_;
    Crew crew_;  // the last member: its threads end before what they work on
};

}  // namespace

std::unique_ptr<EmptinessSearch> make_parallel_emptiness_search(
    const Program& program, const std::vector<Word>& initial, const PropertyAutomaton& automaton,
    const AutomatonField& field, const EmptinessOptions& options, const Reducer* reducer, const Team& team) {
    check_emptiness_options(program, initial, automaton, field, options, reducer);
    if (reducer != nullptr && options.proviso == Proviso::kStack)
        throw std::invalid_argument("several workers have no stack");
    if (team.workers == 0 || team.workers > Team::kMostWorkers)
        throw std::invalid_argument("no such number of workers");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<EmptinessSearch> {
        auto search = std::make_unique<ParallelEmptiness<W>>(program, automaton, field, options, reducer, team);
        search->begin(initial.data());
        return search;
    });
}

}  // namespace mule::parallel
