#include "runner/config/load_experiment.hpp"

#include <filesystem>

#include <gmock/gmock.h>

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
            const auto trials = expand(*parsed, test::load(source));
            const bool refuses = !parsed->requirements.empty() && source != test::zen3_nps1;
            EXPECT_EQ(trials.has_value(), !refuses) << file << (trials ? "" : trials.error().message);
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
                HasSubstr("a string, a whole number or a list of them"));
    EXPECT_THAT(config_error(workload + "threads = []\n" + matrix), HasSubstr("empty list"));
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

TEST(LoadExperiment, AMissingFileSaysWhereConfigsLive) {
    const auto text = read_config_file("/nowhere/at-all.toml");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, ErrorKind::usage);
    EXPECT_THAT(text.error().message, HasSubstr("configs/quick.toml"));
}

TEST(ConfigAsRun, RepeatsTheRun) {
    for (const std::string& head : {std::string("# a comment\nseed = 3 # mine\nrepetitions = 9\n"),
                                    std::string("name = \"x\"\n"), std::string()}) {
        const std::string text = head + workload + matrix;
        const Experiment written = experiment(text);
        const Experiment again = experiment(config_as_run(text, written, 77, 2));
        EXPECT_EQ(again.seed, 77U) << head;
        EXPECT_EQ(again.repetitions, 2) << head;
        EXPECT_EQ(again.workloads.size(), written.workloads.size());
    }
}

TEST(ConfigAsRun, LeavesALineThatStillHolds) {
    const std::string text = "seed = 3 # mine\nrepetitions = 9\n" + workload + matrix;
    EXPECT_EQ(config_as_run(text, experiment(text), 3, 9), text);
}

}  // namespace
}  // namespace pinwise
