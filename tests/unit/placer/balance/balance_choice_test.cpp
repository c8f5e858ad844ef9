#include "placer/balance/balance_choice.hpp"

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::HasSubstr;

TEST(BalanceChoice, IsNoneOrNodeAffineWithItsPercentage) {
    EXPECT_EQ(parse_balance("none").value(), std::optional<int>());
    EXPECT_EQ(parse_balance("node-affine").value(), std::optional<int>(125));
    EXPECT_EQ(parse_balance("node-affine:137").value(), std::optional<int>(137));
    EXPECT_EQ(parse_balance("node-affine:100").value(), std::optional<int>(100));
}

TEST(BalanceChoice, AnythingElseIsTheUsersMistake) {
    for (const char* text : {"", "node", "node-affine:", "node-affine:99", "node-affine:1001", "node-affine:12x",
                             "node-affine:1.25", "node-affine:-125", "node-affine: 125", "node-affine125", "NONE"}) {
        const auto parsed = parse_balance(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().kind, ErrorKind::usage) << text;
    }
    EXPECT_THAT(parse_balance("node-affin").error().message, HasSubstr("none, node-affine or node-affine:PERCENT"));
    EXPECT_THAT(parse_balance("node-affine:5").error().message, HasSubstr("100 to 1000"));
}

TEST(BalanceChoice, TheKernelDoesNotTakeThreadsOverNodesBehindTheBalancer) {
    EXPECT_EQ(bind_under_balancer(Bind::initial), Bind::node);
    EXPECT_EQ(bind_under_balancer(Bind::node), Bind::node);
    EXPECT_EQ(bind_under_balancer(Bind::llc), Bind::llc);
    EXPECT_EQ(bind_under_balancer(Bind::cpu), Bind::cpu);
}

}  // namespace
}  // namespace pinwise
