// A run that is ended at any moment goes on without losing a finished trial or counting one twice.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runner/record/experiment_record.hpp"
#include "runner/record/file_fingerprint.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/record/unfinished_rows.hpp"
#include "runner/trial/mock_executor.hpp"
#include "runner/trial/run_trials.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string experiment_toml = R"(
repetitions = 3
seed = 5
[[workload]]
name = "stream"
threads = 2
[[matrix]]
policy = ["os", "idlest"]
)";

TrialResult a_result(const TrialSpec& spec) {
    TrialResult result;
    result.metrics = {{"Copy", "MB/s", 1000.0 + spec.trial, Better::higher}};
    result.wall_s = 1;
    result.reason = "a note, with \"quotes\"\nand lines";
    result.threads.resize(2);
    return result;
}

struct Tables {
    std::string trials = trials_header();
    std::string threads = threads_header();
};

/// What a run of these trials writes, trial by trial.
std::vector<Tables> tables_after_each(const Machine& machine, const std::vector<TrialSpec>& specs) {
    std::vector<Tables> after{{}};
    for (const TrialSpec& spec : specs) {
        Tables next = after.back();
        next.threads += format_thread_rows(machine, spec, a_result(spec));
        next.trials += format_trial_rows(trial_rows(spec, a_result(spec)));
        after.push_back(std::move(next));
    }
    return after;
}

TEST(FinishedPart, IsEveryWholeTrialWhereverTheTablesWereTorn) {
    const Machine machine = test::load("synthetic:Package:1 Core:4 PU:1");
    const auto specs = interleaved_order(test::trials(experiment_toml, machine), 5);
    const auto after = tables_after_each(machine, specs);
    for (std::size_t done = 0; done + 1 < after.size(); ++done) {
        const Tables& whole = after[done];
        const Tables& next = after[done + 1];
        const auto expect_part = [&](const std::string& trials, const std::string& threads) {
            const auto part = finished_part(trials, threads, "run");
            ASSERT_TRUE(part) << part.error().message;
            EXPECT_EQ(part->trials.size(), done);
            EXPECT_EQ(part->trials_bytes, whole.trials.size());
            EXPECT_EQ(part->threads_bytes, whole.threads.size());
        };
        for (std::size_t bytes = whole.threads.size(); bytes <= next.threads.size(); ++bytes)
            expect_part(whole.trials, next.threads.substr(0, bytes));
        for (std::size_t bytes = whole.trials.size(); bytes < next.trials.size(); ++bytes)
            expect_part(next.trials.substr(0, bytes), next.threads);
    }
    const auto all = finished_part(after.back().trials, after.back().threads, "run");
    ASSERT_TRUE(all);
    EXPECT_EQ(all->trials.size(), specs.size());
}

TEST(FinishedPart, DamageElsewhereThanAtTheEndIsNoTornEnd) {
    const Machine machine = test::load("synthetic:Package:1 Core:4 PU:1");
    const auto specs = interleaved_order(test::trials(experiment_toml, machine), 5);
    const Tables whole = tables_after_each(machine, specs).back();
    std::string damaged = whole.trials;
    damaged.replace(damaged.find("Copy,1001") + 5, 4, "1e,1");
    EXPECT_THAT(finished_part(damaged, whole.threads, "run").error().message, HasSubstr("run/trials.csv:"));
    EXPECT_THAT(
        finished_part(whole.trials + whole.trials.substr(trials_header().size()), whole.threads, "run").error().message,
        HasSubstr("is in it twice"));
    EXPECT_FALSE(finished_part("", whole.threads, "run"));
    EXPECT_FALSE(finished_part(whole.trials, "no header", "run"));
}

class Resume : public testing::Test {
protected:
    Resume() : path_(fs::path(testing::TempDir()) / ("pinwise-resume-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        machine_ = test::load("synthetic:Package:1 Core:4 PU:1");
        trials_ = interleaved_order(test::trials(experiment_toml, machine_), 5);
    }
    ~Resume() override { fs::remove_all(path_); }

    [[nodiscard]] RunDescription description() const {
        return {"seed = 5\n", experiment_record({trials_, 5, 3, {{"pinwise-stream", "fnv1a:1"}}}),
                R"({"kernel": "6.1.0", "load_average": "1"})", "<topology/>\n"};
    }

    /// Runs what is not finished, at most `most` trials.
    void run(ResultsFolder& folder, std::size_t most) {
        std::vector<TrialSpec> remaining = trials_;
        std::erase_if(remaining, [&](const TrialSpec& spec) { return folder.finished().contains(spec.trial); });
        remaining.resize(std::min(most, remaining.size()));
        MockExecutor executor(a_result);
        const TrialCallbacks callbacks{.before = {}, .record = [&](const TrialSpec& spec, const TrialResult& result) {
                                           return folder.record(machine_, spec, result);
                                       }};
        ASSERT_TRUE(run_trials(remaining, executor, callbacks));
    }

    void append(const std::string& file, const std::string& text) const {
        std::ofstream(path_ / file, std::ios::binary | std::ios::app) << text;
    }

    fs::path path_;
    Machine machine_;
    std::vector<TrialSpec> trials_;
};

TEST_F(Resume, GoesOnInTheRecordedOrderAndEndsAsIfNothingHadHappened) {
    {
        auto folder = ResultsFolder::create(path_, description());
        ASSERT_TRUE(folder) << folder.error().message;
        run(*folder, 2);
    }
    append("threads.csv", format_thread_rows(machine_, trials_[2], a_result(trials_[2])));
    append("trials.csv", format_trial_rows(trial_rows(trials_[2], a_result(trials_[2]))).substr(0, 77));
    {
        auto folder = ResultsFolder::reopen(path_);
        ASSERT_TRUE(folder) << folder.error().message;
        EXPECT_EQ(folder->finished().size(), 2U);
        EXPECT_TRUE(folder->check_same(description()));
        run(*folder, 1);
    }
    auto folder = ResultsFolder::reopen(path_);
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->finished().size(), 3U);
    run(*folder, 100);
    const Tables whole = tables_after_each(machine_, trials_).back();
    EXPECT_EQ(file_text(path_ / "trials.csv"), whole.trials);
    EXPECT_EQ(file_text(path_ / "threads.csv"), whole.threads);
}

TEST_F(Resume, OneRunAtATimeWritesIntoAFolder) {
    auto first = ResultsFolder::create(path_, description());
    ASSERT_TRUE(first);
    const auto second = ResultsFolder::reopen(path_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::usage);
    EXPECT_THAT(second.error().message, HasSubstr("another run is writing into"));
}

TEST_F(Resume, AFolderWithoutAStartedRunIsRefused) {
    EXPECT_THAT(ResultsFolder::reopen(path_).error().message, HasSubstr("no results folder"));
    fs::create_directories(path_);
    append("trials.csv", trials_header().substr(0, 20));
    EXPECT_THAT(ResultsFolder::reopen(path_).error().message, HasSubstr("ended before its first trial"));
}

TEST_F(Resume, NamesWhatHasChanged) {
    const auto folder = ResultsFolder::create(path_, description());
    ASSERT_TRUE(folder);
    const auto refusal = [&](auto change) {
        RunDescription now = description();
        auto experiment = nlohmann::ordered_json::parse(now.experiment_json);
        auto machine = nlohmann::ordered_json::parse(now.machine_json);
        change(experiment, machine);
        now.experiment_json = experiment.dump();
        now.machine_json = machine.dump();
        const auto same = folder->check_same(now);
        return same ? std::string() : same.error().message;
    };
    EXPECT_THAT(refusal([](auto& experiment, auto&) { experiment["timeout_s"] = 7; }),
                HasSubstr("timeout_s was 300.0, is 7"));
    EXPECT_THAT(refusal([](auto& experiment, auto&) { experiment["programs"]["pinwise-stream"] = "fnv1a:2"; }),
                HasSubstr("programs/pinwise-stream was fnv1a:1, is fnv1a:2"));
    EXPECT_THAT(refusal([](auto& experiment, auto&) { experiment["strategies"].push_back("cpus x"); }),
                HasSubstr("strategies/2 is new: cpus x"));
    EXPECT_THAT(refusal([](auto& experiment, auto&) { experiment["cases"].clear(); }), HasSubstr("cases/0 was stream"));
    EXPECT_EQ(folder->check_same({"", "{}", "{}", ""}).error().kind, ErrorKind::usage);
    EXPECT_THAT(refusal([](auto&, auto& machine) { machine["kernel"] = "6.2.0"; }),
                HasSubstr("kernel was 6.1.0, is 6.2.0"));
    EXPECT_EQ(refusal([](auto&, auto& machine) { machine["load_average"] = "9"; }), "");
    EXPECT_EQ(refusal([](auto&, auto& machine) { machine["microcode"] = "0x1"; }), "")
        << "an older record does not have it";
}

TEST_F(Resume, ADamagedExperimentRecordIsRefused) {
    const auto folder = ResultsFolder::create(path_, description());
    ASSERT_TRUE(folder);
    std::ofstream(path_ / "experiment.json") << "{ torn";
    EXPECT_THAT(folder->check_same(description()).error().message, HasSubstr("experiment.json is no JSON object"));
}

TEST_F(Resume, KeepsTheMachinesStateOfEveryStart) {
    auto folder = ResultsFolder::create(path_, description());
    ASSERT_TRUE(folder);
    EXPECT_TRUE(folder->add_machine("{1}"));
    EXPECT_TRUE(folder->add_machine("{2}"));
    EXPECT_EQ(file_text(path_ / "machine-resumed-1.json"), "{1}");
    EXPECT_EQ(file_text(path_ / "machine-resumed-2.json"), "{2}");
}

TEST(ExperimentRecord, DoesNotChangeWithWhatOnlyHelpsToLookAtIt) {
    const Machine machine = test::load("synthetic:Package:1 Core:4 PU:1");
    const auto record = [&](const std::string& toml) {
        const auto trials = test::trials(toml, machine);
        return experiment_record({trials, 5, 3, {}});
    };
    EXPECT_EQ(record(experiment_toml), record("# a comment\nname = \"another\"\n" + experiment_toml));
    EXPECT_NE(record(experiment_toml), record("timeout_s = 1\n" + experiment_toml));
    EXPECT_NE(record(experiment_toml), record(experiment_toml + "bind = \"cpu\"\n"));
}

// The published vectors of FNV-1a.
TEST(Fingerprint, IsFnv1a) {
    EXPECT_EQ(fingerprint(""), "cbf29ce484222325");
    EXPECT_EQ(fingerprint("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(fingerprint("foobar"), "85944171f73967e8");
    const std::string path = testing::TempDir() + "/pinwise-fingerprint-" + std::to_string(getpid());
    std::ofstream(path) << "foobar";
    EXPECT_EQ(file_fingerprint(path).value(), "fnv1a:85944171f73967e8");
    fs::remove(path);
    EXPECT_FALSE(file_fingerprint(path));
}

}  // namespace
}  // namespace pinwise
