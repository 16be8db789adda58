// The search that has no stack: it takes states from a frontier, in whatever order that is, and stores their
// successors. These are generated in batches, so that the store's cache lines arrive while others are still being
// computed.
#pragma once

#include "search/frontier.hpp"
#include "search/judged_search.hpp"
#include "search/origins.hpp"

namespace mule::search {

// Store: Table, CompressedTable or NumberedStore. Frontier: see frontier.hpp.
template <typename Store, typename Frontier>
class Explorer final : public JudgedSearch {
  public:
    Explorer(const Program& program, const SearchOptions& options, Reducer* reducer, Frontier frontier)
        : JudgedSearch(program, options, reducer),
          store_(program.words),
          frontier_(std::move(frontier)),
          keep_origins_(options.stop_at_deadlock || options.stop_at_failure || program.propositions != 0),
          limits_(options),
          entries_((program.max_successors + kBatch) * std::size_t{expander_.stride()}) {
        if (keep_origins_) limits_.max_states = std::min(limits_.max_states, kMostNumbers);
    }

    void begin(const Word* initial) {
        discover(initial, hash_words(initial, store_.words()), 0, {}, program_.is_transient(initial));
        frontier_.settle();
    }

    bool step(std::uint64_t states) override {
        const std::uint64_t enough = expanded_ + states;
        while (goes_on() && expanded_ < enough) {
            fill_batch();
            flush_batch();
            frontier_.settle();
        }
        return goes_on();
    }

    Progress progress() const override { return progress_with(store_, frontier_.depth(), frontier_.size(), besides()); }

  private:
    static constexpr std::uint32_t kBatch = 96;

    struct Source {
        StateNumber number;
        std::uint32_t end;  // where its entries end in the batch
    };

    bool goes_on() const { return !done() && !frontier_.empty(); }

    std::size_t besides() const { return frontier_.bytes() + origins_.bytes() + judging_bytes(); }

    Word* at(Word* out, std::uint32_t i) const { return out + std::size_t{i} * expander_.stride(); }

    // A frontier may leave it to the store to know the states.
    const Word* state_of(const Open& open) const {
        if constexpr (requires { store_.state(open.number); })
            if (open.state == nullptr) return store_.state(open.number);
        return open.state;
    }

    void fill_batch() {
        std::uint32_t filled = 0;
        while (filled < kBatch && frontier_.ready()) {
            const Open open = frontier_.pop();
            const StateNumber number = open.number;
            const Word* state = state_of(open);
            ++expanded_;
            Word* out = at(entries_.data(), filled);
            const auto expansion = expander_.expand(state, hash_words(state, store_.words()), out);
            if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion)) {
                return found_in_expansion(origins_.path_to(number), expansion);
            }
            for (std::uint32_t i = 0; i < expansion.count; ++i) store_.prefetch(header_of(at(out, i)).hash);
            if (expansion.reduced()) {
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
        for (std::uint32_t i = 0; i < expansion.chosen && !done(); ++i)
            standings_.push_back(take(at(out, i), number) ? Standing::kFresh : Standing::kClosed);
        const auto is_key = [&](std::uint32_t i) { return expander_.is_key(at(out, i)); };
        const auto standing = [&](std::uint32_t i) { return standings_[i]; };
        if (done() || allows(options_.proviso, expansion.chosen, is_key, standing)) return;
        ++result_.fully_expanded;
        for (std::uint32_t i = expansion.chosen; i < expansion.count && !done(); ++i) take(at(out, i), number);
    }

    void flush_batch() {
        std::uint32_t i = 0;
        for (const Source& source : sources_)
            for (; i < source.end && !done(); ++i) take(at(entries_.data(), i), source.number);
        sources_.clear();
    }

    bool take(const Word* entry, StateNumber source) {
        const SuccessorHeader& header = header_of(entry);
        const bool transient = program_.is_transient(words_of(entry));
        transitions_ += transient ? 0 : 1;
        return discover(words_of(entry), header.hash, source, {header.transition, header.outcome}, transient);
    }

    bool discover(const Word* state, std::uint64_t hash, StateNumber source, Step step, bool transient) {
        if (const char* reason = limits_.refusal(store_, state, hash, [&] { return besides(); })) {
            stop(reason);
            return false;
        }
        const Place place = store_.insert(state, hash);
        if (!place.fresh) return false;
        if (keep_origins_ && place.number != 0) origins_.add(source, step);
        frontier_.push(place.number, state);
        if (judge_.arrive(state, transient)) found(origins_.path_to(place.number));
        return true;
    }

    Store store_;
    Frontier frontier_;
    Origins origins_;
    bool keep_origins_;
    Limits limits_;
    std::vector<Word> entries_;
    std::vector<Source> sources_;
    std::vector<Standing> standings_;
    std::uint64_t expanded_ = 0;
};

}  // namespace mule::search
