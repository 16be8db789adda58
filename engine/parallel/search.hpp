// Breadth-first search by several workers on one table.
#pragma once

#include "search/exploration.hpp"

namespace mule::parallel {

using search::Exploration;
using search::Search;
using search::SearchOptions;
using search::Share;

struct Team {
    unsigned workers = 1;
    // The first worker does alone what is too little to share: while fewer states are stored, and where a level has
    // fewer states left.
    std::uint64_t alone_until = 0;
    std::uint64_t worth_sharing = 500;
    std::uint64_t capacity = std::uint64_t{1} << 12;  // of the table, at first
    // Where teams share the states: the number of the first worker among those of all teams.
    std::uint16_t first = 0;

    static constexpr unsigned kMostWorkers = 1024;
};

// Without reduction it counts what one worker counts. The program, the options and the reducer (which may be null, is
// the first worker's, and is copied for the others) must outlive the search. Not for provisos that need a stack, and it
// takes no samples. Where the options name a directory for it, one worker goes on with disk when the memory is full.
std::unique_ptr<Search> make_parallel_search(const Program& program, const std::vector<Word>& initial,
                                             const SearchOptions& options, reduction::Reducer* reducer,
                                             const Team& team);

// The breadth-first search that was written by however many workers, with the same program and options, and with a
// reducer like this one; throws ArchiveError where it is not. What is partly on disk, or would not fit into memory as
// several workers keep it, one worker goes on with.
std::unique_ptr<Search> read_parallel_search(const Program& program, const SearchOptions& options,
                                             reduction::Reducer* reducer, const Team& team, std::istream& in);

// The same as one of several explorations that own parts of the states: what other teams send, all workers store.
std::unique_ptr<Exploration> make_parallel_exploration(const Program& program, const std::vector<Word>& initial,
                                                       const SearchOptions& options, reduction::Reducer* reducer,
                                                       const Team& team, Share share);

// The exploration that was written by a team of as many workers, with the same number of the first one and the same
// share; throws ArchiveError where it is not.
std::unique_ptr<Exploration> read_parallel_exploration(const Program& program, const SearchOptions& options,
                                                       reduction::Reducer* reducer, const Team& team, Share share,
                                                       std::istream& in);

}  // namespace mule::parallel
