// Stubborn sets remembered with what makes them stubborn: the members that must be enabled, and for each disabled
// member one guard that keeps it so. Such a set may be used in every state in which its conditions hold, whatever else
// differs there. It need not be the set that the algorithm would find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reduction/algorithm.hpp"

namespace mule::reduction {

class Certified {
  public:
    Certified(const ReductionTables& tables, std::size_t most_bytes);

    // Positions in `enabled` of a remembered set that is stubborn in the state which `oracle` has entered, and leaves
    // something out; sets of one transition are tried first.
    bool recall(std::span<const TransitionId> enabled, GuardOracle& oracle, std::span<const std::uint32_t>& positions);
    // Files `set`, which was found in the state that `oracle` has entered; false where it has no short certificate.
    bool remember(const StubbornSet& set, GuardOracle& oracle);
    // What the set of the last recall() or remember() rests on besides the control state and the enabled transitions.
    std::span<const Consulted> data_conditions();

    std::size_t bytes() const;  // at most
    template <typename Writer>
    void write(Writer& writer) const {
        for (const auto* shelves : {&single_, &several_})
            for (const Shelf& shelf : *shelves) writer.values(shelf);
        writer.values(items_);
    }
    template <typename Reader>
    void read(Reader& reader) {
        for (auto* shelves : {&single_, &several_})
            for (Shelf& shelf : *shelves) reader.values(shelf);
        reader.values(items_);
    }
    void keep_below(std::size_t bytes) { most_bytes_ = std::min(most_bytes_, bytes); }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::size_t kMostPerTransition = 32;

    struct Certificate {
        std::uint32_t begin;  // in items_: the members (kKey for keys), then the conditions (guard << 1 | value)
        std::uint16_t members;
        std::uint16_t conditions;
    };
    using Shelf = std::vector<Certificate>;

    bool search(std::vector<Shelf>& shelves, std::span<const TransitionId> enabled, GuardOracle& oracle);
    bool holds(const Certificate& certificate, std::span<const TransitionId> enabled, GuardOracle& oracle);
    bool find_conditions(const StubbornSet& set, GuardOracle& oracle);
    void clear();

    const ReductionTables* tables_;
    std::size_t most_bytes_;
    // By the highest enabled member.
    std::vector<Shelf> single_;
    std::vector<Shelf> several_;
    std::vector<std::uint32_t> items_;
    std::vector<std::uint32_t> conditions_;
    std::vector<std::uint32_t> positions_;
    Certificate last_{};
    std::vector<Consulted> data_conditions_;
};

}  // namespace mule::reduction
