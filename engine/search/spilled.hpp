// States that a breadth-first search has met and that no longer fit into memory: sorted runs on disk (Stern and Dill
// 1998, Korf 2003: delayed duplicate detection). A filter in memory says of most new states that they are certainly not
// on disk. The others wait in a batch until the runs are read, at the end of a level at the latest; until then nobody
// takes them for fresh.
#pragma once

#include <cstring>
#include <numeric>

#include "search/origins.hpp"
#include "store/bloom.hpp"
#include "store/sorted_run.hpp"

namespace mule::search {

// Key: what the store keeps of a state, of `key_words` words.
class Spilled {
  public:
    Spilled(std::string directory, unsigned words, unsigned key_words, bool key_is_state, std::size_t filter_bytes,
            std::size_t batch_bytes)
        : directory_(std::move(directory)),
          words_(words),
          key_words_(key_words),
          state_at_(key_is_state ? kKeyAt : kKeyAt + key_words),
          stride_(state_at_ + words),
          most_waiting_(std::max<std::size_t>(batch_bytes / (stride_ * sizeof(Word)), 64)),
          filter_(filter_bytes) {}

    std::uint64_t size() const { return size_; }
    std::uint64_t disk_bytes() const {
        return std::accumulate(runs_.begin(), runs_.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const Tiered& each) { return sum + each.run.disk_bytes(); });
    }
    std::size_t bytes() const {
        std::size_t sum = filter_.bytes() + waiting_.capacity() * sizeof(Word);
        for (const Tiered& each : runs_) sum += each.run.bytes();
        return sum;
    }

    // Takes all states of a store, which is then to be cleared.
    template <typename Store, typename Tick>
    void take(const Store& store, Tick&& tick) {
        SortedRun run(directory_, key_words_);
        store.for_each_in_order([&](std::uint64_t hash, const Word* key) {
            run.add(hash, key);
            filter_.insert(hash);
        });
        run.finish();
        size_ += run.size();
        runs_.push_back({std::move(run), 0});
        merge_equal_tiers(tick);
    }

    bool may_have(std::uint64_t key_hash) const { return filter_.may_contain(key_hash); }

    // A state that may be here waits.
    void defer(const HashedKey& key, const Word* state, const Origin& origin) {
        if (waiting_.empty()) waiting_.reserve((most_waiting_ + kMostMore) * stride_);
        const std::size_t begin = waiting_.size();
        waiting_.resize(begin + stride_);
        Word* entry = waiting_.data() + begin;
        entry[0] = key.hash;
        std::memcpy(entry + 1, &origin, sizeof origin);
        std::copy(key.key, key.key + key_words_, entry + kKeyAt);
        std::copy(state, state + words_, entry + state_at_);
    }
    bool has_waiting() const { return !waiting_.empty(); }
    bool is_crowded() const { return waiting_.size() >= most_waiting_ * stride_; }

    // Calls `fresh(state, origin)` with each state that waits and is not here, once, in the order in which they came.
    template <typename Tick, typename Fresh>
    void resolve(Tick&& tick, Fresh&& fresh) {
        std::vector<std::uint32_t> left = distinct();
        for (const Tiered& each : runs_) {
            SortedRun::Cursor cursor(each.run);
            std::size_t kept = 0;
            for (const std::uint32_t number : left) {
                if (tick()) return;
                if (!cursor.seek(key(number))) left[kept++] = number;
            }
            left.resize(kept);
        }
        std::sort(left.begin(), left.end());
        const std::vector<Word> batch = std::exchange(waiting_, {});
        for (const std::uint32_t number : left) {
            const Word* entry = batch.data() + number * stride_;
            Origin origin;
            std::memcpy(&origin, entry + 1, sizeof origin);
            fresh(entry + state_at_, origin);
        }
    }

    void write(Writer& writer) const {
        filter_.write(writer);
        writer.values(waiting_);
        writer.value(std::uint64_t{runs_.size()});
        for (const Tiered& each : runs_) {
            writer.value(each.tier);
            each.run.write(writer);
        }
    }
    void read(Reader& reader) {
        std::uint64_t count = 0;
        filter_.read(reader);
        reader.values(waiting_);
        reader.value(count);
        for (; count != 0; --count) {
            Tiered& each = runs_.emplace_back(Tiered{SortedRun(directory_, key_words_), 0});
            reader.value(each.tier);
            each.run.read(reader);
            size_ += each.run.size();
        }
    }

  private:
    static constexpr std::size_t kKeyAt = 3;  // after the hash and the origin
    static constexpr std::size_t kMostPerTier = 4;
    static constexpr std::size_t kMostMore = 1024;  // until a batch is resolved that is full, about
    static_assert(sizeof(Origin) <= 2 * sizeof(Word));

    struct Tiered {
        SortedRun run;
        std::uint64_t tier;  // how often its states were merged
    };

    HashedKey key(std::uint32_t number) const {
        const Word* entry = waiting_.data() + number * stride_;
        return {entry[0], entry + kKeyAt};
    }

    // What waits, in the order of the keys, and of equal ones the first that came.
    std::vector<std::uint32_t> distinct() const {
        std::vector<std::uint32_t> numbers(waiting_.size() / stride_);
        std::iota(numbers.begin(), numbers.end(), 0);
        std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
            const auto order = key(a).compare(key(b), key_words_);
            return order == 0 ? a < b : order < 0;
        });
        const auto same = [&](std::uint32_t a, std::uint32_t b) { return key(a).compare(key(b), key_words_) == 0; };
        numbers.erase(std::unique(numbers.begin(), numbers.end(), same), numbers.end());
        return numbers;
    }

    template <typename Tick>
    void merge_equal_tiers(Tick&& tick) {
        while (runs_.size() >= kMostPerTier && runs_[runs_.size() - kMostPerTier].tier == runs_.back().tier) {
            std::vector<const SortedRun*> last;
            std::uint64_t keys = 0;
            const std::uint64_t tier = runs_.back().tier;
            const auto begin = runs_.end() - static_cast<std::ptrdiff_t>(kMostPerTier);
            for (auto each = begin; each != runs_.end(); ++each) {
                last.push_back(&each->run);
                keys += each->run.size();
            }
            SortedRun all = merged(directory_, last, tick);
            if (all.size() != keys) return;  // given up
            runs_.erase(begin, runs_.end());
            runs_.push_back({std::move(all), tier + 1});
        }
    }

    std::string directory_;
    unsigned words_;
    unsigned key_words_;
    std::size_t state_at_;
    std::size_t stride_;
    std::size_t most_waiting_;
    BloomFilter filter_;
    std::vector<Tiered> runs_;
    std::vector<Word> waiting_;  // each: hash, origin, key, and the state unless it is the key
    std::uint64_t size_ = 0;
};

}  // namespace mule::search
