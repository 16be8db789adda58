// Copies of a reducer in threads of their own, over a program written by hand: counters that may wait for each other.
#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "reduction/reducer.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::reduction;

namespace {

constexpr unsigned kCounters = 12;

// Guard 2c: counter c is below 3. Guard 2c + 1: the counter after it is not 1.
Word counter(const Word* state, unsigned c) { return *state >> (2 * (c % kCounters)) & 3; }
bool guard(const Word* state, std::uint32_t number) {
    return number % 2 == 0 ? counter(state, number / 2) < 3 : counter(state, number / 2 + 1) != 1;
}

Program counters() {
    Program program;
    program.words = 1;
    program.transitions = kCounters;
    program.guards = 2 * kCounters;
    program.replace(nullptr, &guard, nullptr, nullptr);
    return program;
}

Relations relations() {
    Relations result;
    result.transitions = kCounters;
    result.guards = 2 * kCounters;
    result.do_not_accord = result.do_not_left_accord = BitMatrix(kCounters, kCounters);
    result.enabling = result.disabling = BitMatrix(2 * kCounters, kCounters);
    result.never_coenabled = BitMatrix(2 * kCounters, 2 * kCounters);
    for (unsigned c = 0; c < kCounters; ++c) {
        const unsigned next = (c + 1) % kCounters;
        result.guards_of.push_back({2 * c, 2 * c + 1});
        for (const unsigned other : {c, next}) {
            set_bit(result.do_not_accord.row(c), other);
            set_bit(result.do_not_accord.row(other), c);
            set_bit(result.do_not_left_accord.row(c), other);
        }
        set_bit(result.disabling.row(2 * c), c);
        set_bit(result.enabling.row(2 * c + 1), next);
        set_bit(result.disabling.row(2 * c + 1), next);
    }
    return result;
}

struct Question {
    Word state;
    std::vector<TransitionId> enabled;
};

std::vector<Question> questions() {
    std::mt19937_64 random(5);
    std::vector<Question> result;
    while (result.size() < 500) {
        Question question{random() % (Word{1} << (2 * kCounters)) | store::kOccupied, {}};
        for (TransitionId t = 0; t < kCounters; ++t)
            if (guard(&question.state, 2 * t) && guard(&question.state, 2 * t + 1)) question.enabled.push_back(t);
        if (!question.enabled.empty()) result.push_back(std::move(question));
    }
    return result;
}

using Answers = std::vector<std::vector<std::uint32_t>>;

Answers answers(Reducer& reducer, const std::vector<Question>& asked) {
    Answers result;
    for (const Question& question : asked) {
        const auto chosen = reducer.choose(&question.state, question.enabled);
        result.emplace_back(chosen.begin(), chosen.end());
    }
    return result;
}

}  // namespace

TEST_CASE("copies of a reducer in two threads choose what one chooses") {
    const Program program = counters();
    const std::vector<Question> asked = questions();
    for (const char* algorithm : {"closure", "closure-h", "beam", "beam-noh", "deletion"}) {
        for (const Memory memory : {Memory::kNone, Memory::kExact, Memory::kValid}) {
            for (const bool weak : {false, true}) {
                CAPTURE(algorithm);
                Reducer one(program, relations(), algorithm, {.weak = weak}, {0}, std::vector<bool>(2 * kCounters), {},
                            memory);
                const Answers expected = answers(one, asked);
                Reducer first(one), second(one);
                CHECK(first.statistics().misses == 0);
                Answers in_order, backwards;
                std::thread worker([&] { in_order = answers(first, asked); });
                // What sets are found with a memory of valid ones is a matter of history: there the order is the same.
                const bool reverse = memory != Memory::kValid;
                std::vector<Question> turned = asked;
                if (reverse) std::reverse(turned.begin(), turned.end());
                backwards = answers(second, turned);
                worker.join();
                if (reverse) std::reverse(backwards.begin(), backwards.end());
                CHECK(in_order == expected);
                CHECK(backwards == expected);
                CHECK(second.statistics().misses == first.statistics().misses);
            }
        }
    }
}

TEST_CASE("a copy outlives the reducer that it was copied from") {
    const Program program = counters();
    const std::vector<Question> asked = questions();
    auto one = std::make_unique<Reducer>(program, relations(), "deletion", ReductionOptions{}, std::vector<Word>{0},
                                         std::vector<bool>(2 * kCounters), std::vector<BitTest>{}, Memory::kExact);
    const Answers expected = answers(*one, asked);
    Reducer copy(*one);
    one.reset();
    CHECK(answers(copy, asked) == expected);
}

TEST_CASE("reducers in two threads that share a memory choose what one chooses") {
    const Program program = counters();
    const std::vector<Question> asked = questions();
    for (const char* algorithm : {"closure-h", "beam", "deletion"}) {
        CAPTURE(algorithm);
        Reducer one(program, relations(), algorithm, {}, {0}, std::vector<bool>(2 * kCounters), {}, Memory::kExact);
        const Answers expected = answers(one, asked);
        Reducer first(one), second(one);
        second.share_memory_of(first);
        std::vector<Question> turned = asked;
        std::reverse(turned.begin(), turned.end());
        Answers in_order, backwards;
        std::thread worker([&] { in_order = answers(first, asked); });
        backwards = answers(second, turned);
        worker.join();
        std::reverse(backwards.begin(), backwards.end());
        CHECK(in_order == expected);
        CHECK(backwards == expected);
        // What the one has learnt the other one knows.
        const std::uint64_t learnt = second.statistics().misses;
        CHECK(answers(second, asked) == expected);
        CHECK(second.statistics().misses == learnt);
    }
}
