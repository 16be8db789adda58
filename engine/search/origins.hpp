// Which step first led to each state, by number: enough to rebuild a path without keeping states twice, whatever the
// order of the search.
#pragma once

#include <algorithm>
#include <vector>

#include "search/search.hpp"
#include "store/place.hpp"

namespace mule::search {

class Origins {
  public:
    // States come in the order of their numbers; the first one has no origin.
    void add(StateNumber source, Step step) { origins_.push_back({source, step}); }
    std::size_t bytes() const { return origins_.capacity() * sizeof(Origin); }

    std::vector<Step> path_to(StateNumber state) const {
        std::vector<Step> path;
        for (; state != 0; state = origins_[state - 1].source) path.push_back(origins_[state - 1].step);
        std::reverse(path.begin(), path.end());
        return path;
    }

  private:
    struct Origin {
        StateNumber source;
        Step step;
    };
    std::vector<Origin> origins_;
};

}  // namespace mule::search
