// Searches that never store a state but those on the current path: every run is followed to its end, and a state is
// visited as often as runs lead to it. They end only where no run comes back to a state, and say so where one does.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "search/sample.hpp"
#include "search/successors.hpp"
#include "store/hash.hpp"

namespace mule {

// The states on the current path.
class PathStates {
  public:
    explicit PathStates(unsigned words) : words_(words) {}

    std::size_t size() const { return states_.size() / words_; }
    const Word* operator[](std::size_t depth) const { return states_.data() + depth * words_; }
    std::size_t bytes() const { return states_.capacity() * sizeof(Word); }

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

// What such searches have in common: the path, what is judged on arrival, and the limits.
class StatelessSearch {
  protected:
    StatelessSearch(const Program& program, const SearchOptions& options, Reducer* reducer,
                    const Watch::Callback& callback)
        : program_(program),
          options_(options),
          expander_(program, options, reducer),
          watch_(options, callback),
          path_(program.words),
          sample_(options.sample, program.words) {}

    // Takes a state onto the path and looks at it. Where done_ is set afterwards it is the last one.
    void arrive(const Word* state, std::uint64_t hash) {
        if (path_.contains(state, hash)) return stop("cyclic");
        if (visited_ >= options_.max_states) return stop("states");
        path_.push(state, hash);
        result_.progress.depth = std::max<std::uint64_t>(result_.progress.depth, path_.size() - 1);
        ++visited_;
        if (program_.is_transient(state)) {
            ++transient_;
            return;
        }
        sample_.offer(state);
        for (std::uint32_t p = 0; p < program_.propositions && !done_; ++p) {
            if (!program_.proposition(state, p)) {
                result_.proposition = p;
                found(Found::kProposition);
            }
        }
    }

    // Judges the expansion of the last state of the path.
    void judge(const Expander::Expansion& expansion) {
        if (expansion.count == 0) ++result_.runs;
        if (expansion.dead) {
            ++result_.deadlocks;
            if (options_.stop_at_deadlock) found(Found::kDeadlock);
        }
        result_.failures += expansion.failures;
        result_.assertions += expansion.assertions;
        if (expansion.fails() && options_.stop_at_failure && !done_) {
            found(Found::kFailure);
            result_.path.push_back(expansion.failing);
        }
    }

    void take(const Word* entry) {
        steps_.push_back({header_of(entry).transition, header_of(entry).outcome});
        result_.progress.transitions += program_.is_transient(words_of(entry)) ? 0 : 1;
    }

    void leave(std::uint64_t hash) {
        path_.pop(hash);
        if (!steps_.empty()) steps_.pop_back();
    }

    void poll(std::size_t bytes) {
        result_.progress.states = visited_ - transient_;
        result_.progress.open = path_.size();
        result_.progress.bytes = bytes + path_.bytes();
        if (done_)
            result_.progress.seconds = watch_.seconds();
        else if (watch_.over(result_.progress, result_.stopped))
            done_ = true;
    }

    SearchResult finish(std::size_t bytes) {
        done_ = true;
        poll(bytes);
        result_.sample = sample_.take();
        result_.fired = expander_.take_fired();
        return std::move(result_);
    }

    void stop(const char* reason) {
        if (!done_) result_.stopped = reason;
        done_ = true;
    }

    const Program& program_;
    const SearchOptions& options_;
    Expander expander_;
    Watch watch_;
    PathStates path_;
    std::vector<Step> steps_;  // along the path
    bool done_ = false;
    SearchResult result_;

  private:
    void found(Found what) {
        if (done_) return;
        result_.found = what;
        result_.path = steps_;
        done_ = true;
    }

    Sample sample_;
    std::uint64_t visited_ = 0;
    std::uint64_t transient_ = 0;  // how many of those are
};

// All runs, or those that a reduction keeps: where no run comes back to a state, no transition can be put off for ever.
class Stateless final : StatelessSearch {
  public:
    Stateless(const Program& program, const SearchOptions& options, Reducer* reducer, const Watch::Callback& callback)
        : StatelessSearch(program, options, reducer, callback) {}

    SearchResult run(const Word* initial);

  private:
    struct Frame {
        std::uint64_t hash;
        std::size_t next;
        std::size_t end;
        std::size_t begin;
    };

    void push(const Word* state, std::uint64_t hash);

    std::vector<Frame> frames_;
    std::vector<Word> entries_;  // of all states on the path, one after the other
    std::vector<Word> state_;
    std::uint64_t polls_ = 0;
};

}  // namespace mule
