#include "reduction/relations.hpp"

#include <stdexcept>
#include <string>

namespace mule::reduction {

namespace {

void expect_shape(const BitMatrix& matrix, std::uint32_t rows, std::uint32_t columns, const char* name) {
    if (matrix.absent()) return;
    if (matrix.rows() == rows && matrix.columns() == columns) return;
    throw std::invalid_argument(std::string(name) + " must be " + std::to_string(rows) + " x " +
                                std::to_string(columns) + ", not " + std::to_string(matrix.rows()) + " x " +
                                std::to_string(matrix.columns()));
}

}  // namespace

void Relations::check() const {
    if (guards_of.size() != transitions) {
        throw std::invalid_argument("guards_of must have one list for each of the " + std::to_string(transitions) +
                                    " transitions, not " + std::to_string(guards_of.size()));
    }
    for (const auto& list : guards_of) {
        for (const GuardId guard : list) {
            if (guard >= guards) throw std::invalid_argument("guards_of names an unknown guard");
        }
    }
    if (do_not_accord.absent() && transitions > 0) throw std::invalid_argument("do_not_accord is needed");
    if (enabling.absent() && guards > 0) throw std::invalid_argument("enabling is needed");
    expect_shape(do_not_accord, transitions, transitions, "do_not_accord");
    expect_shape(do_not_left_accord, transitions, transitions, "do_not_left_accord");
    expect_shape(enabling, guards, transitions, "enabling");
    expect_shape(disabling, guards, transitions, "disabling");
    expect_shape(never_coenabled, guards, guards, "never_coenabled");
}

BitMatrix unpack_rows(std::span<const std::uint8_t> bytes, std::uint32_t rows, std::uint32_t columns,
                      std::string_view name) {
    // Rows without columns need no bytes, and are there nevertheless.
    if (bytes.empty() && columns > 0) return {};
    const std::size_t row_bytes = (std::size_t{columns} + 7) / 8;
    if (bytes.size() != rows * row_bytes) {
        throw std::invalid_argument(std::string(name) + " must have " + std::to_string(rows) + " rows of " +
                                    std::to_string(row_bytes) + " bytes, not " + std::to_string(bytes.size()) +
                                    " bytes");
    }
    BitMatrix matrix(rows, columns);
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint8_t* packed = bytes.data() + i * row_bytes;
        for (std::size_t b = 0; b < row_bytes; ++b) matrix.row(i)[b / 8] |= Word{packed[b]} << (b % 8 * 8);
        const Word beyond = columns % 64 == 0 ? 0 : matrix.row(i)[columns / 64] >> (columns % 64);
        if (beyond != 0) throw std::invalid_argument(std::string(name) + " has bits beyond its last column");
    }
    return matrix;
}

}  // namespace mule::reduction
