#pragma once
/// The kernel's own NUMA balancing, turned on and off for trials and put back whatever happens to us.

#include <string>

#include "placer/result.hpp"

namespace pinwise {

inline constexpr const char* kernel_balancing_file = "/proc/sys/kernel/numa_balancing";

/// Why the file's value cannot be changed; empty when it can be.
std::string why_balancing_cannot_be_set(const std::string& file = kernel_balancing_file);

/// Puts the value it found back when it ends. A process of its own, outside of our process group, does the same when we
/// end without having done so (a crash, SIGKILL). One at a time, and made before anything that adopts orphans
/// (Subreaper).
class KernelBalancing {
public:
    /// Fails where the kernel has no NUMA balancing, or there is no process to be had.
    static Result<KernelBalancing> open(const std::string& file = kernel_balancing_file);

    KernelBalancing(KernelBalancing&& other) noexcept;
    KernelBalancing(const KernelBalancing&) = delete;
    KernelBalancing& operator=(const KernelBalancing&) = delete;
    KernelBalancing& operator=(KernelBalancing&&) = delete;
    ~KernelBalancing();

    /// Turns it on (mode 1) or off; writes nothing when it is so already. Fails without permission, and says so.
    Result<void> set(bool on);

private:
    KernelBalancing(std::string file, std::string original, int guard)
        : file_(std::move(file)), original_(std::move(original)), guard_(guard) {}

    std::string file_;
    std::string original_;
    int guard_ = -1;  ///< our end of the guarding process's pipe; -1: moved from
    bool changed_ = false;
};

}  // namespace pinwise
