#include "search/search.hpp"

#include "search/depth_first.hpp"
#include "search/explorer.hpp"
#include "search/fragmented.hpp"
#include "search/guided.hpp"
#include "search/iterative_deepening.hpp"
#include "store/compressed.hpp"
#include "store/lossy.hpp"
#include "store/numbered.hpp"
#include "store/table.hpp"
#include "store/width.hpp"

namespace mule::search {

namespace {

// Calls `make.operator()<Store>()` with the store for states of so many words.
template <typename Make>
auto with_store(unsigned words, Make&& make) {
    return for_width(words, [&]<unsigned W>() {
        return make.template operator()<std::conditional_t<W == 0, CompressedTable, Table<W>>>();
    });
}

// The same for a breadth-first search. A signature is no smaller than a state of one word, which is kept as it is.
template <typename Make>
auto with_asked_store(unsigned words, Keeping keeping, Make&& make) {
    if (keeping == Keeping::kBitstate) return make.template operator()<Bitstate>();
    if (keeping == Keeping::kCompact && words > 1) return make.template operator()<CompactTable>();
    return with_store(words, make);
}

// Calls `begin(search)` with a fragmented depth-first search that has the condition of the options.
template <typename Begin>
std::unique_ptr<Exploration> fragmented(const Program& program, const SearchOptions& options, Reducer* reducer,
                                        Share share, Begin&& begin) {
    return with_fragmented(options.proviso, [&]<typename Condition>() -> std::unique_ptr<Exploration> {
        auto search = std::make_unique<FragmentedDepthFirst<Condition>>(program, options, reducer, share);
        begin(*search);
        return search;
    });
}

}  // namespace

std::unique_ptr<Search> make_search(const Program& program, const std::vector<Word>& initial,
                                    const SearchOptions& options, Reducer* reducer) {
    if (options.order == Order::kBreadthFirst || is_fragmented(options.proviso))
        return make_exploration(program, initial, options, reducer, {});
    if (options.order == Order::kIterativeDeepening) {
        auto search = std::make_unique<IterativeDeepening>(program, options, reducer);
        search->begin(initial.data());
        return search;
    }
    if (options.order != Order::kDepthFirst) {
        Guided frontier(program, options);
        auto search =
            std::make_unique<Explorer<NumberedStore<0>, Guided>>(program, options, reducer, std::move(frontier));
        search->begin(initial.data());
        return search;
    }
    return with_store(program.words, [&]<typename Store>() -> std::unique_ptr<Search> {
        auto search = std::make_unique<DepthFirst<Store>>(program, options, reducer);
        search->begin(initial.data());
        return search;
    });
}

std::unique_ptr<Exploration> make_exploration(const Program& program, const std::vector<Word>& initial,
                                              const SearchOptions& options, Reducer* reducer, Share share) {
    if (is_fragmented(options.proviso))
        return fragmented(program, options, reducer, share, [&](auto& search) { search.begin(initial.data()); });
    return with_asked_store(program.words, options.keeping, [&]<typename Store>() -> std::unique_ptr<Exploration> {
        Fifo frontier(program.words);
        auto search = std::make_unique<Explorer<Store, Fifo>>(program, options, reducer, std::move(frontier), share);
        search->begin(initial.data());
        return search;
    });
}

std::unique_ptr<Search> read_search(const Program& program, const SearchOptions& options, Reducer* reducer,
                                    std::istream& in) {
    if (options.order == Order::kBreadthFirst) return read_exploration(program, options, reducer, in);
    if (options.order != Order::kDepthFirst) throw std::logic_error("this search cannot be read");
    return with_store(program.words, [&]<typename Store>() -> std::unique_ptr<Search> {
        auto search = std::make_unique<DepthFirst<Store>>(program, options, reducer);
        search->read(in);
        return search;
    });
}

std::unique_ptr<Exploration> read_exploration(const Program& program, const SearchOptions& options, Reducer* reducer,
                                              std::istream& in) {
    if (is_fragmented(options.proviso))
        return fragmented(program, options, reducer, {}, [&](auto& search) { search.read(in); });
    return with_asked_store(program.words, options.keeping, [&]<typename Store>() -> std::unique_ptr<Exploration> {
        auto search = std::make_unique<Explorer<Store, Fifo>>(program, options, reducer, Fifo(program.words));
        search->read(in);
        return search;
    });
}

}  // namespace mule::search
