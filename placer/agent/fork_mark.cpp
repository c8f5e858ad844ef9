#include "placer/agent/fork_mark.hpp"

#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace pinwise {

namespace {

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void ForkMark::Unmap::operator()(std::atomic<std::uint32_t>* page) const {
    munmap(page, page_bytes());
}

ForkMark::ForkMark() {
    void* page = mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    page_.reset(new (page) std::atomic<std::uint32_t>(0));  // NOLINT(cppcoreguidelines-owning-memory): the page owns it
    if (madvise(page, page_bytes(), MADV_WIPEONFORK) != 0) page_.reset();
    set();
}

void ForkMark::set() {
    if (page_) page_->store(1, std::memory_order_relaxed);
}

}  // namespace pinwise
