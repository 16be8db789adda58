// Which step first led to each state, by number: enough to rebuild a path without keeping states twice, whatever the
// order of the search and whoever took the step.
#pragma once

#include <algorithm>
#include <vector>

#include "search/exploration.hpp"
#include "store/archive.hpp"

namespace mule::search {

struct Origin {
    StateNumber source;  // kNoNumber: the state is an initial one
    TransitionId transition;
    std::uint16_t outcome;
    std::uint16_t part;  // the explorer that has the source
};

inline constexpr Origin kNoOrigin = {kNoNumber, 0, 0, 0};

class Origins {
  public:
    // States come in the order of their numbers.
    void add(const Origin& origin) { origins_.push_back(origin); }
    // A better one than before.
    void replace(StateNumber state, const Origin& origin) { origins_[state] = origin; }
    std::size_t bytes() const { return origins_.capacity() * sizeof(Origin); }

    // As far as the explorer `part` knows it.
    PathEnd path_to(StateNumber state, std::uint16_t part) const {
        PathEnd path;
        for (;;) {
            const Origin& origin = origins_[state];
            path.from_initial_state = origin.source == kNoNumber;
            if (path.from_initial_state) break;
            path.steps.push_back({origin.transition, origin.outcome});
            path.part = origin.part;
            path.number = state = origin.source;
            if (origin.part != part) break;
        }
        std::reverse(path.steps.begin(), path.steps.end());
        return path;
    }

    void write(Writer& writer) const { writer.values(origins_); }
    void read(Reader& reader) { reader.values(origins_); }

  private:
    std::vector<Origin> origins_;
};

}  // namespace mule::search
