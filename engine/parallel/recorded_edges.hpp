// The edges of the product that may lie on an accepting cycle, by the numbers of their states: a cycle stays in one
// component of the automaton, and in some components none is accepting.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "store/archive.hpp"
#include "store/shared_numbered.hpp"

namespace mule::parallel {

// Asked like graph::Rows. The edges of the states of one chunk lie together, and are recorded by one thread at a time,
// in the order of the states.
class RecordedEdges {
  public:
    // `marks`: how many different ones an edge may have.
    explicit RecordedEdges(unsigned marks)
        : mark_bytes_(marks == 0    ? 0
                      : marks <= 8  ? 1
                      : marks <= 16 ? 2
                      : marks <= 32 ? 4
                                    : 8) {}

    void make_chunks(std::size_t chunks) {
        if (chunks_.size() < chunks) chunks_.resize(chunks);
    }
    std::size_t mark_bytes() const { return mark_bytes_; }
    // All numbers that are in use are below it.
    void set_states(std::uint64_t states) { states_ = static_cast<StateNumber>(states); }

    void add(StateNumber source, StateNumber target, Word marks) {
        Chunk& chunk = chunk_of(source);
        chunk.targets.push_back(target);
        const std::size_t at = chunk.marks.size();
        chunk.marks.resize(at + mark_bytes_);
        std::memcpy(chunk.marks.data() + at, &marks, mark_bytes_);  // little-endian, as packed states are
    }
    // By several threads, at any time: some edge to this state goes back.
    void note_back(StateNumber target) {
        std::atomic_ref(chunk_of(target).back[target & (kChunk - 1)]).store(1, std::memory_order_relaxed);
    }
    bool goes_back_to(StateNumber target) const { return chunk_of(target).back[target & (kChunk - 1)] != 0; }
    // No more edges of this state.
    void finish(StateNumber source) {
        Chunk& chunk = chunk_of(source);
        chunk.ends.push_back(static_cast<std::uint32_t>(chunk.targets.size()));
        if (chunk.ends.size() == kChunk) {
            chunk.targets.shrink_to_fit();
            chunk.marks.shrink_to_fit();
        }
    }

    StateNumber states() const { return states_; }
    std::uint64_t begin(StateNumber source) const {
        const Chunk& chunk = chunk_of(source);
        const std::size_t place = source & (kChunk - 1);
        return place == 0 || place >= chunk.ends.size() ? 0 : chunk.ends[place - 1];
    }
    std::uint64_t end(StateNumber source) const {
        const Chunk& chunk = chunk_of(source);
        const std::size_t place = source & (kChunk - 1);
        return place < chunk.ends.size() ? chunk.ends[place] : 0;
    }
    StateNumber target(StateNumber source, std::uint64_t edge) const { return chunk_of(source).targets[edge]; }
    Word marks(StateNumber source, std::uint64_t edge) const {
        Word marks = 0;
        std::memcpy(&marks, chunk_of(source).marks.data() + edge * mark_bytes_, mark_bytes_);
        return marks;
    }

    // While nobody records. How many states of a chunk have their edges, which is where the chunk's others begin.
    std::uint32_t finished(std::uint32_t chunk) const { return static_cast<std::uint32_t>(chunks_[chunk].ends.size()); }
    // `states`: how many of the chunk are stored.
    void write_chunk(Writer& writer, std::uint32_t chunk, std::uint32_t states) const {
        const Chunk& some = chunks_[chunk];
        writer.values(some.ends);
        writer.values(some.targets);
        writer.values(some.marks);
        writer.bytes(some.back.data(), states);
    }
    // Into a chunk without edges; says how many there are now.
    std::uint64_t read_chunk(Reader& reader, std::uint32_t chunk, std::uint32_t states) {
        Chunk& some = chunks_[chunk];
        reader.values(some.ends);
        reader.values(some.targets);
        reader.values(some.marks);
        require_whole(some.ends.size() <= states && some.marks.size() == some.targets.size() * mark_bytes_ &&
                      std::is_sorted(some.ends.begin(), some.ends.end()) &&
                      (some.ends.empty() ? 0 : some.ends.back()) == some.targets.size());
        reader.bytes(some.back.data(), states);
        return some.targets.size();
    }
    // Whether all edges lead to states for which `is_stored(number)` holds.
    template <typename IsStored>
    bool lead_to(IsStored&& is_stored) const {
        return std::all_of(chunks_.begin(), chunks_.end(), [&](const Chunk& chunk) {
            return std::all_of(chunk.targets.begin(), chunk.targets.end(), is_stored);
        });
    }

    // What so many edges take, with those chunks that there are.
    std::size_t bytes(std::uint64_t edges) const {
        return edges * (sizeof(StateNumber) + mark_bytes_) + chunks_.size() * sizeof(Chunk) +
               states_ * sizeof(std::uint32_t);
    }

  private:
    static constexpr unsigned kChunkBits = SharedNumbered<0>::kChunkBits;
    static constexpr StateNumber kChunk = SharedNumbered<0>::kChunk;

    struct Chunk {
        std::vector<std::uint32_t> ends;  // of each state's edges, among those of the chunk
        std::vector<StateNumber> targets;
        std::vector<std::uint8_t> marks;
        std::array<std::uint8_t, kChunk> back{};
    };

    Chunk& chunk_of(StateNumber state) { return chunks_[state >> kChunkBits]; }
    const Chunk& chunk_of(StateNumber state) const { return chunks_[state >> kChunkBits]; }

    std::size_t mark_bytes_;
    StateNumber states_ = 0;
    std::vector<Chunk> chunks_;
};

}  // namespace mule::parallel
