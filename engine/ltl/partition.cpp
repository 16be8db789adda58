#include "ltl/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "ltl/incoming_edges.hpp"
#include "ltl/look.hpp"
#include "ltl/product_signature.hpp"
#include "ltl/stored_edges.hpp"
#include "search/outbox.hpp"
#include "search/signature.hpp"
#include "store/width.hpp"

namespace mule::ltl {

namespace {

// The ignoring proviso asks whether a step goes *up*: to a part with a higher number, or, in this part, to a state that
// has a higher number, or none yet. A reduced set is given up where one of its steps does not. So the pairs of part and
// number grow along all steps from states with a reduced set, and every cycle has a state for which something else was
// decided: it is expanded fully (C3), or with all visible transitions (C3'). Nobody has to be asked, and it makes no
// difference in which order states come in.
template <unsigned W>
class Partition final : public ProductPartition {
  public:
    Partition(const Program& program, const std::vector<Word>& initial, PropertyAutomaton automaton,
              const AutomatonField& field, const EmptinessOptions& options, Reducer* reducer, Share share)
        : program_(program),
          automaton_(std::move(automaton)),
          signature_(product_signature(kKind, program, initial, automaton_, field, options, reducer)),
          successors_(program, automaton_, field, options, reducer),
          options_(options),
          reducer_(reducer),
          share_(share),
          states_(program.words),
          recent_(program.words),
          boxes_(share.parts),
          look_(incoming_, static_cast<std::size_t>(std::popcount(successors_.all_marks()))) {
        signature_.insert(signature_.end(), {share.part, share.parts});
    }

    void begin(const Word* initial) {
        const std::uint64_t hash = hash_words(initial, program_.words);
        if (share_.owns(hash)) store(initial, hash, {kNoNumber, kNobody});
    }

    bool step(std::uint64_t states) override {
        for (; states != 0 && has_work(); --states) work();
        return has_work();
    }

    bool has_work() const override {
        if (done()) return false;
        return is_exploring_ ? !is_full_ && next_ < states_.size() : look_.has_work();
    }
    bool ended() const override { return done(); }
    bool is_full() const override { return is_full_; }

    Progress progress() const override {
        return {.states = states_.size() - transient_,
                .transitions = transitions_,
                .depth = 0,
                .open = states_.size() - next_,
                .bytes = bytes()};
    }
    PartitionCounts counts() const override { return counts_; }

    std::vector<Word> outbox(std::uint16_t owner) override { return std::exchange(boxes_.at(owner), {}); }

    void receive(std::span<const Word> batch) override {
        const std::size_t stride = is_exploring_ ? kBefore + program_.words : kNoteWords;
        if (batch.size() % stride != 0) throw std::invalid_argument("not a batch of this product");
        for (std::size_t at = 0; at < batch.size(); at += stride) {
            if (is_exploring_)
                receive_state(batch.data() + at);
            else
                receive_note(batch.data() + at);
        }
    }

    void begin_exploring() override { is_exploring_ = true; }
    void begin_trimming() override {
        is_exploring_ = false;
        look_.begin_trimming(edges_out_);
    }
    void begin_reaching(std::uint32_t mark, bool keep) override { look_.begin_reaching(mark, keep); }
    std::uint64_t end_reaching() override { return look_.end_reaching(); }
    std::uint64_t left() const override { return look_.left(); }
    StateNumber first_left() const override { return look_.first_left(); }
    Hop hop(StateNumber from, std::uint32_t mark) const override { return look_.hop(from, mark); }

    Node origin(StateNumber number) const override { return origins_.at(number); }
    std::vector<Word> state(StateNumber number) const override {
        if (number >= states_.size()) throw std::invalid_argument("no such state");
        return std::vector(states_.state(number), states_.state(number) + program_.words);
    }

    ProductStep step_to(StateNumber from, const std::vector<Word>& to, Word marks) override {
        const auto expansion = expand(from, decision_in(states_.info(from)));
        const std::uint32_t automaton_state = successors_.automaton_state(states_.state(from));
        for (std::uint32_t i = 0; i < expansion.count; ++i) {
            const Word* entry = at(i);
            const Word own = successors_.marks(automaton_state, expansion.idle, header_of(entry));
            if (std::equal(to.begin(), to.end(), words_of(entry)) && (own & marks) == marks) return step_of(entry);
        }
        throw std::invalid_argument("no such step");
    }

    bool can_be_written() const override { return is_exploring_ && !done(); }

    // What was sent lately is left out: it is sent again. What a look for a cycle has found is left out, too.
    void write(std::ostream& out) const override {
        if (!can_be_written()) throw std::logic_error("a product is written while it is explored");
        Writer writer(out);
        search::write_signature(writer, signature_);
        writer.value(states_.size());
        Known known{next_, transitions_, transient_, counts_};
        for (const std::uint64_t* number : known.all()) writer.value(*number);
        for (StateNumber state = 0; state < states_.size(); ++state) write_state(writer, state);
        for (const std::vector<Word>& box : boxes_) writer.values(box);
        writer.finish();
    }

    // Before anything is stored.
    void read(std::istream& in, const Word* initial) {
        Reader reader(in);
        search::read_signature(reader, signature_);
        std::uint64_t size = 0;
        reader.value(size);
        Known known;
        for (std::uint64_t* number : known.all()) reader.value(*number);
        require_whole(known.next <= size && size <= kMostNumbers && known.transient <= size);
        next_ = known.next;
        transitions_ = known.transitions;
        transient_ = known.transient;
        counts_ = known.counts;
        for (std::uint64_t state = 0; state < size; ++state) read_state(reader);
        for (std::vector<Word>& box : boxes_) reader.values(box);
        reader.finish();
        require_first(initial);
        require_edges();
        for (std::uint16_t owner = 0; owner < share_.parts; ++owner) require_box(owner);
    }

  private:
    // Before a state on its way: the edge that it comes by, and its marks.
    static constexpr std::size_t kBefore = 2;
    static constexpr Word kMayBeOnCycle = Word{1} << 63;
    // Of a note: the source of an edge; its target, in which part that is, and kMarked.
    static constexpr std::size_t kNoteWords = 2;
    static constexpr Word kMarked = Word{1} << 63;
    static constexpr std::uint64_t kKind = 5;

    // What is known besides the states.
    struct Known {
        std::uint64_t next = 0;
        std::uint64_t transitions = 0;
        std::uint64_t transient = 0;
        PartitionCounts counts;

        std::array<std::uint64_t*, 6> all() {
            return {&next, &transitions, &transient, &counts.failures, &counts.reduced, &counts.fully_expanded};
        }
    };

    const Word* at(std::size_t i) const { return entries_.data() + i * successors_.stride(); }

    void work() {
        if (is_exploring_) return explore(static_cast<StateNumber>(next_++));
        look_.work(
            [&](const IncomingEdges::Edge& edge, StateNumber target, bool marked) { note(edge, target, marked); });
    }

    ProductSuccessors::Expansion expand(StateNumber number, Decision decision) {
        const Word* state = states_.state(number);
        entries_.resize(std::max(entries_.size(), successors_.room(state)));
        const auto goes_up = [&](const Word* words, std::uint64_t hash) {
            if (!share_.owns(hash)) return share_.owner(hash) > share_.part;
            const std::uint64_t place = states_.find(words, hash);
            return place == kAbsent || states_.number(place) > number ||
                   does_for_cycles(decision_in(states_.info(states_.number(place))));
        };
        const auto standing_of = [&](const Word* words, std::uint64_t hash) {
            return goes_up(words, hash) ? Standing::kFresh : Standing::kOpen;
        };
        return successors_.expand(state, hash_words(state, program_.words), entries_.data(), decision, standing_of);
    }

    void explore(StateNumber number) {
        const auto expansion = expand(number, Decision::kOpen);
        states_.info(number) |= static_cast<Word>(expansion.decision) << kDecisionShift;
        counts_.failures += expansion.failures;
        counts_.reduced += expansion.decision != Decision::kFull;
        counts_.fully_expanded += expansion.gave_up;
        transitions_ += expansion.count;
        const std::uint32_t from = successors_.automaton_state(states_.state(number));
        for (std::uint32_t i = 0; i < expansion.count; ++i) follow(number, from, expansion.idle, at(i));
        if (number % kBetweenLooks == 0 && bytes() > options_.limits.max_bytes) is_full_ = true;
    }

    void follow(StateNumber source, std::uint32_t from, Word idle, const Word* entry) {
        const std::uint64_t hash = header_of(entry).hash;
        const Word* state = words_of(entry);
        const std::uint32_t to = successors_.automaton_state(state);
        const bool may_be_on_cycle =
            automaton_.component(from) == automaton_.component(to) && automaton_.cycles(to) != Cycles::kRejecting;
        const Word marks = successors_.marks(from, idle, header_of(entry));
        edges_out_[source] += may_be_on_cycle;
        if (share_.owns(hash)) return take(state, hash, {source, share_.part}, may_be_on_cycle, marks);
        if (!may_be_on_cycle && recent_.has(state, hash, 0)) return;
        std::vector<Word>& box = boxes_[share_.owner(hash)];
        box.push_back(word_of({source, share_.part}) | (may_be_on_cycle ? kMayBeOnCycle : 0));
        box.push_back(marks);
        box.insert(box.end(), state, state + program_.words);
    }

    void receive_state(const Word* entry) {
        const Word* state = entry + kBefore;
        const bool may_be_on_cycle = (entry[0] & kMayBeOnCycle) != 0;
        take(state, hash_words(state, program_.words), node_in(entry[0]), may_be_on_cycle, entry[1]);
    }

    void take(const Word* state, std::uint64_t hash, Node source, bool may_be_on_cycle, Word marks) {
        const StateNumber number = store(state, hash, source);
        if (may_be_on_cycle) incoming_.add(number, source, marks);
    }

    StateNumber store(const Word* state, std::uint64_t hash, Node origin) {
        if (states_.size() >= kMostNumbers) throw std::length_error("too many states");
        const Place place = states_.insert(state, hash);
        if (place.fresh) {
            origins_.push_back(origin);
            incoming_.add_state();
            edges_out_.push_back(0);
            transient_ += program_.is_transient(state);
        }
        return place.number;
    }

    // The source of an edge is told that its target is taken away, or that it was reached.
    void note(const IncomingEdges::Edge& edge, StateNumber target, bool marked) {
        if (edge.part == share_.part) return look_.noted(edge.source, {target, share_.part}, marked);
        std::vector<Word>& box = boxes_[edge.part];
        box.push_back(Word{edge.source});
        box.push_back(word_of({target, share_.part}) | (marked ? kMarked : 0));
    }

    void receive_note(const Word* note) {
        if (note[0] >= states_.size()) throw std::invalid_argument("not a note for this partition");
        const Node target = node_in(note[1]);
        look_.noted(static_cast<StateNumber>(note[0]), target, (note[1] & kMarked) != 0);
    }

    // With the edges that lead to it: so no edge can be lost from its list.
    void write_state(Writer& writer, StateNumber state) const {
        writer.value(states_.info(state));
        writer.bytes(states_.state(state), program_.words * sizeof(Word));
        writer.value(word_of(origins_[state]));
        writer.value(edges_out_[state]);
        incoming_.write(writer, state);
    }

    void read_state(Reader& reader) {
        Word info = 0;
        reader.value(info);
        entries_.resize(std::max<std::size_t>(entries_.size(), program_.words));
        reader.bytes(entries_.data(), program_.words * sizeof(Word));
        Word origin = 0;
        reader.value(origin);
        const std::uint64_t hash = hash_words(entries_.data(), program_.words);
        require_whole(share_.owns(hash) && has_automaton_state(entries_.data()));
        const Place place = states_.insert(entries_.data(), hash);
        require_whole(place.fresh && is_decided(info) == (place.number < next_));
        const bool is_first = place.number == 0 && is_nobody(origin);
        require_whole(is_first || is_node(origin, std::min<std::uint64_t>(place.number, next_)));
        states_.info(place.number) = info;
        origins_.push_back(node_in(origin));
        edges_out_.push_back(0);
        reader.value(edges_out_.back());
        require_whole(place.number < next_ || edges_out_.back() == 0);
        incoming_.read(reader, [&](Word marks, Word source) { return has_marks(marks) && is_node(source, next_); });
    }

    bool has_automaton_state(const Word* state) const {
        return successors_.automaton_state(state) < automaton_.states();
    }
    bool has_marks(Word marks) const { return (marks & ~successors_.all_marks()) == 0; }
    static bool is_decided(Word info) {
        const Word decision = info >> kDecisionShift;
        require_whole(info << kDecisionShift == 0 && decision <= static_cast<Word>(Decision::kFull));
        return decision != static_cast<Word>(Decision::kOpen);
    }
    static bool is_nobody(Word origin) { return origin == word_of({kNoNumber, kNobody}); }
    // Of another partition, or one of the first `states` of this one.
    bool is_node(Word word, std::uint64_t states) const {
        const Node node = node_in(word);
        return word == word_of(node) && node.part < share_.parts && (node.part != share_.part || node.number < states);
    }

    // Only the initial state comes from nowhere, and it was there first.
    void require_first(const Word* initial) const {
        const bool has_initial = share_.owns(hash_words(initial, program_.words));
        const bool begins = !origins_.empty() && origins_.front().part == kNobody;
        require_whole(begins == has_initial);
        if (begins) require_whole(std::equal(initial, initial + program_.words, states_.state(0)));
    }

    // From a state to states of this partition no more of them lead than there are.
    void require_edges() const {
        std::vector<std::uint32_t> left = edges_out_;
        for (const IncomingEdges::Edge& edge : incoming_.all())
            if (edge.part == share_.part) require_whole(left[edge.source]-- != 0);
    }

    void require_box(std::uint16_t owner) const {
        const std::vector<Word>& box = boxes_[owner];
        const std::size_t stride = kBefore + program_.words;
        require_whole(box.size() % stride == 0 && (owner != share_.part || box.empty()));
        for (std::size_t at = 0; at < box.size(); at += stride) {
            const Node source = node_in(box[at]);
            const Word* state = box.data() + at + kBefore;
            require_whole(source.part == share_.part && source.number < next_ && has_marks(box[at + 1]));
            require_whole(share_.owner(hash_words(state, program_.words)) == owner && has_automaton_state(state));
        }
    }

    std::size_t bytes() const {
        std::size_t sum = states_.bytes() + origins_.capacity() * sizeof(Node) + recent_.bytes() +
                          edges_out_.capacity() * sizeof edges_out_[0] + incoming_.bytes() + look_.bytes();
        for (const std::vector<Word>& box : boxes_) sum += box.capacity() * sizeof(Word);
        return sum + (reducer_ == nullptr ? 0 : reducer_->bytes());
    }

    static constexpr StateNumber kBetweenLooks = 1024;

    const Program& program_;
    PropertyAutomaton automaton_;
    std::vector<std::uint64_t> signature_;
    ProductSuccessors successors_;
    const EmptinessOptions& options_;
    Reducer* reducer_;
    Share share_;
    NumberedStore<W> states_;
    Recent recent_;                         // states that were sent by edges of no interest
    std::vector<Node> origins_;             // one per state
    std::vector<std::uint32_t> edges_out_;  // one per state: how many may be on a cycle
    IncomingEdges incoming_;
    Look look_;
    std::vector<std::vector<Word>> boxes_;  // one per partition
    std::vector<Word> entries_;
    std::uint64_t next_ = 0;  // to be expanded
    std::uint64_t transitions_ = 0;
    std::uint64_t transient_ = 0;
    PartitionCounts counts_;
    bool is_full_ = false;
    bool is_exploring_ = true;
};

// `begin` is given the partition, which is empty.
template <typename Begin>
std::unique_ptr<ProductPartition> product_partition(const Program& program, const std::vector<Word>& initial,
                                                    PropertyAutomaton automaton, const AutomatonField& field,
                                                    const EmptinessOptions& options, Reducer* reducer, Share share,
                                                    Begin&& begin) {
    check_emptiness_options(program, initial, automaton, field, options, reducer);
    if (reducer != nullptr && options.proviso == Proviso::kStack)
        throw std::invalid_argument("several partitions have no stack");
    if (automaton.marks() == 0) throw std::invalid_argument("a partition needs an acceptance mark");
    if (ProductSuccessors(program, automaton, field, options, reducer).judges_parts())
        throw std::invalid_argument("this fairness is more than marks can tell");
    return for_width(program.words, [&]<unsigned W>() -> std::unique_ptr<ProductPartition> {
        auto partition =
            std::make_unique<Partition<W>>(program, initial, std::move(automaton), field, options, reducer, share);
        begin(*partition);
        return partition;
    });
}

}  // namespace

std::unique_ptr<ProductPartition> make_product_partition(const Program& program, const std::vector<Word>& initial,
                                                         PropertyAutomaton automaton, const AutomatonField& field,
                                                         const EmptinessOptions& options, Reducer* reducer,
                                                         Share share) {
    return product_partition(program, initial, std::move(automaton), field, options, reducer, share,
                             [&](auto& partition) { partition.begin(initial.data()); });
}

std::unique_ptr<ProductPartition> read_product_partition(const Program& program, const std::vector<Word>& initial,
                                                         PropertyAutomaton automaton, const AutomatonField& field,
                                                         const EmptinessOptions& options, Reducer* reducer, Share share,
                                                         std::istream& in) {
    return product_partition(program, initial, std::move(automaton), field, options, reducer, share,
                             [&](auto& partition) { partition.read(in, initial.data()); });
}

}  // namespace mule::ltl
