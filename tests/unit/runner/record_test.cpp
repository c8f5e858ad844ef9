#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "runner/record/durable_file.hpp"
#include "runner/record/machine_record.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/record/system_files.hpp"
#include "runner/record/trials_csv.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read_all(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

class Folder : public testing::Test {
protected:
    Folder() : path_(fs::path(testing::TempDir()) / ("pinwise-record-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Folder() override { fs::remove_all(path_); }

    void put(const std::string& file, const std::string& text) const {
        fs::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file, std::ios::binary) << text;
    }

    fs::path path_;
};

using DurableFileTest = Folder;

TEST_F(DurableFileTest, AppendsAndRefusesAFileThatIsThere) {
    const std::string path = path_ / "a.csv";
    auto file = DurableFile::create(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->append("one\n"));
    EXPECT_TRUE(file->append("two\n"));
    EXPECT_EQ(read_all(path), "one\ntwo\n");
    EXPECT_FALSE(DurableFile::create(path));
}

/// While it exists, files of this process cannot grow beyond a size: what a full disk looks like.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    FileSizeLimit(FileSizeLimit&&) = delete;
    FileSizeLimit& operator=(FileSizeLimit&&) = delete;
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

TEST_F(DurableFileTest, AFullDiskDamagesNothingThatWasWritten) {
    const std::string path = path_ / "a.csv";
    auto file = DurableFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("first record\n"));
    const FileSizeLimit limit(20);
    const auto written = file->append("second record\n");  // a part of it would fit
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::failure);
    EXPECT_THAT(written.error().message, HasSubstr(path));
    EXPECT_EQ(read_all(path), "first record\n");
}

using ResultsFolderTest = Folder;

TEST_F(ResultsFolderTest, HasEverythingFromTheStartAndEachTrialWhenRecorded) {
    const std::string path = path_ / "deep" / "run";
    auto folder = ResultsFolder::create(path, {"seed = 1\n", "{1}\n", "{}\n", "<topology/>\n"});
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_EQ(read_all(path + "/config.toml"), "seed = 1\n");
    EXPECT_EQ(read_all(path + "/experiment.json"), "{1}\n");
    EXPECT_EQ(read_all(path + "/machine.json"), "{}\n");
    EXPECT_EQ(read_all(path + "/topology.xml"), "<topology/>\n");
    EXPECT_EQ(read_all(path + "/trials.csv"), trials_header());
    EXPECT_TRUE(fs::is_directory(folder->output_folder()));
    const Machine machine = test::load(test::zen3_nps1);
    const auto trials = test::trials(test::four_strategies, machine);
    TrialResult result;
    result.threads.resize(2);
    EXPECT_TRUE(folder->record(machine, trials[0], result));
    EXPECT_TRUE(folder->record(machine, trials[1], failed_trial("exit 3")));
    const auto table = parse_trials_csv(read_all(folder->trials_file()), "trials.csv");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows.size(), 6U);
    EXPECT_EQ(std::ranges::count(read_all(path + "/threads.csv"), '\n'), 3);
}

TEST_F(ResultsFolderTest, ATrialThatFailsWhenNothingCanBeWrittenIsNotRecorded) {
    auto folder = ResultsFolder::create(path_ / "run", {});
    ASSERT_TRUE(folder) << folder.error().message;
    const Machine machine = test::load(test::zen3_nps1);
    const auto trials = test::trials(test::four_strategies, machine);
    {
        const FileSizeLimit limit(4000);
        EXPECT_FALSE(folder->record(machine, trials[0], failed_trial("unparsable output")));
    }
    EXPECT_EQ(read_all(folder->trials_file()), trials_header());
    EXPECT_TRUE(fs::is_empty(folder->output_folder()));
    EXPECT_TRUE(folder->record(machine, trials[0], failed_trial("unparsable output")));
}

TEST_F(ResultsFolderTest, AStateOfTheMachineThatDoesNotFitLeavesNoPartOfIt) {
    auto folder = ResultsFolder::create(path_ / "run", {});
    ASSERT_TRUE(folder) << folder.error().message;
    {
        const FileSizeLimit limit(20);
        EXPECT_FALSE(folder->add_machine("{\"a long\": \"text of some sort\"}"));
    }
    EXPECT_FALSE(fs::exists(path_ / "run" / "machine-resumed-1.json"));
}

TEST_F(ResultsFolderTest, RefusesAFolderWithSomethingInIt) {
    put("old.csv", "x");
    const auto folder = ResultsFolder::create(path_, {});
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::usage);
    EXPECT_THAT(folder.error().message, HasSubstr("not empty"));
    EXPECT_EQ(read_all(path_ / "old.csv"), "x");
}

TEST_F(ResultsFolderTest, RefusesAPathThatCannotBeAFolder) {
    put("file", "x");
    EXPECT_FALSE(ResultsFolder::create(path_ / "file" / "sub", {}));
    EXPECT_FALSE(ResultsFolder::create(path_ / "file", {}));
}

using MachineRecordTest = Folder;

TEST_F(MachineRecordTest, SaysWhatIsThereAndWhyTheRestIsNot) {
    put("proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: 0xa0\nflags\t\t: fpu hypervisor sse\n");
    put("proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    900 kB\n");
    put("proc/self/cgroup", "9:cpu:/old\n0::/slice/me\n");
    put("proc/loadavg", "0.50 0.40 0.30 1/100 77\n");
    put("sys/fs/cgroup/slice/me/cpu.max", "150000 100000\n");
    put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("sys/devices/system/cpu/smt/control", "on\n");
    put("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
    RunFacts facts;
    facts.seed = 5;
    facts.removed_variables = {{"OMP_PROC_BIND", "close"}};
    facts.first_cpu_tracing = "no tracefs";
    const auto document = nlohmann::json::parse(machine_record(test::load(test::zen3_nps1), facts, path_));
    EXPECT_EQ(document["cpu_model"], "A CPU");
    EXPECT_EQ(document["microcode"], "0xa0");
    EXPECT_EQ(document["machine_kind"], "virtual");
    EXPECT_EQ(document["memory_available"], "900 kB");
    EXPECT_EQ(document["transparent_hugepages"], "madvise");
    EXPECT_EQ(document["smt"], "on");
    EXPECT_EQ(document["mitigations"]["meltdown"], "Not affected");
    EXPECT_EQ(document["cgroup_cpu_max"], "150000 100000");
    EXPECT_EQ(document["environment_removed"]["OMP_PROC_BIND"], "close");
    EXPECT_EQ(document["seed"], 5);
    EXPECT_EQ(document["llcs"], 16);
    EXPECT_THAT(
        machine_summary(test::load(test::zen3_nps1), path_),
        testing::AllOf(HasSubstr("A CPU (virtual)"), HasSubstr("2 NUMA nodes, 16 LLCs, 128 cores, 256 of 256 CPUs"),
                       HasSubstr("load 0.50 0.40 0.30\n")));
    EXPECT_TRUE(document["numa_balancing"].is_null());
    EXPECT_THAT(document["absent"]["numa_balancing"].get<std::string>(), HasSubstr("No such file"));
    EXPECT_EQ(document["absent"]["first_cpu_tracing"], "no tracefs");
    for (const auto& [name, reason] : document["absent"].items())
        EXPECT_TRUE(document[name].is_null()) << name << ": " << reason;
}

TEST_F(MachineRecordTest, TellsEmulatedVirtualAndPhysicalApart) {
    const auto kind = [&](const std::string& cpuinfo, const std::string& product) {
        put("proc/cpuinfo", cpuinfo);
        put("sys/class/dmi/id/product_name", product);
        return nlohmann::json::parse(machine_record(Machine{}, {}, path_))["machine_kind"].get<std::string>();
    };
    EXPECT_EQ(
        kind("model name : QEMU TCG CPU version 2.5+\nflags : fpu hypervisor \n", "Standard PC (Q35 + ICH9, 2009)\n"),
        "emulated");
    EXPECT_EQ(kind("model name : AMD EPYC\nflags : fpu hypervisor \n", ""), "virtual");
    EXPECT_EQ(kind("model name : some ARM\n", "KVM Virtual Machine\n"), "virtual");
    EXPECT_EQ(kind("model name : AMD EPYC\nflags : fpu sse\n", "PowerEdge R7525\n"), "physical");
}

TEST_F(MachineRecordTest, TheMachineKindIsReadBackFromTheDocument) {
    put("proc/cpuinfo", "model name : QEMU TCG CPU\n");
    EXPECT_EQ(recorded_machine_kind(machine_record(Machine{}, {}, path_)), "emulated");
    EXPECT_EQ(recorded_machine_kind(machine_record(Machine{}, {}, path_ / "nothing")), "");
    EXPECT_EQ(recorded_machine_kind("{\"machine_kind\": 7}"), "");
    EXPECT_EQ(recorded_machine_kind("[]"), "");
    EXPECT_EQ(recorded_machine_kind("{ torn"), "");
}

TEST_F(MachineRecordTest, NeverFailsWhateverIsMissing) {
    const auto document = nlohmann::json::parse(machine_record(Machine{}, {}, path_ / "nothing"));
    EXPECT_TRUE(document["cpu_model"].is_null());
    EXPECT_TRUE(document["machine_kind"].is_null());
    EXPECT_THAT(machine_summary(Machine{}, path_ / "nothing"), HasSubstr("unknown"));
}

TEST_F(MachineRecordTest, DoesNotHoldTheHostName) {
    std::array<char, 256> host{};
    ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
    const std::string name = host.data();
    if (name.size() < 6) GTEST_SKIP() << "the host's name is too short to be looked for";
    EXPECT_THAT(machine_record(test::load("live"), {}), testing::Not(HasSubstr(name)));
}

TEST_F(MachineRecordTest, SurvivesBytesThatAreNoText) {
    RunFacts facts;
    facts.openmp_variables = {{"OMP_X", "\xff\xfe"}};
    EXPECT_TRUE(nlohmann::json::accept(machine_record(Machine{}, facts, path_)));
}

TEST(SystemFiles, TrimsNulAndLineEnds) {
    const fs::path root = fs::path(testing::TempDir()) / ("pinwise-files-" + std::to_string(getpid()));
    fs::create_directories(root);
    std::ofstream(root / "list", std::ios::binary) << std::string("0-3\n\0", 5);
    EXPECT_EQ(SystemFiles(root).read("/list").value(), "0-3");
    EXPECT_FALSE(SystemFiles(root).read("/absent"));
    fs::remove_all(root);
}

TEST(DefaultResultsPath, IsTheNameAndATimeInUtc) {
    EXPECT_THAT(default_results_path("quick"), testing::MatchesRegex("results/quick-[0-9]{8}T[0-9]{6}Z"));
}

}  // namespace
}  // namespace pinwise
