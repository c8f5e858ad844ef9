#pragma once
/// What a program that asks for its own affinity is told. A thread that is bound by the session hears the mask it would
/// have without us: runtimes and nproc size themselves, and choose how to wait, by that answer, and placement must be
/// the only difference that a session makes.

#include <cstddef>

namespace pinwise {

/// Replaces the calling thread's own mask in `set` of that size, unless it is too small for the other one.
void show_mask_without_session(void* set, std::size_t size_bytes);

}  // namespace pinwise
