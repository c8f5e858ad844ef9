/// `pinwise place` and `pinwise list policies` as they are typed.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string zen3 =
    " --topology 'synthetic:Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) L2Cache:8(size=512KB) "
    "L1dCache:1(size=32KB) Core:1 PU:2(indexes=2*128:1*2)'";
const std::string z1 = zen3 + " -C 0,16,32,48,64,80,96,112 --waker 32";

/// Here an @ is what the user types.
Ran place(std::string options) {
    const std::string at = "$'\\x40'";
    for (auto found = options.find('@'); found != std::string::npos; found = options.find('@', found + at.size()))
        options.replace(found, 1, at);
    return run_shell("exec @/pinwise place " + options);
}

/// One line that starts with our name, and exit status 2.
void expect_mistake(const std::string& options, const std::string& says) {
    const Ran ran = place(options);
    EXPECT_EQ(ran.exit_code(), 2) << options << "\n" << ran.out;
    EXPECT_EQ(ran.out.find("pinwise: "), 0U) << options << "\n" << ran.out;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << options << "\n" << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(says)) << options;
}

TEST(Place, ComparesPoliciesSideBySide) {
    const Ran ran = place("--threads 8 --policy idlest@5.11 --policy llc" + z1);
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("idlest@5.11 → llc: stacked threads 4 → 0, most on one CPU 5 → 1, sockets {8}{0} → "
                                   "{4}{4}, LLCs 4 → 8, "));
    EXPECT_THAT(ran.out, HasSubstr("     7     32    0    4    112    1   14\n"));
}

TEST(Place, SaysWhereTwoPoliciesDoNotDiffer) {
    EXPECT_THAT(place("-n 8 --policy idlest --policy idlest@v6" + z1).out,
                HasSubstr("idlest → idlest@v6: no difference\n"));
}

TEST(Place, NamesNodesWhereTheyAreNotTheSockets) {
    const Ran ran = place(
        "-n 4 --policy close --policy llc --topology 'synthetic:Package:2 Group:2 [NUMANode(memory=1GB)] L3Cache:1 "
        "Core:4 PU:1'");
    EXPECT_THAT(ran.out, HasSubstr("sockets {4}{0} → {2}{2}, nodes {4}{0}{0}{0} → {1}{1}{1}{1}, LLCs 1 → 4"))
        << ran.out;
}

TEST(Place, CsvOfOnePolicyHasNoPolicyColumnAndOfSeveralItIsTheFirst) {
    EXPECT_THAT(place("-n 2 --format csv" + z1).out, testing::StartsWith("thread,cpu,node,llc,reason\r\n0,32,0,4,"));
    const std::string two = place("-n 2 --format csv --policy idlest --policy llc" + z1).out;
    EXPECT_THAT(two, testing::StartsWith("policy,thread,cpu,node,llc,reason\r\nidlest,0,32,0,4,"));
    EXPECT_THAT(two, HasSubstr("\r\nllc,1,64,1,8,"));
}

TEST(Place, JsonHoldsTheRequestThePlacementsAndTheDifferences) {
    const Ran ran = place("-n 8 --format json --policy idlest@5.11 --policy idlest" + z1);
    ASSERT_EQ(ran.exit_code(), 0) << ran.out;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["threads"], 8);
    EXPECT_EQ(json["waker"], 32);
    EXPECT_EQ(json["allowed"], "0,16,32,48,64,80,96,112");
    ASSERT_EQ(json["plans"].size(), 2U);
    EXPECT_EQ(json["plans"][0]["stacked"], 4);
    EXPECT_EQ(json["plans"][0]["threads_per_socket"], (std::vector<int>{8, 0}));
    EXPECT_EQ(json["plans"][1]["llcs_used"], 8);
    EXPECT_EQ(json["plans"][1]["placements"][4]["cpu"], 64);
    EXPECT_THAT(json["plans"][1]["placements"][4]["steps"][0]["text"].get<std::string>(), HasSubstr("running + 1 = 5"));
    EXPECT_EQ(json["differences"][0]["to"], "idlest");
    const auto one = nlohmann::json::parse(place("-n 2 --format json" + z1).out);
    EXPECT_FALSE(one.contains("differences"));
    EXPECT_TRUE(one["preferred_node"].is_null());
}

TEST(Place, TakesThePreferredNodeAndTheLoadModel) {
    EXPECT_THAT(place("-n 8 --preferred-node 1" + z1).out, HasSubstr("8 threads {1}{7}"));
    EXPECT_THAT(place("-n 8 --preferred-node 0" + z1).out, HasSubstr("8 threads {8}{0}"));
    const std::string skylake =
        " -n 16 --policy idlest@5.5 -C 0-15 --topology 'synthetic:Package:2 [NUMANode(memory=96GB)] "
        "L3Cache:1(size=33792KB) L2Cache:24(size=1MB) L1dCache:1(size=32KB) Core:1 PU:2(indexes=48*2:2*24:1*2)'";
    EXPECT_THAT(place("--load fresh" + skylake).out, HasSubstr("at most 5 on one CPU"));
    EXPECT_THAT(place("--load saturated" + skylake).out, HasSubstr("at most 3 on one CPU"));
}

TEST(Place, ResolvesTheRunningKernelsRuleAndSaysSo) {
    const Ran ran = place("-n 2 --policy idlest@running" + z1);
    if (ran.exit_code() == 2) {
        EXPECT_THAT(ran.out, HasSubstr("pinwise: policy idlest@running"));
    } else {
        EXPECT_THAT(ran.out, HasSubstr("pinwise: note: idlest@running is idlest@"));
    }
    EXPECT_THAT(run_shell("exec @/pinwise list policies").out, HasSubstr("\nidlest@running is "));
}

TEST(Place, MistakesAreOneLineAndExit2) {
    expect_mistake("-n 0" + z1, "0 threads");
    expect_mistake("-n 1000000000" + z1, "1000000000 threads");
    expect_mistake("-n 99999999999999999999" + z1, "threads");
    expect_mistake("-n -1" + z1, "threads");
    expect_mistake("-n two" + z1, "two");
    expect_mistake("-n 8 --policy idelst" + zen3, "did you mean idlest?");
    expect_mistake("-n 8 --policy llc --policy nod" + zen3, "did you mean node?");
    expect_mistake("-n 8 --policy ''" + zen3, "unknown policy \"\"");
    expect_mistake("-n 8 --policy os" + zen3, "policy os");
    expect_mistake("-n 8 --policy random:x" + zen3, "seed");
    expect_mistake("-n 8 --policy explicit:300" + zen3, "CPU 300");
    expect_mistake("-n 8 -C ''" + zen3, "empty");
    expect_mistake("-n 8 -C 300-310" + zen3, "absent from this machine");
    expect_mistake("-n 8 -C 300-310 --allow-missing" + zen3, "none of the CPUs 300-310");
    expect_mistake("-n 8 --waker 256" + zen3, "waker CPU 256");
    expect_mistake("-n 8 --preferred-node 2" + zen3, "preferred node 2");
    expect_mistake("-n 8 --load idle" + zen3, "--load");
    expect_mistake("-n 8 --format yaml" + zen3, "--format");
    expect_mistake("-n 8 --topology /nonexistent.xml", "no such file");
}

TEST(Place, AnUnknownPolicyThatResemblesNothingGetsNoGuess) {
    EXPECT_THAT(place("-n 8 --policy zzzzzz" + zen3).out, Not(HasSubstr("did you mean")));
    EXPECT_EQ(run_shell("@/pinwise plcae").out,
              "pinwise: no command \"plcae\": did you mean place? (see pinwise --help)\n");
    EXPECT_EQ(run_shell("@/pinwise list x").out,
              "pinwise: no command \"x\"; there are policies, configs, workloads, metrics (see pinwise list --help)\n");
    EXPECT_THAT(run_shell("@/pinwise xyzzy").out,
                testing::StartsWith("pinwise: no command \"xyzzy\"; there are run, compare, exec,"));
}

TEST(Place, ControlCharactersInNamesAreNotSentToTheTerminal) {
    const Ran ran = place("-n 8 --policy $'a\\e[2Jb' " + zen3);
    EXPECT_THAT(ran.out, HasSubstr("\"a\\x1b[2Jb\""));
    EXPECT_THAT(place("-n 8 -C $'0\\e[2J' " + zen3).out, HasSubstr("\"0\\x1b[2J\""));
    EXPECT_THAT(place("-n 8 --topology $'x\\ny'").out, HasSubstr("\"x\\ny\""));
}

}  // namespace
}  // namespace pinwise
