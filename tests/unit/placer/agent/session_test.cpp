#include "placer/agent/session.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/agent/agent_library.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class SessionTest : public testing::Test {
protected:
    SessionTest() {
        std::filesystem::create_directories(folder_ + "/bin");
        std::filesystem::create_directories(folder_ + "/lib/pinwise");
        std::ofstream(folder_ + "/lib/libpinwise-agent.so") << "here";
        setenv("PINWISE_AGENT", (folder_ + "/lib/libpinwise-agent.so").c_str(), 1);
        unsetenv("LD_PRELOAD");
    }
    ~SessionTest() override {
        unsetenv("PINWISE_AGENT");
        unsetenv("LD_PRELOAD");
        std::filesystem::remove_all(folder_);
    }
    SessionTest(const SessionTest&) = delete;
    SessionTest& operator=(const SessionTest&) = delete;
    SessionTest(SessionTest&&) = delete;
    SessionTest& operator=(SessionTest&&) = delete;

    std::string folder_ = testing::TempDir() + "/pinwise-session-" + std::to_string(getpid());
    Machine machine_ = zen3_machine();
};

TEST_F(SessionTest, PutsItsAgentBeforeWhatIsPreloadedAlready) {
    setenv("LD_PRELOAD", "libother.so", 1);
    const auto session = Session::create(machine_, {.policy = "idlest", .bind = Bind::initial, .allowed = CpuSet{0}});
    ASSERT_TRUE(session.has_value()) << session.error().message;
    const auto environment = session->environment();
    EXPECT_EQ(environment[0], "LD_PRELOAD=" + folder_ + "/lib/libpinwise-agent.so:libother.so");
    EXPECT_THAT(environment[1], StartsWith("PINWISE_SESSION=" + std::to_string(getpid()) + "/"));
}

TEST_F(SessionTest, ReachesALibraryInAFolderWithBlanksThroughADescriptor) {
    std::filesystem::create_directories(folder_ + "/a b");
    std::ofstream(folder_ + "/a b/agent.so") << "here";
    setenv("PINWISE_AGENT", (folder_ + "/a b/agent.so").c_str(), 1);
    const auto session = Session::create(machine_, {.policy = "os", .bind = Bind::initial, .allowed = CpuSet{0}});
    ASSERT_TRUE(session.has_value());
    const std::string preload = session->environment()[0];
    EXPECT_THAT(preload, StartsWith("LD_PRELOAD=/proc/" + std::to_string(getpid()) + "/fd/"));
    EXPECT_TRUE(std::filesystem::exists(preload.substr(preload.find('=') + 1)));
}

TEST_F(SessionTest, RefusesWhatCannotWork) {
    const auto error_of = [&](const SessionOptions& options) {
        return Session::create(machine_, options).error().message;
    };
    EXPECT_THAT(error_of({.policy = "idelst", .bind = Bind::initial, .allowed = CpuSet{0}}), HasSubstr("idelst"));
    EXPECT_THAT(error_of({.policy = "os", .bind = Bind::initial, .allowed = CpuSet{}}), HasSubstr("at least one"));
    EXPECT_THAT(error_of({.policy = "explicit:4", .bind = Bind::initial, .allowed = CpuSet{0}}), HasSubstr("4"));
    EXPECT_THAT(error_of({.policy = "os", .bind = Bind::initial, .allowed = CpuSet{max_session_cpus}}),
                HasSubstr("8192"));
    setenv("PINWISE_AGENT", "/no/such/agent.so", 1);
    EXPECT_THAT(error_of({.policy = "os", .bind = Bind::initial, .allowed = CpuSet{0}}),
                HasSubstr("/no/such/agent.so"));
}

TEST_F(SessionTest, FindsItsAgentInABuildTreeAndInAnInstallation) {
    EXPECT_THAT(*find_agent_library_beside(folder_ + "/bin/pinwise"), EndsWith("/lib/libpinwise-agent.so"));
    std::filesystem::rename(folder_ + "/lib/libpinwise-agent.so", folder_ + "/lib/pinwise/libpinwise-agent.so");
    const auto installed = find_agent_library_beside(folder_ + "/bin/pinwise");
    if (installed) {
        EXPECT_THAT(*installed, EndsWith("/pinwise/libpinwise-agent.so"));
    }
    EXPECT_THAT(find_agent_library_beside("/no/bin/pinwise").error().message, HasSubstr("PINWISE_AGENT"));
}

TEST(BindNames, AreReadBack) {
    for (const Bind bind : {Bind::initial, Bind::cpu, Bind::llc, Bind::node})
        EXPECT_EQ(parse_bind(to_string(bind)), bind);
    EXPECT_THAT(parse_bind("socket").error().message, HasSubstr("initial, cpu, llc or node"));
}

}  // namespace
}  // namespace pinwise
