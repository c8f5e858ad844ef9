#include "runner/trial/labels.hpp"

#include <set>

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Label> labels(const LabelFacts& facts, const TrialResult& result = {}, const TrialSpec& spec = {}) {
    return labels_of(spec, result, facts);
}

TEST(Labels, WordsAreDistinctAndFoundAgain) {
    std::set<std::string_view> words;
    for (const LabelInfo& info : label_infos()) {
        EXPECT_TRUE(words.insert(info.word).second) << info.word;
        EXPECT_EQ(info.word.find_first_of(" ,;\""), std::string_view::npos) << info.word;
        EXPECT_EQ(to_string(info.label), info.word);
        ASSERT_NE(find_label(info.word), nullptr);
        EXPECT_EQ(find_label(info.word)->label, info.label);
    }
    EXPECT_EQ(find_label("busy-bee"), nullptr);
}

TEST(Labels, AreTheWordsOfACell) {
    EXPECT_THAT(label_words(""), IsEmpty());
    EXPECT_THAT(label_words("  "), IsEmpty());
    EXPECT_THAT(label_words("one-node"), ElementsAre("one-node"));
    EXPECT_THAT(label_words(" one-node  busy "), ElementsAre("one-node", "busy"));
}

TEST(Labels, NothingKnownIsNothingSaid) {
    EXPECT_THAT(labels({}), IsEmpty());
    EXPECT_THAT(labels({.machine_kind = "physical", .cpu_nodes = 2}), IsEmpty());
}

TEST(Labels, OfTheMachine) {
    EXPECT_THAT(labels({.machine_kind = "emulated", .cpu_nodes = 1}),
                ElementsAre(Label::emulated_machine, Label::one_node));
    EXPECT_THAT(labels({.kernel_balancing = true}), ElementsAre(Label::kernel_balancing));
    TrialSpec spec;
    spec.strategy.migration = "kernel";
    EXPECT_THAT(labels({.kernel_balancing = true}, {}, spec), IsEmpty()) << "it is what the trial asked for";
}

TEST(Labels, OfTheWorkload) {
    TrialSpec spec;
    spec.workload = "stream";
    TrialResult result;
    result.llc_ratio = 3.99;
    EXPECT_THAT(labels({}, result, spec), ElementsAre(Label::stream_variant, Label::small_arrays));
    result.llc_ratio = 4.0;
    EXPECT_THAT(labels({}, result, spec), ElementsAre(Label::stream_variant));
    result.verified = false;
    EXPECT_THAT(labels({}, result), ElementsAre(Label::unverified));
    result.status = TrialStatus::failed;
    EXPECT_THAT(labels({}, result), IsEmpty()) << "a failed trial has no result to be checked";
}

TEST(Labels, ARateAboveThePeakIsNoneOfMemory) {
    TrialResult result;
    result.metrics = {{"Copy", "MB/s", 40'000, Better::higher}, {"Time", "s", 1e9, Better::lower}};
    EXPECT_THAT(labels({.peak_gb_per_s = 40.0}, result), IsEmpty());
    EXPECT_THAT(labels({.peak_gb_per_s = 39.9}, result), ElementsAre(Label::above_peak));
    result.metrics = {{"Copy", "GB/s", 40, Better::higher}};
    EXPECT_THAT(labels({.peak_gb_per_s = 39.9}, result), ElementsAre(Label::above_peak));
}

TEST(Labels, OfWhatWasNotKept) {
    TrialResult result;
    result.start.affinity_kept = true;
    result.mem_policy = "ok";
    EXPECT_THAT(labels({}, result), IsEmpty());
    result.start.affinity_kept = false;
    result.mem_policy = "denied(EPERM)";
    EXPECT_THAT(labels({}, result), ElementsAre(Label::binding_not_kept, Label::memory_policy_not_kept));
}

TEST(Labels, OfTheHost) {
    EXPECT_THAT(labels({.others_cpu_share = 0.05, .stolen_cpu_share = 0.05, .throttle_events = 0}), IsEmpty());
    EXPECT_THAT(
        labels({.busy_at_start = true, .others_cpu_share = 0.06, .stolen_cpu_share = 0.06, .throttle_events = 1}),
        ElementsAre(Label::busy_at_start, Label::busy, Label::cpu_stolen, Label::throttled));
}

TEST(IsBusy, GoesByLoadAndPressureOnlyWhereTheyAreKnown) {
    EXPECT_FALSE(is_busy({}, {}, 2));
    EXPECT_FALSE(is_busy(0.5, 10.0, 2));
    EXPECT_TRUE(is_busy(0.51, {}, 2));
    EXPECT_FALSE(is_busy(12, {}, 128)) << "a tenth of the CPUs";
    EXPECT_TRUE(is_busy(13, {}, 128));
    EXPECT_TRUE(is_busy({}, 10.1, 128));
}

TEST(TopologyMoved, WhenNeighboursAreFarOrChangedDuringTheTrial) {
    EXPECT_FALSE(topology_moved({}, {}));
    EXPECT_FALSE(topology_moved(30, 52));
    EXPECT_TRUE(topology_moved(30, 210)) << "moved apart";
    EXPECT_TRUE(topology_moved(210, 30)) << "moved together";
    EXPECT_TRUE(topology_moved(205, 210)) << "apart all the time";
    EXPECT_TRUE(topology_moved(20, 41)) << "another state, though both are near";
    EXPECT_TRUE(topology_moved({}, 210));
    EXPECT_FALSE(topology_moved({}, 50));
    TrialResult result;
    result.neighbour_before_ns = 210;
    EXPECT_THAT(labels({}, result), ElementsAre(Label::topology_moved));
}

}  // namespace
}  // namespace pinwise
