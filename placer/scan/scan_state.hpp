#pragma once
/// Whether a session scans, and why not: named in its record.

#include <cstdint>
#include <string_view>

#include "placer/scan/page_mover.hpp"

namespace pinwise {

enum class ScanState : std::uint32_t {
    off,      ///< not asked for
    waiting,  ///< asked for, no process of the session has started to
    scanning,
    one_node,           ///< there is nowhere to move to
    denied,             ///< move_pages: EPERM (a container's seccomp filter)
    unsupported,        ///< move_pages: ENOSYS
    no_node,            ///< no target node can be used any more
    no_memory,          ///< for the tables
    no_handler,         ///< SIGSEGV could not be taken
    too_many_mappings,  ///< vm.max_map_count
    pending_segv,       ///< somebody sent SIGSEGV while the program blocked it
    memory_locked,      ///< mlockall
    kernel_io,          ///< io_uring or userfaultfd
    sandboxed,          ///< the program gives itself a seccomp filter
    no_timer,           ///< a thread got no timer on its CPU clock, so it does not scan
};

/// "scanning", "one-node", "denied(EPERM)", ...
std::string_view to_string(ScanState state);
/// One clause for people: what it means.
std::string_view explain(ScanState state);

ScanState state_of(MoverState state);

}  // namespace pinwise
