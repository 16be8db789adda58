// An exact store that keeps a word for each state, of what the search knows about it. States are numbered in order of
// discovery and are found by their numbers.
//
// States never move: they lie in chunks, and an open-addressing index finds them. A slot of the index holds the upper
// half of the hash beside the number, so that growing reads no states, and most states that are not there cost one
// cache line.
#pragma once

#include <vector>

#include "store/archive.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/place.hpp"

namespace mule::store {

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class NumberedStore {
  public:
    static constexpr std::uint64_t kAbsent = mule::store::kAbsent;

    // The bit of `info` that says "on the stack"; the others are the search's own.
    static constexpr Word kOnStack = Word{1} << 63;

    explicit NumberedStore(unsigned words) : words_(words), slots_(capacity_) {}

    unsigned words() const { return W != 0 ? W : words_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t most_states() const { return kMostNumbers; }

    const Word* state(StateNumber number) const { return cell(number) + 1; }
    Word& info(StateNumber number) { return *const_cast<Word*>(cell(number)); }
    Word info(StateNumber number) const { return *cell(number); }

    // Two steps, so that both cache lines of a state can be on their way for several states at once.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(slots_.data() + home(tag(hash))); }
    void prefetch_state(std::uint64_t hash) const {
        const Word slot = slots_.data()[home(tag(hash))];
        if (slot >> 32 == tag(hash) && slot != 0) __builtin_prefetch(cell(number_in(slot)));
    }

    // A state's number is also its place, for ever.
    std::uint64_t find(const Word* state, std::uint64_t hash) const {
        for (std::uint64_t at = home(tag(hash));; at = after(at)) {
            const Word slot = slots_.data()[at];
            if (slot == 0) return kAbsent;
            if (slot >> 32 == tag(hash) && same(number_in(slot), state)) return number_in(slot);
        }
    }

    // Finds the state or stores it, with nothing known about it.
    Place insert(const Word* state, std::uint64_t hash) {
        if (about_to_grow()) grow();
        std::uint64_t at = home(tag(hash));
        for (; slots_.data()[at] != 0; at = after(at)) {
            const Word slot = slots_.data()[at];
            const StateNumber known = number_in(slot);
            if (slot >> 32 == tag(hash) && same(known, state)) return {known, known, false};
        }
        const auto number = static_cast<StateNumber>(size_++);
        slots_.data()[at] = tag(hash) << 32 | size_;
        if (number >> kChunkBits == chunks_.size()) chunks_.emplace_back(kChunk * (words() + 1));
        Word* fresh = const_cast<Word*>(cell(number));
        for (unsigned i = 0; i < words(); ++i) fresh[i + 1] = state[i];
        return {number, number, true};
    }

    StateNumber number(std::uint64_t place) const { return static_cast<StateNumber>(place); }
    std::uint64_t epoch() const { return 0; }
    bool marked(std::uint64_t place) const { return (info(number(place)) & kOnStack) != 0; }
    void mark(std::uint64_t place) { info(number(place)) |= kOnStack; }
    void unmark(std::uint64_t place) { info(number(place)) &= ~kOnStack; }

    std::size_t bytes() const { return slots_.bytes() + size_ * (words() + 1) * sizeof(Word); }
    bool about_to_grow() const { return grows_within(0); }
    bool grows_within(std::uint64_t states) const { return size_ + states >= capacity_ / 4 * 3; }
    // The bytes that the next growth will hold at its peak, for memory limits.
    std::size_t bytes_after_growth() const { return bytes() + grown_capacity() * sizeof(Word); }

    void write(Writer& writer) const {
        for (const std::uint64_t number : {capacity_, size_}) writer.value(number);
        writer.block(slots_);
        for (const WordBlock& chunk : chunks_) writer.block(chunk);
    }
    void read(Reader& reader) {
        for (std::uint64_t* number : {&capacity_, &size_}) reader.value(*number);
        reader.block(slots_);
        chunks_.resize((size_ + kChunk - 1) / kChunk);
        for (WordBlock& chunk : chunks_) reader.block(chunk);
    }

  private:
    static constexpr unsigned kChunkBits = 18;
    static constexpr std::size_t kChunk = std::size_t{1} << kChunkBits;
    static constexpr std::uint64_t kSmall = std::uint64_t{1} << 22;
    static constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 32;

    static Word tag(std::uint64_t hash) { return hash >> 32; }
    static StateNumber number_in(Word slot) { return static_cast<StateNumber>(slot) - 1; }

    // Slots are in the order of the hashes' upper halves: growing is one sweep.
    std::uint64_t home(Word tag) const { return tag * capacity_ >> 32; }
    std::uint64_t after(std::uint64_t at) const { return at + 1 == capacity_ ? 0 : at + 1; }

    const Word* cell(StateNumber number) const {
        return chunks_[number >> kChunkBits].data() + (number & (kChunk - 1)) * (words() + 1);
    }

    bool same(StateNumber number, const Word* state) const {
        const Word* stored = cell(number) + 1;
        for (unsigned i = 0; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    std::uint64_t grown_capacity() const {
        return std::min(capacity_ < kSmall ? capacity_ * 4 : capacity_ / 2 * 3, kMostSlots);
    }

    void grow() {
        if (capacity_ == kMostSlots) throw std::bad_alloc();
        const WordBlock old = std::move(slots_);
        const std::uint64_t old_capacity = capacity_;
        capacity_ = grown_capacity();
        slots_ = WordBlock(capacity_);
        for (std::uint64_t i = 0; i < old_capacity; ++i) {
            const Word slot = old.data()[i];
            if (slot == 0) continue;
            std::uint64_t at = home(slot >> 32);
            while (slots_.data()[at] != 0) at = after(at);
            slots_.data()[at] = slot;
        }
    }

    unsigned words_;
    std::uint64_t size_ = 0;
    std::uint64_t capacity_ = std::uint64_t{1} << 12;
    WordBlock slots_;
    std::vector<WordBlock> chunks_;
};

}  // namespace mule::store
