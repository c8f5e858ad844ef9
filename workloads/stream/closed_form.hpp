#pragma once
/// The check of STREAM's results: what every element must be after a number of iterations, known in closed form.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pinwise::stream {

/// One value for each array; all elements of an array are equal.
struct ArrayValues {
    double a = 0;
    double b = 0;
    double c = 0;
};

/// The scale factor q. STREAM's own 3.0 multiplies the arrays by 15 an iteration and overflows at 263 of them; 0.42
/// multiplies by 2q + q² = 1.0164, so ten thousand iterations stay far inside a double, and still every iteration
/// changes every element by 1.6 %, so one that was left out is seen.
inline constexpr double scale_factor = 0.42;

/// What the arrays hold before the first iteration (STREAM's own values; none is stored by a timed loop).
inline constexpr ArrayValues initial_values{1.0, 2.0, 0.0};

/// Largest relative error that passes, as in STREAM for doubles.
inline constexpr double tolerance = 1e-13;

/// Copy, Scale, Add, Triad `iterations` times over scalars, rounded as the kernels round.
ArrayValues closed_form(std::uint64_t iterations);

/// What checking a part of an array found.
struct CheckResult {
    double max_error = 0;              ///< largest relative error; infinity if any element is not finite
    std::uint64_t wrong_elements = 0;  ///< elements for which !(error <= tolerance)
    std::size_t first_wrong = 0;       ///< index of the first of them, where there is one
    double first_wrong_value = 0;

    [[nodiscard]] bool passed() const { return wrong_elements == 0; }
};

/// Compares every element with `expected` (not zero). `first_index` is the index of elements[0] in the whole array.
CheckResult check_elements(std::span<const double> elements, double expected, std::size_t first_index);

/// Both together: counts add up, the larger error and the lower first index stay.
CheckResult merged(const CheckResult& left, const CheckResult& right);

/// "a[17] is nan instead of 1.5 (3 elements of a are wrong)"; empty where the check passed.
std::string failure_text(const char* array, const CheckResult& result, double expected);

}  // namespace pinwise::stream
