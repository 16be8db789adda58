// How far a state may be from what is looked for: the largest of what the program's own function and the patterns say.
#pragma once

#include <algorithm>

#include "program.hpp"
#include "search/search.hpp"

namespace mule::search {

class Estimate {
  public:
    Estimate(const Program& program, const SearchOptions& options) : program_(program), patterns_(options.patterns) {}

    bool exists() const { return program_.functions != 0 || !patterns_.empty(); }

    // 0 where the function is undefined, or negative.
    std::uint32_t operator()(const Word* state) const {
        std::uint32_t value = 0;
        if (program_.functions != 0)
            value = static_cast<std::uint32_t>(std::max<std::int64_t>(program_.function(state, 0), 0));
        for (const auto& pattern : patterns_) value = std::max(value, pattern->distance(state));
        return value;
    }

  private:
    const Program& program_;
    const std::vector<std::shared_ptr<Pattern>>& patterns_;
};

}  // namespace mule::search
