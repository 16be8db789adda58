#include "search/search.hpp"

#include "search/depth_first.hpp"
#include "search/explorer.hpp"
#include "store/compressed.hpp"
#include "store/table.hpp"

namespace mule::search {

namespace {

template <typename Store>
std::unique_ptr<Search> make(const Program& program, const std::vector<Word>& initial, const SearchOptions& options,
                             Reducer* reducer) {
    const auto begun = [&](auto search) -> std::unique_ptr<Search> {
        search->begin(initial.data());
        return search;
    };
    if (options.order == Order::kDepthFirst)
        return begun(std::make_unique<DepthFirst<Store>>(program, options, reducer));
    return begun(std::make_unique<Explorer<Store, Fifo>>(program, options, reducer, Fifo(program.words)));
}

}  // namespace

std::unique_ptr<Search> make_search(const Program& program, const std::vector<Word>& initial,
                                    const SearchOptions& options, Reducer* reducer) {
    switch (program.words) {
        case 1:
            return make<Table<1>>(program, initial, options, reducer);
        case 2:
            return make<Table<2>>(program, initial, options, reducer);
        case 3:
            return make<Table<3>>(program, initial, options, reducer);
        case 4:
            return make<Table<4>>(program, initial, options, reducer);
        default:
            return make<CompressedTable>(program, initial, options, reducer);
    }
}

}  // namespace mule::search
