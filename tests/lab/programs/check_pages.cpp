// check_pages: first touch, move_pages and mbind put pages on the node they name, nodes without CPUs included. Judged
// by where move_pages(2) finds them. Prints a line per check; exit status 1 when one fails.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t page_count = 256;

/// Anonymous pages, untouched and never huge.
class Pages {
public:
    Pages() : memory_(mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) std::abort();
        madvise(memory_, size(), MADV_NOHUGEPAGE);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(memory_, size()); }

    [[nodiscard]] static std::size_t size() { return page_count * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
    [[nodiscard]] void* memory() const { return memory_; }
    void touch() { std::memset(memory_, 1, size()); }

    [[nodiscard]] std::vector<void*> addresses() const {
        std::vector<void*> pages;
        for (std::size_t page = 0; page < page_count; ++page)
            pages.push_back(static_cast<char*>(memory_) + page * (size() / page_count));
        return pages;
    }

    /// The node of each page, or -errno.
    [[nodiscard]] std::vector<int> nodes() const {
        std::vector<void*> pages = addresses();
        std::vector<int> status(page_count, -1);
        move_pages(0, page_count, pages.data(), nullptr, status.data(), 0);
        return status;
    }

private:
    void* memory_;
};

class Checks {
public:
    void expect(const std::string& what, bool right, const std::vector<int>& nodes) {
        if (!right) failed_ = true;
        const std::size_t elsewhere = nodes.size() - static_cast<std::size_t>(std::ranges::count(nodes, nodes.front()));
        fmt::print("{} {} (first page on node {}, {} of {} elsewhere)\n", right ? "ok" : "FAILED", what, nodes.front(),
                   elsewhere, nodes.size());
    }
    void expect_all_on(const std::string& what, int node, const std::vector<int>& nodes) {
        expect(what, std::ranges::count(nodes, node) == static_cast<std::ptrdiff_t>(nodes.size()), nodes);
    }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    bool failed_ = false;
};

bool has_cpus(int node) {
    bitmask* cpus = numa_allocate_cpumask();
    const bool any = numa_node_to_cpus(node, cpus) == 0 && numa_bitmask_weight(cpus) > 0;
    numa_free_cpumask(cpus);
    return any;
}

/// Runs on a node with CPUs other than `node` where there is one, so that pages get to `node` by request only.
void run_elsewhere(int node) {
    int other = 0;
    for (int candidate = numa_max_node(); candidate >= 0; --candidate) {
        if (candidate != node && has_cpus(candidate)) other = candidate;
    }
    numa_run_on_node(other);
}

unsigned long mask_of(int node) {
    return 1UL << static_cast<unsigned>(node);
}

void check_first_touch(int node, Checks& checks) {
    if (numa_run_on_node(node) != 0) return checks.expect(fmt::format("running on node {}", node), false, {-1});
    Pages pages;
    pages.touch();
    checks.expect_all_on(fmt::format("first touch from node {}", node), node, pages.nodes());
}

void check_move_pages(int node, Checks& checks) {
    Pages pages;
    pages.touch();
    std::vector<void*> addresses = pages.addresses();
    const std::vector<int> target(page_count, node);
    std::vector<int> status(page_count, -1);
    move_pages(0, page_count, addresses.data(), target.data(), status.data(), MPOL_MF_MOVE);
    checks.expect_all_on(fmt::format("status of move_pages to node {}", node), node, status);
    checks.expect_all_on(fmt::format("move_pages to node {}", node), node, pages.nodes());
}

void check_mbind(int node, Checks& checks) {
    const unsigned long mask = mask_of(node);
    constexpr unsigned long mask_bits = 64;
    Pages fresh;
    const bool bound = mbind(fresh.memory(), Pages::size(), MPOL_BIND, &mask, mask_bits, 0) == 0;
    fresh.touch();
    checks.expect_all_on(fmt::format("mbind of untouched pages to node {}", node), bound ? node : -1, fresh.nodes());
    Pages touched;
    touched.touch();
    const bool moved =
        mbind(touched.memory(), Pages::size(), MPOL_BIND, &mask, mask_bits, MPOL_MF_MOVE | MPOL_MF_STRICT) == 0;
    checks.expect_all_on(fmt::format("mbind with MPOL_MF_MOVE to node {}", node), moved ? node : -1, touched.nodes());
}

void check_interleave(int nodes, Checks& checks) {
    const unsigned long mask = mask_of(nodes) - 1;
    constexpr unsigned long mask_bits = 64;
    Pages pages;
    mbind(pages.memory(), Pages::size(), MPOL_INTERLEAVE, &mask, mask_bits, 0);
    pages.touch();
    const std::vector<int> found = pages.nodes();
    bool even = true;
    for (int node = 0; node < nodes; ++node) {
        const auto share = static_cast<std::size_t>(std::ranges::count(found, node));
        even = even && share >= page_count / static_cast<std::size_t>(nodes) &&
               share <= page_count / static_cast<std::size_t>(nodes) + 1;
    }
    checks.expect(fmt::format("mbind interleaved over {} nodes", nodes), even, found);
}

}  // namespace

int main() {
    if (numa_available() < 0) {
        fmt::print("FAILED libnuma finds no NUMA support\n");
        return 1;
    }
    const int nodes = numa_max_node() + 1;
    Checks checks;
    for (int node = 0; node < nodes; ++node) {
        if (has_cpus(node)) check_first_touch(node, checks);
    }
    for (int node = 0; node < nodes; ++node) {
        run_elsewhere(node);
        check_move_pages(node, checks);
        check_mbind(node, checks);
    }
    check_interleave(nodes, checks);
    return checks.failed() ? 1 : 0;
}
