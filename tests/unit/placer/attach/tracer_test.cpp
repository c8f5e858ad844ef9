#include "placer/attach/tracer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/attach/ptrace_permission.hpp"
#include "placer/topology/load_machine.hpp"
#include "tests/unit/placer/agent/test_session.hpp"

namespace pinwise {
namespace {

class TracerTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto permitted = check_ptrace(); !permitted) GTEST_SKIP() << permitted.error().message;
    }
};

struct Followed {
    int status = 0;
    std::vector<ThreadRecord> threads;
};

SessionMemory live_memory(std::string_view policy) {
    const auto machine = load_machine("live");
    return make_memory(*machine, CpuMask::of_thread(0).to_cpu_set(), policy);
}

/// Runs a shell command to its end under a tracer.
Followed follow(Tracer& tracer, const ThreadTable& table, const std::string& command) {
    LaunchSpec spec;
    spec.command = {"sh", "-c", command};
    spec.watcher = tracer.launch_watcher();
    const auto program = launch(spec);
    EXPECT_TRUE(program) << program.error().message;
    Followed followed;
    if (!program) return followed;
    std::optional<int> status;
    while (!(status = tracer.handle_events()))
        usleep(1000);
    followed.status = *status;
    for (RecordSlot slot = 0; slot < table.used(); ++slot) {
        if (auto record = table.read(slot)) followed.threads.push_back(std::move(*record));
    }
    return followed;
}

TEST_F(TracerTest, FollowsProcessesToTheirEnd) {
    auto placer = ThreadPlacer::create(live_memory("idlest"));
    ASSERT_TRUE(placer);
    const ThreadTable table((*placer)->memory());
    Tracer tracer(std::move(*placer));
    const auto [status, threads] = follow(tracer, table, "(exit 4) & wait $!; exit 3");
    EXPECT_EQ(WEXITSTATUS(status), 3);
    ASSERT_EQ(threads.size(), 2U);
    for (const ThreadRecord& thread : threads) {
        EXPECT_GE(thread.asked_cpu, 0);
        EXPECT_EQ(thread.first_cpu, thread.asked_cpu);
        EXPECT_EQ(thread.first_cpu_means, FirstCpuMeans::agent);
        EXPECT_TRUE(thread.affinity_kept);
        EXPECT_FALSE(thread.alive);
        EXPECT_GT(thread.ended_ns, thread.born_ns);
    }
    EXPECT_EQ(table.live_count(), 0);
}

TEST_F(TracerTest, LeavesNoLoadBehind) {
    auto placer = ThreadPlacer::create(live_memory("idlest"));
    ASSERT_TRUE(placer);
    const ThreadTable table((*placer)->memory());
    const SessionHeader& header = (*placer)->memory().header();
    Tracer tracer(std::move(*placer));
    const auto followed = follow(tracer, table, "for i in 1 2 3 4 5 6 7 8; do (:); done; sh -c : ; kill -9 $$");
    EXPECT_EQ(WTERMSIG(followed.status), SIGKILL);
    for (const auto& running : header.running)
        EXPECT_EQ(running.load(), 0U);
}

TEST_F(TracerTest, RunsProgramsWhoseCpusTheSessionDoesNotKnow) {
    auto placer = ThreadPlacer::create(make_memory(zen3_machine(), CpuSet{100, 101}, "idlest"));
    ASSERT_TRUE(placer);
    const ThreadTable table((*placer)->memory());
    Tracer tracer(std::move(*placer));
    const auto [status, threads] = follow(tracer, table, "exit 6");
    EXPECT_EQ(WEXITSTATUS(status), 6);
    ASSERT_EQ(threads.size(), 1U);
    EXPECT_EQ(threads[0].asked_cpu, -1);
}

TEST_F(TracerTest, SurvivesALaunchThatFails) {
    auto tracer = Tracer::create(live_memory("idlest"));
    ASSERT_TRUE(tracer);
    LaunchSpec spec;
    spec.command = {"true"};
    spec.working_directory = "/no/such/folder";
    spec.watcher = (*tracer)->launch_watcher();
    const auto program = launch(spec);
    ASSERT_FALSE(program);
    EXPECT_THAT(program.error().message, testing::HasSubstr("/no/such/folder"));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST(LaunchWatcherTest, ThatCannotAttachEndsTheChild) {
    LaunchSpec spec;
    spec.command = {"true"};
    pid_t child = 0;
    spec.watcher = LaunchWatcher{.attach = [&](pid_t made) -> Result<void> {
                                     child = made;
                                     return failure("no");
                                 },
                                 .wait_for_exec = [](pid_t) {}};
    const auto program = launch(spec);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().message, "no");
    EXPECT_GT(child, 0);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

}  // namespace
}  // namespace pinwise
