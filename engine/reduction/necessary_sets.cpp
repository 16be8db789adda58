#include "reduction/necessary_sets.hpp"

#include <algorithm>
#include <stdexcept>

namespace mule::reduction {

NecessarySets::NecessarySets(const Relations& relations, bool disabling_sets, const std::vector<bool>& is_control)
    : guards_(relations.guards), enabling_(&relations.enabling), disabling_(&relations.disabling) {
    if (disabling_sets && guards_ > 0 && (relations.disabling.absent() || relations.never_coenabled.absent())) {
        throw std::invalid_argument("necessary disabling sets need both disabling and never_coenabled");
    }
    for (SetId set = 0; set < count(); ++set) over_control_.push_back(!is_control.empty() && is_control[set % guards_]);
    for (TransitionId t = 0; t < relations.transitions; ++t) {
        std::vector<SetId> sets(relations.guards_of[t].begin(), relations.guards_of[t].end());
        if (disabling_sets) {
            for (const GuardId g : relations.guards_of[t]) {
                relations.never_coenabled.for_each_in_row(g, [&](GuardId other) { sets.push_back(guards_ + other); });
            }
        }
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        std::stable_partition(sets.begin(), sets.end(), [&](SetId set) { return over_control(set); });
        sets_of_.append(sets);
    }
    users_of_ = sets_of_.inverted(count());

    Lists members_of;
    std::vector<TransitionId> members;
    for (SetId set = 0; set < count(); ++set) {
        members.clear();
        if (!users_of_[set].empty()) {
            const BitMatrix& matrix = set < guards_ ? *enabling_ : *disabling_;
            matrix.for_each_in_row(set % guards_, [&](TransitionId t) { members.push_back(t); });
        }
        members_of.append(members);
    }
    sets_with_ = members_of.inverted(relations.transitions);
}

CandidateSets::CandidateSets(const NecessarySets& sets, std::uint32_t transitions) : sets_(&sets) {
    std::uint32_t total = 0;
    for (TransitionId t = 0; t < transitions; ++t) {
        candidates_.push_back({0, total, 0});
        total += static_cast<std::uint32_t>(sets.of(t).size());
    }
    items_.resize(total);
}

void CandidateSets::select(TransitionId transition, GuardOracle& oracle) {
    Candidates& candidates = candidates_[transition];
    candidates.generation = generation_;
    candidates.count = 0;
    for (const SetId set : sets_->of(transition)) {
        if (sets_->over_control(set) && !sets_->usable(set, oracle)) continue;
        items_[candidates.begin + candidates.count++] = set;
    }
}

}  // namespace mule::reduction
