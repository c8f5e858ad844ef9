// Affinities that the session gives, that the program sets, and that new threads and processes take over.

#include <gtest/gtest.h>
#include <unistd.h>

#include "placer/agent/thread_placer.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

const CpuSet all = CpuSet::range(0, 255);

SessionMemory memory_with(Bind bind, bool force = false, int skipped_births = 0) {
    const auto image = encode_machine(zen3_machine());
    int descriptor = -1;
    auto memory = SessionMemory::create({.machine = image,
                                         .policy = "idlest",
                                         .bind = bind,
                                         .allowed = CpuMask::of(all),
                                         .force = force,
                                         .skipped_births = skipped_births},
                                        descriptor);
    close(descriptor);
    return std::move(*memory);
}

class ThreadAffinity : public testing::Test {
protected:
    void begin(Bind bind, bool force = false, int skipped_births = 0) {
        placer_ = *ThreadPlacer::create(memory_with(bind, force, skipped_births));
    }
    Birth thread(const CpuSet& creator_mask, std::optional<RecordSlot> slot = {}) {
        return *placer_->begin_thread({.pid = 100, .waker = 0, .mask = CpuMask::of(creator_mask), .slot = slot},
                                      nullptr);
    }
    /// As started() leaves the record of a thread that has become bound to that mask.
    void bound_to(RecordSlot slot, const CpuSet& given) {
        placer_->table().record(slot).given_mask.store(CpuMask::of(given).hash());
    }

    std::unique_ptr<ThreadPlacer> placer_;
};

TEST_F(ThreadAffinity, OfABoundCreatorIsNotPassedOn) {
    begin(Bind::llc);
    const Birth first = thread(all);
    bound_to(first.slot, CpuSet::range(0, 7));
    EXPECT_EQ(thread(CpuSet::range(0, 7), first.slot).inherited, CpuMask::of(all));
}

TEST_F(ThreadAffinity, ThatTheProgramNarrowedReachesGrandchildrenOfABoundThread) {
    begin(Bind::cpu);
    const CpuSet narrowed{64, 65};
    const Birth child = thread(narrowed);
    bound_to(child.slot, CpuSet{child.cpu});
    const Birth grandchild = thread(CpuSet{child.cpu}, child.slot);
    EXPECT_EQ(grandchild.inherited, CpuMask::of(narrowed));
    EXPECT_TRUE(narrowed.test(grandchild.cpu));
}

TEST_F(ThreadAffinity, ThatTheProgramSetIsRespectedEvenIfItIsWhatTheSessionGave) {
    begin(Bind::cpu);
    const Birth first = thread(all);
    bound_to(first.slot, CpuSet{5});
    placer_->program_sets_affinity(first.slot, CpuMask::only(5));
    EXPECT_EQ(thread(CpuSet{5}, first.slot).inherited, CpuMask::only(5));
    EXPECT_EQ(placer_->table().read(first.slot)->own_affinity, 1);
}

TEST_F(ThreadAffinity, IsTheSessionsAgainWhenTheProgramGivesBackWhatItWouldHaveHad) {
    const int cpu = CpuMask::of_thread(0).first();
    begin(Bind::llc);
    const Birth first = thread(CpuSet::range(cpu, cpu));
    SharedRecord& record = placer_->table().record(first.slot);
    record.tid.store(static_cast<int>(gettid()));
    bound_to(first.slot, CpuSet{cpu});
    placer_->program_sets_affinity(first.slot, CpuMask::only(200));
    EXPECT_FALSE(placer_->returns_to_session(first.slot, CpuMask::of(all)));
    EXPECT_TRUE(placer_->returns_to_session(first.slot, CpuMask::only(cpu)));
    EXPECT_EQ(placer_->table().read(first.slot)->own_affinity, 0);
    EXPECT_EQ(*placer_->table().unbound_mask(first.slot), CpuMask::only(cpu));
    begin(Bind::initial);
    EXPECT_FALSE(placer_->returns_to_session(thread(all).slot, CpuMask::of(all))) << "nothing is bound";
}

TEST_F(ThreadAffinity, ThatTheKernelRefusedChangesNothing) {
    begin(Bind::cpu);
    const Birth first = thread(all);
    bound_to(first.slot, CpuSet{5});
    const auto previous = placer_->program_sets_affinity(first.slot, CpuMask::only(300));
    placer_->set_failed(first.slot, previous);
    EXPECT_EQ(thread(CpuSet{5}, first.slot).inherited, CpuMask::of(all));
    EXPECT_EQ(placer_->table().read(first.slot)->own_affinity, 0);
}

TEST_F(ThreadAffinity, OfABoundParentIsNotPassedOnToItsProcesses) {
    begin(Bind::cpu);
    const Birth parent = *placer_->begin_process({.pid = 100, .waker = 0, .mask = CpuMask::of(all), .slot = {}});
    bound_to(parent.slot, CpuSet{3});
    const Birth forked = *placer_->begin_process(
        {.pid = 101, .waker = 3, .mask = CpuMask::only(3), .slot = {}, .forked_by = parent.slot, .parent_pid = 100});
    EXPECT_EQ(forked.inherited, CpuMask::of(all));
    EXPECT_NE(forked.cpu, parent.cpu);
    const Birth spawned = *placer_->begin_process(
        {.pid = 102, .waker = 3, .mask = CpuMask::only(3), .slot = {}, .forked_by = {}, .parent_pid = 100});
    EXPECT_EQ(spawned.inherited, CpuMask::of(all));
    const Birth narrowed = *placer_->begin_process(
        {.pid = 103, .waker = 3, .mask = CpuMask::only(9), .slot = {}, .forked_by = {}, .parent_pid = 100});
    EXPECT_EQ(narrowed.inherited, CpuMask::only(9)) << "set between fork and exec";
}

TEST_F(ThreadAffinity, IsForcedAndTheProgramBelievesOtherwise) {
    begin(Bind::cpu, true);
    const Birth first = thread(all);
    EXPECT_EQ(placer_->override_affinity(first.slot, CpuMask::only(9)), true);
    EXPECT_EQ(placer_->override_affinity(first.slot, CpuMask::only(999)), false) << "no such CPU";
    ASSERT_NE(placer_->table().unbound_mask(first.slot), nullptr);
    EXPECT_EQ(*placer_->table().unbound_mask(first.slot), CpuMask::only(9));
    EXPECT_EQ(placer_->table().read(first.slot)->overridden, 1);
    const CpuMask wish = CpuMask::only(77);
    const Birth wishing =
        *placer_->begin_thread({.pid = 100, .waker = 0, .mask = CpuMask::of(all), .slot = first.slot}, &wish);
    EXPECT_GE(wishing.cpu, 0);
    EXPECT_EQ(wishing.inherited, CpuMask::of(all));
    EXPECT_EQ(*placer_->table().unbound_mask(wishing.slot), wish);
}

TEST_F(ThreadAffinity, IsNotOverriddenWithoutForceOrWhereTheSessionDoesNotPlace) {
    begin(Bind::cpu);
    EXPECT_FALSE(placer_->override_affinity(thread(all).slot, CpuMask::only(9)).has_value());
    begin(Bind::cpu, true, 1);
    EXPECT_FALSE(placer_->override_affinity(thread(all).slot, CpuMask::only(9)).has_value());
}

TEST_F(ThreadAffinity, OfSkippedThreadsIsWhatTheyWouldHaveWithoutTheSession) {
    begin(Bind::cpu, false, 2);
    const Birth initial = *placer_->begin_process({.pid = 100, .waker = 0, .mask = CpuMask::of(all), .slot = {}});
    EXPECT_GE(initial.cpu, 0) << "only created threads are skipped";
    bound_to(initial.slot, CpuSet{0});
    const Birth refused = thread(CpuSet{0}, initial.slot);
    placer_->take_back(refused);
    for (int i = 0; i < 2; ++i) {
        const Birth helper = thread(CpuSet{0}, initial.slot);
        EXPECT_EQ(helper.cpu, -1);
        EXPECT_TRUE(helper.needs_inherited);
        EXPECT_EQ(helper.inherited, CpuMask::of(all));
    }
    EXPECT_GE(thread(CpuSet{0}, initial.slot).cpu, 0);
}

TEST_F(ThreadAffinity, MasksAreRememberedOnceAndNotWithoutLimit) {
    begin(Bind::cpu);
    ThreadTable& table = placer_->table();
    EXPECT_EQ(table.remember_mask(CpuMask::of(all)), 0U);
    EXPECT_EQ(table.remember_mask(CpuMask::only(1)), 1U);
    EXPECT_EQ(table.remember_mask(CpuMask::only(1)), 1U);
    for (int cpu = 2; cpu < 64; ++cpu)
        EXPECT_LT(table.remember_mask(CpuMask::only(cpu)), max_session_masks);
    EXPECT_EQ(table.remember_mask(CpuMask::only(99)), no_session_mask);
    // Without a memory of it, a narrowed mask is still respected.
    const Birth child = thread(CpuSet{200});
    bound_to(child.slot, CpuSet{200});
    EXPECT_EQ(thread(CpuSet{200}, child.slot).inherited, CpuMask::only(200));
}

TEST_F(ThreadAffinity, SkippedThreadsTakeNoPositionOfAList) {
    const auto image = encode_machine(zen3_machine());
    int descriptor = -1;
    auto memory = SessionMemory::create({.machine = image,
                                         .policy = "explicit:9,3,5",
                                         .bind = Bind::cpu,
                                         .allowed = CpuMask::of(all),
                                         .skipped_births = 1},
                                        descriptor);
    close(descriptor);
    placer_ = *ThreadPlacer::create(std::move(*memory));
    EXPECT_EQ(placer_->begin_process({.pid = 100, .waker = 0, .mask = CpuMask::of(all), .slot = {}})->cpu, 9);
    EXPECT_EQ(thread(all).cpu, -1);
    EXPECT_EQ(thread(all).cpu, 3);
}

}  // namespace
}  // namespace pinwise
