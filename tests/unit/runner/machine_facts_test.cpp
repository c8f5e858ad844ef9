// Parts of machine.json that are more than one file's text.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runner/record/label_facts.hpp"
#include "runner/record/machine_record.hpp"
#include "runner/record/memory_modules.hpp"
#include "runner/record/software_facts.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

/// An SMBIOS structure of type 17 as DSP0134 3.3 lays it out.
std::string memory_device(std::uint16_t size, std::uint16_t width, std::uint16_t speed, std::uint8_t type,
                          std::uint32_t extended_size = 0, std::uint16_t configured_speed = 0) {
    std::string bytes(0x28, '\0');
    const auto put = [&](std::size_t at, std::uint32_t value, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xffU);
    };
    put(0, 17, 1);
    put(1, static_cast<std::uint32_t>(bytes.size()), 1);
    put(0x0a, width, 2);
    put(0x0c, size, 2);
    put(0x12, type, 1);
    put(0x15, speed, 2);
    put(0x1c, extended_size, 4);
    put(0x20, configured_speed, 2);
    return bytes + std::string("A1\0secret serial\0\0", 18);
}

std::string other_structure() {
    return {std::string("\x00\x04\x00\x00", 4) + std::string("\0\0", 2)};
}

TEST(MemoryModules, AreReadWithSizeWidthSpeedAndType) {
    const auto modules = parse_memory_modules(other_structure() + memory_device(0x4000, 64, 3200, 0x1a, 0, 2933) +
                                              memory_device(0, 64, 3200, 0x1a) +
                                              memory_device(0x7fff, 64, 4800, 0x22, 65536) + other_structure());
    ASSERT_EQ(modules.size(), 2U) << "an empty slot is none";
    EXPECT_EQ(modules[0].size_bytes, std::uint64_t{16} << 30);
    EXPECT_EQ(modules[0].mt_per_s, 2933) << "as configured";
    EXPECT_EQ(modules[0].type, "DDR4");
    EXPECT_EQ(modules[1].size_bytes, std::uint64_t{64} << 30);
    EXPECT_EQ(modules[1].mt_per_s, 4800);
    EXPECT_EQ(modules[1].type, "DDR5");
    EXPECT_DOUBLE_EQ(peak_gb_per_s_at_most(modules).value(), 8 * 2.933 + 8 * 4.8);
}

TEST(MemoryModules, OfUnknownSpeedGiveNoPeak) {
    const auto modules = parse_memory_modules(memory_device(0x4000, 64, 0xffff, 0x07));
    ASSERT_EQ(modules.size(), 1U);
    EXPECT_EQ(modules[0].mt_per_s, 0);
    EXPECT_FALSE(peak_gb_per_s_at_most(modules));
    EXPECT_FALSE(peak_gb_per_s_at_most({}));
}

TEST(MemoryModules, ATableThatIsCutShortIsReadAsFarAsItGoes) {
    const std::string table = memory_device(0x4000, 64, 3200, 0x1a) + memory_device(0x4000, 64, 3200, 0x1a);
    for (std::size_t bytes = 0; bytes < table.size(); ++bytes)
        EXPECT_LE(parse_memory_modules(std::string_view(table).substr(0, bytes)).size(), 2U);
    EXPECT_TRUE(parse_memory_modules(std::string(100, '\0')).empty());
}

TEST(KernelParameters, KeepWhatMattersAndCountWhatCouldIdentify) {
    const auto parameters = kernel_parameters(
        "BOOT_IMAGE=/boot/vmlinuz root=UUID=1234 ro isolcpus=2-3 nohz_full=2 mitigations=off ip=10.0.0.1 quiet");
    EXPECT_EQ(parameters.kept, "isolcpus=2-3 nohz_full=2 mitigations=off");
    EXPECT_EQ(parameters.left_out, 5);
}

class FakeRoot : public testing::Test {
protected:
    FakeRoot() : path_(std::filesystem::path(testing::TempDir()) / ("pinwise-root-" + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
    }
    ~FakeRoot() override { std::filesystem::remove_all(path_); }
    void put(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file, std::ios::binary) << text;
    }
    std::filesystem::path path_;
};

TEST_F(FakeRoot, PackageVersionsAreThoseOfTheLibrariesThatMatter) {
    put("var/lib/dpkg/status",
        "Package: libc6\nStatus: ok\nVersion: 2.36-9\n\nPackage: secret\nVersion: 1\n\n"
        "Package: libgomp1\nVersion: 12.2\nDescription: x\n");
    const auto versions = package_versions(SystemFiles(path_));
    ASSERT_TRUE(versions);
    EXPECT_THAT(*versions, testing::ElementsAre(std::pair("libc6", "2.36-9"), std::pair("libgomp1", "12.2")));
    EXPECT_FALSE(package_versions(SystemFiles(path_ / "nothing")));
}

TEST_F(FakeRoot, AContainerIsKnownByItsSigns) {
    EXPECT_FALSE(container(SystemFiles(path_)));
    put("proc/1/environ", std::string("PATH=/bin\0container=lxc\0HOME=/\0", 31));
    EXPECT_EQ(container(SystemFiles(path_)).value(), "lxc");
    put(".dockerenv", "");
    EXPECT_EQ(container(SystemFiles(path_)).value(), "docker");
}

TEST_F(FakeRoot, TheRecordHasThePeakAndNothingThatIdentifies) {
    put("sys/firmware/dmi/tables/DMI", memory_device(0x4000, 64, 3200, 0x1a));
    put("proc/cmdline", "root=UUID=1234 isolcpus=1\n");
    put("etc/os-release", "NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
    const std::string record = machine_record(test::load(test::zen3_nps1), {}, path_);
    EXPECT_THAT(record, testing::AllOf(HasSubstr("\"memory_peak_gb_per_s\": 25.6"), HasSubstr("isolcpus=1"),
                                       HasSubstr("Debian GNU/Linux 12"), HasSubstr("\"threads_per_core\": 2"),
                                       Not(HasSubstr("1234")), Not(HasSubstr("secret"))));
    EXPECT_EQ(label_facts(test::load(test::zen3_nps1), record).peak_gb_per_s, 25.6);
}

TEST(LabelFactsOfARun, ComeFromTheMachinesRecord) {
    const Machine machine = test::load(test::zen3_nps1);
    const auto facts =
        label_facts(machine, R"({"machine_kind": "virtual", "numa_balancing": "1", "load_average": "26.5 1 1 1/9 9",
                     "pressure_cpu": "some avg10=0.00 avg60=0.00", "memory_peak_gb_per_s": null})");
    EXPECT_EQ(facts.machine_kind, "virtual");
    EXPECT_EQ(facts.cpu_nodes, 2);
    EXPECT_TRUE(facts.kernel_balancing);
    EXPECT_TRUE(facts.busy_at_start) << "26.5 of 256 CPUs";
    EXPECT_FALSE(facts.peak_gb_per_s);
    EXPECT_TRUE(label_facts(machine, R"({"pressure_cpu": "some avg10=11.00 avg60"})").busy_at_start);
    EXPECT_FALSE(label_facts(machine, R"({"numa_balancing": "0"})").kernel_balancing);
    EXPECT_FALSE(
        label_facts(test::load("synthetic:Package:1 Core:2 PU:1"), R"({"numa_balancing": "1"})").kernel_balancing)
        << "with one node the kernel has nothing to balance";
    EXPECT_EQ(label_facts(machine, "{ torn").machine_kind, "");
}

}  // namespace
}  // namespace pinwise
