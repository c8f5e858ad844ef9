#include "workloads/stream/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace pinwise::stream {

ArrayValues closed_form(std::uint64_t iterations) {
    ArrayValues values = initial_values;
    for (std::uint64_t i = 0; i < iterations; ++i) {
        values.c = values.a;
        values.b = scale_factor * values.c;
        values.c = values.a + values.b;
        values.a = values.b + scale_factor * values.c;
    }
    return values;
}

CheckResult check_elements(std::span<const double> elements, double expected, std::size_t first_index) {
    CheckResult result;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const double error = std::abs((elements[i] - expected) / expected);
        // Written so that a NaN, which compares false with everything, is wrong.
        if (!(error <= tolerance)) {
            if (result.wrong_elements == 0) {
                result.first_wrong = first_index + i;
                result.first_wrong_value = elements[i];
            }
            ++result.wrong_elements;
        }
        if (!std::isfinite(error)) {
            result.max_error = std::numeric_limits<double>::infinity();
        } else if (error > result.max_error) {
            result.max_error = error;
        }
    }
    return result;
}

CheckResult merged(const CheckResult& left, const CheckResult& right) {
    const bool right_is_first =
        right.wrong_elements != 0 && (left.wrong_elements == 0 || right.first_wrong < left.first_wrong);
    CheckResult result = right_is_first ? right : left;
    result.wrong_elements = left.wrong_elements + right.wrong_elements;
    result.max_error = std::max(left.max_error, right.max_error);
    return result;
}

std::string failure_text(const char* array, const CheckResult& result, double expected) {
    if (result.passed()) return {};
    return fmt::format("{}[{}] is {} instead of {} ({} element{} of {} wrong)", array, result.first_wrong,
                       result.first_wrong_value, expected, result.wrong_elements, result.wrong_elements == 1 ? "" : "s",
                       array);
}

}  // namespace pinwise::stream
