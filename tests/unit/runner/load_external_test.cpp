#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using test::config_error;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string matrix = "[[matrix]]\npolicy = \"os\"\n";

std::string external(const std::string& keys) {
    return "[[workload]]\nname = \"external\"\nlabel = \"x\"\n" + keys + "\n" + matrix;
}

std::string metric(const std::string& keys) {
    return external("command = \"true\"\n[[workload.metric]]\n" + keys);
}

TEST(ExternalWorkload, ReadsEveryKey) {
    const Experiment read = test::experiment(R"(
[[workload]]
name = "external"
label = "solver-1.2"
threads = [2, "cores"]
command = ["./solver", "--fast", ""]
setup = "make solver"
prepare = ["sync"]
cleanup = "rm -f core"
environment = { MODE = "a b", LEVEL = 3 }
working_directory = "src"
exit_status = 4
success_pattern = "^converged"
format = "stream"
[[workload.metric]]
name = "Elapsed"
pattern = 'took ([0-9.]+) s'
unit = "s"
better = "lower"
take = "last"
)" + matrix);
    ASSERT_EQ(read.workloads.size(), 1U);
    EXPECT_EQ(read.workloads[0].threads.size(), 2U);
    const ExternalWorkload& solver = read.workloads[0].external.value();
    EXPECT_EQ(solver.label, "solver-1.2");
    EXPECT_THAT(solver.command, ElementsAre("src/./solver", "--fast", ""));
    EXPECT_THAT(solver.setup, ElementsAre("/bin/sh", "-c", "make solver"));
    EXPECT_THAT(solver.prepare, ElementsAre("sync"));
    EXPECT_THAT(solver.cleanup, ElementsAre("/bin/sh", "-c", "rm -f core"));
    EXPECT_THAT(solver.environment, testing::UnorderedElementsAre("MODE=a b", "LEVEL=3"));
    EXPECT_EQ(solver.working_directory, "src");
    EXPECT_EQ(solver.exit_status, 4);
    EXPECT_EQ(solver.output.success_patterns.size(), 2U);
    ASSERT_EQ(solver.output.metrics.size(), 5U) << "those of the format and one more";
    EXPECT_EQ(solver.output.metrics.back().take, Take::last);
    EXPECT_EQ(solver.output.metrics.back().better, Better::lower);
}

TEST(ExternalWorkload, NeedsOnlyALabelAndACommand) {
    const Experiment read = test::experiment(external("command = \"true\""));
    const ExternalWorkload& workload = read.workloads[0].external.value();
    EXPECT_THAT(workload.setup, IsEmpty());
    EXPECT_THAT(workload.output.metrics, IsEmpty());
    EXPECT_EQ(workload.exit_status, 0);
    EXPECT_EQ(read.workloads[0].threads[0].text, "llcs");
}

TEST(ExternalWorkload, IsNamedByItsLabelInEveryTrial) {
    const auto trials = test::trials(external("command = \"true\"\nthreads = [2, 4]"), test::load(test::zen3_nps1));
    ASSERT_EQ(trials.size(), 10U);
    EXPECT_EQ(trials[0].workload, "external");
    EXPECT_THAT(trials[0].parameters, ElementsAre(std::pair<std::string, std::string>("label", "x")));
    EXPECT_EQ(trials[0].external->label, "x");
}

TEST(ExternalWorkload, WhatIsMissingIsNamedWithItsLine) {
    EXPECT_THAT(config_error("[[workload]]\nname = \"external\"\ncommand = \"true\"\n" + matrix),
                AllOf(StartsWith("test.toml:1: "), HasSubstr("has no label")));
    EXPECT_THAT(config_error(external("")), HasSubstr("has no command"));
    EXPECT_THAT(config_error(external("command = \"\"")), HasSubstr("command is empty"));
    EXPECT_THAT(config_error(external("command = \" \\t\"")), HasSubstr("command is empty"));
    EXPECT_THAT(config_error(external("command = []")), HasSubstr("command is empty"));
    EXPECT_THAT(config_error(external("command = [\"a\", 3]")), HasSubstr("command must be a string"));
    EXPECT_THAT(config_error(external("command = \"true\"\ncomand = \"x\"")), HasSubstr("did you mean \"command\"?"));
    EXPECT_THAT(config_error(external("command = \"true\"\nformat = \"streams\"")),
                HasSubstr("did you mean \"stream\"?"));
    EXPECT_THAT(config_error(external("command = \"true\"\nexit_status = 256")), HasSubstr("between 0 and 255"));
    EXPECT_THAT(config_error(external("command = \"true\"\nenvironment = \"A=1\"")), HasSubstr("a table of names"));
    EXPECT_THAT(config_error(external("command = \"true\"\nenvironment = { \"A=B\" = 1 }")),
                HasSubstr("no name of a variable"));
    EXPECT_THAT(config_error(external("command = \"true\"\nsuccess_pattern = \"(\"")),
                AllOf(StartsWith("test.toml:5: "), HasSubstr("is no regular expression")));
    EXPECT_THAT(config_error("[[workload]]\nname = \"external\"\nlabel = \"a b\"\ncommand = \"true\"\n" + matrix),
                HasSubstr("label \"a b\" must be"));
    EXPECT_THAT(config_error("[[workload]]\nname = \"externl\"\n" + matrix), HasSubstr("did you mean \"external\"?"));
}

TEST(ExternalWorkload, AMetricThatCannotWorkIsAMistakeOfTheConfig) {
    const std::string good = "name = \"E\"\npattern = '(a)'\nunit = \"s\"\nbetter = \"lower\"\n";
    test::experiment(metric(good));
    const auto without = [&](const std::string& line) {
        std::string keys = good;
        const auto at = keys.find(line);
        keys.erase(at, keys.find('\n', at) + 1 - at);
        return config_error(metric(keys));
    };
    EXPECT_THAT(without("name"), HasSubstr("this metric has no name"));
    EXPECT_THAT(without("pattern"), HasSubstr("metric \"E\" has no pattern"));
    EXPECT_THAT(without("unit"), HasSubstr("metric \"E\" has no unit"));
    EXPECT_THAT(without("better"), HasSubstr("does not say what is better"));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string keys = good;
        keys.replace(keys.find(from), from.size(), to);
        return config_error(metric(keys));
    };
    EXPECT_THAT(with("'(a)'", "'a'"), AllOf(StartsWith("test.toml:7: "), HasSubstr("has 0 groups")));
    EXPECT_THAT(with("'(a)'", "'(a)(b)'"), HasSubstr("has 2 groups"));
    EXPECT_THAT(with("'(a)'", "'(a'"), HasSubstr("is no regular expression"));
    EXPECT_THAT(with("\"lower\"", "\"less\""), HasSubstr("unknown better \"less\""));
    EXPECT_THAT(with("\"E\"", "\"wall\""), HasSubstr("there is a metric \"wall\" already"));
    EXPECT_THAT(config_error(metric(good + "[[workload.metric]]\n" + good)),
                HasSubstr("there is a metric \"E\" already"));
    EXPECT_THAT(config_error(metric(good + "take = \"all\"")), HasSubstr("unknown take \"all\""));
    EXPECT_THAT(config_error(metric(good + "group = 1")), HasSubstr("unknown key \"group\""));
}

TEST(ExternalWorkload, TwoOfOneLabelAreAMistake) {
    const std::string one = "[[workload]]\nname = \"external\"\nlabel = \"a\"\ncommand = \"true\"\n";
    EXPECT_THAT(config_error(one + one + matrix), HasSubstr("label \"a\" already"));
    const std::string in_one_line = "{ name = \"external\", label = \"a\", command = \"true\" }";
    EXPECT_THAT(config_error("workload = [" + in_one_line + ", " + in_one_line + "]\n" + matrix),
                HasSubstr("label \"a\" already"));
}

TEST(ExternalWorkload, AVariableWithSeveralValuesIsSeveralCases) {
    const auto trials = test::trials(
        "repetitions = 1\nnoise_floor = false\n" + external("command = \"true\"\nthreads = [1, 2]\n"
                                                            "environment = { SIZE = [\"1 G\", \"2 G\"], MODE = 3 }"),
        test::load(test::zen3_nps1));
    ASSERT_EQ(trials.size(), 4U);
    EXPECT_THAT(trials[1].parameters, ElementsAre(std::pair<std::string, std::string>("label", "x"),
                                                  std::pair<std::string, std::string>("SIZE", "2 G")));
    EXPECT_THAT(trials[1].external->environment, ElementsAre("MODE=3"));
    EXPECT_THAT(trials[1].external->case_environment, ElementsAre("SIZE=2 G"));
}

TEST(ExternalWorkload, TakesAZipAsEveryOtherWorkload) {
    const std::string lists = "command = \"true\"\nthreads = [1, 2]\nenvironment = { SIZE = [\"1G\", \"2G\"] }\n";
    const auto trials =
        test::trials("repetitions = 1\nnoise_floor = false\n" + external(lists + "zip = [\"threads\", \"SIZE\"]"),
                     test::load(test::zen3_nps1));
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_EQ(trials[0].threads, 1);
    EXPECT_THAT(trials[0].external->case_environment, ElementsAre("SIZE=1G"));
    EXPECT_EQ(trials[1].threads, 2);
    EXPECT_THAT(trials[1].external->case_environment, ElementsAre("SIZE=2G"));
    EXPECT_THAT(config_error(external(lists + "zip = [\"threads\", \"size\"]")), HasSubstr("did you mean \"SIZE\"?"));
    EXPECT_THAT(config_error(external("command = \"true\"\nenvironment = { A = [1, 2] }\nzip = [\"threads\", \"A\"]")),
                HasSubstr("lists of equal length"));
    EXPECT_THAT(config_error(external("command = \"true\"\nenvironment = { threads = [1, 2] }")),
                HasSubstr("cannot be called \"threads\""));
    EXPECT_THAT(config_error(external("command = \"true\"\nenvironment = { A = [] }")), HasSubstr("empty list"));
}

TEST(ExternalWorkload, EveryShippedConfigIsRead) {
    for (const auto& entry : std::filesystem::directory_iterator(PINWISE_SOURCE_DIR "/configs"))
        test::experiment(test::shipped_config(entry.path().filename().string()));
}

}  // namespace
}  // namespace pinwise
