// What comes next. A frontier takes each state of an explorer's store once, when it is stored, and gives it back once,
// when it is to be expanded; the order in which it does so is the order of the search:
//
//     void push(StateNumber number, const Word* state, StateNumber source)   source: kNoNumber for the first one
//     Open pop()                     the state is valid until the next push or pop; null: the store has it
//     bool empty() const
//     bool ready() const             whether pop may be called; where it is not, and the frontier is not empty,
//     void settle()                  the explorer first stores what it has, and then calls this
//     std::uint64_t size() const, depth() const
//     std::size_t bytes() const
//     bool shorter(...)              and what else Guided has: where a frontier looks for short paths
//     void write(Writer&) const, read(Reader&)   where an exploration in this order can be written
#pragma once

#include <deque>
#include <memory>

#include "program.hpp"
#include "store/archive.hpp"
#include "store/place.hpp"

namespace mule::search {

struct Open {
    StateNumber number;
    const Word* state;
};

// First in, first out, in chunks that are freed once they are read: breadth first. States come in the order of their
// numbers, so the numbers need no room.
class Fifo {
  public:
    explicit Fifo(unsigned words) : words_(words), per_chunk_(std::max(1u, 16384u / words)) {}

    bool empty() const { return size_ == 0; }
    std::uint64_t size() const { return size_; }
    std::size_t bytes() const { return (chunks_.size() + 1) * per_chunk_ * words_ * sizeof(Word); }

    // Levels are counted, so none may begin while states of it are still to come.
    bool ready() const { return size_ != 0 && popped_ < level_end_; }
    void settle() {
        if (popped_ != level_end_ || size_ == 0) return;
        if (popped_ != 0) ++depth_;
        level_end_ = popped_ + size_;
    }
    std::uint64_t depth() const { return depth_; }

    void push(StateNumber, const Word* state, StateNumber) {
        if (chunks_.empty() || back_ == per_chunk_) {
            chunks_.push_back(std::make_unique_for_overwrite<Word[]>(std::size_t{per_chunk_} * words_));
            back_ = 0;
        }
        std::copy(state, state + words_, chunks_.back().get() + std::size_t{back_++} * words_);
        ++size_;
    }

    Open pop() {
        if (front_ == per_chunk_) {
            spent_ = std::move(chunks_.front());
            chunks_.pop_front();
            front_ = 0;
        }
        --size_;
        return {static_cast<StateNumber>(popped_++), chunks_.front().get() + std::size_t{front_++} * words_};
    }

    void write(Writer& writer) const {
        for (const std::uint64_t number : {size_, popped_, level_end_, depth_}) writer.value(number);
        std::uint32_t at = front_;
        for (const auto& chunk : chunks_) {
            const std::uint32_t end = &chunk == &chunks_.back() ? back_ : per_chunk_;
            if (at < end) writer.bytes(chunk.get() + std::size_t{at} * words_, (end - at) * words_ * sizeof(Word));
            at = 0;
        }
    }
    void read(Reader& reader) {
        std::uint64_t size = 0;
        for (std::uint64_t* number : {&size, &popped_, &level_end_, &depth_}) reader.value(*number);
        std::vector<Word> state(words_);
        for (; size != 0; --size) {
            reader.bytes(state.data(), words_ * sizeof(Word));
            push(0, state.data(), 0);
        }
    }

  private:
    unsigned words_;
    std::uint32_t per_chunk_;
    std::deque<std::unique_ptr<Word[]>> chunks_;
    std::unique_ptr<Word[]> spent_;  // the last state of a chunk is still being expanded when the next one is begun
    std::uint32_t front_ = 0;
    std::uint32_t back_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t popped_ = 0;
    std::uint64_t level_end_ = 0;
    std::uint64_t depth_ = 0;
};

}  // namespace mule::search
