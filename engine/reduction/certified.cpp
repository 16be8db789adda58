#include "reduction/certified.hpp"

#include <algorithm>
#include <limits>

namespace mule::reduction {

Certified::Certified(const ReductionTables& tables, std::size_t most_bytes)
    : tables_(&tables),
      most_bytes_(most_bytes),
      single_(tables.relations.transitions),
      several_(tables.relations.transitions) {}

bool Certified::recall(std::span<const TransitionId> enabled, GuardOracle& oracle,
                       std::span<const std::uint32_t>& positions) {
    if (!search(single_, enabled, oracle) && !search(several_, enabled, oracle)) return false;
    positions = positions_;
    return true;
}

bool Certified::search(std::vector<Shelf>& shelves, std::span<const TransitionId> enabled, GuardOracle& oracle) {
    for (std::size_t i = enabled.size(); i-- > 0;) {
        Shelf& shelf = shelves[enabled[i]];
        for (std::size_t place = 0; place < shelf.size(); ++place) {
            if (!holds(shelf[place], enabled, oracle)) continue;
            last_ = shelf[place];
            // What is used often moves to the front.
            if (place > 0) std::swap(shelf[place], shelf[place - 1]);
            return true;
        }
    }
    return false;
}

bool Certified::holds(const Certificate& certificate, std::span<const TransitionId> enabled, GuardOracle& oracle) {
    if (certificate.members >= enabled.size()) return false;
    std::uint32_t* item = items_.data() + certificate.begin;
    positions_.clear();
    std::uint32_t position = 0;
    for (std::uint32_t i = 0; i < certificate.members; ++i, ++item) {
        const TransitionId member = *item & ~kKey;
        while (position < enabled.size() && enabled[position] < member) ++position;
        if (position == enabled.size() || enabled[position] != member) return false;
        positions_.push_back(position | (*item & kKey));
    }
    for (std::uint32_t i = 0; i < certificate.conditions; ++i, ++item) {
        if (oracle.peek(*item >> 1) == ((*item & 1) != 0)) continue;
        // What fails often moves to the front.
        if (i > 0) std::swap(*item, *(item - 1));
        return false;
    }
    return true;
}

bool Certified::remember(const StubbornSet& set, GuardOracle& oracle) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    if (!find_conditions(set, oracle) || conditions_.size() > kMost) return false;
    if (bytes() > most_bytes_) clear();
    Shelf& shelf = (set.enabled.size() == 1 ? single_ : several_)[set.enabled.back()];
    if (shelf.size() == kMostPerTransition) shelf.pop_back();
    last_ = {static_cast<std::uint32_t>(items_.size()), static_cast<std::uint16_t>(set.enabled.size()),
             static_cast<std::uint16_t>(conditions_.size())};
    shelf.push_back(last_);
    for (const TransitionId member : set.enabled) {
        const bool is_key = std::binary_search(set.keys.begin(), set.keys.end(), member);
        items_.push_back(is_key ? member | kKey : member);
    }
    items_.insert(items_.end(), conditions_.begin(), conditions_.end());
    return true;
}

void Certified::clear() {
    for (Shelf& shelf : single_) shelf.clear();
    for (Shelf& shelf : several_) shelf.clear();
    items_.clear();
}

std::size_t Certified::bytes() const {
    const std::size_t shelves = single_.size() + several_.size();
    return items_.size() * sizeof(std::uint32_t) + shelves * kMostPerTransition * sizeof(Certificate);
}

std::span<const Consulted> Certified::data_conditions() {
    data_conditions_.clear();
    const std::uint32_t* item = items_.data() + last_.begin + last_.members;
    for (std::uint32_t i = 0; i < last_.conditions; ++i, ++item) {
        const GuardId guard = *item >> 1;
        if (!tables_->is_control[guard]) data_conditions_.push_back({guard, (*item & 1) != 0});
    }
    return data_conditions_;
}

// One usable necessary enabling set inside the set for each disabled member, as few guards as come easily.
bool Certified::find_conditions(const StubbornSet& set, GuardOracle& oracle) {
    conditions_.clear();
    const std::uint32_t guards = tables_->relations.guards;
    auto enabled = set.enabled.begin();
    bool complete = true;
    const auto find_condition = [&](TransitionId transition) {
        if (enabled != set.enabled.end() && *enabled == transition) {
            ++enabled;
            return;
        }
        std::uint32_t condition = kNone;
        for (const SetId id : tables_->sets.of(transition)) {
            if (!is_subset(tables_->sets.members(id), set.row.data(), tables_->words)) continue;
            const std::uint32_t candidate = id < guards ? id << 1 : (id - guards) << 1 | 1;
            if (std::find(conditions_.begin(), conditions_.end(), candidate) != conditions_.end()) return;
            if (condition == kNone && tables_->sets.usable(id, oracle)) condition = candidate;
        }
        if (condition == kNone) {
            complete = false;
        } else {
            conditions_.push_back(condition);
        }
    };
    for (std::uint32_t i = 0; i < tables_->words; ++i) for_each_bit(set.row[i], i * 64, find_condition);
    return complete;
}

}  // namespace mule::reduction
