#include "runner/report/page.hpp"

#include <gmock/gmock.h>

namespace pinwise::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two strategies with three trials each, every text of them hostile.
ResultsData hostile_data() {
    const std::string hostile = R"("><script>alert('x')</script><img src=http://example.org/x onerror=alert(1)>)";
    ResultsData data;
    data.name = hostile;
    for (int trial = 1; trial <= 6; ++trial) {
        TrialRow row;
        row.trial = trial;
        row.position = 7 - trial;
        row.workload = hostile;
        row.parameters = hostile;
        row.threads = 8;
        row.cpus = hostile;
        row.mask = hostile;
        row.policy = trial % 2 == 0 ? hostile : "os";
        row.bind = hostile;
        row.memory = hostile;
        row.metric = hostile;
        row.unit = hostile;
        row.value = 100 + trial;
        row.status = trial == 6 ? "failed" : "ok";
        row.reason = hostile;
        row.start_counts = hostile;
        row.first_cpu_means = hostile;
        data.rows.push_back(row);
        ThreadRow thread;
        thread.trial = trial;
        thread.name = hostile;
        thread.first_cpu = 0;
        data.threads.push_back(thread);
    }
    data.machine_facts = {{hostile, hostile}};
    data.missing = {hostile};
    return data;
}

std::string page_of(const ResultsData& data, const std::string& why_missing = "") {
    return page({analyse(data, 1)}, {}, why_missing, "1.0").markup();
}

TEST(Page, HasNothingOfAUsersTextAsMarkup) {
    const std::string text = page_of(hostile_data(), "<b>why</b>");
    EXPECT_THAT(text, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("<b>why"))));
    EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
}

TEST(Page, LoadsNothing) {
    std::string text = page_of(hostile_data());
    EXPECT_THAT(text, HasSubstr("default-src 'none'"));
    for (const char* const loader : {"<link rel=\"stylesheet", "<script", "@import", "url(", "<iframe", "src=\""})
        EXPECT_THAT(text, Not(HasSubstr(loader)));
}

TEST(Page, LeadsFromEveryStrategyToItsTrials) {
    const std::string text = page_of(hostile_data());
    for (const int trial : {1, 2, 3, 4, 5, 6}) {
        EXPECT_THAT(text, HasSubstr(fmt::format("<a href=\"#r1-1-t{0}\">{0}</a>", trial)));
        EXPECT_THAT(text, HasSubstr(fmt::format("<tr id=\"r1-1-t{}\">", trial)));
    }
}

TEST(Page, NamesALabelOnceWithTheTrialsThatHaveIt) {
    ResultsData data = hostile_data();
    for (TrialRow& row : data.rows)
        row.labels = row.trial == 3 ? "one-node busy" : "one-node";
    const std::string text = page_of(data);
    EXPECT_THAT(
        text, AllOf(HasSubstr("<li><b>one-node</b> (all trials): "), HasSubstr("<li><b>busy</b> (A 1 of 3 trials): ")));
}

TEST(Page, NamesWhatItGoesWithout) {
    ResultsData data = hostile_data();
    data.missing = {"threads.csv is not there"};
    const std::string text = page_of(data, "gnuplot cannot be started");
    EXPECT_THAT(text, AllOf(HasSubstr("threads.csv is not there"), HasSubstr("gnuplot cannot be started")));
}

TEST(Page, OfNoTrialSaysSo) {
    ResultsData data;
    data.name = "empty";
    EXPECT_THAT(page_of(data), HasSubstr("No trial is in these results"));
}

TEST(Page, OfManyTrialsListsSomeOfThemAndFoldsTheTable) {
    ResultsData data;
    data.name = "many";
    for (int trial = 1; trial <= 200; ++trial) {
        TrialRow row;
        row.trial = trial;
        row.position = trial;
        row.workload = "w";
        row.threads = 1;
        row.policy = "os";
        row.cpus = "all";
        row.metric = "m";
        row.unit = "s";
        row.value = 1;
        row.status = "ok";
        data.rows.push_back(row);
    }
    const std::string text = page_of(data);
    EXPECT_THAT(text, HasSubstr("<details><summary>Every trial as a row (200)"));
    EXPECT_THAT(text, HasSubstr(" ... <a href=\"#r1-1-t200\">200</a>"));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace pinwise::report
