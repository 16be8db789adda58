// The successors of one state: written by the compiled model, thinned out by the reduction.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "program.hpp"
#include "reduction/reducer.hpp"
#include "search/search.hpp"

namespace mule {

inline constexpr unsigned kHeaderWords = sizeof(SuccessorHeader) / sizeof(Word);

inline const SuccessorHeader& header_of(const Word* entry) { return *reinterpret_cast<const SuccessorHeader*>(entry); }
inline const Word* words_of(const Word* entry) { return entry + kHeaderWords; }

// The failure code that stands for "a guard has no value here" (codegen's FailureCode.GUARD).
inline constexpr std::uint16_t kFailingGuard = 5;

class Expander {
  public:
    Expander(const Program& program, const SearchOptions& options, Reducer* reducer)
        : program_(program), options_(options), reducer_(reducer), stride_(kHeaderWords + program.words) {}

    unsigned stride() const { return stride_; }

    struct Expansion {
        std::uint32_t count = 0;     // entries, the chosen ones first
        std::uint32_t chosen = 0;    // how many of them the reduced set keeps
        std::uint32_t failures = 0;  // steps without a meaning
        bool dead = false;           // nothing is enabled
        Step failing{};              // the first failing step, where there is one
    };

    // Writes the entries of `state` to `out`, which has room for all of them.
    Expansion expand(const Word* state, std::uint64_t hash, Word* out) {
        Expansion result;
        const std::uint32_t written = program_.expand(state, hash, out);
        collect_enabled(out, written, result);
        result.dead = result.count == 0 && result.failures == 0;
        result.chosen = result.count;
        if (reducer_ != nullptr && enabled_.size() > 1) reduce(state, out, result);
        return result;
    }

    // Whether a chosen entry of the last expansion comes from a key transition: only such a one can keep the search
    // from ignoring what the reduced set leaves out.
    bool is_key(const Word* entry) const {
        return std::binary_search(keys_.begin(), keys_.end(), header_of(entry).transition);
    }

  private:
    // Drops failing entries from the output; lists the enabled transitions in ascending order.
    void collect_enabled(Word* out, std::uint32_t written, Expansion& result) {
        enabled_.clear();
        for (std::uint32_t i = 0; i < written; ++i) {
            const Word* entry = out + std::size_t{i} * stride_;
            const SuccessorHeader header = header_of(entry);
            if (header.failure != 0) {
                if (result.failures++ == 0) result.failing = {header.transition, header.outcome};
                if (header.failure == kFailingGuard && !options_.failing_guards_are_transitions) continue;
            } else {
                if (i != result.count) std::copy(entry, entry + stride_, out + std::size_t{result.count} * stride_);
                ++result.count;
            }
            if (reducer_ != nullptr) enabled_.push_back(header.transition);
        }
        if (reducer_ == nullptr) return;
        if (!std::is_sorted(enabled_.begin(), enabled_.end())) std::sort(enabled_.begin(), enabled_.end());
        enabled_.erase(std::unique(enabled_.begin(), enabled_.end()), enabled_.end());
    }

    // Moves the entries of chosen transitions to the front, keeping the order.
    void reduce(const Word* state, Word* out, Expansion& result) {
        const std::span<const std::uint32_t> positions = reducer_->choose(state, enabled_);
        if (positions.size() == enabled_.size()) return;
        chosen_.clear();
        keys_.clear();
        for (const std::uint32_t position : positions) {
            chosen_.push_back(enabled_[position & ~kKey]);
            if ((position & kKey) != 0) keys_.push_back(chosen_.back());
        }
        auto is_chosen = [&](const Word* entry) {
            const TransitionId transition = header_of(entry).transition;
            if (chosen_.size() == 1) return chosen_.front() == transition;
            return std::binary_search(chosen_.begin(), chosen_.end(), transition);
        };
        rest_.clear();
        std::uint32_t front = 0;
        for (std::uint32_t i = 0; i < result.count; ++i) {
            Word* entry = out + std::size_t{i} * stride_;
            if (!is_chosen(entry)) {
                if (options_.proviso != Proviso::kNone) rest_.insert(rest_.end(), entry, entry + stride_);
            } else {
                if (front != i) std::copy(entry, entry + stride_, out + std::size_t{front} * stride_);
                ++front;
            }
        }
        if (options_.proviso == Proviso::kNone)
            result.count = front;
        else
            std::copy(rest_.begin(), rest_.end(), out + std::size_t{front} * stride_);
        result.chosen = front;
    }

    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    unsigned stride_;
    std::vector<TransitionId> enabled_;
    std::vector<TransitionId> chosen_;
    std::vector<TransitionId> keys_;
    std::vector<Word> rest_;
};

}  // namespace mule
