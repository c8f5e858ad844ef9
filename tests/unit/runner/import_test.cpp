#include <random>

#include <gmock/gmock.h>

#include "runner/compare/machine_formats.hpp"
#include "runner/import/results_format.hpp"
#include "tests/unit/runner/compared_rows.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view stream_output = R"(-------------------------------------------------------------
STREAM version $Revision: 5.10 $
Array size = 10000000 (elements), Offset = 0 (elements)
Number of Threads requested = 8
Number of Threads counted = 8
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           97699.3     0.001700     0.001638     0.001800
Scale:         107754.2     0.001500     0.001485     0.001600
Add:           126383.3     0.002000     0.001899     0.002100
Triad:         124896.8     0.002000     0.001922     0.002100
-------------------------------------------------------------
Solution Validates: avg error less than 1.000000e-13 on all three arrays
)";

constexpr std::string_view npb_output = R"(

 NAS Parallel Benchmarks (NPB3.4-OMP) - CG Benchmark


 CG Benchmark Completed.
 Class           =                        D
 Size            =                  1500000
 Iterations      =                      100
 Time in seconds =                   171.90
 Total threads   =                       48
 Avail threads   =                       48
 Mop/s total     =                 21192.55
 Mop/s/thread    =                   441.51
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
 Version         =                    3.4.2
)";

constexpr std::string_view likwid_output =
    R"(Allocate: Process running on hwthread 0 (Domain N) - Vector length 25000000/200000000 Offset 0 Alignment 512
--------------------------------------------------------------------------------
LIKWID MICRO BENCHMARK
Test: triad_avx
--------------------------------------------------------------------------------
Using 1 work groups
Using 4 threads
--------------------------------------------------------------------------------
Cycles:			8909427733
CPU Clock:		2445404062
Time:			3.643321e+00 sec
Iterations:		1024
MFlops/s:		3513.15
Data volume (Byte):	204800000000
MByte/s:		56212.44
Cycles per update:	1.39
)";

constexpr std::string_view google_json = R"({
  "context": {"host_name": "h"},
  "benchmarks": [
    {"name": "BM_copy/8", "run_name": "BM_copy/8", "run_type": "iteration", "repetition_index": 0, "real_time": 10.5,
     "cpu_time": 10.25, "time_unit": "us", "bytes_per_second": 1000.0},
    {"name": "BM_copy/8", "run_name": "BM_copy/8", "run_type": "iteration", "repetition_index": 1, "real_time": 11.5,
     "cpu_time": 11.25, "time_unit": "us", "bytes_per_second": 900.0},
    {"name": "BM_copy/8_mean", "run_name": "BM_copy/8", "run_type": "aggregate", "real_time": 11.0, "cpu_time": 10.75, "time_unit": "us"},
    {"name": "BM_bad", "run_name": "BM_bad", "run_type": "iteration", "error_occurred": true, "error_message": "no"}
  ]
})";

constexpr std::string_view google_csv =
    "2026-01-31T12:00:00+00:00\nRunning ./bench\n"
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_"
    "message\n"
    "\"BM_copy/8\",66,10.5,10.25,us,1000,,,,\n\"BM_copy/8\",67,11.5,11.25,us,900,,,,\n"
    "\"BM_copy/8_mean\",2,11,10.75,us,,,,,\n\"BM_bad\",,,,,,,,true,\"no\"\n";

/// Rows of a file of whatever format; a mistake is a row whose reason is the message.
std::vector<TrialRow> rows_of(std::string_view text, std::optional<Better> better = {}) {
    const auto format = recognise(text);
    EXPECT_TRUE(format) << text.substr(0, 100);
    if (!format) return {};
    std::vector<TrialRow> rows;
    const auto read = read_results(*format, text, "f", better, [&rows](const TrialRow& row, int) -> Result<void> {
        rows.push_back(row);
        return {};
    });
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return rows;
}

std::string error_of(std::string_view text, std::optional<Better> better = {}) {
    const auto read =
        read_results(*recognise(text), text, "f", better, [](const TrialRow&, int) -> Result<void> { return {}; });
    EXPECT_FALSE(read.has_value());
    return read ? "" : read.error().message;
}

std::string summary(const TrialRow& row) {
    return row.metric + " " + (row.value ? std::to_string(*row.value) : row.reason) + " " + row.unit + " " +
           std::string(to_string(row.better));
}

TEST(Recognise, tells_the_formats_apart_by_their_content) {
    EXPECT_EQ(recognise(trials_header()), ResultsFormat::trials_csv);
    EXPECT_EQ(recognise(stream_output), ResultsFormat::stream_output);
    EXPECT_EQ(recognise(npb_output), ResultsFormat::npb_output);
    EXPECT_EQ(recognise(likwid_output), ResultsFormat::likwid_bench_output);
    EXPECT_EQ(recognise(google_json), ResultsFormat::google_benchmark_json);
    EXPECT_EQ(recognise(google_csv), ResultsFormat::google_benchmark_csv);
    EXPECT_EQ(recognise("copy\t1\t100.5\n"), ResultsFormat::mmtests_tsv);
    EXPECT_FALSE(recognise(""));
    EXPECT_FALSE(recognise("just some text\n"));
}

TEST(StreamOutput, gives_the_best_rates_and_the_threads) {
    const auto rows = rows_of(stream_output);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].workload, "stream");
    EXPECT_EQ(rows[0].threads, 8);
    EXPECT_EQ(summary(rows[3]), "Triad 124896.800000 MB/s higher");
}

TEST(StreamOutput, of_several_runs_is_several_trials_and_a_failed_one_has_no_rate) {
    std::string twice = std::string(stream_output) + std::string(stream_output);
    twice.replace(twice.rfind("Solution Validates"), 18, "Failed Validation on array a[]");
    const auto rows = rows_of(twice);
    ASSERT_EQ(rows.size(), 8U);
    EXPECT_EQ(rows[0].status, "ok");
    EXPECT_EQ(rows[7].trial, 2);
    EXPECT_EQ(rows[7].status, "failed");
    EXPECT_EQ(rows[7].reason, "verification failed");
    EXPECT_FALSE(rows[7].value);
}

TEST(NpbOutput, gives_kernel_class_time_and_rate) {
    const auto rows = rows_of(npb_output);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].workload, "npb-cg");
    EXPECT_EQ(rows[0].parameters, "class=D");
    EXPECT_EQ(rows[0].threads, 48);
    EXPECT_EQ(summary(rows[0]), "Time 171.900000 s lower");
    EXPECT_EQ(summary(rows[1]), "Mop/s 21192.550000 Mop/s higher");
}

TEST(NpbOutput, that_did_not_verify_is_a_failed_trial) {
    std::string text(npb_output);
    text.replace(text.find("SUCCESSFUL"), 10, "UNSUCCESSFUL");
    EXPECT_EQ(rows_of(text).at(0).reason, "verification unsuccessful");
    text.resize(text.find("Verification"));
    EXPECT_THAT(error_of(text), HasSubstr("f: no finished run of the NAS Parallel Benchmarks"));
}

TEST(LikwidOutput, gives_the_rate_of_a_test) {
    const auto rows = rows_of(likwid_output);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].parameters, "test=triad_avx");
    EXPECT_EQ(rows[0].threads, 4);
    EXPECT_EQ(summary(rows[0]), "Time 3.643321 s lower");
    EXPECT_EQ(summary(rows[2]), "MByte/s 56212.440000 MB/s higher");
}

TEST(GoogleBenchmark, has_repetitions_as_trials_and_no_aggregates_in_both_of_its_formats) {
    for (const std::string_view text : {google_json, google_csv}) {
        const auto rows = rows_of(text);
        ASSERT_EQ(rows.size(), 6U);
        EXPECT_EQ(rows[0].trial, 1);
        EXPECT_EQ(rows[3].trial, 2);
        std::vector<std::string> second;
        for (std::size_t i = 3; i < 6; ++i)
            second.push_back(summary(rows[i]));
        EXPECT_THAT(second, ElementsAre("BM_copy/8 11.500000 us lower", "BM_copy/8 cpu 11.250000 us lower",
                                        "BM_copy/8 bytes 900.000000 B/s higher"));
    }
}

TEST(GoogleBenchmark, with_aggregates_only_or_torn_is_refused) {
    EXPECT_THAT(error_of(R"({"benchmarks": [{"run_type": "aggregate", "name": "a_mean"}]})"),
                HasSubstr("--benchmark_report_aggregates_only"));
    EXPECT_THAT(error_of(google_json.substr(0, 200)), HasSubstr("torn"));
}

TEST(MmtestsTsv, has_operation_sample_and_value) {
    const auto rows = rows_of("# a comment\ncopy\t1\t100.5\ncopy\t2\t101.5\ntime\t1\t3\n");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1].trial, 2);
    EXPECT_EQ(summary(rows[0]), "copy 100.500000  higher");
    EXPECT_EQ(summary(rows[2]), "time 3.000000  lower");
    EXPECT_EQ(rows_of("elsp-128\t5.5\n").at(0).better, Better::lower);
}

TEST(MmtestsTsv, of_an_unknown_operation_needs_to_be_told_what_is_better) {
    EXPECT_THAT(error_of("frobs\t1\t5\n"), HasSubstr("f:1: is a higher \"frobs\" better or a lower one?"));
    EXPECT_EQ(rows_of("frobs\t1\t5\n", Better::lower).at(0).better, Better::lower);
    EXPECT_THAT(error_of("copy\t1\tfast\n"), HasSubstr("f:1: an operation and a number"));
    EXPECT_THAT(error_of("operation\tvalue\tbetter\ncopy\t1\tmore\n"), HasSubstr("f:2: better is \"more\""));
}

TEST(MmtestsTsv, that_we_wrote_comes_back) {
    const auto written = compare(test::in_turns({100, 101.25, 102, 103}, {150, 151, 152, 153}));
    const auto read = compare(rows_of(format_tsv(written)));
    ASSERT_EQ(read.size(), 1U);
    ASSERT_EQ(read[0].columns.size(), 2U);
    EXPECT_EQ(read[0].columns[1].variant, "idlest, cpus all, bind cpu");
    for (const std::size_t column : {0U, 1U})
        EXPECT_EQ(read[0].rows.at(0).cells[column].values, written[0].rows.at(0).cells[column].values);
    EXPECT_EQ(read[0].rows[0].cells[1].change_percent, written[0].rows[0].cells[1].change_percent);
}

TEST(Import, survives_any_bytes_with_rows_or_an_error) {
    std::mt19937_64 random(6);
    for (const std::string_view sample : {stream_output, npb_output, likwid_output, google_json, google_csv}) {
        for (int round = 0; round < 300; ++round) {
            std::string text(sample);
            for (int change = 0; change < 6; ++change) {
                const std::size_t at = random() % text.size();
                if (random() % 3 == 0) {
                    text.erase(at, random() % 40);
                } else {
                    text[at] = static_cast<char>(random());
                }
                if (text.empty()) text = "x";
            }
            const auto format = recognise(text);
            if (!format) continue;
            const auto read = read_results(*format, text, "f", {}, [](const TrialRow& row, int) -> Result<void> {
                EXPECT_FALSE(row.metric.empty());
                return {};
            });
            EXPECT_TRUE(read.has_value() || read.error().message.starts_with("f"));
        }
    }
}

}  // namespace
}  // namespace pinwise
