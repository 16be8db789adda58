#include "reduction/remembered.hpp"

#include <algorithm>
#include <limits>

namespace mule::reduction {

namespace {

constexpr std::int32_t kUnknown = std::numeric_limits<std::int32_t>::min();
constexpr std::uint32_t kNoKey = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kFirstTableSize = 1024;

std::uint64_t mix(std::uint64_t hash, Word word) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

Remembered::Remembered(std::vector<Word> control_mask, std::size_t most_bytes) : most_bytes_(most_bytes) {
    for (std::uint32_t i = 0; i < control_mask.size(); ++i) {
        if (control_mask[i] != 0) control_.emplace_back(i, control_mask[i]);
    }
    clear();
}

void Remembered::build_key(const Word* state, std::span<const TransitionId> enabled) {
    key_.resize(control_.size() + (enabled.size() + 1) / 2);
    std::uint64_t hash = 0x2545f4914f6cdd1du + enabled.size();
    Word* out = key_.data();
    for (const auto& [word, mask] : control_) hash = mix(hash, *out++ = state[word] & mask);
    // No transition is its own successor in an ascending list: a repeated last one means an odd length.
    for (std::size_t i = 0; i < enabled.size(); i += 2) {
        const TransitionId second = enabled[std::min(i + 1, enabled.size() - 1)];
        hash = mix(hash, *out++ = Word{enabled[i]} | Word{second} << 32);
    }
    key_hash_ = hash;
}

std::size_t Remembered::slot_of_key() const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = key_hash_ & mask;; slot = (slot + 1) & mask) {
        const Entry& entry = table_[slot];
        if (entry.key == kNoKey) return slot;
        if (entry.hash != key_hash_) continue;
        const Word* key = keys_.data() + entry.key;
        if (key[0] == key_.size() && std::equal(key_.begin(), key_.end(), key + 1)) return slot;
    }
}

bool Remembered::recall(const Program& program, const Word* state, std::span<const TransitionId> enabled,
                        std::span<const std::uint32_t>& positions) {
    build_key(state, enabled);
    const Entry& entry = table_[slot_of_key()];
    if (entry.key == kNoKey) return false;
    Place place = entry.root;
    while (place >= 0) {
        const Node& node = nodes_[static_cast<std::size_t>(place)];
        place = node.children[program.guard(state, node.guard) ? 1 : 0];
    }
    if (place == kUnknown) return false;
    const std::uint32_t* leaf = leaves_.data() + ~place;
    positions = {leaf + 1, *leaf};
    return true;
}

std::size_t Remembered::slot_for_new_key() {
    if (bytes() > most_bytes_) clear();
    std::size_t slot = slot_of_key();
    if (table_[slot].key != kNoKey) return slot;
    if (2 * (used_ + 1) > table_.size()) {
        grow();
        slot = slot_of_key();
    }
    table_[slot] = {key_hash_, static_cast<std::uint32_t>(keys_.size()), kUnknown};
    keys_.push_back(key_.size());
    keys_.insert(keys_.end(), key_.begin(), key_.end());
    ++used_;
    return slot;
}

std::span<const std::uint32_t> Remembered::add_leaf(Place& link, std::span<const std::uint32_t> positions) {
    const std::size_t leaf = leaves_.size();
    link = ~static_cast<Place>(leaf);
    leaves_.push_back(static_cast<std::uint32_t>(positions.size()));
    leaves_.insert(leaves_.end(), positions.begin(), positions.end());
    return {leaves_.data() + leaf + 1, positions.size()};
}

// The root or a child; nodes_ may move while it grows, so a child is found again by its node's number.
Remembered::Place& Remembered::at(const Branch& branch) {
    if (branch.parent == kUnknown) return table_[branch.slot].root;
    return nodes_[static_cast<std::size_t>(branch.parent)].children[branch.side];
}

// Goes on from `branch` by way of a guard's value.
void Remembered::follow(Branch& branch, const Consulted& question) {
    if (at(branch) == kUnknown) {
        const auto node = static_cast<Place>(nodes_.size());
        nodes_.push_back({question.guard, {kUnknown, kUnknown}});
        at(branch) = node;
    }
    branch = {branch.slot, at(branch), question.value};
}

std::span<const std::uint32_t> Remembered::remember(std::span<const Consulted> consulted,
                                                    std::span<const std::uint32_t> positions) {
    Branch branch{slot_for_new_key(), kUnknown, 0};
    for (const Consulted& question : consulted) follow(branch, question);
    return add_leaf(at(branch), positions);
}

std::span<const std::uint32_t> Remembered::remember_under(std::span<const Consulted> conditions, GuardOracle& oracle,
                                                          std::span<const std::uint32_t> positions) {
    Branch branch{slot_for_new_key(), kUnknown, 0};
    // Down the tree as far as it goes for this state; what it asked on the way need not be asked again.
    path_.clear();
    while (at(branch) >= 0) {
        const GuardId guard = nodes_[static_cast<std::size_t>(at(branch))].guard;
        path_.push_back(guard);
        follow(branch, {guard, oracle.peek(guard)});
    }
    for (const Consulted& condition : conditions) {
        if (std::find(path_.begin(), path_.end(), condition.guard) == path_.end()) follow(branch, condition);
    }
    return add_leaf(at(branch), positions);
}

std::size_t Remembered::bytes() const {
    return table_.size() * sizeof(Entry) + keys_.size() * sizeof(Word) + nodes_.size() * sizeof(Node) +
           leaves_.size() * sizeof(std::uint32_t);
}

void Remembered::grow() {
    std::vector<Entry> old(2 * table_.size(), Entry{0, kNoKey, kUnknown});
    old.swap(table_);
    const std::size_t mask = table_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.key == kNoKey) continue;
        std::size_t slot = entry.hash & mask;
        while (table_[slot].key != kNoKey) slot = (slot + 1) & mask;
        table_[slot] = entry;
    }
}

void Remembered::clear() {
    table_.assign(kFirstTableSize, Entry{0, kNoKey, kUnknown});
    used_ = 0;
    keys_.clear();
    nodes_.clear();
    leaves_.clear();
}

}  // namespace mule::reduction
