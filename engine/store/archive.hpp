// What a search holds, as bytes that outlive the process: numbers and blocks of words one after the other, and a
// checksum at the end, so that a file that was cut short or changed is refused.
#pragma once

#include <cstring>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/hash.hpp"
#include "store/memory.hpp"

namespace mule::store {

// What is wrong with a file that should hold a search.
struct ArchiveError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// The file is not as it was written, if `is_right` is false.
inline void require_whole(bool is_right) {
    if (!is_right) throw ArchiveError("the file is damaged: it does not hold a whole search");
}

// Of bytes that come in pieces: who reads them may cut them otherwise than who wrote them.
class Checksum {
  public:
    void add(const void* data, std::size_t bytes) {
        const auto* at = static_cast<const char*>(data);
        for (; bytes != 0 && begun_ != 0; --bytes) add(*at++);
        for (; bytes >= sizeof(Word); bytes -= sizeof(Word), at += sizeof(Word)) {
            Word word = 0;
            std::memcpy(&word, at, sizeof word);
            add(word);
        }
        for (; bytes != 0; --bytes) add(*at++);
    }
    std::uint64_t value() const { return mix_word(sum_ ^ last_, begun_); }

  private:
    void add(Word word) { sum_ = mix_word(word ^ sum_, 0); }
    void add(char byte) {
        last_ |= Word{static_cast<unsigned char>(byte)} << (8 * begun_);
        if (++begun_ != sizeof(Word)) return;
        add(std::exchange(last_, 0));
        begun_ = 0;
    }

    std::uint64_t sum_ = 0;
    Word last_ = 0;       // a word that is not whole yet
    unsigned begun_ = 0;  // how many bytes of it there are
};

class Writer {
  public:
    explicit Writer(std::ostream& out) : out_(out) {}

    void bytes(const void* data, std::size_t size) {
        checksum_.add(data, size);
        out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    }
    template <typename Value>
    void value(const Value& value) {
        static_assert(std::has_unique_object_representations_v<Value>);
        bytes(&value, sizeof value);
    }
    template <typename Value>
    void values(const std::vector<Value>& list) {
        static_assert(std::has_unique_object_representations_v<Value>);
        value(std::uint64_t{list.size()});
        bytes(list.data(), list.size() * sizeof(Value));
    }
    void block(const WordBlock& block) {
        value(std::uint64_t{block.bytes() / sizeof(Word)});
        bytes(block.data(), block.bytes());
    }

    void finish() {
        const std::uint64_t sum = checksum_.value();
        out_.write(reinterpret_cast<const char*>(&sum), sizeof sum);
        out_.flush();
        if (!out_) throw ArchiveError("the search could not be written");
    }

  private:
    std::ostream& out_;
    Checksum checksum_;
};

class Reader {
  public:
    explicit Reader(std::istream& in) : in_(in) {}

    void bytes(void* data, std::size_t size) {
        require_whole(bool(in_.read(static_cast<char*>(data), static_cast<std::streamsize>(size))));
        checksum_.add(data, size);
    }
    template <typename Value>
    void value(Value& value) {
        bytes(&value, sizeof value);
    }
    // A number that must be this one.
    void expect(std::uint64_t expected, const char* problem) {
        std::uint64_t found = 0;
        value(found);
        if (found != expected) throw ArchiveError(problem);
    }
    template <typename Value>
    void values(std::vector<Value>& list) {
        list.resize(size_of(sizeof(Value)));
        bytes(list.data(), list.size() * sizeof(Value));
    }
    void block(WordBlock& block) {
        const std::size_t size = size_of(sizeof(Word));
        require_whole(size != 0);
        block = WordBlock(size);
        bytes(block.data(), block.bytes());
    }
    // Calls `visit` with each `words` words of a block, one after the other.
    template <typename Visit>
    void for_each_in_block(unsigned words, Visit&& visit) {
        const std::size_t size = size_of(sizeof(Word));
        std::vector<Word> some(words);
        for (std::size_t at = 0; at + words <= size; at += words) {
            bytes(some.data(), words * sizeof(Word));
            visit(some.data());
        }
    }

    void finish() {
        const std::uint64_t sum = checksum_.value();
        std::uint64_t written = 0;
        require_whole(in_.read(reinterpret_cast<char*>(&written), sizeof written) && written == sum);
    }

  private:
    // A damaged length must not ask for more memory than the file could fill.
    std::size_t size_of(std::size_t each) {
        std::uint64_t size = 0;
        value(size);
        const auto here = in_.tellg();
        in_.seekg(0, std::ios::end);
        const auto left = static_cast<std::uint64_t>(in_.tellg() - here);
        in_.seekg(here);
        require_whole(in_ && size <= left / each);
        return size;
    }

    std::istream& in_;
    Checksum checksum_;
};

}  // namespace mule::store
