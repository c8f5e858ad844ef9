#include <gmock/gmock.h>

#include "runner/output/output_formats.hpp"
#include "runner/output/output_pattern.hpp"
#include "runner/output/output_rules.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MetricRule elapsed(Take take = Take::only) {
    return {.name = "Elapsed", .pattern = R"(Elapsed:? +(\S+))", .unit = "s", .better = Better::lower, .take = take};
}

Result<std::vector<Metric>> read(const MetricRule& rule, std::string_view out, std::string_view err = "") {
    return read_metrics({.metrics = {rule}, .success_patterns = {}}, {.out = out, .err = err});
}

std::string problem(const MetricRule& rule, std::string_view out, std::string_view err = "") {
    const auto metrics = read(rule, out, err);
    EXPECT_FALSE(metrics) << metrics->front().value;
    return metrics ? "" : metrics.error().message;
}

TEST(OutputPattern, SearchesEveryLineByItself) {
    const auto pattern = OutputPattern::compile(R"(^t\s+([0-9]+)$)").value();
    EXPECT_THAT(pattern.captures("t 1\nt 2\r\nt\n3\nxt 4\nt 5"), ElementsAre("1", "2", "5"));
    EXPECT_THAT(pattern.captures("10%\rt 7\r100%\n"), ElementsAre("7")) << "a progress bar ends its lines with CR";
    EXPECT_THAT(pattern.captures(""), IsEmpty());
    EXPECT_TRUE(pattern.matches("no\nt 1\n"));
    EXPECT_FALSE(pattern.matches("no\nt\n"));
}

TEST(OutputPattern, FindsSeveralMatchesInOneLine) {
    EXPECT_THAT(OutputPattern::compile("([0-9]+)")->captures("1 22 333"), ElementsAre("1", "22", "333"));
    EXPECT_THAT(OutputPattern::compile("(x*)")->captures("ab"), ElementsAre("", "", "")) << "it ends";
}

TEST(OutputPattern, KnowsPerlsShorthandsAndLazyRepetition) {
    EXPECT_THAT(OutputPattern::compile(R"(rate.*?(\d+))")->captures("rate of 12 in 34"), ElementsAre("12"));
    EXPECT_THAT(OutputPattern::compile(R"((?i)RATE (?:is|was) (\d+))")->captures("Rate was 5"), ElementsAre("5"));
    EXPECT_EQ(OutputPattern::compile("(?:a)(b)(c)")->groups(), 2);
}

TEST(OutputPattern, OfABadExpressionSaysWhatIsWrong) {
    for (const char* pattern : {"(", "a)", "[z-a]", "*a", R"(\1)", "(?=a)", "a{1001}", "\\"}) {
        const auto compiled = OutputPattern::compile(pattern);
        ASSERT_FALSE(compiled) << pattern;
        EXPECT_EQ(compiled.error().kind, ErrorKind::usage);
        EXPECT_THAT(compiled.error().message, HasSubstr("is no regular expression"));
    }
}

TEST(OutputPattern, TakesAnyBytesAndAnyLength) {
    const std::string output("\xff\xfe\0t 3", 6);
    EXPECT_THAT(OutputPattern::compile(R"(t (\d))")->captures(output), ElementsAre("3"));
    const std::string long_line(1 << 20, 'a');
    EXPECT_FALSE(OutputPattern::compile("(a+)+b")->matches(long_line)) << "in linear time";
}

TEST(ReadMetrics, TakesTheNumberFromEitherOutput) {
    EXPECT_EQ(read(elapsed(), "x\nElapsed: 12.5\n")->front().value, 12.5);
    EXPECT_EQ(read(elapsed(), "noise", "Elapsed 1e-3")->front().value, 0.001);
    const Metric metric = read(elapsed(), "Elapsed -4")->front();
    EXPECT_EQ(metric.value, -4);
    EXPECT_EQ(metric.name, "Elapsed");
    EXPECT_EQ(metric.unit, "s");
    EXPECT_EQ(metric.better, Better::lower);
}

TEST(ReadMetrics, WithoutAMatchSaysSo) {
    EXPECT_THAT(problem(elapsed(), ""), HasSubstr("metric \"Elapsed\": no line matches"));
    EXPECT_THAT(problem(elapsed(), "elapsed 5\n"), HasSubstr("no line matches"));
}

TEST(ReadMetrics, TwoMatchesAreNoNumberUnlessTheRuleSaysWhich) {
    EXPECT_THAT(problem(elapsed(), "Elapsed 1\nElapsed 2\n"), HasSubstr("2 matches"));
    EXPECT_THAT(problem(elapsed(), "Elapsed 1", "Elapsed 1"), HasSubstr("2 matches")) << "equal ones too";
    EXPECT_EQ(read(elapsed(Take::first), "Elapsed 1\nElapsed 2\n")->front().value, 1);
    EXPECT_EQ(read(elapsed(Take::last), "Elapsed 1\nElapsed 2\n")->front().value, 2);
}

TEST(ReadMetrics, WhatIsNoFiniteNumberIsNone) {
    for (const char* text : {"fast", "nan", "inf", "-inf", "1,5", "1.5s", "0x10", "****", "1e999", "+3", "1.5.2"})
        EXPECT_THAT(problem(elapsed(), std::string("Elapsed ") + text), HasSubstr("is no number")) << text;
    MetricRule may_be_empty = elapsed();
    may_be_empty.pattern = "Elapsed(.*)";
    EXPECT_THAT(problem(may_be_empty, "Elapsed"), HasSubstr("\"\" is no number"));
}

TEST(ReadMetrics, NeedEverySuccessPattern) {
    const OutputRules rules{.metrics = {elapsed()}, .success_patterns = {"^all fine$"}};
    EXPECT_TRUE(read_metrics(rules, {.out = "Elapsed 1", .err = "all fine\n"}));
    const auto failed = read_metrics(rules, {.out = "Elapsed 1\nnot all fine\n", .err = ""});
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr("no success"));
}

// ---- formats: what these programs print, in the parts that count ----

constexpr std::string_view stream_output = R"(STREAM version $Revision: 5.10 $
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           58167.4     0.028278     0.027507     0.034045
Scale:          57820.1     0.028069     0.027672     0.030978
Add:            66598.3     0.036076     0.036037     0.036130
Triad:          66869.0     0.036157     0.035891     0.038008
Solution Validates: avg error less than 1.000000e-13 on all three arrays
)";

constexpr std::string_view npb_output = R"( NAS Parallel Benchmarks (NPB3.4-OMP) - CG Benchmark
 CG Benchmark Completed.
 Class           =                        A
 Iterations      =                       15
 Time in seconds =                     0.41
 Total threads   =                        2
 Mop/s total     =                  3673.12
 Mop/s/thread    =                  1836.56
 Verification    =               SUCCESSFUL
)";

constexpr std::string_view kernbench_output = R"(Average Optimal load -j 128 Run (std deviation):
Elapsed Time 29.302 (0.141)
User Time 285.136 (0.392)
System Time 82.106 (0.318)
Percent CPU 1253 (5.6)
Context Switches 21345 (120.1)
Sleeps 45678 (98.0)
)";

constexpr std::string_view specjbb_output = "Calculating results\nthroughput =     177460.44 SPECjbb2005 bops\n";

constexpr std::string_view perf_output = R"(# Running 'numa/mem' benchmark:

 # Running main, "perf bench numa mem -p 1 -t 1 -P 64 -l 5"
           0.131 secs slowest (max) thread-runtime
           0.130 secs fastest (min) thread-runtime
           0.131 secs average thread-runtime
           0.000 % difference between max/avg runtime
           0.336 GB data processed, per thread
           0.336 GB data processed, total
           0.390 nsecs/byte/thread runtime
           2.561 GB/sec/thread speed
           2.562 GB/sec total speed
)";

std::vector<double> values(std::string_view format, std::string_view out) {
    const OutputRules* const rules = find_output_format(format);
    EXPECT_NE(rules, nullptr);
    const auto metrics = read_metrics(*rules, {.out = out, .err = ""});
    EXPECT_TRUE(metrics) << metrics.error().message;
    std::vector<double> numbers;
    for (const Metric& metric : metrics.value_or(std::vector<Metric>{}))
        numbers.push_back(metric.value);
    return numbers;
}

bool understands(std::string_view format, std::string output, const std::string& from, const std::string& to) {
    output.replace(output.find(from), from.size(), to);
    return read_metrics(*find_output_format(format), {.out = output, .err = ""}).has_value();
}

TEST(OutputFormats, UnderstandTheProgramsTheyAreNamedFor) {
    EXPECT_THAT(values("stream", stream_output), ElementsAre(58167.4, 57820.1, 66598.3, 66869.0));
    EXPECT_THAT(values("npb", npb_output), ElementsAre(3673.12, 0.41));
    EXPECT_THAT(values("kernbench", kernbench_output), ElementsAre(29.302, 285.136, 82.106, 1253));
    EXPECT_THAT(values("specjbb2005", specjbb_output), ElementsAre(177460.44));
    EXPECT_THAT(values("perf-bench-numa", perf_output), ElementsAre(2.562, 2.561, 0.131, 0.131));
}

TEST(OutputFormats, TakeNoNumberOfARunThatFailedItsOwnCheck) {
    EXPECT_FALSE(
        understands("stream", std::string(stream_output), "Solution Validates", "Failed Validation on array a[]"));
    EXPECT_FALSE(understands("npb", std::string(npb_output), "  SUCCESSFUL", "UNSUCCESSFUL"));
    EXPECT_FALSE(understands("npb", std::string(npb_output), "3673.12", "nan"));
    EXPECT_FALSE(understands("stream", std::string(stream_output), "66869.0", "********"));
    EXPECT_FALSE(understands("kernbench", std::string(kernbench_output), "Sleeps", "Elapsed Time 5\nSleeps"))
        << "two loads in one run";
}

TEST(OutputFormats, AreAllListedAndCompile) {
    for (const std::string_view name : output_format_names()) {
        const OutputRules* const rules = find_output_format(name);
        ASSERT_NE(rules, nullptr) << name;
        for (const MetricRule& rule : rules->metrics) {
            const auto pattern = OutputPattern::compile(rule.pattern);
            ASSERT_TRUE(pattern) << pattern.error().message;
            EXPECT_EQ(pattern->groups(), 1) << rule.pattern;
        }
        for (const std::string& pattern : rules->success_patterns)
            EXPECT_TRUE(OutputPattern::compile(pattern)) << pattern;
    }
    EXPECT_EQ(find_output_format("nothing"), nullptr);
}

}  // namespace
}  // namespace pinwise
