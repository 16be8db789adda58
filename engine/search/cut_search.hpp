// A breadth-first search that can be cut between two steps: what its file holds, and in which order, is the same for
// one worker and for several, so that whoever reads it goes on from there. (Several that share the states with others
// have files of their own kind.)
#pragma once

#include "search/judged_search.hpp"

namespace mule::search {

// Face: what callers know of the search, a Search.
template <typename Face>
class CutSearch : public JudgedSearch<Face> {
  public:
    void write(std::ostream& out) const final {
        Writer writer(out);
        this->write_signature(writer, kind());
        writer.value(header());
        this->write_standing(writer);
        this->write_reducer(writer);
        write_states(writer);
        write_origins(writer);
        write_outbox(writer);
        write_frontier(writer);
        writer.finish();
    }

    void read(std::istream& in) {
        Reader reader(in);
        this->read_signature(reader, kind());
        CutHeader header{};
        reader.value(header);
        begin_with(header);
        this->read_standing(reader);
        this->read_reducer(reader);
        read_states(reader);
        read_origins(reader);
        read_outbox(reader);
        read_frontier(reader);
        reader.finish();
    }

  protected:
    struct CutHeader {
        std::uint64_t part;     // of the states,
        std::uint64_t parts;    // and how many parts there are
        std::uint64_t on_disk;  // 1: some of the states are
        std::uint64_t expanded;
    };

    CutSearch(const Program& program, const SearchOptions& options, Reducer* reducer)
        : JudgedSearch<Face>(program, options, reducer),
          keep_origins_(options.stop_at_deadlock || options.stop_at_assertion || options.stop_at_error ||
                        program.propositions != 0) {}

    // What is beside the store leaves it room, so that only the store's growth can come to the limit. No limit where
    // the search does not go on with disk.
    std::size_t most_beside() const {
        return this->options_.spill.empty() ? ~std::size_t{0} : this->options_.max_bytes / 16;
    }

    const bool keep_origins_;

    virtual std::uint64_t kind() const { return 1; }

  private:
    virtual CutHeader header() const = 0;
    virtual void write_states(Writer& writer) const = 0;
    virtual void write_origins(Writer& writer) const = 0;
    virtual void write_outbox(Writer& writer) const = 0;
    virtual void write_frontier(Writer& writer) const = 0;

    virtual void begin_with(const CutHeader& header) = 0;
    virtual void read_states(Reader& reader) = 0;
    virtual void read_origins(Reader& reader) = 0;
    virtual void read_outbox(Reader& reader) = 0;
    virtual void read_frontier(Reader& reader) = 0;
};

}  // namespace mule::search
