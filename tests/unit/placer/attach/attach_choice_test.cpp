#include "placer/attach/attach_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinwise {
namespace {

TEST(AttachChoice, ReadsTheOption) {
    EXPECT_EQ(parse_attach("auto").value(), std::nullopt);
    EXPECT_EQ(parse_attach("preload").value(), Attach::preload);
    EXPECT_EQ(parse_attach("ptrace").value(), Attach::ptrace);
    for (const char* text : {"", "AUTO", "ptrace ", "gdb"}) {
        const auto wish = parse_attach(text);
        ASSERT_FALSE(wish) << text;
        EXPECT_EQ(wish.error().kind, ErrorKind::usage);
        EXPECT_THAT(wish.error().message, testing::HasSubstr("preload, ptrace or auto"));
    }
}

TEST(AttachChoice, PreloadsDynamicProgramsAndTheirScripts) {
    EXPECT_EQ(choose_attach(std::nullopt, "/bin/true", true).value(), Attach::preload);
    EXPECT_EQ(choose_attach(std::nullopt, "sh", true).value(), Attach::preload);
    EXPECT_EQ(choose_attach(Attach::preload, "sh", true).value(), Attach::preload);
}

TEST(AttachChoice, LeavesMissingProgramsToTheirLaunch) {
    EXPECT_EQ(choose_attach(std::nullopt, "/no/such/program", true).value(), Attach::preload);
}

}  // namespace
}  // namespace pinwise
