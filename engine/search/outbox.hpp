// Successors on their way to the explorers that own them. An entry on the way: a word with its source's number and,
// above it, the explorer that has the source; then the entry as the compiled model writes it.
#pragma once

#include <span>
#include <vector>

#include "search/entries.hpp"
#include "search/origins.hpp"

namespace mule::search {

class Outbox {
  public:
    Outbox(unsigned words, Share share) : stride_(kHeaderWords + words), share_(share), boxes_(share.parts) {}

    void add(const Word* entry, StateNumber source) {
        std::vector<Word>& box = boxes_[share_.owner(header_of(entry).hash)];
        box.push_back(Word{share_.part} << 32 | source);
        box.insert(box.end(), entry, entry + stride_);
    }

    std::vector<Word> take(std::uint16_t owner) { return std::exchange(boxes_.at(owner), {}); }

    // Calls `visit(entry, origin)` for each entry of a batch.
    template <typename Visit>
    void for_each_in(std::span<const Word> batch, Visit&& visit) const {
        if (batch.size() % (stride_ + 1) != 0) throw std::invalid_argument("not a batch of states of this model");
        for (std::size_t at = 0; at < batch.size(); at += stride_ + 1) {
            const Word* entry = batch.data() + at + 1;
            const SuccessorHeader& header = header_of(entry);
            visit(entry, Origin{static_cast<StateNumber>(batch[at]), header.transition, header.outcome,
                                static_cast<std::uint16_t>(batch[at] >> 32)});
        }
    }

    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const std::vector<Word>& box : boxes_) sum += box.capacity() * sizeof(Word);
        return sum;
    }

    void write(Writer& writer) const {
        for (const std::vector<Word>& box : boxes_) writer.values(box);
    }
    void read(Reader& reader) {
        for (std::vector<Word>& box : boxes_) reader.values(box);
    }

  private:
    unsigned stride_;
    Share share_;
    std::vector<std::vector<Word>> boxes_;  // one per explorer
};

}  // namespace mule::search
