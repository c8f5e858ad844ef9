#include "placer/agent/program_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include "placer/agent/thread_follower.hpp"
#include "placer/relaxed.hpp"
#include "placer/scan/page_size.hpp"
#include "placer/scan/scan_agent.hpp"
#include "placer/scan/scan_settings.hpp"

namespace pinwise {

namespace {

/// Large heap blocks by where they start: looked up at every free(), so without a lock. A block has its place among the
/// few that its address names, or is not scanned.
class HeapBlocks {
public:
    bool add(std::uintptr_t start, std::size_t bytes) {
        for (std::size_t i = 0; i < places; ++i) {
            Block& block = at(start, i);
            std::uintptr_t empty = 0;
            if (!block.start.compare_exchange_strong(empty, being_written, std::memory_order_acquire)) continue;
            block.bytes = bytes;
            block.start.store(start, std::memory_order_release);
            count_.fetch_add(1, relaxed);
            return true;
        }
        return false;
    }

    /// Its size; 0: not here.
    std::size_t take(std::uintptr_t start) {
        if (count_.load(relaxed) == 0) return 0;
        for (std::size_t i = 0; i < places; ++i) {
            Block& block = at(start, i);
            if (block.start.load(std::memory_order_acquire) != start) continue;
            const std::size_t bytes = block.bytes;
            block.start.store(0, std::memory_order_release);
            count_.fetch_sub(1, relaxed);
            return bytes;
        }
        return 0;
    }

private:
    struct Block {
        std::atomic<std::uintptr_t> start{0};
        std::size_t bytes = 0;
    };
    static constexpr std::size_t size = 4096;
    static constexpr std::size_t places = 8;
    static constexpr std::uintptr_t being_written = 1;

    Block& at(std::uintptr_t start, std::size_t i) {
        constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
        return blocks_[(((start >> 4U) * golden_ratio >> 40U) + i) % size];
    }

    std::array<Block, size> blocks_{};
    std::atomic<std::size_t> count_{0};
};

constinit HeapBlocks heap_blocks;

/// Uninitialised variables of the program itself (Fortran's arrays, STREAM's): anonymous memory behind the pages of its
/// file.
int track_static_data(dl_phdr_info* program, std::size_t /*bytes*/, void* /*unused*/) {
    for (std::size_t i = 0; i < program->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = program->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
        const std::uintptr_t start = program->dlpi_addr + header.p_vaddr;
        const std::uintptr_t begin = (start + header.p_filesz + page_bytes - 1) & ~(page_bytes - 1);
        const std::uintptr_t end = start + header.p_memsz;
        if (end > begin && end - begin >= least_armable_bytes)
            ScanAgent::current()->table().track({begin, end}, PROT_READ | PROT_WRITE);
    }
    return 1;  // the program comes first, libraries are not looked at
}

}  // namespace

std::unique_ptr<ThreadFollower> make_thread_follower(const SessionMemory& memory) {
    auto agent = ScanAgent::start(memory);
    if (agent != nullptr) dl_iterate_phdr(track_static_data, nullptr);
    return agent;
}

AddressRange range_at(const void* start, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    return {begin, begin + bytes < begin ? begin : begin + bytes};
}

void mapping_came(const void* start, std::size_t bytes, int protection) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr) return;
    if (bytes < least_armable_bytes) return memory_goes(start, bytes);
    agent->table().track(range_at(start, bytes), protection);
}

void memory_goes(const void* start, std::size_t bytes) {
    if (ScanAgent* agent = ScanAgent::current(); agent != nullptr) agent->table().forget(range_at(start, bytes));
}

void stack_lies_at(const void* address) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr) return;
    const AddressRange around = agent->table().tracked_around(reinterpret_cast<std::uintptr_t>(address));
    if (!around.empty()) agent->table().forget(around);
}

void block_came(const void* start, std::size_t bytes) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr || start == nullptr || bytes < least_armable_bytes) return;
    if (heap_blocks.add(reinterpret_cast<std::uintptr_t>(start), bytes))
        agent->table().track(range_at(start, bytes), PROT_READ | PROT_WRITE);
}

std::size_t block_goes(const void* start) {
    if (start == nullptr) return 0;
    const std::size_t bytes = heap_blocks.take(reinterpret_cast<std::uintptr_t>(start));
    if (bytes > 0) memory_goes(start, bytes);
    return bytes;
}

bool is_scanned(const void* start, std::size_t bytes) {
    ScanAgent* agent = ScanAgent::current();
    return agent != nullptr && bytes > 0 && agent->table().tracks_any(range_at(start, bytes));
}

bool any_is_scanned(const iovec* vectors, std::size_t count) {
    if (ScanAgent::current() == nullptr || vectors == nullptr) return false;
    const std::span<const iovec> list(vectors, std::min<std::size_t>(count, IOV_MAX));
    return is_scanned(vectors, list.size_bytes()) ||
           std::ranges::any_of(list, [](const iovec& one) { return is_scanned(one.iov_base, one.iov_len); });
}

HeldMemory::HeldMemory(const void* start, std::size_t bytes) : HeldMemory(range_at(start, bytes)) {}

HeldMemory::HeldMemory(AddressRange range) : range_(range) {
    ScanAgent* agent = ScanAgent::current();
    held_ = agent != nullptr && !range.empty() && agent->table().hold(range);
}

HeldMemory::~HeldMemory() {
    if (held_) ScanAgent::current()->table().release(range_);
}

HeldVectors::HeldVectors(const iovec* vectors, std::size_t count)
    : list_(vectors, count * sizeof(iovec)), vectors_(vectors, std::min<std::size_t>(count, IOV_MAX)) {
    for (const iovec& one : vectors_)
        ScanAgent::current()->table().hold(range_at(one.iov_base, one.iov_len));
}

HeldVectors::~HeldVectors() {
    for (const iovec& one : vectors_)
        ScanAgent::current()->table().release(range_at(one.iov_base, one.iov_len));
}

AddressRange scanned_from(const void* start) {
    ScanAgent* agent = ScanAgent::current();
    return agent == nullptr ? AddressRange{} : agent->table().tracked_from(reinterpret_cast<std::uintptr_t>(start));
}

ScanPause::ScanPause() {
    if (ScanAgent* agent = ScanAgent::current(); agent != nullptr) {
        agent->table().pause();
        paused_ = true;
    }
}

ScanPause::~ScanPause() {
    if (paused_) ScanAgent::current()->table().resume();
}

}  // namespace pinwise
