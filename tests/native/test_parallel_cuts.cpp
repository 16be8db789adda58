// Searches that are cut and gone on with, by other numbers of threads and by one: the same counts, verdicts and paths
// as without a cut, or the file is refused.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "counters.hpp"
#include "independent.hpp"
#include "parallel/numbering.hpp"
#include "parallel/search.hpp"
#include "store/archive.hpp"

using namespace mule;
using namespace mule::counters;
using namespace mule::parallel;

namespace {

// States as they are kept in a Table, and large ones, which one worker compresses.
using Small = Wide<2, 12>;
using Large = Wide<7, 12>;

Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 5}; }

// workers 0: the serial search.
template <typename Model>
std::unique_ptr<Search> begun(const Program& program, const SearchOptions& options, unsigned workers,
                              Reducer* reducer = nullptr) {
    if (workers == 0) return make_search(program, Model::start(), options, reducer);
    return make_parallel_search(program, Model::start(), options, reducer, tiny(workers));
}

std::unique_ptr<Search> gone_on_with(const std::string& cut, const Program& program, const SearchOptions& options,
                                     unsigned workers, Reducer* reducer = nullptr) {
    std::istringstream in(cut);
    if (workers == 0) return read_search(program, options, reducer, in);
    return read_parallel_search(program, options, reducer, tiny(workers), in);
}

std::string written(const Search& search) {
    REQUIRE(search.can_be_written());
    std::ostringstream out;
    search.write(out);
    return out.str();
}

std::string cut_after(Search& search, std::uint64_t states) {
    for (std::uint64_t done = 0; done < states; done += 50) REQUIRE(search.step(50));
    return written(search);
}

void is_the_same(const SearchResult& found, const SearchResult& expected) {
    CHECK(found.stopped == expected.stopped);
    CHECK(found.found == expected.found);
    CHECK(found.path.size() == expected.path.size());
    if (expected.found != Found::kNothing) return;  // where one thread stops in a level, others do not
    CHECK(found.progress.states == expected.progress.states);
    CHECK(found.progress.transitions == expected.progress.transitions);
    CHECK(found.progress.depth == expected.progress.depth);
    CHECK(found.deadlocks == expected.deadlocks);
    CHECK(found.failures == expected.failures);
    CHECK(found.error_states == expected.error_states);
    CHECK(found.transient == expected.transient);
    CHECK(found.fired == expected.fired);
    CHECK(found.expanded == expected.expanded);
}

// Cut twice, so that what was read is written again.
template <typename Model>
void goes_on(const Program& program, const SearchOptions& options) {
    const SearchResult expected = finish(*begun<Model>(program, options, 0), 1000);
    for (const auto& [first, second, last] : {std::tuple{0u, 3u, 0u}, {3u, 0u, 3u}, {3u, 2u, 1u}, {1u, 4u, 4u}}) {
        CAPTURE(first);
        CAPTURE(second);
        CAPTURE(last);
        for (const std::uint64_t states : {50u, 200u}) {
            const std::string cut = cut_after(*begun<Model>(program, options, first), states);
            const std::string again = cut_after(*gone_on_with(cut, program, options, second), 50);
            is_the_same(finish(*gone_on_with(again, program, options, last), 100), expected);
        }
    }
}

template <typename Model>
void goes_on_whatever_is_asked() {
    SearchOptions options;
    goes_on<Model>(Model::program(), options);
    Program with_transient = Model::program();
    with_transient.transient = 1;
    goes_on<Model>(with_transient, options);
    goes_on<Model>(Model::program(1), options);
    options.error_state_mask = std::vector<Word>(Model::kWords);
    options.error_state_mask.back() = 0xFFFFFF;
    goes_on<Model>(Model::program(), options);
    options.stop_at_deadlock = true;
    goes_on<Model>(Model::program(), options);
}

}  // namespace

TEST_CASE("any number of threads goes on with what another has written") {
    goes_on_whatever_is_asked<Small>();
    goes_on_whatever_is_asked<Large>();
}

TEST_CASE("threads with a reduction go on with what they have remembered") {
    const Program program = Small::program<false>();
    SearchOptions options;
    options.proviso = Proviso::kDuplicateMinus;
    for (const auto& [first, last] : {std::pair{0u, 2u}, {2u, 0u}, {3u, 2u}}) {
        Reducer before = independent(program, Memory::kValid);
        const auto search = begun<Small>(program, options, first, &before);
        search->step(20);
        const std::string cut = written(*search);
        Reducer after = independent(program, Memory::kValid);
        const SearchResult found = finish(*gone_on_with(cut, program, options, last, &after), 100);
        CHECK(found.deadlocks == 1);
        CHECK(found.progress.states < Small::kMany);
    }
}

// The wheel turns alone at first: each cut lies somewhere on its first turn, which the last step closes.
template <typename Model>
void knows_what_is_closed() {
    const Program program = Model::turning();
    SearchOptions options;
    options.proviso = Proviso::kClosedMinus;
    for (const auto& [first, last] : {std::pair{0u, 0u}, {0u, 2u}, {2u, 0u}, {3u, 2u}}) {
        for (const unsigned steps : {1u, 2u}) {
            CAPTURE(first);
            CAPTURE(last);
            CAPTURE(steps);
            Reducer before = independent(program, Memory::kValid);
            const auto search = begun<Model>(program, options, first, &before);
            for (unsigned step = 0; step < steps; ++step) REQUIRE(search->step(1));
            REQUIRE(search->progress().depth < 4);
            const std::string cut = written(*search);
            Reducer after = independent(program, Memory::kValid);
            const SearchResult found = finish(*gone_on_with(cut, program, options, last, &after), 100);
            CHECK(found.found == Found::kProposition);
            CHECK(found.fully_expanded == 1);
        }
    }
}

TEST_CASE("whoever goes on knows which states are closed") {
    knows_what_is_closed<Small>();
    knows_what_is_closed<Large>();
}

TEST_CASE("threads that have reached their limit on states can be written, and go on with another") {
    const Program program = Small::program();
    const SearchResult expected = finish(*begun<Small>(program, {}, 0), 1000);
    for (const std::uint64_t most : {1u, 100u, 1'500u}) {
        SearchOptions options;
        options.whole_batches = true;
        options.max_states = most;
        const auto search = begun<Small>(program, options, 3);
        while (search->step(100)) {
        }
        CHECK(search->stopped() == "states");
        CHECK(search->progress().states >= most);
        const std::string cut = written(*search);
        options.max_states = ~std::uint64_t{0};
        is_the_same(finish(*gone_on_with(cut, program, options, 3), 100), expected);
    }
}

TEST_CASE("threads that have found something and finish their level cannot be written") {
    using Model = Wide<2, 30>;
    const Program program = Model::program(1);
    const SearchOptions options;
    const auto search = begun<Model>(program, options, 3);
    bool was_refused = false;
    while (search->step(20)) was_refused = was_refused || !search->can_be_written();
    CHECK(was_refused);
    CHECK(search->take_result().found == Found::kProposition);
}

TEST_CASE("threads whose memory is full hand over to one that goes on with disk") {
    const std::string directory = std::filesystem::temp_directory_path();
    for (const bool large : {false, true}) {
        const Program program = large ? Wide<7, 30>::program(0) : Wide<2, 30>::program(0);
        const auto start = large ? Wide<7, 30>::start() : Wide<2, 30>::start();
        for (const bool finds : {false, true}) {
            SearchOptions options;
            options.stop_at_deadlock = finds;
            const SearchResult expected = finish(*make_search(program, start, options, nullptr), 1000);
            options.spill = directory;
            options.max_bytes = large ? 1'500'000 : 900'000;
            const auto search = make_parallel_search(program, start, options, nullptr, tiny(3));
            std::string cut;
            while (search->step(500)) {
                if (cut.empty() && search->progress().disk > 0) cut = written(*search);
            }
            const SearchResult found = search->take_result();
            is_the_same(found, expected);
            CHECK(found.workers == 3);
            CHECK(found.progress.disk > 0);
            // What is partly on disk, or too large as several keep it, one goes on with.
            REQUIRE(!cut.empty());
            const SearchResult again = finish(*gone_on_with(cut, program, options, 3), 500);
            is_the_same(again, expected);
            CHECK(again.workers == 1);
        }
    }
}

TEST_CASE("threads whose memory is full stop where there is no disk to go on with") {
    const Program program = Small::program();
    SearchOptions options;
    options.max_bytes = 40'000;
    const auto search = begun<Small>(program, options, 3);
    while (search->step(100)) {
    }
    CHECK(search->stopped() == "memory");
    const std::string cut = written(*search);
    options.max_bytes = ~std::uint64_t{0};
    is_the_same(finish(*gone_on_with(cut, program, options, 2), 100), finish(*begun<Small>(program, options, 0), 1000));

    SearchOptions nowhere;
    nowhere.max_bytes = 40'000;
    nowhere.spill = "/dev/null/nowhere";
    CHECK(finish(*begun<Small>(program, nowhere, 3), 100).stopped == "disk");
}

TEST_CASE("what several threads have written is refused where it was cut short or changed") {
    for (const bool large : {false, true}) {
        const Program program = large ? Large::program(1) : Small::program(1);
        const SearchOptions options;
        const auto search = large ? begun<Large>(program, options, 3) : begun<Small>(program, options, 0);
        const std::string whole = cut_after(*search, 100);
        for (std::size_t at = 0; at < whole.size(); at += large ? 997 : 211) {
            CHECK_THROWS_AS(gone_on_with(whole.substr(0, at), program, options, 2), ArchiveError);
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 4);
            for (const unsigned workers : {0u, 2u})
                CHECK_THROWS_AS(gone_on_with(changed, program, options, workers), ArchiveError);
        }
        gone_on_with(whole, program, options, 2);
    }
}

TEST_CASE("numbers of several threads become those of one") {
    Numbering numbering({10, 4, 0});
    numbering.add_waiting(1, 1, 3);
    numbering.add_waiting(0, 5, 7);
    numbering.add_waiting(0, 7, 10);
    numbering.finish();
    const std::vector<StateNumber> first = {0, 1, 2, 3, 4, 9, 10, 11, 12, 13};
    const std::vector<StateNumber> second = {5, 7, 8, 6};
    for (StateNumber number = 0; number < first.size(); ++number) CHECK(numbering.of(0, number) == first[number]);
    for (StateNumber number = 0; number < second.size(); ++number) CHECK(numbering.of(1, number) == second[number]);
    std::uint64_t all = 0;
    numbering.for_each([&](std::uint16_t, StateNumber begin, StateNumber end) { all += end - begin; });
    CHECK(all == 14);
}
