// What the program does to its address space. Whatever is going to change is told first, so that nothing of it is armed
// any more, and what came is told after.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include <sys/mman.h>

#include "placer/agent/next_definition.hpp"
#include "placer/agent/program_memory.hpp"
#include "placer/scan/scan_agent.hpp"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace pinwise {

namespace {

using Map = void* (*)(void*, std::size_t, int, int, int, off_t);
using Unmap = int (*)(void*, std::size_t);
using Remap = void* (*)(void*, std::size_t, std::size_t, int, ...);
using Protect = int (*)(void*, std::size_t, int);
using ProtectWithKey = int (*)(void*, std::size_t, int, int);
using Advise = int (*)(void*, std::size_t, int);
using Lock = int (*)(const void*, std::size_t);
using LockWithFlags = int (*)(const void*, std::size_t, unsigned);
using LockAll = int (*)(int);

bool may_be_armed(int flags) {
    constexpr int wanted = MAP_PRIVATE | MAP_ANONYMOUS;
    constexpr int unwanted = MAP_SHARED | MAP_GROWSDOWN | MAP_STACK | MAP_LOCKED | MAP_HUGETLB;
    return (flags & wanted) == wanted && (flags & unwanted) == 0;
}

bool has_failed(const void* result) {
    return result == MAP_FAILED;
}

bool has_failed(int result) {
    return result != 0;
}

/// Armed memory takes mappings that the program may need: where the kernel refuses, once more with everything open.
template <class Call>
auto with_all_mappings(Call call) {
    auto result = call();
    ScanAgent* agent = ScanAgent::current();
    if (!has_failed(result) || errno != ENOMEM || agent == nullptr || agent->table().armed_granules() == 0)
        return result;
    agent->table().open_all();
    return call();
}

void* map(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    static std::atomic<Map> cache{nullptr};
    const Map real = next_definition("mmap", cache);
    if ((flags & MAP_FIXED) != 0) memory_goes(address, bytes);
    void* result = with_all_mappings([&] { return real(address, bytes, protection, flags, file, offset); });
    if (result == MAP_FAILED) return result;
    if (may_be_armed(flags)) {
        mapping_came(result, bytes, protection);
    } else {
        memory_goes(result, bytes);  // in case it is where something was that went unseen
    }
    return result;
}

void* remap(void* old, std::size_t old_bytes, std::size_t bytes, int flags, void* wanted) {
    static std::atomic<Remap> cache{nullptr};
    const Remap real = next_definition("mremap", cache);
    ScanAgent* agent = ScanAgent::current();
    const int protection = agent != nullptr ? agent->table().protection_of(range_at(old, old_bytes)) : -1;
    memory_goes(old, old_bytes);
    if ((flags & MREMAP_FIXED) != 0) memory_goes(wanted, bytes);
    void* result = with_all_mappings([&] { return real(old, old_bytes, bytes, flags, wanted); });
    if (protection < 0) return result;
    if (result == MAP_FAILED) {
        mapping_came(old, old_bytes, protection);
    } else {
        mapping_came(result, bytes, protection);
    }
    return result;
}

int protect(void* address, std::size_t bytes, int protection) {
    static std::atomic<Protect> cache{nullptr};
    const Protect real = next_definition("mprotect", cache);
    ScanAgent* agent = ScanAgent::current();
    if (agent != nullptr) agent->table().protection_changes(range_at(address, bytes));
    const int result = with_all_mappings([&] { return real(address, bytes, protection); });
    if (agent != nullptr && result == 0) agent->table().protection_changed(range_at(address, bytes), protection);
    return result;
}

int advise(void* address, std::size_t bytes, int advice) {
    static std::atomic<Advise> cache{nullptr};
    const Advise real = next_definition("madvise", cache);
    // Memory that a child is not to have is memory that a device works on.
    if (advice == MADV_DONTFORK || advice == MADV_WIPEONFORK) memory_goes(address, bytes);
    const auto call = [&] { return with_all_mappings([&] { return real(address, bytes, advice); }); };
    if (!is_scanned(address, bytes)) return call();
    const HeldMemory held(address, bytes);
    const int result = call();
    if (result == 0 && (advice == MADV_HUGEPAGE || advice == MADV_NOHUGEPAGE))
        ScanAgent::current()->table().advise_huge(range_at(address, bytes), advice == MADV_HUGEPAGE);
    return result;
}

int unmap(void* address, std::size_t bytes) {
    static std::atomic<Unmap> cache{nullptr};
    const Unmap real = next_definition("munmap", cache);
    memory_goes(address, bytes);
    return with_all_mappings([&] { return real(address, bytes); });
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                                          off_t offset) noexcept {
    return pinwise::map(address, bytes, protection, flags, file, offset);
}

[[gnu::visibility("default")]] void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
                                            off64_t offset) noexcept {
    return pinwise::map(address, bytes, protection, flags, file, offset);
}

[[gnu::visibility("default")]] int munmap(void* address, std::size_t bytes) noexcept {
    return pinwise::unmap(address, bytes);
}

[[gnu::visibility("default")]] void* mremap(void* old, std::size_t old_bytes, std::size_t bytes, int flags,
                                            ...) noexcept {
    va_list list;
    va_start(list, flags);
    void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(list, void*) : nullptr;
    va_end(list);
    return pinwise::remap(old, old_bytes, bytes, flags, wanted);
}

[[gnu::visibility("default")]] int mprotect(void* address, std::size_t bytes, int protection) noexcept {
    return pinwise::protect(address, bytes, protection);
}

[[gnu::visibility("default")]] int pkey_mprotect(void* address, std::size_t bytes, int protection, int key) noexcept {
    static std::atomic<pinwise::ProtectWithKey> cache{nullptr};
    pinwise::memory_goes(address, bytes);
    return pinwise::next_definition("pkey_mprotect", cache)(address, bytes, protection, key);
}

[[gnu::visibility("default")]] int madvise(void* address, std::size_t bytes, int advice) noexcept {
    return pinwise::advise(address, bytes, advice);
}

[[gnu::visibility("default")]] int mlock(const void* address, std::size_t bytes) noexcept {
    static std::atomic<pinwise::Lock> cache{nullptr};
    pinwise::memory_goes(address, bytes);
    return pinwise::next_definition("mlock", cache)(address, bytes);
}

[[gnu::visibility("default")]] int mlock2(const void* address, std::size_t bytes, unsigned flags) noexcept {
    static std::atomic<pinwise::LockWithFlags> cache{nullptr};
    pinwise::memory_goes(address, bytes);
    return pinwise::next_definition("mlock2", cache)(address, bytes, flags);
}

[[gnu::visibility("default")]] int mlockall(int flags) noexcept {
    static std::atomic<pinwise::LockAll> cache{nullptr};
    if (pinwise::ScanAgent* agent = pinwise::ScanAgent::current(); agent != nullptr)
        agent->stop(pinwise::ScanState::memory_locked);
    return pinwise::next_definition("mlockall", cache)(flags);
}
}
