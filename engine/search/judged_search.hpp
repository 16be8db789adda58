// What all searches have in common that look for what can be seen in single states, whatever their order.
#pragma once

#include "search/expander.hpp"

namespace mule::search {

// Face: what callers know of the search, a Search.
template <typename Face = Search>
class JudgedSearch : public Face {
  public:
    SearchResult take_result() override {
        result_.progress = this->progress();
        static_cast<Judged&>(result_) = judge_.take();
        result_.stopped = this->stopped();
        return std::move(result_);
    }

  protected:
    JudgedSearch(const Program& program, const SearchOptions& options, Reducer* reducer)
        : program_(program),
          options_(options),
          reducer_(reducer),
          judge_(program, options),
          expander_(program, options, reducer, judge_) {}

    // Where the states are in a store.
    template <typename Store>
    Progress progress_with(const Store& store, std::uint64_t depth, std::uint64_t open, std::size_t besides) const {
        return {.states = store.size() - judge_.transient() + judge_.error_states(),
                .transitions = transitions_ + judge_.steps_to_error_states(),
                .depth = depth,
                .open = open,
                .bytes = store.bytes() + besides};
    }
    // Of the judge and the reducer.
    std::size_t judging_bytes() const { return judge_.bytes() + (reducer_ == nullptr ? 0 : reducer_->bytes()); }

    // What is looked for is found, at the end of the path; where it is a failure, the path goes on with its step.
    void found(std::vector<Step> path) {
        result_.path = std::move(path);
        this->finish();
    }
    void found_in_expansion(std::vector<Step> path, const Happenings& happenings) {
        if (judge_.found_failure()) path.push_back(happenings.failing);
        found(std::move(path));
    }

    // All of it, between two steps.
    void write_standing(Writer& writer) const {
        judge_.write(writer);
        writer.value(transitions_);
        writer.value(result_.fully_expanded);
    }
    void read_standing(Reader& reader) {
        judge_.read(reader);
        reader.value(transitions_);
        reader.value(result_.fully_expanded);
    }

    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    Judge judge_;
    Expander expander_;
    std::uint64_t transitions_ = 0;
    SearchResult result_;  // the path, and what only some searches count
};

}  // namespace mule::search
