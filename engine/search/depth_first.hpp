// Depth-first search for what can be seen in single states. Successors known already when a state is expanded are
// dropped at once, so the arena holds little more than what is still to do.
#pragma once

#include "search/depth_first_loop.hpp"
#include "search/judged_search.hpp"

namespace mule::search {

// Store: Table, CompressedTable or NumberedStore.
template <typename Store>
class DepthFirst final : public JudgedSearch<>, DepthFirstLoop<DepthFirst<Store>, Store> {
    using Loop = DepthFirstLoop<DepthFirst<Store>, Store>;
    using typename Loop::Frame;
    friend Loop;

  public:
    DepthFirst(const Program& program, const SearchOptions& options, Reducer* reducer)
        : JudgedSearch(program, options, reducer),
          Loop(states_, program.words, needs_stack(options.proviso)),
          states_(program.words) {}

    void begin(const Word* initial) {
        const Place place = states_.insert(initial, hash_words(initial, states_.words()));
        if (judge_.arrive(initial, program_.is_transient(initial))) return finish();
        this->begin_with(initial, place.cell);
    }

    bool step(std::uint64_t states) override { return this->walk(states); }

    Progress progress() const override {
        return progress_with(states_.size(), this->deepest(), this->stack_.size(), states_.bytes() + besides());
    }

    bool can_be_written() const override { return could_go_on(); }
    void write(std::ostream& out) const override {
        Writer writer(out);
        write_signature(writer, kKind);
        write_standing(writer);
        write_reducer(writer);
        states_.write(writer);
        this->write_walk(writer);
        writer.finish();
    }
    void read(std::istream& in) {
        Reader reader(in);
        read_signature(reader, kKind);
        read_standing(reader);
        read_reducer(reader);
        states_.read(reader);
        this->read_walk(reader);
        reader.finish();
    }

  private:
    static constexpr std::uint64_t kKind = 2;

    bool ended() const { return done(); }
    void left(const Frame&) {}

    std::size_t besides() const { return this->stack_bytes() + judging_bytes(); }

    std::size_t room(const Word*) const { return std::size_t{program_.max_successors} * expander_.stride(); }

    void visit(std::size_t entry) {
        const Word* state = this->state_at(entry);
        const std::uint64_t hash = this->hash_at(entry);
        if (const char* reason =
                options_.refusal(states_, {&program_, judge_.transient()}, state, hash, [&] { return besides(); })) {
            this->put_back();
            return stop_between_batches(reason);
        }
        const Place place = states_.insert(state, hash);
        if (!place.fresh) return;
        if (judge_.arrive(state, program_.is_transient(state))) {
            std::vector<Step> path = this->path();
            path.push_back(this->step_at(entry));
            return found(std::move(path));
        }
        this->push(entry, place.cell);
    }

    std::uint32_t expand(const Frame&, const Word* state, std::uint64_t hash, Word* out) {
        auto expansion = expander_.expand(state, hash, out);
        for (std::uint32_t i = 0; i < expansion.count; ++i) states_.prefetch(header_of(this->at(out, i)).hash);
        if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion)) {
            found_in_expansion(this->path(), expansion);
            return 0;
        }
        if (expansion.reduced() && !settle(state, out, expansion)) {
            expansion.chosen = expansion.count;
            ++result_.fully_expanded;
        }
        if (!expansion.reduced()) this->ignores_nothing();
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

    Store states_;
};

}  // namespace mule::search
