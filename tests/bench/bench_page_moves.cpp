/// What the ledger costs: pages moved by PageMover against one move_pages call made by hand on the same pages, in
/// turns, back and forth between two nodes.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/mman.h>

#include "placer/scan/page_mover.hpp"
#include "placer/topology/load_machine.hpp"

namespace {

using namespace pinwise;

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_bytes = 2U << 20;
constexpr std::size_t granule_bytes = 65536;

/// Anonymous memory of small or huge pages, touched.
class Memory {
public:
    Memory(std::size_t bytes, bool huge) : bytes_(bytes) {
        void* all = mmap(nullptr, bytes + huge_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        const auto start = reinterpret_cast<std::uintptr_t>(all);
        start_ = (start + huge_bytes - 1) / huge_bytes * huge_bytes;
        madvise(at(0), bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        std::memset(at(0), 1, bytes);
    }
    [[nodiscard]] std::uintptr_t start() const { return start_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    [[nodiscard]] void* at(std::size_t offset) const { return reinterpret_cast<void*>(start_ + offset); }

private:
    std::uintptr_t start_ = 0;
    std::size_t bytes_;
};

double seconds_of(const auto& action) {
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// As somebody would write it who knows the pages are all there and elsewhere.
double move_by_hand(const Memory& memory, std::size_t step, int node) {
    std::vector<void*> pages;
    for (std::size_t offset = 0; offset < memory.bytes(); offset += step)
        pages.push_back(memory.at(offset));
    const std::vector<int> nodes(pages.size(), node);
    std::vector<int> status(pages.size(), -1);
    KernelPageCalls kernel;
    return seconds_of([&] { kernel.move_pages(pages.size(), pages.data(), nodes.data(), status.data()); });
}

double move_by_ledger(const Memory& memory, PageMover& mover, int node) {
    std::vector<MoveRequest> requests;
    for (std::size_t offset = 0; offset < memory.bytes(); offset += granule_bytes)
        requests.push_back({.start = memory.start() + offset, .bytes = granule_bytes, .thread = 0});
    return seconds_of([&] { mover.move(requests, node); });
}

/// Pages of `memory` on the node.
std::size_t pages_on(const Memory& memory, int node) {
    std::size_t count = 0;
    for (std::size_t offset = 0; offset < memory.bytes(); offset += page_bytes)
        count += node_of_page(memory.at(offset)) == node ? 1 : 0;
    return count;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void compare(std::size_t mib, bool huge, int rounds, std::span<const int> nodes) {
    const Memory memory(mib << 20, huge);
    KernelPageCalls kernel;
    PageMover mover(kernel, nodes, huge ? huge_bytes : page_bytes);
    const std::size_t pages = memory.bytes() / page_bytes;
    std::vector<double> ratios;
    std::vector<double> by_hand_s;
    std::vector<double> by_ledger_s;
    move_by_hand(memory, page_bytes, nodes[0]);
    for (int round = 0; round < rounds; ++round) {
        // Both ways for both, so that neither always has the cheaper direction.
        const bool hand_first = round % 2 == 0;
        double hand_s = 0;
        double ledger_s = 0;
        for (const int target : {nodes[1], nodes[0]}) {
            const bool by_hand = (target == nodes[1]) == hand_first;
            (by_hand ? hand_s : ledger_s) = by_hand ? move_by_hand(memory, huge ? huge_bytes : page_bytes, target)
                                                    : move_by_ledger(memory, mover, target);
            if (pages_on(memory, target) != pages)
                fmt::print("  round {}: {} of {} pages arrived\n", round, pages_on(memory, target), pages);
        }
        by_hand_s.push_back(hand_s);
        by_ledger_s.push_back(ledger_s);
        ratios.push_back(hand_s / ledger_s);
    }
    const auto rate = [&](double seconds) { return static_cast<double>(pages) / seconds / 1000; };
    fmt::print(
        "{} pages of {}, {} rounds: by hand {:.0f}, by ledger {:.0f} thousand pages a second; ratio {:.3f} "
        "(median of the rounds)\n",
        pages, huge ? "2 MiB folios" : "4 KiB", rounds, rate(median(by_hand_s)), rate(median(by_ledger_s)),
        median(ratios));
    const MoveLedger& ledger = mover.ledger();
    fmt::print(
        "  ledger: examined {}, already there {}, moved {}, failed {}, not processed {}, {:.0f} ns a page, {} calls\n",
        ledger.examined, ledger.local_already, ledger.moved, ledger.failed_pages(), ledger.not_processed,
        ledger.ns_per_page(), ledger.calls);
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t mib = 64;
    int rounds = 20;
    CLI::App app{"Pages moved with the ledger against one move_pages call"};
    app.add_option("--mib", mib, "Memory to move")->check(CLI::PositiveNumber);
    app.add_option("--rounds", rounds, "Each moves the memory once either way")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    const auto machine = load_machine("live");
    if (!machine) {
        fmt::print(stderr, "{}\n", machine.error().message);
        return 1;
    }
    std::vector<int> nodes;
    for (const Node& node : machine->nodes)
        if (node.memory_bytes > 0) nodes.push_back(node.os_index);
    if (nodes.size() < 2) {
        fmt::print(stderr,
                   "one node with memory: there is nowhere to move pages to (the lab has more: "
                   "bash tests/lab/lab.sh n2 -- bench_page_moves)\n");
        return 77;
    }
    compare(mib, false, rounds, nodes);
    compare(mib, true, rounds, nodes);
}
