// Large zeroed blocks straight from the operating system, on huge pages where it has them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

#include "program.hpp"

namespace mule::store {

class WordBlock {
  public:
    WordBlock() = default;
    explicit WordBlock(std::size_t words) : words_(words) {
        void* memory =
            mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        if (bytes() >= (std::size_t{1} << 22)) madvise(memory, bytes(), MADV_HUGEPAGE);
#endif
        data_ = static_cast<Word*>(memory);
    }
    WordBlock(const WordBlock&) = delete;
    WordBlock& operator=(const WordBlock&) = delete;
    WordBlock(WordBlock&& other) noexcept { swap(other); }
    WordBlock& operator=(WordBlock&& other) noexcept {
        swap(other);
        return *this;
    }
    ~WordBlock() {
        if (data_ != nullptr) munmap(data_, bytes());
    }

    Word* data() { return data_; }
    const Word* data() const { return data_; }
    std::size_t bytes() const { return words_ * sizeof(Word); }

  private:
    void swap(WordBlock& other) {
        std::swap(data_, other.data_);
        std::swap(words_, other.words_);
    }

    Word* data_ = nullptr;
    std::size_t words_ = 0;
};

}  // namespace mule::store
