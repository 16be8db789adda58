// Breadth-first search by several workers on one table.
#pragma once

#include "search/search.hpp"

namespace mule::parallel {

using search::Search;
using search::SearchOptions;

struct Team {
    unsigned workers = 1;
    // The first worker does alone what is too little to share: while fewer states are stored, and where a level has
    // fewer states left.
    std::uint64_t alone_until = 0;
    std::uint64_t worth_sharing = 500;
    std::uint64_t capacity = std::uint64_t{1} << 12;  // of the table, at first

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

}  // namespace mule::parallel
