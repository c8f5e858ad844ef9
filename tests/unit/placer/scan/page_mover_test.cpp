#include "placer/scan/page_mover.hpp"

#include <array>
#include <numeric>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/unit/placer/scan/simulated_pages.hpp"

namespace pinwise {
namespace {

constexpr std::array two_nodes{0, 1};
constexpr std::uintptr_t base = 0x40000000;
constexpr std::uint32_t granule = 65536;
constexpr std::size_t page = 4096;
constexpr std::size_t huge = 2U << 20;

MoveRequest granule_at(std::uintptr_t offset, std::uint32_t bytes = granule) {
    return {.start = base + offset, .bytes = bytes, .thread = 1};
}

void expect_balanced(const MoveLedger& ledger) {
    EXPECT_EQ(ledger.examined, ledger.local_already + ledger.moved + ledger.failed_pages() + ledger.not_processed);
    EXPECT_EQ(ledger.bytes_moved, ledger.moved * page);
}

TEST(PageMover, MovesAGranuleAndAccountsForIt) {
    SimulatedPages pages;
    pages.fill(base, granule, 0);
    PageMover mover(pages, two_nodes, page);
    std::array<MoveOutcome, 1> outcome{};
    mover.move(std::array{granule_at(0)}, 1, outcome);
    EXPECT_EQ(pages.pages_on(1), 16U);
    EXPECT_EQ(mover.ledger().examined, 16U);
    EXPECT_EQ(mover.ledger().moved, 16U);
    EXPECT_EQ(outcome[0].moved, 16U);
    EXPECT_EQ(outcome[0].failed, 0U);
    EXPECT_GT(mover.ledger().ns_per_page(), 0);
    expect_balanced(mover.ledger());
}

TEST(PageMover, NamesOnlyPagesThatAreElsewhere) {
    SimulatedPages pages;
    pages.fill(base, 4 * page, 1);
    pages.fill(base + 8 * page, 4 * page, 0);
    pages.zero.insert(base / page + 12);
    PageMover mover(pages, two_nodes, page);
    std::array<MoveOutcome, 1> outcome{};
    mover.move(std::array{granule_at(0)}, 1, outcome);
    EXPECT_EQ(pages.moving_calls, (std::vector<std::size_t>{4}));
    EXPECT_EQ(mover.ledger().local_already, 4U);
    EXPECT_EQ(mover.ledger().moved, 4U);
    EXPECT_EQ(mover.ledger().failed[ENOENT], 7U);
    EXPECT_EQ(mover.ledger().failed[EFAULT], 1U);
    EXPECT_EQ(outcome[0].failed, 0U) << "pages that are not there are no failure";
    expect_balanced(mover.ledger());
}

TEST(PageMover, BatchesManyGranulesIntoFewCalls) {
    SimulatedPages pages;
    pages.fill(base, 100 * granule, 0);
    PageMover mover(pages, two_nodes, page, 1000);
    std::vector<MoveRequest> requests;
    for (std::uintptr_t i = 0; i < 100; ++i)
        requests.push_back(granule_at(i * granule));
    mover.move(requests, 1);
    EXPECT_EQ(pages.moving_calls, (std::vector<std::size_t>{1000, 600}));
    EXPECT_EQ(mover.ledger().calls, 4U);
    EXPECT_EQ(mover.ledger().moved, 1600U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, AsksAgainWhenABatchFailedInPart) {
    SimulatedPages pages;
    pages.fill(base, granule, 0);
    pages.pinned.insert(base / page + 5);
    PageMover mover(pages, two_nodes, page);
    std::array<MoveOutcome, 1> outcome{};
    mover.move(std::array{granule_at(0)}, 1, outcome);
    EXPECT_EQ(mover.ledger().moved, 15U);
    EXPECT_EQ(mover.ledger().not_processed, 1U);
    EXPECT_EQ(outcome[0].moved, 15U);
    EXPECT_EQ(outcome[0].failed, 1U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, GoesOnBehindAPageThatEndedTheCall) {
    SimulatedPages pages;
    pages.fill(base, granule, 0);
    pages.pinned.insert(base / page + 2);
    pages.shared.insert(base / page + 3);  // flushes the batch with the pinned page in it, which ends the call
    PageMover mover(pages, two_nodes, page);
    mover.move(std::array{granule_at(0)}, 1);
    EXPECT_EQ(mover.ledger().moved, 14U);
    EXPECT_EQ(mover.ledger().failed[EACCES], 1U);
    EXPECT_EQ(mover.ledger().not_processed, 1U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, NamesOneAddressOfALargeFolio) {
    SimulatedPages pages;
    pages.folio_pages = huge / page;
    pages.fill(base, 4 * huge, 0);
    PageMover mover(pages, two_nodes, huge);
    mover.move(std::array{granule_at(0, huge), granule_at(huge, huge), granule_at(2 * huge, huge)}, 1);
    EXPECT_EQ(pages.moving_calls, (std::vector<std::size_t>{3}));
    EXPECT_EQ(pages.pages_on(1), 3 * huge / page);
    EXPECT_EQ(mover.ledger().moved, 3 * huge / page);
    EXPECT_EQ(mover.ledger().failed_pages(), 0U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, MovesSmallPagesWhereLargeFoliosMayBe) {
    SimulatedPages pages;
    pages.fill(base, 2 * huge, 0);
    PageMover mover(pages, two_nodes, huge);
    mover.move(std::array{granule_at(0, huge), granule_at(huge, huge)}, 1);
    EXPECT_EQ(pages.pages_on(1), 2 * huge / page);
    EXPECT_EQ(mover.ledger().moved, 2 * huge / page);
    expect_balanced(mover.ledger());
}

TEST(PageMover, TakesBusyFollowersOfAFolioItDidNotKnowAsMoved) {
    SimulatedPages pages;
    pages.folio_pages = 16;
    pages.fill(base, 4 * granule, 0);
    PageMover mover(pages, two_nodes, page);
    mover.move(std::array{granule_at(0), granule_at(granule)}, 1);
    EXPECT_EQ(mover.ledger().moved, 32U);
    EXPECT_EQ(mover.ledger().failed[EBUSY], 0U);
    EXPECT_EQ(pages.pages_on(1), 32U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, StopsAskingAFullNode) {
    SimulatedPages pages;
    pages.fill(base, 2 * granule, 0);
    pages.room = 8;
    PageMover mover(pages, two_nodes, page);
    mover.move(std::array{granule_at(0)}, 1);
    EXPECT_EQ(mover.node_state(1), TargetState::full);
    EXPECT_EQ(mover.state(), MoverState::working);
    EXPECT_EQ(mover.ledger().moved, 8U);
    EXPECT_EQ(mover.ledger().failed[ENOMEM], 8U);
    const auto calls = mover.ledger().calls;
    mover.move(std::array{granule_at(granule)}, 1);
    EXPECT_EQ(mover.ledger().calls, calls);
    pages.room = 1000;
    mover.retry_full_nodes();
    mover.move(std::array{granule_at(0), granule_at(granule)}, 1);
    EXPECT_EQ(pages.pages_on(1), 32U);
    expect_balanced(mover.ledger());
}

TEST(PageMover, NamesWhyNothingMoves) {
    struct Case {
        int error;
        MoverState state;
        TargetState node;
    };
    for (const auto& [error, state, node] : {Case{EPERM, MoverState::denied, TargetState::usable},
                                             Case{ENOSYS, MoverState::unsupported, TargetState::usable},
                                             Case{ENODEV, MoverState::no_node, TargetState::absent},
                                             Case{EACCES, MoverState::no_node, TargetState::disallowed}}) {
        SimulatedPages pages;
        pages.fill(base, granule, 0);
        pages.refuses_moves = error;
        PageMover mover(pages, two_nodes, page);
        mover.move(std::array{granule_at(0)}, 1);
        EXPECT_EQ(mover.state(), state);
        EXPECT_EQ(mover.node_state(1), node);
        EXPECT_EQ(mover.ledger().failed[static_cast<std::size_t>(error)], 16U);
        expect_balanced(mover.ledger());
        const auto examined = mover.ledger().examined;
        mover.move(std::array{granule_at(0)}, 1);
        EXPECT_EQ(mover.ledger().examined, examined) << "it stays off";
    }
}

TEST(PageMover, NoticesThatItMayNotEvenAsk) {
    SimulatedPages pages;
    pages.refuses = EPERM;
    PageMover mover(pages, two_nodes, page);
    mover.move(std::array{granule_at(0)}, 1);
    EXPECT_EQ(mover.state(), MoverState::denied);
    EXPECT_EQ(mover.ledger().not_processed, 16U);
    EXPECT_EQ(to_string(mover.state()), "denied(EPERM)");
}

TEST(PageMover, IsOffWithOneNode) {
    SimulatedPages pages;
    PageMover mover(pages, std::array{0}, page);
    EXPECT_EQ(mover.state(), MoverState::one_node);
    mover.move(std::array{granule_at(0)}, 0);
    EXPECT_EQ(mover.ledger().calls, 0U);
}

TEST(PageMover, LeavesNodesAloneThatAreNone) {
    SimulatedPages pages;
    pages.fill(base, granule, 0);
    PageMover mover(pages, std::array{0, 1, -1, 4000}, page);
    for (const int node : {-1, 2, 64, 4000}) {
        EXPECT_EQ(mover.node_state(node), TargetState::absent);
        mover.move(std::array{granule_at(0)}, node);
    }
    EXPECT_EQ(mover.ledger().examined, 0U);
}

TEST(KernelPageCalls, KnowWhereAPageOfOursIs) {
    void* memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    *static_cast<char*>(memory) = 1;
    errno = 77;
    const int node = node_of_page(memory);
    EXPECT_EQ(errno, 77);
    if (node == -EPERM || node == -ENOSYS) GTEST_SKIP() << "move_pages is not permitted here";
    EXPECT_GE(node, 0);
    EXPECT_EQ(node_of_page(static_cast<char*>(memory) + page), -ENOENT);
    munmap(memory, 2 * page);
}

}  // namespace
}  // namespace pinwise
