#include "placer/policy/running_rule.hpp"

#include <gmock/gmock.h>

#include "placer/policy/policies.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

struct Known {
    const char* release;
    const char* version;
    const char* rule;
};

class KnownKernels : public testing::TestWithParam<Known> {};

TEST_P(KnownKernels, FollowTheirRule) {
    const KernelIdentity kernel{GetParam().release, GetParam().version};
    const auto running = rule_of_kernel(kernel);
    ASSERT_TRUE(running) << running.error().message;
    EXPECT_EQ(running->rule->name, GetParam().rule) << running->why;
    EXPECT_THAT(running->why, HasSubstr("Linux "));
    EXPECT_EQ(concrete_policy_name("idlest@running", kernel).value(), std::string("idlest@") + GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(
    Releases, KnownKernels,
    testing::Values(Known{"5.5.0", "", "5.5"}, Known{"5.10.0", "#1 SMP", "5.5"}, Known{"5.10.260", "", "5.5"},
                    Known{"5.10.261", "", "5.10.261"}, Known{"5.11.0", "", "5.11"}, Known{"5.15.167", "", "5.11"},
                    Known{"5.17.0-rc5", "", "5.11"}, Known{"5.18.0", "", "5.18"}, Known{"5.19.17", "", "5.18"},
                    Known{"6.0.0", "", "6.0"}, Known{"6.1.177", "", "6.0"}, Known{"6.1.178", "", "6.19"},
                    Known{"6.6.144", "", "6.0"}, Known{"6.6.145", "", "6.19"}, Known{"6.12.90", "", "6.0"},
                    Known{"6.12.117+deb13-amd64", "", "6.19"}, Known{"6.17.13", "", "6.0"}, Known{"6.18.38", "", "6.0"},
                    Known{"6.18.44-fc-v595", "", "6.19"}, Known{"6.19.0", "", "6.19"}, Known{"7.1.3", "", "6.19"},
                    Known{"10.0.0", "", "6.19"}));

/// Debian keeps the stable number in uname -v.
INSTANTIATE_TEST_SUITE_P(
    Debian, KnownKernels,
    testing::Values(Known{"5.10.0-30-amd64", "#1 SMP Debian 5.10.218-1 (2024-06-01)", "5.5"},
                    Known{"5.10.0-46-amd64", "#1 SMP Debian 5.10.262-1 (2026-11-01)", "5.10.261"},
                    Known{"6.1.0-48-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)", "6.19"},
                    Known{"6.1.0-10-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.38-2 (2023-07-27)", "6.0"},
                    Known{"6.12.117+deb12-amd64", "#1 SMP Debian 6.12.117-1~deb12u1 (2026-10-10)", "6.19"}));

TEST(RunningRule, SaysWhatTheVersionDoesNotTell) {
    const auto why = [](const char* release) { return rule_of_kernel({release, "#1 SMP"})->why; };
    EXPECT_THAT(why("6.1.0-10-cloud"), HasSubstr("from 6.1.178 on it would be 6.19"));
    EXPECT_THAT(why("5.14.0-427.13.1.el9_4.x86_64"), HasSubstr("later releases"));
    EXPECT_THAT(why("5.15.0-100-generic"), HasSubstr("5.15"));
    EXPECT_THAT(why("6.18.44"), HasSubstr("took in 6.18.39"));
}

TEST(RunningRule, KernelsThatAreNotModelledAreUsageErrors) {
    for (const auto* release :
         {"4.18.0-553.el8_10.x86_64", "5.4.0", "2.6.32", "", "unknown", "6", "6.", "-1.2.3", "99999999999999.1"}) {
        const auto running = rule_of_kernel({release, ""});
        ASSERT_FALSE(running) << release;
        EXPECT_EQ(running.error().kind, ErrorKind::usage);
        EXPECT_THAT(running.error().message, HasSubstr("idlest@running"));
        EXPECT_FALSE(concrete_policy_name("idlest@running", {release, ""}));
    }
}

TEST(RunningRule, AReleaseMayBeNamedInsteadOfItsRule) {
    const KernelIdentity running{"5.4.0", ""};
    EXPECT_EQ(concrete_policy_name("idlest@5.17", running).value(), "idlest@5.11");
    EXPECT_EQ(concrete_policy_name("idlest@5.19.4", running).value(), "idlest@5.18");
    EXPECT_EQ(concrete_policy_name("idlest@6.1.177", running).value(), "idlest@6.0");
    EXPECT_EQ(concrete_policy_name("idlest@6.18.44", running).value(), "idlest@6.19");
    EXPECT_EQ(concrete_policy_name("idlest@7.0", running).value(), "idlest@6.19");
    const auto too_old = concrete_policy_name("idlest@4.19", running);
    ASSERT_FALSE(too_old);
    EXPECT_THAT(too_old.error().message, HasSubstr("idlest@4.19"));
    EXPECT_EQ(concrete_policy_name("idlest@5.x", running).value(), "idlest@5.x");
}

TEST(RunningRule, OtherPolicyNamesStayAsTheyAre) {
    for (const auto* name : {"idlest", "os", "llc", "idlest@6.0", "nonsense", ""})
        EXPECT_EQ(concrete_policy_name(name, {"5.4.0", ""}).value(), name);
}

TEST(RunningRule, EveryRuleItNamesCanBeMade) {
    for (const auto* release : {"5.5.0", "5.10.261", "5.11.0", "5.18.0", "6.0.0", "6.19.0"})
        EXPECT_TRUE(make_policy(concrete_policy_name("idlest@running", {release, ""}).value())) << release;
}

TEST(RunningKernel, TellsItsRelease) {
    const KernelIdentity kernel = running_kernel();
    EXPECT_FALSE(kernel.release.empty());
}

}  // namespace
}  // namespace pinwise
