// Searches that never store a state but those on the current path: every run is followed to its end, and a state is
// visited as often as runs lead to it. They end only where no run comes back to a state, and say so where one does.
#pragma once

#include <unordered_map>

#include "search/depth_first_loop.hpp"
#include "search/judged_search.hpp"

namespace mule::search {

// The states on the current path.
class PathStates {
  public:
    explicit PathStates(unsigned words) : words_(words) {}

    std::size_t size() const { return states_.size() / words_; }
    const Word* operator[](std::size_t depth) const { return states_.data() + depth * words_; }
    std::size_t bytes() const { return states_.capacity() * sizeof(Word); }
    std::uint64_t epoch() const { return 0; }

    bool contains(const Word* state, std::uint64_t hash) const {
        const auto [first, last] = depths_.equal_range(hash);
        return std::any_of(first, last,
                           [&](const auto& at) { return std::equal(state, state + words_, (*this)[at.second]); });
    }

    void push(const Word* state, std::uint64_t hash) {
        depths_.emplace(hash, size());
        states_.insert(states_.end(), state, state + words_);
    }

    void pop(std::uint64_t hash) {
        const auto [first, last] = depths_.equal_range(hash);
        depths_.erase(std::find_if(first, last, [&](const auto& at) { return at.second + 1 == size(); }));
        states_.resize(states_.size() - words_);
    }

  private:
    unsigned words_;
    std::vector<Word> states_;
    std::unordered_multimap<std::uint64_t, std::size_t> depths_;
};

// What such searches have in common: the path, and what is judged on it.
class StatelessSearch : public JudgedSearch<> {
  public:
    Progress progress() const override {
        return {.states = visited_ - judge_.transient(),
                .transitions = transitions_,
                .depth = depth_,
                .open = path_.size(),
                .bytes = bytes() + path_.bytes()};
    }

  protected:
    StatelessSearch(const Program& program, const SearchOptions& options, Reducer* reducer)
        : JudgedSearch(program, options, reducer), path_(program.words) {}

    // What the search holds besides the path.
    virtual std::size_t bytes() const = 0;

    // Takes a state onto the path and looks at it. Where the search is done afterwards it is the last one.
    void arrive(const Word* state, std::uint64_t hash) {
        if (path_.contains(state, hash)) return stop("cyclic");
        const bool transient = program_.is_transient(state);
        if (!options_.counts_allow(transient, visited_, judge_.transient())) return stop("states");
        path_.push(state, hash);
        depth_ = std::max<std::uint64_t>(depth_, path_.size() - 1);
        ++visited_;
        if (judge_.arrive(state, transient)) found(steps_);
    }

    // Judges the expansion of the last state of the path.
    void judge(const Word* state, const Expander::Expansion& expansion) {
        if (expansion.count == 0) ++result_.runs;
        if (!done() && judge_.expanded(state, expansion)) found_in_expansion(steps_, expansion);
    }

    void take(const Word* entry) {
        steps_.push_back({header_of(entry).transition, header_of(entry).outcome});
        transitions_ += program_.is_transient(words_of(entry)) ? 0 : 1;
    }

    void leave(std::uint64_t hash) {
        path_.pop(hash);
        if (!steps_.empty()) steps_.pop_back();
    }

    PathStates path_;
    std::vector<Step> steps_;  // of the path

  private:
    std::uint64_t visited_ = 0;
    std::uint64_t depth_ = 0;
};

// All runs, or those that a reduction keeps: where no run comes back to a state, no transition can be put off for ever.
class Stateless final : public StatelessSearch, DepthFirstLoop<Stateless, PathStates> {
    using Loop = DepthFirstLoop<Stateless, PathStates>;
    friend Loop;

  public:
    Stateless(const Program& program, const SearchOptions& options, Reducer* reducer)
        : StatelessSearch(program, options, reducer), Loop(path_, program.words, false) {}

    void begin(const Word* initial) {
        arrive(initial, hash_words(initial, program_.words));
        if (!done()) begin_with(initial, 0);
    }

    bool step(std::uint64_t states) override { return walk(states); }

  private:
    bool ended() const { return done(); }
    std::size_t bytes() const override { return stack_bytes(); }
    std::size_t room(const Word*) const { return std::size_t{program_.max_successors} * expander_.stride(); }
    void left(const Frame& frame) { leave(hash_at(frame.entry)); }

    void visit(std::size_t entry) {
        take(entry_at(entry));
        arrive(state_at(entry), hash_at(entry));
        if (!done()) push(entry, 0);
    }

    std::uint32_t expand(const Frame&, const Word* state, std::uint64_t hash, Word* out) {
        const Expander::Expansion expansion = expander_.expand(state, hash, out);
        judge(state, expansion);
        return expansion.chosen;
    }
};

}  // namespace mule::search
