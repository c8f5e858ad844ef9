#pragma once
/// Tells a forked child from its parent where no fork handler ran (_Fork, raw clone), without asking for a tid.

#include <atomic>
#include <cstdint>
#include <memory>

namespace pinwise {

/// A page that the kernel wipes in a child (MADV_WIPEONFORK, Linux 4.14).
class ForkMark {
public:
    ForkMark();

    /// False in a process forked since the last set(), and always where the kernel has no such pages.
    [[nodiscard]] bool is_set() const { return page_ && page_->load(std::memory_order_relaxed) != 0; }
    /// From a fork handler: this process is known again.
    void set();

private:
    struct Unmap {
        void operator()(std::atomic<std::uint32_t>* page) const;
    };
    std::unique_ptr<std::atomic<std::uint32_t>, Unmap> page_;
};

}  // namespace pinwise
