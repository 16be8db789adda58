#include "graph/construction.hpp"

#include "reduction/reducer.hpp"
#include "require.hpp"
#include "search/expander.hpp"
#include "search/numbered_walk.hpp"
#include "store/width.hpp"

namespace mule::graph {

namespace {

SearchOptions expansion_options(const GraphOptions& options) {
    SearchOptions result;
    result.proviso = Proviso::kStack;  // what a reduced set leaves out is kept: it may have to be given up
    result.failing_guards_are_transitions = true;
    static_cast<Limits&>(result) = options.limits;
    return result;
}

template <unsigned W>
class Construction final : public NumberedWalk<GraphConstruction, Construction<W>, W> {
    using Walk = NumberedWalk<GraphConstruction, Construction<W>, W>;
    using typename Walk::Frame;
    using Walk::states_, Walk::transitions_, Walk::transient_;
    friend Walk;
    friend typename Walk::Loop;

  public:
    Construction(const Program& program, const GraphOptions& options, Reducer* reducer)
        : Walk(program.words),
          program_(program),
          options_(options),
          reducer_(reducer),
          search_options_(expansion_options(options)),
          judge_(program, search_options_),
          expander_(program, search_options_, reducer, judge_) {}

    GraphResult take_result() override {
        result_.progress = this->progress();
        result_.stopped = this->stopped();
        const Judged judged = judge_.take();
        result_.deadlocks = judged.deadlocks;
        result_.failures = judged.failures;
        result_.assertions = judged.assertions;
        result_.fired = judged.fired;
        if (result_.stopped.empty()) {
            // States get the numbers under which they were expanded, which is how their edges lie.
            for (std::uint32_t& target : graph_.targets) target = static_cast<std::uint32_t>(states_.info(target));
            result_.graph = std::move(graph_);
        }
        return std::move(result_);
    }

  private:
    // The lower half of what is known about a state is the number under which it was expanded.
    static constexpr Word kExpanded = Word{1} << 32;

    void left(const Frame&) {}
    std::size_t room(const Word*) const { return (std::size_t{program_.max_successors} + 1) * expander_.stride(); }

    // Successors are stored when a state is expanded, since its edges need their numbers; they are expanded in turn.
    void visit(std::size_t entry) {
        const std::uint64_t cell = states_.find(this->state_at(entry), this->hash_at(entry));
        if (!is_expanded(states_.number(cell))) this->push(entry, cell);
    }

    bool is_expanded(StateNumber number) const { return (states_.info(number) & kExpanded) != 0; }

    std::uint32_t expand(const Frame& frame, const Word* state, std::uint64_t hash, Word* out) {
        const StateNumber number = this->number_of(frame);
        states_.info(number) |= kExpanded | graph_.letters.size();
        const bool transient = program_.is_transient(state);
        transient_ += transient;
        graph_.letters.push_back(transient ? Graph::kTransient : letter(state));
        auto expansion = expander_.expand(state, hash, out);
        judge_.expanded(state, expansion);
        if (expansion.reduced()) {
            if (settle(state, out, expansion))
                ++result_.reduced;
            else
                expansion.chosen = expansion.count;
        }
        if (!expansion.reduced()) this->ignores_nothing();
        // A finite run goes on by stuttering; one that ends in an error, or inside a step, is no run.
        if (expansion.stuck && !transient) add_edge(number, kStutter, 0);
        const std::uint32_t kept =
            this->keep_if(out, expansion.chosen, [&](const Word* entry) { return !this->done() && add(entry); });
        graph_.offsets.push_back(graph_.targets.size());
        return kept;
    }

    std::uint32_t letter(const Word* state) const {
        std::uint32_t letter = 0;
        for (std::uint32_t p = 0; p < program_.propositions; ++p)
            letter |= static_cast<std::uint32_t>(program_.proposition(state, p)) << p;
        return letter;
    }

    // A reduced set that will do, the one at hand or another; false: there is none.
    bool settle(const Word* state, Word* out, Expander::Expansion& expansion) {
        do {
            if (will_do(out, expansion)) return true;
        } while (expander_.reduce_otherwise(state, out, expansion));
        if (!options_.single) return false;
        enabled_.assign(expander_.enabled().begin(), expander_.enabled().end());
        for (const TransitionId transition : enabled_) {
            reducer_->close(state, enabled_, {&transition, 1}, set_);
            if (set_.enabled.size() != 1) continue;
            expander_.reduce_to(transition, out, expansion);
            if (will_do(out, expansion)) return true;
        }
        return false;
    }

    bool will_do(Word* out, const Expander::Expansion& expansion) {
        if (options_.single && expansion.chosen != 1) return false;
        const auto is_key = [](std::uint32_t) { return true; };
        return allows(options_.proviso, expansion.chosen, is_key, [&](std::uint32_t i) {
            const Word* entry = this->at(out, i);
            return this->standing_of(words_of(entry), header_of(entry).hash);
        });
    }

    // An edge to the state of an entry; true where that is still to be expanded.
    bool add(const Word* entry) {
        const SuccessorHeader& header = header_of(entry);
        const auto besides_store = [&] { return besides(); };
        if (const char* reason = options_.limits.refusal(states_, {&program_, transient_}, words_of(entry), header.hash,
                                                         besides_store)) {
            this->stop(reason);
            return false;
        }
        const StateNumber target = states_.insert(words_of(entry), header.hash).number;
        add_edge(target, options_.origins[header.transition], header.outcome);
        transitions_ += program_.is_transient(words_of(entry)) ? 0 : 1;
        return !is_expanded(target);
    }

    void add_edge(StateNumber target, TransitionId transition, std::uint16_t outcome) {
        graph_.targets.push_back(target);
        graph_.transitions.push_back(transition);
        graph_.outcomes.push_back(outcome);
    }

    std::size_t besides() const {
        return this->stack_bytes() + (reducer_ == nullptr ? 0 : reducer_->bytes()) +
               graph_.targets.capacity() * (2 * sizeof(std::uint32_t) + sizeof(std::uint16_t)) +
               graph_.offsets.capacity() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
    }

    const Program& program_;
    const GraphOptions& options_;
    Reducer* reducer_;
    SearchOptions search_options_;
    Judge judge_;
    Expander expander_;
    std::vector<TransitionId> enabled_;
    StubbornSet set_;
    Graph graph_;
    GraphResult result_;
};

}  // namespace

std::unique_ptr<GraphConstruction> make_graph_construction(const Program& program, const std::vector<Word>& initial,
                                                           const GraphOptions& options, Reducer* reducer) {
    require(initial.size() == program.words, "the initial state has the wrong length");
    require(program.propositions <= Graph::kMostPropositions, "too many propositions for a graph");
    require(options.origins.size() == program.transitions, "origins: one a transition");
    require(options.proviso == Proviso::kStack || options.proviso == Proviso::kStatic,
            "graphs are built under the provisos stack and static");
    require(reducer == nullptr || !reducer->options().weak, "temporal properties need strong stubborn sets");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<GraphConstruction> {
        auto construction = std::make_unique<Construction<W>>(program, options, reducer);
        construction->begin(initial.data());
        return construction;
    });
}

}  // namespace mule::graph
