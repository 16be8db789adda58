#include "search/stateless.hpp"

namespace mule {

SearchResult Stateless::run(const Word* initial) {
    push(initial, hash_words(initial, program_.words));
    while (!frames_.empty() && !done_) {
        Frame& frame = frames_.back();
        if (frame.next == frame.end) {
            leave(frame.hash);
            entries_.resize(frame.begin);
            frames_.pop_back();
            continue;
        }
        const Word* entry = entries_.data() + frame.next;
        frame.next += expander_.stride();
        take(entry);
        state_.assign(words_of(entry), words_of(entry) + program_.words);
        push(state_.data(), header_of(entry).hash);
        if (++polls_ % 1024 == 0) poll(entries_.capacity() * sizeof(Word));
    }
    return finish(entries_.capacity() * sizeof(Word));
}

void Stateless::push(const Word* state, std::uint64_t hash) {
    arrive(state, hash);
    if (done_) return;
    const std::size_t begin = entries_.size();
    entries_.resize(begin + std::size_t{program_.max_successors} * expander_.stride());
    const Expander::Expansion expansion = expander_.expand(state, hash, entries_.data() + begin);
    judge(expansion);
    const std::size_t end = begin + std::size_t{expansion.chosen} * expander_.stride();
    entries_.resize(end);
    frames_.push_back({hash, begin, end, begin});
}

}  // namespace mule
