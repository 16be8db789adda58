// Stores that keep less than the states, and so may take a new state for one that they have: it is then left out, with
// all that only it leads to. What they call fresh is fresh. They have the face of Table, and say how many states they
// expect to have left out.
#pragma once

#include "store/bloom.hpp"
#include "store/table.hpp"

namespace mule::store {

// Hash compaction (Wolper and Leroy 1993): a signature of 62 bits for each state.
class CompactTable {
  public:
    static constexpr std::uint64_t kAbsent = mule::store::kAbsent;

    explicit CompactTable(unsigned words) : words_(words), table_(1) {}

    unsigned words() const { return words_; }
    std::uint64_t size() const { return table_.size(); }
    std::uint64_t most_states() const { return table_.most_states(); }
    std::size_t bytes() const { return table_.bytes(); }
    bool about_to_grow() const { return table_.about_to_grow(); }
    std::size_t bytes_after_growth() const { return table_.bytes_after_growth(); }

    void prefetch(std::uint64_t hash) const { table_.prefetch(mix_word(signature(hash), 0)); }
    Place insert(const Word*, std::uint64_t hash) {
        const Word word = signature(hash);
        return table_.insert(&word, mix_word(word, 0));
    }
    std::uint64_t find(const Word*, std::uint64_t hash) const {
        const Word word = signature(hash);
        return table_.find(&word, mix_word(word, 0));
    }

    double expected_omissions() const {
        const auto states = static_cast<double>(size());
        return states * (states - 1) / 2 / static_cast<double>(kMark);
    }

    void write(Writer& writer) const { table_.write(writer); }
    void read(Reader& reader) { table_.read(reader); }

  private:
    static Word signature(std::uint64_t hash) { return (hash | kOccupied) & ~kMark; }

    unsigned words_;
    Table<1> table_;
};

// Bitstate hashing, or supertrace (Holzmann 1988): three bits for each state, in an array that does not grow.
class Bitstate {
  public:
    static constexpr std::uint64_t kAbsent = mule::store::kAbsent;

    Bitstate(unsigned words, std::size_t bytes) : words_(words), filter_(bytes) {}

    unsigned words() const { return words_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t most_states() const { return ~std::uint64_t{0}; }
    std::size_t bytes() const { return filter_.bytes(); }
    bool about_to_grow() const { return false; }
    std::size_t bytes_after_growth() const { return bytes(); }

    void prefetch(std::uint64_t hash) const { filter_.prefetch(hash); }
    Place insert(const Word*, std::uint64_t hash) {
        const double error = filter_.error();
        if (!filter_.insert(hash)) return {0, kNoNumber, false};
        // For each new state that gets in, so many others did not.
        if (error < 1) omissions_ += error / (1 - error);
        return {0, static_cast<StateNumber>(size_++), true};
    }
    std::uint64_t find(const Word*, std::uint64_t hash) const { return filter_.may_contain(hash) ? 0 : kAbsent; }

    double expected_omissions() const { return omissions_; }
    // SPIN's: bits of the array for each state.
    double hash_factor() const { return static_cast<double>(filter_.bits()) / static_cast<double>(size_); }

    void write(Writer& writer) const {
        writer.value(size_);
        writer.bytes(&omissions_, sizeof omissions_);
        filter_.write(writer);
    }
    void read(Reader& reader) {
        reader.value(size_);
        reader.value(omissions_);
        filter_.read(reader);
    }

  private:
    unsigned words_;
    BloomFilter filter_;
    std::uint64_t size_ = 0;
    double omissions_ = 0;
};

}  // namespace mule::store
