#include "placer/scan/memory_pressure.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include "placer/scan/move_pacing.hpp"

namespace pinwise {

void publish_memory_pressure(SharedScan& shared) {
    std::ifstream file("/proc/pressure/memory");
    std::string line;
    std::getline(file, line);
    constexpr double thousandths = 1000;
    const auto stalled = some_avg10(line);
    shared.stalled_plus_one.store(stalled ? static_cast<std::uint32_t>(std::lround(*stalled * thousandths)) + 1 : 0,
                                  std::memory_order_relaxed);
}

}  // namespace pinwise
