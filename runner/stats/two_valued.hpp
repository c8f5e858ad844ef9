#pragma once
/// Samples that are two: on machines whose CPUs change between two states (virtual CPUs that the host moves, boost), a
/// mean lies where no value does. Pure.

#include <optional>
#include <span>

namespace pinwise {

/// The two groups of a two-valued sample.
struct TwoValues {
    double low = 0;        ///< median of the lower group
    double high = 0;       ///< median of the upper group
    double threshold = 0;  ///< the middle of the gap: values below belong to the lower group
    int low_count = 0;
    int high_count = 0;
};

/// The division into a lower and an upper group with the least squared distance from the groups' means (two means in
/// one dimension, exact: Fisher, "On grouping for maximum homogeneity", 1958), if it is no accident: at least two
/// values and a tenth of the sample in each group, a gap at least as wide as each group, and nine tenths of the squared
/// distance explained. Absent otherwise and below 6 values. An equal sample is not two-valued.
std::optional<TwoValues> two_values(std::span<const double> sample);

}  // namespace pinwise
