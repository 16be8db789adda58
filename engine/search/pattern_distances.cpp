#include "search/pattern_distances.hpp"

#include <algorithm>
#include <map>

namespace mule::search {

namespace {

class Projection {
  public:
    explicit Projection(const std::vector<std::uint32_t>& sizes) : sizes_(sizes), strides_(sizes.size()) {
        for (std::size_t i = sizes.size(); i-- > 0;) {
            strides_[i] = states_;
            states_ *= sizes[i];
        }
    }

    std::uint64_t states() const { return states_; }
    std::uint32_t digit(std::uint64_t state, std::uint32_t variable) const {
        return static_cast<std::uint32_t>(state / strides_[variable] % sizes_[variable]);
    }
    std::uint64_t with(std::uint64_t state, const Digit& digit) const {
        return state + (std::uint64_t{digit.second} - this->digit(state, digit.first)) * strides_[digit.first];
    }
    bool has(std::uint64_t state, const std::vector<Digit>& digits) const {
        return std::all_of(digits.begin(), digits.end(),
                           [&](const Digit& each) { return digit(state, each.first) == each.second; });
    }

    // Calls `visit` with the state, once for each way to choose the digits of the variables from `first` on.
    template <typename Visit>
    void for_all_digits(std::uint64_t state, const std::vector<std::uint32_t>& variables, std::size_t first,
                        Visit&& visit) const {
        if (first == variables.size()) return visit(state);
        const std::uint32_t variable = variables[first];
        for (std::uint32_t value = 0; value < sizes_[variable]; ++value)
            for_all_digits(with(state, {variable, value}), variables, first + 1, visit);
    }

    template <typename Visit>
    void for_all_of(const std::vector<std::vector<std::uint32_t>>& wanted, std::size_t first, std::uint64_t state,
                    Visit&& visit) const {
        if (first == wanted.size()) return visit(state);
        for (const std::uint32_t value : wanted[first])
            for_all_of(wanted, first + 1, with(state, {static_cast<std::uint32_t>(first), value}), visit);
    }

  private:
    const std::vector<std::uint32_t>& sizes_;
    std::vector<std::uint64_t> strides_;
    std::uint64_t states_ = 1;
};

}  // namespace

std::vector<std::uint8_t> pattern_distances(const std::vector<std::uint32_t>& sizes,
                                            const std::vector<ProjectedStep>& steps,
                                            const std::vector<std::vector<std::vector<std::uint32_t>>>& goals) {
    const Projection projection(sizes);
    std::vector<std::uint8_t> distances(projection.states(), kNever);
    std::vector<std::uint64_t> work;
    const auto reach = [&](std::uint64_t state, unsigned steps_to_goal) {
        if (distances[state] != kNever) return;
        distances[state] = static_cast<std::uint8_t>(std::min<unsigned>(steps_to_goal, kMostSteps));
        work.push_back(state);
    };
    for (const auto& wanted : goals) projection.for_all_of(wanted, 0, 0, [&](std::uint64_t state) { reach(state, 0); });

    // Steps by the first thing that holds after them.
    std::vector<std::vector<std::vector<const ProjectedStep*>>> leading_to(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) leading_to[i].resize(sizes[i]);
    std::vector<const ProjectedStep*> to_anything;
    for (const ProjectedStep& step : steps) {
        if (step.after.empty())
            to_anything.push_back(&step);
        else
            leading_to[step.after.front().first][step.after.front().second].push_back(&step);
    }
    // For each set of variables that steps lose: from which states, these variables aside, all were reached.
    std::map<std::vector<std::uint32_t>, std::vector<bool>> all_reached;
    for (const ProjectedStep& step : steps)
        if (!step.lost.empty()) all_reached[step.lost].resize(projection.states());
    std::uint64_t looked_at = 0;
    for (std::size_t next = 0; next < work.size() && work.size() < projection.states(); ++next) {
        const std::uint64_t state = work[next];
        const unsigned distance = distances[state] + 1u;
        if (looked_at > kMostWork) return {};
        const auto go_back = [&](const ProjectedStep& step) {
            ++looked_at;
            if (!projection.has(state, step.after)) return;
            std::uint64_t source = state;
            for (const Digit& digit : step.before) source = projection.with(source, digit);
            if (step.lost.empty()) return reach(source, distance);
            for (const std::uint32_t variable : step.lost) source = projection.with(source, {variable, 0});
            auto known = all_reached[step.lost][source];
            if (known) return;
            known = true;
            projection.for_all_digits(source, step.lost, 0, [&](std::uint64_t each) { reach(each, distance); });
        };
        for (const ProjectedStep* step : to_anything) go_back(*step);
        for (std::uint32_t i = 0; i < sizes.size(); ++i)
            for (const ProjectedStep* step : leading_to[i][projection.digit(state, i)]) go_back(*step);
    }
    return distances;
}

}  // namespace mule::search
