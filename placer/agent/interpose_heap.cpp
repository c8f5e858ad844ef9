// The heap: large blocks are what most programs keep their arrays in, and the C library maps and unmaps them itself,
// without calling the functions that interpose_mappings.cpp takes over.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "placer/agent/next_definition.hpp"
#include "placer/agent/program_memory.hpp"

extern "C" {
// The C library's own, for what is asked while the next definition is being looked up.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace pinwise {

namespace {

using Malloc = void* (*)(std::size_t);
using Calloc = void* (*)(std::size_t, std::size_t);
using Realloc = void* (*)(void*, std::size_t);
using Free = void (*)(void*);
using Aligned = void* (*)(std::size_t, std::size_t);
using PosixMemalign = int (*)(void**, std::size_t, std::size_t);

/// dlsym may ask for memory itself: it gets it from the C library.
template <class Function>
Function next_or(const char* name, std::atomic<Function>& cache, Function fallback) {
    [[gnu::tls_model("initial-exec")]] static thread_local constinit bool looking = false;
    if (const Function known = cache.load(std::memory_order_relaxed); known != nullptr) return known;
    if (looking) return fallback;
    looking = true;
    const Function found = next_definition(name, cache);
    looking = false;
    return found != nullptr ? found : fallback;
}

void* came(void* block, std::size_t bytes) {
    block_came(block, bytes);
    return block;
}

bool overflows(std::size_t count, std::size_t bytes) {
    std::size_t product = 0;
    return __builtin_mul_overflow(count, bytes, &product);
}

void* reallocate(void* block, std::size_t bytes) {
    static std::atomic<Realloc> cache{nullptr};
    const Realloc real = next_or("realloc", cache, &__libc_realloc);
    const std::size_t before = block_goes(block);
    void* result = real(block, bytes);
    if (result == nullptr && bytes > 0) {
        if (before > 0) block_came(block, before);
        return nullptr;
    }
    return came(result, bytes);
}

void* aligned(const char* name, std::atomic<Aligned>& cache, std::size_t alignment, std::size_t bytes) {
    return came(next_or<Aligned>(name, cache, &__libc_memalign)(alignment, bytes), bytes);
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t bytes) noexcept {
    static std::atomic<pinwise::Malloc> cache{nullptr};
    return pinwise::came(pinwise::next_or("malloc", cache, &__libc_malloc)(bytes), bytes);
}

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t bytes) noexcept {
    static std::atomic<pinwise::Calloc> cache{nullptr};
    void* block = pinwise::next_or("calloc", cache, &__libc_calloc)(count, bytes);
    return pinwise::overflows(count, bytes) ? block : pinwise::came(block, count * bytes);
}

[[gnu::visibility("default")]] void* realloc(void* block, std::size_t bytes) noexcept {
    return pinwise::reallocate(block, bytes);
}

[[gnu::visibility("default")]] void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
    if (!pinwise::overflows(count, bytes)) return pinwise::reallocate(block, count * bytes);
    errno = ENOMEM;
    return nullptr;
}

[[gnu::visibility("default")]] void free(void* block) noexcept {
    static std::atomic<pinwise::Free> cache{nullptr};
    pinwise::block_goes(block);
    pinwise::next_or("free", cache, &__libc_free)(block);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    static std::atomic<pinwise::Aligned> cache{nullptr};
    return pinwise::aligned("memalign", cache, alignment, bytes);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    static std::atomic<pinwise::Aligned> cache{nullptr};
    return pinwise::aligned("aligned_alloc", cache, alignment, bytes);
}

[[gnu::visibility("default")]] int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
    static std::atomic<pinwise::PosixMemalign> cache{nullptr};
    const int result = pinwise::next_definition("posix_memalign", cache)(block, alignment, bytes);
    if (result == 0) pinwise::block_came(*block, bytes);
    return result;
}

[[gnu::visibility("default")]] void* valloc(std::size_t bytes) noexcept {
    static std::atomic<pinwise::Malloc> cache{nullptr};
    return pinwise::came(pinwise::next_definition("valloc", cache)(bytes), bytes);
}
}
