// Which step first led to each state, by number: enough to rebuild a path without keeping states twice, whatever the
// order of the search and whoever took the step.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "search/exploration.hpp"
#include "store/archive.hpp"
#include "store/scratch_file.hpp"

namespace mule::search {

struct Origin {
    StateNumber source;  // kNoNumber: the state is an initial one
    TransitionId transition;
    std::uint16_t outcome;
    std::uint16_t part;  // the explorer that has the source
};

inline constexpr Origin kNoOrigin = {kNoNumber, 0, 0, 0};

class Origins {
  public:
    // States come in the order of their numbers.
    void add(const Origin& origin) { origins_.push_back(origin); }
    // A better one than before.
    void replace(StateNumber state, const Origin& origin) { origins_[state] = origin; }  // never where some are on disk
    std::size_t bytes() const { return origins_.capacity() * sizeof(Origin); }
    std::uint64_t disk_bytes() const { return on_disk_ * sizeof(Origin); }

    // What is in memory goes to a file in the directory.
    void shrink(const std::string& directory) {
        if (!file_) file_.emplace(directory);
        file_->write(disk_bytes(), origins_.data(), origins_.size() * sizeof(Origin));
        on_disk_ += origins_.size();
        origins_ = std::vector<Origin>();  // {} would keep its memory
    }

    // As far as the explorer `part` knows it.
    PathEnd path_to(StateNumber state, std::uint16_t part) const {
        PathEnd path;
        for (;;) {
            const Origin origin = at(state);
            path.from_initial_state = origin.source == kNoNumber;
            if (path.from_initial_state) break;
            path.steps.push_back({origin.transition, origin.outcome});
            path.part = origin.part;
            path.number = state = origin.source;
            if (origin.part != part) break;
        }
        std::reverse(path.steps.begin(), path.steps.end());
        return path;
    }

    void write(Writer& writer) const {
        writer.value(on_disk_ + origins_.size());
        std::vector<Origin> some;
        for (std::uint64_t begin = 0; begin < on_disk_; begin += some.size()) {
            some.resize(std::min<std::uint64_t>(kBlock, on_disk_ - begin));
            file_->read(begin * sizeof(Origin), some.data(), some.size() * sizeof(Origin));
            writer.bytes(some.data(), some.size() * sizeof(Origin));
        }
        writer.bytes(origins_.data(), origins_.size() * sizeof(Origin));
    }
    // Those from `begin` to `end`, all in memory, as `renumbered` makes them: a part of what `read` takes, after the
    // number of all.
    template <typename Renumbered>
    void write_some(Writer& writer, StateNumber begin, StateNumber end, Renumbered&& renumbered) const {
        for (StateNumber state = begin; state < end; ++state) writer.value(renumbered(at(state)));
    }
    // `directory`: where to put them if they are many; empty: nowhere.
    void read(Reader& reader, const std::string& directory = {}) {
        std::uint64_t left = 0;
        for (reader.value(left); left != 0;) {
            const std::size_t before = origins_.size();
            const std::uint64_t some = std::min<std::uint64_t>(kBlock, left);
            origins_.resize(before + some);
            reader.bytes(origins_.data() + before, some * sizeof(Origin));
            left -= some;
            if (left != 0 && !directory.empty()) shrink(directory);
        }
    }

  private:
    static constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

    Origin at(StateNumber state) const {
        if (state >= on_disk_) return origins_[state - on_disk_];
        Origin origin;
        file_->read(state * sizeof(Origin), &origin, sizeof origin);
        return origin;
    }

    std::vector<Origin> origins_;  // the last ones
    std::uint64_t on_disk_ = 0;
    std::optional<ScratchFile> file_;
};

}  // namespace mule::search
