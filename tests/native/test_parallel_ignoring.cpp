// A wheel that turns alone in reduced sets, and a step that they leave out: it must not be ignored for ever.
#include <doctest/doctest.h>

#include "independent.hpp"
#include "parallel/search.hpp"
#include "search/entries.hpp"
#include "search/search.hpp"
#include "store/hash.hpp"
#include "store/table.hpp"

using namespace mule;
using namespace mule::search;

namespace {

const std::vector<Word> kStart = {kOccupied, 0};

// The wheel is in the first of two words, and the step left out changes the second.
template <Word Positions>
std::uint32_t turn(const Word* state, std::uint64_t, Word* out) {
    const Word turned[] = {kOccupied | ((state[0] & ~kOccupied) + 1) % Positions, state[1]};
    const Word stepped[] = {state[0], 1};
    const std::uint32_t count = state[1] == 0 ? 2 : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Word* target = i == 0 ? turned : stepped;
        Word* entry = out + std::size_t{i} * (kHeaderWords + 2);
        std::copy(target, target + 2, entry + kHeaderWords);
        *reinterpret_cast<SuccessorHeader*>(entry) = {hash_words(target, 2), i, 0, 0};
    }
    return count;
}
bool is_enabled(const Word* state, std::uint32_t transition) { return transition == 0 || state[1] == 0; }
bool has_not_stepped(const Word* state, std::uint32_t) { return state[1] == 0; }

template <Word Positions>
Program wheel() {
    Program program;
    program.words = 2;
    program.transitions = program.guards = program.max_successors = 2;
    program.propositions = 1;
    program.replace(&turn<Positions>, &is_enabled, &has_not_stepped, nullptr);
    return program;
}

// `workers`: 0 for the serial search.
std::unique_ptr<Search> search_by(unsigned workers, const Program& program, const SearchOptions& options,
                                  reduction::Reducer& reducer) {
    if (workers == 0) return make_search(program, kStart, options, &reducer);
    return parallel::make_parallel_search(program, kStart, options, &reducer,
                                          {.workers = workers, .worth_sharing = 2, .capacity = 5});
}

}  // namespace

TEST_CASE("a state that leads to itself is closed before anybody asks whether it is") {
    const Program program = wheel<1>();
    for (const unsigned workers : {0u, 1u, 2u}) {
        CAPTURE(workers);
        SearchOptions options;
        options.proviso = Proviso::kClosedMinus;
        reduction::Reducer reducer = independent(program, reduction::Memory::kValid);
        const auto search = search_by(workers, program, options, reducer);
        while (search->step(500)) {
        }
        const SearchResult found = search->take_result();
        CHECK(found.found == Found::kProposition);
        CHECK(found.fully_expanded == 1);
    }
}

TEST_CASE("what was closed is found closed on disk, whoever took it there") {
    const Program program = wheel<4500>();
    for (const unsigned workers : {0u, 2u}) {
        CAPTURE(workers);
        SearchOptions options;
        options.proviso = Proviso::kClosedMinus;
        options.max_bytes = 400'000;
        options.max_states = 100'000;
        options.spill = "/tmp";
        reduction::Reducer reducer = independent(program, reduction::Memory::kValid);
        const auto search = search_by(workers, program, options, reducer);
        bool was_on_disk = false;
        while (search->step(500)) was_on_disk = was_on_disk || search->progress().disk > 0;
        const SearchResult found = search->take_result();
        CHECK(was_on_disk);
        CHECK(found.found == Found::kProposition);
        CHECK(found.fully_expanded == 1);
    }
}
