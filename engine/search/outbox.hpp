// Successors on their way to the explorers that own them. An entry on the way: a word with its source's number and,
// above it, who gave it that number; where entries are tagged, the tag; then the entry as the compiled model writes it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "search/entries.hpp"
#include "search/origins.hpp"

namespace mule::search {

// What was sent lately. States are met again soon after they were met first, and there is no need to send them twice.
class Recent {
  public:
    explicit Recent(unsigned words) : stride_(words + 1), cells_(kCells * stride_) {}

    // Whether this state was sent with this tag, as far as is known; from now on it was.
    bool has(const Word* state, std::uint64_t hash, Word tag) {
        Word* cell = cells_.data() + (hash & (kCells - 1)) * stride_;
        const bool known = cell[0] == tag + 1 && std::equal(state, state + stride_ - 1, cell + 1);
        cell[0] = tag + 1;
        std::copy(state, state + stride_ - 1, cell + 1);
        return known;
    }

    std::size_t bytes() const { return cells_.size() * sizeof(Word); }

  private:
    static constexpr std::size_t kCells = std::size_t{1} << 14;

    unsigned stride_;
    std::vector<Word> cells_;  // the tag and one, so that 0 is nothing; then the state
};

class Outbox {
  public:
    Outbox(unsigned words, Share share, bool tagged = false)
        : stride_(kHeaderWords + words), before_(tagged ? 2 : 1), share_(share), boxes_(share.parts) {}

    // `part`: who has numbered the source.
    void add(const Word* entry, std::uint16_t part, StateNumber source, Word tag = 0) {
        const std::uint64_t hash = header_of(entry).hash;
        if (recent_.empty()) recent_.emplace_back(stride_ - kHeaderWords);
        if (recent_.front().has(words_of(entry), hash, tag)) return;
        std::vector<Word>& box = boxes_[share_.owner(hash)];
        box.push_back(Word{part} << 32 | source);
        if (before_ == 2) box.push_back(tag);
        box.insert(box.end(), entry, entry + stride_);
    }

    // A state of this explorer for which there is no room.
    void set_aside(const Word* state, std::uint64_t hash, const Origin& origin, Word tag = 0) {
        const SuccessorHeader header{hash, origin.transition, origin.outcome, 0};
        std::vector<Word>& box = boxes_[share_.part];
        box.push_back(Word{origin.part} << 32 | origin.source);
        if (before_ == 2) box.push_back(tag);
        box.resize(box.size() + kHeaderWords);
        std::memcpy(box.data() + box.size() - kHeaderWords, &header, sizeof header);
        box.insert(box.end(), state, state + stride_ - kHeaderWords);
    }

    const std::vector<Word>& waiting_for(std::uint16_t owner) const { return boxes_.at(owner); }
    std::vector<Word> take(std::uint16_t owner) { return std::exchange(boxes_.at(owner), {}); }

    // Of an entry on the way.
    unsigned entry_words() const { return before_ + stride_; }

    // Calls `visit(entry, origin, tag)` for each entry of a batch.
    template <typename Visit>
    void for_each_in(std::span<const Word> batch, Visit&& visit) const {
        if (batch.size() % entry_words() != 0) throw std::invalid_argument("not a batch of states of this model");
        for (std::size_t at = 0; at < batch.size(); at += entry_words()) {
            const Word* entry = batch.data() + at + before_;
            const SuccessorHeader& header = header_of(entry);
            const Origin origin{static_cast<StateNumber>(batch[at]), header.transition, header.outcome,
                                static_cast<std::uint16_t>(batch[at] >> 32)};
            visit(entry, origin, before_ == 2 ? batch[at + 1] : 0);
        }
    }

    std::size_t bytes() const {
        std::size_t sum = recent_.empty() ? 0 : recent_.front().bytes();
        for (const std::vector<Word>& box : boxes_) sum += box.capacity() * sizeof(Word);
        return sum;
    }

    // What was sent lately is forgotten.
    void write(Writer& writer) const {
        for (const std::vector<Word>& box : boxes_) writer.values(box);
    }
    void read(Reader& reader) {
        for (std::vector<Word>& box : boxes_) reader.values(box);
    }

  private:
    unsigned stride_;
    unsigned before_;  // words before the entry
    Share share_;
    std::vector<Recent> recent_;            // one, or none where nothing is sent
    std::vector<std::vector<Word>> boxes_;  // one per explorer
};

}  // namespace mule::search
