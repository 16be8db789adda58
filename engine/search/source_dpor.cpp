#include "search/source_dpor.hpp"

#include <stdexcept>

namespace mule::search {

SourceDpor::SourceDpor(const Program& program, const SearchOptions& options, BitMatrix dependent,
                       const BitMatrix& disabled_by)
    : DynamicSearch(program, options),
      dependent_(std::move(dependent)),
      disables_(disabled_by.transposed()),
      blocked_(row_words_),
      successors_(std::size_t{program.max_successors} * expander_.stride()),
      state_(program.words) {}

// Expands the state that was just taken onto the path.
void SourceDpor::push(const Word* state, std::uint64_t hash) {
    const std::size_t at = path_.size() - 1;
    if (nodes_.size() == at) nodes_.emplace_back();
    Node& node = nodes_[at];
    const Expander::Expansion expansion = expand(node, state, hash);
    node.explored.assign(row_words_, 0);
    node.chosen.assign(row_words_, 0);
    node.asleep.assign(row_words_, 0);
    if (done()) return;
    if (at > 0) {
        fall_asleep(at);
        inherit_wanted(at);
        find_disabled();
    }
    // A step that fails leads nowhere, so nothing can be learnt from what comes after it.
    choose(node, expansion.fails());
}

void SourceDpor::pop() {
    const std::size_t at = path_.size() - 1;
    for (const Sequence& sequence : nodes_[at].wanted) wanted_ -= sequence.size();
    nodes_[at].wanted.clear();
    leave(nodes_[at].hash);
    if (at == 0) return;
    Node& above = nodes_[at - 1];
    for (std::uint32_t i = 0; i < above.count; ++i) {
        if (above.taken[i] == 0 && header_of(entry(above, i)).transition == above.event.transition) return;
    }
    set_bit(above.explored.data(), above.event.transition);
}

// Goes on with an entry of the source set that was not taken yet; false when there is none.
bool SourceDpor::descend(Node& node) {
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const SuccessorHeader header = header_of(entry(node, i));
        if (node.taken[i] != 0 || !test_bit(node.chosen.data(), header.transition)) continue;
        if (test_bit(node.asleep.data(), header.transition)) continue;
        node.taken[i] = 1;
        node.event = {header.transition, header.outcome};
        begin_event(path_.size() - 1);
        const Word* taken = entry(node, i);
        take(taken);
        arrive(words_of(taken), header.hash);
        if (!done()) push(path_[path_.size() - 1], header.hash);
        return true;
    }
    return false;
}

// What was explored before, and can change places with the last event.
void SourceDpor::fall_asleep(std::size_t at) {
    Node& node = nodes_[at];
    const Node& above = nodes_[at - 1];
    const Word* dependent = dependent_.row(above.event.transition);
    for (std::uint32_t w = 0; w < row_words_; ++w)
        node.asleep[w] = (above.asleep[w] | above.explored[w]) & ~dependent[w] & node.enabled[w];
}

// What was wanted in the state above and goes on with the last event is wanted here: a sleep set might hide the race
// that would ask for it.
void SourceDpor::inherit_wanted(std::size_t at) {
    const Node& above = nodes_[at - 1];
    for (Sequence sequence : above.wanted) {
        if (rest_after(above.event, sequence)) want(at, std::move(sequence));
    }
}

// Takes the step out of the sequence if it can come first; false where the last one would come, or the two do not go
// together.
bool SourceDpor::rest_after(Step first, Sequence& sequence) const {
    const auto place = std::find_if(sequence.begin(), sequence.end(),
                                    [&](Step step) { return depends(step.transition, first.transition); });
    if (place == sequence.end()) return true;
    const bool goes_on = place + 1 != sequence.end() && place->transition == first.transition;
    if (!goes_on || place->outcome != first.outcome) return false;
    sequence.erase(place);
    return true;
}

void SourceDpor::choose(Node& node, bool everything) {
    if (everything) node.chosen = node.enabled;
    for (std::uint32_t w = 0; w < row_words_; ++w) {
        if ((node.chosen[w] & ~node.asleep[w]) != 0) return;
    }
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const TransitionId t = header_of(entry(node, i)).transition;
        if (!test_bit(node.asleep.data(), t)) return set_bit(node.chosen.data(), t);
    }
    result_.cut_runs += node.count != 0 ? 1 : 0;
}

// Notes what happens before the event, and looks for those that it is in a race with: it depends on them, and on
// nothing that happens after them.
void SourceDpor::begin_event(std::size_t at) {
    Node& node = nodes_[at];
    node.before.assign(words_for(static_cast<std::uint32_t>(at)), 0);
    Events racing;
    for (std::uint32_t event = static_cast<std::uint32_t>(at); event-- > 0;) {
        if (test_bit(node.before.data(), event) || !depends(nodes_[event].event.transition, node.event.transition))
            continue;
        racing.push_back(event);
        set_bit(node.before.data(), event);
        for (std::size_t w = 0; w < nodes_[event].before.size(); ++w) node.before[w] |= nodes_[event].before[w];
    }
    for (const std::uint32_t event : racing) reverse(event, not_after(event), node.event.transition);
    enabled_after_.clear();
}

// The events of the path after this one that do not happen after it.
SourceDpor::Events SourceDpor::not_after(std::size_t event) const {
    Events events;
    for (std::size_t later = event + 1; later + 1 < path_.size(); ++later) {
        if (!before(static_cast<std::uint32_t>(event), static_cast<std::uint32_t>(later)))
            events.push_back(static_cast<std::uint32_t>(later));
    }
    return events;
}

// Wants the events and then the last transition, without what the path does first, if that is possible.
void SourceDpor::reverse(std::size_t at, const Events& events, TransitionId last) {
    Node& node = nodes_[at];
    Sequence sequence;
    for (const std::uint32_t event : events) sequence.push_back(nodes_[event].event);
    sequence.push_back({last, 0});
    if (may_begin_with(sequence, node.asleep)) return;
    if (test_bit(enabled_after(at, events).data(), last)) want(at, std::move(sequence));
}

// Sees to it that what is explored from the state can begin the sequence, as far as the order of its steps matters.
void SourceDpor::want(std::size_t at, Sequence sequence) {
    Node& node = nodes_[at];
    if (may_begin_with(sequence, node.asleep)) return;
    const auto same = [&](const Sequence& other) {
        return std::equal(other.begin(), other.end(), sequence.begin(), sequence.end(),
                          [](Step a, Step b) { return a.transition == b.transition && a.outcome == b.outcome; });
    };
    if (std::any_of(node.wanted.begin(), node.wanted.end(), same)) return;
    if (!may_begin_with(sequence, node.chosen) && test_bit(node.enabled.data(), sequence.front().transition))
        set_bit(node.chosen.data(), sequence.front().transition);
    wanted_ += sequence.size();
    node.wanted.push_back(std::move(sequence));
}

// Whether one of the transitions, all of them enabled, is a weak initial of the sequence: one of its steps that can be
// the first, or one that can change places with all of them.
bool SourceDpor::may_begin_with(const Sequence& sequence, const std::vector<Word>& transitions) {
    std::fill(blocked_.begin(), blocked_.end(), 0);
    for (const Step step : sequence) {
        if (test_bit(transitions.data(), step.transition) && !test_bit(blocked_.data(), step.transition)) return true;
        const Word* dependent = dependent_.row(step.transition);
        for (std::uint32_t w = 0; w < row_words_; ++w) blocked_[w] |= dependent[w];
    }
    for (std::uint32_t w = 0; w < row_words_; ++w) {
        if ((transitions[w] & ~blocked_[w]) != 0) return true;
    }
    return false;
}

// Races with what is not on the path, because an event disables it: what could run without the event, after other
// events up to the last one.
void SourceDpor::find_disabled() {
    const std::size_t at = path_.size() - 1;
    const std::uint32_t last = static_cast<std::uint32_t>(at - 1);
    for (std::uint32_t event = 0; event <= last; ++event) {
        if (event != last && before(event, last)) continue;
        disables_.for_each_in_row(nodes_[event].event.transition, [&](TransitionId t) {
            if (t != nodes_[event].event.transition) find_disabled_by(event, t);
        });
    }
    enabled_after_.clear();
}

void SourceDpor::find_disabled_by(std::size_t at, TransitionId disabled) {
    const Events events = not_after(at);
    Events open;  // may have to be left out, with all that happens after them
    for (const std::uint32_t event : events) {
        if (event == events.back() || before(event, events.back())) continue;
        if (depends(nodes_[event].event.transition, disabled)) open.push_back(event);
    }
    Events left_out;
    try_without(at, events, open, 0, left_out, disabled);
}

void SourceDpor::try_without(std::size_t at, const Events& events, const Events& open, std::size_t next,
                             Events& left_out, TransitionId disabled) {
    const auto is_out = [&](std::uint32_t event) {
        return std::any_of(left_out.begin(), left_out.end(),
                           [&](std::uint32_t other) { return other == event || before(other, event); });
    };
    while (next < open.size() && is_out(open[next])) ++next;
    if (next < open.size()) {
        try_without(at, events, open, next + 1, left_out, disabled);
        left_out.push_back(open[next]);
        try_without(at, events, open, next + 1, left_out, disabled);
        left_out.pop_back();
        return;
    }
    Events kept;
    std::copy_if(events.begin(), events.end(), std::back_inserter(kept), [&](std::uint32_t e) { return !is_out(e); });
    reverse(at, kept, disabled);
}

// The transitions that are enabled, be it to fail, after some later events from the state `at`.
const std::vector<Word>& SourceDpor::enabled_after(std::size_t at, const Events& events) {
    const auto [place, is_new] = enabled_after_.try_emplace({at, events});
    std::vector<Word>& enabled = place->second;
    if (!is_new) return enabled;
    std::copy(path_[at], path_[at] + program_.words, state_.begin());
    std::uint64_t hash = nodes_[at].hash;
    for (const std::uint32_t event : events) {
        const Step step = nodes_[event].event;
        const std::uint32_t written = program_.expand(state_.data(), hash, successors_.data());
        const Word* found = nullptr;
        for (std::uint32_t i = 0; i < written && found == nullptr; ++i) {
            const Word* successor = successors_.data() + std::size_t{i} * expander_.stride();
            const SuccessorHeader& header = header_of(successor);
            if (header.transition == step.transition && header.outcome == step.outcome && header.failure == 0)
                found = successor;
        }
        if (found == nullptr) throw std::logic_error("steps said to be independent are not");
        hash = header_of(found).hash;
        std::copy(words_of(found), words_of(found) + program_.words, state_.begin());
    }
    enabled.assign(row_words_, 0);
    const std::uint32_t written = program_.expand(state_.data(), hash, successors_.data());
    for (std::uint32_t i = 0; i < written; ++i)
        set_bit(enabled.data(), header_of(successors_.data() + std::size_t{i} * expander_.stride()).transition);
    return enabled;
}

std::size_t SourceDpor::bytes() const {
    if (nodes_.empty()) return 0;
    const Node& node = nodes_.front();
    return nodes_.size() * (sizeof(Node) + (node.entries.capacity() + 5 * row_words_) * sizeof(Word)) +
           wanted_ * sizeof(Step);
}

}  // namespace mule::search
