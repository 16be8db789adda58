// Keys (states, or what stands for them) on disk, in the order of their hashes: written once, in order, then looked up
// in order. The hash of the first key of each block is in memory, so that only blocks are read that may hold a key.
#pragma once

#include <algorithm>
#include <compare>
#include <vector>

#include "store/archive.hpp"
#include "store/hash.hpp"
#include "store/scratch_file.hpp"

namespace mule::store {

// By their hashes, and by their words where these are equal.
struct HashedKey {
    std::uint64_t hash;
    const Word* key;

    std::strong_ordering compare(const HashedKey& other, unsigned words) const {
        if (hash != other.hash) return hash <=> other.hash;
        return std::lexicographical_compare_three_way(key, key + words, other.key, other.key + words);
    }
};

class SortedRun {
  public:
    SortedRun(const std::string& directory, unsigned words)
        : words_(words), per_block_(std::max(1u, 2048u / words)), file_(directory) {
        last_.reserve(std::size_t{per_block_} * words);
    }

    unsigned words() const { return words_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t disk_bytes() const { return file_.size(); }
    std::size_t bytes() const { return first_hashes_.capacity() * sizeof(std::uint64_t); }

    // The next key; after the last one `finish` is called.
    void add(std::uint64_t hash, const Word* key) {
        if (last_.empty()) first_hashes_.push_back(hash);
        last_.insert(last_.end(), key, key + words_);
        ++size_;
        if (last_.size() == std::size_t{per_block_} * words_) write_block();
    }
    void finish() {
        if (!last_.empty()) write_block();
        last_ = {};
    }

    void write(Writer& writer) const;
    // Of an empty run.
    void read(Reader& reader);

    // A place in a finished run that only moves on.
    class Cursor {
      public:
        explicit Cursor(const SortedRun& run) : run_(&run), block_(std::size_t{run.per_block_} * run.words_) {
            if (run.size_ != 0) load(0);
        }

        bool at_end() const { return position_ == count_; }
        HashedKey here() const {
            const Word* key = at(position_);
            return {hash_words(key, run_->words_), key};
        }
        void next() {
            if (++position_ == count_ && number_ + 1 < run_->first_hashes_.size()) load(number_ + 1);
        }

        // Moves on to the first key that is not below this one; whether it is this one.
        bool seek(const HashedKey& wanted) {
            // A key with the hash of the first one of a block may also stand at the end of the block before.
            const auto& firsts = run_->first_hashes_;
            const auto above = std::lower_bound(firsts.begin(), firsts.end(), wanted.hash);
            const std::size_t number =
                above == firsts.begin() ? 0 : static_cast<std::size_t>(above - firsts.begin()) - 1;
            if (number > number_) load(number);
            for (;;) {
                position_ = first_not_below(wanted);
                if (position_ < count_ || number_ + 1 >= firsts.size()) break;
                load(number_ + 1);
            }
            return !at_end() && here().compare(wanted, run_->words_) == 0;
        }

      private:
        const Word* at(std::uint64_t position) const { return block_.data() + position * run_->words_; }

        void load(std::size_t number) {
            number_ = number;
            position_ = 0;
            count_ = std::min<std::uint64_t>(run_->per_block_, run_->size_ - std::uint64_t{number} * run_->per_block_);
            const std::size_t bytes = block_.size() * sizeof(Word);
            run_->file_.read(number * bytes, block_.data(), count_ * run_->words_ * sizeof(Word));
        }

        std::uint64_t first_not_below(const HashedKey& wanted) const {
            std::uint64_t low = position_, high = count_;
            while (low < high) {
                const std::uint64_t middle = (low + high) / 2;
                const HashedKey there{hash_words(at(middle), run_->words_), at(middle)};
                if (there.compare(wanted, run_->words_) < 0)
                    low = middle + 1;
                else
                    high = middle;
            }
            return low;
        }

        const SortedRun* run_;
        std::vector<Word> block_;
        std::size_t number_ = 0;
        std::uint64_t position_ = 0;
        std::uint64_t count_ = 0;
    };

  private:
    void write_block() {
        file_.write(file_.size(), last_.data(), last_.size() * sizeof(Word));
        last_.clear();
    }

    unsigned words_;
    std::uint32_t per_block_;
    ScratchFile file_;
    std::uint64_t size_ = 0;
    std::vector<std::uint64_t> first_hashes_;
    std::vector<Word> last_;  // the block that is being filled
};

inline void SortedRun::write(Writer& writer) const {
    writer.value(size_);
    for (Cursor cursor(*this); !cursor.at_end(); cursor.next()) writer.bytes(cursor.here().key, words_ * sizeof(Word));
}

inline void SortedRun::read(Reader& reader) {
    std::uint64_t size = 0;
    reader.value(size);
    std::vector<Word> key(words_);
    for (; size != 0; --size) {
        reader.bytes(key.data(), words_ * sizeof(Word));
        add(hash_words(key.data(), words_), key.data());
    }
    finish();
}

// The keys of some runs, which have none in common, in one; fewer where `tick` says that it must be given up.
template <typename Tick>
SortedRun merged(const std::string& directory, const std::vector<const SortedRun*>& runs, Tick&& tick) {
    const unsigned words = runs.front()->words();
    SortedRun result(directory, words);
    std::vector<SortedRun::Cursor> cursors;
    std::vector<HashedKey> heads;
    for (const SortedRun* run : runs) {
        if (run->size() == 0) continue;
        cursors.emplace_back(*run);
        heads.push_back(cursors.back().here());
    }
    const auto below = [&](const HashedKey& a, const HashedKey& b) { return a.compare(b, words) < 0; };
    while (!heads.empty() && !tick()) {
        const auto i = std::min_element(heads.begin(), heads.end(), below) - heads.begin();
        SortedRun::Cursor& cursor = cursors[static_cast<std::size_t>(i)];
        HashedKey& head = heads[static_cast<std::size_t>(i)];
        result.add(head.hash, head.key);
        cursor.next();
        if (!cursor.at_end()) {
            head = cursor.here();
        } else {
            cursors.erase(cursors.begin() + i);
            heads.erase(heads.begin() + i);
        }
    }
    result.finish();
    return result;
}

}  // namespace mule::store
