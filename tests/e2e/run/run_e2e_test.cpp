// `pinwise run` through the command line, with fake workloads that do what workloads must not do.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/record/csv_reader.hpp"
#include "runner/record/trials_csv.hpp"
#include "tests/e2e/run/run_fixture.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using test::Ended;
using test::read_all;

class Run : public test::RunFixture {
protected:
    /// One trial of a workload that does `body`: it must be recorded as failed, and be the run's only loss.
    [[nodiscard]] std::string reason_of(const std::string& body,
                                        const std::string& head = "repetitions = 1\ntimeout_s = 60\n") const {
        fake_workload(body);
        config(head);
        fs::remove_all(folder_ / "results");
        const Ended ended = pinwise("run test.toml -o results");
        EXPECT_EQ(ended.status, 1) << ended.err;
        const auto recorded = rows();
        EXPECT_EQ(recorded.size(), 3U);
        EXPECT_THAT(recorded, Each(Field(&TrialRow::status, "failed")));
        EXPECT_THAT(ended.out, HasSubstr("(1 failed)"));
        return recorded.empty() ? "" : recorded[0].reason;
    }
};

TEST_F(Run, OfAGoodWorkloadWritesEverythingAndPrintsTheTable) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 4\nname = \"good\"\n",
           "[[matrix]]\npolicy = [\"os\", \"idlest\"]\nbind = [\"initial\", \"cpu\"]\n");
    const Ended ended = pinwise("run test.toml -o results --seed 9");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("machine: "), HasSubstr("OS default"), HasSubstr("Hmean Copy"),
                                 HasSubstr("(A/A"), HasSubstr("results: results\n")));
    EXPECT_THAT(ended.err, AllOf(HasSubstr("16 of 16 (trial "), Not(HasSubstr("\r"))));
    const auto recorded = rows();
    EXPECT_EQ(recorded.size(), 16U * 4) << "the control, the control again, and two strategies";
    EXPECT_THAT(recorded, Each(Field(&TrialRow::status, "ok")));
    for (const char* const file : {"machine.json", "topology.xml", "config.toml", "threads.csv"})
        EXPECT_TRUE(fs::exists(folder_ / "results" / file)) << file;
    EXPECT_THAT(read_all(folder_ / "results" / "config.toml"), HasSubstr("seed = 9"));
    const auto threads = parse_csv(read_all(folder_ / "results" / "threads.csv"), "threads.csv");
    ASSERT_TRUE(threads) << threads.error().message;
    EXPECT_GE(threads->records.size(), 16U);
}

TEST_F(Run, PlacedThreadsAreWhereTheyWereAskedToBe) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 2\n", "[[matrix]]\npolicy = \"idlest\"\nbind = \"cpu\"\n");
    ASSERT_EQ(pinwise("run test.toml -o results").status, 0);
    const auto threads = parse_csv(read_all(folder_ / "results" / "threads.csv"), "threads.csv");
    ASSERT_TRUE(threads);
    const auto cell = [&](const CsvRecord& record, std::string_view name) {
        return record.cells.at(threads->column(name).value());
    };
    ASSERT_FALSE(threads->records.empty());
    for (const CsvRecord& record : threads->records) {
        EXPECT_EQ(cell(record, "asked_cpu"), cell(record, "got_cpu"));
        EXPECT_EQ(cell(record, "asked_cpu"), cell(record, "first_cpu"));
        EXPECT_EQ(cell(record, "first_cpu_means"), "agent");
    }
}

TEST_F(Run, ACrashIsAFailedTrialWithItsSignal) {
    EXPECT_THAT(reason_of("echo \"$good\" > \"$json\"; kill -SEGV $$"), StartsWith("crashed(SIGSEGV)"));
    EXPECT_THAT(reason_of("kill -ABRT $$"), StartsWith("crashed(SIGABRT)"));
}

TEST_F(Run, AHangIsEndedAtItsTimeout) {
    EXPECT_THAT(reason_of("sleep 1000 & sleep 1000", "repetitions = 1\ntimeout_s = 0.3\n"),
                StartsWith("timeout(0.3 s)"));
}

TEST_F(Run, GarbageIsUnparsable) {
    EXPECT_THAT(reason_of("head -c 10000 /dev/urandom > \"$json\""), StartsWith("unparsable output: no JSON"));
    EXPECT_THAT(reason_of("yes garbage | head -c 5000000"),
                StartsWith("unparsable output: no JSON document was written"));
    EXPECT_THAT(reason_of("printf '{\"schema\":1,\"metr' > \"$json\""), StartsWith("unparsable output: no JSON"));
}

TEST_F(Run, AFailedVerificationIsNoNumberWhateverTheExitStatus) {
    const std::string body = "echo \"$good\" | sed 's/true/false/' > \"$json\"; exit ";
    EXPECT_THAT(reason_of(body + "0"), StartsWith("verification failed"));
    EXPECT_THAT(reason_of(body + "1"), StartsWith("verification failed"));
}

TEST_F(Run, ANanMetricIsNoNumber) {
    EXPECT_THAT(reason_of("echo \"$good\" | sed 's/1000.5/null/' > \"$json\""),
                StartsWith("unparsable output: metric \"Copy\": its value is no finite number"));
    EXPECT_THAT(reason_of("echo \"$good\" | sed 's/1000.5/NaN/' > \"$json\""),
                StartsWith("unparsable output: no JSON"));
}

TEST_F(Run, ANonZeroExitKeepsTheWorkloadsLastWords) {
    EXPECT_THAT(reason_of("echo \"$good\" > \"$json\"; echo 'not enough memory, sorry' >&2; exit 3"),
                StartsWith("exit 3: not enough memory, sorry"));
    EXPECT_EQ(read_all(folder_ / "results" / "output" / "0001.err"), "not enough memory, sorry\n");
}

TEST_F(Run, AGrandchildThatStaysIsEndedAndNoted) {
    fake_workload("echo \"$good\" > \"$json\"; setsid sleep 12345.25 & sleep 0.1");
    config();
    const Ended ended = pinwise("run test.toml -o results");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(rows().at(0).reason, HasSubstr("left behind"));
    EXPECT_NE(std::system("pgrep -f 'sleep 12345[.]25' >/dev/null"), 0);
}

TEST_F(Run, GoesOnAfterAFailureAndEndsWithOne) {
    fake_workload(
        "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; [ $n -eq 1 ] && exit 7; echo \"$good\" > "
        "\"$json\"");
    config("repetitions = 4\n");
    const Ended ended = pinwise("run test.toml -o results");
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.err, HasSubstr("1 of 4 trials failed"));
    std::set<int> good;
    std::set<int> bad;
    for (const TrialRow& row : rows())
        (row.status == "ok" ? good : bad).insert(row.trial);
    EXPECT_EQ(good.size(), 3U);
    EXPECT_EQ(bad.size(), 1U);
    EXPECT_THAT(ended.out, HasSubstr("failed: OS default, cpus all: exit 7"));
}

TEST_F(Run, ADryRunRunsNothing) {
    fake_workload("touch ran");
    config("repetitions = 3\ntimeout_s = 60\n", "[[matrix]]\npolicy = [\"os\", \"idlest\"]\n");
    const Ended ended = pinwise("run test.toml --dry-run --seed 4 -o results");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(
        ended.out,
        AllOf(HasSubstr("9 trials, seed 4, at most 0 h 09 min 00 s"),
              HasSubstr("pinwise-stream --threads 1 --size auto --llc-bytes "),
              HasSubstr("policy idlest, bind initial, memory first-touch, migration none, balance none, mask ")));
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
    EXPECT_FALSE(fs::exists(folder_ / "results"));
    EXPECT_EQ(pinwise("run test.toml --dry-run --seed 4").out, ended.out);
}

TEST_F(Run, AMistakeInTheConfigIsOneLineAndExitTwo) {
    config("repetition = 3\n");
    const Ended ended = pinwise("run test.toml");
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err,
              "pinwise: test.toml:1: unknown key \"repetition\" in the config; did you mean \"repetitions\"?\n");
    EXPECT_EQ(pinwise("run nothing.toml").status, 2);
    EXPECT_THAT(pinwise("run nothing.toml").err, HasSubstr("no config \"nothing.toml\""));
    EXPECT_THAT(pinwise("run zen3").err, HasSubstr("did you mean zen3-stream8?"));
    config();
    EXPECT_EQ(pinwise("run test.toml --repetitions 0").status, 2);
    EXPECT_EQ(pinwise("run test.toml --seed minus").status, 2);
}

TEST_F(Run, RefusesAFolderWithResultsInIt) {
    fake_workload("echo \"$good\" > \"$json\"");
    config();
    ASSERT_EQ(pinwise("run test.toml -o results").status, 0);
    const std::string before = read_all(folder_ / "results" / "trials.csv");
    const Ended again = pinwise("run test.toml -o results");
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("not empty"));
    EXPECT_EQ(read_all(folder_ / "results" / "trials.csv"), before);
}

TEST_F(Run, CtrlCEndsTheTrialAndKeepsWhatIsOnDisk) {
    fake_workload(
        "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; [ $n -eq 2 ] && { touch hanging; sleep "
        "12345.5; }; echo \"$good\" > \"$json\"");
    config("repetitions = 9\ntimeout_s = 600\n");
    const std::string line = command("run test.toml -o results");
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        _exit(127);
    }
    for (int i = 0; i < 3000 && !fs::exists(folder_ / "hanging"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(fs::exists(folder_ / "hanging"));
    ASSERT_EQ(kill(pid, SIGINT), 0);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_EQ(rows().size(), 2U * 4) << "two finished trials";
    EXPECT_THAT(read_all(folder_ / "err"), HasSubstr("interrupted after 2 of 9 trials"));
    EXPECT_NE(std::system("pgrep -f 'sleep 12345[.]5' >/dev/null"), 0);
}

TEST_F(Run, AFullDiskIsAClearErrorAndLosesNothingBefore) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 50\n");
    // A file size limit is what a full disk looks like; the session's shared memory falls under it as well, so trials
    // may fail, but what is recorded of them must stay. Blocks of 512 bytes in dash: room for the topology and a few
    // trials.
    const Ended ended = pinwise("run test.toml -o results", "ulimit -f 16; ");
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("cannot write results/"), HasSubstr("trials recorded before are in results")));
    const auto table = parse_trials_csv(read_all(folder_ / "results" / "trials.csv"), "trials.csv");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_FALSE(table->torn_line);
    EXPECT_GE(table->rows.size(), 6U);
    std::map<int, std::size_t> rows_of_trial;
    for (const TrialRow& row : table->rows)
        ++rows_of_trial[row.trial];
    for (const TrialRow& row : table->rows)
        EXPECT_EQ(rows_of_trial[row.trial], row.status == "ok" ? 4U : 3U) << "whole trials only";
}

TEST_F(Run, TheUsersOwnBindingDoesNotReachTheTrials) {
    fake_workload("env > environment; echo \"$good\" > \"$json\"");
    config();
    ASSERT_EQ(
        pinwise("run test.toml -o results", "export OMP_PROC_BIND=close GOMP_CPU_AFFINITY=0 OMP_WAIT_POLICY=passive; ")
            .status,
        0);
    EXPECT_THAT(read_all(folder_ / "environment"),
                AllOf(Not(HasSubstr("OMP_PROC_BIND")), Not(HasSubstr("GOMP_CPU_AFFINITY")),
                      HasSubstr("OMP_WAIT_POLICY=passive")));
    EXPECT_THAT(read_all(folder_ / "results" / "machine.json"),
                AllOf(HasSubstr("\"OMP_PROC_BIND\": \"close\""), HasSubstr("\"omp_wait_policy\": \"passive\"")));
}

TEST_F(Run, AMissingProgramIsKnownBeforeTheFirstTrial) {
    const fs::path copy = folder_ / "pinwise";
    fs::copy_file(fs::path(PINWISE_BIN_DIR) / "pinwise", copy);
    config();
    const int status =
        std::system(fmt::format("cd '{}' && ./pinwise run test.toml -o results >out 2>err", folder_.string()).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_THAT(read_all(folder_ / "err"), HasSubstr("program pinwise-stream of workload \"stream\" not found"));
    EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(Run, OfTheRealStreamHasAllFourKernels) {
    std::ofstream(folder_ / "test.toml") << "repetitions = 1\ntimeout_s = 100\n[[workload]]\nname = "
                                            "\"stream\"\nthreads = \"min(cpus, 2)\"\nsize = \"4 MiB\"\nntimes = 2\n"
                                            "[[matrix]]\npolicy = [\"os\", \"idlest\"]\n";
    const Ended ended = pinwise("run test.toml -o results");
    EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
    for (const char* const kernel : {"Copy", "Scale", "Add", "Triad"})
        EXPECT_THAT(ended.out, HasSubstr(std::string("Hmean ") + kernel));
    for (const TrialRow& row : rows())
        EXPECT_EQ(row.status, "ok") << row.reason;
}

/// Reported, not judged: what a trial costs beside its workload, inside its wall time and in all.
TEST_F(Run, ReportsTheOverheadOfATrial) {
    using Clock = std::chrono::steady_clock;
    constexpr int more = 40;
    fake_workload("echo \"$good\" > \"$json\"");
    const auto milliseconds_since = [](Clock::time_point start) {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    const auto run_ms = [&](int repetitions) {
        config(fmt::format("repetitions = {}\n", repetitions));
        fs::remove_all(folder_ / "results");
        const auto start = Clock::now();
        EXPECT_EQ(pinwise("run test.toml -q -o results").status, 0);
        return milliseconds_since(start);
    };
    const double one_ms = run_ms(1);
    const double many_ms = run_ms(1 + more);
    double wall_ms = 0;
    for (const TrialRow& row : rows())
        if (row.metric == "wall") wall_ms += 1000 * row.value.value_or(0) / (1 + more);
    const auto start = Clock::now();
    for (int i = 0; i < more; ++i)
        EXPECT_EQ(std::system(
                      fmt::format("exec '{0}/fakes/pinwise-stream' --json '{0}/alone.json'", folder_.string()).c_str()),
                  0);
    const double alone_ms = milliseconds_since(start) / more;
    const double trial_ms = (many_ms - one_ms) / more;
    RecordProperty("overhead_within_wall_ms", fmt::format("{:.2f}", wall_ms - alone_ms));
    RecordProperty("overhead_of_a_trial_ms", fmt::format("{:.2f}", trial_ms - alone_ms));
    fmt::print("workload alone {:.2f} ms; wall time of its trial {:.2f} ms; trial in all {:.2f} ms\n", alone_ms,
               wall_ms, trial_ms);
}

TEST_F(Run, RecordsWhatWasMigratedByWhomUnderTheKernelsNames) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 1\ntimeout_s = 60\n",
           "[[matrix]]\npolicy = \"os\"\nmigration = [\"none\", \"scan-unstaggered\", \"scan-staggered\"]\n");
    const Ended ended = pinwise("run test.toml -o results");
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::map<std::string, int> scanned;
    std::map<std::string, int> of_the_kernel;
    for (const TrialRow& row : rows()) {
        if (row.metric == "scanner_system_time") ++scanned[row.migration];
        if (row.metric == "vmstat_numa_pte_updates" || row.metric == "vmstat_pgmigrate_success")
            of_the_kernel[row.migration] = 1;
    }
    EXPECT_EQ(scanned, (std::map<std::string, int>{{"scan-staggered", 1}, {"scan-unstaggered", 1}}));
    // A kernel without migration has none of them, for any trial.
    EXPECT_TRUE(of_the_kernel.empty() || of_the_kernel.size() == 3U);
}

TEST_F(Run, ShowsInADryRunWhoMigrates) {
    fake_workload("exit 1");
    config("repetitions = 1\ntimeout_s = 60\n",
           "[[matrix]]\npolicy = \"os\"\nmigration = [\"none\", \"kernel\", \"scan-staggered\"]\n");
    const Ended ended = pinwise("run test.toml --dry-run");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("migration none"), HasSubstr("migration kernel"),
                                 HasSubstr("migration scan-staggered")));
    if (access("/proc/sys/kernel/numa_balancing", W_OK) != 0) {
        EXPECT_THAT(ended.out, HasSubstr("note: trials with migration kernel would fail here"));
    }
}

}  // namespace
}  // namespace pinwise
