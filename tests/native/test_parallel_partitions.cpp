// Teams of threads that share the states of one program with other teams: together they count what one search does,
// and find what it finds; also when they are written and read, and when their memory is full.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "counters.hpp"
#include "independent.hpp"
#include "parallel/search.hpp"

using namespace mule;
using namespace mule::counters;
using namespace mule::parallel;

namespace {

using Counting = Wide<3, 16>;
using Sizes = std::vector<unsigned>;

// Explorations of as many threads as the sizes say, and what travels between them.
class Partitions {
  public:
    Partitions(const Program& program, const SearchOptions& options, Sizes sizes, bool reduces = false)
        : program_(program), options_(options), sizes_(std::move(sizes)), reduces_(reduces) {
        for (std::uint16_t part = 0; part < parts(); ++part)
            searches_.push_back(
                make_parallel_exploration(program, Counting::start(), options, reducer(), team(part), share(part)));
    }

    std::uint16_t parts() const { return static_cast<std::uint16_t>(sizes_.size()); }
    Exploration& operator[](std::uint16_t part) { return *searches_[part]; }
    bool any(bool (Exploration::*what)() const) const {
        return std::any_of(searches_.begin(), searches_.end(), [&](const auto& each) { return (*each.*what)(); });
    }

    // Until nothing is left to do, or so many rounds.
    void run(std::uint64_t states, unsigned rounds = ~0u) {
        while (any(&Exploration::has_work) && !any(&Exploration::ended) && rounds-- != 0) {
            for (const auto& search : searches_) search->step(states);
            exchange();
        }
    }
    void exchange() {
        for (const auto& from : searches_)
            for (std::uint16_t to = 0; to < parts(); ++to) searches_[to]->receive(from->outbox(to));
    }

    // All of them are written, and others go on with the files.
    void begin_again() {
        for (std::uint16_t part = 0; part < parts(); ++part) {
            std::stringstream file;
            searches_[part]->write(file);
            searches_[part] = read_parallel_exploration(program_, options_, reducer(), team(part), share(part), file);
        }
        exchange();  // each what it had no room for
    }

    std::vector<Step> path_to(PathEnd end) {
        std::vector<Step> path = end.steps;
        while (!end.from_initial_state) {
            std::uint16_t part = 0;
            for (unsigned first = sizes_[0]; first <= end.part; first += sizes_[++part]) {
            }
            end = searches_[part]->path_to(end.part, end.number);
            path.insert(path.begin(), end.steps.begin(), end.steps.end());
        }
        return path;
    }

    std::vector<SearchResult> results() {
        std::vector<SearchResult> found;
        for (const auto& search : searches_) found.push_back(search->take_result());
        return found;
    }

  private:
    Share share(std::uint16_t part) const { return {part, parts()}; }
    Team team(std::uint16_t part) const {
        const unsigned first = std::accumulate(sizes_.begin(), sizes_.begin() + part, 0u);
        return {.workers = sizes_[part], .worth_sharing = 2, .capacity = 5, .first = static_cast<std::uint16_t>(first)};
    }
    Reducer* reducer() {
        if (!reduces_) return nullptr;
        reducers_.push_back(std::make_unique<Reducer>(independent(program_, Memory::kValid)));
        return reducers_.back().get();
    }

    const Program& program_;
    const SearchOptions& options_;
    Sizes sizes_;
    bool reduces_;
    std::vector<std::unique_ptr<Reducer>> reducers_;
    std::vector<std::unique_ptr<Exploration>> searches_;
};

const std::vector<Sizes> kTeams = {{2}, {1, 1}, {2, 2}, {3, 1, 2}};

void counts_as_one(Partitions& partitions, const SearchResult& expected) {
    std::uint64_t states = 0, transitions = 0, deadlocks = 0, failures = 0, transient = 0, open = 0, workers = 0;
    std::vector<std::uint8_t> fired(kCounters);
    for (const SearchResult& each : partitions.results()) {
        states += each.progress.states;
        transitions += each.progress.transitions;
        deadlocks += each.deadlocks;
        failures += each.failures;
        transient += each.transient;
        open += each.progress.open;
        workers = std::max<std::uint64_t>(workers, each.workers);
        for (unsigned t = 0; t < kCounters; ++t) fired[t] |= each.fired[t];
        CHECK(each.stopped == "");
    }
    CHECK(states == expected.progress.states);
    CHECK(transitions == expected.progress.transitions);
    CHECK(deadlocks == expected.deadlocks);
    CHECK(failures == expected.failures);
    CHECK(transient == expected.transient);
    CHECK(fired == expected.fired);
    CHECK(open == 0);
}

// Where the steps of a path lead from the initial state.
Word after(const std::vector<Step>& path) {
    Word last = 0;
    for (const Step& step : path) last += Word{1} << (8 * step.transition);
    return last;
}

}  // namespace

TEST_CASE("teams of threads that share the states count together what one search does") {
    const Program plain = Counting::program();
    Program with_transient = plain;
    with_transient.transient = 1;
    for (const Program* program : std::initializer_list<const Program*>{&plain, &with_transient}) {
        const SearchOptions options;
        const SearchResult expected = finish(*make_search(*program, Counting::start(), options, nullptr), 1000);
        for (const Sizes& sizes : kTeams) {
            for (const std::uint64_t step : {7u, 100'000u}) {
                Partitions partitions(*program, options, sizes);
                partitions.run(step);
                counts_as_one(partitions, expected);
            }
        }
    }
}

TEST_CASE("the way to a state leads over whichever threads and teams have numbered its states") {
    const Program program = Counting::program(1);
    const SearchOptions options;
    for (const Sizes& sizes : kTeams) {
        Partitions partitions(program, options, sizes);
        partitions.run(200);
        REQUIRE(partitions.any(&Exploration::ended));
        for (std::uint16_t part = 0; part < partitions.parts(); ++part) {
            const PathEnd end = partitions[part].found_path();
            if (!partitions[part].ended()) continue;
            std::vector<Word> state = Counting::start();
            state.back() = after(partitions.path_to(end));
            CHECK(!Counting::proposition(state.data(), 0));
        }
    }
}

TEST_CASE("teams of threads that are written at any moment go on as if nothing had happened") {
    const Program plain = Counting::program(), judged = Counting::program(1);
    const SearchOptions options;
    const SearchResult expected = finish(*make_search(plain, Counting::start(), options, nullptr), 1000);
    for (const Sizes& sizes : kTeams) {
        for (const unsigned rounds : {0u, 1u, 3u, 9u, 30u}) {
            Partitions counting(plain, options, sizes);
            counting.run(40, rounds);
            counting.begin_again();
            counting.run(40, rounds);
            counting.begin_again();
            counting.run(1000);
            counts_as_one(counting, expected);

            Partitions judging(judged, options, sizes);
            judging.run(20, rounds);
            if (judging.any(&Exploration::ended)) continue;
            judging.begin_again();
            judging.run(1000);
            CHECK(judging.any(&Exploration::ended));
            for (std::uint16_t part = 0; part < judging.parts(); ++part)
                if (judging[part].ended()) {
                    const Word last = after(judging.path_to(judging[part].found_path()));
                    CHECK(value(last, 0) + value(last, 1) + value(last, 2) == Counting::kHigh * 4 / 3);
                }
        }
    }
}

TEST_CASE("what is received and not stored yet by threads is written, too") {
    const Program program = Counting::program();
    const SearchOptions options;
    const SearchResult expected = finish(*make_search(program, Counting::start(), options, nullptr), 1000);
    Partitions partitions(program, options, {2, 3});
    for (unsigned round = 0; round < 20; ++round) {
        for (std::uint16_t part = 0; part < 2; ++part) partitions[part].step(50);
        partitions.exchange();
        if (round % 2 == 0) {  // stored, and not expanded
            const std::uint64_t open = partitions[1].progress().open;
            const std::uint64_t expanded = partitions[1].progress().states - open;
            partitions[1].step(0);
            CHECK(partitions[1].progress().open >= open);
            CHECK(partitions[1].progress().states - partitions[1].progress().open == expanded);
        }
        partitions.begin_again();
    }
    partitions.run(500);
    counts_as_one(partitions, expected);
}

TEST_CASE("teams of threads whose memory is full set states aside, and go on where there is more") {
    const Program program = Counting::program();
    SearchOptions options;
    const SearchResult expected = finish(*make_search(program, Counting::start(), options, nullptr), 1000);
    options.sets_aside = true;
    for (const Sizes& sizes : {Sizes{2, 2}, Sizes{1, 3, 2}}) {
        options.max_bytes = 2'000'000;
        Partitions partitions(program, options, sizes);
        unsigned times = 0;
        for (std::size_t most = 60'000;; most *= 2) {
            options.max_bytes = most;
            partitions.run(100);
            if (!partitions.any(&Exploration::is_full)) break;
            ++times;
            for (std::uint16_t part = 0; part < partitions.parts(); ++part) {
                CHECK(!(partitions[part].is_full() && partitions[part].has_work()));
                CHECK(partitions[part].stopped() == "");
            }
            options.max_bytes = 2 * most;
            partitions.begin_again();
        }
        CHECK(times > 2);
        counts_as_one(partitions, expected);
    }
}

TEST_CASE("teams of threads with a reduction do not ignore what a wheel leaves out") {
    const Program program = Counting::turning();
    for (const Proviso proviso : {Proviso::kClosedMinus, Proviso::kDuplicateMinus, Proviso::kDuplicate}) {
        SearchOptions options;
        options.proviso = proviso;
        for (const Sizes& sizes : kTeams) {
            Partitions partitions(program, options, sizes, true);
            partitions.run(30);
            CHECK(partitions.any(&Exploration::ended));
        }
    }
}

TEST_CASE("a team of threads stops at its limit on states, and refuses what is no batch, or no file of its own") {
    const Program program = Counting::program();
    SearchOptions options;
    options.max_states = 300;
    Partitions partitions(program, options, {2, 2});
    partitions.run(1000);
    const std::vector<SearchResult> found = partitions.results();
    CHECK(std::any_of(found.begin(), found.end(), [](const SearchResult& each) {
        return each.stopped == "states" && each.progress.states == 300;
    }));

    Partitions others(program, options, {2, 2});
    others.run(10, 3);
    const std::vector<Word> odd(5, kOccupied);
    CHECK_THROWS_AS(others[0].receive(odd), std::invalid_argument);
    std::stringstream file;
    others[0].write(file);
    const auto read = [&](Team team, Share share) {
        file.clear();
        file.seekg(0);
        return read_parallel_exploration(program, options, nullptr, team, share, file);
    };
    CHECK_NOTHROW(read({.workers = 2}, {0, 2}));
    CHECK_THROWS_AS(read({.workers = 2}, {1, 2}), ArchiveError);
    CHECK_THROWS_AS(read({.workers = 3}, {0, 2}), ArchiveError);
    CHECK_THROWS_AS(read({.workers = 2, .first = 2}, {0, 2}), ArchiveError);
    file.clear();
    file.seekg(0);
    CHECK_THROWS_AS(read_parallel_search(program, options, nullptr, {.workers = 2}, file), ArchiveError);
}
