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

Remembered::Remembered(std::vector<Word> control_mask, std::size_t most_bytes)
    : most_bytes_(most_bytes), decisions_(std::make_shared<Decisions>()) {
    for (std::uint32_t i = 0; i < control_mask.size(); ++i) {
        if (control_mask[i] != 0) control_.emplace_back(i, control_mask[i]);
    }
}

void Remembered::share(const Remembered& other) {
    decisions_ = other.decisions_;
    decisions_->shared = shares_ = true;
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

Remembered::Entry& Remembered::entry_of_key(const Table& table) const {
    for (std::size_t slot = key_hash_ & table.mask;; slot = (slot + 1) & table.mask) {
        Entry& entry = table.entries[slot];
        const std::uint32_t offset = entry.key.load(std::memory_order_acquire);
        if (offset == kNoKey) return entry;
        if (entry.hash != key_hash_) continue;
        const Word* key = &decisions_->keys[offset];
        if (key[0] == key_.size() && std::equal(key_.begin(), key_.end(), key + 1)) return entry;
    }
}

bool Remembered::recall(const Program& program, const Word* state, std::span<const TransitionId> enabled,
                        std::span<const std::uint32_t>& positions) {
    build_key(state, enabled);
    const Entry& entry = entry_of_key(*decisions_->table.load(std::memory_order_acquire));
    if (entry.key.load(std::memory_order_relaxed) == kNoKey) return false;
    Place place = entry.root.load(std::memory_order_acquire);
    while (place >= 0) {
        const Node& node = decisions_->nodes[static_cast<std::size_t>(place)];
        place = node.children[program.guard(state, node.guard) ? 1 : 0].load(std::memory_order_acquire);
    }
    if (place == kUnknown) return false;
    positions = leaf_at(place);
    return true;
}

std::span<const std::uint32_t> Remembered::leaf_at(Place place) const {
    const std::uint32_t* leaf = &decisions_->leaves[static_cast<std::size_t>(~place)];
    return {leaf + 1, *leaf};
}

Remembered::Link* Remembered::root_for_key() {
    if (decisions_->bytes() > most_bytes_) {
        if (decisions_->shared) return nullptr;
        decisions_->clear();
    }
    Entry* entry = &entry_of_key(*decisions_->tables.back());
    if (entry->key.load(std::memory_order_relaxed) != kNoKey) return &entry->root;
    if (2 * (decisions_->used + 1) > decisions_->tables.back()->mask + 1) {
        decisions_->grow();
        entry = &entry_of_key(*decisions_->tables.back());
    }
    const std::size_t key = decisions_->keys.add(key_.size() + 1);
    decisions_->keys[key] = key_.size();
    std::copy(key_.begin(), key_.end(), &decisions_->keys[key] + 1);
    entry->hash = key_hash_;
    entry->root.store(kUnknown, std::memory_order_relaxed);
    entry->key.store(static_cast<std::uint32_t>(key), std::memory_order_release);
    ++decisions_->used;
    return &entry->root;
}

// What somebody else has filed in the meantime is as good.
std::span<const std::uint32_t> Remembered::add_leaf(Link& link, std::span<const std::uint32_t> positions) {
    const Place known = link.load(std::memory_order_relaxed);
    if (known < 0 && known != kUnknown) return leaf_at(known);
    const std::size_t leaf = decisions_->leaves.add(positions.size() + 1);
    decisions_->leaves[leaf] = static_cast<std::uint32_t>(positions.size());
    std::copy(positions.begin(), positions.end(), &decisions_->leaves[leaf] + 1);
    link.store(~static_cast<Place>(leaf), std::memory_order_release);
    return leaf_at(~static_cast<Place>(leaf));
}

// Goes on by way of a guard's value.
Remembered::Link& Remembered::follow(Link& link, const Consulted& question) {
    Place place = link.load(std::memory_order_relaxed);
    if (place == kUnknown) {
        place = static_cast<Place>(decisions_->nodes.add(1));
        Node& node = decisions_->nodes[static_cast<std::size_t>(place)];
        node.guard = question.guard;
        for (Link& child : node.children) child.store(kUnknown, std::memory_order_relaxed);
        link.store(place, std::memory_order_release);
    }
    return decisions_->nodes[static_cast<std::size_t>(place)].children[question.value ? 1 : 0];
}

std::span<const std::uint32_t> Remembered::remember(std::span<const Consulted> consulted,
                                                    std::span<const std::uint32_t> positions) {
    const std::lock_guard lock(decisions_->filing);
    Link* link = root_for_key();
    if (link == nullptr) return positions;
    for (const Consulted& question : consulted) link = &follow(*link, question);
    return add_leaf(*link, positions);
}

std::span<const std::uint32_t> Remembered::remember_under(std::span<const Consulted> conditions, GuardOracle& oracle,
                                                          std::span<const std::uint32_t> positions) {
    const std::lock_guard lock(decisions_->filing);
    Link* link = root_for_key();
    if (link == nullptr) return positions;
    // Down the tree as far as it goes for this state; what it asked on the way need not be asked again.
    path_.clear();
    Place place = link->load(std::memory_order_relaxed);
    for (; place >= 0; place = link->load(std::memory_order_relaxed)) {
        const GuardId guard = decisions_->nodes[static_cast<std::size_t>(place)].guard;
        path_.push_back(guard);
        link = &follow(*link, {guard, oracle.peek(guard)});
    }
    if (place != kUnknown) return leaf_at(place);
    for (const Consulted& condition : conditions) {
        if (std::find(path_.begin(), path_.end(), condition.guard) == path_.end()) link = &follow(*link, condition);
    }
    return add_leaf(*link, positions);
}

Remembered::Table::Table(std::size_t size) : entries(std::make_unique<Entry[]>(size)), mask(size - 1) {
    for (std::size_t slot = 0; slot < size; ++slot) entries[slot].key.store(kNoKey, std::memory_order_relaxed);
}

std::size_t Remembered::Decisions::bytes() const {
    std::size_t sum = keys.bytes() + nodes.bytes() + leaves.bytes();
    for (const auto& each : tables) sum += (each->mask + 1) * sizeof(Entry);
    return sum;
}

void Remembered::Decisions::grow() {
    auto larger = std::make_unique<Table>(2 * (tables.back()->mask + 1));
    for (std::size_t i = 0; i <= tables.back()->mask; ++i) {
        const Entry& entry = tables.back()->entries[i];
        if (entry.key.load(std::memory_order_relaxed) == kNoKey) continue;
        std::size_t slot = entry.hash & larger->mask;
        while (larger->entries[slot].key.load(std::memory_order_relaxed) != kNoKey) slot = (slot + 1) & larger->mask;
        Entry& moved = larger->entries[slot];
        moved.hash = entry.hash;
        moved.root.store(entry.root.load(std::memory_order_relaxed), std::memory_order_relaxed);
        moved.key.store(entry.key.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    if (!shared) tables.clear();
    tables.push_back(std::move(larger));
    table.store(tables.back().get(), std::memory_order_release);
}

Remembered::Flat Remembered::Decisions::flat() const {
    Flat flat;
    for (std::size_t i = 0; i <= tables.back()->mask; ++i) {
        const Entry& entry = tables.back()->entries[i];
        if (entry.key.load() == kNoKey) continue;
        flat.entries.push_back(entry.hash);
        flat.entries.push_back(Word{entry.key.load()} | Word{static_cast<std::uint32_t>(entry.root.load())} << 32);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) flat.keys.push_back(keys[i]);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        flat.nodes.push_back(nodes[i].guard);
        for (const Link& child : nodes[i].children) flat.nodes.push_back(static_cast<std::uint32_t>(child.load()));
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) flat.leaves.push_back(leaves[i]);
    return flat;
}

// Everything comes to the place that it had.
void Remembered::Decisions::restore(const Flat& flat) {
    clear();
    for (const Word word : flat.keys) keys[keys.add(1)] = word;
    for (std::size_t i = 0; i + 2 < flat.nodes.size(); i += 3) {
        Node& node = nodes[nodes.add(1)];
        node.guard = flat.nodes[i];
        for (std::size_t side : {0, 1}) node.children[side] = static_cast<Place>(flat.nodes[i + 1 + side]);
    }
    for (const std::uint32_t number : flat.leaves) leaves[leaves.add(1)] = number;
    for (std::size_t i = 0; i + 1 < flat.entries.size(); i += 2) {
        if (2 * ++used > tables.back()->mask + 1) grow();
        const Table& last = *tables.back();
        std::size_t slot = flat.entries[i] & last.mask;
        while (last.entries[slot].key.load() != kNoKey) slot = (slot + 1) & last.mask;
        last.entries[slot].hash = flat.entries[i];
        last.entries[slot].root = static_cast<Place>(flat.entries[i + 1] >> 32);
        last.entries[slot].key = static_cast<std::uint32_t>(flat.entries[i + 1]);
    }
}

void Remembered::Decisions::clear() {
    tables.clear();
    tables.push_back(std::make_unique<Table>(kFirstTableSize));
    table.store(tables.back().get(), std::memory_order_release);
    used = 0;
    keys.clear();
    nodes.clear();
    leaves.clear();
}

}  // namespace mule::reduction
