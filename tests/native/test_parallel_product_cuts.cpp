// Products that are cut and gone on with, by other numbers of threads: the same counts, verdicts and runs as without a
// cut, or the file is refused.
#include <doctest/doctest.h>

#include <sstream>
#include <tuple>

#include "damaged.hpp"
#include "parallel/emptiness.hpp"
#include "wheels.hpp"

using namespace mule;
using namespace mule::wheels;
using namespace mule::parallel;

namespace {

Team tiny(unsigned workers) { return {.workers = workers, .worth_sharing = 2, .capacity = 8}; }

// A question about the wheels, and how it is searched.
struct Asked {
    PropertyAutomaton automaton;
    EmptinessOptions options = by_components();
    bool reduces = false;
};

// One of them for each search: what reducers remember is not shared.
class Product {
  public:
    explicit Product(const Asked& asked) : asked_(asked) {}

    std::unique_ptr<EmptinessSearch> begun(unsigned workers) {
        return make_parallel_emptiness_search(program_, kStart, asked_.automaton, kField, asked_.options, reducer(),
                                              tiny(workers));
    }
    std::unique_ptr<EmptinessSearch> read(const std::string& cut, unsigned workers) {
        std::istringstream in(cut);
        return read_parallel_emptiness_search(program_, kStart, asked_.automaton, kField, asked_.options, reducer(),
                                              tiny(workers), in);
    }
    const Program& program() const { return program_; }

  private:
    Reducer* reducer() { return asked_.reduces ? &reducer_ : nullptr; }

    const Asked& asked_;
    const Program program_ = wheels::program();
    Reducer reducer_ = independent(program_, Memory::kExact);
};

std::string written(const EmptinessSearch& search) {
    REQUIRE(search.can_be_written());
    REQUIRE(search.has_more());
    std::ostringstream out;
    search.write(out);
    return out.str();
}

EmptinessResult finish(EmptinessSearch& search) {
    while (search.step(100)) {
    }
    return search.take_result();
}

std::string cut_after(EmptinessSearch& search, unsigned steps) {
    for (unsigned step = 0; step < steps; ++step) REQUIRE(search.step(20));
    return written(search);
}

void is_the_same(const Asked& asked, const EmptinessResult& found, const EmptinessResult& expected) {
    CHECK(found.stopped == expected.stopped);
    CHECK(found.empty == expected.empty);
    CHECK(found.progress.states == expected.progress.states);
    CHECK(found.progress.transitions == expected.progress.transitions);
    CHECK(found.progress.depth == expected.progress.depth);
    CHECK(found.failures == expected.failures);
    CHECK(found.reduced == expected.reduced);
    CHECK(found.fully_expanded == expected.fully_expanded);
    CHECK(found.prefix.size() == expected.prefix.size());
    if (!found.empty) CHECK(marks_on_cycle(wheels::program(), asked.automaton, found) == asked.automaton.all_marks());
}

// Cut twice, so that what was read is written again.
void goes_on(const Asked& asked) {
    const EmptinessResult expected = finish(*Product(asked).begun(1));
    for (const auto& [first, second, last] : {std::tuple{1u, 3u, 1u}, {3u, 1u, 2u}, {4u, 2u, 4u}}) {
        for (const unsigned steps : {1u, 3u, 6u}) {
            CAPTURE(first);
            CAPTURE(steps);
            Product one(asked);
            Product two(asked);
            Product three(asked);
            const std::string cut = cut_after(*one.begun(first), steps);
            const std::string again = cut_after(*two.read(cut, second), 2);
            is_the_same(asked, finish(*three.read(again, last)), expected);
        }
    }
}

EmptinessOptions fair(bool compassion) {
    EmptinessOptions options = by_components();
    BitMatrix each(kWheels, kWheels);
    for (unsigned wheel = 0; wheel < kWheels; ++wheel) set_bit(each.row(wheel), wheel);
    options.fairness = {compassion, each, each};
    return options;
}

}  // namespace

TEST_CASE("threads go on with the product that other threads have written") {
    goes_on({both_again(0, 2)});
    goes_on({both_again(0, 1)});
    goes_on({never_from_some_moment(2)});
}

TEST_CASE("threads go on with a reduced product, and it is the same") {
    for (const Proviso proviso : {Proviso::kDuplicate, Proviso::kC3Prime}) {
        goes_on({both_again(2, 2), seeing({2}, proviso), true});
        goes_on({both_again(0, 1), seeing({0, 1}, proviso), true});
        goes_on({never_from_some_moment(1), seeing({1}, proviso), true});
    }
}

TEST_CASE("threads go on with a product under fairness") {
    for (const bool compassion : {false, true}) {
        goes_on({never_from_some_moment(0), fair(compassion)});
        goes_on({both_again(0, 1), fair(compassion)});
    }
}

TEST_CASE("threads go on beyond a limit on states") {
    Asked asked{both_again(0, 2)};
    const EmptinessResult expected = finish(*Product(asked).begun(1));
    asked.options.whole_batches = true;
    Asked limited = asked;
    limited.options.limits.max_states = 700;
    Product product(limited);
    const auto search = product.begun(2);
    while (search->step(100)) {
    }
    CHECK(search->stopped() == "states");
    CHECK(search->progress().states >= 700);
    is_the_same(asked, finish(*Product(asked).read(written(*search), 3)), expected);
}

TEST_CASE("a look for a cycle that was given up is begun again") {
    for (const Asked& asked : {Asked{both_again(0, 2)}, Asked{both_again(0, 1)}}) {
        const EmptinessResult expected = finish(*Product(asked).begun(1));
        std::string cut;
        for (unsigned looks = 0;; ++looks) {  // each of which is given up once
            Product product(asked);
            const auto search = looks == 0 ? product.begun(2) : product.read(cut, 2);
            bool told = false;
            search->asks([&]() -> std::string { return std::exchange(told, true) ? "" : "time"; });
            while (search->step(100)) {
            }
            if (search->stopped().empty()) {
                CHECK(looks > 0);
                break;
            }
            cut = written(*search);
            Product other(asked);
            const auto again = other.read(cut, 1);
            is_the_same(asked, finish(*again), expected);
            CHECK(!again->can_be_written());
            if (looks > 3) break;
        }
    }
}

TEST_CASE("a product that is cut short, changed or another one is refused") {
    const Asked asked{both_again(2, 2), seeing({2}, Proviso::kDuplicate), true};
    Product product(asked);
    const std::string cut = cut_after(*product.begun(2), 10);
    for (std::size_t at = 0; at < cut.size(); at += 97) {
        CHECK_THROWS_AS(Product(asked).read(cut.substr(0, at), 1), ArchiveError);
        std::string changed = cut;
        changed[at] ^= 4;
        CHECK_THROWS_AS(Product(asked).read(changed, 2), ArchiveError);
    }
    CHECK_THROWS_AS(Product({both_again(2, 2)}).read(cut, 1), ArchiveError);
    CHECK_THROWS_AS(Product({never_from_some_moment(2), asked.options, true}).read(cut, 1), ArchiveError);
    Asked other = asked;
    other.options.identity = {1};
    CHECK_THROWS_AS(Product(other).read(cut, 1), ArchiveError);
    other = asked;
    other.options.proviso = Proviso::kC3Prime;
    CHECK_THROWS_AS(Product(other).read(cut, 1), ArchiveError);
}

TEST_CASE("what is wrong in a product although its checksum is right is refused, or does no harm") {
    Asked asked{both_again(0, 1), fair(true)};
    asked.options.limits.max_states = 3000;
    Product product(asked);
    const std::string cut = cut_after(*product.begun(2), 10);
    unsigned refused = 0;
    for (std::size_t at = 0; at + 16 <= cut.size(); at += 40) {
        for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x0000000200000005}}) {
            Product again(asked);
            try {
                const auto search = again.read(with_word(cut, at, word), 2);
                for (unsigned step = 0; step < 100 && search->step(100); ++step) {
                }
            } catch (const ArchiveError&) {
                ++refused;
            }
        }
    }
    CHECK(refused > 500);
}
