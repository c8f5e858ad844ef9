// `pinwise report` through the command line: good results, broken ones, hostile ones.

#include "tests/e2e/report/report_fixture.hpp"

namespace pinwise::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void replace_in(const fs::path& path, const std::string& from, const std::string& to) {
    std::string text = read_all(path);
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    std::ofstream(path, std::ios::binary) << text;
}

TEST_F(Report, OfAGoodRunAnswersShowsAndTells) {
    results("run");
    const Ended ended = report("run");
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out, "report: report.html\n");
    EXPECT_THAT(page(), AllOf(HasSubstr("Largest gain: idlest, cpus one-per-thread, bind cpu: Triad +"),
                              HasSubstr("95 % interval"), HasSubstr("8 threads started on 4 CPUs, 2 of them on one"),
                              HasSubstr("class=\"cpu many\""), HasSubstr("numa_pages_migrated"),
                              HasSubstr("Every trial as a row (20)")));
    EXPECT_THAT(page(), AllOf(Not(HasSubstr("nan")), Not(HasSubstr("<script"))));
    if (!has_program("gnuplot")) GTEST_SKIP() << "no gnuplot: no pictures";
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(page(), AllOf(HasSubstr("<svg"), HasSubstr("Bandwidth of Triad in every iteration"),
                              HasSubstr("Local share of the pages")));
}

TEST_F(Report, OfNoDifferenceClaimsNone) {
    results("run", {.machine = "", .placed_speedup = 1});
    ASSERT_EQ(report("run").status, 0);
    EXPECT_THAT(page(), AllOf(HasSubstr("noise"), Not(HasSubstr("Largest gain"))));
}

TEST_F(Report, OfOneTrialAndOfFailedTrialsOnlySaysWhatIsMissing) {
    results("one", {.machine = "", .repetitions = 1});
    results("failed", {.machine = "", .fail_all = true});
    const Ended ended = report("one failed");
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(page(), AllOf(HasSubstr("too few trials"), HasSubstr("No answer: the baseline"),
                              HasSubstr("exit 3: &lt;no&gt; &amp; &quot;no&quot;"), Not(HasSubstr("nan"))));
}

TEST_F(Report, WithoutGnuplotKeepsItsTablesAndSaysSo) {
    results("run");
    const Ended ended = report("run", "PATH=/nowhere");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("note: some pictures are missing: gnuplot cannot be started"));
    EXPECT_THAT(page(),
                AllOf(HasSubstr("gnuplot cannot be started"), HasSubstr("Largest gain"), Not(HasSubstr("<svg"))));
}

TEST_F(Report, WritesPlotsAsFiles) {
    if (!has_program("gnuplot")) GTEST_SKIP() << "no gnuplot";
    results("run", {.machine = "", .counters = false});
    const Ended ended = report("run --plots figures/new");
    ASSERT_EQ(ended.status, 0) << ended.err;
    for (const char* const ending : {"svg", "png", "pdf"})
        EXPECT_TRUE(fs::exists(folder_ / "figures/new" / fmt::format("r1-1-stream-8-threads-triad-trials.{}", ending)))
            << ending;
    EXPECT_EQ(report("run --overwrite --plots run/trials.csv").status, 2) << "a file is no folder";
}

TEST_F(Report, NamesWhatAFolderLacks) {
    results("run");
    fs::remove(folder_ / "run/topology.xml");
    std::ofstream(folder_ / "run/machine.json") << "{ torn";
    replace_in(folder_ / "run/threads.csv", "first_cpu", "last_word");
    fs::remove(folder_ / "run/output/0003.json");
    std::ofstream(folder_ / "run/output/0004.json") << "[]";
    const Ended ended = report("run");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("topology.xml is not there"), HasSubstr("machine.json: no JSON object"),
                      HasSubstr("threads.csv:1: column \"first_cpu\" is missing"),
                      HasSubstr("2 of 20 documents of trials cannot be read (output/0003.json is not there)")));
    EXPECT_THAT(page(), HasSubstr("2 of 20 documents"));
}

TEST_F(Report, OfATableAloneSaysThatItIsOne) {
    results("run");
    fs::rename(folder_ / "run/trials.csv", folder_ / "alone.csv");
    const Ended ended = report("alone.csv");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("alone.csv is a table alone"));
    EXPECT_THAT(page(), HasSubstr("Largest gain"));
}

TEST_F(Report, OfHostileTextsRunsNothingAndShowsThem) {
    results("run");
    // A quoted cell; the doubled quote in it is one.
    const std::string hostile = R"("x</td><script>alert(1)</script>`touch injected`$(touch injected)'"" @x {/=9 y}")";
    for (const char* const word : {"one-per-thread", "stream", "Triad", "MB/s"})
        replace_in(folder_ / "run/trials.csv", fmt::format(",{},", word), fmt::format(",{},", hostile));
    const Ended ended = report("run --plots figures");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(page(), HasSubstr("&lt;script&gt;alert(1)"));
    EXPECT_THAT(page(), Not(HasSubstr("<script")));
    EXPECT_FALSE(fs::exists(folder_ / "injected"));
}

TEST_F(Report, BrokenTablesAreTheUsersMistakeInOneLine) {
    results("run");
    const fs::path trials = folder_ / "run/trials.csv";
    const std::string good = read_all(trials);
    const auto error_of = [&](const std::string& text) {
        std::ofstream(trials, std::ios::binary) << text;
        const Ended ended = report("run");
        EXPECT_EQ(ended.status, 2) << ended.err;
        EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
        EXPECT_FALSE(fs::exists(folder_ / "report.html"));
        return ended.err;
    };
    EXPECT_THAT(error_of(""), HasSubstr("run/trials.csv:1: no header line"));
    EXPECT_THAT(error_of("trial,value\r\n1,2\r\n"), HasSubstr("run/trials.csv:1: "));
    EXPECT_THAT(error_of(good.substr(0, good.find('\n') + 1) + "garbage\r\n"), HasSubstr("run/trials.csv:2: "));
    fs::remove(trials);
    EXPECT_EQ(report("run").status, 2);
    EXPECT_THAT(report("run").err, HasSubstr("run/trials.csv does not exist"));
    EXPECT_EQ(report("").status, 2);
    EXPECT_EQ(report("nowhere").status, 2);
}

TEST_F(Report, OfAnEmptyTableSaysThatThereIsNoTrial) {
    results("run");
    const std::string good = read_all(folder_ / "run/trials.csv");
    std::ofstream(folder_ / "run/trials.csv", std::ios::binary) << good.substr(0, good.find('\n') + 1);
    const Ended ended = report("run");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(page(), HasSubstr("No trial is in these results"));
}

TEST_F(Report, ReplacesAPageOnlyWhenAsked) {
    results("run");
    ASSERT_EQ(report("run", "PATH=/nowhere").status, 0);
    const std::string first = page();
    const Ended refused = report("run", "PATH=/nowhere");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("\"report.html\" exists: name another file with -o, or say --overwrite"));
    EXPECT_EQ(page(), first);
    std::ofstream(folder_ / "report.html") << first << "<!-- old -->";
    EXPECT_EQ(report("run --overwrite", "PATH=/nowhere").status, 0);
    EXPECT_EQ(page(), first);
}

TEST_F(Report, NeverReplacesWhatIsNoPage) {
    results("run");
    const std::string trials = read_all(folder_ / "run/trials.csv");
    const Ended refused = report("run --overwrite -o run/trials.csv");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("\"run/trials.csv\" is no page of ours, so it is not replaced"));
    EXPECT_EQ(read_all(folder_ / "run/trials.csv"), trials);
}

TEST_F(Report, OfANodeMatrixHasAHeatMap) {
    results("matrix",
            {.experiment = "[[workload]]\nname = \"stream\"\nthreads = \"cores-per-node\"\nsize = \"1 GiB\"\n"
                           "[[matrix]]\ncpus = \"each-node\"\nmemory = \"bind:each-node\"\npolicy = \"llc\"\n",
             .machine = two_small_nodes});
    ASSERT_EQ(report("matrix").status, 0);
    EXPECT_THAT(page(), AllOf(HasSubstr("Threads here, arrays there"), HasSubstr("with memory on another node is"),
                              HasSubstr("memory 1")));
}

TEST_F(Report, IsTheSameEveryTime) {
    results("run");
    ASSERT_EQ(report("run").status, 0);
    const std::string first = page();
    ASSERT_EQ(report("run --overwrite").status, 0);
    EXPECT_EQ(page(), first);
}

}  // namespace
}  // namespace pinwise::test
