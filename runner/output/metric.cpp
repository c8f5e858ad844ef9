#include "runner/output/metric.hpp"

namespace pinwise {

std::string_view to_string(Better better) {
    return better == Better::higher ? "higher" : "lower";
}

}  // namespace pinwise
