#include "placer/scan/page_calls.hpp"

#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {

namespace {

/// MPOL_MF_MOVE: only pages that this process alone maps.
constexpr int move_own_pages = 1 << 1;

}  // namespace

long KernelPageCalls::move_pages(std::size_t count, void* const* pages, const int* nodes, int* status) {
    const int saved_errno = errno;
    const long left = syscall(SYS_move_pages, 0, count, pages, nodes, status, nodes == nullptr ? 0 : move_own_pages);
    const long result = left < 0 ? -static_cast<long>(errno) : left;
    errno = saved_errno;
    return result;
}

int node_of_page(const void* address) noexcept {
    KernelPageCalls kernel;
    void* page = const_cast<void*>(address);  // NOLINT(cppcoreguidelines-pro-type-const-cast): only asked about
    int status = -ENOENT;
    const long result = kernel.move_pages(1, &page, nullptr, &status);
    return result < 0 ? static_cast<int>(result) : status;
}

}  // namespace pinwise
