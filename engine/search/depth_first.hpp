// Depth-first search for what can be seen in single states. Successors known already when a state is expanded are
// dropped at once, so the arena holds little more than what is still to do.
#pragma once

#include "search/depth_first_loop.hpp"
#include "search/expander.hpp"

namespace mule::search {

// Store: Table, CompressedTable or NumberedStore.
template <typename Store>
class DepthFirst final : public Search, DepthFirstLoop<DepthFirst<Store>, Store> {
    using Loop = DepthFirstLoop<DepthFirst<Store>, Store>;
    using typename Loop::Frame;
    friend Loop;

  public:
    DepthFirst(const Program& program, const SearchOptions& options, Reducer* reducer)
        : Loop(states_, program.words, needs_stack(options.proviso)),
          program_(program),
          options_(options),
          reducer_(reducer),
          judge_(program, options),
          expander_(program, options, reducer, judge_),
          states_(program.words) {}

    void begin(const Word* initial) {
        const Place place = states_.insert(initial, hash_words(initial, states_.words()));
        if (judge_.arrive(initial, program_.is_transient(initial))) return finish();
        this->begin_with(initial, place.cell);
    }

    bool step(std::uint64_t states) override { return this->walk(states); }

    Progress progress() const override {
        return {.states = states_.size() - judge_.transient() + judge_.error_states(),
                .transitions = transitions_ + judge_.steps_to_error_states(),
                .depth = this->deepest(),
                .open = this->stack_.size(),
                .bytes = states_.bytes() + besides()};
    }

    SearchResult take_result() override {
        SearchResult result;
        result.progress = progress();
        static_cast<Judged&>(result) = judge_.take();
        result.stopped = stopped();
        result.path = std::move(path_);
        result.fully_expanded = fully_expanded_;
        return result;
    }

  private:
    bool ended() const { return done(); }
    void left(const Frame&) {}

    std::size_t besides() const {
        return this->stack_bytes() + judge_.bytes() + (reducer_ == nullptr ? 0 : reducer_->bytes());
    }

    std::size_t room(const Word*) const { return std::size_t{program_.max_successors} * expander_.stride(); }

    void visit(std::size_t entry) {
        const Word* state = this->state_at(entry);
        const std::uint64_t hash = this->hash_at(entry);
        if (const char* reason = options_.refusal(states_, state, hash, [&] { return besides(); })) return stop(reason);
        const Place place = states_.insert(state, hash);
        if (!place.fresh) return;
        if (judge_.arrive(state, program_.is_transient(state))) {
            path_ = this->path();
            path_.push_back(this->step_at(entry));
            return finish();
        }
        this->push(entry, place.cell);
    }

    std::uint32_t expand(const Frame&, const Word* state, std::uint64_t hash, Word* out) {
        auto expansion = expander_.expand(state, hash, out);
        for (std::uint32_t i = 0; i < expansion.count; ++i) states_.prefetch(header_of(this->at(out, i)).hash);
        if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion)) {
            path_ = this->path();
            if (judge_.found_failure()) path_.push_back(expansion.failing);
            finish();
            return 0;
        }
        if (expansion.reduced() && !settle(state, out, expansion)) {
            expansion.chosen = expansion.count;
            ++fully_expanded_;
        }
        transitions_ += program_.transient == Program::kNone ? expansion.chosen : lasting(out, expansion.chosen);
        // What is dropped here is stored; what is not may still be by the time its turn comes.
        return this->keep_if(out, expansion.chosen, [&](const Word* entry) {
            return states_.find(words_of(entry), header_of(entry).hash) == Store::kAbsent;
        });
    }

    // A reduced set that the proviso allows, the one at hand or another; false: there is none.
    bool settle(const Word* state, Word* out, Expander::Expansion& expansion) {
        do {
            const auto is_key = [&](std::uint32_t i) { return expander_.is_key(this->at(out, i)); };
            const auto standing = [&](std::uint32_t i) {
                const Word* entry = this->at(out, i);
                return this->standing_of(words_of(entry), header_of(entry).hash);
            };
            if (allows(options_.proviso, expansion.chosen, is_key, standing)) return true;
        } while (expander_.reduce_otherwise(state, out, expansion));
        return false;
    }

    // How many successors are no transient states.
    std::uint32_t lasting(Word* out, std::uint32_t count) const {
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < count; ++i) found += program_.is_transient(words_of(this->at(out, i))) ? 0 : 1;
        return found;
    }

    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    Judge judge_;
    Expander expander_;
    Store states_;
    std::vector<Step> path_;
    std::uint64_t transitions_ = 0;
    std::uint64_t fully_expanded_ = 0;
};

}  // namespace mule::search
