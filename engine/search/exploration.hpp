// What an explorer offers besides being a search: it can be written between two steps and read in another process, and
// it can be one of several that own parts of the states.
#pragma once

#include <istream>
#include <ostream>
#include <span>

#include "search/search.hpp"
#include "store/place.hpp"

namespace mule::search {

// Which states an explorer owns: those whose hash says so. The lower half decides, since stores look at the upper half.
struct Share {
    std::uint16_t part = 0;
    std::uint16_t parts = 1;

    std::uint16_t owner(std::uint64_t hash) const {
        return static_cast<std::uint16_t>((hash & 0xFFFFFFFFu) * parts >> 32);
    }
    bool whole() const { return parts == 1; }
    bool owns(std::uint64_t hash) const { return whole() || owner(hash) == part; }
};

// Some last steps of a path, and the state that they begin in.
struct PathEnd {
    std::vector<Step> steps;
    bool from_initial_state = true;
    std::uint16_t part = 0;  // otherwise who has numbered this state: an explorer, or one of its threads
    StateNumber number = 0;
};

class Exploration : public Search {
  public:
    // Successors that `owner` owns, since this was asked last, with their origins: what `receive` takes. Nobody
    // expands them unless they are received.
    virtual std::vector<Word> outbox(std::uint16_t owner) = 0;
    // It may be stored in the next step only, be it one of 0 states.
    virtual void receive(std::span<const Word> batch) = 0;
    // Whether it has states to expand, be it after `step` said that there were none.
    virtual bool has_work() const = 0;
    // Whether it goes no further: what is looked for is found, or it was stopped.
    virtual bool ended() const = 0;
    // Whether its memory is full. Then it has no work, and sets aside what it does not know: in its own box, from which
    // whoever reads it again has it received.
    bool is_full() const { return is_full_; }
    // The states after errors that it has counted, one after the other: another explorer may have counted the same.
    virtual std::vector<Word> error_states() const = 0;
    // The way to one of its states, as far as this explorer knows it. `part`: who has numbered the state.
    virtual PathEnd path_to(std::uint16_t part, StateNumber number) const = 0;
    // The same for what was found: the end of the result's path.
    virtual PathEnd found_path() const = 0;

    // Between two steps, as long as the search goes on.
    void write(std::ostream& out) const override = 0;

  protected:
    bool is_full_ = false;
};

// Breadth first, or in fragments where the proviso asks for them, from the initial state if it is in this share. The
// program, the options and the reducer (which may be null) must outlive the exploration.
std::unique_ptr<Exploration> make_exploration(const Program& program, const std::vector<Word>& initial,
                                              const SearchOptions& options, Reducer* reducer, Share share);

// The exploration that was written, with the same program and options; throws ArchiveError where it is not.
std::unique_ptr<Exploration> read_exploration(const Program& program, const SearchOptions& options, Reducer* reducer,
                                              std::istream& in);

}  // namespace mule::search
