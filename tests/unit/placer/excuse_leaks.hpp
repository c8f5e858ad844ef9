#pragma once
/// Leaks that are not ours, under LeakSanitizer.

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace pinwise {

/// hwloc 2.9 itself loses a few bytes on some broken synthetic strings and truncated XML. Only loads of those are
/// excused.
class ExcuseLeaks {
public:
#if defined(__SANITIZE_ADDRESS__)
    ExcuseLeaks() {
        __lsan_disable();
    }
    ~ExcuseLeaks() {
        __lsan_enable();
    }
#else
    ExcuseLeaks() = default;
    ~ExcuseLeaks() = default;
#endif
    ExcuseLeaks(const ExcuseLeaks&) = delete;
    ExcuseLeaks& operator=(const ExcuseLeaks&) = delete;
    ExcuseLeaks(ExcuseLeaks&&) = delete;
    ExcuseLeaks& operator=(ExcuseLeaks&&) = delete;
};

}  // namespace pinwise
