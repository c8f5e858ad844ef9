#include "runner/report/answer.hpp"

#include <gmock/gmock.h>

namespace pinwise::report {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Trials of two strategies: their Triad rates, and the wall time that goes with it.
std::vector<TrialRow> two_strategies(const std::vector<double>& control, const std::vector<double>& placed) {
    std::vector<TrialRow> rows;
    int trial = 0;
    for (const auto* const values : {&control, &placed}) {
        for (const double value : *values) {
            TrialRow row;
            row.trial = ++trial;
            row.repetition = trial;
            row.position = trial;
            row.workload = "stream";
            row.threads = 8;
            row.cpus = values == &control ? "all" : "one-per-thread";
            row.policy = values == &control ? "os" : "idlest";
            row.bind = values == &control ? "none" : "cpu";
            row.first_cpu_means = values == &control ? "tracepoint" : "agent";
            row.status = value > 0 ? "ok" : "failed";
            row.reason = value > 0 ? "" : "timeout(60 s)";
            row.metric = "Copy";
            row.unit = "MB/s";
            if (value > 0) row.value = 2 * value;
            rows.push_back(row);
            row.metric = "Triad";
            if (value > 0) row.value = value;
            rows.push_back(row);
        }
    }
    // The two run in turns, as pinwise run does.
    for (TrialRow& row : rows) {
        const auto first = static_cast<int>(control.size());
        row.position = row.trial <= first ? 2 * row.trial : 2 * (row.trial - first) + 1;
    }
    return rows;
}

Answer answer(const std::vector<TrialRow>& rows, const std::vector<StrategyPlacement>& placements = {},
              std::string_view machine_kind = "physical") {
    return answer_of(compare(rows).at(0), placements, machine_kind);
}

const std::vector<double> around_100{99, 100, 101, 100.5, 99.5, 100.2, 99.8, 100.1};
const std::vector<double> around_150{149, 150, 151, 150.5, 149.5, 150.2, 149.8, 150.1};
const std::vector<double> mixed{99.1, 100.9, 101.2, 98.9, 100.3, 99.7, 100.05, 99.95};

TEST(Answer, NamesTheBestStrategyWithItsChangeAndInterval) {
    const Answer found = answer(two_strategies(around_100, around_150));
    EXPECT_EQ(found.question,
              "Where should 8 threads of stream run, and how much is that worth against OS default, cpus all?");
    EXPECT_THAT(
        found.headline,
        testing::MatchesRegex("Largest gain: idlest, cpus one-per-thread, bind cpu: Triad \\+50.0 % \\(95 % interval "
                              "4[0-9.]* to 5[0-9.]*\\) against OS default, cpus all."));
    EXPECT_THAT(found.sentences, Contains(HasSubstr("told apart from the baseline by 8 against 8 trials")));
}

TEST(Answer, SaysThatWorseIsWorse) {
    EXPECT_THAT(answer(two_strategies(around_150, around_100)).headline,
                AllOf(HasSubstr("Nothing gains against OS default"), HasSubstr("Triad -33.3 %")));
}

TEST(Answer, SaysNoiseWhereTheTrialsDoNotTell) {
    const Answer found = answer(two_strategies(around_100, mixed));
    EXPECT_THAT(found.headline, HasSubstr("No difference: no strategy can be told from OS default"));
    EXPECT_THAT(found.sentences, Contains(HasSubstr("cannot be told from noise")));
}

TEST(Answer, SaysThatTrialsAreTooFew) {
    const Answer found = answer(two_strategies({100, 101}, {150, 151}));
    EXPECT_THAT(found.headline, HasSubstr("No answer yet: too few trials"));
    EXPECT_THAT(found.sentences, Contains(HasSubstr("too few to tell it from noise")));
    EXPECT_THAT(found.headline, Not(HasSubstr("gain")));
}

TEST(Answer, OfOneTrialComparesNothing) {
    EXPECT_THAT(answer(two_strategies({100}, {})).headline, HasSubstr("there is nothing to compare it with"));
}

TEST(Answer, OfFailedTrialsOnlyIsNone) {
    EXPECT_THAT(answer(two_strategies({0, 0}, {0, 0})).headline,
                AllOf(HasSubstr("No answer: the baseline"), HasSubstr("2 failed")));
    EXPECT_THAT(answer(two_strategies(around_100, {0, 0})).sentences, Contains(HasSubstr("2 failed")));
}

TEST(Answer, TellsWhereThreadsStartedAsFarAsItIsKnown) {
    StrategyPlacement piled;
    piled.cpus_used = 4;
    piled.fullest_cpu = 5;
    piled.trials_known = 8;
    piled.piled_up_s = 1.416;
    StrategyPlacement spread;
    spread.cpus_used = 8;
    spread.fullest_cpu = 1;
    spread.trials_known = 8;
    auto rows = two_strategies(around_100, around_150);
    EXPECT_THAT(
        answer(rows, {piled, spread}).sentences,
        AllOf(Contains(
                  "OS default, cpus all: 8 threads started on 4 CPUs, 5 of them on one, and shared CPUs for at least "
                  "1.42 s (median of 8 trials)."),
              Contains(HasSubstr("8 threads started on 8 CPUs, none on the CPU of another"))));
    piled.piled_up_s = 0;
    EXPECT_THAT(answer(rows, {piled, spread}).sentences,
                Contains(HasSubstr("5 of them on one, and had CPUs of their own when they were first looked at (")));
    piled.piled_up_s.reset();
    EXPECT_THAT(answer(rows, {piled, spread}).sentences, Contains(HasSubstr("5 of them on one (median")));
    EXPECT_THAT(answer(rows, {StrategyPlacement{}, StrategyPlacement{}}).sentences,
                Not(Contains(HasSubstr("started"))));
    for (TrialRow& row : rows)
        row.first_cpu_means = "getcpu";
    EXPECT_THAT(answer(rows, {piled, spread}).sentences,
                Contains(HasSubstr("which is late and makes a pile-up look smaller")));
}

TEST(Answer, OfAnEmulatedMachineClaimsNoRate) {
    const Answer found = answer(two_strategies(around_100, around_150), {}, "emulated");
    EXPECT_THAT(found.headline, AllOf(HasSubstr("emulated"), Not(HasSubstr("gain"))));
    EXPECT_THAT(found.sentences, Not(Contains(HasSubstr("Triad"))));
}

TEST(Answer, OfANodeMatrixIsWhatRemoteMemoryCosts) {
    std::vector<TrialRow> rows;
    for (const auto& [cpus, memory, rate] : {std::tuple{"node:0", "bind:0", 100.0},
                                             {"node:0", "bind:1", 60.0},
                                             {"node:1", "bind:0", 45.0},
                                             {"node:1", "bind:1", 90.0}}) {
        TrialRow row = two_strategies({rate}, {}).at(1);
        row.trial = static_cast<int>(rows.size()) + 1;
        row.cpus = cpus;
        row.memory = memory;
        rows.push_back(row);
    }
    const Answer found = answer(rows);
    EXPECT_THAT(found.question, HasSubstr("from the memory of another"));
    EXPECT_EQ(found.headline,
              "Triad with memory on another node is 50 to 60 % of what the same threads reach on their own.");
    rows.resize(1);
    EXPECT_THAT(answer(rows).headline, HasSubstr("One node"));
}

}  // namespace
}  // namespace pinwise::report
