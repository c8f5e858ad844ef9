// `pinwise run --resume`, --set, `validate` and `doctor` through the command line.

#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/e2e/run/run_fixture.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::read_all;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Resume : public test::RunFixture {
protected:
    /// Starts pinwise and kills it, kill -9, after a while. True when it had ended by itself before.
    [[nodiscard]] bool killed_too_late(const std::string& arguments, std::chrono::milliseconds after) const {
        const std::string line = command(arguments);
        const pid_t pid = fork();
        if (pid == 0) {
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(127);
        }
        std::this_thread::sleep_for(after);
        kill(pid, SIGKILL);
        int status = 0;
        waitpid(pid, &status, 0);
        return WIFEXITED(status);
    }

    /// Trial and position of every trial, in the order of the file.
    [[nodiscard]] std::vector<std::pair<int, int>> order(const std::string& results) const {
        std::vector<std::pair<int, int>> found;
        for (const TrialRow& row : rows(results))
            if (row.metric == "wall") found.emplace_back(row.trial, row.position);
        return found;
    }
};

TEST_F(Resume, AfterAnyNumberOfKillsItEndsAsIfThereHadBeenNone) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 3\nseed = 3\nnoise_floor = false\n",
           "[[matrix]]\npolicy = [\"os\", \"idlest\"]\nbind = [\"initial\", \"cpu\"]\n");
    ASSERT_EQ(pinwise("run test.toml -o whole").status, 0);
    std::chrono::milliseconds after{40};
    bool ended = false;
    // A run that was killed before its first trial leaves nothing to go on with.
    const auto next_command = [&] {
        const fs::path trials = folder_ / "results" / "trials.csv";
        if (fs::exists(trials) && !read_all(trials).empty()) return "run --resume results";
        fs::remove_all(folder_ / "results");
        return "run test.toml -o results";
    };
    for (int kills = 0; kills < 8 && !ended; ++kills, after += std::chrono::milliseconds(20))
        ended = killed_too_late(next_command(), after);
    const int status = ended ? 0 : pinwise(next_command()).status;
    ASSERT_EQ(status, 0) << read_all(folder_ / "err");
    EXPECT_EQ(order("results"), order("whole"));
    EXPECT_EQ(rows("results").size(), rows("whole").size());
    const Ended validated = pinwise("validate results whole");
    EXPECT_EQ(validated.status, 0) << validated.out;
}

TEST_F(Resume, RunsWhatIsMissingAndPrintsTheWholeTable) {
    fake_workload("echo \"$good\" > \"$json\"; echo x >> ran");
    config("repetitions = 4\n");
    ASSERT_EQ(pinwise("run test.toml -o results").status, 0);
    const std::string whole = read_all(folder_ / "results" / "trials.csv");
    const std::size_t line = whole.find("\r\n1,3,");
    ASSERT_NE(line, std::string::npos);
    fs::resize_file(folder_ / "results" / "trials.csv", line + 12);
    EXPECT_EQ(pinwise("validate results").status, 1);
    EXPECT_THAT(pinwise("validate results").out,
                AllOf(HasSubstr("torn"), HasSubstr("2 of 4 trials: the run was ended early")));
    const Ended resumed = pinwise("run --resume results");
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_THAT(resumed.out, AllOf(HasSubstr("4 trials (2 of them are there already)"), HasSubstr("n (trials)")));
    EXPECT_EQ(read_all(folder_ / "ran"), "x\nx\nx\nx\nx\nx\n") << "four trials, and two once more";
    EXPECT_EQ(rows().size(), 4U * 4);
    EXPECT_TRUE(fs::exists(folder_ / "results" / "machine-resumed-1.json"));
    EXPECT_EQ(pinwise("validate results").status, 0) << read_all(folder_ / "out");
    const Ended again = pinwise("run --resume results");
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(read_all(folder_ / "ran").size(), 12U) << "nothing is left to run";
}

TEST_F(Resume, RefusesAChangedConfigOrProgramAndSaysWhatChanged) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 2\n");
    ASSERT_EQ(pinwise("run test.toml -o results").status, 0);
    fake_workload("echo \"$good\" > \"$json\"; true");
    EXPECT_EQ(pinwise("run --resume results").status, 2);
    EXPECT_THAT(read_all(folder_ / "err"), HasSubstr("programs/pinwise-stream was fnv1a:"));
    fake_workload("echo \"$good\" > \"$json\"");
    EXPECT_EQ(pinwise("run --resume results").status, 0);
    const std::string config = read_all(folder_ / "results" / "config.toml");
    std::ofstream(folder_ / "results" / "config.toml") << "# only a remark\n" << config;
    EXPECT_EQ(pinwise("run --resume results").status, 0) << read_all(folder_ / "err");
    std::ofstream(folder_ / "results" / "config.toml") << "timeout_s = 5\n" << config;
    EXPECT_EQ(pinwise("run --resume results").status, 2);
    EXPECT_THAT(read_all(folder_ / "err"),
                AllOf(HasSubstr("results are never mixed"), HasSubstr("timeout_s was 300.0, is 5.0")));
    EXPECT_EQ(pinwise("run test.toml --resume results").status, 2) << "the folder has its config";
    EXPECT_EQ(pinwise("run --resume nowhere").status, 2);
}

TEST_F(Resume, AProgramDoesNotOutliveAKilledRunner) {
    fake_workload("touch started; exec sleep 12345.75");
    config();
    const std::string line = command("run test.toml -o results");
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        _exit(127);
    }
    for (int i = 0; i < 1000 && !fs::exists(folder_ / "started"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(pinwise("run --resume results").status, 2);
    EXPECT_THAT(read_all(folder_ / "err"), HasSubstr("another run is writing into results"));
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    int found = 0;
    for (int i = 0; i < 400 && found == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        found = std::system("pgrep -f 'sleep 12345[.]75' >/dev/null");
    }
    EXPECT_NE(found, 0);
}

TEST_F(Resume, SettingsWinOverTheConfigAndAreKeptInTheFolder) {
    fake_workload("echo \"$good\" > \"$json\"");
    config("repetitions = 9\n");
    const Ended ran = pinwise("run test.toml -o deep/results --set repetitions=2 --set ntimes=7 --set policy=idlest");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(rows("deep/results").size(), 2U * 4);
    for (const TrialRow& row : rows("deep/results")) {
        EXPECT_THAT(row.parameters, HasSubstr("ntimes=7"));
        EXPECT_EQ(row.policy, "idlest");
    }
    const Ended repeated = pinwise("run deep/results/config.toml -o again");
    ASSERT_EQ(repeated.status, 0) << repeated.err << "the copy finds the same programs";
    EXPECT_EQ(order("again"), order("deep/results"));
    EXPECT_EQ(pinwise("run test.toml --set ntime=7").err,
              "pinwise: --set: unknown key \"ntime\" in [set], which takes what a table of this config takes; did you "
              "mean \"ntimes\"?\n");
}

TEST_F(Resume, ADryRunNamesWhatTheMachineLacksAndPrintsTheTrials) {
    fake_workload("touch ran");
    config(
        "repetitions = 1\n[[requires]]\ncondition = \"nodes >= 99\"\nreason = \"first\"\n[[requires]]\ncondition = "
        "\"cpus >= 60000\"\nreason = \"second\"\n[[requires]]\ncondition = \"cpus >= 1\"\nreason = \"third\"\n");
    // The keys of config() that follow belong to the top level.
    const std::string text = read_all(folder_ / "test.toml");
    const std::size_t path = text.find("workload_path");
    std::ofstream(folder_ / "test.toml") << "workload_path = \"fakes\"\n"
                                         << text.substr(0, path) << text.substr(text.find("[[workload]]"));
    const Ended dry = pinwise("run test.toml --dry-run");
    EXPECT_EQ(dry.status, 2);
    EXPECT_THAT(dry.out, HasSubstr("1 trial, seed"));
    EXPECT_THAT(dry.err, AllOf(HasSubstr("first"), HasSubstr("second"), Not(HasSubstr("third"))));
    const Ended real = pinwise("run test.toml -o results");
    EXPECT_EQ(real.status, 2);
    EXPECT_EQ(real.err, dry.err);
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

class Validate : public Resume {
protected:
    void SetUp() override {
        fake_workload("echo \"$good\" > \"$json\"");
        config("repetitions = 2\nnoise_floor = false\n", "[[matrix]]\npolicy = [\"os\", \"idlest\"]\n");
        ASSERT_EQ(pinwise("run test.toml -o results -q").status, 0);
    }

    /// Replaces the first `from` in a file of the results; what validate then says, and that it says it with status 1.
    [[nodiscard]] std::string after(const std::string& file, const std::string& from, const std::string& to) const {
        const fs::path path = folder_ / "results" / file;
        const std::string before = read_all(path);
        std::string text = before;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << file << ": " << from;
        if (at != std::string::npos) text.replace(at, from.size(), to);
        std::ofstream(path, std::ios::binary) << text;
        const Ended ended = pinwise("validate results");
        EXPECT_EQ(ended.status, 1) << ended.out;
        std::ofstream(path, std::ios::binary) << before;
        return ended.out;
    }
};

TEST_F(Validate, FindsNothingWrongWithAFreshRun) {
    const Ended ended = pinwise("validate results");
    EXPECT_EQ(ended.status, 0);
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("results: 4 trials, 16 rows, 0 failed"), HasSubstr("1 checked, 0 problems")));
    EXPECT_THAT(pinwise("validate .").out, HasSubstr("1 checked, 0 problems")) << "folders are found at any depth";
    EXPECT_EQ(pinwise("validate nowhere").status, 2);
    EXPECT_EQ(pinwise("validate fakes").status, 2);
}

TEST_F(Validate, FindsWhatDoesNotAgree) {
    EXPECT_THAT(after("trials.csv", "Copy,1000.5", "Copy,fast"), HasSubstr("results/trials.csv:2: value is \"fast\""));
    EXPECT_THAT(after("trials.csv", "Copy,1000.5", "Copy,"), HasSubstr("no value, and no reason"));
    EXPECT_THAT(after("trials.csv", ",wall,", ",Copy,"), HasSubstr("metric Copy of trial"));
    EXPECT_THAT(after("trials.csv", ",sys,", ",other,"), HasSubstr("has no row sys"));
    EXPECT_THAT(after("trials.csv", ",os,none,", ",node,none,"), HasSubstr("in more than the metric"));
    EXPECT_THAT(after("machine.json", "\"nodes\": ", "\"nodes\": 7"), HasSubstr("topology.xml has"));
    EXPECT_THAT(after("machine.json", "\"seed\"", "seed"), HasSubstr("machine.json: is no JSON object"));
    EXPECT_THAT(after("experiment.json", "\"trials\": 4", "\"trials\": 5"), HasSubstr("4 of 5 trials"));
    EXPECT_THAT(after("experiment.json", "policy idlest", "policy llc"), HasSubstr("its strategy is none of"));
    EXPECT_THAT(after("config.toml", "seed = ", "seed = 1"), HasSubstr("its seed is not that of experiment.json"));
    EXPECT_THAT(after("output/0001.json", "true", "false"), HasSubstr("says that verification failed"));
    EXPECT_THAT(after("threads.csv", "\r\n1,1,1,", "\r\n1,9,1,"), HasSubstr("trial 9 is not in trials.csv"));
    EXPECT_THAT(after("topology.xml", "<topology", "<nothing"), HasSubstr("topology.xml"));
    const std::string labels = rows().front().labels;
    EXPECT_THAT(after("trials.csv", "," + labels + ",", ",emulated-machine,"), HasSubstr("has labels"));
    EXPECT_THAT(after("trials.csv", "," + labels + ",", ",so-so,"), HasSubstr("label \"so-so\" is not known"));
}

TEST_F(Validate, AMissingDocumentOfAFinishedTrialIsFound) {
    fs::remove(folder_ / "results" / "output" / "0002.json");
    EXPECT_THAT(pinwise("validate results").out, HasSubstr("output/0002.json: is missing"));
    fs::remove_all(folder_ / "results" / "output");
    EXPECT_EQ(pinwise("validate results").status, 0) << "published without them";
}

TEST(PublishedResults, AreValid) {
    const std::string out = testing::TempDir() + "/pinwise-published-" + std::to_string(getpid());
    const int status = std::system(
        fmt::format("'{}/pinwise' validate '{}/results' >'{}' 2>&1", PINWISE_BIN_DIR, PINWISE_SOURCE_DIR, out).c_str());
    const std::string said = read_all(out);
    fs::remove(out);
    EXPECT_EQ(WEXITSTATUS(status), 0) << said;
    EXPECT_THAT(said, HasSubstr("results/published/2022-stream8-zen3"));
}

TEST(DoctorCommand, SaysWhatIsLackingAsTextAndAsJson) {
    const std::string out = testing::TempDir() + "/pinwise-doctor-out-" + std::to_string(getpid());
    const int status = std::system(fmt::format("'{}/pinwise' doctor --json >'{}'", PINWISE_BIN_DIR, out).c_str());
    const auto document = nlohmann::json::parse(read_all(out), nullptr, false);
    ASSERT_TRUE(document.is_object());
    EXPECT_EQ(WEXITSTATUS(status), document["lacking"] == 0 ? 0 : 1);
    EXPECT_EQ(document["findings"].size(), 22U);
    std::system(fmt::format("'{}/pinwise' doctor >'{}'", PINWISE_BIN_DIR, out).c_str());
    EXPECT_THAT(read_all(out), HasSubstr("affinity"));
    fs::remove(out);
}

}  // namespace
}  // namespace pinwise
