// `pinwise run` with the workloads of many processes: their jobs are the threads of the record, under every strategy.

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "runner/record/csv_reader.hpp"
#include "runner/record/trials_csv.hpp"
#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

std::string read_all(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class RunJobs : public testing::Test {
protected:
    [[nodiscard]] std::string results(const std::string& file) const {
        return read_all(tree_.root() / "results" / file);
    }
    /// Runs an experiment with the control and one placed strategy; its tables.
    std::string run(const std::string& workload) {
        tree_.file("jobs.toml",
                   "repetitions = 1\nnoise_floor = false\noversubscribe = true\ntimeout_s = 60\n[[workload]]\n" +
                       workload + "\n[[matrix]]\npolicy = \"os\"\n[[matrix]]\npolicy = \"idlest\"\nbind = \"cpu\"\n");
        const std::string folder = tree_.root();
        const std::string command =
            "cd '" + folder + "' && '" PINWISE_BIN_DIR "/pinwise' run jobs.toml -o results >out 2>err";
        EXPECT_EQ(std::system(command.c_str()), 0) << read_all(tree_.root() / "err") << results("trials.csv");
        return read_all(tree_.root() / "out");
    }

    test::TemporaryTree tree_;
};

TEST_F(RunJobs, RecordsEachJobOfNumaTestAsAThreadWithItsNodeShares) {
    const std::string tables =
        run("name = \"numa_test\"\nthreads = [3, 4]\nsize = 1000\nsweeps = 30000\n"
            "disturb = \"pinwise-hackbench 1 --fds 2 --loops 1\"\ndisturb_after = 0");
    EXPECT_THAT(tables, HasSubstr("numa_test, 3 threads"));
    EXPECT_THAT(tables, HasSubstr("\nSchedbench 4:"));
    const auto threads = parse_csv(results("threads.csv"), "threads.csv");
    ASSERT_TRUE(threads) << threads.error().message;
    EXPECT_EQ(threads->records.size(), 2 * 3U + 2 * 4U) << "jobs only: neither numa_test itself nor its disturbance";
    for (const CsvRecord& record : threads->records) {
        const auto cell = [&](std::string_view name) { return record.cells.at(threads->column(name).value()); };
        EXPECT_THAT(cell("node_shares"), testing::ContainsRegex("^[0-9]+:[0-9.]+"));
        EXPECT_EQ(cell("node_shares_means"), "own");
        EXPECT_GT(std::stod(cell("user_s")), 0);
        EXPECT_EQ(cell("name"), "pinwise-numa_te");
    }
}

/// A job bound to one CPU must not mean a disturbance bound to one CPU.
TEST_F(RunJobs, DisturbsWithTheSameCpusUnderEveryStrategy) {
    run("name = \"numa_test\"\nthreads = 1\nsize = 1000\nsweeps = 100000\ndisturb = \"nproc\"\ndisturb_after = 0");
    const auto said = [&](const std::string& trial) -> std::string {
        return nlohmann::json::parse(results("output/" + trial + ".json"))["parameters"]["disturbance_said"];
    };
    EXPECT_GE(std::stoi(said("0001")), 1);
    EXPECT_EQ(said("0001"), said("0002"));
}

TEST_F(RunJobs, RunsHackbenchWithAsManyGroupsAsThreadsWereAskedFor) {
    EXPECT_THAT(run("name = \"hackbench\"\nthreads = 2\nfds = 2\nloops = 2\nipc = [\"pipe\", \"socket\"]"),
                HasSubstr("hackbench, 2 threads, ipc=pipe mode=process size=100 loops=2 fds=2"));
    const auto trials = parse_trials_csv(results("trials.csv"), "trials.csv");
    ASSERT_TRUE(trials) << trials.error().message;
    EXPECT_THAT(trials->rows, testing::Contains(testing::Field(&TrialRow::metric, "Time")));
}

}  // namespace
}  // namespace pinwise
