#include "search/dpor.hpp"

#include <stdexcept>

namespace mule::search {

void Agents::check(std::uint32_t transitions) const {
    const auto expect = [](bool fits) {
        if (!fits) throw std::invalid_argument("the agents are not those of this program");
    };
    expect(of.size() == transitions && alternatives.size() == locations.size());
    for (const auto& list : of) {
        expect(!list.empty());
        for (const AgentId agent : list) expect(agent < locations.size());
    }
    for (std::size_t agent = 0; agent < locations.size(); ++agent) {
        expect(alternatives[agent].size() == locations[agent].mask + 1);
        for (const auto& list : alternatives[agent]) {
            for (const TransitionId t : list) expect(t < transitions);
        }
    }
}

Dpor::Dpor(const Program& program, const SearchOptions& options, Relations relations, Agents agents)
    : DynamicSearch(program, options),
      relations_(std::move(relations)),
      agents_(std::move(agents)),
      last_(agents_.locations.size()),
      everything_(row_words_),
      beginning_(agents_.locations.size()),
      covered_(agents_.locations.size()) {
    agents_.check(program.transitions);
    fill_bits(everything_.data(), program.transitions);
}

// Expands the state that was just taken onto the path.
void Dpor::push(const Word* state, std::uint64_t hash) {
    const std::size_t at = path_.size() - 1;
    if (nodes_.size() == at) nodes_.emplace_back();
    Node& node = nodes_[at];
    const Expander::Expansion expansion = expand(node, state, hash);
    node.can_move.assign(last_.size(), 0);
    node.chosen.assign(last_.size(), 0);
    for (std::uint32_t i = 0; i < node.count; ++i) {
        for (const AgentId agent : agents_.of[header_of(entry(node, i)).transition]) node.can_move[agent] = 1;
    }
    if (!done()) detect_races();
    // A step that fails leads nowhere, so nothing can be learnt from what comes after it.
    choose_first(at, expansion.fails());
}

void Dpor::pop() {
    const std::size_t at = path_.size() - 1;
    leave(nodes_[at].hash);
    if (at == 0) return;
    Node& above = nodes_[at - 1];
    for (std::size_t i = 0; i < above.last.size(); ++i) last_[agents_.of[above.transition][i]] = above.last[i];
}

// Goes on with an entry of a chosen agent that was not taken yet; false when there is none.
bool Dpor::descend(Node& node) {
    for (std::uint32_t i = 0; i < node.count; ++i) {
        if (node.taken[i] != 0) continue;
        const auto& agents = agents_.of[header_of(entry(node, i)).transition];
        if (std::none_of(agents.begin(), agents.end(), [&](AgentId agent) { return node.chosen[agent] != 0; }))
            continue;
        node.taken[i] = 1;
        node.current = i;
        const Word* taken = entry(node, i);
        const std::uint64_t hash = header_of(taken).hash;
        node.transition = header_of(taken).transition;
        begin_event(path_.size() - 1);
        take(taken);
        arrive(words_of(taken), hash);
        if (!done()) push(path_[path_.size() - 1], hash);
        return true;
    }
    return false;
}

// Vector clocks: an event happens after those of its agents, and after those that it interferes with.
void Dpor::begin_event(std::size_t at) {
    Node& node = nodes_[at];
    find_interference(at);
    node.clock.assign(last_.size(), 0);
    const auto join = [&](const Node& earlier) {
        for (std::size_t agent = 0; agent < last_.size(); ++agent)
            node.clock[agent] = std::max(node.clock[agent], earlier.clock[agent]);
    };
    node.last.clear();
    for (const AgentId agent : agents_.of[node.transition]) {
        node.last.push_back(last_[agent]);
        if (last_[agent] != 0) join(nodes_[last_[agent] - 1]);
    }
    for (std::size_t i = 0; i < at; ++i) {
        if (test_bit(nodes_[i].interferes.data(), node.transition)) join(nodes_[i]);
    }
    for (const AgentId agent : agents_.of[node.transition]) {
        node.clock[agent] = static_cast<std::uint32_t>(at + 1);
        last_[agent] = static_cast<std::uint32_t>(at + 1);
    }
}

// What must not come before a move of the agents, or it might be lost: what does not accord with one of their enabled
// transitions, and what is necessary to enable another one.
void Dpor::find_interference(std::size_t at) {
    Node& node = nodes_[at];
    node.interferes.assign(row_words_, 0);
    for (const AgentId agent : agents_.of[node.transition]) {
        for (const TransitionId t : moves(path_[at], agent)) {
            const Word* row =
                test_bit(node.enabled.data(), t) ? relations_.do_not_accord.row(t) : necessary(path_[at], t);
            for (std::uint32_t w = 0; w < row_words_; ++w) node.interferes[w] |= row[w];
        }
    }
}

// The smallest set of transitions one of which must run before a disabled one can be enabled.
const Word* Dpor::necessary(const Word* state, TransitionId disabled) const {
    const Word* best = everything_.data();
    std::size_t least = ~std::size_t{0};
    for (const GuardId guard : relations_.guards_of[disabled]) {
        const Word* set = relations_.enabling.row(guard);
        std::size_t size = 0;
        for (std::uint32_t w = 0; w < row_words_; ++w) size += static_cast<std::size_t>(std::popcount(set[w]));
        if (size >= least || program_.guard(state, guard)) continue;
        best = set;
        least = size;
    }
    return best;
}

void Dpor::choose_first(std::size_t at, bool everything) {
    const Node& node = nodes_[at];
    for (std::uint32_t i = 0; i < (everything ? node.count : std::min(node.count, 1u)); ++i) {
        for (const AgentId agent : agents_.of[header_of(entry(node, i)).transition]) choose(at, agent);
    }
}

// Whoever moves together with a chosen agent is chosen as well.
void Dpor::choose(std::size_t at, AgentId agent) {
    Node& node = nodes_[at];
    if (node.chosen[agent] != 0) return;
    node.chosen[agent] = 1;
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const auto& agents = agents_.of[header_of(entry(node, i)).transition];
        if (std::find(agents.begin(), agents.end(), agent) == agents.end()) continue;
        for (const AgentId other : agents) choose(at, other);
    }
}

const std::vector<TransitionId>& Dpor::moves(const Word* state, AgentId agent) const {
    const LocationField& field = agents_.locations[agent];
    return agents_.alternatives[agent][(state[field.word] >> field.shift) & field.mask];
}

// Whether an event happens before what the agent does next.
bool Dpor::before(std::size_t event, AgentId agent) const {
    if (last_[agent] == 0) return false;
    return nodes_[last_[agent] - 1].clock[agents_.of[nodes_[event].transition].front()] >= event + 1;
}

// Races between an event of the path and what an agent could do next, be it enabled or not. Those of agents that have
// not moved were found when the path was shorter, but for those with the last event.
void Dpor::detect_races() {
    const std::size_t at = path_.size() - 1;
    if (at == 0) return;
    const Word* state = path_[at];
    const Node& above = nodes_[at - 1];
    const auto& moved = agents_.of[above.transition];
    for (AgentId agent = 0; agent < last_.size(); ++agent) {
        if (std::find(moved.begin(), moved.end(), agent) != moved.end()) {
            detect_races_of(agent);
            continue;
        }
        for (const TransitionId t : moves(state, agent)) {
            if (!test_bit(above.interferes.data(), t)) continue;
            race(at - 1, agent);
            break;
        }
    }
}

void Dpor::detect_races_of(AgentId agent) {
    const std::size_t at = path_.size() - 1;
    for (const TransitionId t : moves(path_[at], agent)) {
        for (std::size_t event = at; event-- > 0;) {
            if (test_bit(nodes_[event].interferes.data(), t) && !before(event, agent)) race(event, agent);
        }
    }
}

// The agent's next move may have to come before an event: it must then be possible to explore it, or what it needs,
// from the state before the event.
void Dpor::race(std::size_t at, AgentId agent) {
    Node& node = nodes_[at];
    const std::size_t end = path_.size() - 1;
    if (node.can_move[agent] != 0 && node.chosen[agent] != 0) return;
    AgentId first = node.can_move[agent] != 0 ? agent : static_cast<AgentId>(last_.size());
    for (std::size_t event = at + 1; event < end; ++event) {
        if (!before(event, agent)) continue;
        for (const AgentId other : agents_.of[nodes_[event].transition]) {
            if (node.can_move[other] == 0) continue;
            if (node.chosen[other] != 0) return;
            if (first == last_.size()) first = other;
        }
    }
    if (first != last_.size())
        choose(at, first);
    else
        choose_cover(at, agent);
}

// The agent cannot move in the state `at`. One of the agents chosen here moves before it does: what must run for each
// of its transitions to be enabled is up to some agent, which can move, or waits in its turn.
void Dpor::choose_cover(std::size_t at, AgentId agent) {
    Node& node = nodes_[at];
    std::fill(covered_.begin(), covered_.end(), 0);
    covered_[agent] = 1;
    cover_work_.assign(1, agent);
    while (!cover_work_.empty()) {
        const AgentId waiting = cover_work_.back();
        cover_work_.pop_back();
        if (node.can_move[waiting] != 0) {
            choose(at, waiting);
            continue;
        }
        for (const TransitionId t : moves(path_[at], waiting)) {
            const Word* set = necessary(path_[at], t);
            for (std::uint32_t w = 0; w < row_words_; ++w) {
                for_each_bit(set[w], w * 64, [&](TransitionId u) {
                    const auto& agents = agents_.of[u];
                    if (std::any_of(agents.begin(), agents.end(), [&](AgentId a) { return covered_[a] != 0; })) return;
                    covered_[agents.front()] = 1;
                    cover_work_.push_back(agents.front());
                });
            }
        }
    }
}

std::size_t Dpor::bytes() const {
    if (nodes_.empty()) return 0;
    const Node& node = nodes_.front();
    return nodes_.size() *
           (sizeof(Node) + (node.entries.capacity() + 2 * row_words_) * sizeof(Word) + 12 * last_.size());
}

}  // namespace mule::search
