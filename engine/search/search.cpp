#include "search/search.hpp"

#include "search/breadth_first.hpp"
#include "search/depth_first.hpp"

namespace mule {

namespace {

template <unsigned W>
SearchResult run(const Program& program, const std::vector<Word>& initial, const SearchOptions& options, Reducer* reducer,
                 const Watch::Callback& callback) {
    if (options.order == Order::kBreadthFirst)
        return BreadthFirst<W>(program, options, reducer, callback).run(initial.data());
    return DepthFirst<W>(program, options, reducer, callback).run(initial.data());
}

}  // namespace

SearchResult search(const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
                    Reducer* reducer, const Watch::Callback& callback) {
    switch (program.words) {
        case 1: return run<1>(program, initial, options, reducer, callback);
        case 2: return run<2>(program, initial, options, reducer, callback);
        case 3: return run<3>(program, initial, options, reducer, callback);
        case 4: return run<4>(program, initial, options, reducer, callback);
        default: return run<0>(program, initial, options, reducer, callback);
    }
}

}  // namespace mule
