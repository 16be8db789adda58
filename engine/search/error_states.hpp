// States after an error of the model, for languages that count them: a small set beside the search's own.
#pragma once

#include <vector>

#include "store/table.hpp"

namespace mule::search {

class ErrorStates {
  public:
    // `mask`: the bits that tell them apart; empty: they are not counted.
    explicit ErrorStates(const std::vector<Word>& mask)
        : mask_(mask), masked_(mask.size()), table_(mask.empty() ? 1 : mask.size()) {}

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

    void merge(const ErrorStates& other) {
        if (other.size() == 0) return;
        other.table_.for_each([&](const Word* state) { add(state); });
    }

    void clear() {
        if (size() != 0) table_ = Table<0>(masked_.size());
    }

    // All of them, one after the other.
    std::vector<Word> words() const {
        std::vector<Word> found;
        if (!counted()) return found;
        table_.for_each([&](const Word* state) { found.insert(found.end(), state, state + mask_.size()); });
        return found;
    }

    void write(Writer& writer) const { table_.write(writer); }
    void read(Reader& reader) { table_.read(reader); }

  private:
    const std::vector<Word>& mask_;
    std::vector<Word> masked_;
    Table<0> table_;
};

}  // namespace mule::search
