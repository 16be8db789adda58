// The search that has no stack: it takes states from a frontier, in whatever order that is, and stores their
// successors. These are generated in batches, so that the store's cache lines arrive while others are still being
// computed.
#pragma once

#include <optional>

#include "search/cut_search.hpp"
#include "search/frontier.hpp"
#include "search/origins.hpp"
#include "search/outbox.hpp"
#include "search/spilled.hpp"
#include "store/lossy.hpp"

namespace mule::search {

// Store: Table, CompressedTable, NumberedStore, CompactTable or Bitstate. Frontier: see frontier.hpp.
template <typename Store, typename Frontier>
class Explorer final : public CutSearch<Exploration> {
  public:
    Explorer(const Program& program, const SearchOptions& options, Reducer* reducer, Frontier frontier,
             Share share = {})
        : CutSearch(program, options, reducer),
          share_(share),
          outbox_(program.words, share),
          store_(make_store(program.words, options)),
          frontier_(std::move(frontier)),
          closes_(kMarks && reducer != nullptr && options.proviso == Proviso::kClosedMinus),
          limits_(options),
          entries_((program.max_successors + kBatch) * std::size_t{expander_.stride()}) {
        if (keep_origins_) limits_.max_stored = kMostNumbers;
        if (!kWaitsOnDisk) return;
        most_waiting_ = most_beside();
        if (reducer != nullptr) reducer->keep_below(most_beside());
    }

    void begin(const Word* initial) {
        const std::uint64_t hash = hash_words(initial, store_.words());
        if (!share_.owns(hash)) return;
        discover(
            initial, hash, kNoNumber, [] { return kNoOrigin; }, program_.is_transient(initial));
        settle();
    }

    bool step(std::uint64_t states) override {
        const std::uint64_t enough = expanded_ + states;
        try {
            while (has_work() && expanded_ < enough) {
                fill_batch();
                flush_batch();
                settle();
            }
        } catch (const DiskError&) {
            stop("disk");
        }
        return has_work();
    }

    bool has_work() const override {
        return !done() && !this->is_full_ && (!frontier_.empty() || (spilled_ && spilled_->has_waiting()));
    }
    bool ended() const override { return done(); }
    std::vector<Word> error_states() const override { return judge_.error_state_words(); }

    Progress progress() const override {
        Progress progress =
            progress_with(store_.size(), frontier_.depth(), frontier_.size(), store_.bytes() + besides());
        if (spilled_) {
            progress.states += spilled_->size();
            progress.disk += spilled_->disk_bytes();
        }
        if constexpr (kWaitsOnDisk) progress.disk += frontier_.disk_bytes() + origins_.disk_bytes();
        if constexpr (kGuided) progress.estimate = frontier_.least_estimate();
        return progress;
    }

    SearchResult take_result() override {
        if (candidate_ && !judge_.found()) accept();  // it had to stop before it knew of nothing better
        result_.expanded = expanded_;
        if constexpr (requires { store_.expected_omissions(); })
            result_.expected_omissions = store_.expected_omissions();
        if constexpr (requires { store_.hash_factor(); }) result_.hash_factor = store_.hash_factor();
        return JudgedSearch::take_result();
    }

    std::vector<Word> outbox(std::uint16_t owner) override { return outbox_.take(owner); }

    void receive(std::span<const Word> batch) override {
        outbox_.for_each_in(batch, [&](const Word* entry, const Origin& origin, Word) {
            const Word* state = words_of(entry);
            const auto its_origin = [&] { return origin; };
            if (!done())
                discover(state, header_of(entry).hash, origin.source, its_origin, program_.is_transient(state));
        });
        settle();
    }

    PathEnd path_to(std::uint16_t, StateNumber number) const override { return origins_.path_to(number, share_.part); }
    PathEnd found_path() const override { return found_path_; }

    bool can_be_written() const override { return kWaitsOnDisk && could_go_on(); }

  private:
    static constexpr std::uint32_t kBatch = 96;
    // Whether the frontier looks for short paths: the first one that is found need not be the last word.
    static constexpr bool kGuided = requires(Frontier frontier) { frontier.none_below(0); };
    // What can go to disk: states that wait, and those that were met.
    static constexpr bool kWaitsOnDisk = requires(Frontier frontier) { frontier.shrink(""); };
    static constexpr bool kSpills = kWaitsOnDisk && requires(Store store) { store.clear(0); };
    // Whether the store can say which states are closed; else all are that it has.
    static constexpr bool kMarks = requires(Store store) { store.mark(0); };

    struct Source {
        StateNumber number;
        std::uint32_t end;  // where its entries end in the batch
    };

    // The best that was found, while there may be something better.
    struct Candidate {
        StateNumber number;
        std::optional<Step> failing;
        Finding finding;
    };

    static Store make_store(unsigned words, const SearchOptions& options) {
        if constexpr (std::is_same_v<Store, Bitstate>)
            return Store(words, options.bitstate_bytes);
        else
            return Store(words);
    }

    std::size_t besides() const {
        return frontier_.bytes() + origins_.bytes() + outbox_.bytes() + judging_bytes() +
               (spilled_ ? spilled_->bytes() : 0);
    }

    Word* at(Word* out, std::uint32_t i) const { return out + std::size_t{i} * expander_.stride(); }

    // A frontier may leave it to the store to know the states.
    const Word* state_of(const Open& open) const {
        if constexpr (requires { store_.state(open.number); })
            if (open.state == nullptr) return store_.state(open.number);
        return open.state;
    }

    void fill_batch() {
        std::uint32_t filled = 0;
        while (filled < kBatch && frontier_.ready() && !is_crowded()) {
            const Open open = frontier_.pop();
            const StateNumber number = open.number;
            const Word* state = state_of(open);
            ++expanded_;
            Word* out = at(entries_.data(), filled);
            const auto expansion = expander_.expand(state, hash_words(state, store_.words()), out);
            if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion, again())) {
                found_at(number, judge_.found_failure() ? std::optional(expansion.failing) : std::nullopt);
                if (done()) return;
            }
            for (std::uint32_t i = 0; i < expansion.count; ++i) store_.prefetch(header_of(at(out, i)).hash);
            if (expansion.reduced()) {
                if (closes_) close(state);  // before the next push, until which its words are there
                flush_batch();
                keep_or_give_up(number, out, expansion);
                if (done()) return;
                filled = 0;
                continue;
            }
            filled += expansion.count;
            sources_.push_back({number, filled});
        }
    }

    // What the proviso asks about a successor is answered by its own insertion.
    void keep_or_give_up(StateNumber number, Word* out, const Expander::Expansion& expansion) {
        standings_.clear();
        for (std::uint32_t i = 0; i < expansion.chosen && !done(); ++i) standings_.push_back(take(at(out, i), number));
        const auto is_key = [&](std::uint32_t i) { return expander_.is_key(at(out, i)); };
        const auto standing = [&](std::uint32_t i) { return standings_[i]; };
        if (done() || allows(options_.proviso, expansion.chosen, is_key, standing)) return;
        ++result_.fully_expanded;
        if (closes_) open_closed();
        for (std::uint32_t i = expansion.chosen; i < expansion.count && !done(); ++i) take(at(out, i), number);
    }

    // A reduced set is being kept for the state. One that is on disk is nowhere marked, and taken for closed.
    void close(const Word* state) {
        if constexpr (kMarks) {
            closed_.assign(state, state + store_.words());
            const std::uint64_t cell = store_.find(state, hash_words(state, store_.words()));
            if (cell != Store::kAbsent) store_.mark(cell);
        }
    }
    // It is not, after all. Its place may be another one than before.
    void open_closed() {
        if constexpr (kMarks) {
            const std::uint64_t cell = store_.find(closed_.data(), hash_words(closed_.data(), store_.words()));
            if (cell != Store::kAbsent) store_.unmark(cell);
        }
    }

    void flush_batch() {
        std::uint32_t i = 0;
        for (const Source& source : sources_)
            for (; i < source.end && !done(); ++i) take(at(entries_.data(), i), source.number);
        sources_.clear();
    }

    Standing take(const Word* entry, StateNumber source) {
        const SuccessorHeader& header = header_of(entry);
        const bool transient = program_.is_transient(words_of(entry));
        transitions_ += transient || again() ? 0 : 1;
        if (!share_.owns(header.hash)) {
            outbox_.add(entry, share_.part, source);
            return Standing::kElsewhere;
        }
        const auto origin = [&] { return Origin{source, header.transition, header.outcome, share_.part}; };
        return discover(words_of(entry), header.hash, source, origin, transient);
    }

    // `origin()`: asked only where it is kept.
    template <typename OriginOf>
    Standing discover(const Word* state, std::uint64_t hash, StateNumber source, OriginOf&& origin, bool transient) {
        if (!limits_.are_far_from(store_) && is_refused(state, hash, origin)) return Standing::kClosed;
        return insert(state, hash, source, origin, transient);
    }

    template <typename OriginOf>
    [[gnu::always_inline]] Standing insert(const Word* state, std::uint64_t hash, StateNumber source, OriginOf&& origin,
                                           bool transient) {
        const Place place = store_.insert(state, hash);
        if (!place.fresh) {
            if constexpr (kGuided) take_shorter_way(place.number, origin(), transient);
            return standing_in(place.cell);
        }
        const StateNumber number = place.number + first_number_;
        if (keep_origins_) origins_.add(origin());
        frontier_.push(number, state, source);
        if (judge_.arrive(state, transient)) found_at(number, std::nullopt);
        return Standing::kFresh;
    }
    Standing standing_in(std::uint64_t cell) const {
        if constexpr (kMarks)
            if (closes_ && !store_.marked(cell)) return Standing::kUnreduced;
        return Standing::kClosed;
    }

    // Whether a state is not to be inserted now: a limit is reached, or it may be on disk.
    template <typename OriginOf>
    [[gnu::noinline]] bool is_refused(const Word* state, std::uint64_t hash, OriginOf&& origin) {
        if constexpr (kSpills) {
            if (must_spill()) spill();
            if (spilled_) {
                const HashedKey key = store_.key(state, hash);
                if (!spilled_->may_have(key.hash)) return is_beyond_limit(state, hash);
                if (store_.find(state, hash) == Store::kAbsent)
                    spilled_->defer(store_.key(state, hash), state, origin());
                return true;
            }
        }
        const char* reason =
            limits_.refusal_near(store_, {&program_, judge_.transient()}, state, hash, [&] { return besides(); });
        if (reason == kTooManyStates) return is_refused_for_states();
        if (reason != nullptr && options_.sets_aside) {
            this->is_full_ = true;
            if (store_.find(state, hash) == Store::kAbsent) outbox_.set_aside(state, hash, origin());
            return true;
        }
        if (reason != nullptr) stop(reason);
        return reason != nullptr;
    }

    bool is_refused_for_states() {
        if (options_.whole_batches)
            has_enough_ = true;
        else
            stop(kTooManyStates);
        return done();
    }

    bool must_spill() const {
        if (options_.spill.empty() || !store_.about_to_grow()) return false;
        return spilled_ || store_.bytes_after_growth() + besides() > options_.max_bytes;
    }

    // All that is stored goes to disk.
    void spill() {
        if (!spilled_) begin_spilling();
        if (closes_) store_.unmark_all();
        spilled_->take(store_, [&] { return tick(); });
        first_number_ += static_cast<StateNumber>(store_.size());
        store_.clear(shared_bytes() / 8 * 3);
    }

    // What the store, the filter and the batch of those that wait share; the rest is for buffers.
    std::size_t shared_bytes() const {
        constexpr std::uint64_t kBuffers = std::uint64_t{1} << 21;
        return options_.max_bytes - std::min(options_.max_bytes / 2, kBuffers);
    }

    // From now on every state takes the way over `is_refused`.
    void begin_spilling() {
        constexpr bool key_is_state = Store::kKeyIsState;
        spilled_.emplace(options_.spill, program_.words, store_.key_words(), key_is_state, shared_bytes() / 16 * 3,
                         shared_bytes() / 8);
        limits_.max_states = 0;
    }

    // For a state that is not on disk.
    bool is_beyond_limit(const Word* state, std::uint64_t hash) {
        const std::uint64_t states = store_.size() + spilled_->size();
        if (states < limits_.max_stored &&
            options_.counts_allow(program_.is_transient(state), states, judge_.transient()))
            return false;
        return store_.find(state, hash) != Store::kAbsent || is_refused_for_states();
    }

    bool is_crowded() const { return has_enough_ || this->is_full_ || (spilled_ && spilled_->is_crowded()); }

    // Those that may have been on disk, and are not.
    void resolve() {
        spilled_->resolve([&] { return tick(); },
                          [&](const Word* state, const Origin& origin) {
                              const std::uint64_t hash = hash_words(state, program_.words);
                              if (done() || is_beyond_limit(state, hash)) return;
                              if (must_spill()) spill();
                              insert(
                                  state, hash, origin.source, [&] { return origin; }, program_.is_transient(state));
                          });
    }

    CutHeader header() const override { return {share_.part, share_.parts, spilled_ ? 1u : 0u, expanded_}; }
    void write_states(Writer& writer) const override {
        store_.write(writer);
        if (spilled_) spilled_->write(writer);
    }
    void write_origins(Writer& writer) const override { origins_.write(writer); }
    void write_outbox(Writer& writer) const override { outbox_.write(writer); }
    void write_frontier(Writer& writer) const override {
        if constexpr (kWaitsOnDisk)
            frontier_.write(writer);
        else
            throw std::logic_error("this order of search cannot be written");
    }

    void begin_with(const CutHeader& header) override {
        share_ = {static_cast<std::uint16_t>(header.part), static_cast<std::uint16_t>(header.parts)};
        outbox_ = Outbox(program_.words, share_);
        expanded_ = header.expanded;
        if (header.on_disk == 0) return;
        require_whole(kSpills);
        if (options_.spill.empty()) throw ArchiveError("the search had gone on with disk, and may not do so here");
        if constexpr (kSpills) begin_spilling();
    }
    void read_states(Reader& reader) override {
        store_.read(reader);
        if (!spilled_) return;
        spilled_->read(reader);
        first_number_ = static_cast<StateNumber>(spilled_->size());
    }
    void read_origins(Reader& reader) override { origins_.read(reader, options_.spill); }
    void read_outbox(Reader& reader) override { outbox_.read(reader); }
    void read_frontier(Reader& reader) override {
        if constexpr (kWaitsOnDisk) frontier_.read(reader, options_.spill);
    }

    void take_shorter_way(StateNumber number, const Origin& origin, bool transient) {
        if (!frontier_.shorter(number, origin.source)) return;
        if (keep_origins_) origins_.replace(number, origin);
        if (!transient && judge_.violates(store_.state(number))) found_at(number, std::nullopt);
    }

    // Whether the state that is being expanded was expanded before.
    bool again() const {
        if constexpr (kGuided) return frontier_.again();
        return false;
    }

    // What is looked for is found in a state, or by a step from it.
    void found_at(StateNumber number, std::optional<Step> failing) {
        const Candidate found{number, failing, judge_.take_finding()};
        if (candidate_ && length(found) >= length(*candidate_)) return;
        candidate_ = found;
        accept_unless_bettered();
    }

    // Where nothing that waits can lead to a shorter path. Other successors of the state that is being expanded are no
    // nearer than what was found among them.
    void accept_unless_bettered() {
        if constexpr (kGuided) {
            if (!frontier_.none_below(length(*candidate_))) return;
            result_.bounded = options_.order == Order::kAStar;
        }
        accept();
    }

    std::uint64_t length(const Candidate& candidate) const {
        if constexpr (kGuided) return frontier_.depth_of(candidate.number) + (candidate.failing ? 1 : 0);
        return 0;
    }

    void accept() {
        judge_.set_finding(candidate_->finding);
        found_path_ = path_to(share_.part, candidate_->number);
        if (candidate_->failing) found_path_.steps.push_back(*candidate_->failing);
        found(found_path_.steps);
    }

    void settle() {
        if constexpr (kWaitsOnDisk) {
            if (frontier_.bytes() > most_waiting_) frontier_.shrink(options_.spill);
            if (origins_.bytes() > most_waiting_ / 2) origins_.shrink(options_.spill);
        }
        if constexpr (kSpills)
            if (spilled_ && !done() && (!frontier_.ready() || is_crowded())) resolve();
        frontier_.settle();
        if (!done() && candidate_) accept_unless_bettered();
        if (!done() && has_enough_) stop_between_batches(kTooManyStates);
    }

    Share share_;
    Outbox outbox_;
    Store store_;
    Frontier frontier_;
    bool closes_;               // states for which reduced sets are kept are marked in the store
    std::vector<Word> closed_;  // the last one
    Origins origins_;
    std::optional<Spilled> spilled_;
    StateNumber first_number_ = 0;  // of those in the store: the others are on disk
    std::size_t most_waiting_ = ~std::size_t{0};
    bool has_enough_ = false;  // the limit on states is reached in the batch at hand
    Limits limits_;
    std::vector<Word> entries_;
    std::vector<Source> sources_;
    std::vector<Standing> standings_;
    std::optional<Candidate> candidate_;
    PathEnd found_path_;
    std::uint64_t expanded_ = 0;
};

}  // namespace mule::search
