// The states of all workers under the numbers that one worker would have given them: first those that are expanded,
// then those that wait, in the order in which they will be expanded.
#pragma once

#include <algorithm>
#include <vector>

#include "store/place.hpp"

namespace mule::parallel {

class Numbering {
  public:
    // `stored`: how many numbers each worker has given.
    explicit Numbering(std::vector<StateNumber> stored) : stored_(std::move(stored)), by_part_(stored_.size()) {}

    // These wait, after all of which that was said before; the worker `part` has given their numbers.
    void add_waiting(std::uint16_t part, StateNumber begin, StateNumber end) {
        pieces_.push_back({part, begin, end, 0});
    }

    // When all that wait are known.
    void finish() {
        std::vector<Piece> all = expanded();
        all.insert(all.end(), pieces_.begin(), pieces_.end());
        pieces_ = std::move(all);
        StateNumber next = 0;
        for (Piece& piece : pieces_) {
            piece.number = next;
            next += piece.end - piece.begin;
            by_part_[piece.part].push_back(piece);
        }
        for (std::vector<Piece>& pieces : by_part_) std::sort(pieces.begin(), pieces.end(), is_before);
    }

    StateNumber of(std::uint16_t part, StateNumber number) const {
        const std::vector<Piece>& pieces = by_part_[part];
        const auto after = std::upper_bound(pieces.begin(), pieces.end(), Piece{part, number, 0, 0}, is_before);
        const Piece& piece = *(after - 1);
        return piece.number + (number - piece.begin);
    }

    // Calls `visit(part, begin, end)` with all numbers that workers have given, in the new order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const Piece& piece : pieces_) visit(piece.part, piece.begin, piece.end);
    }

  private:
    // Numbers that one worker has given one after the other.
    struct Piece {
        std::uint16_t part;
        StateNumber begin;
        StateNumber end;
        StateNumber number;  // of the first one now
    };

    static bool is_before(const Piece& one, const Piece& other) { return one.begin < other.begin; }

    // What is between those that wait.
    std::vector<Piece> expanded() const {
        std::vector<std::vector<Piece>> waiting(stored_.size());
        for (const Piece& piece : pieces_) waiting[piece.part].push_back(piece);
        std::vector<Piece> found;
        for (std::uint16_t part = 0; part < stored_.size(); ++part) {
            std::sort(waiting[part].begin(), waiting[part].end(), is_before);
            StateNumber begin = 0;
            const auto add_until = [&](StateNumber end) {
                if (begin < end) found.push_back({part, begin, end, 0});
            };
            for (const Piece& piece : waiting[part]) {
                add_until(piece.begin);
                begin = piece.end;
            }
            add_until(stored_[part]);
        }
        return found;
    }

    std::vector<StateNumber> stored_;
    std::vector<Piece> pieces_;
    std::vector<std::vector<Piece>> by_part_;
};

}  // namespace mule::parallel
