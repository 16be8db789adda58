// Several workers until the memory is full; then one goes on with disk, from the same cut.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "search/search.hpp"
#include "store/archive.hpp"
#include "store/scratch_file.hpp"

namespace mule::parallel {

class WithDisk final : public Search {
  public:
    // `several`: it stops where the memory is full, and can be written there unless it has found something.
    WithDisk(const Program& program, const SearchOptions& options, Reducer* reducer, std::unique_ptr<Search> several)
        : program_(program), options_(options), reducer_(reducer), search_(std::move(several)) {
        search_->asks([this] { return ask(); });
    }

    bool step(std::uint64_t states) override {
        if (done()) return false;
        const bool goes_on = search_->step(states);
        if (goes_on || handed_over_ || search_->stopped() != "memory" || !search_->can_be_written()) return goes_on;
        hand_over();
        return !done();
    }

    Progress progress() const override { return search_ ? search_->progress() : known_.progress; }
    bool can_be_written() const override { return search_ && search_->can_be_written(); }
    void write(std::ostream& out) const override { search_->write(out); }

    SearchResult take_result() override {
        const std::uint32_t workers = known_.workers;
        SearchResult result = search_ ? search_->take_result() : std::move(known_);
        result.workers = std::max(result.workers, workers);
        if (!stopped().empty()) result.stopped = stopped();
        return result;
    }

  private:
    // The workers' memory is given back before the other one reads what they have written.
    void hand_over() {
        handed_over_ = true;
        std::fstream file;
        try {
            file = scratch_stream(options_.spill);
            search_->write(file);
        } catch (const std::runtime_error&) {  // the disk is full, or cannot be written to
            return stop("disk");
        }
        known_ = search_->take_result();
        search_.reset();
        file.seekg(0);
        search_ = read_search(program_, options_, reducer_, file);
        search_->asks([this] { return ask(); });
    }

    const Program& program_;
    const SearchOptions& options_;
    Reducer* reducer_;
    std::unique_ptr<Search> search_;  // null where it could not be handed over
    bool handed_over_ = false;
    SearchResult known_;  // what the workers had found by then
};

}  // namespace mule::parallel
