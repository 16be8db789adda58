// First in, first out, level by level, whatever the size of the chunks.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "search/frontier.hpp"

using namespace mule;
using namespace mule::search;

TEST_CASE("states come out in the order in which they went in, under their numbers") {
    for (const unsigned words : {1u, 3u, 20'000u}) {
        Fifo frontier(words);
        std::deque<StateNumber> expected;
        std::mt19937 random(words);
        std::vector<Word> state(words);
        StateNumber next = 0;
        const unsigned most = words > 1000 ? 200 : 100'000;
        while (next < most || !expected.empty()) {
            const bool push = next < most && (expected.empty() || random() % 3 != 0);
            if (push) {
                state[0] = state[words - 1] = next;
                frontier.push(next, state.data(), 0);
                expected.push_back(next++);
                continue;
            }
            if (!frontier.ready()) frontier.settle();
            REQUIRE(frontier.ready());
            const Open open = frontier.pop();
            CHECK(open.number == expected.front());
            CHECK(open.state[0] == expected.front());
            CHECK(open.state[words - 1] == expected.front());
            expected.pop_front();
            CHECK(frontier.size() == expected.size());
        }
        CHECK(frontier.empty());
    }
}

TEST_CASE("a level begins only when all of the one before is stored") {
    Fifo frontier(1);
    const Word state = 0;
    frontier.push(0, &state, 0);
    CHECK(!frontier.ready());
    frontier.settle();
    CHECK(frontier.depth() == 0);
    frontier.pop();
    frontier.push(1, &state, 0);
    frontier.push(2, &state, 0);
    CHECK(!frontier.ready());
    frontier.settle();
    CHECK(frontier.depth() == 1);
    frontier.pop();
    frontier.push(3, &state, 0);
    CHECK(frontier.ready());
    frontier.pop();
    CHECK(!frontier.ready());
    frontier.settle();
    CHECK(frontier.depth() == 2);
}
