#include <array>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/trial/binding_variables.hpp"
#include "runner/trial/interrupt.hpp"
#include "runner/trial/mock_executor.hpp"
#include "runner/trial/placement_facts.hpp"
#include "runner/trial/process_group.hpp"
#include "runner/trial/run_trials.hpp"
#include "runner/trial/steady_time.hpp"
#include "runner/trial/workload_output.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ---- the document of a workload ----

const std::string good_document =
    R"({"schema":1,"workload":"stream","metrics":[{"name":"Copy","unit":"MB/s","value":12.5,"better":"higher"}],
"verification":{"passed":true},"threads":[{"thread":0,"tid":7,"first_cpu":3,"last_cpu":4}],"notes":["a note"]})";

std::string document_error(std::string text, const std::string& from = "", const std::string& to = "") {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    const auto output = parse_workload_output(text);
    EXPECT_FALSE(output) << text;
    return output ? "" : output.error().message;
}

TEST(WorkloadOutput, ReadsMetricsVerdictAndThreads) {
    const auto output = parse_workload_output(good_document);
    ASSERT_TRUE(output) << output.error().message;
    ASSERT_EQ(output->metrics.size(), 1U);
    EXPECT_EQ(output->metrics[0].name, "Copy");
    EXPECT_EQ(output->metrics[0].value, 12.5);
    EXPECT_TRUE(output->verified);
    ASSERT_EQ(output->threads.size(), 1U);
    EXPECT_EQ(output->threads[0].tid, 7);
    EXPECT_EQ(output->threads[0].first_cpu, 3);
    EXPECT_THAT(output->notes, ElementsAre("a note"));
}

TEST(WorkloadOutput, ANumberThatIsNoneIsAnError) {
    EXPECT_THAT(document_error(good_document, "12.5", "null"),
                HasSubstr("metric \"Copy\": its value is no finite number"));
    EXPECT_THAT(document_error(good_document, "12.5", "\"fast\""), HasSubstr("no finite number"));
    EXPECT_THAT(document_error(good_document, "12.5", "NaN"), HasSubstr("no JSON"));
    EXPECT_THAT(document_error(good_document, "12.5", "1e999"), HasSubstr("no JSON"));
}

TEST(WorkloadOutput, EverythingElseThatIsMissingIsNamed) {
    EXPECT_THAT(document_error(""), HasSubstr("no JSON document was written"));
    EXPECT_THAT(document_error("Segmentation fault"), HasSubstr("no JSON"));
    EXPECT_THAT(document_error("[1]"), HasSubstr("no JSON object"));
    EXPECT_THAT(document_error(good_document, "\"schema\":1", "\"schema\":9"), HasSubstr("\"schema\" is not 1"));
    EXPECT_THAT(document_error(good_document, "\"passed\":true", "\"passed\":1"), HasSubstr("verification.passed"));
    EXPECT_THAT(document_error(good_document, "\"metrics\":[", "\"metric\":["), HasSubstr("no metrics"));
    EXPECT_THAT(document_error(good_document, "\"unit\":\"MB/s\",", ""), HasSubstr("metric \"Copy\" has no \"unit\""));
    EXPECT_THAT(document_error(good_document, "higher", "more"), HasSubstr("not higher or lower"));
    EXPECT_THAT(document_error(good_document, "[{\"name\"", "[3,{\"name\""), HasSubstr("a metric is no object"));
}

TEST(WorkloadOutput, ADocumentThatFailedItsCheckNeedsNoMetrics) {
    const auto output = parse_workload_output(R"({"schema":1,"metrics":[],"verification":{"passed":false}})");
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_FALSE(output->verified);
}

// ---- placement ----

ThreadRecord thread_at(int tid, int cpu, FirstCpuMeans means, std::int64_t migrations = 0) {
    ThreadRecord thread;
    thread.pid = 100;
    thread.tid = tid;
    thread.first_cpu = cpu;
    thread.first_cpu_means = means;
    thread.got_count = 1;
    thread.migrations = migrations;
    return thread;
}

TEST(PlacementFacts, CountsNodesPileUpsAndCaches) {
    const Machine machine = test::load(test::zen3_nps1);
    std::vector<ThreadRecord> threads{thread_at(100, 32, FirstCpuMeans::getcpu, 5)};
    for (const int cpu : {48, 0, 16, 32, 32, 32, 32})
        threads.push_back(thread_at(101 + static_cast<int>(threads.size()), cpu, FirstCpuMeans::tracepoint, 1));
    const PlacementFacts facts = placement_facts(machine, threads);
    EXPECT_EQ(facts.start_counts, "{8}{0}");
    EXPECT_EQ(facts.most_threads_on_one_cpu, 5);
    EXPECT_EQ(facts.llcs_used, 4);
    EXPECT_EQ(facts.migrations, 12);
    EXPECT_EQ(facts.affinity_kept, true);
    EXPECT_EQ(facts.means, FirstCpuMeans::tracepoint) << "the created threads decide";
    EXPECT_EQ(facts.missing, "");
}

TEST(PlacementFacts, OneUnknownThreadLeavesTheCountsAbsentWithTheReason) {
    const Machine machine = test::load(test::zen3_nps1);
    const std::vector<ThreadRecord> threads{thread_at(100, 0, FirstCpuMeans::agent),
                                            thread_at(101, -1, FirstCpuMeans::unknown, -1)};
    const PlacementFacts facts = placement_facts(machine, threads);
    EXPECT_FALSE(facts.llcs_used);
    EXPECT_FALSE(facts.migrations);
    EXPECT_THAT(facts.missing, HasSubstr("first CPU of thread 101 unknown"));
    EXPECT_THAT(facts.missing, HasSubstr("migrations"));
    EXPECT_THAT(placement_facts(machine, {}).missing, HasSubstr("no thread was recorded"));
}

TEST(PlacementFacts, AChangedAffinityIsToldApartFromAnUnreadOne) {
    const Machine machine = test::load(test::zen3_nps1);
    std::vector<ThreadRecord> threads{thread_at(100, 0, FirstCpuMeans::agent), thread_at(101, 1, FirstCpuMeans::agent)};
    threads[1].affinity_kept = false;
    EXPECT_EQ(placement_facts(machine, threads).affinity_kept, false);
    threads[1].got_count = 0;
    EXPECT_FALSE(placement_facts(machine, threads).affinity_kept);
}

TEST(WorkerThreads, AreThoseTheWorkloadNames) {
    const std::vector<ThreadRecord> records{thread_at(100, 0, FirstCpuMeans::agent),
                                            thread_at(101, 1, FirstCpuMeans::agent),
                                            thread_at(102, 2, FirstCpuMeans::agent)};
    const std::vector<WorkloadThread> named{{102, 9, 9}, {100, 9, 9}};
    const auto workers = worker_threads(records, named);
    ASSERT_EQ(workers.size(), 2U);
    EXPECT_EQ(workers[0].tid, 100);
    EXPECT_EQ(workers[1].first_cpu, 2);
    EXPECT_EQ(worker_threads(records, {}).size(), 3U);
}

TEST(WorkerThreads, OfAProgramWithoutAgentAreWhatTheySawThemselves) {
    const std::vector<WorkloadThread> named{{102, 9, 8}, {103, -1, -1}};
    const auto workers = worker_threads({}, named);
    ASSERT_EQ(workers.size(), 2U);
    EXPECT_EQ(workers[0].first_cpu, 9);
    EXPECT_EQ(workers[0].first_cpu_means, FirstCpuMeans::getcpu);
    EXPECT_EQ(workers[0].last_cpu, 8);
    EXPECT_EQ(workers[1].first_cpu_means, FirstCpuMeans::unknown);
}

// ---- the tracepoint ----

TEST(Wakeups, ApplyToCreatedThreadsOfWhichNothingBetterIsKnown) {
    std::vector<ThreadRecord> threads{thread_at(100, 32, FirstCpuMeans::getcpu),
                                      thread_at(101, 1, FirstCpuMeans::getcpu), thread_at(102, 2, FirstCpuMeans::agent),
                                      thread_at(103, 3, FirstCpuMeans::getcpu),
                                      thread_at(104, -1, FirstCpuMeans::unknown)};
    std::vector<SchedEvent> wakeups;
    for (const auto& [tid, cpu] : {std::pair{100, 9}, {101, 32}, {102, 9}, {104, 7}}) {
        wakeups.emplace_back().tid = tid;
        wakeups.back().cpu = cpu;
    }
    SchedEvent moved = wakeups.back();
    moved.kind = SchedEvent::Kind::migration;
    moved.tid = 103;
    wakeups.push_back(moved);
    apply_wakeups(wakeups, threads);
    EXPECT_EQ(threads[0].first_cpu, 32) << "exec, not the fork before it";
    EXPECT_EQ(threads[1].first_cpu, 32);
    EXPECT_EQ(threads[1].first_cpu_means, FirstCpuMeans::tracepoint);
    EXPECT_EQ(threads[2].first_cpu, 2);
    EXPECT_EQ(threads[3].first_cpu_means, FirstCpuMeans::getcpu);
    EXPECT_EQ(threads[4].first_cpu, 7);
}

// ---- the loop ----

TEST(RunTrials, GoesOnAfterAFailureAndCountsIt) {
    MockExecutor executor(
        [](const TrialSpec& spec) { return spec.trial % 2 == 0 ? failed_trial("exit 3") : TrialResult{}; });
    int recorded = 0;
    const auto trials = test::trials(test::four_strategies, test::load(test::zen3_nps1));
    const auto outcome =
        run_trials(trials, executor, {.before = {}, .record = [&](const auto&, const auto&) -> Result<void> {
                                          ++recorded;
                                          return {};
                                      }});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->done, 20);
    EXPECT_EQ(outcome->failed, 10);
    EXPECT_FALSE(outcome->interrupted);
    EXPECT_EQ(recorded, 20);
}

TEST(RunTrials, RecordsATrialBeforeTheNextStarts) {
    std::vector<std::string> events;
    MockExecutor executor([&](const TrialSpec& spec) {
        events.push_back("run " + std::to_string(spec.trial));
        return TrialResult{};
    });
    auto trials = test::trials(test::four_strategies, test::load(test::zen3_nps1));
    trials.resize(2);
    const auto record = [&](const TrialSpec& spec, const TrialResult&) -> Result<void> {
        events.push_back("record " + std::to_string(spec.trial));
        return {};
    };
    EXPECT_TRUE(run_trials(trials, executor, {.before = {}, .record = record}));
    EXPECT_THAT(events, ElementsAre("run 1", "record 1", "run 2", "record 2"));
}

TEST(RunTrials, StopsAtAnInterruptionAndDoesNotRecordIt) {
    MockExecutor executor([](const TrialSpec& spec) {
        TrialResult result;
        if (spec.trial == 3) result.status = TrialStatus::interrupted;
        return result;
    });
    int recorded = 0;
    const auto trials = test::trials(test::four_strategies, test::load(test::zen3_nps1));
    const auto outcome =
        run_trials(trials, executor, {.before = {}, .record = [&](const auto&, const auto&) -> Result<void> {
                                          ++recorded;
                                          return {};
                                      }});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->interrupted);
    EXPECT_EQ(outcome->done, 2);
    EXPECT_EQ(recorded, 2);
    EXPECT_EQ(executor.asked().size(), 3U);
}

TEST(RunTrials, EndsWithTheErrorOfTheRecord) {
    MockExecutor executor([](const TrialSpec&) { return TrialResult{}; });
    const auto trials = test::trials(test::four_strategies, test::load(test::zen3_nps1));
    const auto outcome = run_trials(
        trials, executor,
        {.before = {}, .record = [](const auto&, const auto&) -> Result<void> { return failure("disk full"); }});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message, "disk full");
    EXPECT_EQ(executor.asked().size(), 1U);
}

// ---- process groups ----

struct Child {
    pid_t pid = 0;
    int out = -1;
    int err = -1;
};

Child start_shell(const char* script) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    EXPECT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(err.data(), O_CLOEXEC), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", script, nullptr);
        _exit(127);
    }
    setpgid(pid, pid);
    close(out[1]);
    close(err[1]);
    return {pid, out[0], err[0]};
}

GroupResult run_shell(const char* script, GroupLimits limits) {
    const Child child = start_shell(script);
    return wait_for_group(child.pid, steady_now_ns(), child.out, child.err, limits);
}

TEST(ProcessGroup, ReportsStatusOutputAndTimes) {
    const Subreaper subreaper;
    const GroupResult result = run_shell("echo out; echo err >&2; exit 3", {.timeout_s = 60});
    EXPECT_EQ(result.end, EndReason::exited);
    EXPECT_EQ(WEXITSTATUS(result.wait_status), 3);
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
    EXPECT_GT(result.wall_s, 0);
    EXPECT_EQ(result.left_behind, 0);
}

TEST(ProcessGroup, ATimeoutEndsTheWholeGroup) {
    const Subreaper subreaper;
    const GroupResult result = run_shell("sleep 1000 & sleep 1000 & wait", {.timeout_s = 0.2, .grace_s = 5});
    EXPECT_EQ(result.end, EndReason::timeout);
    EXPECT_TRUE(WIFSIGNALED(result.wait_status));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "nothing is left";
    EXPECT_EQ(result.not_ended, 0);
}

TEST(ProcessGroup, OneThatIgnoresTermIsKilled) {
    const Subreaper subreaper;
    const GroupResult result =
        run_shell("trap '' TERM; while :; do sleep 0.05; done", {.timeout_s = 0.2, .grace_s = 0.2});
    EXPECT_EQ(result.end, EndReason::timeout);
    EXPECT_EQ(WTERMSIG(result.wait_status), SIGKILL);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessGroup, AGrandchildThatMovedAwayIsFoundAndEnded) {
    const Subreaper subreaper;
    const GroupResult result = run_shell("setsid sleep 1000 & sleep 0.1; echo done", {.timeout_s = 60});
    EXPECT_EQ(result.end, EndReason::exited);
    EXPECT_EQ(result.out, "done\n");
    EXPECT_EQ(result.left_behind, 1);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessGroup, ADaemonThatIgnoresEverySignalIsEndedWithItsTrial) {
    const Subreaper subreaper;
    // Twice forked, in a session of its own, deaf, and with a child in yet another session.
    const GroupResult result = run_shell(
        "(setsid sh -c 'trap \"\" TERM HUP INT QUIT; setsid sleep 1001 & exec sleep 1000' > /dev/null 2>&1 &) ; "
        "sleep 0.2; echo done",
        {.timeout_s = 60});
    EXPECT_EQ(result.end, EndReason::exited);
    EXPECT_EQ(result.out, "done\n");
    EXPECT_EQ(result.left_behind, 2);
    EXPECT_EQ(result.not_ended, 0);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "nothing is left";
}

TEST(ProcessGroup, ATreeThatGrowsWhileItIsEndedIsEndedAsAWhole) {
    const Subreaper subreaper;
    const GroupResult result =
        run_shell("trap '' TERM; while :; do setsid sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000' & sleep 0.02; done",
                  {.timeout_s = 0.3, .grace_s = 0.1});
    EXPECT_EQ(result.end, EndReason::timeout);
    EXPECT_GT(result.left_behind, 0);
    EXPECT_EQ(result.not_ended, 0);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

/// A child of ours that runs `body`, without outputs.
template <class Body>
Child start_child(Body body) {
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        body();
        _exit(0);
    }
    setpgid(pid, pid);
    return {pid, -1, -1};
}

TEST(ProcessGroup, AFirstProcessThatJoinsOurOwnGroupIsEndedAndWeAreNot) {
    const Subreaper subreaper;
    const pid_t our_group = getpgrp();
    const Child child = start_child([our_group] {
        if (setpgid(0, our_group) != 0) _exit(9);
        for (;;)
            pause();
    });
    const auto start_ns = steady_now_ns();
    const GroupResult result = wait_for_group(child.pid, start_ns, -1, -1, {.timeout_s = 0.2, .grace_s = 5});
    EXPECT_EQ(result.end, EndReason::timeout);
    EXPECT_EQ(WTERMSIG(result.wait_status), SIGTERM);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessGroup, WhatIsNotOfTheTrialIsNotTouched) {
    // Another program of the user, whose parent has ended: no descendant of ours from then on.
    std::array<int, 2> told{};
    ASSERT_EQ(pipe2(told.data(), O_CLOEXEC), 0);
    const Child parent = start_child([&told] {
        const pid_t stranger = fork();
        if (stranger == 0) {
            setsid();
            sleep(60);
            _exit(0);
        }
        static_cast<void>(write(told[1], &stranger, sizeof(stranger)) == sizeof(stranger));
    });
    ASSERT_EQ(waitpid(parent.pid, nullptr, 0), parent.pid);
    pid_t stranger = 0;
    ASSERT_EQ(read(told[0], &stranger, sizeof(stranger)), static_cast<ssize_t>(sizeof(stranger)));
    close(told[0]);
    close(told[1]);
    {
        const Subreaper subreaper;
        const GroupResult result = run_shell("setsid sleep 1000 & sleep 0.1", {.timeout_s = 60});
        EXPECT_EQ(result.left_behind, 1);
    }
    EXPECT_EQ(kill(stranger, 0), 0) << "still there";
    kill(stranger, SIGKILL);
}

TEST(ProcessGroup, SaysWhenItHasNotKeptAllOfTheOutput) {
    const Subreaper subreaper;
    EXPECT_FALSE(run_shell("printf 12345678", {.timeout_s = 60, .captured_bytes = 8}).output_cut);
    EXPECT_TRUE(run_shell("printf 123456789", {.timeout_s = 60, .captured_bytes = 8}).output_cut);
    EXPECT_TRUE(run_shell("printf 123456789 >&2", {.timeout_s = 60, .captured_bytes = 8}).output_cut);
}

TEST(ProcessGroup, TicksWhileItWaitsAndOnlyThen) {
    const Subreaper subreaper;
    int ticks = 0;
    run_shell("sleep 0.3", {.timeout_s = 60, .tick = [&ticks] { return ++ticks, 20; }});
    EXPECT_GE(ticks, 2);
    const int after = ticks;
    run_shell("sleep 0.1", {.timeout_s = 60});
    EXPECT_EQ(ticks, after);
}

TEST(ProcessGroup, KeepsTheBeginningOfAFloodAndTheEndOfItsErrors) {
    const Subreaper subreaper;
    const GroupResult result = run_shell("echo first; yes | head -c 3000000; (yes | head -c 3000000; echo last) >&2",
                                         {.timeout_s = 60, .captured_bytes = 1000});
    EXPECT_EQ(result.end, EndReason::exited);
    EXPECT_EQ(result.out.size(), 1000U);
    EXPECT_THAT(result.out, testing::StartsWith("first\n"));
    EXPECT_EQ(result.err.size(), 1000U);
    EXPECT_THAT(result.err, testing::EndsWith("last\n"));
}

TEST(ProcessGroup, AnInterruptEndsIt) {
    const Subreaper subreaper;
    const auto watch = InterruptWatch::install();
    ASSERT_TRUE(watch);
    raise(SIGINT);
    const GroupResult result = run_shell("sleep 1000", {.timeout_s = 60, .interrupt_fd = watch->fd()});
    EXPECT_EQ(result.end, EndReason::interrupted);
    EXPECT_EQ(InterruptWatch::signal_number(), SIGINT);
}

TEST(BindingVariables, AreRemovedAndTheOthersKept) {
    setenv("OMP_PROC_BIND", "close", 1);
    setenv("GOMP_CPU_AFFINITY", "0-3", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    const auto removed = remove_binding_variables();
    EXPECT_EQ(removed.at("OMP_PROC_BIND"), "close");
    EXPECT_EQ(removed.at("GOMP_CPU_AFFINITY"), "0-3");
    EXPECT_EQ(getenv("OMP_PROC_BIND"), nullptr);
    EXPECT_EQ(openmp_variables().at("OMP_WAIT_POLICY"), "passive");
    EXPECT_FALSE(openmp_variables().contains("GOMP_CPU_AFFINITY"));
    unsetenv("OMP_WAIT_POLICY");
}

TEST(BindingVariables, ThatBindAreToldFromThoseThatDoNot) {
    const auto with = [](const char* name, const char* value) {
        setenv(name, value, 1);
        auto found = variables_that_bind();
        unsetenv(name);
        return found;
    };
    EXPECT_THAT(with("OMP_PROC_BIND", "spread"), testing::ElementsAre("OMP_PROC_BIND=spread"));
    EXPECT_THAT(with("OMP_PROC_BIND", "FALSE"), testing::IsEmpty());
    EXPECT_THAT(with("KMP_AFFINITY", "disabled"), testing::IsEmpty());
    EXPECT_THAT(with("KMP_AFFINITY", "compact"), testing::SizeIs(1));
    EXPECT_THAT(with("KMP_HW_SUBSET", "1t"), testing::IsEmpty());
    EXPECT_THAT(with("GOMP_CPU_AFFINITY", ""), testing::IsEmpty());
}

}  // namespace
}  // namespace pinwise
