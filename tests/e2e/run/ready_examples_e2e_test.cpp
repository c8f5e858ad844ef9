// The ready experiments of configs/ with programs that are not ours: each with a fake that prints what the real one
// does.

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/e2e/run/run_fixture.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

constexpr const char* stream_output = R"(-------------------------------------------------------------
STREAM version $Revision: 5.10 $
-------------------------------------------------------------
Number of Threads counted = 2
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           92119.2     0.001744     0.001737     0.001779
Scale:          94227.6     0.001716     0.001698     0.001733
Add:           130443.6     0.001871     0.001840     0.001923
Triad:         133629.8     0.001822     0.001796     0.001883
-------------------------------------------------------------
Solution Validates: avg error less than 1.000000e-13 on all three arrays
)";

constexpr const char* npb_output = R"(
 NAS Parallel Benchmarks (NPB3.4-OMP) - CG Benchmark

 CG Benchmark Completed.
 Class           =                        C
 Size            =                   150000
 Iterations      =                       75
 Time in seconds =                    12.34
 Total threads   =                        2
 Avail threads   =                        2
 Mop/s total     =                 11614.01
 Mop/s/thread    =                  5807.01
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
 Version         =                      3.4
)";

constexpr const char* specjbb_output = R"(Calculating results

Minimum throughput ratio is 0.99
throughput =     177460.44 SPECjbb2005 bops
)";

constexpr const char* perf_output = R"(# Running 'numa/mem' benchmark:

 # Running main, "perf bench numa mem -p 1 -t 1 -T 64 -l 20"
 ###

 main,                                    5.004, secs,           runtime-max/thread
 main,                                    4.998, secs,           runtime-min/thread
 main,                                    5.001, secs,           runtime-avg/thread
 main,                                    0.060, %,              spread-runtime/thread
 main,                                   42.950, GB,             data/thread
 main,                                   85.899, GB,             data-total
 main,                                    0.117, nsecs,          runtime/byte/thread
 main,                                    8.583, GB/sec,         thread-speed
 main,                                   17.166, GB/sec,         total-speed
)";

class ReadyExamples : public test::RunFixture {
protected:
    /// A program in the folder `fakes`, which is first in PATH, that prints a text.
    void fake(const std::string& name, const std::string& output) const {
        const fs::path program = folder_ / "fakes" / name;
        std::ofstream(program) << "#!/bin/sh\ncat <<'TEXT'\n" << output << "TEXT\n";
        fs::permissions(program, fs::perms::owner_all);
    }

    /// Values of every metric but the times that each trial has.
    [[nodiscard]] std::map<std::string, std::set<double>> numbers_of(const std::string& config,
                                                                     const std::string& variables) const {
        const auto ended = pinwise(
            fmt::format("run '{}/configs/{}.toml' --repetitions 1 --set noise_floor=false --set oversubscribe=true "
                        "-o results",
                        PINWISE_SOURCE_DIR, config),
            fmt::format("export PATH='{}/fakes':\"$PATH\" {}; ", folder_.string(), variables));
        EXPECT_EQ(ended.status, 0) << ended.err;
        std::map<std::string, std::set<double>> numbers;
        for (const TrialRow& row : rows()) {
            EXPECT_EQ(row.status, "ok") << row.reason;
            if (row.value && row.metric != "wall" && row.metric != "user" && row.metric != "sys")
                numbers[row.metric].insert(*row.value);
        }
        return numbers;
    }
};

using Numbers = std::map<std::string, std::set<double>>;

TEST_F(ReadyExamples, TheOriginalStream) {
    fake("stream_c", stream_output);
    EXPECT_EQ(numbers_of("stream-original", ""),
              (Numbers{{"Copy", {92119.2}}, {"Scale", {94227.6}}, {"Add", {130443.6}}, {"Triad", {133629.8}}}));
}

TEST_F(ReadyExamples, TheOriginalNpb) {
    fake("cg.C.x", npb_output);
    fake("mg.C.x", npb_output);
    EXPECT_EQ(numbers_of("npb-original", "NPB=fakes"), (Numbers{{"Mop/s", {11614.01}}, {"Time", {12.34}}}));
}

TEST_F(ReadyExamples, SpecJbb2005) {
    fake("java", specjbb_output);
    EXPECT_EQ(numbers_of("specjbb2005", "SPECJBB=fakes"), (Numbers{{"Throughput", {177460.44}}}));
}

TEST_F(ReadyExamples, PerfBenchNuma) {
    fake("perf", perf_output);
    EXPECT_EQ(numbers_of("perf-bench-numa", ""), (Numbers{{"Total speed", {17.166}},
                                                          {"Thread speed", {8.583}},
                                                          {"Slowest thread", {5.004}},
                                                          {"Average thread", {5.001}}}));
}

TEST_F(ReadyExamples, AKernelBuild) {
    fs::create_directory(folder_ / "objects");
    fake("make", "");
    const Numbers numbers = numbers_of("kernbench", "LINUX=/source OBJECTS=objects");
    std::set<std::string> names;
    for (const auto& [name, values] : numbers)
        names.insert(name);
    EXPECT_EQ(names, (std::set<std::string>{"CPU", "Elapsed", "System", "User"}));
    EXPECT_FALSE(fs::exists(folder_ / "objects")) << "cleaned up";
}

TEST_F(ReadyExamples, WhatIsMissingIsTheReason) {
    const auto ended = pinwise(fmt::format("run '{}/configs/npb-original.toml' --repetitions 1 --set noise_floor=false "
                                           "--set oversubscribe=true -o results",
                                           PINWISE_SOURCE_DIR),
                               "unset NPB; ");
    EXPECT_EQ(ended.status, 1);
    for (const TrialRow& row : rows())
        EXPECT_THAT(row.reason, testing::HasSubstr("set NPB to the folder of the programs"));
}

}  // namespace
}  // namespace pinwise
