// An even random sample of a stream of states (reservoir sampling), the same for the same stream.
#pragma once

#include <algorithm>
#include <vector>

#include "store/archive.hpp"
#include "store/hash.hpp"

namespace mule::search {

class Sample {
  public:
    Sample(std::uint32_t wanted, unsigned words) : wanted_(wanted), words_(words) {}

    void offer(const Word* state) {
        if (wanted_ == 0) return;
        const std::uint64_t seen = seen_++;
        if (seen < wanted_) {
            states_.insert(states_.end(), state, state + words_);
            return;
        }
        const std::uint64_t place = store::mix_word(seen, 0) % (seen + 1);
        if (place < wanted_)
            std::copy(state, state + words_, states_.begin() + static_cast<std::ptrdiff_t>(place * words_));
    }

    std::vector<Word> take() { return std::move(states_); }

    void write(Writer& writer) const {
        writer.value(seen_);
        writer.values(states_);
    }
    void read(Reader& reader) {
        reader.value(seen_);
        reader.values(states_);
    }

  private:
    std::uint32_t wanted_;
    unsigned words_;
    std::uint64_t seen_ = 0;
    std::vector<Word> states_;
};

}  // namespace mule::search
