#pragma once
/// The one system call by which pages are found and moved: move_pages(2), of the calling process.

#include <cstddef>

namespace pinwise {

class PageCalls {
public:
    virtual ~PageCalls() = default;
    /// `nodes` null: only ask. 0 or the number of pages not moved, or -errno. `status` as in move_pages(2): entries of
    /// a batch that failed in part are not written.
    virtual long move_pages(std::size_t count, void* const* pages, const int* nodes, int* status) = 0;
};

/// Safe in a signal handler; keeps errno.
class KernelPageCalls final : public PageCalls {
public:
    long move_pages(std::size_t count, void* const* pages, const int* nodes, int* status) override;
};

/// Node of the page at `address`, or -errno (ENOENT: not present). Safe in a signal handler, keeps errno.
int node_of_page(const void* address) noexcept;

}  // namespace pinwise
