#pragma once
/// What reading memory costs here: one side of the balance of a move.

namespace pinwise {

/// Nanoseconds for a byte of memory that is in no cache, read in order by one thread. Takes some tens of milliseconds.
double measure_read_ns_per_byte();

}  // namespace pinwise
