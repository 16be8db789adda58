// Products shared out over partitions: however the states are shared out, no run is lost, and with a reduction neither;
// nor where the partitions are cut and gone on with.
#include <doctest/doctest.h>

#include <sstream>

#include "damaged.hpp"
#include "ltl/partition.hpp"
#include "wheels.hpp"

using namespace mule;
using namespace mule::wheels;

namespace {

// Partitions that are led by the test: one step of each, then what it sends is received, until nothing is under way.
class Partitions {
  public:
    Partitions(const PropertyAutomaton& automaton, const EmptinessOptions& options, bool reduces, std::uint16_t parts)
        : automaton_(automaton), program_(wheels::program()), options_(options), reduces_(reduces) {
        for (std::uint16_t part = 0; part < parts; ++part) {
            reducers_.push_back(std::make_unique<Reducer>(independent(program_, Memory::kExact)));
            partitions_.push_back(make_product_partition(program_, kStart, automaton, kField, options_, reducer(part),
                                                         Share{part, parts}));
        }
    }

    // Some steps of each, of which nobody has been sent anything yet.
    void advance(unsigned rounds) {
        for (; rounds != 0; --rounds) exchange();
        for (const auto& each : partitions_) each->step(10);
    }
    std::vector<std::string> written() const {
        std::vector<std::string> files;
        for (const auto& each : partitions_) {
            REQUIRE(each->can_be_written());
            std::ostringstream out;
            each->write(out);
            files.push_back(out.str());
        }
        return files;
    }
    // In the place of those that are there.
    void read(std::uint16_t part, const std::string& file) {
        std::istringstream in(file);
        const auto parts = static_cast<std::uint16_t>(partitions_.size());
        partitions_[part] = read_product_partition(program_, kStart, automaton_, kField, options_, reducer(part),
                                                   Share{part, parts}, in);
    }
    void read(const std::vector<std::string>& files) {
        for (std::uint16_t part = 0; part < files.size(); ++part) read(part, files[part]);
    }
    bool is_full() const { return partitions_.front()->is_full(); }
    bool can_be_written() const { return partitions_.front()->can_be_written(); }

    bool has_accepting_cycle() {
        until_quiet();
        for_each([](ProductPartition& each) { each.begin_trimming(); });
        until_quiet();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t mark = 0; mark < automaton_.marks(); ++mark) {
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
    void explore_on() {
        for_each([](ProductPartition& each) { each.begin_exploring(); });
    }
    std::uint64_t transitions() const {
        std::uint64_t sum = 0;
        for (const auto& each : partitions_) sum += each->progress().transitions;
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
        while (exchange()) {
        }
    }

    // One step of each, and what it sends; false where there is nothing left to do.
    bool exchange() {
        bool moves = false;
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
        return moves;
    }

    Reducer* reducer(std::uint16_t part) { return reduces_ ? reducers_[part].get() : nullptr; }

    PropertyAutomaton automaton_;
    Program program_;
    const EmptinessOptions& options_;
    bool reduces_;
    std::vector<std::unique_ptr<Reducer>> reducers_;
    std::vector<std::unique_ptr<ProductPartition>> partitions_;
};

// Cut three times, and each time gone on with by others: what was read is written again.
std::unique_ptr<Partitions> cut_and_read(const PropertyAutomaton& automaton, const EmptinessOptions& options,
                                         bool reduces, std::uint16_t parts) {
    auto partitions = std::make_unique<Partitions>(automaton, options, reduces, parts);
    for (const unsigned rounds : {2u, 5u, 1u}) {
        partitions->advance(rounds);
        auto others = std::make_unique<Partitions>(automaton, options, reduces, parts);
        others->read(partitions->written());
        partitions = std::move(others);
    }
    return partitions;
}

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

TEST_CASE("partitions go on with what others have written") {
    const EmptinessOptions options = by_components();
    for (std::uint16_t parts = 1; parts <= 4; ++parts) {
        for (const auto& [automaton, is_found] :
             {std::pair{both_again(0, 2), false}, {both_again(0, 1), true}, {never_from_some_moment(1), true}}) {
            CAPTURE(parts);
            Partitions whole(automaton, options, false, parts);
            CHECK(whole.has_accepting_cycle() == is_found);
            const std::unique_ptr<Partitions> last = cut_and_read(automaton, options, false, parts);
            CHECK(last->has_accepting_cycle() == is_found);
            CHECK(last->states() == whole.states());
            CHECK(last->transitions() == whole.transitions());
        }
    }
}

TEST_CASE("partitions go on with a reduced product, and ignore nothing") {
    for (const Proviso proviso : {Proviso::kDuplicate, Proviso::kC3Prime}) {
        const EmptinessOptions options = seeing({1}, proviso);
        for (std::uint16_t parts = 1; parts <= 4; ++parts) {
            CAPTURE(parts);
            const auto last = cut_and_read(never_from_some_moment(1), options, true, parts);
            CHECK(last->has_accepting_cycle());
            CHECK(last->reduced() != 0);
        }
    }
}

TEST_CASE("partitions are written when they explore, also after a look for a cycle") {
    const EmptinessOptions options = by_components();
    Partitions partitions(both_again(0, 1), options, false, 2);
    CHECK(partitions.has_accepting_cycle());
    CHECK(!partitions.can_be_written());
    partitions.explore_on();
    Partitions others(both_again(0, 1), options, false, 2);
    others.read(partitions.written());
    CHECK(others.has_accepting_cycle());
    CHECK(others.states() == partitions.states());
}

TEST_CASE("a partition whose memory is full explores nothing more, and goes on with more memory") {
    const PropertyAutomaton automaton = both_again(0, 2);
    EmptinessOptions options = by_components();
    const EmptinessOptions ample = options;
    options.limits.max_bytes = 1;
    Partitions full(automaton, options, false, 2);
    full.advance(100);
    CHECK(full.is_full());
    CHECK(full.states() < 100);
    Partitions others(automaton, ample, false, 2);
    others.read(full.written());
    CHECK(!others.has_accepting_cycle());
    CHECK(others.states() == kPositions * kPositions * kPositions);
}

TEST_CASE("a partition that is cut short, changed or another one is refused") {
    const PropertyAutomaton automaton = both_again(2, 2);
    const EmptinessOptions options = seeing({2}, Proviso::kDuplicate);
    Partitions partitions(automaton, options, true, 2);
    partitions.advance(5);
    const std::vector<std::string> cut = partitions.written();
    for (std::size_t at = 0; at < cut[0].size(); at += 97) {
        CHECK_THROWS_AS(partitions.read(0, cut[0].substr(0, at)), ArchiveError);
        std::string changed = cut[0];
        changed[at] ^= 4;
        CHECK_THROWS_AS(partitions.read(0, changed), ArchiveError);
    }
    CHECK_THROWS_AS(partitions.read(1, cut[0]), ArchiveError);
    CHECK_THROWS_AS(Partitions(automaton, options, true, 3).read(0, cut[0]), ArchiveError);
    CHECK_THROWS_AS(Partitions(automaton, options, false, 2).read(0, cut[0]), ArchiveError);
    CHECK_THROWS_AS(Partitions(never_from_some_moment(2), options, true, 2).read(0, cut[0]), ArchiveError);
    EmptinessOptions other = options;
    other.identity = {1};
    CHECK_THROWS_AS(Partitions(automaton, other, true, 2).read(0, cut[0]), ArchiveError);
    other = options;
    other.proviso = Proviso::kC3Prime;
    CHECK_THROWS_AS(Partitions(automaton, other, true, 2).read(0, cut[0]), ArchiveError);
}

TEST_CASE("what is wrong in a partition although its checksum is right is refused, or does no harm") {
    const EmptinessOptions options = by_components();
    for (const std::uint16_t parts : {std::uint16_t{1}, std::uint16_t{2}}) {
        Partitions begun(both_again(0, 1), options, false, parts);
        begun.advance(6);
        const std::vector<std::string> cut = begun.written();
        unsigned refused = 0;
        for (std::size_t at = 0; at + 16 <= cut[0].size(); at += 40) {
            for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x0000000200000005}}) {
                Partitions again(both_again(0, 1), options, false, parts);
                try {
                    again.read(cut);
                    again.read(0, with_word(cut[0], at, word));
                    again.has_accepting_cycle();
                } catch (const ArchiveError&) {
                    ++refused;
                } catch (const std::invalid_argument&) {  // another partition is told of a state that it has not
                }
            }
        }
        CHECK(refused > 50);
    }
}
