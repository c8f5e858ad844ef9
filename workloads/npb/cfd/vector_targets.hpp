#pragma once
/// The instruction sets that the CFD kernels are compiled for. Include before any header of Highway.

/// Left out: sets that add nothing to these loops over the next older one, and vectors without a fixed length, which
/// cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
