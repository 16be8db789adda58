#include "validation/validate.hpp"

#include <algorithm>
#include <unordered_set>

#include "search/entries.hpp"

namespace mule::validation {

namespace {

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

// All successors of one state.
class Successors {
  public:
    struct Item {
        TransitionId transition;
        std::uint16_t outcome;
        const Word* state;
    };

    void of(const Program& program, const Word* state) {
        const std::size_t stride = kHeaderWords + program.words;
        buffer_.resize(program.max_successors * stride);
        items_.clear();
        enabled_.clear();
        const std::uint32_t count = program.expand(state, 0, buffer_.data());
        for (std::uint32_t i = 0; i < count; ++i) {
            const Word* entry = buffer_.data() + i * stride;
            const SuccessorHeader& header = header_of(entry);
            if (header.failure == 0) items_.push_back({header.transition, header.outcome, words_of(entry)});
            if (!is_error_transition(header)) enabled_.push_back(header.transition);
        }
        std::sort(enabled_.begin(), enabled_.end());
        enabled_.erase(std::unique(enabled_.begin(), enabled_.end()), enabled_.end());
    }

    const std::vector<Item>& items() const { return items_; }

    // As the search sees it: a step without a meaning is enabled, although it leads nowhere.
    const std::vector<TransitionId>& enabled() const { return enabled_; }

    bool enables(TransitionId transition) const {
        return std::binary_search(enabled_.begin(), enabled_.end(), transition);
    }

    bool reaches(TransitionId transition, const Word* state, std::uint32_t words) const {
        return std::any_of(items_.begin(), items_.end(), [&](const Item& i) {
            return i.transition == transition && std::equal(state, state + words, i.state);
        });
    }

  private:
    std::vector<Word> buffer_;
    std::vector<Item> items_;
    std::vector<TransitionId> enabled_;
};

}  // namespace

// The states that transitions outside one set reach, breadth first: a witness has a shortest path.
class Validator::Exploration {
  public:
    explicit Exploration(const Program& program) : program_(program), visited_(0, Hash{this}, Equal{this}) {}

    // Checks one set; false and a violation in `result` where it is not stubborn.
    bool run(const Word* state, Reducer& reducer, std::uint64_t limit, Validation& result) {
        states_.clear();
        origins_.clear();
        visited_.clear();
        violation_.reset();
        ++result.states;
        insert(state, {kNoParent, {}});
        here_.of(program_, at(0));
        if (here_.enabled().empty()) return true;
        find_set(state, reducer);
        strong_ = !reducer.options().weak;
        lasting_ = set_.enabled;
        if (lasting_.empty()) fail(Condition::kNotEmpty, 0, {}, {});
        bool cut = false;
        for (std::uint32_t number = 0; number < origins_.size() && !violation_ && !cut; ++number) {
            here_.of(program_, at(number));
            check_d2(number);
            if (!violation_) cut = !check_d1(number, limit);
        }
        result.explored += origins_.size();
        result.cut += cut;
        result.violation = std::move(violation_);
        return !result.violation;
    }

  private:
    struct Origin {
        std::uint32_t parent;
        Step step;
    };
    struct Hash {
        const Exploration* of;
        std::size_t operator()(std::uint32_t number) const {
            std::uint64_t hash = 0;
            for (std::uint32_t i = 0; i < of->program_.words; ++i) {
                hash = (hash ^ of->at(number)[i]) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 29;
            }
            return hash;
        }
    };
    struct Equal {
        const Exploration* of;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return std::equal(of->at(a), of->at(a) + of->program_.words, of->at(b));
        }
    };

    // A set that comes from memory is known by its enabled members only. They will do: as long as none of them runs, no
    // disabled member can be enabled, so paths outside the set are paths outside its enabled part.
    void find_set(const Word* state, Reducer& reducer) {
        if (reducer.memory() != Memory::kValid) return reducer.whole_set(state, here_.enabled(), set_);
        set_.row.assign(words_for(program_.transitions), 0);
        set_.enabled.clear();
        for (const std::uint32_t position : reducer.choose(state, here_.enabled())) {
            set_.enabled.push_back(here_.enabled()[position & ~kKey]);
            set_bit(set_.row.data(), set_.enabled.back());
        }
    }

    const Word* at(std::uint32_t number) const { return states_.data() + std::size_t{number} * program_.words; }

    bool insert(const Word* state, Origin origin) {
        const auto number = static_cast<std::uint32_t>(origins_.size());
        states_.insert(states_.end(), state, state + program_.words);
        if (!visited_.insert(number).second) {
            states_.resize(states_.size() - program_.words);
            return false;
        }
        origins_.push_back(origin);
        return true;
    }

    void fail(Condition condition, std::uint32_t number, std::optional<Step> last, Step stubborn) {
        std::vector<Step> path;
        if (last) path.push_back(*last);
        for (; origins_[number].parent != kNoParent; number = origins_[number].parent) {
            path.push_back(origins_[number].step);
        }
        std::reverse(path.begin(), path.end());
        violation_ = Violation{
            condition, {at(0), at(0) + program_.words}, std::move(path), stubborn.transition, stubborn.outcome, set_};
    }

    // Strikes off the stubborn transitions that the state `number` has disabled.
    void check_d2(std::uint32_t number) {
        for (std::size_t i = 0; i < lasting_.size() && !violation_;) {
            const TransitionId transition = lasting_[i];
            if (here_.enables(transition)) {
                ++i;
                continue;
            }
            lasting_.erase(lasting_.begin() + static_cast<std::ptrdiff_t>(i));
            if (strong_ || lasting_.empty()) fail(Condition::kD2, number, {}, {transition, 0});
        }
    }

    // Closes each diamond over the edges out of the state `number`: where u then t is possible, t then u must be, to
    // the same state. Along all edges this left accordance gives D1 by induction. False when the limit is met.
    bool check_d1(std::uint32_t number, std::uint64_t limit) {
        expand_stubborn_successors();
        for (const Successors::Item& edge : here_.items()) {
            if (set_.contains(edge.transition)) continue;
            there_.of(program_, edge.state);
            for (const Successors::Item& stubborn : there_.items()) {
                if (!set_.contains(stubborn.transition) || closes(edge.transition, stubborn)) continue;
                fail(Condition::kD1, number, Step{edge.transition, edge.outcome},
                     {stubborn.transition, stubborn.outcome});
                return true;
            }
            const bool fresh = insert(edge.state, {number, {edge.transition, edge.outcome}});
            if (fresh && origins_.size() > limit) return false;
        }
        return true;
    }

    void expand_stubborn_successors() {
        first_.clear();
        std::size_t used = 0;
        for (const Successors::Item& item : here_.items()) {
            if (!set_.contains(item.transition)) continue;
            if (after_.size() == used) after_.emplace_back();
            after_[used++].of(program_, item.state);
            first_.push_back(item.transition);
        }
    }

    bool closes(TransitionId edge, const Successors::Item& stubborn) const {
        for (std::size_t i = 0; i < first_.size(); ++i) {
            if (first_[i] == stubborn.transition && after_[i].reaches(edge, stubborn.state, program_.words))
                return true;
        }
        return false;
    }

    const Program& program_;
    std::vector<Word> states_;
    std::vector<Origin> origins_;  // per state that is reached, how
    std::unordered_set<std::uint32_t, Hash, Equal> visited_;
    StubbornSet set_;
    bool strong_ = true;
    std::vector<TransitionId> lasting_;  // stubborn, and enabled everywhere so far
    Successors here_, there_;
    std::vector<TransitionId> first_;  // the stubborn transitions out of here_, one a successor
    std::vector<Successors> after_;    // and what each of those successors can do
    std::optional<Violation> violation_;
};

Validator::Validator(const Program& program, Reducer& reducer, std::uint64_t limit)
    : reducer_(&reducer), limit_(limit), exploration_(std::make_unique<Exploration>(program)) {}

Validator::~Validator() = default;

bool Validator::check(const Word* state) { return exploration_->run(state, *reducer_, limit_, result_); }

Validation validate(const Program& program, Reducer& reducer, std::span<const Word> states, std::uint64_t limit) {
    Validator validator(program, reducer, limit);
    for (std::size_t at = 0; at + program.words <= states.size(); at += program.words) {
        if (!validator.check(states.data() + at)) break;
    }
    return validator.result();
}

}  // namespace mule::validation
