// Files that are not as they were written.
#pragma once

#include <cstring>
#include <string>

#include "store/archive.hpp"

namespace mule {

// The same bytes with another word somewhere, as if they had been written so.
inline std::string with_word(std::string data, std::size_t at, std::uint64_t word) {
    std::memcpy(data.data() + at, &word, sizeof word);
    store::Checksum checksum;
    checksum.add(data.data(), data.size() - sizeof word);
    const std::uint64_t sum = checksum.value();
    std::memcpy(data.data() + data.size() - sizeof sum, &sum, sizeof sum);
    return data;
}

}  // namespace mule
