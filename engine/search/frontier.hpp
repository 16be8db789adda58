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
//     void write(Writer&) const, read(Reader&, directory)   where an exploration in this order can be written
//     void shrink(directory)         where states that wait can do so on disk
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "program.hpp"
#include "store/archive.hpp"
#include "store/place.hpp"
#include "store/scratch_file.hpp"

namespace mule::search {

struct Open {
    StateNumber number;
    const Word* state;
};

// What stands before the states that wait in a file, which are in the order of their numbers.
struct QueueHeader {
    std::uint64_t size;
    std::uint64_t popped;     // so many states did not wait any more: the number of the first one that does
    std::uint64_t level_end;  // the number of the first one of the next level
    std::uint64_t depth;
};

// First in, first out, in chunks that are freed once they are read: breadth first. States come in the order of their
// numbers, so the numbers need no room.
class Fifo {
  public:
    explicit Fifo(unsigned words) : words_(words), per_chunk_(std::max(1u, 16384u / words)) {}

    bool empty() const { return size_ == 0; }
    std::uint64_t size() const { return size_; }
    std::size_t bytes() const { return (chunks_.size() - on_disk_ + 1) * chunk_bytes(); }
    std::uint64_t disk_bytes() const { return on_disk_ * chunk_bytes(); }

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
            chunks_.push_back({make_words(), 0});
            back_ = 0;
        }
        std::copy(state, state + words_, chunks_.back().words.get() + std::size_t{back_++} * words_);
        ++size_;
    }

    Open pop() {
        if (front_ == per_chunk_) {
            spent_ = std::move(chunks_.front().words);
            chunks_.pop_front();
            front_ = 0;
        }
        if (chunks_.front().words == nullptr) load(chunks_.front());
        --size_;
        return {static_cast<StateNumber>(popped_++), chunks_.front().words.get() + std::size_t{front_++} * words_};
    }

    // What neither comes next nor came last goes to a file in the directory.
    void shrink(const std::string& directory) {
        for (std::size_t i = 1; i + 1 < chunks_.size(); ++i)
            if (chunks_[i].words != nullptr) unload(chunks_[i], directory);
    }

    void write(Writer& writer) const {
        writer.value(QueueHeader{size_, popped_, level_end_, depth_});
        std::uint32_t at = front_;
        for (const Chunk& chunk : chunks_) {
            std::unique_ptr<Word[]> loaded;
            if (chunk.words == nullptr)
                file_->read(chunk.place * chunk_bytes(), (loaded = make_words()).get(), chunk_bytes());
            const Word* words = loaded != nullptr ? loaded.get() : chunk.words.get();
            const std::uint32_t end = &chunk == &chunks_.back() ? back_ : per_chunk_;
            if (at < end) writer.bytes(words + std::size_t{at} * words_, (end - at) * words_ * sizeof(Word));
            at = 0;
        }
    }
    // `directory`: where to put the states if they are many; empty: nowhere.
    void read(Reader& reader, const std::string& directory) {
        QueueHeader header{};
        reader.value(header);
        popped_ = header.popped;
        level_end_ = header.level_end;
        depth_ = header.depth;
        std::vector<Word> state(words_);
        for (; header.size != 0; --header.size) {
            reader.bytes(state.data(), words_ * sizeof(Word));
            push(0, state.data(), 0);
            if (back_ == per_chunk_ && !directory.empty()) shrink(directory);
        }
    }

  private:
    struct Chunk {
        std::unique_ptr<Word[]> words;  // null: on disk
        std::uint64_t place;            // there
    };

    std::size_t chunk_bytes() const { return std::size_t{per_chunk_} * words_ * sizeof(Word); }
    std::unique_ptr<Word[]> make_words() const {
        return std::make_unique_for_overwrite<Word[]>(std::size_t{per_chunk_} * words_);
    }

    void unload(Chunk& chunk, const std::string& directory) {
        if (!file_) file_.emplace(directory);
        const std::uint64_t place = free_.empty() ? file_->size() / chunk_bytes() : free_.back();
        file_->write(place * chunk_bytes(), chunk.words.get(), chunk_bytes());
        if (!free_.empty()) free_.pop_back();
        chunk = {nullptr, place};
        ++on_disk_;
    }
    void load(Chunk& chunk) {
        chunk.words = make_words();
        file_->read(chunk.place * chunk_bytes(), chunk.words.get(), chunk_bytes());
        free_.push_back(chunk.place);
        --on_disk_;
    }

    unsigned words_;
    std::uint32_t per_chunk_;
    std::deque<Chunk> chunks_;
    std::unique_ptr<Word[]> spent_;  // the last state of a chunk is still being expanded when the next one is begun
    std::optional<ScratchFile> file_;
    std::vector<std::uint64_t> free_;  // places in the file that are not used any more
    std::uint64_t on_disk_ = 0;        // chunks
    std::uint32_t front_ = 0;
    std::uint32_t back_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t popped_ = 0;
    std::uint64_t level_end_ = 0;
    std::uint64_t depth_ = 0;
};

}  // namespace mule::search
