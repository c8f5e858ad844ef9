#pragma once
/// How much this machine stalls on memory (PSI), told to the movers of a session by its owner: a program's own
/// descriptors are not to be disturbed for it.

#include "placer/scan/shared_scan.hpp"

namespace pinwise {

void publish_memory_pressure(SharedScan& shared);

}  // namespace pinwise
