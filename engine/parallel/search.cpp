#include "parallel/search.hpp"

#include <stdexcept>

#include "parallel/crew.hpp"
#include "parallel/worker.hpp"
#include "store/width.hpp"

namespace mule::parallel {

namespace {

// The coordinator: it runs in the thread of its caller, which is also the first worker's. Workers meet after each
// level, when the caller wants to hear of them, and when the table must grow.
template <unsigned W>
class ParallelSearch final : public Search {
  public:
    ParallelSearch(const Program& program, const SearchOptions& options, const Reducer* reducer, const Team& team)
        : options_(options),
          team_(team),
          keep_origins_(options.stop_at_deadlock || options.stop_at_failure || program.propositions != 0),
          portion_(Worker<W>::portion(program)),
          table_(program.words, team.capacity),
          crew_(team.workers) {
        for (unsigned part = 0; part < team.workers; ++part) {
            auto copy = reducer == nullptr ? nullptr : std::make_unique<Reducer>(*reducer);
            if (copy && part != 0) copy->share_memory_of(*workers_.front()->reducer());
            workers_.push_back(std::make_unique<Worker<W>>(program, options, std::move(copy), table_, ration_,
                                                           static_cast<std::uint16_t>(part), keep_origins_));
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
        const Judge& judge = workers_.front()->judge();
        return {.states = total_.stored - judge.transient() + judge.error_states(),
                .transitions = total_.transitions + judge.steps_to_error_states(),
                .depth = depth_,
                .open = total_.stored - total_.expanded,
                .bytes = table_.bytes() + besides()};
    }

    SearchResult take_result() override {
        if (candidate_ && !first().judge().found()) accept();  // it had to stop before the level was finished
        result_.progress = progress();
        static_cast<Judged&>(result_) = first().judge().take();
        result_.stopped = stopped();
        result_.fully_expanded = total_.fully_expanded;
        result_.expanded = total_.expanded;
        return std::move(result_);
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0} / 2;

    Worker<W>& first() { return *workers_.front(); }
    bool has_work() const { return !done() && !level_.empty(); }

    std::size_t besides() const {
        std::int64_t blocks = 0;
        std::size_t sum = 0;
        for (const auto& worker : workers_) {
            blocks += worker->shelf().blocks();
            sum += worker->bytes();
        }
        return sum + static_cast<std::size_t>(blocks) * workers_.front()->shelf().block_bytes();
    }

    void do_round(std::uint64_t states) {
        unsigned hands = is_worth_sharing(states) ? team_.workers : 1;
        if (hands > 1 && states_left() < hands * portion_) hands = 1;
        if (!make_room_for(hands)) return stop("memory");
        if (keep_origins_ && total_.stored > kMostNumbers - hands * portion_) return stop("states");
        level_.open(states, first().shelf().per_run());
        ration_.begin(total_.stored, std::min(table_.room(), most_stored()));
        if (hands > 1) {
            result_.workers = hands;
            crew_.run([&](unsigned member) { workers_[member]->work(level_, kAll, false); });
        } else if (states_left() >= portion_) {
            first().work(level_, states, true);
        } else {
            ration_.begin(total_.stored, table_.room());
            first().work_carefully(level_, states, states_left());
        }
        const bool shared = candidate_ || hands > 1;
        meet(hands);
        if (first().refused()) stop("states");
        if (candidate_ && !shared && !done()) {
            accept();
            finish();
        }
    }

    bool is_worth_sharing(std::uint64_t states) const {
        return team_.workers > 1 && total_.stored >= team_.alone_until &&
               std::min(states, level_.states()) >= team_.worth_sharing;
    }

    // How many states may still be stored, and how many there may be then; transient ones are not limited.
    std::uint64_t states_left() const {
        const std::uint64_t states = total_.stored - workers_.front()->judge().transient();
        return options_.max_states > states ? options_.max_states - states : 0;
    }
    std::uint64_t most_stored() const {
        const std::uint64_t left = states_left();
        return left > ~std::uint64_t{0} - total_.stored ? ~std::uint64_t{0} : total_.stored + left;
    }

    // For a portion each.
    bool make_room_for(unsigned hands) {
        const std::uint64_t wanted = total_.stored + hands * portion_;
        if (table_.room() >= wanted) return true;
        const std::uint64_t capacity = table_.capacity_for(wanted);
        if (table_.bytes() + table_.bytes_for(capacity) + besides() > options_.max_bytes) return false;
        table_.begin_growth(capacity);
        if (total_.stored < team_.worth_sharing || team_.workers == 1) {
            table_.move_part(0, 1);
        } else {
            crew_.run([&](unsigned member) { table_.move_part(member, team_.workers); });
        }
        table_.end_growth();
        return true;
    }

    // All that the first `hands` workers have done is known to the coordinator, and what they have begun can be gone on
    // with by any of them.
    void meet(unsigned hands) {
        level_.close();
        for (unsigned member = 0; member < hands; ++member) {
            Worker<W>& worker = *workers_[member];
            const Counts counts = worker.take_counts();
            total_.stored += counts.stored;
            total_.expanded += counts.expanded;
            total_.transitions += counts.transitions;
            total_.fully_expanded += counts.fully_expanded;
            level_.are_expanded(counts.expanded);
            if (worker.unfinished().left() != 0) level_.put_back(std::move(worker.unfinished()));
            worker.unfinished() = {};
            if (member != 0) worker.judge().hand_over_to(first().judge());
            keep_better(candidate_, std::move(worker.candidate()));
        }
        if (level_.empty()) go_down();
    }

    void go_down() {
        if (candidate_) {
            accept();
            return finish();
        }
        level_.clear();
        for (const auto& worker : workers_) level_.add(worker->found_runs());
        if (!level_.empty() && total_.expanded != 0) ++depth_;
    }

    void accept() {
        first().judge().set_finding(candidate_->finding);
        result_.path = path_to(candidate_->part, candidate_->number);
        if (candidate_->failing) result_.path.push_back(*candidate_->failing);
    }

    // Each worker knows the origins of the states that it has stored.
    std::vector<Step> path_to(std::uint16_t part, StateNumber number) const {
        std::vector<PathEnd> pieces{workers_[part]->origins().path_to(number, part)};
        while (!pieces.back().from_initial_state) {
            const PathEnd& last = pieces.back();
            pieces.push_back(workers_[last.part]->origins().path_to(last.number, last.part));
        }
        std::vector<Step> path;
        for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
            path.insert(path.end(), piece->steps.begin(), piece->steps.end());
        return path;
    }

    const SearchOptions& options_;
    Team team_;
    bool keep_origins_;
    std::uint64_t portion_;
    SharedTable<W> table_;
    Ration ration_;
    Level<Run> level_;
    std::vector<std::unique_ptr<Worker<W>>> workers_;
    std::uint64_t depth_ = 0;
    Counts total_;
    std::optional<Candidate> candidate_;  // the best one of this level
    SearchResult result_;
    Crew crew_;  // the last member: its threads end before what they work on
};

}  // namespace

std::unique_ptr<Search> make_parallel_search(const Program& program, const std::vector<Word>& initial,
                                             const SearchOptions& options, const Reducer* reducer, const Team& team) {
    if (options.order != Order::kBreadthFirst || needs_stack(options.proviso) || options.keeping != Keeping::kExact ||
        options.sample != 0)
        throw std::invalid_argument("several workers keep all states, breadth first, without a stack or samples");
    if (team.workers == 0 || team.workers > Team::kMostWorkers)
        throw std::invalid_argument("no such number of workers");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<Search> {
        auto search = std::make_unique<ParallelSearch<W>>(program, options, reducer, team);
        search->begin(initial.data());
        return search;
    });
}

}  // namespace mule::parallel
