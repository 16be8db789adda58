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
    void decode(std::uint64_t state, std::vector<std::uint32_t>& digits) const {
        for (std::uint32_t i = 0; i < sizes_.size(); ++i) digits[i] = digit(state, i);
    }
    // The state with another digit in the place of `old`.
    std::uint64_t with(std::uint64_t state, std::uint32_t variable, std::uint32_t old, std::uint32_t digit) const {
        return state + (std::uint64_t{digit} - old) * strides_[variable];
    }

    // Calls `visit` with the state, in which the variables from `first` on are 0, once for each way to choose them.
    template <typename Visit>
    void for_all_digits(std::uint64_t state, const std::vector<std::uint32_t>& variables, std::size_t first,
                        Visit&& visit) const {
        if (first == variables.size()) return visit(state);
        const std::uint32_t variable = variables[first];
        for (std::uint32_t value = 0; value < sizes_[variable]; ++value)
            for_all_digits(with(state, variable, 0, value), variables, first + 1, visit);
    }

    template <typename Visit>
    void for_all_of(const std::vector<std::vector<std::uint32_t>>& wanted, std::size_t first, std::uint64_t state,
                    Visit&& visit) const {
        if (first == wanted.size()) return visit(state);
        for (const std::uint32_t value : wanted[first])
            for_all_of(wanted, first + 1, with(state, static_cast<std::uint32_t>(first), 0, value), visit);
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
    std::vector<std::vector<bool>*> reached_by(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        reached_by[i] = &all_reached[steps[i].lost];
        reached_by[i]->resize(projection.states());
    }
    std::vector<std::uint32_t> digits(sizes.size());
    std::uint64_t looked_at = 0;
    for (std::size_t next = 0; next < work.size() && work.size() < projection.states(); ++next) {
        const std::uint64_t state = work[next];
        const unsigned distance = distances[state] + 1u;
        if (looked_at > kMostWork) return {};
        projection.decode(state, digits);
        const auto go_back = [&](const ProjectedStep& step) {
            ++looked_at;
            for (const auto& [variable, value] : step.after)
                if (digits[variable] != value) return;
            std::uint64_t source = state;
            for (const auto& [variable, value] : step.before)
                source = projection.with(source, variable, digits[variable], value);
            if (step.lost.empty()) return reach(source, distance);
            for (const std::uint32_t variable : step.lost)
                source = projection.with(source, variable, digits[variable], 0);
            auto known = (*reached_by[&step - steps.data()])[source];
            if (known) return;
            known = true;
            projection.for_all_digits(source, step.lost, 0, [&](std::uint64_t each) { reach(each, distance); });
        };
        for (const ProjectedStep* step : to_anything) go_back(*step);
        for (std::uint32_t i = 0; i < sizes.size(); ++i)
            for (const ProjectedStep* step : leading_to[i][digits[i]]) go_back(*step);
    }
    return distances;
}

}  // namespace mule::search
