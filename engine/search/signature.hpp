// The beginning of every file that holds a search: what must be the same where it is read again.
#pragma once

#include <vector>

#include "store/archive.hpp"

namespace mule::search {

inline constexpr std::uint64_t kFormat = 0x4D554C4500000004;  // "MULE", and the version

inline void write_signature(Writer& writer, const std::vector<std::uint64_t>& numbers) {
    writer.value(kFormat);
    for (const std::uint64_t number : numbers) writer.value(number);
}

inline void read_signature(Reader& reader, const std::vector<std::uint64_t>& numbers) {
    std::uint64_t format = 0;
    reader.value(format);
    if (format >> 32 != kFormat >> 32) throw ArchiveError("the file holds no search of Mule");
    if (format != kFormat) throw ArchiveError("the file was written by another version of Mule");
    for (const std::uint64_t number : numbers) reader.expect(number, "the file is of another model or search");
}

}  // namespace mule::search
