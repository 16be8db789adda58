// The exact store for large states: a state is cut into components of two words, each different component is kept once,
// and the state is the tuple of their numbers (Holzmann's COLLAPSE). Neighbouring states share most components.
#pragma once

#include <vector>

#include "store/table.hpp"

namespace mule::store {

// Numbers for pairs of words, in order of appearance.
class ComponentNumbers {
  public:
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    static constexpr std::size_t kMost = (std::size_t{1} << 31) - 1;

    std::uint32_t find(Word first, Word second) const { return slots_[slot_of(first, second)]; }

    std::uint32_t number(Word first, Word second) {
        std::size_t slot = slot_of(first, second);
        if (slots_[slot] != kAbsent) return slots_[slot];
        if (4 * (size() + 1) > 3 * slots_.size()) {
            grow();
            slot = slot_of(first, second);
        }
        if (size() == kMost) throw std::bad_alloc();
        slots_[slot] = static_cast<std::uint32_t>(size());
        pairs_.push_back(first);
        pairs_.push_back(second);
        return slots_[slot];
    }

    std::size_t size() const { return pairs_.size() / 2; }
    const Word* pair(std::uint32_t number) const { return pairs_.data() + std::size_t{2} * number; }
    void write(Writer& writer) const {
        writer.values(pairs_);
        writer.values(slots_);
    }
    void read(Reader& reader) {
        reader.values(pairs_);
        reader.values(slots_);
    }
    std::size_t bytes() const { return pairs_.capacity() * sizeof(Word) + slots_.capacity() * sizeof(std::uint32_t); }

  private:
    std::size_t slot_of(Word first, Word second) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = (mix_word(first, 0) + mix_word(second, 1)) & mask;
        while (slots_[slot] != kAbsent) {
            const Word* pair = pairs_.data() + std::size_t{2} * slots_[slot];
            if (pair[0] == first && pair[1] == second) break;
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    void grow() {
        slots_.assign(slots_.size() * 2, kAbsent);
        for (std::size_t i = 0; i < size(); ++i) {
            slots_[slot_of(pairs_[2 * i], pairs_[2 * i + 1])] = static_cast<std::uint32_t>(i);
        }
    }

    std::vector<Word> pairs_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kAbsent);
};

// How the states of a file are kept: as they are, or as tuples of components.
enum class Layout : std::uint64_t { kPlain, kComponents };

// Has the face of Table. Two component numbers of 31 bits make a word of the tuple, below the table's own two bits.
class CompressedTable {
  public:
    static constexpr std::uint64_t kAbsent = mule::store::kAbsent;

    explicit CompressedTable(unsigned words, bool numbered = false)
        : words_(words),
          components_((words + 1) / 2),
          tuple_((components_.size() + 1) / 2),
          table_(tuple_.size(), numbered) {}

    unsigned words() const { return words_; }
    std::uint64_t size() const { return table_.size(); }
    std::uint64_t most_states() const { return table_.most_states(); }
    std::uint64_t epoch() const { return table_.epoch(); }
    bool about_to_grow() const { return table_.about_to_grow(); }
    std::size_t bytes() const { return table_.bytes() + component_bytes(); }
    std::size_t bytes_after_growth() const { return table_.bytes_after_growth() + component_bytes(); }

    // The place of the tuple is only known once the components are.
    void prefetch(std::uint64_t) const {}

    Place insert(const Word* state, std::uint64_t) {
        number_components(state);
        return table_.insert(tuple_.data(), hash_words(tuple_.data(), tuple_.size()));
    }

    std::uint64_t find(const Word* state, std::uint64_t) {
        const bool known = compress(state, [](ComponentNumbers& components, Word first, Word second) {
            return components.find(first, second);
        });
        return known ? table_.find(tuple_.data(), hash_words(tuple_.data(), tuple_.size())) : kAbsent;
    }

    static constexpr bool kKeyIsState = false;
    unsigned key_words() const { return static_cast<unsigned>(tuple_.size()); }
    HashedKey key(const Word* state, std::uint64_t) {
        number_components(state);
        return {hash_words(tuple_.data(), tuple_.size()), tuple_.data()};
    }
    template <typename Visit>
    void for_each_in_order(Visit&& visit) const {
        table_.for_each_in_order(visit);
    }
    // The components stay.
    void clear(std::size_t bytes) { table_.clear(bytes); }

    StateNumber number(std::uint64_t cell) const { return table_.number(cell); }
    bool marked(std::uint64_t cell) const { return table_.marked(cell); }
    void mark(std::uint64_t cell) { table_.mark(cell); }
    void unmark(std::uint64_t cell) { table_.unmark(cell); }
    void unmark_all() { table_.unmark_all(); }

    // Calls `visit` with each state, as it was put in, and with its mark, if it has one; also where a file was read
    // that may be damaged.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        std::vector<Word> state(2 * components_.size());
        table_.for_each([&](const Word* tuple) {
            for (std::size_t i = 0; i < components_.size(); ++i) {
                const auto component = static_cast<std::uint32_t>(tuple[i / 2] >> (i % 2 * kBits) & kMostNumber);
                require_whole(component < components_[i].size());
                const Word* pair = components_[i].pair(component);
                std::copy(pair, pair + 2, state.data() + 2 * i);
            }
            state[0] |= tuple[0] & kMark;
            visit(state.data());
        });
    }

    void write(Writer& writer) const {
        writer.value(Layout::kComponents);
        for (const ComponentNumbers& components : components_) components.write(writer);
        table_.write(writer);
    }
    void read(Reader& reader) {
        Layout layout{};
        reader.value(layout);
        if (layout == Layout::kPlain)
            read_plain(reader);
        else
            read_components(reader);
    }
    // What comes after the layout.
    void read_components(Reader& reader) {
        for (ComponentNumbers& components : components_) components.read(reader);
        table_.read(reader);
    }

  private:
    static constexpr unsigned kBits = 31;  // of a component's number
    static constexpr Word kMostNumber = (Word{1} << kBits) - 1;

    // What several workers have kept as it was.
    void read_plain(Reader& reader) {
        TableHeader header;
        reader.value(header);
        std::vector<Word> state(words_);
        reader.for_each_in_block(words_, [&](const Word* cell) {
            if (cell[0] == 0) return;
            std::copy(cell, cell + words_, state.data());
            state[0] &= ~kMark;
            const std::uint64_t at = insert(state.data(), 0).cell;
            if ((cell[0] & kMark) != 0) mark(at);
        });
        std::vector<StateNumber> numbers;
        reader.values(numbers);
        require_whole(size() == header.size);
    }

    void number_components(const Word* state) {
        compress(state, [](ComponentNumbers& components, Word first, Word second) {
            return components.number(first, second);
        });
    }

    // Fills the tuple; false where some component is not known.
    template <typename Number>
    bool compress(const Word* state, Number&& number) {
        for (Word& word : tuple_) word = kOccupied;
        for (std::size_t i = 0; i < components_.size(); ++i) {
            const Word second = 2 * i + 1 < words_ ? state[2 * i + 1] : 0;
            const std::uint32_t component = number(components_[i], state[2 * i], second);
            if (component == ComponentNumbers::kAbsent) return false;
            tuple_[i / 2] |= Word{component} << (i % 2 * kBits);
        }
        return true;
    }

    std::size_t component_bytes() const {
        std::size_t sum = 0;
        for (const ComponentNumbers& components : components_) sum += components.bytes();
        return sum;
    }

    unsigned words_;
    std::vector<ComponentNumbers> components_;
    std::vector<Word> tuple_;
    Table<0> table_;
};

}  // namespace mule::store
