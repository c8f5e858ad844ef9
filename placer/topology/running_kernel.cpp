#include "placer/topology/running_kernel.hpp"

#include <array>

#include <sys/utsname.h>

namespace pinwise {

KernelIdentity running_kernel() {
    utsname names{};
    if (uname(&names) != 0) return {};
    return {std::data(names.release), std::data(names.version)};
}

}  // namespace pinwise
