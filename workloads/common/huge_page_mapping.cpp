#include "workloads/common/huge_page_mapping.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/common/size_text.hpp"

namespace pinwise::workloads {

namespace {

constexpr std::uint64_t fallback_huge_page_bytes = std::uint64_t{2} << 20U;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string_view to_string(ThpAdvice advice) {
    switch (advice) {
        case ThpAdvice::on:
            return "on";
        case ThpAdvice::off:
            return "off";
        case ThpAdvice::system_default:
            break;
    }
    return "default";
}

std::uint64_t huge_page_bytes(const std::filesystem::path& sysfs_root) {
    std::ifstream file(sysfs_root / "kernel/mm/transparent_hugepage/hpage_pmd_size");
    std::uint64_t bytes = 0;
    const bool is_power_of_two = (file >> bytes) && bytes != 0 && (bytes & (bytes - 1)) == 0;
    return is_power_of_two ? bytes : fallback_huge_page_bytes;
}

Expected<HugePageMapping> HugePageMapping::map(std::uint64_t bytes, ThpAdvice advice) {
    const std::uint64_t alignment = huge_page_bytes();
    const std::uint64_t size_limit = std::numeric_limits<std::int64_t>::max() / 2;
    if (bytes == 0 || bytes > size_limit)
        return users_mistake(fmt::format("cannot map {} bytes: sizes from 1 to {} can be mapped", bytes, size_limit));
    // Map one huge page more than needed, then give back what lies outside the aligned range.
    const std::uint64_t size = round_up(bytes, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    void* mapped =
        mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return failed_run(
            fmt::format("cannot map {}: {}; ask for a smaller size", bytes_text(bytes), std::strerror(errno)));
    auto* first = static_cast<std::byte*>(mapped);
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uint64_t head = round_up(address, alignment) - address;
    if (head != 0) munmap(first, head);
    if (alignment != head) munmap(first + head + size, alignment - head);

    HugePageMapping mapping(first + head, size);
    if (advice != ThpAdvice::system_default) {
        const int advice_flag = advice == ThpAdvice::on ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
        if (madvise(mapping.start_, size, advice_flag) != 0)
            mapping.advice_refused_ =
                fmt::format("the kernel refused the advice thp={}: {}", to_string(advice), std::strerror(errno));
    }
    return mapping;
}

HugePageMapping::HugePageMapping(HugePageMapping&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      advice_refused_(std::move(other.advice_refused_)) {}

HugePageMapping& HugePageMapping::operator=(HugePageMapping&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(advice_refused_, other.advice_refused_);
    return *this;
}

HugePageMapping::~HugePageMapping() {
    if (start_ != nullptr) munmap(start_, size_bytes_);
}

}  // namespace pinwise::workloads
