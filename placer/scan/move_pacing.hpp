#pragma once
/// Spreads moves over time: so many bytes a period, fewer while memory is short or the program takes more page faults.

#include <cstdint>
#include <optional>
#include <string_view>

namespace pinwise {

struct PacingLimits {
    std::uint64_t bytes_per_period = 64ULL << 20;
    std::uint64_t period_ns = 100'000'000;
    double most_pressure_percent = 5;  ///< PSI memory "some avg10" above which moving slows down
    double most_fault_rise = 4;        ///< page faults a second over their running mean, the same
    std::uint32_t least_share = 64;    ///< never slower than 1/64 of the full pace
};

/// What the machine and the program feel of it.
struct MovePressure {
    std::optional<double> stalled_percent;  ///< nothing where the kernel has no PSI
    std::uint64_t page_faults = 0;          ///< of the process so far, without hint faults and what moving causes
};

/// "some avg10=0.12 avg60=..." of /proc/pressure/memory; nothing when it is not there.
std::optional<double> some_avg10(std::string_view pressure);

/// Allocates nothing; one user.
class MovePacer {
public:
    explicit MovePacer(const PacingLimits& limits) noexcept : limits_(limits) {}

    /// Bytes that may move now; take_bytes() says what was made of it. Budget that is not used is kept for one period.
    std::uint64_t budget(std::uint64_t now_ns) noexcept;
    void take(std::uint64_t bytes) noexcept;

    /// Once a period or so: halves the pace while there is pressure, and regains an eighth of the full pace a time
    /// without.
    void observe(const MovePressure& pressure, std::uint64_t now_ns) noexcept;

    /// 1: full pace.
    [[nodiscard]] double pace() const noexcept { return pace_; }

private:
    [[nodiscard]] bool fault_rate_rises(std::uint64_t page_faults, std::uint64_t now_ns) noexcept;

    PacingLimits limits_;
    double pace_ = 1;
    bool started_ = false;
    std::uint64_t last_budget_ns_ = 0;
    double saved_bytes_ = 0;
    std::uint64_t last_observed_ns_ = 0;
    std::uint64_t last_faults_ = 0;
    std::optional<double> mean_faults_per_s_;
};

}  // namespace pinwise
