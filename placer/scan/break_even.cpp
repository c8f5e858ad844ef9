#include "placer/scan/break_even.hpp"

namespace pinwise {

double remote_over_local(int local_distance, int remote_distance) {
    if (local_distance <= 0 || remote_distance <= local_distance) return 1;
    return static_cast<double>(remote_distance) / local_distance;
}

std::optional<double> pays_back_after_ns(const MoveEconomy& economy, double revisit_ns) {
    const double saved_ns_per_byte = economy.local_ns_per_byte * (economy.remote_over_local - 1);
    if (!(saved_ns_per_byte > 0)) return std::nullopt;
    return economy.move_ns_per_byte / saved_ns_per_byte * revisit_ns;
}

bool worth_moving(const MoveEconomy& economy, double revisit_ns, double horizon_ns) {
    const auto after_ns = pays_back_after_ns(economy, revisit_ns);
    return after_ns && *after_ns <= horizon_ns;
}

}  // namespace pinwise
