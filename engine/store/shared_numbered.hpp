// The exact store with numbers, filled by many threads at once, without locks.
//
// As in NumberedStore, states lie in chunks and never move, and an open-addressing index finds them by the upper half
// of the hash. A thread writes a state to the next place of its own chunk, and then swaps the state's number into a
// free slot of the index: whoever sees the number sees the whole state. Where another thread was first, the place is
// used for the next state. So of all insertions of a state exactly one wins.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "store/archive.hpp"
#include "store/growing_cells.hpp"
#include "store/hash.hpp"
#include "store/place.hpp"

namespace mule::store {

// Numbers that one thread has given one after the other, all in one chunk.
struct Stretch {
    StateNumber begin = 0;
    StateNumber end = 0;

    std::uint32_t left() const { return end - begin; }
};

// W: the words of a state, known at compile time for small states; 0: known at run time only.
template <unsigned W>
class SharedNumbered : public GrowingCells<SharedNumbered<W>> {
    using Index = GrowingCells<SharedNumbered<W>>;
    friend Index;

  public:
    static constexpr unsigned kChunkBits = 7;
    static constexpr StateNumber kChunk = StateNumber{1} << kChunkBits;

    // Where one thread puts the states that it stores.
    class Hand {
      public:
        // What was stored since it was asked last,
        std::vector<Stretch> take_stretches() { return std::exchange(stretches_, {}); }
        const std::vector<Stretch>& stretches() const { return stretches_; }
        // also where others have stored it.
        void add(const std::vector<Stretch>& stored) {
            stretches_.insert(stretches_.end(), stored.begin(), stored.end());
        }

      private:
        friend SharedNumbered;

        StateNumber next_ = 0;
        StateNumber end_ = 0;  // of the chunk
        std::vector<Stretch> stretches_;
    };

    explicit SharedNumbered(unsigned words, std::uint64_t initial_capacity = std::uint64_t{1} << 12)
        : Index(initial_capacity, 1), words_(words) {}

    unsigned words() const { return W != 0 ? W : words_; }
    // All numbers are below it; some at the ends of chunks are not used yet.
    std::uint64_t size() const { return std::uint64_t{begun_.load(std::memory_order_relaxed)} * kChunk; }
    std::size_t bytes() const { return this->cell_bytes() + size() * (words() + 1) * sizeof(Word); }

    const Word* state(StateNumber number) const { return cell(number) + 1; }
    Word& info(StateNumber number) { return *cell(number); }
    Word info(StateNumber number) const { return *cell(number); }
    StateNumber number(std::uint64_t place) const { return static_cast<StateNumber>(place); }

    // Two steps, so that both cache lines of a state can be on their way for several states at once.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(this->cells_.data() + home(tag(hash)), 1); }
    void prefetch_state(std::uint64_t hash) const {
        const Word slot = load(home(tag(hash)));
        if (slot >> 32 == tag(hash) && slot != 0) __builtin_prefetch(cell(number_in(slot)));
    }

    std::uint64_t find(const Word* state, std::uint64_t hash) const {
        for (std::uint64_t at = home(tag(hash));; at = this->after(at)) {
            const Word slot = load(at);
            if (slot == 0) return kAbsent;
            if (slot >> 32 == tag(hash) && same(number_in(slot), state)) return number_in(slot);
        }
    }

    // Finds the state or stores it, with `info` beside it; of all calls with the same state exactly one finds it fresh.
    Place insert(Hand& hand, const Word* state, std::uint64_t hash, Word info) {
        Word own = 0;
        for (std::uint64_t at = home(tag(hash));; at = this->after(at)) {
            Word seen = load(at);
            if (seen == 0) {
                if (own == 0) own = tag(hash) << 32 | (write(hand, state, info) + 1);
                if (std::atomic_ref(this->cells_.data()[at])
                        .compare_exchange_strong(seen, own, std::memory_order_acq_rel, std::memory_order_acquire))
                    return kept(hand);
            }
            if (seen >> 32 == tag(hash) && same(number_in(seen), state))
                return {number_in(seen), number_in(seen), false};
        }
    }

    std::uint64_t capacity_for(std::uint64_t states) const { return std::min(Index::capacity_for(states), kMostSlots); }

    // While nobody inserts: so many threads can then fill all the room that there is. Says how many chunks there may
    // be.
    std::size_t make_chunks_for(unsigned hands) {
        const std::uint64_t needed = this->room() / kChunk + unfilled_ + hands + 1;
        if (chunks_.size() < needed) chunks_.resize(needed);
        return chunks_.size();
    }

    // While nobody inserts: the first `states` states of a chunk, with what is kept beside them.
    void write_chunk(Writer& writer, std::uint32_t chunk, std::uint32_t states) const {
        writer.bytes(chunks_[chunk].get(), chunk_bytes(states));
    }
    // The next chunk, after `stored` states in those before. The rest of it stays free: each hand begins a chunk of its
    // own.
    void read_chunk(Reader& reader, std::uint32_t states, std::uint64_t stored) {
        const std::uint32_t chunk = begun_;
        require_whole(states <= kChunk && (std::uint64_t{chunk} + 1) * kChunk <= kMostNumbers);
        if (this->room() < stored + states) {
            this->begin_growth(capacity_for(stored + states));
            this->move_part(0, 1);
            this->end_growth();
        }
        if (chunks_.size() <= chunk) chunks_.resize(chunk + 1);
        chunks_[chunk] = std::make_unique_for_overwrite<Word[]>(std::size_t{kChunk} * (words() + 1));
        reader.bytes(chunks_[chunk].get(), chunk_bytes(states));
        begun_ = chunk + 1;
        unfilled_ += states != kChunk;
        for (std::uint32_t place = 0; place < states; ++place) link(chunk * kChunk + place);
    }

  private:
    static constexpr std::uint64_t kSmall = std::uint64_t{1} << 22;
    static constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 32;

    static Word tag(std::uint64_t hash) { return hash >> 32; }
    static StateNumber number_in(Word slot) { return static_cast<StateNumber>(slot) - 1; }

    static unsigned cell_words() { return 1; }
    static std::uint64_t room_in(std::uint64_t capacity) { return capacity / 4 * 3; }
    static std::uint64_t larger(std::uint64_t capacity) { return capacity < kSmall ? capacity * 4 : capacity / 2 * 3; }

    // Slots are in the order of the hashes' upper halves: growing is one sweep.
    std::uint64_t home(Word tag) const { return tag * this->capacity_ >> 32; }
    Word load(std::uint64_t at) const {
        return std::atomic_ref(const_cast<Word&>(this->cells_.data()[at])).load(std::memory_order_acquire);
    }

    Word* cell(StateNumber number) const {
        return chunks_[number >> kChunkBits].get() + std::size_t{number & (kChunk - 1)} * (words() + 1);
    }
    bool same(StateNumber number, const Word* state) const {
        const Word* stored = cell(number) + 1;
        for (unsigned i = 0; i < words(); ++i)
            if (stored[i] != state[i]) return false;
        return true;
    }

    // The number that the state will have if nobody else stores it first.
    StateNumber write(Hand& hand, const Word* state, Word info) {
        if (hand.next_ == hand.end_) {
            const std::uint32_t chunk = begun_.fetch_add(1, std::memory_order_relaxed);
            chunks_[chunk] = std::make_unique_for_overwrite<Word[]>(std::size_t{kChunk} * (words() + 1));
            hand.next_ = chunk << kChunkBits;
            hand.end_ = hand.next_ + kChunk;
        }
        Word* fresh = cell(hand.next_);
        fresh[0] = info;
        for (unsigned i = 0; i < words(); ++i) fresh[i + 1] = state[i];
        return hand.next_;
    }
    static Place kept(Hand& hand) {
        const StateNumber number = hand.next_++;
        std::vector<Stretch>& stretches = hand.stretches_;
        if (stretches.empty() || stretches.back().end != number || number % kChunk == 0)
            stretches.push_back({number, number});
        ++stretches.back().end;
        return {number, number, true};
    }

    std::size_t chunk_bytes(std::uint32_t states) const { return std::size_t{states} * (words() + 1) * sizeof(Word); }

    // A state that lies in its chunk is found from now on. It must be the only one of its kind.
    void link(StateNumber number) {
        const Word* state = cell(number) + 1;
        const std::uint64_t hash = hash_words(state, words());
        require_whole(find(state, hash) == kAbsent);
        const Word slot = tag(hash) << 32 | (number + 1);
        this->settle(&slot);
    }

    std::uint64_t home_of(const Word* slot) const { return home(*slot >> 32); }

    unsigned words_;
    std::vector<std::unique_ptr<Word[]>> chunks_;  // each written by the thread that begins it
    std::uint64_t unfilled_ = 0;                   // chunks that were read, and that nobody goes on with
    alignas(64) std::atomic<std::uint32_t> begun_ = 0;
};

}  // namespace mule::store
