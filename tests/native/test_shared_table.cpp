// The table that threads share: each state is stored once, by one of them, whatever the others do.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "store/shared_table.hpp"

using namespace mule;
using namespace mule::store;

namespace {

using State = std::vector<Word>;

// All threads insert the same states, each in an order of its own, and meet after each portion to let the table grow.
// States that differ in the last word only make them wait for each other's cells.
template <unsigned W>
void has_one_winner(unsigned words, unsigned threads, Word values, std::uint64_t capacity) {
    CAPTURE(words);
    CAPTURE(threads);
    constexpr std::size_t kPortion = 50;
    SharedTable<W> table(words, capacity);
    std::vector<State> states;
    for (Word value = 0; value < values; ++value) {
        states.emplace_back(words, kOccupied);
        states.back().back() |= value;
    }
    std::vector<std::uint64_t> wins(threads);
    std::uint64_t growths = 0;
    std::barrier meeting(threads);
    const auto total = [&] {
        std::uint64_t sum = 0;
        for (const std::uint64_t each : wins) sum += each;
        return sum;
    };
    const auto work = [&](unsigned member) {
        std::vector<State> own = states;
        std::shuffle(own.begin(), own.end(), std::mt19937_64(member));
        for (std::size_t begin = 0; begin < own.size(); begin += kPortion) {
            const std::uint64_t wanted = total() + threads * kPortion;
            const bool grows = table.room() < wanted;
            meeting.arrive_and_wait();
            if (grows) {
                if (member == 0) {
                    table.begin_growth(table.capacity_for(wanted));
                    ++growths;
                }
                meeting.arrive_and_wait();
                table.move_part(member, threads);
                meeting.arrive_and_wait();
                if (member == 0) table.end_growth();
            }
            meeting.arrive_and_wait();
            for (std::size_t i = begin; i < std::min(begin + kPortion, own.size()); ++i)
                wins[member] += table.insert(own[i].data(), hash_words(own[i].data(), words)) == Met::kFresh ? 1 : 0;
            meeting.arrive_and_wait();
        }
    };
    std::vector<std::thread> team;
    for (unsigned member = 0; member < threads; ++member) team.emplace_back(work, member);
    for (std::thread& thread : team) thread.join();
    CHECK(total() == states.size());
    CHECK(growths > 1);
    for (State& state : states) {
        CHECK(table.contains(state.data(), hash_words(state.data(), words)));
        CHECK(table.insert(state.data(), hash_words(state.data(), words)) == Met::kKnown);
        state.back() += values;
        CHECK(!table.contains(state.data(), hash_words(state.data(), words)));
    }
}

// A table in which a state can be left half written, as by a thread that was stopped there.
class HalfWritten : public SharedTable<2> {
  public:
    explicit HalfWritten(const State& state) : SharedTable<2>(2, 16), state_(state) {
        insert(state.data(), hash_words(state.data(), 2));
        Word* cell = cells_.data();
        while (*cell != state[0]) cell += 2;
        cell_ = cell;
        cell_[1] = 0;
        std::atomic_ref(cell_[0]).store(state[0] ^ (kOccupied | kMark));
    }
    void finish() {
        cell_[1] = state_[1];
        std::atomic_ref(cell_[0]).store(state_[0]);
    }

  private:
    State state_;
    Word* cell_;
};

}  // namespace

TEST_CASE("of two threads that mark their states and then ask for the other's, at least one meets a mark") {
    SharedTable<1> table(1, 16);
    const Word own[] = {kOccupied | 5, kOccupied | 9};
    for (const Word& state : own) table.insert(&state, hash_words(&state, 1));
    std::barrier meeting(2);
    Met met[2];
    unsigned missed = 0;
    const auto work = [&](unsigned member) {
        Word* cell = table.find(&own[member], hash_words(&own[member], 1));
        const Word& other = own[1 - member];
        for (unsigned round = 0; round < 2'000; ++round) {
            meeting.arrive_and_wait();
            SharedTable<1>::mark(cell);
            met[member] = table.insert(&other, hash_words(&other, 1));
            meeting.arrive_and_wait();
            if (member == 0) missed += met[0] != Met::kMarked && met[1] != Met::kMarked;
            SharedTable<1>::unmark(cell);
        }
    };
    std::thread one([&] { work(1); });
    work(0);
    one.join();
    CHECK(missed == 0);
    CHECK(table.insert(&own[0], hash_words(&own[0], 1)) == Met::kKnown);
}

TEST_CASE("marks stay with their states when a table grows, is written and is read by another kind of table") {
    constexpr unsigned kWords = 6;
    SharedTable<0> table(kWords, 16);
    std::vector<State> states;
    for (Word i = 0; i < 200; ++i) states.push_back({kOccupied | i, i, i * i, 7, i, 3});
    const auto hash = [&](const State& state) { return hash_words(state.data(), kWords); };
    for (std::uint64_t i = 0; i < states.size(); ++i) {
        if (table.room() <= i) {
            table.begin_growth(table.capacity_for(i + 1));
            table.move_part(0, 1);
            table.end_growth();
        }
        CHECK(table.insert(states[i].data(), hash(states[i])) == Met::kFresh);
        if (i % 3 == 0) table.mark(table.find(states[i].data(), hash(states[i])));
    }
    std::stringstream plain, tuples;
    Writer to_plain(plain);
    table.write(to_plain, states.size());
    to_plain.finish();
    CompressedTable compressed(kWords);
    Reader from_plain(plain);
    compressed.read(from_plain);
    Writer to_tuples(tuples);
    compressed.write(to_tuples);
    to_tuples.finish();
    SharedTable<0> again(kWords, 16);
    Reader from_tuples(tuples);
    CHECK(again.read(from_tuples, 1 << 20) == states.size());
    for (std::uint64_t i = 0; i < states.size(); ++i) {
        const Met expected = i % 3 == 0 ? Met::kMarked : Met::kKnown;
        CHECK(table.insert(states[i].data(), hash(states[i])) == expected);
        CHECK(compressed.marked(compressed.find(states[i].data(), hash(states[i]))) == (i % 3 == 0));
        CHECK(again.insert(states[i].data(), hash(states[i])) == expected);
    }
}

TEST_CASE("a thread that meets a state half written by another waits for the rest of it") {
    const State state = {kOccupied | 5, 9};
    for (const bool inserts : {true, false}) {
        HalfWritten table(state);
        std::atomic<bool> begins = false;
        std::atomic<bool> ends = false;
        bool knew_it = false;
        std::thread other([&] {
            begins = true;
            const std::uint64_t hash = hash_words(state.data(), 2);
            knew_it = inserts ? table.insert(state.data(), hash) != Met::kFresh : table.contains(state.data(), hash);
            ends = true;
        });
        while (!begins) std::this_thread::yield();
        // One that does not wait has its answer soon, and it is wrong.
        for (unsigned looks = 0; looks < 20'000 && !ends; ++looks) std::this_thread::yield();
        CHECK(!ends);
        table.finish();
        other.join();
        CHECK(knew_it);
    }
}

TEST_CASE("of threads that insert a state exactly one wins, while the table grows") {
    for (const unsigned threads : {1u, 2u, 4u}) {
        has_one_winner<1>(1, threads, 5'000, 10);
        has_one_winner<2>(2, threads, 5'000, 10);
        has_one_winner<0>(7, threads, 5'000, 300);
    }
}
