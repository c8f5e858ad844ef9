// `pinwise compare` as it is typed.

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/run_pinwise.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string published = PINWISE_SOURCE_DIR "/results/published";

std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

Ran compare(const std::string& arguments) {
    return run_shell("exec @/pinwise compare " + arguments);
}

class Compare : public testing::Test {
protected:
    Compare() {
        std::string pattern = testing::TempDir() + "/pinwise-compare-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~Compare() override { fs::remove_all(folder_); }

    /// The path of a new file; in quotes for the shell.
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return fmt::format("'{}'", (folder_ / name).string());
    }

    /// Several runs of STREAM in one file.
    [[nodiscard]] std::string stream_runs(const std::string& name, const std::vector<double>& triads) const {
        std::string text;
        for (const double triad : triads)
            text += fmt::format("Function    Best Rate MB/s\nCopy: 100.0 0 0 0\nTriad: {} 0 0 0\n", triad);
        return file(name, text);
    }

    fs::path folder_;
};

TEST_F(Compare, TextsOfATableDoNothingToATerminal) {
    std::string table = read_file(published + "/2022-stream8-zen3/trials.csv");
    for (std::size_t at = 0; (at = table.find("stream,", at)) != std::string::npos; at += 20)
        table.replace(at, 7, "\"st\x1b[31mre\nam\",");
    const Ran ran = compare(file("trials.csv", table));
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("st\\x1b[31mre\\nam, 8 threads"), Not(HasSubstr("\x1b"))));
    const std::string foreign = file("values.tsv", "op\x1b[2J\t1\nop\x1b[2J\t2\n");
    const Ran imported = compare(foreign + " --better higher");
    EXPECT_EQ(imported.exit_code(), 0) << imported.out;
    EXPECT_THAT(imported.out, AllOf(HasSubstr("op\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(Compare, CountsAValueOnceThoughItsRowIsThereTwice) {
    const std::string once = read_file(published + "/2022-stream8-zen3/trials.csv");
    const std::string twice = once + once.substr(once.find('\n') + 1);
    const Ran ran = compare(file("trials.csv", twice));
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("in the input although the trial has one of that metric already"));
    const Ran right = compare(file("once.csv", once));
    EXPECT_THAT(right.out, Not(HasSubstr("in the input although")));
    EXPECT_EQ(ran.out.substr(ran.out.find("n (trials)"), 100), right.out.substr(right.out.find("n (trials)"), 100));
}

TEST_F(Compare, ReproducesThePublishedTables) {
    const Ran cut = compare(published + "/2022-stream8-zen3 --style pct");
    EXPECT_EQ(cut.exit_code(), 0) << cut.out;
    EXPECT_THAT(cut.out, HasSubstr("\nCopy: 97699.28 (0.00 pct) 95933.60 (-1.80 pct) 156578.91 (60.26 pct)"));
    const Ran rounded = compare(published + "/2022-stream8-zen3");
    EXPECT_THAT(rounded.out, AllOf(HasSubstr("(  60.27%)?"), HasSubstr("tip + pinning"), Not(HasSubstr("\x1b["))));
    const Ran plain = compare(published + "/2018-npb-stagger --style plain");
    EXPECT_THAT(plain.out,
                AllOf(HasSubstr("\nTime sp.D     1020.03 (   0.00%)      903.77 (  11.40%)\n"), HasSubstr("vanilla")));
}

TEST_F(Compare, TakesAFolderOfFoldersAndFilters) {
    const Ran all = compare(published);
    EXPECT_EQ(all.exit_code(), 0) << all.out;
    EXPECT_THAT(all.out, AllOf(HasSubstr("kernbench"), HasSubstr("stream, 16 threads"), HasSubstr("npb-ua")));
    const Ran some = compare(published + " --workload 'npb-[cb]*' --metric Time --baseline stagger");
    EXPECT_THAT(some.out,
                AllOf(HasSubstr("npb-cg"), HasSubstr("npb-bt"), Not(HasSubstr("npb-ua")), HasSubstr("4.95%")));
}

TEST_F(Compare, HasAColumnPerFileOfOtherPrograms) {
    const std::string before = stream_runs("before.txt", {100, 101, 102, 103, 104});
    const std::string after = stream_runs("after.txt", {110, 111, 112, 113, 114});
    const Ran ran = compare("old=" + before + " " + after);
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, AllOf(HasSubstr(" old "), HasSubstr(" after\n"), HasSubstr("(   9.81%)"),
                               HasSubstr("not run in turns with the baseline: column 2")));
    const Ran turned = compare(before + " " + after + " --baseline after --metric Triad");
    EXPECT_THAT(turned.out, AllOf(HasSubstr("(  -8.93%)"), Not(HasSubstr("Copy"))));
}

TEST_F(Compare, ExitsWithThreeWhenWorseThanPermitted) {
    const std::string before = stream_runs("before.txt", {100, 101, 102, 103, 104});
    const std::string worse = stream_runs("worse.txt", {90, 91, 92, 93, 94});
    const std::string noisy = stream_runs("noisy.txt", {90, 120, 80, 103, 101});
    const Ran failed = compare(before + " " + worse + " --fail-if-worse 5");
    EXPECT_EQ(failed.exit_code(), 3);
    EXPECT_THAT(failed.out, HasSubstr("pinwise: worse than 5 %: stream, Triad, worse: -9.81 %"));
    EXPECT_EQ(compare(before + " " + worse + " --fail-if-worse 10").exit_code(), 0);
    EXPECT_EQ(compare(before + " " + noisy + " --fail-if-worse 1").exit_code(), 0) << "not told from noise";
    EXPECT_EQ(compare(worse + " " + before + " --fail-if-worse 0").exit_code(), 0) << "better";
    const std::string lost = file("lost.txt", "Function\nCopy: 1.0\nTriad: 1.0\nFailed Validation on array a[]\n");
    for (const std::string_view nonsense : {"nan", "inf", "-1", "x", "''"}) {
        const Ran refused = compare(fmt::format("{} {} --fail-if-worse {}", before, worse, nonsense));
        EXPECT_EQ(refused.exit_code(), 2) << nonsense;
        EXPECT_THAT(refused.out, HasSubstr("is no percentage; a number from 0 on is needed"));
    }
    EXPECT_EQ(compare(before + " " + lost + " --fail-if-worse 50").exit_code(), 3) << "no value any more";
}

TEST_F(Compare, WritesEveryFormAndReadsItsOwnTsv) {
    const std::string input = published + "/2022-stream8-zen3";
    const Ran json = compare(input + " --format json");
    const auto document = nlohmann::json::parse(json.out);
    EXPECT_EQ(document["comparisons"][0]["columns"].size(), 4U);
    EXPECT_THAT(compare(input + " --format csv").out, testing::StartsWith("workload,parameters,threads,"));
    EXPECT_THAT(compare(input + " --format markdown").out, HasSubstr("| Triad [MB/s] | 124896.78 |"));
    EXPECT_THAT(compare(input + " --style mmtests").out,
                testing::ContainsRegex("\nHmean     Triad   124896.78 \\(   0.00%\\) .*184733.48 \\(  47.91%\\)"));
    const Ran again = run_shell("@/pinwise compare " + input + " --format tsv | @/pinwise compare - --style plain");
    EXPECT_THAT(again.out, HasSubstr("184733.48 (  47.91%)"));
}

TEST_F(Compare, PaintsOnlyWhereItMay) {
    const std::string input =
        stream_runs("a.txt", {100, 101, 102, 103}) + " " + stream_runs("b.txt", {150, 151, 152, 153});
    EXPECT_THAT(compare(input).out, Not(HasSubstr("\x1b["))) << "a pipe is no terminal";
    EXPECT_THAT(compare(input + " --color always").out, HasSubstr("\x1b[32m"));
    const std::string on_terminal = "TERM=xterm script -qec \"@/pinwise compare " + input + "\" /dev/null";
    if (run_shell("command -v script").exit_code() != 0) GTEST_SKIP() << "no script(1) to make a terminal";
    EXPECT_THAT(run_shell(on_terminal).out, HasSubstr("\x1b[32m"));
    EXPECT_THAT(run_shell("NO_COLOR=1 " + on_terminal).out, Not(HasSubstr("\x1b[32m")));
}

TEST_F(Compare, AMistakeIsOneLineAndExitTwo) {
    const auto mistake = [](const std::string& arguments) {
        const Ran ran = compare(arguments);
        EXPECT_EQ(ran.exit_code(), 2) << arguments;
        EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
        return ran.out;
    };
    const std::string input = published + "/2022-stream8-zen3 ";
    EXPECT_THAT(mistake("/nowhere"), HasSubstr("/nowhere: no such file or folder"));
    EXPECT_THAT(mistake(fmt::format("'{}'", folder_.string())), HasSubstr("no trials.csv in this folder"));
    EXPECT_THAT(mistake(file("x.txt", "hello\n")), HasSubstr("neither a trials.csv nor output of STREAM"));
    EXPECT_THAT(mistake(input + "--policy llc"), HasSubstr("--policy llc: no trial matches; there are os"));
    EXPECT_THAT(mistake(input + "--metric Triadd"), HasSubstr("no such metric; there are Copy, Scale, Add, Triad"));
    EXPECT_THAT(mistake(input + "--baseline vanilla"), HasSubstr("its columns are \"tip, no pinning"));
    EXPECT_THAT(mistake(input + "--group-by treads"), HasSubstr("unknown key \"treads\""));
    EXPECT_THAT(mistake(input + "--style plain --format json"), HasSubstr("cannot be combined"));
    EXPECT_THAT(mistake(input + "--format xml"), HasSubstr("--format"));
    EXPECT_THAT(mistake(file("torn.csv", "schema,metric\n1,a\n2")), HasSubstr("torn.csv:1: no column"));
}

TEST_F(Compare, HelpTeaches) {
    const Ran ran = compare("--help");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("--fail-if-worse"), HasSubstr("Examples:"),
                               HasSubstr("positive is always better"), HasSubstr("Exit status: 0 compared")));
}

}  // namespace
}  // namespace pinwise
