#pragma once
/// The problem classes of NPB: fixed sizes with known results, from S (a sample, seconds) to F.

#include <array>
#include <optional>
#include <string_view>

namespace pinwise::npb {

enum class ProblemClass { s, w, a, b, c, d, e, f };

inline constexpr std::array<ProblemClass, 8> all_classes{ProblemClass::s, ProblemClass::w, ProblemClass::a,
                                                         ProblemClass::b, ProblemClass::c, ProblemClass::d,
                                                         ProblemClass::e, ProblemClass::f};

/// One capital letter.
std::string_view to_string(ProblemClass problem_class);

/// Reads the letter, in either case.
std::optional<ProblemClass> parse_class(std::string_view letter);

}  // namespace pinwise::npb
