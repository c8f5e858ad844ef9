#pragma once
/// The CPUs a thread may run on, and the kernel's way of writing lists of numbers.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <sched.h>

namespace pinwise::workloads {

/// Frees what CPU_ALLOC gave: masks of any width.
struct CpuSetFree {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSetPointer = std::unique_ptr<cpu_set_t, CpuSetFree>;

/// OS indices of the CPUs in the calling thread's affinity mask, ascending. Masks of any width are read (more than 1024
/// CPUs too). Empty where the kernel refuses.
std::vector<int> allowed_cpus();

/// Reads a list as the kernel writes it in sysfs and procfs: "0-3,8", also empty, also ending in newlines or NULs.
/// Ascending; nothing if the text is no such list or names a number beyond 2^20.
std::optional<std::vector<int>> parse_kernel_list(std::string_view text);

}  // namespace pinwise::workloads
