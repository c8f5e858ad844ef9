#pragma once
/// Wall-clock time of a region, read by one thread.

#include <chrono>

namespace pinwise::npb {

/// Runs from its construction.
class Stopwatch {
public:
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    /// Seconds since construction or the last lap, and starts the next lap.
    double lap() {
        const auto now = Clock::now();
        const double elapsed = std::chrono::duration<double>(now - lap_start_).count();
        lap_start_ = now;
        return elapsed;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
    Clock::time_point lap_start_ = start_;
};

}  // namespace pinwise::npb
