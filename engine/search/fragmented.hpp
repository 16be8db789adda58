// Fragmented depth-first search (Brim, Cerna, Moravec, Simsa 2005): whenever a state is expanded fully, its successors
// wait for fragments of their own, each with an empty stack; so no stack ever has to travel to another explorer. The
// conditions stand in proviso/fragmented*.hpp.
#pragma once

#include <optional>

#include "search/depth_first_loop.hpp"
#include "search/judged_search.hpp"
#include "search/origins.hpp"
#include "search/outbox.hpp"
#include "store/numbered.hpp"

namespace mule::search {

// Condition: FragmentedProviso or one of its heuristics.
template <typename Condition>
class FragmentedDepthFirst final : public JudgedSearch<Exploration>,
                                   DepthFirstLoop<FragmentedDepthFirst<Condition>, NumberedStore<0>> {
    using Loop = DepthFirstLoop<FragmentedDepthFirst<Condition>, NumberedStore<0>>;
    using typename Loop::Frame;
    friend Loop;

  public:
    FragmentedDepthFirst(const Program& program, const SearchOptions& options, Reducer* reducer, Share share)
        : JudgedSearch(program, options, reducer),
          Loop(states_, program.words, true),
          share_(share),
          states_(program.words),
          outbox_(program.words, share, kTagged),
          limits_(options),
          refusing_(options) {
        refusing_.max_stored = kMostNumbers;
        // Where states are set aside, no fragment is broken off for want of memory.
        if (options.sets_aside) refusing_.max_bytes = ~std::uint64_t{0};
    }

    void begin(const Word* initial) {
        const std::uint64_t hash = hash_words(initial, states_.words());
        if (share_.owns(hash)) wait(discover(initial, hash, kNoOrigin), 0);
    }

    bool step(std::uint64_t states) override {
        const std::uint64_t enough = expanded_ + states;
        while (has_work() && expanded_ < enough) {
            // What is reached in a fragment must not be set aside: another fragment would not know its stack.
            this->is_full_ = options_.sets_aside && lacks_room_for(kEntries * program_.max_successors);
            if (this->is_full_) break;
            if (this->stack_.empty())
                begin_fragment();
            else
                this->walk(kEntries);
        }
        return has_work();
    }

    bool has_work() const override { return !done() && !this->is_full_ && !(this->stack_.empty() && waiting_.empty()); }
    bool ended() const override { return done(); }
    std::vector<Word> error_states() const override { return judge_.error_state_words(); }

    Progress progress() const override {
        return progress_with(states_.size(), this->deepest(), this->stack_.size() + waiting_.size(),
                             states_.bytes() + besides());
    }

    SearchResult take_result() override {
        result_.expanded = expanded_;
        return JudgedSearch::take_result();
    }

    std::vector<Word> outbox(std::uint16_t owner) override { return outbox_.take(owner); }

    void receive(std::span<const Word> batch) override {
        outbox_.for_each_in(batch, [&](const Word* entry, const Origin& origin, Word history) {
            const Word* state = words_of(entry);
            const std::uint64_t hash = header_of(entry).hash;
            if (done()) return;
            const std::uint64_t known = states_.find(state, hash);
            if (known != states_.kAbsent) {
                wait(static_cast<StateNumber>(known), history);
            } else if (options_.sets_aside && lacks_room_for(0)) {
                this->is_full_ = true;
                outbox_.set_aside(state, hash, origin, history);
            } else {
                wait(discover(state, hash, origin), history);
            }
        });
    }

    PathEnd path_to(std::uint16_t, StateNumber number) const override { return origins_.path_to(number, share_.part); }
    PathEnd found_path() const override { return found_path_; }

    void write(std::ostream& out) const override {
        Writer writer(out);
        write_signature(writer, kKind);
        writer.value(share_);
        write_standing(writer);
        writer.value(expanded_);
        states_.write(writer);
        origins_.write(writer);
        outbox_.write(writer);
        writer.values(waiting_);
        this->write_walk(writer);
        writer.finish();
    }

    void read(std::istream& in) {
        Reader reader(in);
        read_signature(reader, kKind);
        reader.value(share_);
        outbox_ = Outbox(program_.words, share_, kTagged);
        read_standing(reader);
        reader.value(expanded_);
        states_.read(reader);
        origins_.read(reader);
        outbox_.read(reader);
        reader.values(waiting_);
        this->read_walk(reader);
        reader.finish();
    }

  private:
    static constexpr std::uint64_t kKind = 3;
    static constexpr bool kTagged = std::is_same_v<Condition, FragmentedHistoryProviso>;
    static constexpr std::uint64_t kEntries = 64;  // between two looks at how much was done

    // What the store's word of a state says besides that the state is on the stack.
    static constexpr Word kFull = Word{1} << 62;      // it was expanded fully
    static constexpr Word kExpanded = Word{1} << 61;  // it was expanded
    static constexpr Word kHistory = (Word{1} << FragmentedHistoryProviso::kBits) - 1;
    static constexpr unsigned kAlternativeShift = FragmentedHistoryProviso::kBits;  // which of its reduced sets it has
    static constexpr Word kAlternatives = 16;

    struct Waiting {
        Word number;
        Word history;
    };

    std::size_t besides() const {
        return this->stack_bytes() + waiting_.capacity() * sizeof(Waiting) + origins_.bytes() + outbox_.bytes() +
               judging_bytes();
    }

    bool lacks_room_for(std::uint64_t states) const {
        return limits_.is_memory_full(states_, states, [&] { return besides(); });
    }

    std::size_t room(const Word*) const { return std::size_t{program_.max_successors} * expander_.stride(); }
    void left(const Frame&) {}

    Word history_of(StateNumber number) const { return states_.info(number) & kHistory; }

    // Whether there is nothing to gain from exploring a state with such a history.
    bool is_visited(StateNumber number, Word history) const {
        const Word info = states_.info(number);
        return (info & kExpanded) != 0 && ((info & kFull) != 0 || (history & ~info) == 0);
    }

    void wait(StateNumber number, Word history) {
        if (number != kNoNumber && !is_visited(number, history)) waiting_.push_back({number, history});
    }

    void begin_fragment() {
        const Waiting next = waiting_.back();
        waiting_.pop_back();
        const auto number = static_cast<StateNumber>(next.number);
        if (is_visited(number, next.history)) return;
        states_.info(number) |= next.history;
        this->begin_with(states_.state(number), number);
    }

    void visit(std::size_t entry) {
        const Word history = history_of(number_of(this->stack_.back()));
        const auto number = static_cast<StateNumber>(states_.find(this->state_at(entry), this->hash_at(entry)));
        if (is_visited(number, history)) return;
        states_.info(number) |= history;
        this->push(entry, number);
    }

    static StateNumber number_of(const Frame& frame) { return static_cast<StateNumber>(frame.cell); }

    std::uint32_t expand(const Frame& frame, const Word* state, std::uint64_t hash, Word* out) {
        const StateNumber number = number_of(frame);
        const bool again = (states_.info(number) & kExpanded) != 0;
        expanded_ += again ? 0 : 1;
        auto expansion = expander_.expand(state, hash, out);
        if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion, again)) {
            found_at(number, judge_.found_failure() ? std::optional(expansion.failing) : std::nullopt);
            return 0;
        }
        const bool reduced = expansion.reduced() && settle(number, state, out, expansion);
        if (!again) count(out, 0, expansion.chosen);
        states_.info(number) |= kExpanded;
        if (reduced) return go_on(number, out, expansion.chosen);
        count(out, expansion.chosen, expansion.count);
        if (expansion.reduced()) ++result_.fully_expanded;
        states_.info(number) |= kFull;
        for (std::uint32_t i = 0; i < expansion.count && !done(); ++i) {
            const Word* entry = this->at(out, i);
            if (owns(entry))
                wait(discover(entry, number), 0);
            else
                outbox_.add(entry, share_.part, number, 0);
        }
        return 0;
    }

    // Transitions of the model, to states that are not transient.
    void count(Word* out, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end; ++i)
            transitions_ += program_.is_transient(words_of(this->at(out, i))) ? 0 : 1;
    }

    // A reduced set that the condition allows, or false. A state that is explored again has the set that it had, or
    // none: what was explored from it stays so.
    bool settle(StateNumber number, const Word* state, Word* out, Expander::Expansion& expansion) {
        const Word info = states_.info(number);
        const bool again = (info & kExpanded) != 0;
        const Word had = info >> kAlternativeShift & (kAlternatives - 1);
        for (Word alternative = 0;;) {
            if ((!again || alternative == had) && will_do(number, out, expansion)) {
                states_.info(number) |= alternative << kAlternativeShift;
                return true;
            }
            if (++alternative == kAlternatives || (again && alternative > had)) return false;
            if (!expander_.reduce_otherwise(state, out, expansion)) return false;
        }
    }

    bool will_do(StateNumber number, Word* out, const Expander::Expansion& expansion) {
        const Word history = history_of(number);
        const auto is_key = [&](std::uint32_t i) { return expander_.is_key(this->at(out, i)); };
        const auto standing = [&](std::uint32_t i) {
            const Word* entry = this->at(out, i);
            if (owns(entry)) return this->standing_of(words_of(entry), header_of(entry).hash);
            const bool crosses = Condition::may_cross(history, share_.part, share_.owner(header_of(entry).hash));
            return crosses ? Standing::kBeyond : Standing::kElsewhere;
        };
        return allows(options_.proviso, expansion.chosen, is_key, standing);
    }

    // Reduced: here the fragment goes on, elsewhere another one does.
    std::uint32_t go_on(StateNumber number, Word* out, std::uint32_t chosen) {
        const Word history = history_of(number);
        return this->keep_if(out, chosen, [&](const Word* entry) {
            if (done()) return false;
            if (owns(entry)) {
                const StateNumber successor = discover(entry, number);
                return successor != kNoNumber && !is_visited(successor, history);
            }
            outbox_.add(entry, share_.part, number, Condition::crossed(history, share_.part));
            return false;
        });
    }

    bool owns(const Word* entry) const { return share_.owns(header_of(entry).hash); }

    StateNumber discover(const Word* entry, StateNumber source) {
        const SuccessorHeader& header = header_of(entry);
        return discover(words_of(entry), header.hash, {source, header.transition, header.outcome, share_.part});
    }

    // The number of a state, which is stored if it was not; kNoNumber where a limit is in the way.
    StateNumber discover(const Word* state, std::uint64_t hash, const Origin& origin) {
        const Transient transient{&program_, judge_.transient()};
        if (const char* reason = refusing_.refusal(states_, transient, state, hash, [&] { return besides(); })) {
            stop(reason);
            return kNoNumber;
        }
        const Place place = states_.insert(state, hash);
        if (!place.fresh) return place.number;
        origins_.add(origin);
        if (judge_.arrive(state, program_.is_transient(state))) found_at(place.number, std::nullopt);
        return place.number;
    }

    // What is looked for is found in a state, or by a step from it.
    void found_at(StateNumber number, std::optional<Step> failing) {
        found_path_ = path_to(share_.part, number);
        if (failing) found_path_.steps.push_back(*failing);
        found(found_path_.steps);
    }

    Share share_;
    NumberedStore<0> states_;
    Origins origins_;
    Outbox outbox_;
    std::vector<Waiting> waiting_;
    Limits limits_;    // looked at between steps
    Limits refusing_;  // and at every insertion
    PathEnd found_path_;
    std::uint64_t expanded_ = 0;
};

}  // namespace mule::search
