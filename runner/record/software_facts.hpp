#pragma once
/// Software that a number depends on: the kernel's command line, packages, the container.

#include <map>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "runner/record/system_files.hpp"

namespace pinwise {

/// The parameters that change how threads, memory and CPUs behave. Everything else (disks, file systems, addresses,
/// keys) could identify the machine: it is only counted.
struct KernelParameters {
    std::string kept;
    int left_out = 0;
};
KernelParameters kernel_parameters(std::string_view command_line);

/// Versions of the installed packages that are linked to or measured with (C library, OpenMP, hwloc, ...), by name.
/// Failure: no database of dpkg.
Result<std::map<std::string, std::string>> package_versions(const SystemFiles& files);

/// "docker", "podman", "lxc", ... as far as the container says it is one. Failure: no sign of one.
Result<std::string> container(const SystemFiles& files);

/// "Debian GNU/Linux 12 (bookworm)"
Result<std::string> distribution(const SystemFiles& files);

}  // namespace pinwise
