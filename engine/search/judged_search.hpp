// What all searches have in common that look for what can be seen in single states, whatever their order.
#pragma once

#include "search/expander.hpp"
#include "search/signature.hpp"

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

    // `stored`: states, with transient ones.
    Progress progress_with(std::uint64_t stored, std::uint64_t depth, std::uint64_t open, std::size_t bytes) const {
        return {.states = stored - judge_.transient() + judge_.error_states(),
                .transitions = transitions_ + judge_.steps_to_error_states(),
                .depth = depth,
                .open = open,
                .bytes = bytes};
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

    // A limit is reached, and the search could go on from here.
    void stop_between_batches(const char* reason) {
        this->stop(reason);
        could_go_on_ = true;
    }
    bool could_go_on() const { return !this->done() || could_go_on_; }

    // What must be the same where a search is read again; `kind`: which class has written it.
    void write_signature(Writer& writer, std::uint64_t kind) const {
        if (!could_go_on()) throw std::logic_error("a search that has ended has nothing to go on with");
        search::write_signature(writer, signature(kind));
    }
    void read_signature(Reader& reader, std::uint64_t kind) const { search::read_signature(reader, signature(kind)); }

    // Sets that are a function of what was searched before.
    void write_reducer(Writer& writer) const {
        if (reducer_ != nullptr) reducer_->write(writer);
    }
    void read_reducer(Reader& reader) {
        if (reducer_ != nullptr) reducer_->read(reader);
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

  private:
    std::vector<std::uint64_t> signature(std::uint64_t kind) const {
        std::vector<std::uint64_t> numbers = {
            kind,
            program_.words,
            program_.transitions,
            program_.guards,
            program_.propositions,
            static_cast<std::uint64_t>(options_.proviso),
            static_cast<std::uint64_t>(options_.keeping),
            options_.sample,
            options_.stop_at_assertion,
            options_.stop_at_error,
            options_.stop_at_deadlock,
            options_.failing_guards_are_transitions,
            reducer_ == nullptr ? 0 : 1 + static_cast<std::uint64_t>(reducer_->memory()),
            options_.identity.size()};
        numbers.insert(numbers.end(), options_.identity.begin(), options_.identity.end());
        return numbers;
    }

  protected:
    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    Judge judge_;
    Expander expander_;
    std::uint64_t transitions_ = 0;
    bool could_go_on_ = false;  // although it has stopped
    SearchResult result_;       // the path, and what only some searches count
};

}  // namespace mule::search
