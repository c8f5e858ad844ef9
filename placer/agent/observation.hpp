#pragma once
/// A full look at live threads from outside: state, CPU, migrations, affinity. Dearer than a refresh of the load.

#include <optional>

#include "placer/agent/session_memory.hpp"

namespace pinwise {

/// Looks at the live threads of one process, or of all processes of the session. Threads that are gone end.
void observe_threads(const SessionMemory& memory, std::optional<int> pid);

}  // namespace pinwise
