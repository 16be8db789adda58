// Successors as the compiled model writes them: a header, then the words of the state.
#pragma once

#include "program.hpp"

namespace mule::search {

inline constexpr unsigned kHeaderWords = sizeof(SuccessorHeader) / sizeof(Word);

inline const SuccessorHeader& header_of(const Word* entry) { return *reinterpret_cast<const SuccessorHeader*>(entry); }
inline const Word* words_of(const Word* entry) { return entry + kHeaderWords; }

// The failure codes of error transitions (codegen's FailureCode): "this must not happen", and "an assertion is
// violated". Those below are of steps whose effects go wrong.
inline constexpr std::uint16_t kError = 6;
inline constexpr std::uint16_t kViolatedAssertion = 7;

inline bool is_error_transition(const SuccessorHeader& header) { return header.failure >= kError; }

}  // namespace mule::search
