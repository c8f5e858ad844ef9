#include <array>
#include <clocale>
#include <cmath>
#include <locale>
#include <random>

#include <gmock/gmock.h>

#include "runner/record/csv_reader.hpp"
#include "runner/record/csv_writer.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/record/trials_csv.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string one_text(std::string_view text) {
    CsvWriter csv;
    csv.text(text);
    return csv.str();
}

CsvDocument parsed(std::string_view text) {
    auto document = parse_csv(text, "t.csv");
    EXPECT_TRUE(document) << document.error().message;
    return document.value_or(CsvDocument{});
}

std::string csv_error(std::string_view text) {
    const auto document = parse_csv(text, "t.csv");
    EXPECT_FALSE(document);
    return document ? "" : document.error().message;
}

TEST(CsvWriter, QuotesWhatRfc4180Asks) {
    EXPECT_EQ(one_text("a,b \"q\""), "\"a,b \"\"q\"\"\"");
    EXPECT_EQ(one_text("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(one_text("a\rb"), "\"a\rb\"");
    EXPECT_EQ(one_text("plain text"), "plain text");
    EXPECT_EQ(one_text(""), "");
}

TEST(CsvWriter, NeutralisesTextThatASpreadsheetWouldRunAndLeavesNumbers) {
    EXPECT_EQ(one_text("=1+1"), "'=1+1");
    EXPECT_EQ(one_text("-5"), "'-5");
    EXPECT_EQ(one_text("+x"), "'+x");
    EXPECT_EQ(one_text("@cmd,x"), "\"'@cmd,x\"");
    CsvWriter csv;
    csv.number(-5.0).number(std::int64_t{-7}).number(0.1).number(1e300).empty();
    csv.end_record();
    EXPECT_EQ(csv.str(), "-5,-7,0.1,1e+300,\r\n");
}

TEST(CsvWriter, NeverWritesNan) {
    CsvWriter csv;
    csv.number(std::nan("")).number(INFINITY);
    EXPECT_EQ(csv.str(), ",");
}

class DecimalComma : public testing::Test {
protected:
    DecimalComma() {
        for (const char* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE"})
            if (!found_) found_ = std::setlocale(LC_ALL, name) != nullptr;
    }
    ~DecimalComma() override { std::setlocale(LC_ALL, "C"); }
    bool found_ = false;
};

TEST_F(DecimalComma, ChangesNothing) {
    if (!found_) GTEST_SKIP() << "no locale with a decimal comma is installed";
    CsvWriter csv;
    csv.number(1234567.5);
    EXPECT_EQ(csv.str(), "1234567.5");
}

// The same without an installed locale: the C++ global locale with a decimal comma and thousands separators.
TEST(CsvWriter, IgnoresTheGlobalCppLocale) {
    struct Comma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
    CsvWriter csv;
    csv.number(1234567.5).number(std::int64_t{1234567});
    std::locale::global(before);
    EXPECT_EQ(csv.str(), "1234567.5,1234567");
}

TEST(CsvReader, ReadsWhatTheWriterWrote) {
    std::mt19937_64 random(4);
    constexpr std::array<std::string_view, 15> alphabet{",", "\"", "\r", "\n", "'", "=", "+",       "-",
                                                        "@", " ",  "\t", "a",  "b", "1", "\xc3\xa9"};
    for (int round = 0; round < 300; ++round) {
        CsvWriter csv;
        csv.text("first").text("second").text("third");
        csv.end_record();
        std::vector<std::vector<std::string>> rows(random() % 5);
        for (auto& row : rows) {
            for (int cell = 0; cell < 3; ++cell) {
                std::string text;
                const auto length = random() % 8;
                for (std::size_t i = 0; i < length; ++i)
                    text += alphabet[random() % alphabet.size()];
                row.push_back(text);
                csv.text(text);
            }
            csv.end_record();
        }
        const CsvDocument document = parsed(csv.str());
        ASSERT_EQ(document.records.size(), rows.size()) << csv.str();
        EXPECT_FALSE(document.torn_line);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t cell = 0; cell < 3; ++cell)
                EXPECT_EQ(csv_text(document.records[i].cells[cell]), rows[i][cell]);
    }
}

TEST(CsvReader, NeverCrashesOnGarbage) {
    std::mt19937_64 random(5);
    constexpr std::string_view alphabet = ",\"\r\nab\0=";
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        const auto length = random() % 40;
        for (std::size_t i = 0; i < length; ++i)
            text += alphabet[random() % alphabet.size()];
        const auto document = parse_csv(text, "t.csv");
        if (!document) {
            EXPECT_THAT(document.error().message, testing::StartsWith("t.csv:"));
            continue;
        }
        for (const CsvRecord& record : document->records)
            EXPECT_EQ(record.cells.size(), document->header.size());
    }
}

TEST(CsvReader, ReadsLfCrlfAndAByteOrderMark) {
    EXPECT_THAT(parsed("a,b\n1,2\n").records[0].cells, ElementsAre("1", "2"));
    EXPECT_THAT(parsed("a,b\r\n1,2\r\n").records[0].cells, ElementsAre("1", "2"));
    EXPECT_THAT(parsed("\xef\xbb\xbf\"a\",b\n1,2\n").header, ElementsAre("a", "b"));
}

TEST(CsvReader, LeavesOutATornLastLineAndSaysSo) {
    const CsvDocument torn = parsed("a,b\r\n1,2\r\n3,4");
    EXPECT_EQ(torn.records.size(), 1U);
    EXPECT_EQ(torn.torn_line, 3);
    const CsvDocument in_quotes = parsed("a,b\r\n1,\"x\r\ny\"\r\n3,\"half\r\n");
    EXPECT_EQ(in_quotes.records.size(), 1U);
    EXPECT_EQ(in_quotes.torn_line, 4);
}

TEST(CsvReader, MistakesHaveTheLineTheyAreOn) {
    EXPECT_EQ(csv_error(""), "t.csv:1: no header line");
    EXPECT_EQ(csv_error("a,b,a\n"), "t.csv:1: column \"a\" occurs twice");
    EXPECT_EQ(csv_error("a,b\n\"x\ny\",1\n1,2,3\n"), "t.csv:4: 3 cells where the header has 2");
    EXPECT_THAT(csv_error("a,b\n1,2\n1,\"2\"x\n"), testing::StartsWith("t.csv:3: "));
}

TEST(CsvScanner, CellsOfARecordOutliveTheNextOne) {
    const std::string text = "a,\"b \"\"1\"\"\"\n\"c \"\"2\"\"\",d\n";
    CsvScanner scanner(text, "t.csv");
    CsvCells first;
    CsvCells second;
    ASSERT_TRUE(scanner.next(first).value_or(false));
    ASSERT_TRUE(scanner.next(second).value_or(false));
    EXPECT_THAT(first.cells, ElementsAre("a", "b \"1\""));
    EXPECT_THAT(second.cells, ElementsAre("c \"2\"", "d"));
    EXPECT_EQ(second.line, 2);
    EXPECT_FALSE(scanner.next(second).value_or(true));
    EXPECT_FALSE(scanner.torn_line());
}

TEST(CsvScanner, SkipsEmptyLinesAndCountsThem) {
    EXPECT_THAT(csv_error("a,b\r\n\r\n\n1,2,3\n"), "t.csv:4: 3 cells where the header has 2");
    EXPECT_EQ(parsed("\na,b\n\n1,2\n\n").records.size(), 1U);
}

TEST(CsvScanner, RefusesQuotesAndCarriageReturnsWhereTheyDoNotBelong) {
    EXPECT_THAT(csv_error("a,b\n1,2\"3\n"), HasSubstr("t.csv:2: a quote inside"));
    EXPECT_THAT(csv_error("a,b\n1\r2,3\n"), HasSubstr("t.csv:2: a carriage return without"));
}

TrialSpec a_spec() {
    TrialSpec spec = test::trials(test::four_strategies, test::load(test::zen3_nps1)).at(2);
    spec.position = 9;
    return spec;
}

TrialResult a_result() {
    TrialResult result;
    result.wall_s = 1.5;
    result.user_s = 8.25;
    result.sys_s = 0.125;
    result.metrics = {{"Copy", "MB/s", 97699.28, Better::higher}, {"Triad", "MB/s", 124896.78, Better::higher}};
    result.start = {"{4}{4}", 1, 8, FirstCpuMeans::agent, 3, true, "", 1.5};
    return result;
}

TEST(TrialsCsv, EveryFieldComesBack) {
    const auto rows = trial_rows(a_spec(), a_result());
    ASSERT_EQ(rows.size(), 5U);
    const auto table = parse_trials_csv(trials_header() + format_trial_rows(rows), "trials.csv");
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_EQ(table->rows.size(), 5U);
    const TrialRow& row = table->rows[1];
    EXPECT_EQ(row.schema, 1);
    EXPECT_EQ(row.trial, 3);
    EXPECT_EQ(row.repetition, 1);
    EXPECT_EQ(row.position, 9);
    EXPECT_EQ(row.workload, "stream");
    EXPECT_EQ(row.parameters, "size=auto llc_bytes=512000000 ntimes=10 stores=auto touch=parallel thp=on");
    EXPECT_EQ(row.threads, 8);
    EXPECT_EQ(row.cpus, "one-per-thread");
    EXPECT_EQ(row.mask, "0,16,32,48,64,80,96,112");
    EXPECT_EQ(row.policy, "idlest");
    EXPECT_EQ(row.bind, "initial");
    EXPECT_EQ(row.metric, "Triad");
    EXPECT_EQ(row.value, 124896.78);
    EXPECT_EQ(row.unit, "MB/s");
    EXPECT_EQ(row.better, Better::higher);
    EXPECT_EQ(row.status, "ok");
    EXPECT_EQ(row.reason, "");
    EXPECT_EQ(row.start_counts, "{4}{4}");
    EXPECT_EQ(row.most_threads_on_one_cpu, 1);
    EXPECT_EQ(row.llcs_used, 8);
    EXPECT_EQ(row.first_cpu_means, "agent");
    EXPECT_EQ(row.migrations, 3);
    EXPECT_EQ(row.affinity_kept, "yes");
    EXPECT_EQ(row.piled_up_s, 1.5);
    EXPECT_EQ(table->rows[2].metric, "wall");
    EXPECT_EQ(table->rows[2].better, Better::lower);
}

TEST(TrialsCsv, AFailedTrialHasItsTimesWithStatusAndReason) {
    TrialResult result = failed_trial("not started: no such file, \"x\"");
    result.start.missing = "placement: no thread was recorded";
    const auto table =
        parse_trials_csv(trials_header() + format_trial_rows(trial_rows(a_spec(), result)), "trials.csv");
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_EQ(table->rows.size(), 3U);
    for (const TrialRow& row : table->rows) {
        EXPECT_EQ(row.status, "failed");
        EXPECT_EQ(row.reason, "not started: no such file, \"x\"; placement: no thread was recorded");
        EXPECT_FALSE(row.value);
        EXPECT_FALSE(row.llcs_used);
        EXPECT_EQ(row.first_cpu_means, "");
    }
}

TEST(TrialsCsv, ReadsColumnsInAnyOrderAndSkipsUnknownOnes) {
    const auto text = trials_header() + format_trial_rows(trial_rows(a_spec(), a_result()));
    const CsvDocument document = parsed(text);
    CsvWriter turned;
    const auto write = [&](const std::vector<std::string>& cells, std::string_view extra) {
        turned.text(extra);
        for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell)
            turned.text(*cell);
        turned.end_record();
    };
    write(document.header, "comment");
    for (const CsvRecord& record : document.records)
        write(record.cells, "x");
    const auto table = parse_trials_csv(turned.str(), "trials.csv");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0].value, 97699.28);
    EXPECT_EQ(format_trial_rows(table->rows), format_trial_rows(trial_rows(a_spec(), a_result())));
}

TEST(TrialsCsv, ReadsRowByRowUntilTheReaderHasHadEnough) {
    const auto text = trials_header() + format_trial_rows(trial_rows(a_spec(), a_result()));
    std::vector<std::string> metrics;
    std::vector<int> lines;
    const auto torn = for_each_trial_row(text + "1,2", "t.csv", [&](const TrialRow& row, int line) -> Result<void> {
        metrics.push_back(row.metric);
        lines.push_back(line);
        return {};
    });
    ASSERT_TRUE(torn.has_value()) << torn.error().message;
    EXPECT_EQ(*torn, 7);
    EXPECT_THAT(metrics, ElementsAre("Copy", "Triad", "wall", "user", "sys"));
    EXPECT_THAT(lines, ElementsAre(2, 3, 4, 5, 6));
    const auto ended = for_each_trial_row(
        text, "t.csv", [](const TrialRow&, int line) -> Result<void> { return usage_error(std::to_string(line)); });
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error().message, "2");
}

TEST(TrialsCsv, RefusesWhatItCannotReadWithFileAndLine) {
    const std::string good = trials_header() + format_trial_rows(trial_rows(a_spec(), a_result()));
    const auto error_after = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        const auto table = parse_trials_csv(text, "trials.csv");
        EXPECT_FALSE(table);
        return table ? "" : table.error().message;
    };
    EXPECT_EQ(error_after("97699.28", "nan"), "trials.csv:2: value is \"nan\"");
    EXPECT_EQ(error_after("97699.28", "fast"), "trials.csv:2: value is \"fast\"");
    EXPECT_EQ(error_after("higher", "more"), "trials.csv:2: better is \"more\"");
    EXPECT_THAT(error_after("metric", "metrics"), HasSubstr("trials.csv:1: no column \"metric\""));
    EXPECT_THAT(error_after("\r\n1,3,1,", "\r\n2,3,1,"), HasSubstr("trials.csv:2: schema 2"));
}

TEST(ThreadsCsv, AnAbsentValueIsAnEmptyCellWithItsReason) {
    TrialResult result;
    ThreadRecord placed;
    placed.index = 0;
    placed.pid = placed.tid = 100;
    placed.name = "stream,x";
    placed.asked_cpu = placed.got_cpu = placed.first_cpu = placed.last_cpu = 64;
    placed.got_count = 1;
    placed.first_cpu_means = FirstCpuMeans::agent;
    placed.migrations = 0;
    ThreadRecord unknown;
    unknown.index = 1;
    unknown.pid = 100;
    unknown.tid = 101;
    result.threads = {placed, unknown};
    const CsvDocument document =
        parsed(threads_header() + format_thread_rows(test::load(test::zen3_nps1), a_spec(), result));
    ASSERT_EQ(document.records.size(), 2U);
    const auto cell = [&](std::size_t row, std::string_view name) {
        return document.records[row].cells.at(document.column(name).value());
    };
    EXPECT_EQ(cell(0, "name"), "stream,x");
    EXPECT_EQ(cell(0, "first_cpu"), "64");
    EXPECT_EQ(cell(0, "first_node"), "1");
    EXPECT_EQ(cell(0, "first_llc"), "8");
    EXPECT_EQ(cell(0, "migrations"), "0");
    EXPECT_EQ(cell(0, "affinity_kept"), "yes");
    EXPECT_EQ(cell(0, "reason"), "");
    EXPECT_EQ(cell(1, "first_cpu"), "");
    EXPECT_EQ(cell(1, "migrations"), "");
    EXPECT_EQ(cell(1, "affinity_kept"), "");
    EXPECT_THAT(cell(1, "reason"), testing::AllOf(HasSubstr("no CPU was asked for"), HasSubstr("first CPU not known"),
                                                  HasSubstr("migrations not known")));
}

TEST(TrialsCsv, HasTheNewerColumnsAndReadsTablesOfBeforeThereWereAny) {
    TrialSpec spec = a_spec();
    spec.strategy.memory = "interleave:0,1";
    TrialResult result = a_result();
    result.mem_policy = "denied(EPERM)";
    spec.strategy.migration = "a-migration";
    spec.strategy.balance = "a-balance";
    result.labels = {Label::one_node, Label::busy};
    result.neighbour_before_ns = 41.5;
    const std::string text = trials_header() + format_trial_rows(trial_rows(spec, result));
    const auto table = parse_trials_csv(text, "trials.csv");
    ASSERT_TRUE(table.has_value());
    EXPECT_EQ(table->rows.at(0).memory, "interleave:0,1");
    EXPECT_EQ(table->rows.at(0).mem_policy, "denied(EPERM)");
    EXPECT_EQ(table->rows.at(0).migration, "a-migration");
    EXPECT_EQ(table->rows.at(0).balance, "a-balance");
    EXPECT_EQ(table->rows.at(0).labels, "one-node busy");
    EXPECT_EQ(table->rows.at(0).neighbour_before_ns, 41.5);
    EXPECT_FALSE(table->rows.at(0).neighbour_after_ns);
    std::string older = text;
    for (const std::string name :
         {",memory,", ",mem_policy,", ",migration,", ",balance,", ",labels,", ",neighbour_before_ns,"})
        older.replace(older.find(name), 1, ",other_");
    const auto old_table = parse_trials_csv(older, "trials.csv");
    ASSERT_TRUE(old_table.has_value()) << old_table.error().message;
    EXPECT_EQ(old_table->rows.at(0).memory, "first-touch");
    EXPECT_EQ(old_table->rows.at(0).mem_policy, "");
    EXPECT_EQ(old_table->rows.at(0).migration, "none");
    EXPECT_EQ(old_table->rows.at(0).balance, "none");
    EXPECT_EQ(old_table->rows.at(0).labels, "");
    EXPECT_FALSE(old_table->rows.at(0).neighbour_before_ns);
}

TEST(CsvWriter, WritesUtf8WhateverItIsGiven) {
    CsvWriter csv;
    csv.text("n\xc3\xa4he").text("\xff\xfe bad").text("cut \xc3").text("\xf0\x9f\x98\x80,").end_record();
    EXPECT_EQ(csv.str(), "n\xc3\xa4he,\\xff\\xfe bad,cut \\xc3,\"\xf0\x9f\x98\x80,\"\r\n");
}

}  // namespace
}  // namespace pinwise
