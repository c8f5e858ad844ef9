#pragma once
/// move_pages(2) with its traps, over pages that exist only here.

#include <cerrno>
#include <map>
#include <set>
#include <vector>

#include "placer/scan/page_calls.hpp"

namespace pinwise {

/// Behaves as Linux since 4.17: runs of addresses are one batch, an entry that is not queued is answered at once and
/// flushes the batch, the second address of a large folio is busy, a batch that fails in part leaves its statuses
/// unwritten and ends the call.
class SimulatedPages final : public PageCalls {
public:
    static constexpr std::uintptr_t page_bytes = 4096;

    std::map<std::uintptr_t, int> node_of;  ///< by page number; not in it: not present
    std::set<std::uintptr_t> pinned;        ///< cannot be migrated, without a reason given
    std::set<std::uintptr_t> zero;          ///< read and never written: EFAULT
    std::set<std::uintptr_t> shared;        ///< EACCES
    std::uintptr_t folio_pages = 1;         ///< every page belongs to a folio of so many
    std::size_t room = SIZE_MAX;            ///< pages that still fit on target nodes; then ENOMEM
    int refuses = 0;                        ///< errno of every call
    int refuses_moves = 0;                  ///< errno of every call that moves
    std::vector<std::size_t> moving_calls;  ///< addresses in each

    void fill(std::uintptr_t start, std::size_t bytes, int node) {
        for (std::uintptr_t page = start / page_bytes; page < (start + bytes) / page_bytes; ++page)
            node_of[page] = node;
    }
    [[nodiscard]] std::size_t pages_on(int node) const {
        std::size_t count = 0;
        for (const auto& [page, on] : node_of)
            count += on == node ? 1 : 0;
        return count;
    }

    long move_pages(std::size_t count, void* const* pages, const int* nodes, int* status) override {
        if (refuses != 0) return -refuses;
        if (nodes == nullptr) {
            for (std::size_t i = 0; i < count; ++i)
                status[i] = where(number(pages[i]));
            return 0;
        }
        moving_calls.push_back(count);
        if (refuses_moves != 0) return -refuses_moves;
        return move(count, pages, nodes[0], status);
    }

private:
    static std::uintptr_t number(const void* page) { return reinterpret_cast<std::uintptr_t>(page) / page_bytes; }

    [[nodiscard]] int where(std::uintptr_t page) const {
        if (zero.contains(page)) return -EFAULT;
        const auto found = node_of.find(page);
        return found == node_of.end() ? -ENOENT : found->second;
    }

    /// 0 when the page joins the batch.
    int queue(std::uintptr_t page, int target, std::set<std::uintptr_t>& batch_folios, int& status) {
        status = where(page);
        if (status < 0) return status;
        if (status == target) return 1;
        if (shared.contains(page)) return status = -EACCES;
        if (!batch_folios.insert(page / folio_pages).second) return status = -EBUSY;
        return 0;
    }

    long flush(std::set<std::uintptr_t>& folios, int target, std::vector<int*>& statuses) {
        long failed = 0;
        for (const std::uintptr_t folio : folios) {
            if (room < folio_pages) return -ENOMEM;
            bool stays = false;
            for (std::uintptr_t page = folio * folio_pages; page < (folio + 1) * folio_pages; ++page)
                stays = stays || pinned.contains(page);
            if (stays) {
                ++failed;
                continue;
            }
            room -= folio_pages;
            for (std::uintptr_t page = folio * folio_pages; page < (folio + 1) * folio_pages; ++page)
                if (node_of.contains(page)) node_of[page] = target;
        }
        if (failed == 0)
            for (int* status : statuses)
                *status = target;
        folios.clear();
        statuses.clear();
        return failed;
    }

    long move(std::size_t count, void* const* pages, int target, int* status) {
        std::set<std::uintptr_t> folios;
        std::vector<int*> statuses;
        for (std::size_t i = 0; i < count; ++i) {
            int now = 0;
            if (queue(number(pages[i]), target, folios, now) == 0) {
                statuses.push_back(&status[i]);
                continue;
            }
            const long failed = flush(folios, target, statuses);
            status[i] = now;
            if (failed != 0) return failed < 0 ? failed : failed + static_cast<long>(count - i);
        }
        return flush(folios, target, statuses);
    }
};

}  // namespace pinwise
