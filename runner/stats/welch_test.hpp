#pragma once
/// Welch's test of two means, as mmtests uses it for its stars. Pure.

#include <optional>

namespace pinwise {

/// Mean, standard deviation and size of a sample.
struct SampleMoments {
    double mean = 0;
    double standard_deviation = 0;
    int count = 0;
};

/// Two-sided p-value of Welch's unequal-variances t-test (Welch, 1947), degrees of freedom by Welch and Satterthwaite.
/// Absent below two values on a side and when both deviations are zero.
std::optional<double> welch_p(const SampleMoments& a, const SampleMoments& b);

}  // namespace pinwise
