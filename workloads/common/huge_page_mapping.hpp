#pragma once
/// Large anonymous memory, mapped at run time, aligned to the huge page, with the advice about transparent huge pages
/// that the user asked for.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

/// What to tell the kernel about transparent huge pages (THP) for a mapping.
enum class ThpAdvice {
    on,              ///< madvise(MADV_HUGEPAGE)
    off,             ///< madvise(MADV_NOHUGEPAGE)
    system_default,  ///< no advice: what /sys/kernel/mm/transparent_hugepage/enabled says
};

/// The option's word for it: on, off, default.
std::string_view to_string(ThpAdvice advice);

/// Size in bytes of a PMD-mapped huge page (from sysfs; 2 MiB where the kernel has no THP).
std::uint64_t huge_page_bytes(const std::filesystem::path& sysfs_root = "/sys");

/// An anonymous private mapping whose first byte is on a huge page boundary. Not touched: pages belong to whoever
/// writes them first. Move-only; unmaps when it dies.
class HugePageMapping {
public:
    /// Maps `bytes` (> 0). Fails with the size asked for and the reason the kernel gave. Advice the kernel refuses
    /// (built without THP) is no error: see advice_refused().
    static Expected<HugePageMapping> map(std::uint64_t bytes, ThpAdvice advice);

    HugePageMapping(HugePageMapping&& other) noexcept;
    HugePageMapping& operator=(HugePageMapping&& other) noexcept;
    HugePageMapping(const HugePageMapping&) = delete;
    HugePageMapping& operator=(const HugePageMapping&) = delete;
    ~HugePageMapping();

    [[nodiscard]] std::span<std::byte> bytes() const { return {start_, size_bytes_}; }

    /// The mapping as an array; `count` elements must fit, which is the caller's invariant.
    template <class T>
    [[nodiscard]] std::span<T> as(std::size_t count) const {
        return {reinterpret_cast<T*>(start_), count};
    }

    /// Why the kernel did not take the THP advice; empty where it did.
    [[nodiscard]] const std::string& advice_refused() const { return advice_refused_; }

private:
    HugePageMapping(std::byte* start, std::uint64_t size_bytes) : start_(start), size_bytes_(size_bytes) {}

    std::byte* start_ = nullptr;
    std::uint64_t size_bytes_ = 0;
    std::string advice_refused_;
};

}  // namespace pinwise::workloads
