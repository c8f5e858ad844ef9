#pragma once
/// The function that ours stands in front of.

#include <atomic>

#include <dlfcn.h>

namespace pinwise {

/// The next definition of `name` behind the agent's, looked up once per cache; null when there is none.
template <class Function>
Function next_definition(const char* name, std::atomic<Function>& cache) {
    Function found = cache.load(std::memory_order_relaxed);
    if (found != nullptr) return found;
    found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    cache.store(found, std::memory_order_relaxed);
    return found;
}

}  // namespace pinwise
