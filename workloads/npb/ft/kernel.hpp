#pragma once
/// FT as a kernel of NPB: the heat equation by three-dimensional Fourier transforms.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::ft {

/// For kernel_program().
extern const Kernel kernel;

}  // namespace pinwise::npb::ft
