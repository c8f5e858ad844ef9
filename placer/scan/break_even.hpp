#pragma once
/// After how long a page that moves has earned what moving it cost. Pure arithmetic.

#include <cstdint>
#include <optional>

namespace pinwise {

struct MoveEconomy {
    double move_ns_per_byte = 0;   ///< copying and remapping: MoveLedger, measured
    double local_ns_per_byte = 0;  ///< reading memory of the own node once, measured
    double remote_over_local = 1;  ///< time of remote by time of local access; the nodes' distances until measured
};

/// Remote over local access as the distances of two nodes tell (21 of 10: 2.1).
double remote_over_local(int local_distance, int remote_distance);

/// Time until the move of memory that is read or written once every `revisit_ns` has paid back; nothing when it never
/// does (remote is not slower). A hint fault tells how long after arming the touch came, which is how often the memory
/// is used.
std::optional<double> pays_back_after_ns(const MoveEconomy& economy, double revisit_ns);

/// Whether it does so within the horizon.
bool worth_moving(const MoveEconomy& economy, double revisit_ns, double horizon_ns);

}  // namespace pinwise
