// A set of hashes in an array of bits (Bloom 1970), three bits for each: it never misses one that was put in, and may
// take another one for it.
#pragma once

#include <algorithm>

#include "store/archive.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"

namespace mule::store {

class BloomFilter {
  public:
    static constexpr unsigned kBitsEach = 3;

    explicit BloomFilter(std::size_t bytes) : words_(std::max(bytes / sizeof(Word), std::size_t{1})) {}

    std::uint64_t bits() const { return std::uint64_t{words_.bytes()} * 8; }
    std::size_t bytes() const { return words_.bytes(); }

    void prefetch(std::uint64_t hash) const {
        for (unsigned i = 0; i < kBitsEach; ++i) __builtin_prefetch(words_.data() + bit(hash, i) / 64, 1);
    }

    // Puts a hash in; false: it, or others that have set its bits, was there before.
    bool insert(std::uint64_t hash) {
        const std::uint64_t before = set_;
        for (unsigned i = 0; i < kBitsEach; ++i) {
            const std::uint64_t at = bit(hash, i);
            Word& word = words_.data()[at / 64];
            const Word mask = Word{1} << (at % 64);
            set_ += (word & mask) == 0 ? 1 : 0;
            word |= mask;
        }
        return set_ != before;
    }

    bool may_contain(std::uint64_t hash) const {
        for (unsigned i = 0; i < kBitsEach; ++i) {
            const std::uint64_t at = bit(hash, i);
            if ((words_.data()[at / 64] >> (at % 64) & 1) == 0) return false;
        }
        return true;
    }

    // How likely it is to take a hash that is not in the set for one that is.
    double error() const {
        const double share = static_cast<double>(set_) / static_cast<double>(bits());
        return share * share * share;
    }

    void write(Writer& writer) const {
        writer.value(set_);
        writer.block(words_);
    }
    void read(Reader& reader) {
        reader.value(set_);
        reader.block(words_);
    }

  private:
    std::uint64_t bit(std::uint64_t hash, unsigned i) const {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(mix_word(hash, i)) * bits() >> 64);
    }

    WordBlock words_;
    std::uint64_t set_ = 0;
};

}  // namespace mule::store
