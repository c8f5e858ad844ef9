// A finished run as a report: a wrong result has no time and no rate, in text and document alike.

#include "workloads/npb/common/kernel_report.hpp"

#include <gmock/gmock.h>

#include "workloads/npb/common/command_line.hpp"

namespace pinwise::npb {
namespace {

using testing::HasSubstr;
using testing::Not;

const Kernel xx{"xx",   "a kernel", "floating point", all_classes, [](ProblemClass, int) { return std::uint64_t{0}; },
                nullptr};

workloads::ThreadTeam two_threads() {
    workloads::ThreadTeam team;
    team.threads.resize(2);
    team.allowed_cpus = {0, 1};
    return team;
}

KernelRun run_with(double computed) {
    KernelRun run;
    run.size = "14000";
    run.iterations = 15;
    run.time_s = 0.5;
    run.operations = 1e9;
    run.iteration_times = {{"step", {0.25, 0.25}}};
    run.checks = {relative_check("zeta", computed, 17, 1e-10)};
    run.parameters = {{"own", 42}};
    return run;
}

TEST(KernelReport, has_rate_and_time_of_a_verified_run) {
    const auto team = two_threads();
    const KernelRun run = run_with(17);
    const RunParameters parameters{ProblemClass::a, workloads::Touch::master, workloads::ThpAdvice::off};
    const auto report = make_report(xx, parameters, team, run);
    const auto json = to_json(report);
    EXPECT_EQ(json["workload"], "npb-xx");
    EXPECT_EQ(json["metrics"][0]["name"], "Mop/s");
    EXPECT_DOUBLE_EQ(json["metrics"][0]["value"].get<double>(), 2000);
    EXPECT_EQ(json["metrics"][1]["name"], "Time");
    EXPECT_EQ(json["metrics"][1]["better"], "lower");
    EXPECT_EQ(json["parameters"]["class"], "A");
    EXPECT_EQ(json["parameters"]["touch"], "master");
    EXPECT_EQ(json["parameters"]["thp"], "off");
    EXPECT_EQ(json["parameters"]["own"], 42);
    EXPECT_EQ(json["iterations"][0]["times_s"].size(), 2U);
    const std::string text = result_text(xx, parameters, team, run, report);
    for (const char* line :
         {"\n XX Benchmark Completed.\n", "\n Class           =                        A\n",
          "\n Time in seconds =                   0.5000\n", "\n Total threads   =                        2\n",
          "\n Mop/s total     =                  2000.00\n", "\n Mop/s/thread    =                  1000.00\n",
          "\n Operation type  =           floating point\n", "\n Verification    =               SUCCESSFUL\n"})
        EXPECT_THAT(text, HasSubstr(line));
}

TEST(KernelReport, has_neither_where_the_verification_failed) {
    const auto team = two_threads();
    const KernelRun run = run_with(17.001);
    const auto report = make_report(xx, {}, team, run);
    EXPECT_TRUE(to_json(report)["metrics"].empty());
    EXPECT_EQ(to_json(report)["verification"]["passed"], false);
    const std::string text = result_text(xx, {}, team, run, report);
    EXPECT_THAT(text, HasSubstr(" Verification    =             UNSUCCESSFUL\n"));
    EXPECT_THAT(text, HasSubstr("zeta is 17.001"));
    EXPECT_THAT(text, Not(HasSubstr("Time in seconds")));
    EXPECT_THAT(text, Not(HasSubstr("Mop/s total")));
}

TEST(KernelReport, notes_threads_that_share_CPUs) {
    auto team = two_threads();
    team.allowed_cpus = {3};
    const auto report = make_report(xx, {}, team, run_with(17));
    EXPECT_THAT(report.notes, testing::ElementsAre("2 threads share 1 allowed CPU"));
}

TEST(NpbCommandLine, has_defaults_and_reads_every_option) {
    const std::array<const char*, 1> bare{"npb-xx"};
    const auto defaults = parse_command_line(xx, 1, bare.data());
    ASSERT_TRUE(defaults);
    EXPECT_EQ(defaults->options.run.problem_class, ProblemClass::a);
    EXPECT_EQ(defaults->options.run.touch, workloads::Touch::parallel);
    EXPECT_EQ(defaults->options.run.thp, workloads::ThpAdvice::on);
    const std::array<const char*, 11> all{"npb-xx", "--class", "w",       "--threads", "4096", "--touch",
                                          "master", "--thp",   "default", "--json",    "-"};
    const auto given = parse_command_line(xx, static_cast<int>(all.size()), all.data());
    ASSERT_TRUE(given);
    EXPECT_EQ(given->options.run.problem_class, ProblemClass::w);
    EXPECT_EQ(given->options.threads, 4096);
    EXPECT_EQ(given->options.run.touch, workloads::Touch::master);
    EXPECT_EQ(given->options.run.thp, workloads::ThpAdvice::system_default);
    EXPECT_EQ(given->options.json, "-");
}

}  // namespace
}  // namespace pinwise::npb
