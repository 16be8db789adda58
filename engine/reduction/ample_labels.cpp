#include "reduction/ample_labels.hpp"

#include <stdexcept>

namespace mule::reduction {

void AmpleLabels::check(std::uint32_t transitions, std::uint32_t guards) const {
    const auto expect = [](bool fits) {
        if (!fits) throw std::invalid_argument("the labels for ample sets are not those of this program");
    };
    if (locations.empty()) return;
    expect(starts.size() == transitions && transitions_of.columns() == transitions);
    for (const auto& list : starts) {
        for (const std::uint32_t number : list) expect(number < locations.size());
    }
    for (const AmpleLocation& location : locations) {
        expect(location.process < transitions_of.rows());
        for (const AmpleCondition& condition : location.conditions) {
            expect(condition.transition < transitions);
            for (const AmpleBlock& block : condition.blocks) {
                expect(block.guard < guards && (!block.given || *block.given < guards));
            }
        }
    }
}

}  // namespace mule::reduction
