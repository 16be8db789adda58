#include "search/search.hpp"

#include "search/depth_first.hpp"
#include "search/explorer.hpp"
#include "store/compressed.hpp"
#include "store/table.hpp"
#include "store/width.hpp"

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
    return for_width(program.words, [&]<unsigned W>() {
        using Store = std::conditional_t<W == 0, CompressedTable, Table<W>>;
        return make<Store>(program, initial, options, reducer);
    });
}

}  // namespace mule::search
