#pragma once
/// A number that a trial is judged by.

#include <cstdint>
#include <string>
#include <string_view>

namespace pinwise {

/// Which direction of a metric is an improvement.
enum class Better : std::uint8_t { higher, lower };

std::string_view to_string(Better better);

struct Metric {
    std::string name;
    std::string unit;
    double value = 0;  ///< always finite
    Better better = Better::higher;
};

}  // namespace pinwise
