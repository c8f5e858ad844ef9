#include "placer/balance/session_balancer.hpp"

#include <map>

#include <gmock/gmock.h>

#include "placer/agent/session_lock.hpp"
#include "placer/agent/thread_placer.hpp"
#include "tests/unit/placer/agent/test_session.hpp"

namespace pinwise {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

/// Tasks of a machine that does not exist: a thread runs where its affinity begins, unless it sleeps.
struct FakeTask {
    CpuMask affinity;
    bool sleeps = false;
    bool refuses = false;
};
std::map<int, FakeTask> fake_tasks;

TaskStatus fake_status(int /*pid*/, int tid) {
    const auto found = fake_tasks.find(tid);
    if (found == fake_tasks.end()) return {.state = TaskState::gone};
    return {.state = found->second.sleeps ? TaskState::waiting : TaskState::runnable,
            .cpu = found->second.affinity.first(),
            .start_ticks = 1};
}

CpuMask fake_affinity(pid_t tid) {
    return fake_tasks.at(tid).affinity;
}

bool set_fake_affinity(pid_t tid, const CpuMask& mask) {
    if (fake_tasks.at(tid).refuses) return false;
    fake_tasks.at(tid).affinity = mask;
    return true;
}

/// Two nodes of four CPUs, 0-3 and 4-7, and a balancer with a mapping of its own, as in the owner of a session.
class Running : public testing::Test {
protected:
    static constexpr int first_tid = 1'000'000;

    explicit Running(Bind bind = Bind::node) : memory_(start(bind)) { fake_tasks.clear(); }

    SessionMemory start(Bind bind) {
        const auto image = encode_machine(machine_);
        int descriptor = -1;
        auto memory = SessionMemory::create(
            {.machine = image, .policy = "llc", .bind = bind, .allowed = CpuMask::of(CpuSet::range(0, 7))}, descriptor);
        balancer_ = SessionBalancer::create(SessionMemory::attach(descriptor, memory.value().header().id).value(), 125,
                                            {fake_status, fake_affinity, set_fake_affinity})
                        .value();
        close(descriptor);
        return std::move(memory.value());
    }

    /// A thread that was placed on `cpu` long ago. Returns its tid.
    int add(int cpu, const CpuSet& unbound = CpuSet::range(0, 7)) {
        const SessionLock lock(memory_.header());
        ThreadTable table(memory_);
        const auto slot = table.add(getpid(), 1);
        SharedRecord& record = table.record(slot.value());
        const int tid = first_tid + *slot;
        const CpuMask given = KeptCpus(tree_, memory_.header().bind).from(cpu, CpuMask::of(unbound));
        fake_tasks[tid] = {.affinity = given};
        record.tid.store(tid);
        record.asked_cpu.store(cpu);
        record.given_mask.store(given.hash());
        record.unbound_mask.store(table.remember_mask(CpuMask::of(unbound)));
        record.state.store(RecordState::alive);
        return tid;
    }

    void others(int cpu, unsigned threads) { memory_.header().others[static_cast<std::size_t>(cpu)].store(threads); }

    /// Rounds half a second apart, so that every thread has settled in the next one.
    void rounds(int count) {
        for (int i = 0; i < count; ++i)
            balancer_->round(now_ns_ += least_stay_ns);
    }

    [[nodiscard]] static CpuSet cpus(int tid) { return fake_tasks.at(tid).affinity.to_cpu_set(); }
    [[nodiscard]] SharedRecord& record(int tid) const {
        return memory_.records()[static_cast<std::size_t>(tid - first_tid)];
    }

    Machine machine_ = test::load(test::two_small_nodes);
    DomainTree tree_ = DomainTree::build(machine_);
    std::unique_ptr<SessionBalancer> balancer_;
    SessionMemory memory_;
    std::int64_t now_ns_ = session_time_ns();
};

class RunningOnCpus : public Running {
protected:
    RunningOnCpus() : Running(Bind::cpu) {}
};

TEST_F(Running, MovesThreadsToTheOtherNodeAndHomeAgain) {
    std::vector<int> tids;
    for (int cpu = 0; cpu < 4; ++cpu)
        tids.push_back(add(cpu));
    rounds(5);
    EXPECT_THAT(balancer_->moves(), SizeIs(0));
    others(0, 8);
    rounds(3);
    ASSERT_THAT(balancer_->moves(), SizeIs(4));
    for (const int tid : tids) {
        EXPECT_EQ(cpus(tid), CpuSet::range(4, 7));
        EXPECT_EQ(record(tid).given_mask.load(), CpuMask::of(CpuSet::range(4, 7)).hash());
        EXPECT_TRUE(was_given(record(tid), CpuMask::of(CpuSet::range(0, 3)).hash())) << "who read it before the move";
    }
    EXPECT_EQ(balancer_->summary().away, 4);
    others(0, 0);
    rounds(10);
    for (const int tid : tids)
        EXPECT_EQ(cpus(tid), CpuSet::range(0, 3));
    EXPECT_EQ(balancer_->summary().left, 4);
    EXPECT_EQ(balancer_->summary().returned, 4);
    EXPECT_EQ(balancer_->summary().away, 0);
}

TEST_F(Running, RecordsEveryMoveWithItsReason) {
    for (int cpu = 0; cpu < 4; ++cpu)
        add(cpu);
    others(0, 8);
    rounds(1);
    const BalanceMove& first = balancer_->moves()[0];
    EXPECT_EQ(first.reason, MoveReason::busiest);
    EXPECT_EQ(first.time_ns, now_ns_);
    EXPECT_EQ(first.thread, 3);
    EXPECT_EQ(first.tid, first_tid + 3);
    EXPECT_EQ(first.pid, getpid());
    EXPECT_EQ(first.home_node, 0);
    EXPECT_EQ(first.from_node, 0);
    EXPECT_EQ(first.to_node, 1);
    EXPECT_EQ(first.cpu, 4);
    EXPECT_EQ(first.from.running, 12);
    EXPECT_EQ(first.from.cpus, 4);
    EXPECT_EQ(first.to.load, 0);
    others(0, 0);
    rounds(10);
    EXPECT_EQ(balancer_->moves().back().reason, MoveReason::home);
}

TEST_F(Running, NeverLeavesTheMaskOfTheThread) {
    const int bound = add(0, CpuSet::range(0, 3));
    const int narrow = add(1, CpuSet{0, 1, 6});
    others(0, 8);
    rounds(5);
    EXPECT_EQ(cpus(bound), CpuSet::range(0, 3));
    EXPECT_EQ(cpus(narrow), (CpuSet{6}));
}

TEST_F(Running, LeavesAloneWhatTheProgramOrTheUserHasBound) {
    const int own = add(0);
    const int outside = add(1);
    const int unplaced = add(2);
    record(own).own_affinity.store(1);
    record(unplaced).asked_cpu.store(-1);
    fake_tasks.at(outside).affinity = CpuMask::only(1);
    const auto before = fake_tasks;
    others(0, 8);
    rounds(5);
    for (const int tid : {own, outside, unplaced})
        EXPECT_EQ(cpus(tid), before.at(tid).affinity.to_cpu_set());
    EXPECT_THAT(balancer_->moves(), SizeIs(0));
}

TEST_F(Running, AThreadTheKernelRefusesToMoveKeepsItsAffinity) {
    const int tid = add(0);
    const std::uint64_t given = record(tid).given_mask.load();
    fake_tasks.at(tid).refuses = true;
    others(0, 8);
    rounds(5);
    EXPECT_EQ(record(tid).given_mask.load(), given);
    EXPECT_THAT(balancer_->moves(), SizeIs(0));
}

TEST_F(Running, AProgramThatGoesBackToItsPlaceIsAtHome) {
    const int tid = add(0);
    others(0, 8);
    rounds(2);
    ASSERT_EQ(cpus(tid), CpuSet::range(4, 7));
    // What ThreadPlacer::returns_to_session() does.
    fake_tasks.at(tid).affinity = CpuMask::of(CpuSet::range(0, 3));
    record(tid).given_mask.store(fake_tasks.at(tid).affinity.hash());
    others(0, 0);
    rounds(2);
    EXPECT_EQ(balancer_->summary().away, 0);
    EXPECT_THAT(balancer_->moves(), SizeIs(1));
}

TEST_F(Running, AThreadThatEndsAwayIsCountedAsSuch) {
    const int tid = add(0);
    others(0, 8);
    rounds(2);
    ASSERT_EQ(balancer_->summary().away, 1);
    fake_tasks.erase(tid);
    rounds(2);
    EXPECT_EQ(balancer_->summary().away, 1);
}

TEST_F(RunningOnCpus, EachThreadGetsTheIdlestCpuOfTheOtherNodeAndItsOwnAtHome) {
    std::vector<int> tids;
    for (int cpu = 0; cpu < 3; ++cpu)
        tids.push_back(add(cpu));
    others(0, 9);
    others(5, 1);
    rounds(1);
    CpuSet used;
    for (const BalanceMove& move : balancer_->moves())
        used.set(move.cpu);
    EXPECT_THAT(balancer_->moves(), Each(Field(&BalanceMove::to_node, 1)));
    EXPECT_EQ(used.count(), static_cast<int>(balancer_->moves().size())) << "no CPU twice";
    EXPECT_FALSE(used.test(5)) << "busy";
    others(0, 0);
    others(5, 0);
    rounds(12);
    for (std::size_t i = 0; i < tids.size(); ++i)
        EXPECT_EQ(cpus(tids[i]), (CpuSet{static_cast<int>(i)}));
}

}  // namespace
}  // namespace pinwise
