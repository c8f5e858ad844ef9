#include "runner/config/load_experiment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runner/config/config_as_run.hpp"
#include "runner/config/config_files.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using test::config_error;
using test::experiment;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string workload = "[[workload]]\nname = \"stream\"\n";
const std::string matrix = "[[matrix]]\npolicy = \"os\"\n";

TEST(LoadExperiment, ReadsEveryKey) {
    const Experiment read = experiment(R"(
name = "all-of-it"
repetitions = 7
timeout_s = 1.5
seed = 42
oversubscribe = true
workload_path = "fakes"
[[workload]]
name = "stream"
threads = [4, "2*llcs"]
size = "1 GiB"
ntimes = 20
stores = ["regular", "nontemporal"]
thp = "on"
[[matrix]]
cpus = ["all", "one-per-llc"]
policy = ["os", "idlest", "explicit:0,1"]
bind = ["initial", "cpu"]
)");
    EXPECT_EQ(read.name, "all-of-it");
    EXPECT_EQ(read.repetitions, 7);
    EXPECT_EQ(read.timeout_s, 1.5);
    EXPECT_EQ(read.seed, 42U);
    EXPECT_TRUE(read.oversubscribe);
    EXPECT_THAT(read.workload_path, testing::ElementsAre("fakes"));
    ASSERT_EQ(read.workloads.size(), 1U);
    EXPECT_EQ(read.workloads[0].threads[0].text, "4");
    EXPECT_EQ(read.workloads[0].threads[1].text, "2*llcs");
    EXPECT_EQ(read.workloads[0].options[3].second.size(), 2U);
    ASSERT_EQ(read.matrix.size(), 1U);
    EXPECT_EQ(read.matrix[0].policy[2].text, "explicit:0,1");
    EXPECT_EQ(read.matrix[0].cpus[1].line, 16);
}

TEST(LoadExperiment, LeavesOutWhatHasADefault) {
    const Experiment read = experiment(workload + matrix);
    EXPECT_EQ(read.name, "test");
    EXPECT_EQ(read.repetitions, 5);
    EXPECT_FALSE(read.seed);
    EXPECT_EQ(read.workloads[0].threads[0].text, "llcs");
    EXPECT_EQ(read.matrix[0].cpus[0].text, "all");
}

TEST(LoadExperiment, TheShippedConfigsAreRight) {
    for (const auto& entry : std::filesystem::directory_iterator(PINWISE_SOURCE_DIR "/configs")) {
        const std::string file = entry.path().filename().string();
        const auto parsed = parse_experiment(test::shipped_config(file), file);
        ASSERT_TRUE(parsed) << parsed.error().message;
        for (const std::string_view source :
             {std::string_view(test::zen3_nps1), std::string_view("synthetic:Package:1 Core:1 PU:1"),
              std::string_view("synthetic:Package:1 L3Cache:1 Core:2 PU:2")}) {
            const Machine machine = test::load(source);
            const bool refuses = !parsed->requirements.empty() && source != test::zen3_nps1;
            EXPECT_EQ(check_requirements(*parsed, machine).has_value(), !refuses) << file;
            if (refuses) continue;
            const auto trials = expand(*parsed, machine);
            EXPECT_TRUE(trials) << file << (trials ? "" : trials.error().message);
        }
    }
}

TEST(LoadExperiment, ARequirementNeedsAConditionAndAReason) {
    const std::string needs = "[[requires]]\ncondition = \"nodes >= 2\"\n";
    EXPECT_THAT(config_error(needs + workload + matrix), StartsWith("test.toml:1: [[requires]] needs a condition and"));
    EXPECT_THAT(config_error(needs + "reason = 3\n" + workload + matrix), HasSubstr("test.toml:3: reason must be"));
    EXPECT_THAT(config_error(needs + "because = \"x\"\n" + workload + matrix), HasSubstr("unknown key \"because\""));
    const Experiment read = experiment(needs + "reason = \"why\"\n" + workload + matrix);
    ASSERT_EQ(read.requirements.size(), 1U);
    EXPECT_EQ(read.requirements[0].condition.text, "nodes >= 2");
    EXPECT_EQ(read.requirements[0].condition.line, 2);
    EXPECT_EQ(read.requirements[0].reason, "why");
}

TEST(LoadExperiment, AnUnknownKeyIsNamedWithItsLineAndTheNearestKey) {
    EXPECT_EQ(config_error("name = \"x\"\nrepetition = 3\n" + workload + matrix),
              "test.toml:2: unknown key \"repetition\" in the config; did you mean \"repetitions\"?");
    EXPECT_THAT(config_error(workload + "ntime = 3\n" + matrix),
                StartsWith("test.toml:3: unknown key \"ntime\" in [[workload]] stream; did you mean \"ntimes\"?"));
    EXPECT_THAT(config_error(workload + matrix + "polcy = \"os\"\n"),
                StartsWith("test.toml:5: unknown key \"polcy\" in [[matrix]]; did you mean \"policy\"?"));
    EXPECT_THAT(config_error("colour = 1\n" + workload + matrix), HasSubstr("known: name, repetitions"));
}

TEST(LoadExperiment, AWrongTypeSaysWhichIsRight) {
    EXPECT_EQ(config_error("repetitions = \"3\"\n" + workload + matrix),
              "test.toml:1: repetitions must be a whole number, not a string");
    EXPECT_EQ(config_error("repetitions = 3.5\n" + workload + matrix),
              "test.toml:1: repetitions must be a whole number, not a number with a fraction");
    EXPECT_THAT(config_error("timeout_s = \"a minute\"\n" + workload + matrix),
                HasSubstr("must be a number of seconds"));
    EXPECT_THAT(config_error("oversubscribe = 1\n" + workload + matrix),
                HasSubstr("must be true or false, not a whole number"));
    EXPECT_THAT(config_error("name = 1\n" + workload + matrix), HasSubstr("name must be a string"));
    EXPECT_THAT(config_error("workload = 1\n" + matrix), HasSubstr("must be a table [[workload]]"));
    EXPECT_THAT(config_error(workload + "threads = true\n" + matrix),
                HasSubstr("a string, a number or a list of them"));
    EXPECT_THAT(config_error(workload + "threads = nan\n" + matrix), HasSubstr("a string, a number or a list of them"));
    EXPECT_THAT(config_error(workload + "threads = []\n" + matrix), HasSubstr("empty list"));
}

TEST(LoadExperiment, ANumberWithAFractionIsAValueLikeOthers) {
    const Experiment read =
        test::experiment("[[workload]]\nname = \"numa_test\"\ndisturb_after = [0.5, 2, \"3\"]\n" + matrix);
    const auto& options = read.workloads[0].options;
    const auto found =
        std::ranges::find(options, "disturb_after", &std::pair<std::string, std::vector<ConfigValue>>::first);
    ASSERT_NE(found, options.end());
    ASSERT_EQ(found->second.size(), 3U);
    EXPECT_EQ(found->second[0].text, "0.5");
    EXPECT_EQ(found->second[1].text, "2");
}

TEST(LoadExperiment, ABadValueSaysWhatIsAllowed) {
    EXPECT_EQ(config_error("repetitions = 0\n" + workload + matrix),
              "test.toml:1: repetitions is 0; it must be between 1 and 100000");
    EXPECT_THAT(config_error("timeout_s = 0\n" + workload + matrix), HasSubstr("more than 0"));
    EXPECT_THAT(config_error("timeout_s = nan\n" + workload + matrix), HasSubstr("more than 0"));
    EXPECT_THAT(config_error("seed = -1\n" + workload + matrix), HasSubstr("seed is -1"));
    EXPECT_THAT(config_error("name = \"../etc\"\n" + workload + matrix), HasSubstr("letters, digits"));
    EXPECT_THAT(config_error(workload + "stores = \"fast\"\n" + matrix),
                HasSubstr("test.toml:3: stores \"fast\": it must be one of auto, regular, nontemporal"));
    EXPECT_THAT(config_error(workload + "ntimes = 1\n" + matrix), HasSubstr("at least 2"));
    std::string deep = "a";
    for (int part = 0; part < 100000; ++part)
        deep += ".a";
    EXPECT_THAT(config_error(workload + deep + " = 1\n" + matrix), HasSubstr("nested too deeply"));
    for (const char* const size : {"3 XB", "MiB", "-4MiB", "0", "nan", "inf", "autos"})
        EXPECT_THAT(config_error(workload + "size = \"" + size + "\"\n" + matrix), HasSubstr("bytes with a unit"))
            << size;
    for (const char* const size : {"auto", "1000003", "256MiB", "1.5 GB"})
        EXPECT_TRUE(parse_experiment(workload + "size = \"" + size + "\"\n" + matrix, "test.toml")) << size;
    EXPECT_THAT(config_error("[[workload]]\nname = \"strem\"\n" + matrix),
                StartsWith("test.toml:2: unknown workload \"strem\"; did you mean \"stream\"?"));
    EXPECT_THAT(config_error("[[workload]]\nthreads = 1\n" + matrix), HasSubstr("has no name"));
    EXPECT_THAT(config_error(workload + "[[matrix]]\npolicy = \"idelst\"\n"),
                AllOf(StartsWith("test.toml:4: "), HasSubstr("idlest")));
    EXPECT_THAT(config_error(workload + "[[matrix]]\nbind = \"tight\"\n"), StartsWith("test.toml:4: "));
    EXPECT_THAT(config_error(workload + "[[matrix]]\nmemory = \"interleaf\"\n"),
                StartsWith("test.toml:4: unknown memory policy \"interleaf\": did you mean interleave"));
}

TEST(LoadExperiment, MissingTablesAreNamed) {
    EXPECT_THAT(config_error(matrix), HasSubstr("no [[workload]] table"));
    EXPECT_THAT(config_error(workload), HasSubstr("no [[matrix]] table"));
}

TEST(LoadExperiment, ASyntaxErrorHasItsLine) {
    EXPECT_THAT(config_error("name = \"x\"\nseed = = 3\n"), StartsWith("test.toml:2: "));
}

TEST(LoadExperiment, ZipTakesListsInLockStepAndCrossesTheRest) {
    const Experiment read = experiment(workload + "threads = [1, 2]\nsize = [\"1 MiB\", \"2 MiB\"]\nntimes = [2, 3]\n" +
                                       "zip = [\"threads\", \"size\"]\n" +
                                       "[[matrix]]\npolicy = [\"os\", \"idlest\"]\nbind = [\"initial\", \"cpu\"]\n"
                                       "memory = [\"interleave\", \"first-touch\"]\nzip = [\"policy\", \"bind\"]\n");
    ASSERT_EQ(read.workloads.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_EQ(read.workloads[i].threads.size(), 1U);
        EXPECT_EQ(read.workloads[i].threads[0].text, i == 0 ? "1" : "2");
        EXPECT_EQ(read.workloads[i].options[0].second.at(0).text, i == 0 ? "1 MiB" : "2 MiB");
        EXPECT_EQ(read.workloads[i].options[2].second.size(), 2U) << "ntimes is crossed";
        EXPECT_EQ(read.matrix[i].policy.size(), 1U);
        EXPECT_EQ(read.matrix[i].bind.at(0).text, i == 0 ? "initial" : "cpu");
        EXPECT_EQ(read.matrix[i].memory.size(), 2U);
    }
    EXPECT_EQ(read.matrix.size(), 2U);
}

TEST(LoadExperiment, ZipNeedsListsOfEqualLengthThatAreThere) {
    EXPECT_EQ(
        config_error(workload + "threads = [1, 2]\nntimes = [2, 3, 4]\nzip = [\"threads\", \"ntimes\"]\n" + matrix),
        "test.toml:5: zip takes lists of equal length; threads has 2 values, ntimes has 3");
    EXPECT_THAT(config_error(workload + matrix + "zip = [\"policy\", \"bond\"]\n"),
                StartsWith("test.toml:5: zip names \"bond\", which is no key of this table; did you mean \"bind\"?"));
}

TEST(LoadExperiment, DefaultsGiveWayToTablesAndSetWins) {
    const std::string text = "[defaults]\nntimes = 4\nbind = \"cpu\"\nthreads = 3\n[set]\nsize = \"1 MiB\"\n" +
                             workload + "threads = 2\nsize = \"5 MiB\"\n" + workload + matrix;
    const Experiment read = experiment(text);
    ASSERT_EQ(read.workloads.size(), 2U);
    EXPECT_EQ(read.workloads[0].threads.at(0).text, "2");
    EXPECT_EQ(read.workloads[1].threads.at(0).text, "3");
    EXPECT_EQ(read.workloads[0].options[0].second.at(0).text, "1 MiB");
    EXPECT_EQ(read.workloads[1].options[2].second.at(0).text, "4");
    EXPECT_EQ(read.matrix[0].bind.at(0).text, "cpu");
    EXPECT_THAT(config_error("[defaults]\nntime = 4\n" + workload + matrix),
                AllOf(StartsWith("test.toml:2: unknown key \"ntime\" in [defaults]"), HasSubstr("ntimes")));
    EXPECT_THAT(config_error("[set]\nclass = \"S\"\n" + workload + matrix), HasSubstr("unknown key \"class\" in [set]"))
        << "no workload of this config has classes";
    EXPECT_THAT(config_error("set = {ntimes = 3}\n" + workload + matrix), HasSubstr("a table [set] of its own"));
}

std::string setting_error(const std::string& text, const std::string& toml = workload + matrix) {
    const auto setting = parse_setting(text);
    if (!setting) return setting.error().message;
    const std::array settings{*setting};
    const auto parsed = parse_experiment(toml, "test.toml", settings);
    return parsed ? "" : parsed.error().message;
}

TEST(Settings, AreCheckedAsTheFileIs) {
    EXPECT_EQ(setting_error("repetitions=3"), "");
    EXPECT_EQ(setting_error("cpus=0-7"), "") << "not a date, not a sum: a string";
    EXPECT_EQ(setting_error("policy=[\"os\", \"idlest\"]"), "");
    EXPECT_EQ(setting_error("repetitions=many"), "--set: repetitions must be a whole number, not a string");
    EXPECT_EQ(setting_error("repetitions=0"), "--set: repetitions is 0; it must be between 1 and 100000");
    EXPECT_THAT(setting_error("ntime=3"),
                AllOf(StartsWith("--set: unknown key \"ntime\" in [set]"), HasSubstr("did you mean \"ntimes\"?")));
    EXPECT_THAT(setting_error("ntimes=1"), StartsWith("--set: ntimes \"1\": it must be a whole number"));
    EXPECT_THAT(setting_error("ntimes"), HasSubstr("key=value is needed"));
    EXPECT_THAT(setting_error("=3"), HasSubstr("key=value is needed"));
    EXPECT_THAT(setting_error("a.b=3"), HasSubstr("is no key of a config"));
    EXPECT_THAT(setting_error("workload=3"), StartsWith("--set: unknown key \"workload\""));
}

TEST(Settings, WinOverTheFileAndAreRecordedInIt) {
    const std::vector<std::string> heads{
        "# a comment\nseed = 3 # mine\nrepetitions = 9\n",
        "name = \"x\"\n",
        "",
        "workload_path = [\n  \"a\",\n  \"b\",\n]\nset.ntimes = 7\n",
        "[set]\nstores = \"regular\"\n",
        "[set]\nntimes = 7\n",
    };
    const std::vector<Setting> settings{{"seed", "77"},
                                        {"repetitions", "2"},
                                        {"ntimes", "[5, 6]"},
                                        {"policy", "\"idlest\""},
                                        {"workload_path", R"(["c"])"}};
    for (const std::string& head : heads) {
        const std::string text = head + workload + "ntimes = 3\n" + matrix;
        const auto set = parse_experiment(text, "test.toml", settings);
        ASSERT_TRUE(set) << set.error().message;
        const std::string as_run = config_as_run(text, settings);
        for (const Experiment& each : {*set, experiment(as_run)}) {
            EXPECT_EQ(each.seed, 77U) << as_run;
            EXPECT_EQ(each.repetitions, 2) << as_run;
            ASSERT_EQ(each.workloads.size(), 1U);
            EXPECT_EQ(each.workloads[0].options[2].second.size(), 2U) << as_run;
            EXPECT_EQ(each.matrix.at(0).policy.at(0).text, "idlest") << as_run;
            EXPECT_THAT(each.workload_path, testing::ElementsAre("c")) << as_run;
        }
        EXPECT_EQ(config_as_run(as_run, settings), as_run) << "they hold already";
    }
}

TEST(Settings, ALineThatStillHoldsStays) {
    const std::string text = "seed = 3 # mine\nrepetitions = 9\n" + workload + matrix;
    EXPECT_EQ(config_as_run(text, std::vector<Setting>{{"seed", "3"}, {"repetitions", "9"}}), text);
}

TEST(ConfigSeenFrom, MovesRelativePathsAndNothingElse) {
    const std::string text =
        "workload_path = [\"fakes\", \"/abs\"]\n[[workload]]\nname = \"external\"\nlabel = \"a\"\n"
        "command = [\"./go\"]\nworking_directory = \"work\"  # mine\n" +
        matrix;
    const std::string moved = config_seen_from("/x/results/a", "/x/configs", text);
    EXPECT_THAT(experiment(moved).workload_path, testing::ElementsAre("../../configs/fakes", "/abs"));
    EXPECT_THAT(moved, AllOf(HasSubstr("working_directory = '../../configs/work'"), HasSubstr("command = [\"./go\"]")));
    EXPECT_EQ(config_seen_from("/x", "/y", workload + matrix), workload + matrix);
}

class ConfigFiles : public testing::Test {
protected:
    ConfigFiles()
        : folder_(std::filesystem::path(testing::TempDir()) / ("pinwise-configs-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "zen3-stream8.toml")
            << "# STREAM on a\n# Zen3 (A. Author). More of it.\nname = \"x\"\n";
        std::ofstream(folder_ / "quick.toml") << "name = \"x\"\n";
    }
    ~ConfigFiles() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
};

TEST_F(ConfigFiles, AreListedByNameWithTheirFirstSentence) {
    const auto configs = list_configs({folder_, folder_, "/nowhere"});
    ASSERT_EQ(configs.size(), 2U);
    EXPECT_EQ(configs[0].name, "quick");
    EXPECT_EQ(configs[0].summary, "");
    EXPECT_EQ(configs[1].name, "zen3-stream8");
    EXPECT_EQ(configs[1].summary, "STREAM on a Zen3 (A. Author)");
}

TEST_F(ConfigFiles, AreFoundByNameOrPathAndAnUnknownNameListsThem) {
    EXPECT_EQ(find_config("quick", {folder_}).value(), folder_ / "quick.toml");
    EXPECT_EQ(find_config(folder_ / "quick.toml", {}).value(), folder_ / "quick.toml");
    for (const char* const name : {"zen3", "zen3-stream9"}) {
        const auto unknown = find_config(name, {folder_});
        ASSERT_FALSE(unknown);
        EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
        EXPECT_THAT(unknown.error().message,
                    AllOf(HasSubstr("did you mean zen3-stream8?"), HasSubstr("there are quick, zen3-stream8;")));
    }
    EXPECT_THAT(find_config("something-else-entirely", {folder_}).error().message,
                AllOf(testing::Not(HasSubstr("did you mean")), HasSubstr("there are quick, zen3-stream8;")));
    EXPECT_FALSE(find_config(folder_, {folder_})) << "a folder is no config";
}

TEST(ReadConfigFile, AMissingOneIsTheUsersMistake) {
    const auto text = read_config_file("/nowhere/at-all.toml");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, ErrorKind::usage);
}

/// Names in the first column of the page's tables, between two headings.
std::set<std::string> documented_keys(const std::string& page, const std::string& from, const std::string& to) {
    const std::size_t begin = page.find("\n## " + from);
    const std::size_t end = page.find("\n## " + to, begin);
    EXPECT_TRUE(begin != std::string::npos && end != std::string::npos) << from << " to " << to;
    std::set<std::string> keys;
    std::istringstream lines(page.substr(begin, end - begin));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `")) continue;
        std::istringstream cell(line.substr(0, line.find(" | ", 2)));
        for (std::string part; std::getline(cell, part, '`') && std::getline(cell, part, '`');)
            keys.insert(part);
    }
    return keys;
}

TEST(ConfigKeys, TheParserAndThePageKnowTheSameOnes) {
    const std::string page = read_config_file(PINWISE_SOURCE_DIR "/docs/config.md").value_or("");
    std::map<std::string, std::set<std::string>> known;
    for (const ConfigKey& key : known_config_keys()) {
        const bool of_tables = key.table == "" || key.table == "requires" || key.table == "matrix";
        known[of_tables ? std::string(key.table) : "workload"].insert(std::string(key.key));
    }
    EXPECT_EQ(documented_keys(page, "Top level", "`[[requires]]`"), known[""]);
    EXPECT_EQ(documented_keys(page, "`[[requires]]`", "`[[workload]]`"), known["requires"]);
    EXPECT_EQ(documented_keys(page, "`[[workload]]`", "`[[matrix]]`"), known["workload"]);
    EXPECT_EQ(documented_keys(page, "`[[matrix]]`", "`[defaults]`"), known["matrix"]);
}

}  // namespace
}  // namespace pinwise
