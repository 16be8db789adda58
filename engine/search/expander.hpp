// The successors of one state: written by the compiled model, thinned out by the reduction.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "proviso/static.hpp"
#include "reduction/reducer.hpp"
#include "search/entries.hpp"
#include "search/judge.hpp"

namespace mule::search {

class Expander {
  public:
    // `judge` learns which transitions are enabled.
    Expander(const Program& program, const SearchOptions& options, Reducer* reducer, Judge& judge)
        : program_(program),
          options_(options),
          reducer_(reducer),
          judge_(judge),
          stride_(kHeaderWords + program.words) {
        if (options.proviso == Proviso::kStatic && options.sticky.size() * 64 < program.transitions)
            throw std::invalid_argument("sticky transitions are missing");
    }

    unsigned stride() const { return stride_; }

    struct Expansion : Happenings {
        std::uint32_t count = 0;   // entries, the chosen ones first
        std::uint32_t chosen = 0;  // how many of them the reduced set keeps

        bool reduced() const { return chosen < count; }
    };

    // Writes the entries of `state` to `out`, which has room for all of them.
    Expansion expand(const Word* state, std::uint64_t hash, Word* out) {
        Expansion result;
        const std::uint32_t written = program_.expand(state, hash, out);
        if (is_cut(out, written)) return result;
        collect_enabled(out, written, result);
        result.stuck = result.count == 0 && !result.fails();
        result.chosen = result.count;
        if (reducer_ != nullptr && enabled_.size() > 1) reduce(state, out, result);
        return result;
    }

    // Another reduced set for the last expansion, where the search cannot use the one it has; false: there is none.
    bool reduce_otherwise(const Word* state, Word* out, Expansion& result) {
        const std::span<const std::uint32_t> positions = reducer_->choose_another(state, enabled_);
        if (!positions.empty()) keep(positions, out, result);
        return !positions.empty();
    }

    // Of the last expansion, ascending; only where there is a reducer.
    std::span<const TransitionId> enabled() const { return enabled_; }

    // A reduced set of the caller's for the last expansion.
    void reduce_to(TransitionId transition, Word* out, Expansion& result) {
        const auto place = std::lower_bound(enabled_.begin(), enabled_.end(), transition);
        const std::uint32_t position = static_cast<std::uint32_t>(place - enabled_.begin()) | kKey;
        keep({&position, 1}, out, result);
    }

    // Whether a chosen entry of the last expansion comes from a key transition: only such a one can keep the search
    // from ignoring what the reduced set leaves out.
    bool is_key(const Word* entry) const {
        return std::binary_search(keys_.begin(), keys_.end(), header_of(entry).transition);
    }

  private:
    bool is_cut(const Word* out, std::uint32_t written) {
        if (options_.cuts.empty()) return false;
        for (std::uint32_t i = 0; i < written; ++i) {
            const TransitionId transition = header_of(out + std::size_t{i} * stride_).transition;
            if (options_.cuts[transition] == 0) continue;
            judge_.enabled(transition);
            enabled_.clear();
            return true;
        }
        return false;
    }

    // Drops failing entries from the output; lists the enabled transitions in ascending order.
    void collect_enabled(Word* out, std::uint32_t written, Expansion& result) {
        enabled_.clear();
        for (std::uint32_t i = 0; i < written; ++i) {
            const Word* entry = out + std::size_t{i} * stride_;
            const SuccessorHeader& header = header_of(entry);
            judge_.enabled(header.transition);
            if (header.failure != 0) {
                count_failure(header, result);
                if (is_error_transition(header) && !options_.failing_guards_are_transitions) continue;
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

    void count_failure(const SuccessorHeader& header, Expansion& result) const {
        const bool asserted = header.failure == kViolatedAssertion;
        ++(asserted ? result.assertions : result.failures);
        if (result.stops || !(asserted ? options_.stop_at_assertion : options_.stop_at_error)) return;
        result.stops = true;
        result.failing = {header.transition, header.outcome};
    }

    void reduce(const Word* state, Word* out, Expansion& result) {
        const std::span<const std::uint32_t> positions = reducer_->choose(state, enabled_);
        if (positions.size() == enabled_.size()) return;
        keep(positions, out, result);
        if (options_.proviso == Proviso::kStatic && !static_proviso_allows(chosen_, options_.sticky))
            result.chosen = result.count;
    }

    // Moves the entries of chosen transitions to the front, keeping the order.
    void keep(std::span<const std::uint32_t> positions, Word* out, Expansion& result) {
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
    Judge& judge_;
    unsigned stride_;
    std::vector<TransitionId> enabled_;
    std::vector<TransitionId> chosen_;
    std::vector<TransitionId> keys_;
    std::vector<Word> rest_;
};

}  // namespace mule::search
