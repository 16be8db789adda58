#include "graph/construction.hpp"

#include <stdexcept>

#include "ltl/state_store.hpp"
#include "reduction/reducer.hpp"
#include "search/successors.hpp"

namespace mule {

namespace {

SearchOptions expansion_options(const SearchOptions& limits) {
    SearchOptions options = limits;
    options.proviso = Proviso::kStack;  // what a reduced set leaves out is kept: it may have to be given up
    options.failing_guards_are_transitions = true;
    return options;
}

template <unsigned W>
class Construction {
  public:
    Construction(const Program& program, const GraphOptions& options, Reducer* reducer, const Watch::Callback& callback)
        : program_(program),
          options_(options),
          reducer_(reducer),
          search_options_(expansion_options(options.limits)),
          expander_(program, search_options_, reducer),
          watch_(options.limits, callback),
          store_(program.words),
          entries_((std::size_t{program.max_successors} + 1) * expander_.stride()) {}

    GraphResult run(const Word* initial) {
        store_.insert(initial, hash_words(initial, store_.words()));
        push(0);
        while (!stack_.empty() && !done_) {
            Frame& frame = stack_.back();
            if (frame.next == frame.end) {
                store_.info(frame.number) &= ~kOnStack;
                stack_.pop_back();
                continue;
            }
            const StateNumber target = graph_.targets[frame.next++];
            if ((store_.info(target) & kExpanded) == 0) push(target);
            if (++steps_ % 4096 == 0) poll();
        }
        poll();
        result_.fired = expander_.take_fired();
        if (result_.stopped.empty()) {
            // States get the numbers under which they were expanded, which is how their edges lie.
            for (std::uint32_t& target : graph_.targets) target = static_cast<std::uint32_t>(store_.info(target));
            result_.graph = std::move(graph_);
        }
        return std::move(result_);
    }

  private:
    // The lower half of what is known about a state is the number under which it was expanded.
    static constexpr Word kExpanded = Word{1} << 32;
    static constexpr Word kOnStack = Word{1} << 33;

    struct Frame {
        StateNumber number;
        std::uint64_t next;  // of its edges
        std::uint64_t end;
    };

    const Word* entry(std::uint32_t i) const { return entries_.data() + std::size_t{i} * expander_.stride(); }

    void push(StateNumber number) {
        const Word* state = store_.state(number);
        store_.info(number) = kExpanded | kOnStack | graph_.letters.size();
        const bool transient = program_.is_transient(state);
        transient_ += transient;
        graph_.letters.push_back(transient ? Graph::kTransient : letter(state));
        const std::uint64_t first = graph_.targets.size();
        auto expansion = expander_.expand(state, hash_words(state, store_.words()), entries_.data());
        result_.deadlocks += expansion.dead;
        result_.failures += expansion.failures;
        result_.assertions += expansion.assertions;
        if (expansion.chosen < expansion.count) {
            if (settle(state, expansion))
                ++result_.reduced;
            else
                expansion.chosen = expansion.count;
        }
        for (std::uint32_t i = 0; i < expansion.chosen && !done_; ++i) add(entry(i));
        // A finite run goes on by stuttering; one that ends in an error, or inside a step, is no run.
        if (expansion.count == 0 && !expansion.fails() && !transient) add_edge(number, kStutter, 0);
        graph_.offsets.push_back(graph_.targets.size());
        stack_.push_back({number, first, graph_.targets.size()});
        result_.progress.depth = std::max<std::uint64_t>(result_.progress.depth, stack_.size() - 1);
    }

    std::uint32_t letter(const Word* state) const {
        std::uint32_t letter = 0;
        for (std::uint32_t p = 0; p < program_.propositions; ++p)
            letter |= static_cast<std::uint32_t>(program_.proposition(state, p)) << p;
        return letter;
    }

    // A reduced set that will do, the one at hand or another; false: there is none.
    bool settle(const Word* state, Expander::Expansion& expansion) {
        do {
            if (will_do(expansion)) return true;
        } while (expander_.reduce_otherwise(state, entries_.data(), expansion));
        if (!options_.single) return false;
        enabled_.assign(expander_.enabled().begin(), expander_.enabled().end());
        for (const TransitionId transition : enabled_) {
            reducer_->close(state, enabled_, {&transition, 1}, set_);
            if (set_.enabled.size() != 1) continue;
            expander_.reduce_to(transition, entries_.data(), expansion);
            if (will_do(expansion)) return true;
        }
        return false;
    }

    bool will_do(const Expander::Expansion& expansion) const {
        if (options_.single && expansion.chosen != 1) return false;
        for (std::uint32_t i = 0; i < expansion.chosen && options_.stack_proviso; ++i) {
            const StateNumber known = store_.find(words_of(entry(i)), header_of(entry(i)).hash);
            if (known != StateStore<W>::kAbsent && (store_.info(known) & kOnStack) != 0) return false;
        }
        return true;
    }

    void add(const Word* entry) {
        const SuccessorHeader& header = header_of(entry);
        if (store_.about_to_grow() && store_.bytes_after_growth() + graph_bytes() > options_.limits.max_bytes)
            return stop("memory");
        const std::uint64_t most = std::min(options_.limits.max_states, StateStore<W>::kMostStates);
        if (store_.size() >= most && store_.find(words_of(entry), header.hash) == StateStore<W>::kAbsent)
            return stop("states");
        const StateNumber target = store_.insert(words_of(entry), header.hash).number;
        const TransitionId origin = options_.origins[header.transition];
        add_edge(target, origin, header.outcome);
        result_.progress.transitions += program_.is_transient(words_of(entry)) ? 0 : 1;
    }

    void add_edge(StateNumber target, TransitionId transition, std::uint16_t outcome) {
        graph_.targets.push_back(target);
        graph_.transitions.push_back(transition);
        graph_.outcomes.push_back(outcome);
    }

    void stop(const char* reason) {
        result_.stopped = reason;
        done_ = true;
    }

    std::size_t graph_bytes() const {
        return graph_.targets.capacity() * (2 * sizeof(std::uint32_t) + sizeof(std::uint16_t)) +
               graph_.offsets.capacity() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
    }

    void poll() {
        result_.progress.states = store_.size() - transient_;
        result_.progress.open = stack_.size();
        result_.progress.bytes = store_.bytes() + graph_bytes() + stack_.capacity() * sizeof(Frame);
        if (done_ || stack_.empty())
            result_.progress.seconds = watch_.seconds();
        else
            done_ = watch_.over(result_.progress, result_.stopped);
    }

    const Program& program_;
    const GraphOptions& options_;
    Reducer* reducer_;
    SearchOptions search_options_;
    Expander expander_;
    Watch watch_;
    StateStore<W> store_;
    std::vector<Word> entries_;
    std::vector<Frame> stack_;
    std::vector<TransitionId> enabled_;
    StubbornSet set_;
    Graph graph_;
    std::uint64_t steps_ = 0;
    std::uint64_t transient_ = 0;  // how many of the stored states are known to be
    bool done_ = false;
    GraphResult result_;
};

void require(bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(problem);
}

}  // namespace

GraphResult construct_graph(const Program& program, const std::vector<Word>& initial, const GraphOptions& options,
                            Reducer* reducer, const Watch::Callback& callback) {
    require(initial.size() == program.words, "the initial state has the wrong length");
    require(program.propositions <= Graph::kMostPropositions, "too many propositions for a graph");
    require(options.origins.size() == program.transitions, "origins: one a transition");
    require(reducer == nullptr || !reducer->options().weak, "temporal properties need strong stubborn sets");
    switch (program.words) {
        case 1:
            return Construction<1>(program, options, reducer, callback).run(initial.data());
        case 2:
            return Construction<2>(program, options, reducer, callback).run(initial.data());
        case 3:
            return Construction<3>(program, options, reducer, callback).run(initial.data());
        case 4:
            return Construction<4>(program, options, reducer, callback).run(initial.data());
        default:
            return Construction<0>(program, options, reducer, callback).run(initial.data());
    }
}

}  // namespace mule
