#include "placer/agent/thread_attributes.hpp"

#include <csignal>
#include <cstdint>

#include <sched.h>

namespace pinwise {

namespace {

constexpr std::size_t mask_bytes = max_session_cpus / 8;

bool copy_detach_state_and_scope(const pthread_attr_t& from, pthread_attr_t& to) {
    int value = 0;
    return pthread_attr_getdetachstate(&from, &value) == 0 && pthread_attr_setdetachstate(&to, value) == 0 &&
           pthread_attr_getscope(&from, &value) == 0 && pthread_attr_setscope(&to, value) == 0;
}

bool copy_stack(const pthread_attr_t& from, pthread_attr_t& to) {
    std::size_t guard_bytes = 0;
    if (pthread_attr_getguardsize(&from, &guard_bytes) != 0 || pthread_attr_setguardsize(&to, guard_bytes) != 0)
        return false;
    void* lowest = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&from, &lowest, &bytes) != 0) return false;
    // glibc keeps the upper end: where no stack was given, lowest + bytes is null.
    if (reinterpret_cast<std::uintptr_t>(lowest) + bytes != 0) return pthread_attr_setstack(&to, lowest, bytes) == 0;
    // A size of 0 stands for the default, which the copy has already.
    return bytes == 0 || pthread_attr_setstacksize(&to, bytes) == 0;
}

bool copy_scheduling(const pthread_attr_t& from, pthread_attr_t& to) {
    int inherit = 0;
    if (pthread_attr_getinheritsched(&from, &inherit) != 0 || pthread_attr_setinheritsched(&to, inherit) != 0)
        return false;
    if (inherit == PTHREAD_INHERIT_SCHED)
        return true;  // policy and priority are the creator's: what is set is not used
    int policy = 0;
    sched_param parameters{};
    return pthread_attr_getschedpolicy(&from, &policy) == 0 && pthread_attr_setschedpolicy(&to, policy) == 0 &&
           pthread_attr_getschedparam(&from, &parameters) == 0 && pthread_attr_setschedparam(&to, &parameters) == 0;
}

bool copy_signal_mask(const pthread_attr_t& from, pthread_attr_t& to) {
    sigset_t signals{};
    const int result = pthread_attr_getsigmask_np(&from, &signals);
    if (result == PTHREAD_ATTR_NO_SIGMASK_NP) return true;
    return result == 0 && pthread_attr_setsigmask_np(&to, &signals) == 0;
}

/// The kernel refuses no length, so the set need not be longer than its highest member.
bool set_affinity(pthread_attr_t& attributes, const CpuMask& mask) {
    const auto words = mask.words();
    return pthread_attr_setaffinity_np(&attributes, words.size_bytes(),
                                       reinterpret_cast<const cpu_set_t*>(words.data())) == 0;
}

/// The affinity in `attributes`, which must be the caller's own.
std::optional<CpuMask> read_affinity(const pthread_attr_t& attributes) {
    std::array<std::uint64_t, mask_bytes / 8> words{};
    auto* set = reinterpret_cast<cpu_set_t*>(words.data());
    // One that is set fits into no bytes at all; one that is not reads as all CPUs of any number of bytes.
    if (pthread_attr_getaffinity_np(&attributes, 0, set) == 0 &&
        pthread_attr_getaffinity_np(&attributes, sizeof(words[0]), set) == 0 && words[0] == ~std::uint64_t{0}) {
        return std::nullopt;
    }
    // Beyond what a session knows: respected all the same.
    if (pthread_attr_getaffinity_np(&attributes, mask_bytes, set) != 0) return CpuMask{};
    return CpuMask::of_bytes(words.data(), mask_bytes);
}

}  // namespace

std::optional<CpuMask> explicit_affinity(const pthread_attr_t* attributes) {
    if (attributes != nullptr) return read_affinity(*attributes);
    pthread_attr_t defaults;
    if (pthread_getattr_default_np(&defaults) != 0) return std::nullopt;
    auto mask = read_affinity(defaults);
    pthread_attr_destroy(&defaults);
    return mask;
}

ThreadAttributes::ThreadAttributes(const pthread_attr_t* caller, const CpuMask& affinity) {
    if (caller == nullptr) {
        initialised_ = pthread_getattr_default_np(&attributes_) == 0;
        complete_ = initialised_ && set_affinity(attributes_, affinity);
        return;
    }
    initialised_ = pthread_attr_init(&attributes_) == 0;
    complete_ = initialised_ && copy_detach_state_and_scope(*caller, attributes_) && copy_stack(*caller, attributes_) &&
                copy_scheduling(*caller, attributes_) && copy_signal_mask(*caller, attributes_) &&
                set_affinity(attributes_, affinity);
}

ThreadAttributes::~ThreadAttributes() {
    if (initialised_) pthread_attr_destroy(&attributes_);
}

}  // namespace pinwise
