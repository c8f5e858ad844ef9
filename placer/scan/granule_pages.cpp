#include "placer/scan/granule_pages.hpp"

#include <algorithm>
#include <cerrno>
#include <span>

#include <sys/syscall.h>
#include <unistd.h>

#include "placer/scan/page_calls.hpp"
#include "placer/scan/page_size.hpp"

namespace pinwise {

namespace {

bool ask_for_presence(AddressRange range, unsigned char* presence) noexcept {
    const int saved = errno;
    const bool told = syscall(SYS_mincore, range.begin, range.bytes(), presence) == 0;
    errno = saved;
    return told;
}

}  // namespace

std::uint64_t GranulePages::present(AddressRange range) noexcept {
    const std::span<unsigned char> pages(presence_.data(), range.bytes() / page_bytes);
    if (!ask_for_presence(range, pages.data())) return 0;
    return static_cast<std::uint64_t>(
        std::ranges::count_if(pages, [](unsigned char page) { return (page & 1U) != 0; }));
}

bool GranulePages::are_all_on(int node, AddressRange range) noexcept {
    const std::size_t pages = range.bytes() / page_bytes;
    for (std::size_t page = 0; page < pages; ++page)
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        addresses_[page] = reinterpret_cast<void*>(range.begin + page * page_bytes);
    KernelPageCalls kernel;
    if (kernel.move_pages(pages, addresses_.data(), nullptr, nodes_.data()) != 0) return false;
    return std::ranges::none_of(std::span(nodes_).first(pages),
                                [node](int status) { return status >= 0 && status != node; });
}

bool may_ask_for_presence() noexcept {
    alignas(page_bytes) static unsigned char page[page_bytes];  // NOLINT(modernize-avoid-c-arrays)
    unsigned char presence = 0;
    const auto begin = reinterpret_cast<std::uintptr_t>(page);
    return ask_for_presence({begin, begin + page_bytes}, &presence);
}

}  // namespace pinwise
