#pragma once
/// What the running kernel says of itself.

#include <string>

namespace pinwise {

struct KernelIdentity {
    std::string release;  ///< uname -r: "6.1.0-48-amd64"
    std::string version;  ///< uname -v: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)"
};

/// Empty strings where the system refuses to say.
KernelIdentity running_kernel();

}  // namespace pinwise
