#include "search/search.hpp"

#include "search/breadth_first.hpp"
#include "search/depth_first.hpp"

namespace mule {

namespace {

template <typename Store>
SearchResult run(const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
                 Reducer* reducer, const Watch::Callback& callback) {
    if (options.order == Order::kBreadthFirst)
        return BreadthFirst<Store>(program, options, reducer, callback).run(initial.data());
    return DepthFirst<Store>(program, options, reducer, callback).run(initial.data());
}

}  // namespace

SearchResult search(const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
                    Reducer* reducer, const Watch::Callback& callback) {
    switch (program.words) {
        case 1:
            return run<Table<1>>(program, initial, options, reducer, callback);
        case 2:
            return run<Table<2>>(program, initial, options, reducer, callback);
        case 3:
            return run<Table<3>>(program, initial, options, reducer, callback);
        case 4:
            return run<Table<4>>(program, initial, options, reducer, callback);
        default:
            return run<CompressedTable>(program, initial, options, reducer, callback);
    }
}

}  // namespace mule
