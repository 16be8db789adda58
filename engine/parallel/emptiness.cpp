#include "parallel/emptiness.hpp"

#include <optional>
#include <stdexcept>

#include "graph/paths.hpp"
#include "ltl/fair_part.hpp"
#include "ltl/lasso.hpp"
#include "ltl/product_signature.hpp"
#include "parallel/coordinator.hpp"
#include "parallel/product_cut.hpp"
#include "parallel/product_worker.hpp"
#include "search/signature.hpp"
#include "store/width.hpp"

namespace mule::parallel {

namespace {

using graph::Components;

// Whenever the number of states has doubled, and at the end, the edges so far are looked through for an accepting
// cycle.
template <unsigned W>
class ParallelEmptiness final : public Coordinator<EmptinessSearch, ProductWorker<W>, SharedNumbered<W>> {
    using Base = Coordinator<EmptinessSearch, ProductWorker<W>, SharedNumbered<W>>;
    using Base::depth_;
    using Base::done;
    using Base::first;
    using Base::level_;
    using Base::store_;
    using Base::total_;
    using Base::workers_;

  public:
    ParallelEmptiness(const Program& program, const std::vector<Word>& initial, const PropertyAutomaton& automaton,
                      const AutomatonField& field, const EmptinessOptions& options, Reducer* reducer, const Team& team)
        : Base(team, options.limits, program.words),
          signature_(product_signature(kKind, program, initial, automaton, field, options, reducer)),
          automaton_states_(automaton.states()),
          edges_(automaton.marks() + (options.fairness.compassion ? 0 : options.fairness.requirements())) {
        for (unsigned member = 0; member < team.workers; ++member)
            workers_.push_back(std::make_unique<ProductWorker<W>>(program, automaton, field, options,
                                                                  this->reducer_of(member, reducer), store_, edges_,
                                                                  levels_, this->ration_));
    }

    bool step(std::uint64_t states) override {
        is_whole_ = false;
        if (look_is_due_ && !done()) look_as_due();
        const bool goes_on = Base::step(states);
        is_whole_ = true;
        return goes_on;
    }

    Progress progress() const override {
        return {.states = total_.stored - total_.transient,
                .transitions = total_.transitions,
                .depth = depth_,
                .open = this->open_states(),
                .bytes = bytes()};
    }

    EmptinessResult take_result() override {
        result_.progress = progress();
        result_.stopped = this->stopped();
        result_.workers = this->most_hands();
        result_.failures = total_.failures;
        result_.reduced = total_.reduced;
        result_.fully_expanded = total_.fully_expanded;
        return std::move(result_);
    }

    // Where it has stopped without an answer, also within a look for a cycle, which changes nothing.
    bool can_be_written() const override {
        return is_whole_ && (!done() || !this->stopped().empty()) && !workers_.front()->refused();
    }
    bool has_more() const override { return look_is_due_ || this->open_states() != 0; }

    void write(std::ostream& out) const override {
        if (!can_be_written()) throw std::logic_error("a search that has ended has nothing to go on with");
        Writer writer(out);
        write_signature(writer, signature_);
        Known known{total_, depth_, looked_at_, look_is_due_};
        for (const std::uint64_t* number : known.all()) writer.value(*number);
        std::vector<Stretch> next;
        for (const auto& worker : workers_)
            next.insert(next.end(), worker->stretches().begin(), worker->stretches().end());
        cut_.write(writer, next);
        writer.finish();
    }

    // Before anything is searched.
    void read(std::istream& in) {
        Reader reader(in);
        read_signature(reader, signature_);
        Known known;
        for (std::uint64_t* number : known.all()) reader.value(*number);
        CutProduct product = cut_.read(
            reader, [&](const Word* state) { return first().successors().automaton_state(state) < automaton_states_; });
        reader.finish();
        total_ = known.counts;
        depth_ = known.depth;
        looked_at_ = known.looked_at;
        look_is_due_ = known.look_is_due != 0;
        require_whole(product.stored == total_.stored && product.expanded == total_.expanded &&
                      product.recorded == total_.recorded && total_.transient <= total_.stored);
        require_whole(!product.level.empty() || (product.next.empty() && look_is_due_));
        level_.add(product.level);
        first().add_stretches(product.next);
    }

  private:
    // What is known besides the states.
    struct Known {
        ProductCounts counts;
        std::uint64_t depth = 0;
        std::uint64_t looked_at = 0;
        std::uint64_t look_is_due = 0;

        std::vector<std::uint64_t*> all() {
            const auto counted = counts.all();
            std::vector<std::uint64_t*> numbers(counted.begin(), counted.end());
            numbers.insert(numbers.end(), {&depth, &looked_at, &look_is_due});
            return numbers;
        }
    };

    static constexpr std::uint64_t kKind = 4;

    static constexpr std::uint64_t kFirstLook = 1000;  // states
    // What a look for a cycle takes for each number: Tarjan's arrays and stack.
    static constexpr std::size_t kLookBytes = 32;

    std::uint64_t transient() const override { return total_.transient; }
    std::size_t bytes() const override {
        std::size_t sum = store_.bytes() + edges_.bytes(total_.recorded) + store_.size() * kLookBytes;
        for (const auto& worker : workers_) sum += worker->bytes();
        return sum;
    }
    bool has_numbers_for(unsigned hands) const override {
        const std::uint64_t portion = workers_.front()->portion();
        // A store of the largest size may have no room, though there are numbers left.
        return store_.size() <= kMostNumbers - hands * (portion + 2 * SharedNumbered<W>::kChunk) &&
               store_.room() >= total_.stored + hands * portion;
    }
    std::uint32_t states_per_run() override { return SharedNumbered<W>::kChunk; }
    void made_room() override {
        const std::size_t chunks = store_.make_chunks_for(this->team_.workers);
        edges_.make_chunks(chunks);
        levels_.make_chunks(chunks);
    }
    void hear(ProductWorker<W>&, const ProductCounts&, bool) override { edges_.set_states(store_.size()); }

    void begin_level() override {
        levels_.end_level();
        for (const auto& worker : workers_) {
            std::vector<Stretch> stored = worker->take_stretches();
            levels_.add(stored);
            level_.add(stored);
        }
        if (!level_.empty() && total_.expanded != 0) ++depth_;
        look_is_due_ = level_.empty() || (total_.stored >= kFirstLook && total_.stored >= 2 * looked_at_);
        if (look_is_due_) look_as_due();
    }

    // Where it has to stop meanwhile, the look stays due.
    void look_as_due() {
        look_for_cycle();
        if (done()) return;
        look_is_due_ = false;
        looked_at_ = total_.stored;
        if (level_.empty()) this->finish();
    }

    void met() override {
        if (first().has_enough()) give_up(kTooManyStates);
    }

    // Some states will not be expanded; what is known of the others is worth a look. Who goes on from here looks again
    // when it would have been time anyway.
    void give_up(const char* reason) override {
        look_for_cycle();
        if (!done()) this->stop(reason);
    }

    void look_for_cycle() {
        // A cycle has a step that goes back. Where it must end, nothing is inside any more.
        const auto is_root = [&](StateNumber state) { return edges_.goes_back_to(state); };
        const Components components = graph::strong_components(
            edges_, [&](StateNumber) { return !this->tick(); }, is_root);
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
            const FairPart<SharedNumbered<W>> part(store_, first().successors(), members[component], place_of,
                                                   [&] { return this->tick(); });
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
        for (StateNumber at = *nearest; at != kNoNumber; at = source_in(store_.info(at))) way.push_back(at);
        std::reverse(way.begin(), way.end());
        Lasso<SharedNumbered<W>> lasso(store_, first().successors(), [&] { return this->tick(); });
        lasso.cycle_inside(
            way, [&](StateNumber state) { return together(*nearest, state); }, to_meet);
        if (done()) return;
        result_.empty = false;
        result_.prefix = lasso.take_prefix();
        result_.cycle = lasso.take_cycle();
        this->finish();
    }

    template <typename Accepted>
    std::optional<StateNumber> nearest_of(Accepted&& accepted) {
        std::vector<std::uint32_t> depths(edges_.states());
        std::optional<StateNumber> nearest;
        const auto is_nearer = [&](StateNumber state) {
            const std::uint32_t depth = depth_of(state, depths);
            if (!nearest || depth != depths[*nearest]) return !nearest || depth < depths[*nearest];
            const Word* words = store_.state(state);
            const Word* others = store_.state(*nearest);
            return std::lexicographical_compare(words, words + store_.words(), others, others + store_.words());
        };
        for (StateNumber state = 0; state < edges_.states() && !this->tick(); ++state)
            if (edges_.begin(state) != edges_.end(state) && accepted(state) && is_nearer(state)) nearest = state;
        return nearest;
    }

    // From 1; 0: not known yet.
    std::uint32_t depth_of(StateNumber state, std::vector<std::uint32_t>& depths) const {
        std::vector<StateNumber> unknown;
        StateNumber at = state;
        for (; at != kNoNumber && depths[at] == 0; at = source_in(store_.info(at))) unknown.push_back(at);
        std::uint32_t depth = at == kNoNumber ? 0 : depths[at];
        for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) depths[*next] = ++depth;
        return depth;
    }

    const std::vector<std::uint64_t> signature_;
    const std::uint32_t automaton_states_;
    RecordedEdges edges_;
    KnownLevels levels_;
    ProductCut<W> cut_{store_, edges_, levels_};
    std::uint64_t looked_at_ = 0;  // how many states there were when a cycle was looked for
    bool look_is_due_ = false;
    bool is_whole_ = true;  // no step was left unfinished
    EmptinessResult result_;
};

// Calls `begin(search)` with a search that has not begun.
template <typename Begin>
std::unique_ptr<EmptinessSearch> parallel_emptiness_search(const Program& program, const std::vector<Word>& initial,
                                                           const PropertyAutomaton& automaton,
                                                           const AutomatonField& field, const EmptinessOptions& options,
                                                           Reducer* reducer, const Team& team, Begin&& begin) {
    check_emptiness_options(program, initial, automaton, field, options, reducer);
    if (reducer != nullptr && options.proviso == Proviso::kStack)
        throw std::invalid_argument("several workers have no stack");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<EmptinessSearch> {
        auto search =
            std::make_unique<ParallelEmptiness<W>>(program, initial, automaton, field, options, reducer, team);
        begin(*search);
        return search;
    });
}

}  // namespace

std::unique_ptr<EmptinessSearch> make_parallel_emptiness_search(
    const Program& program, const std::vector<Word>& initial, const PropertyAutomaton& automaton,
    const AutomatonField& field, const EmptinessOptions& options, Reducer* reducer, const Team& team) {
    return parallel_emptiness_search(program, initial, automaton, field, options, reducer, team,
                                     [&](auto& search) { search.begin(initial.data()); });
}

std::unique_ptr<EmptinessSearch> read_parallel_emptiness_search(const Program& program,
                                                                const std::vector<Word>& initial,
                                                                const PropertyAutomaton& automaton,
                                                                const AutomatonField& field,
                                                                const EmptinessOptions& options, Reducer* reducer,
                                                                const Team& team, std::istream& in) {
    return parallel_emptiness_search(program, initial, automaton, field, options, reducer, team,
                                     [&](auto& search) { search.read(in); });
}

}  // namespace mule::parallel
