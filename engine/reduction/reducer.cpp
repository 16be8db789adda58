#include "reduction/reducer.hpp"

#include <stdexcept>

namespace mule::reduction {

Reducer::Reducer(const Program& program, Relations relations, std::string_view algorithm, ReductionOptions options,
                 std::vector<Word> control_mask, std::vector<bool> is_control, std::vector<BitTest> bit_tests,
                 Memory memory, AmpleLabels labels, LocalRelations local, std::size_t most_bytes)
    : Reducer(program,
              std::make_shared<const ReductionTables>(std::move(relations), options, std::move(is_control),
                                                      std::move(bit_tests), std::move(labels), std::move(local)),
              algorithm, std::move(control_mask), memory, most_bytes) {}

Reducer::Reducer(const Reducer& other)
    : Reducer(*other.program_, other.tables_, other.name_, other.control_mask_, other.memory_, other.most_bytes_) {}

Reducer::Reducer(const Program& program, std::shared_ptr<const ReductionTables> tables, std::string_view algorithm,
                 std::vector<Word> control_mask, Memory memory, std::size_t most_bytes)
    : program_(&program),
      tables_(std::move(tables)),
      name_(algorithm),
      control_mask_(std::move(control_mask)),
      memory_(memory),
      most_bytes_(most_bytes),
      algorithm_(make_stubborn_sets(name_, tables_)),
      closure_(tables_, Selection::kHeuristic),
      oracle_(tables_->relations.guards, tables_->is_control, tables_->bit_tests),
      remembered_(control_mask_, most_bytes_),
      certified_(*tables_, most_bytes_) {
    if (control_mask_.size() != program.words) throw std::invalid_argument("control_mask must have one word a word");
    if (tables_->relations.transitions != program.transitions || tables_->relations.guards != program.guards) {
        throw std::invalid_argument("the relations are not those of this program");
    }
}

std::span<const std::uint32_t> Reducer::choose(const Word* state, std::span<const TransitionId> enabled) {
    static constexpr std::uint32_t kOnly[] = {0 | kKey};
    if (enabled.size() == 1) return kOnly;
    std::span<const std::uint32_t> answer;
    if (memory_ != Memory::kNone && remembered_.recall(*program_, state, enabled, answer)) {
        ++statistics_.hits;
        return answer;
    }
    return memory_ == Memory::kValid ? find_valid(state, enabled) : find_anew(state, enabled);
}

std::span<const std::uint32_t> Reducer::find_anew(const Word* state, std::span<const TransitionId> enabled) {
    ++statistics_.misses;
    compute(state, enabled);
    return memory_ == Memory::kNone ? positions_ : remembered_.remember(oracle_.log(), positions_);
}

// A set known from elsewhere, or a new one. Taking everything is right in every state: where the algorithm finds
// nothing better, that is remembered without conditions, at the price of a reduction here and there.
std::span<const std::uint32_t> Reducer::find_valid(const Word* state, std::span<const TransitionId> enabled) {
    oracle_.enter(*program_, state);
    std::span<const std::uint32_t> answer;
    if (certified_.recall(enabled, oracle_, answer)) {
        ++statistics_.hits;
        return remembered_.remember_under(certified_.data_conditions(), oracle_, answer);
    }
    ++statistics_.misses;
    compute(state, enabled);
    if (positions_.size() == enabled.size()) return remembered_.remember_under({}, oracle_, positions_);
    if (!certified_.remember(set_, oracle_)) return positions_;
    return remembered_.remember_under(certified_.data_conditions(), oracle_, positions_);
}

void Reducer::compute(const Word* state, std::span<const TransitionId> enabled) {
    whole_set(state, enabled, set_);
    list_positions(enabled);
}

std::span<const std::uint32_t> Reducer::choose_another(const Word* state, std::span<const TransitionId> enabled) {
    if (memory_ != Memory::kNone) return {};
    oracle_.enter(*program_, state);
    if (!algorithm_->choose_another(enabled, oracle_, set_)) return {};
    list_positions(enabled);
    return positions_;
}

void Reducer::list_positions(std::span<const TransitionId> enabled) {
    positions_.clear();
    auto member = set_.enabled.begin();
    auto key = set_.keys.begin();
    for (std::uint32_t i = 0; i < enabled.size() && member != set_.enabled.end(); ++i) {
        if (enabled[i] != *member) continue;
        const bool is_key = key != set_.keys.end() && *key == *member;
        if (is_key) ++key;
        positions_.push_back(is_key ? i | kKey : i);
        ++member;
    }
}

void Reducer::whole_set(const Word* state, std::span<const TransitionId> enabled, StubbornSet& out) {
    oracle_.enter(*program_, state);
    algorithm_->choose(enabled, oracle_, out);
}

void Reducer::close(const Word* state, std::span<const TransitionId> enabled, std::span<const TransitionId> seed,
                    StubbornSet& out) {
    oracle_.enter(*program_, state);
    closure_.close(seed, enabled, oracle_, out);
}

ReducerStatistics Reducer::statistics() const {
    ReducerStatistics result = statistics_;
    result.bytes = bytes();
    return result;
}

}  // namespace mule::reduction
