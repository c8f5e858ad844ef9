/// Broken, hostile and odd descriptions of machines: one clear line, or a machine without contradictions.

#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

#include "placer/topology/cpu_list.hpp"
#include "placer/topology/machine_image.hpp"
#include "tests/machines.hpp"
#include "tests/unit/placer/excuse_leaks.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A usage error of one line, or a machine that decode_machine() finds consistent.
void expect_clear_error_or_sane_machine(const std::string& source, const std::string& what) {
    const auto machine = load_machine(source);
    if (!machine) {
        EXPECT_EQ(machine.error().kind, ErrorKind::usage) << what;
        EXPECT_THAT(machine.error().message, Not(HasSubstr("\n"))) << what;
        EXPECT_LT(machine.error().message.size(), 1000U) << what;
        return;
    }
    const auto decoded = decode_machine(encode_machine(*machine));
    EXPECT_TRUE(decoded) << what << ": " << (decoded ? "" : decoded.error().message);
}

class OddSynthetic : public testing::TestWithParam<const char*> {};

TEST_P(OddSynthetic, IsRefusedOrConsistent) {
    [[maybe_unused]] const ExcuseLeaks excuse;
    expect_clear_error_or_sane_machine(std::string("synthetic:") + GetParam(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Attributes, OddSynthetic,
    testing::Values("PU:4(indexes=0,0,1,1)", "PU:4(indexes=0)", "PU:4(indexes=9,8,7,6)", "PU:4(indexes=0,1,2,99999999)",
                    "PU:2(indexes=4294967295,0)", "PU:4(indexes=2*2:3*2)", "PU:4(indexes=0*4)", "PU:4(indexes=4*0)",
                    "PU:4(indexes=-1,2,3,4)", "PU:4(indexes=1*4:1*4)", "PU:4(indexes=core)",
                    "PU:4(indexes=", "NUMANode:2(indexes=7,7) PU:2", "[NUMANode(indexes=5,5)] PU:2",
                    "Package:2 [NUMANode] PU:2 PU:2", "PU:2 Core:2", "Core:1 Core:1 PU:1", "L3Cache:2(size=-1) PU:2",
                    "L3Cache:2(size=99999999999999TB) PU:1", "Package:2 [NUMANode(memory=abc)] PU:1",
                    "Package:2 [[NUMANode]] PU:1", "Package:2 ] PU:1", "Package:2 (((( PU:1", "L9Cache:2 PU:1",
                    "Group:2 Group:2 Group:2 Group:2 Group:2 Group:2 PU:2", "\x1b[31mPackage:2\n PU:1",
                    "Package:2 \xff\xfe PU:1"));

TEST(BadTopology, DuplicateCpuNumbersAreRefused) {
    for (const auto* source : {"synthetic:PU:4(indexes=0,0,1,1)", "synthetic:Core:2 PU:2(indexes=1,1,2,3)"}) {
        const auto machine = load_machine(source);
        ASSERT_FALSE(machine) << source;
        EXPECT_THAT(machine.error().message, HasSubstr("twice"));
    }
}

TEST(BadTopology, SizesAndIndexesThatHwlocWouldReplaceAreRefused) {
    for (const auto& [text, said] : {std::pair{"L3Cache:2(size=-5) PU:2", "size=-5 is no size"},
                                     {"L3Cache:2(size=0) PU:2", "size=0 is no size"},
                                     {"L3Cache:2(size=999999999999999GB) PU:2", "to 1 EiB"},
                                     {"Package:2 [NUMANode(memory=-1)] PU:2", "memory=-1 is no size"},
                                     {"NUMANode:2(memory=99999999999999999999GB) PU:2", "to 1 EiB"},
                                     {"Core:2 PU:2(indexes=0,1)", "indexes=0,1: 2 numbers for 4 objects"},
                                     {"Core:2 PU:2(indexes=0,1,2,3,4)", "5 numbers for 4 objects"},
                                     {"Core:2 PU:2(indexes=-1,1,2,3)", "neither a list of numbers"},
                                     {"Core:2 PU:2(indexes=2*3)", "numbers 3 objects, and there are 4"},
                                     {"Core:2 PU:2(indexes=2*0)", "neither a list"},
                                     {"Package:2 [NUMANode(indexes=4)] PU:2", "1 numbers for 2 objects"},
                                     {"Package:0 PU:2", "a count of 0"},
                                     {"Package:300 PU:300", "more than 65535 PUs"},
                                     {"PU:9000", "9000 objects below one: at most 4096"}}) {
        const auto machine = load_machine(std::string("synthetic:") + text);
        ASSERT_FALSE(machine) << text;
        EXPECT_EQ(machine.error().kind, ErrorKind::usage);
        EXPECT_THAT(machine.error().message, HasSubstr(said)) << text;
    }
}

TEST(BadTopology, EveryFormOfIndexesAndSizesIsTaken) {
    for (const auto* text : {"Core:2 PU:2(indexes=3,1,0,2)", "Core:2 PU:2(indexes=2*2:1*2)", "Core:2 PU:2(indexes=2*2)",
                             "Package:2 [NUMANode(memory=0)] PU:2",
                             "Package:2 [NUMANode(memory=1TB indexes=5,2)] L3Cache:1(size=32MiB) PU:2",
                             "(memory=4GB) PU:2", "Package:2 Core:2 PU:2(indexes=core:pu)"}) {
        const auto machine = load_machine(std::string("synthetic:") + text);
        EXPECT_TRUE(machine) << (machine ? "" : machine.error().message);
    }
}

TEST(BadTopology, AMessageRepeatsNoControlCharacterAndNotALongText) {
    const auto machine = load_machine("synthetic:\x1b[2J\nPackage:2 " + std::string(5000, 'x'));
    ASSERT_FALSE(machine);
    EXPECT_THAT(machine.error().message, HasSubstr("\\x1b[2J\\nPackage:2"));
    EXPECT_LT(machine.error().message.size(), 500U);
}

class MutatedXml : public testing::Test {
protected:
    void SetUp() override { std::ofstream(file_) << ""; }
    void TearDown() override { std::filesystem::remove(file_); }

    void check(const std::string& xml, const std::string& what) {
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << xml;
        expect_clear_error_or_sane_machine(file_.string(), what);
    }

    static std::string fixture(const std::string& name) {
        std::ifstream file(std::string(PINWISE_SOURCE_DIR) + "/tests/data/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "mutated-topology.xml";
};

/// One attribute value replaced by another value of the file, or by nonsense: contradictions that hwloc may not notice.
TEST_F(MutatedXml, ExchangedValuesNeverMakeAContradictoryMachine) {
    std::mt19937 random(21);
    const std::vector<std::string> nonsense{
        "",   "-1",      "0",        "0x0",  "0xffffffff",     "0xf...f", "18446744073709551616",
        "PU", "Machine", "NUMANode", "\xff", "0x00000001,,0x1"};
    for (const auto* name : {"gaps-and-orphans.xml", "hybrid.xml", "upper-half-offline.xml"}) {
        const std::string xml = fixture(name);
        std::vector<std::pair<std::size_t, std::size_t>> values;
        for (std::size_t at = xml.find("=\""); at != std::string::npos; at = xml.find("=\"", at + 2))
            values.emplace_back(at + 2, xml.find('"', at + 2) - at - 2);
        for (int round = 0; round < 80; ++round) {
            const auto [at, length] = values[random() % values.size()];
            const auto [from, from_length] = values[random() % values.size()];
            const std::string value =
                random() % 2 == 0 ? xml.substr(from, from_length) : nonsense[random() % nonsense.size()];
            check(xml.substr(0, at) + value + xml.substr(at + length),
                  std::string(name) + " at " + std::to_string(at) + ": " + value);
        }
    }
}

TEST_F(MutatedXml, RemovedLinesNeverMakeAContradictoryMachine) {
    for (const auto* name : {"gaps-and-orphans.xml", "hybrid.xml", "upper-half-offline.xml"}) {
        const std::string xml = fixture(name);
        for (std::size_t at = 0; at < xml.size();) {
            const std::size_t end = xml.find('\n', at) + 1;
            check(xml.substr(0, at) + xml.substr(end), std::string(name) + " without byte " + std::to_string(at));
            at = end;
        }
    }
}

}  // namespace
}  // namespace pinwise
