#include "parallel/search.hpp"

#include <algorithm>
#include <string_view>

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

// All states, or those of one share: then `outbox` and `receive` are how it is one of several.
template <unsigned W>
class ParallelSearch final : public Coordinator<CutSearch<Exploration>, Worker<W>, SharedTable<W>> {
    using Base = Coordinator<CutSearch<Exploration>, Worker<W>, SharedTable<W>>;
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
    // `share`: none where nobody else searches.
    ParallelSearch(const Program& program, const SearchOptions& options, Reducer* reducer, const Team& team,
                   std::optional<Share> share)
        : Base(team, options, program.words, program, options, reducer),
          is_shared_(share.has_value()),
          share_(share.value_or(Share{})),
          aside_(program.words, share_),
          inbox_(aside_.entry_words()) {
        for (unsigned member = 0; member < team.workers; ++member) {
            Reducer* own = this->reducer_of(member, reducer);
            if (own != nullptr) own->keep_below(this->most_beside(), team.workers);
            const auto part = static_cast<std::uint16_t>(team.first + member);
            workers_.push_back(std::make_unique<Worker<W>>(program, options, own, store_, this->ration_, inbox_, share_,
                                                           part, keep_origins_));
        }
    }

    void begin(const Word* initial) {
        if (share_.owns(hash_words(initial, store_.words()))) Base::begin(initial);
    }

    bool has_work() const override { return !done() && !this->is_full_ && !(level_.empty() && inbox_.empty()); }
    bool ended() const override { return done(); }
    std::vector<Word> error_states() const override { return judge_.error_state_words(); }

    std::vector<Word> outbox(std::uint16_t owner) override {
        std::vector<Word> all = aside_.take(owner);
        for (const auto& worker : workers_) {
            const std::vector<Word> some = worker->outbox().take(owner);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }

    // The workers store it in the next step, where there is room.
    void receive(std::span<const Word> batch) override {
        if (batch.size() % aside_.entry_words() != 0)
            throw std::invalid_argument("not a batch of states of this model");
        if (done()) return;
        if (this->is_full_)
            set_aside(batch);
        else
            inbox_.add(batch);
    }

    // As far as it lies in this share: each worker knows the origins of the states that it has stored.
    PathEnd path_to(std::uint16_t part, StateNumber number) const override {
        std::vector<PathEnd> pieces{origins_of(part).path_to(number, part)};
        while (!pieces.back().from_initial_state && is_here(pieces.back().part)) {
            const PathEnd& last = pieces.back();
            pieces.push_back(origins_of(last.part).path_to(last.number, last.part));
        }
        PathEnd path = std::move(pieces.back());
        for (auto piece = pieces.rbegin() + 1; piece != pieces.rend(); ++piece)
            path.steps.insert(path.steps.end(), piece->steps.begin(), piece->steps.end());
        return path;
    }
    PathEnd found_path() const override { return found_path_; }

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
        std::size_t sum = store_.bytes() + judge_.bytes() + aside_.bytes() + inbox_.bytes();
        for (const auto& worker : workers_) {
            blocks += worker->shelf().blocks();
            sum += worker->bytes();
        }
        return sum + static_cast<std::size_t>(blocks) * workers_.front()->shelf().block_bytes();
    }
    bool has_numbers_for(unsigned hands) const override {
        const auto has_some = [](const auto& worker) { return worker->shelf().numbers() < kMostNumbers / 2; };
        if (is_shared_) return !keep_origins_ || std::all_of(workers_.begin(), workers_.end(), has_some);
        return !keep_origins_ || total_.stored <= kMostNumbers - hands * workers_.front()->portion();
    }
    std::uint32_t states_per_run() override { return first().shelf().per_run(); }

    // What a worker finds alone, with nothing found in this level before, is the first violation that there is. Of
    // several that are found by several, the best is known when the level is finished. Where others search, too, no
    // path is a shortest one: nothing is waited for, and no cut has to hold what was found.
    void hear(Worker<W>& worker, const Counts& counts, bool alone) override {
        this->transitions_ += counts.transitions;
        result_.fully_expanded += counts.fully_expanded;
        worker.judge().hand_over_to(judge_);
        const bool is_first = alone && !candidate_ && worker.candidate();
        keep_better(candidate_, std::move(worker.candidate()));
        if (is_first || (is_shared_ && candidate_)) accept_at_once();
    }

    void begin_level() override {
        if (candidate_) return accept_at_once();
        for (const auto& worker : workers_) level_.add(worker->shelf().runs());
        if (!level_.empty() && total_.expanded != 0) ++depth_;
    }

    std::uint64_t received() const override { return inbox_.entries(); }

    void met() override {
        if (first().has_enough()) this->stop_between_batches(kTooManyStates);
    }

    void give_up(const char* reason) override {
        if (this->options_.sets_aside && std::string_view(reason) == "memory") {
            this->is_full_ = true;
            set_aside(inbox_.left());
            inbox_.clear();
        } else if (first().refused()) {
            this->stop(reason);
        } else {
            this->stop_between_batches(reason);
        }
    }

    void set_aside(std::span<const Word> batch) {
        aside_.for_each_in(batch, [&](const Word* entry, const Origin& origin, Word) {
            const std::uint64_t hash = header_of(entry).hash;
            if (!store_.contains(words_of(entry), hash)) aside_.set_aside(words_of(entry), hash, origin);
        });
    }

    void accept_at_once() {
        accept();
        this->finish();
    }

    void accept() {
        judge_.set_finding(candidate_->finding);
        found_path_ = path_to(candidate_->part, candidate_->number);
        if (candidate_->failing) found_path_.steps.push_back(*candidate_->failing);
        result_.path = found_path_.steps;
    }

    bool is_here(std::uint16_t part) const {
        return part >= this->team_.first && part < this->team_.first + workers_.size();
    }
    const Origins& origins_of(std::uint16_t part) const { return workers_.at(part - this->team_.first)->origins(); }

    // The file of a whole search holds what one worker would have written: the states that wait are in one order, and
    // all states have numbers of one worker. In that of a share they keep their numbers, which others may know: the
    // origins are those of one worker after the other, and the states that wait lie in runs.
    std::uint64_t kind() const override { return is_shared_ ? kKindOfShare : Base::kind(); }
    CutHeader header() const override { return {share_.part, share_.parts, 0, total_.expanded}; }
    void write_states(Writer& writer) const override { store_.write(writer, total_.stored); }
    void write_origins(Writer& writer) const override {
        if (is_shared_) return write_origins_of_all(writer);
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
    void write_origins_of_all(Writer& writer) const {
        writer.value(CrewHeader{this->team_.first, workers_.size()});
        for (const auto& worker : workers_) {
            writer.value(std::uint64_t{worker->shelf().numbers()});
            worker->origins().write(writer);
        }
    }
    // With what was received and is not stored: who reads the file receives its own box first.
    void write_outbox(Writer& writer) const override {
        for (std::uint16_t owner = 0; owner < share_.parts; ++owner) {
            std::vector<Word> all = aside_.waiting_for(owner);
            const auto add = [&](std::span<const Word> some) { all.insert(all.end(), some.begin(), some.end()); };
            for (const auto& worker : workers_) add(worker->outbox().waiting_for(owner));
            if (owner == share_.part) add(inbox_.left());
            writer.values(all);
        }
    }
    void write_frontier(Writer& writer) const override {
        if (is_shared_) return write_runs(writer);
        const std::uint64_t expanded = total_.expanded;
        writer.value(QueueHeader{this->open_states(), expanded, expanded + level_.states(), depth_});
        const std::size_t words = store_.words();
        for_each_waiting([&](const Run& run) {
            writer.bytes(run.states.get() + run.begin * words, run.left() * words * sizeof(Word));
        });
    }

    void write_runs(Writer& writer) const {
        std::uint64_t runs = 0;
        for_each_waiting([&](const Run&) { ++runs; });
        writer.value(RunsHeader{depth_, runs, level_.states()});
        for_each_waiting([&](const Run& run) {
            const std::size_t words = store_.words();
            writer.value(RunHeader{run.first + run.begin, run.left(), run.part});
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
        require_whole(header.parts == share_.parts && header.part == share_.part);
        if (header.on_disk != 0) throw OnlyForOne();
        total_.expanded = header.expanded;
    }
    void read_states(Reader& reader) override {
        const std::size_t most = is_shared_ ? ~std::size_t{0} : this->options_.max_bytes;
        const std::optional<std::uint64_t> size = store_.read(reader, most);
        if (!size) throw OnlyForOne();
        total_.stored = *size;
    }
    void read_origins(Reader& reader) override {
        if (!is_shared_) return first().origins().read(reader);
        CrewHeader crew{};
        reader.value(crew);
        require_whole(crew.first == this->team_.first && crew.workers == workers_.size());
        for (const auto& worker : workers_) {
            std::uint64_t numbers = 0;
            reader.value(numbers);
            worker->shelf().number_from(static_cast<StateNumber>(numbers));
            worker->origins().read(reader);
        }
    }
    void read_outbox(Reader& reader) override { aside_.read(reader); }
    void read_frontier(Reader& reader) override {
        if (is_shared_) return read_runs(reader);
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
    void read_runs(Reader& reader) {
        RunsHeader header{};
        reader.value(header);
        depth_ = header.depth;
        std::uint64_t waiting = 0;
        for (; header.runs != 0; --header.runs) {
            RunHeader run{};
            reader.value(run);
            require_whole(is_here(static_cast<std::uint16_t>(run.part)) && run.states != 0 &&
                          run.states <= first().shelf().per_run());
            Word* states = first().shelf().begin_run_of(static_cast<std::uint16_t>(run.part), run.number, run.states);
            reader.bytes(states, std::size_t{run.states} * store_.words() * sizeof(Word));
            waiting += run.states;
            if (waiting == header.level) level_.add(first().shelf().runs());
        }
        require_whole(waiting == this->open_states() && level_.states() == header.level &&
                      (waiting == 0 || header.level != 0));
    }
    void take_waiting(Reader& reader, std::uint64_t states) {
        std::vector<Word> state(store_.words());
        for (; states != 0; --states) {
            reader.bytes(state.data(), state.size() * sizeof(Word));
            first().shelf().push(state.data());
        }
    }

    static constexpr std::uint64_t kKindOfShare = 6;

    struct CrewHeader {
        std::uint64_t first;
        std::uint64_t workers;
    };
    struct RunsHeader {
        std::uint64_t depth;
        std::uint64_t runs;
        std::uint64_t level;  // states of this level, which come first
    };
    struct RunHeader {
        StateNumber number;  // of the first state
        std::uint32_t states;
        std::uint64_t part;  // who has numbered them
    };

    const bool is_shared_;
    const Share share_;
    Outbox aside_;  // for what there is no room, and what was to be sent when a file was written
    Inbox inbox_;
    std::optional<Candidate> candidate_;  // the best one of this level
    PathEnd found_path_;
};

// Calls `begin(search)` with a search that has not begun.
template <typename Begin>
std::unique_ptr<Exploration> parallel_exploration(const Program& program, const SearchOptions& options,
                                                  Reducer* reducer, const Team& team, std::optional<Share> share,
                                                  Begin&& begin) {
    if (options.order != Order::kBreadthFirst || needs_stack(options.proviso) || options.keeping != Keeping::kExact ||
        options.sample != 0)
        throw std::invalid_argument("several workers keep all states, breadth first, without a stack or samples");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<Exploration> {
        auto search = std::make_unique<ParallelSearch<W>>(program, options, reducer, team, share);
        begin(*search);
        return search;
    });
}

template <typename Begin>
std::unique_ptr<Search> parallel_search(const Program& program, const SearchOptions& options, Reducer* reducer,
                                        const Team& team, Begin&& begin) {
    auto several = parallel_exploration(program, options, reducer, team, std::nullopt, begin);
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

std::unique_ptr<Exploration> make_parallel_exploration(const Program& program, const std::vector<Word>& initial,
                                                       const SearchOptions& options, Reducer* reducer, const Team& team,
                                                       Share share) {
    return parallel_exploration(program, options, reducer, team, share,
                                [&](auto& search) { search.begin(initial.data()); });
}

std::unique_ptr<Exploration> read_parallel_exploration(const Program& program, const SearchOptions& options,
                                                       Reducer* reducer, const Team& team, Share share,
                                                       std::istream& in) {
    try {
        return parallel_exploration(program, options, reducer, team, share, [&](auto& search) { search.read(in); });
    } catch (const OnlyForOne&) {
        throw ArchiveError("the search was written by one worker, or does not fit into the memory");
    }
}

}  // namespace mule::parallel
