#include "placer/agent/thread_placer.hpp"

#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/session_lock.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

const CpuSet one_per_llc_quarter{0, 16, 32, 48, 64, 80, 96, 112};

std::unique_ptr<ThreadPlacer> make_placer(const CpuSet& allowed, std::string_view policy = "idlest",
                                          Bind bind = Bind::initial) {
    auto placer = ThreadPlacer::create(make_memory(zen3_machine(), allowed, policy, bind));
    EXPECT_TRUE(placer.has_value());
    return std::move(*placer);
}

Creator creator_on(int waker, const CpuSet& mask, std::optional<RecordSlot> slot = {}) {
    return {.pid = getpid(), .waker = waker, .mask = CpuMask::of(mask), .slot = slot};
}

/// The initial thread counts on `cpu`, as it does once it has been placed.
RecordSlot initial_thread(ThreadPlacer& placer, int cpu) {
    const auto birth = placer.begin_process(creator_on(cpu, one_per_llc_quarter));
    const SessionLock lock(placer.memory().header());
    placer.table().count_at(birth->slot, cpu);
    return birth->slot;
}

TEST(ThreadPlacer, SpreadsThreadsOfAMaskOverTwoNodesAsThe2022PatchDoes) {
    const auto placer = make_placer(one_per_llc_quarter);
    const RecordSlot initial = initial_thread(*placer, 32);
    std::multiset<int> cpus{32};
    for (int i = 1; i < 8; ++i) {
        const auto birth = placer->begin_thread(creator_on(32, one_per_llc_quarter, initial), nullptr);
        ASSERT_TRUE(birth.has_value());
        cpus.insert(birth->cpu);
    }
    EXPECT_THAT(cpus, testing::ElementsAre(0, 16, 32, 48, 64, 80, 96, 112));
}

TEST(ThreadPlacer, CountsACreatorThatHasNoRecord) {
    const auto placer = make_placer(CpuSet{0, 16});
    const auto birth = placer->begin_thread(creator_on(0, CpuSet{0, 16}), nullptr);
    EXPECT_EQ(birth->cpu, 16);
    EXPECT_EQ(placer->memory().header().running[0].load(), 0U) << "counted for this decision only";
}

TEST(ThreadPlacer, CountsTheCreatorWhereItRunsNow) {
    const auto placer = make_placer(CpuSet{0, 16});
    const RecordSlot initial = initial_thread(*placer, 0);
    const auto birth = placer->begin_thread(creator_on(16, CpuSet{0, 16}, initial), nullptr);
    EXPECT_EQ(birth->cpu, 0);
}

TEST(ThreadPlacer, SharesTheLoadBetweenProcesses) {
    const auto placer = make_placer(CpuSet{0, 16, 32});
    const pid_t child = fork();
    if (child == 0) _exit(placer->begin_process(creator_on(0, CpuSet{0, 16, 32}))->cpu);
    // Not reaped before the decision: a process that is gone would not count.
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    EXPECT_EQ(placer->memory().header().running[static_cast<std::size_t>(info.si_status)].load(), 1U);
    const auto birth = placer->begin_process(creator_on(info.si_status, CpuSet{0, 16, 32}));
    waitpid(child, nullptr, 0);
    EXPECT_EQ(birth->slot, 1);
}

TEST(ThreadPlacer, RespectsAnAffinityTheProgramChose) {
    const auto placer = make_placer(CpuSet::range(0, 127));
    const CpuMask own = CpuMask::only(77);
    const auto birth = placer->begin_thread(creator_on(0, CpuSet::range(0, 127)), &own);
    EXPECT_EQ(birth->cpu, -1);
    EXPECT_EQ(birth->inherited, own);
    EXPECT_EQ(placer->memory().header().running[77].load(), 1U);
    EXPECT_EQ(placer->table().read(birth->slot)->asked_cpu, -1);
}

TEST(ThreadPlacer, StaysWithinAMaskTheProgramNarrowed) {
    const auto placer = make_placer(CpuSet::range(0, 127));
    const CpuSet narrowed{64, 65};
    for (int i = 0; i < 4; ++i) {
        const auto birth = placer->begin_thread(creator_on(0, narrowed), nullptr);
        EXPECT_TRUE(narrowed.test(birth->cpu)) << birth->cpu;
        EXPECT_EQ(birth->inherited, CpuMask::of(narrowed));
    }
    const auto outside = placer->begin_thread(creator_on(0, CpuSet{200}), nullptr);
    EXPECT_EQ(outside->cpu, -1) << "no CPU of the session is left: the thread is not placed";
}

TEST(ThreadPlacer, GivesThreadsOfABoundCreatorTheWholeMask) {
    const auto placer = make_placer(CpuSet{0, 16}, "idlest", Bind::cpu);
    const RecordSlot initial = initial_thread(*placer, 0);
    placer->table().record(initial).given_mask.store(CpuMask::only(0).hash());
    const auto birth = placer->begin_thread(creator_on(0, CpuSet{0}, initial), nullptr);
    EXPECT_EQ(birth->cpu, 16);
}

TEST(ThreadPlacer, PutsThreadIOnTheIthCpuOfAnExplicitList) {
    const auto placer = make_placer(CpuSet{3, 5, 9}, "explicit:9,3,5");
    EXPECT_EQ(placer->begin_process(creator_on(3, CpuSet{3, 5, 9}))->cpu, 9);
    EXPECT_EQ(placer->begin_thread(creator_on(3, CpuSet{3, 5, 9}), nullptr)->cpu, 3);
    EXPECT_EQ(placer->begin_thread(creator_on(3, CpuSet{3, 5, 9}), nullptr)->cpu, 5);
    EXPECT_EQ(placer->begin_thread(creator_on(3, CpuSet{3, 5, 9}), nullptr)->cpu, 9);
}

TEST(ThreadPlacer, OnlyRecordsUnderPolicyOs) {
    const auto placer = make_placer(CpuSet::range(0, 127), "os");
    const auto birth = placer->begin_thread(creator_on(0, CpuSet::range(0, 127)), nullptr);
    EXPECT_EQ(birth->cpu, -1);
    const CpuMask before = CpuMask::of_thread(0);
    placer->started(*birth, static_cast<int>(syscall(SYS_gettid)));
    EXPECT_EQ(CpuMask::of_thread(0), before);
    const auto record = placer->table().read(birth->slot);
    EXPECT_EQ(record->first_cpu_means, FirstCpuMeans::getcpu);
    EXPECT_EQ(record->got_count, before.count());
    EXPECT_GE(record->first_cpu, 0);
}

TEST(ThreadPlacer, TakesBackTheLoadOfAThreadThatWasNotCreated) {
    const auto placer = make_placer(CpuSet{0, 16});
    const RecordSlot initial = initial_thread(*placer, 0);
    const auto birth = placer->begin_thread(creator_on(0, CpuSet{0, 16}, initial), nullptr);
    placer->take_back(*birth);
    EXPECT_EQ(placer->memory().header().running[16].load(), 0U);
    EXPECT_EQ(placer->begin_thread(creator_on(0, CpuSet{0, 16}, initial), nullptr)->cpu, 16);
}

TEST(ThreadPlacer, RecordsTheEndOfAThread) {
    const auto placer = make_placer(CpuSet::range(0, 127), "os");
    std::thread thread([&] {
        const auto birth = placer->begin_thread(creator_on(0, CpuSet::range(0, 127)), nullptr);
        placer->started(*birth, static_cast<int>(syscall(SYS_gettid)));
        placer->ended(birth->slot);
    });
    thread.join();
    const auto record = placer->table().read(0);
    EXPECT_FALSE(record->alive);
    EXPECT_GT(record->ended_ns, record->born_ns);
    EXPECT_TRUE(record->affinity_kept);
    EXPECT_GE(record->last_cpu, 0);
}

TEST(ThreadPlacer, TakesTheKernelsWordForAThreadThatIsOnItsCpu) {
    const CpuMask before = CpuMask::of_thread(0);
    const auto placer = make_placer(before.to_cpu_set() & zen3_machine().allowed, "idlest", Bind::cpu);
    auto birth = placer->begin_process(creator_on(before.first(), before.to_cpu_set()));
    birth->accepted = CpuMask::only(birth->cpu).apply_to(0);
    placer->started(*birth, static_cast<int>(syscall(SYS_gettid)));
    static_cast<void>(before.apply_to(0));
    if (!birth->accepted) GTEST_SKIP() << "CPU " << birth->cpu << " cannot be had";
    const auto record = placer->table().read(birth->slot);
    EXPECT_EQ(record->first_cpu_means, FirstCpuMeans::agent);
    EXPECT_EQ(record->first_cpu, birth->cpu);
    EXPECT_EQ(record->got_cpu, birth->cpu);
    EXPECT_EQ(record->got_count, 1);
}

TEST(ThreadPlacer, ReadsBackWhatAThreadHasThatIsNotOnItsCpu) {
    const CpuMask before = CpuMask::of_thread(0);
    const auto placer = make_placer(CpuSet::range(0, 127), "explicit:127");
    auto birth = placer->begin_process(creator_on(0, CpuSet::range(0, 127)));
    birth->accepted = true;  // and yet it is elsewhere: the CPU went offline meanwhile
    if (before.test(127)) GTEST_SKIP() << "runs on CPU 127";
    placer->started(*birth, static_cast<int>(syscall(SYS_gettid)));
    const auto record = placer->table().read(birth->slot);
    EXPECT_EQ(record->first_cpu_means, FirstCpuMeans::getcpu);
    EXPECT_EQ(record->got_count, before.count());
}

TEST(ThreadPlacer, LooksAtACreatorsAffinityOnceAMillisecondUnlessTheProgramSetIt) {
    const auto placer = make_placer(CpuSet{0, 16});
    EXPECT_EQ(placer->changed_affinity({}), CpuMask::of_thread(0)) << "no record: nothing is known";
    const RecordSlot slot = initial_thread(*placer, 0);
    SharedRecord& record = placer->table().record(slot);
    record.given_mask.store(CpuMask::only(99).hash());
    EXPECT_EQ(placer->changed_affinity(slot), CpuMask::of_thread(0)) << "set from outside";
    record.given_mask.store(CpuMask::of_thread(0).hash());
    EXPECT_EQ(placer->changed_affinity(slot), std::nullopt);
    record.given_mask.store(CpuMask::only(99).hash());
    record.given_seen_ns.store(session_time_ns() + 1'000'000'000);
    EXPECT_EQ(placer->changed_affinity(slot), std::nullopt) << "seen a moment ago";
    record.own_affinity.store(1);
    EXPECT_EQ(placer->changed_affinity(slot), CpuMask::of_thread(0));
}

TEST(ThreadPlacer, GivesThreadsOfACreatorWithTheSessionsAffinityWhatItWouldHaveWithout) {
    const auto placer = make_placer(one_per_llc_quarter, "idlest", Bind::cpu);
    const RecordSlot initial = initial_thread(*placer, 0);
    const Creator creator{.pid = getpid(), .waker = 0, .mask = {}, .slot = initial};
    const auto birth = placer->begin_thread(creator, nullptr);
    EXPECT_EQ(birth->inherited, CpuMask::of(one_per_llc_quarter));
    EXPECT_NE(birth->cpu, 0);
}

TEST(ThreadPlacer, DecidesForManyThreadsAtOnce) {
    const auto placer = make_placer(CpuSet::range(0, 127));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 32; ++i) {
                EXPECT_TRUE(placer->begin_thread(creator_on(0, CpuSet::range(0, 127)), nullptr).has_value());
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(placer->table().live_count(), 128);
    std::uint32_t total = 0;
    for (const auto& running : placer->memory().header().running)
        total += running.load();
    EXPECT_EQ(total, 128U);
}

TEST(ThreadPlacer, FindsTheRecordOfAProcessThatExecs) {
    const auto placer = make_placer(CpuSet{0, 16});
    EXPECT_FALSE(placer->find_after_exec(getpid()).has_value());
    const RecordSlot initial = initial_thread(*placer, 0);
    placer->table().record(initial).tid.store(getpid());
    const auto other = placer->begin_thread(creator_on(0, CpuSet{0, 16}, initial), nullptr);
    EXPECT_EQ(placer->find_after_exec(getpid()), initial);
    EXPECT_FALSE(placer->table().is_live(other->slot)) << "the other threads of the old image are gone";
}

TEST(ThreadPlacer, UnderABalancerJobsBeginOnTheNodesWhereTheyCanStay) {
    const auto image = encode_machine(test::load("synthetic:pack:2 [numa] l3:1 core:4 pu:1"));
    int descriptor = -1;
    auto memory = SessionMemory::create(
        {.machine = image, .policy = "idlest", .allowed = CpuMask::of(CpuSet::range(0, 7)), .cross_node_bal = 125},
        descriptor);
    close(descriptor);
    const auto placer = *ThreadPlacer::create(*std::move(memory));
    int on_node_1 = 0;
    for (int job = 0; job < 16; ++job)
        on_node_1 += placer->begin_thread(creator_on(0, CpuSet::range(0, 7)), nullptr)->cpu >= 4 ? 1 : 0;
    EXPECT_THAT(on_node_1, testing::AllOf(testing::Ge(7), testing::Le(9)))
        << "the kernel's rule alone puts about 6 there, and leaves the rest to the kernel's balancer";
}

}  // namespace
}  // namespace pinwise
