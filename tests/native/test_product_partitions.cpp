// Products shared out over partitions: however the states are shared out, no run is lost, and with a reduction neither.
#include <doctest/doctest.h>

#include "ltl/partition.hpp"
#include "wheels.hpp"

using namespace mule;
using namespace mule::wheels;

namespace {

// Partitions that are led by the test: one step of each, then what it sends is received, until nothing is under way.
class Partitions {
  public:
    Partitions(const PropertyAutomaton& automaton, const EmptinessOptions& options, bool reduces, std::uint16_t parts)
        : marks_(automaton.marks()), program_(wheels::program()), options_(options) {
        for (std::uint16_t part = 0; part < parts; ++part) {
            reducers_.push_back(std::make_unique<Reducer>(independent(program_, Memory::kExact)));
            partitions_.push_back(make_product_partition(program_, kStart, automaton, kField, options_,
                                                         reduces ? reducers_.back().get() : nullptr,
                                                         Share{part, parts}));
        }
    }

    bool has_accepting_cycle() {
        until_quiet();
        for_each([](ProductPartition& each) { each.begin_trimming(); });
        until_quiet();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t mark = 0; mark < marks_; ++mark) {
                for_each([&](ProductPartition& each) { each.begin_reaching(mark, false); });
                until_quiet();
                for_each([&](ProductPartition& each) { changed = each.end_reaching() != 0 || changed; });
                until_quiet();
            }
        }
        std::uint64_t left = 0;
        for_each([&](ProductPartition& each) { left += each.left(); });
        return left != 0;
    }
    std::uint64_t reduced() const {
        std::uint64_t sum = 0;
        for (const auto& each : partitions_) sum += each->counts().reduced;
        return sum;
    }
    std::uint64_t states() const {
        std::uint64_t sum = 0;
        for (const auto& each : partitions_) sum += each->progress().states;
        return sum;
    }

  private:
    template <typename Visit>
    void for_each(Visit&& visit) {
        for (const auto& each : partitions_) visit(*each);
    }

    void until_quiet() {
        for (bool moves = true; moves;) {
            moves = false;
            for (const auto& each : partitions_) {
                moves = each->step(10) || moves;
                for (std::uint16_t other = 0; other < partitions_.size(); ++other) {
                    const std::vector<Word> batch = each->outbox(other);
                    if (batch.empty()) continue;
                    partitions_[other]->receive(batch);
                    moves = true;
                }
            }
            for (const auto& each : partitions_) moves = moves || each->has_work();
        }
    }

    std::uint32_t marks_;
    Program program_;
    const EmptinessOptions& options_;
    std::vector<std::unique_ptr<Reducer>> reducers_;
    std::vector<std::unique_ptr<ProductPartition>> partitions_;
};

}  // namespace

TEST_CASE("partitions see the whole product") {
    const EmptinessOptions options = by_components();
    for (std::uint16_t parts = 1; parts <= 4; ++parts) {
        Partitions none(both_again(0, 2), options, false, parts);
        CHECK(!none.has_accepting_cycle());
        CHECK(none.states() == kPositions * kPositions * kPositions);
        CHECK(Partitions(both_again(0, 1), options, false, parts).has_accepting_cycle());
    }
}

TEST_CASE("partitions do not follow a wheel that turns for ever and ignore what it leaves out") {
    // The second wheel must leave its beginning, while the first one can turn without end, in one part or over several.
    for (const Proviso proviso : {Proviso::kDuplicate, Proviso::kC3Prime}) {
        const EmptinessOptions options = seeing({1}, proviso);
        for (std::uint16_t parts = 1; parts <= 4; ++parts) {
            CAPTURE(parts);
            Partitions partitions(never_from_some_moment(1), options, true, parts);
            CHECK(partitions.has_accepting_cycle());
            CHECK(partitions.reduced() != 0);
        }
    }
}
