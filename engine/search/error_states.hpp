// States after an error of the model, for languages that count them: a small set beside the search's own.
#pragma once

#include <vector>

#include "search/search.hpp"
#include "store/table.hpp"

namespace mule {

class ErrorStates {
  public:
    explicit ErrorStates(const SearchOptions& options)
        : mask_(options.error_state_mask), masked_(mask_.size()), table_(mask_.empty() ? 1 : mask_.size()) {}

    std::uint64_t size() const { return table_.size(); }
    std::size_t bytes() const { return table_.bytes(); }
    bool counted() const { return !mask_.empty(); }

    // A step from `state` went wrong.
    void add(const Word* state) {
        if (!counted()) return;
        for (std::size_t i = 0; i < mask_.size(); ++i) masked_[i] = state[i] & mask_[i];
        masked_[0] |= kOccupied;
        table_.insert(masked_.data(), hash_words(masked_.data(), masked_.size()));
    }

  private:
    const std::vector<Word>& mask_;
    std::vector<Word> masked_;
    Table<0> table_;
};

}  // namespace mule
