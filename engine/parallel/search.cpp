#include "parallel/search.hpp"

#include "parallel/coordinator.hpp"
#include "parallel/numbering.hpp"
#include "parallel/with_disk.hpp"
#include "parallel/worker.hpp"
#include "search/cut_search.hpp"
#include "search/frontier.hpp"
#include "search/outbox.hpp"
#include "store/width.hpp"

namespace mule::parallel {

namespace {

// Several workers cannot go on with what a file holds, and one can.
struct OnlyForOne {};

template <unsigned W>
class ParallelSearch final : public Coordinator<CutSearch<Search>, Worker<W>, SharedTable<W>> {
    using Base = Coordinator<CutSearch<Search>, Worker<W>, SharedTable<W>>;
    using Base::depth_;
    using Base::done;
    using Base::first;
    using Base::judge_;
    using Base::keep_origins_;
    using Base::level_;
    using Base::result_;
    using Base::store_;
    using Base::total_;
    using Base::workers_;
    using typename Base::CutHeader;

  public:
    ParallelSearch(const Program& program, const SearchOptions& options, Reducer* reducer, const Team& team)
        : Base(team, options, program.words, program, options, reducer) {
        for (unsigned part = 0; part < team.workers; ++part) {
            Reducer* own = this->reducer_of(part, reducer);
            if (own != nullptr) own->keep_below(this->most_beside(), team.workers);
            workers_.push_back(std::make_unique<Worker<W>>(program, options, own, store_, this->ration_,
                                                           static_cast<std::uint16_t>(part), keep_origins_));
        }
    }

    Progress progress() const override {
        return this->progress_with(total_.stored, depth_, this->open_states(), bytes());
    }

    bool can_be_written() const override { return this->could_go_on() && !candidate_; }

    SearchResult take_result() override {
        if (candidate_ && !judge_.found()) accept();  // it had to stop before the level was finished
        result_.expanded = total_.expanded;
        result_.workers = this->most_hands();
        return Base::take_result();
    }

  private:
    std::uint64_t transient() const override { return judge_.transient(); }
    std::size_t bytes() const override {
        std::int64_t blocks = 0;
        std::size_t sum = store_.bytes() + judge_.bytes();
        for (const auto& worker : workers_) {
            blocks += worker->shelf().blocks();
            sum += worker->bytes();
        }
        return sum + static_cast<std::size_t>(blocks) * workers_.front()->shelf().block_bytes();
    }
    bool has_numbers_for(unsigned hands) const override {
        return !keep_origins_ || total_.stored <= kMostNumbers - hands * workers_.front()->portion();
    }
    std::uint32_t states_per_run() override { return first().shelf().per_run(); }

    // What a worker finds alone, with nothing found in this level before, is the first violation that there is. Of
    // several that are found by several, the best is known when the level is finished.
    void hear(Worker<W>& worker, const Counts& counts, bool alone) override {
        this->transitions_ += counts.transitions;
        result_.fully_expanded += counts.fully_expanded;
        worker.judge().hand_over_to(judge_);
        const bool is_first = alone && !candidate_ && worker.candidate();
        keep_better(candidate_, std::move(worker.candidate()));
        if (is_first) accept_at_once();
    }

    void begin_level() override {
        if (candidate_) return accept_at_once();
        for (const auto& worker : workers_) level_.add(worker->shelf().runs());
        if (!level_.empty() && total_.expanded != 0) ++depth_;
    }

    void met() override {
        if (first().has_enough()) this->stop_between_batches(kTooManyStates);
    }

    void give_up(const char* reason) override {
        if (first().refused())
            this->stop(reason);
        else
            this->stop_between_batches(reason);
    }

    void accept_at_once() {
        accept();
        this->finish();
    }

    void accept() {
        judge_.set_finding(candidate_->finding);
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

    // The file holds what one worker would have written: the states that wait are in one order, and all states have
    // numbers of one worker.
    CutHeader header() const override { return {0, 1, 0, total_.expanded}; }
    void write_states(Writer& writer) const override { store_.write(writer, total_.stored); }
    void write_origins(Writer& writer) const override {
        writer.value(keep_origins_ ? total_.stored : std::uint64_t{0});
        if (!keep_origins_) return;
        const Numbering numbering = numbering_now();
        const auto renumbered = [&](Origin origin) {
            if (origin.source != kNoNumber) origin.source = numbering.of(origin.part, origin.source);
            origin.part = 0;
            return origin;
        };
        numbering.for_each([&](std::uint16_t part, StateNumber begin, StateNumber end) {
            workers_[part]->origins().write_some(writer, begin, end, renumbered);
        });
    }
    void write_outbox(Writer& writer) const override { Outbox(this->program_.words, {}).write(writer); }
    void write_frontier(Writer& writer) const override {
        const std::uint64_t expanded = total_.expanded;
        writer.value(QueueHeader{this->open_states(), expanded, expanded + level_.states(), depth_});
        const std::size_t words = store_.words();
        for_each_waiting([&](const Run& run) {
            writer.bytes(run.states.get() + run.begin * words, run.left() * words * sizeof(Word));
        });
    }

    // In the order in which they will be taken.
    template <typename Visit>
    void for_each_waiting(Visit&& visit) const {
        level_.for_each_left(visit);
        for (const auto& worker : workers_)
            for (const Run& run : worker->shelf().runs()) visit(run);
    }

    Numbering numbering_now() const {
        std::vector<StateNumber> stored;
        for (const auto& worker : workers_) stored.push_back(worker->shelf().numbers());
        Numbering numbering(std::move(stored));
        for_each_waiting(
            [&](const Run& run) { numbering.add_waiting(run.part, run.first + run.begin, run.first + run.end); });
        numbering.finish();
        return numbering;
    }

    // All that was stored before is the first worker's.
    void begin_with(const CutHeader& header) override {
        require_whole(header.parts == 1);
        if (header.on_disk != 0) throw OnlyForOne();
        total_.expanded = header.expanded;
    }
    void read_states(Reader& reader) override {
        const std::optional<std::uint64_t> size = store_.read(reader, this->options_.max_bytes);
        if (!size) throw OnlyForOne();
        total_.stored = *size;
    }
    void read_origins(Reader& reader) override { first().origins().read(reader); }
    void read_outbox(Reader& reader) override { Outbox(this->program_.words, {}).read(reader); }
    void read_frontier(Reader& reader) override {
        QueueHeader queue{};
        reader.value(queue);
        require_whole(queue.popped == total_.expanded && queue.size == this->open_states() &&
                      queue.level_end > queue.popped && queue.level_end - queue.popped <= queue.size);
        depth_ = queue.depth;
        Shelf& shelf = first().shelf();
        shelf.number_from(static_cast<StateNumber>(queue.popped));
        take_waiting(reader, queue.level_end - queue.popped);
        level_.add(shelf.runs());
        take_waiting(reader, queue.popped + queue.size - queue.level_end);
    }
    void take_waiting(Reader& reader, std::uint64_t states) {
        std::vector<Word> state(store_.words());
        for (; states != 0; --states) {
            reader.bytes(state.data(), state.size() * sizeof(Word));
            first().shelf().push(state.data());
        }
    }

    std::optional<Candidate> candidate_;  // the best one of this level
};

// Calls `begin(search)` with a search that has not begun.
template <typename Begin>
std::unique_ptr<Search> parallel_search(const Program& program, const SearchOptions& options, Reducer* reducer,
                                        const Team& team, Begin&& begin) {
    if (options.order != Order::kBreadthFirst || needs_stack(options.proviso) || options.keeping != Keeping::kExact ||
        options.sample != 0)
        throw std::invalid_argument("several workers keep all states, breadth first, without a stack or samples");
    auto several = for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<Search> {
        auto search = std::make_unique<ParallelSearch<W>>(program, options, reducer, team);
        begin(*search);
        return search;
    });
    if (options.spill.empty()) return several;
    return std::make_unique<WithDisk>(program, options, reducer, std::move(several));
}

}  // namespace

std::unique_ptr<Search> make_parallel_search(const Program& program, const std::vector<Word>& initial,
                                             const SearchOptions& options, Reducer* reducer, const Team& team) {
    return parallel_search(program, options, reducer, team, [&](auto& search) { search.begin(initial.data()); });
}

std::unique_ptr<Search> read_parallel_search(const Program& program, const SearchOptions& options, Reducer* reducer,
                                             const Team& team, std::istream& in) {
    try {
        return parallel_search(program, options, reducer, team, [&](auto& search) { search.read(in); });
    } catch (const OnlyForOne&) {
        in.seekg(0);
        return search::read_search(program, options, reducer, in);
    }
}

}  // namespace mule::parallel
