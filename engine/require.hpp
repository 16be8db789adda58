// What callers owe.
#pragma once

#include <stdexcept>

namespace mule {

inline void require(bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(problem);
}

}  // namespace mule
