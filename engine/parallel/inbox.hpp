// What other teams have sent, until the workers have stored it.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "program.hpp"

namespace mule::parallel {

class Inbox {
  public:
    // `entry_words`: of a state on its way.
    explicit Inbox(unsigned entry_words) : entry_words_(entry_words) {}

    // Among the workers: the next entries, no more than so many; empty: there are none.
    std::span<const Word> take(std::uint32_t most) {
        if (next_.load(std::memory_order_relaxed) >= words_.size()) return {};
        const std::size_t words = std::size_t{most} * entry_words_;
        return from(next_.fetch_add(words, std::memory_order_relaxed), words);
    }

    // Back at their coordinator.
    void add(std::span<const Word> batch) {
        if (empty()) clear();
        words_.insert(words_.end(), batch.begin(), batch.end());
    }
    std::span<const Word> left() const { return from(next_.load(), words_.size()); }
    bool empty() const { return left().empty(); }
    std::uint64_t entries() const { return left().size() / entry_words_; }
    std::size_t bytes() const { return words_.capacity() * sizeof(Word); }
    void clear() {
        words_.clear();
        next_ = 0;
    }

  private:
    std::span<const Word> from(std::size_t begin, std::size_t words) const {
        begin = std::min(begin, words_.size());
        return std::span(words_).subspan(begin, std::min(words, words_.size() - begin));
    }

    unsigned entry_words_;
    std::vector<Word> words_;
    alignas(64) std::atomic<std::size_t> next_ = 0;
};

}  // namespace mule::parallel
