#include "placer/policy/policies.hpp"

#include <set>

#include <gmock/gmock.h>

#include "placer/nearest_name.hpp"
#include "placer/policy/kernel_rule.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Policies, EveryListedPolicyCanBeMadeAndKeepsItsName) {
    std::set<std::string_view> names;
    for (const PolicyInfo& info : list_policies()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_FALSE(info.summary.empty());
        if (info.name == "idlest@running") continue;  // names a rule only for a kernel, see running_rule_test.cpp
        const std::string name = info.name == "explicit:LIST"   ? "explicit:3,1-2"
                                 : info.name == "random[:SEED]" ? "random:7"
                                                                : std::string(info.name);
        const auto policy = make_policy(name);
        ASSERT_TRUE(policy) << name;
        EXPECT_EQ((*policy)->name(), name);
        EXPECT_EQ((*policy)->places_threads(), name != "os");
    }
}

TEST(Policies, EveryKernelRuleIsListed) {
    for (const KernelRule& rule : kernel_rules()) {
        const std::string name = "idlest@" + std::string(rule.name);
        EXPECT_TRUE(std::any_of(list_policies().begin(), list_policies().end(), [&](const PolicyInfo& info) {
            return info.name == name;
        })) << name;
        EXPECT_EQ(find_kernel_rule(rule.name), &rule);
    }
    EXPECT_EQ(find_kernel_rule("2.6"), nullptr);
}

TEST(Policies, AnUnknownNameSuggestsTheNearest) {
    for (const auto& [word, suggestion] : {std::pair{"idelst", "idlest"},
                                           {"idlest@6.1", "idlest@6.0"},
                                           {"OS", "os"},
                                           {"Sprad", "spread"},
                                           {"lcc", "llc"},
                                           {"nodes", "node"},
                                           {"explicit", "explicit:LIST"}}) {
        const auto policy = make_policy(word);
        ASSERT_FALSE(policy) << word;
        EXPECT_EQ(policy.error().kind, ErrorKind::usage);
        EXPECT_THAT(policy.error().message, HasSubstr(std::string("did you mean ") + suggestion)) << word;
    }
}

TEST(Policies, ANameThatResemblesNothingGetsNoSuggestion) {
    for (const auto* word : {"", "x", "foo", "a-very-long-name-that-is-no-policy-at-all"}) {
        const auto policy = make_policy(word);
        ASSERT_FALSE(policy) << word;
        EXPECT_THAT(policy.error().message, Not(HasSubstr("did you mean"))) << word;
        EXPECT_THAT(policy.error().message, HasSubstr("policies: os, idlest"));
    }
}

TEST(Policies, AnUnknownNameIsRepeatedWithoutItsControlCharacters) {
    const auto policy = make_policy("id\x1b[31mlest\n");
    ASSERT_FALSE(policy);
    EXPECT_THAT(policy.error().message, HasSubstr("\"id\\x1b[31mlest\\n\""));
}

TEST(Policies, TheRuleOfTheRunningKernelHasToBeResolvedFirst) {
    const auto policy = make_policy("idlest@running");
    ASSERT_FALSE(policy);
    EXPECT_THAT(policy.error().message, HasSubstr("resolved"));
}

TEST(Policies, ASeedIsAWholeNumber) {
    EXPECT_TRUE(make_policy("random:18446744073709551615"));
    for (const auto* name :
         {"random:", "random:x", "random:-1", "random:1.5", "random:1 ", "random:18446744073709551616"}) {
        const auto policy = make_policy(name);
        ASSERT_FALSE(policy) << name;
        EXPECT_EQ(policy.error().kind, ErrorKind::usage);
        EXPECT_THAT(policy.error().message, HasSubstr("seed")) << name;
    }
}

TEST(Policies, ABrokenExplicitListSaysWhere) {
    const auto policy = make_policy("explicit:0,,1");
    ASSERT_FALSE(policy);
    EXPECT_THAT(policy.error().message, HasSubstr("position 3"));
}

TEST(Policies, AnExplicitListThatLeavesTheMaskIsRefused) {
    const auto policy = make_policy("explicit:0,5").value();
    EXPECT_TRUE(policy->check(CpuSet{0, 5, 6}));
    const auto refused = policy->check(CpuSet{0, 6});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_THAT(refused.error().message, HasSubstr("CPU 5"));
}

TEST(NearestName, MeasuresEditDistance) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
    EXPECT_EQ(similar_name("x", {}), std::nullopt);
}

}  // namespace
}  // namespace pinwise
