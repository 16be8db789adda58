// The states and edges of a product, between two rounds, as they are written and read again.
//
// Numbers stay as they are: who goes on begins chunks of its own. The states of a chunk are expanded in the order in
// which they were stored, so a chunk holds first the expanded ones, then those of this level that wait, then those of
// the next one. Where these parts end says which states wait: there is no second list of them, and so no state that is
// stored, but neither expanded nor waiting.
#pragma once

#include <vector>

#include "parallel/product_worker.hpp"
#include "parallel/recorded_edges.hpp"
#include "store/archive.hpp"

namespace mule::parallel {

// What is in a file besides the states and edges themselves.
struct CutProduct {
    std::vector<Stretch> level;  // states that wait: of this level,
    std::vector<Stretch> next;   // and of the next one
    std::uint64_t stored = 0;
    std::uint64_t expanded = 0;
    std::uint64_t recorded = 0;  // edges
};

template <unsigned W>
class ProductCut {
  public:
    ProductCut(SharedNumbered<W>& states, RecordedEdges& edges, KnownLevels& levels)
        : states_(states), edges_(edges), levels_(levels) {}

    // `next`: what workers have stored of the next level.
    void write(Writer& writer, const std::vector<Stretch>& next) const {
        const std::vector<Ends> chunks = ends_with(next);
        writer.values(chunks);
        for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
            states_.write_chunk(writer, chunk, chunks[chunk].stored);
            edges_.write_chunk(writer, chunk, chunks[chunk].stored);
        }
    }

    // Into what is still empty. `is_known(state)`: whether the automaton has such a state.
    template <typename IsKnown>
    CutProduct read(Reader& reader, IsKnown&& is_known) {
        CutProduct cut;
        std::vector<Ends> chunks;
        reader.values(chunks);
        edges_.make_chunks(chunks.size());
        levels_.make_chunks(chunks.size());
        for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) read_chunk(reader, chunk, chunks[chunk], cut);
        edges_.set_states(states_.size());
        require_whole(edges_.lead_to([&](StateNumber target) { return is_below(target, chunks, &Ends::stored); }));
        for_each_stored(chunks, [&](StateNumber number, bool expanded) {
            require_whole(is_known(states_.state(number)) && has_decision(number) == expanded);
        });
        require_origins(chunks);
        return cut;
    }

  private:
    static constexpr StateNumber kChunk = SharedNumbered<W>::kChunk;
    static constexpr unsigned kChunkBits = SharedNumbered<W>::kChunkBits;

    // Of the parts of a chunk, counted from its beginning.
    struct Ends {
        std::uint32_t earlier;  // the states of levels before this one: their decisions are asked about
        std::uint32_t expanded;
        std::uint32_t known;  // the states of this level, and of those before
        std::uint32_t stored;
    };

    std::vector<Ends> ends_with(const std::vector<Stretch>& next) const {
        std::vector<Ends> chunks(states_.size() / kChunk);
        for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
            const std::uint32_t known = levels_.states_in(chunk);
            chunks[chunk] = {levels_.earlier_in(chunk), edges_.finished(chunk), known, known};
        }
        for (const Stretch& stretch : next) {
            const StateNumber chunk = stretch.begin >> kChunkBits;
            chunks[chunk].stored = stretch.end - chunk * kChunk;
        }
        return chunks;
    }

    void read_chunk(Reader& reader, std::uint32_t chunk, const Ends& ends, CutProduct& cut) {
        require_whole(ends.earlier <= ends.expanded && ends.expanded <= ends.known && ends.known <= ends.stored);
        states_.read_chunk(reader, ends.stored, cut.stored);
        cut.recorded += edges_.read_chunk(reader, chunk, ends.stored);
        require_whole(edges_.finished(chunk) == ends.expanded);
        cut.stored += ends.stored;
        cut.expanded += ends.expanded;
        const StateNumber begin = chunk * kChunk;
        levels_.add_in(chunk, ends.earlier, ends.known);
        add_stretch(cut.level, begin + ends.expanded, begin + ends.known);
        add_stretch(cut.next, begin + ends.known, begin + ends.stored);
    }

    static void add_stretch(std::vector<Stretch>& stretches, StateNumber begin, StateNumber end) {
        if (begin != end) stretches.push_back({begin, end});
    }

    static bool is_below(StateNumber number, const std::vector<Ends>& chunks, std::uint32_t Ends::*end) {
        const StateNumber chunk = number >> kChunkBits;
        return chunk < chunks.size() && (number & (kChunk - 1)) < chunks[chunk].*end;
    }

    template <typename Visit>
    static void for_each_stored(const std::vector<Ends>& chunks, Visit&& visit) {
        for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk)
            for (std::uint32_t place = 0; place < chunks[chunk].stored; ++place)
                visit(chunk * kChunk + place, place < chunks[chunk].expanded);
    }

    bool has_decision(StateNumber number) const {
        const Word decision = states_.info(number) >> kDecisionShift;
        require_whole(decision <= static_cast<Word>(Decision::kFull));
        return decision != 0;
    }

    // From every state the origins lead to the first one: whoever follows them comes to an end.
    void require_origins(const std::vector<Ends>& chunks) const {
        enum class Seen : std::uint8_t { kNot, kOnTheWay, kLeadsHome };
        std::vector<Seen> seen(states_.size());
        std::uint64_t first = 0;
        std::vector<StateNumber> way;
        for_each_stored(chunks, [&](StateNumber number, bool) {
            StateNumber at = number;
            for (; at != kNoNumber && seen[at] != Seen::kLeadsHome; at = source_in(states_.info(at))) {
                require_whole(seen[at] == Seen::kNot);
                seen[at] = Seen::kOnTheWay;
                way.push_back(at);
                const StateNumber source = source_in(states_.info(at));
                require_whole(source == kNoNumber || is_below(source, chunks, &Ends::expanded));
            }
            first += at == kNoNumber;
            for (const StateNumber each : way) seen[each] = Seen::kLeadsHome;
            way.clear();
        });
        require_whole(first == 1);
    }

    SharedNumbered<W>& states_;
    RecordedEdges& edges_;
    KnownLevels& levels_;
};

}  // namespace mule::parallel
