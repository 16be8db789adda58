// IDA* (Korf 1985) with a transposition table: depth-first searches, each of which goes as far as depth plus estimate
// do not exceed a bound; the next bound is the least sum that exceeded this one. So the first violation that is found
// is as near as the estimate says that one can be.
//
// The table keeps each state with the least depth at which the search of this bound has met it; a state is visited
// again where a shorter way leads to it. When the memory is full, the table takes no more states: those that are not in
// it are visited as often as they are met, except on the path itself.
//
// All provisos are sound here that are sound depth first. Only a search that its bound cuts nowhere says that there is
// no violation. Of each state take the first visit in that search: a successor that is not on the stack then was left
// before, or is left while this visit lasts. So the visits, in the order in which they are left, are those of a
// depth-first search; further visits only add successors.
#pragma once

#include "search/depth_first_loop.hpp"
#include "search/estimate.hpp"
#include "search/judged_search.hpp"
#include "search/stateless.hpp"
#include "store/numbered.hpp"

namespace mule::search {

class IterativeDeepening final : public JudgedSearch<>, DepthFirstLoop<IterativeDeepening, NumberedStore<0>> {
    using Table = NumberedStore<0>;
    using Loop = DepthFirstLoop<IterativeDeepening, Table>;
    friend Loop;

  public:
    IterativeDeepening(const Program& program, const SearchOptions& options, Reducer* reducer)
        : JudgedSearch(program, options, reducer),
          Loop(table_, program.words, false),
          table_(program.words),
          unstored_(program.words),
          estimate_(program, options),
          least_distance_(options.stop_at_deadlock ? 0 : 1) {}

    void begin(const Word* initial) {
        initial_.assign(initial, initial + program_.words);
        table_.insert(initial, hash_words(initial, program_.words));
        result_.bounded = true;
        if (judge_.arrive(initial, program_.is_transient(initial))) return finish();
        begin_below(distance(initial));
    }

    bool step(std::uint64_t states) override {
        const std::uint64_t enough = expanded_ + states;
        while (!this->walk(states)) {
            if (done() || next_bound_ == kUnbounded) return false;
            begin_below(next_bound_);
            if (expanded_ >= enough) break;
        }
        return !done();
    }

    Progress progress() const override {
        Progress progress =
            progress_with(table_.size(), this->deepest(), this->stack_.size(), table_.bytes() + besides());
        progress.estimate = least_estimate_;
        return progress;
    }

    SearchResult take_result() override {
        result_.expanded = expanded_;
        result_.rounds = round_;
        result_.table_full = full_;
        return JudgedSearch::take_result();
    }

  private:
    static constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

    // What the table knows of a state: the round in which it was visited last, and the least depth in that round.
    struct Visit {
        std::uint32_t round;
        std::uint32_t depth;
    };
    Visit visit_of(std::uint64_t cell) const {
        const Word info = table_.info(table_.number(cell)) & ~Table::kOnStack;
        return {static_cast<std::uint32_t>(info >> 32), static_cast<std::uint32_t>(info)};
    }
    void set_visit(std::uint64_t cell, std::uint64_t depth) {
        table_.info(table_.number(cell)) = Word{round_} << 32 | depth | Table::kOnStack;
    }
    bool met_as_near(std::uint64_t cell, std::uint64_t depth) const {
        const Visit visit = visit_of(cell);
        return visit.round == round_ && visit.depth <= depth;
    }

    void begin_below(std::uint64_t bound) {
        bound_ = bound;
        next_bound_ = kUnbounded;
        ++round_;
        const std::uint64_t cell = table_.find(initial_.data(), hash_words(initial_.data(), program_.words));
        again_ = round_ > 1;
        set_visit(cell, 0);
        this->begin_with(initial_.data(), cell);
    }

    std::uint32_t distance(const Word* state) {
        if (!estimate_.exists()) return least_distance_;
        const std::uint32_t estimate = estimate_(state);
        least_estimate_ = least_estimate_ < 0 ? estimate : std::min<std::int64_t>(least_estimate_, estimate);
        return std::max(estimate, least_distance_);
    }

    void exceeds(std::uint64_t sum) { next_bound_ = std::min(next_bound_, sum); }

    bool ended() const { return done(); }

    void left(const Frame& frame) {
        if (frame.cell == Table::kAbsent)
            unstored_.pop(this->hash_at(frame.entry));
        else
            table_.unmark(frame.cell);
    }

    std::size_t besides() const { return this->stack_bytes() + unstored_.bytes() + judging_bytes(); }
    std::size_t room(const Word*) const { return std::size_t{program_.max_successors} * expander_.stride(); }

    void visit(std::size_t entry) {
        const Word* state = this->state_at(entry);
        const std::uint64_t hash = this->hash_at(entry);
        const std::uint64_t depth = this->stack_.size();
        std::uint64_t cell = table_.find(state, hash);
        if (cell == Table::kAbsent ? unstored_.contains(state, hash) : met_as_near(cell, depth)) return;
        const bool transient = program_.is_transient(state);
        if (!transient && depth <= bound_ && judge_.violates(state)) return found_at(entry);
        const std::uint64_t sum = depth + distance(state);
        if (sum > bound_) return exceeds(sum);
        again_ = cell != Table::kAbsent && visit_of(cell).round != 0;
        if (cell == Table::kAbsent && has_room(state, hash)) {
            cell = table_.insert(state, hash).cell;
            judge_.arrive(state, transient);
        }
        if (done()) return;
        if (cell == Table::kAbsent)
            unstored_.push(state, hash);
        else
            set_visit(cell, depth);
        this->push(entry, cell);
    }

    // Whether the table takes one more state. So many states as are asked for are an end of the search; that there is
    // no more memory is none.
    bool has_room(const Word* state, std::uint64_t hash) {
        if (full_) return false;
        const char* reason =
            options_.refusal(table_, {&program_, judge_.transient()}, state, hash, [&] { return besides(); });
        if (reason == nullptr) return true;
        if (std::string_view(reason) == "memory")
            full_ = true;
        else
            stop(reason);
        return false;
    }

    void found_at(std::size_t entry) {
        std::vector<Step> path = this->path();
        path.push_back(this->step_at(entry));
        found(std::move(path));
    }

    std::uint32_t expand(const Frame& frame, const Word* state, std::uint64_t hash, Word* out) {
        ++expanded_;
        auto expansion = expander_.expand(state, hash, out);
        if ((expansion.stuck || expansion.fails()) && judge_.expanded(state, expansion, again_)) {
            const std::uint64_t length = this->stack_.size() - 1 + (judge_.found_failure() ? 1 : 0);
            if (length <= bound_) {
                found_in_expansion(this->path(), expansion);
                return 0;
            }
            judge_.take_finding();
            exceeds(length);
        }
        if (expansion.reduced() && !settle(state, out, expansion)) {
            expansion.chosen = expansion.count;
            result_.fully_expanded += again_ ? 0 : 1;
        }
        if (!expansion.reduced() && frame.cell != Table::kAbsent) table_.unmark(frame.cell);
        if (!again_)
            for (std::uint32_t i = 0; i < expansion.chosen; ++i)
                transitions_ += program_.is_transient(words_of(this->at(out, i))) ? 0 : 1;
        const std::uint64_t depth = this->stack_.size();
        return this->keep_if(out, expansion.chosen, [&](const Word* entry) {
            const std::uint64_t cell = table_.find(words_of(entry), header_of(entry).hash);
            return cell == Table::kAbsent || !met_as_near(cell, depth);
        });
    }

    // A reduced set that the proviso allows, the one at hand or another; false: there is none.
    bool settle(const Word* state, Word* out, Expander::Expansion& expansion) {
        do {
            const auto is_key = [&](std::uint32_t i) { return expander_.is_key(this->at(out, i)); };
            const auto standing = [&](std::uint32_t i) {
                const Word* entry = this->at(out, i);
                return standing_in_round(words_of(entry), header_of(entry).hash);
            };
            if (allows(options_.proviso, expansion.chosen, is_key, standing)) return true;
        } while (expander_.reduce_otherwise(state, out, expansion));
        return false;
    }

    Standing standing_in_round(const Word* state, std::uint64_t hash) const {
        const std::uint64_t cell = table_.find(state, hash);
        if (cell == Table::kAbsent) return unstored_.contains(state, hash) ? Standing::kOpen : Standing::kFresh;
        if (table_.marked(cell)) return Standing::kOpen;
        return visit_of(cell).round == round_ ? Standing::kClosed : Standing::kFresh;
    }

    Table table_;
    PathStates unstored_;  // those on the path that the table has no room for
    std::vector<Word> initial_;
    Estimate estimate_;
    std::uint32_t least_distance_;  // of what is no violation itself
    std::uint64_t bound_ = 0;
    std::uint64_t next_bound_ = kUnbounded;
    std::uint32_t round_ = 0;
    std::uint64_t expanded_ = 0;
    std::int64_t least_estimate_ = -1;
    bool again_ = false;  // whether the state that is being expanded was expanded before
    bool full_ = false;
};

}  // namespace mule::search
