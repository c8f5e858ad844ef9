#include "placer/agent/program_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pinwise {
namespace {

using testing::HasSubstr;

class ProgramFileTest : public testing::Test {
protected:
    ProgramFileTest() { std::filesystem::create_directories(folder_); }
    ~ProgramFileTest() override { std::filesystem::remove_all(folder_); }
    ProgramFileTest(const ProgramFileTest&) = delete;
    ProgramFileTest& operator=(const ProgramFileTest&) = delete;
    ProgramFileTest(ProgramFileTest&&) = delete;
    ProgramFileTest& operator=(ProgramFileTest&&) = delete;

    std::string write(const std::string& name, const std::string& bytes, int mode = 0755) {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path, std::ios::binary) << bytes;
        chmod(path.c_str(), static_cast<mode_t>(mode));
        return path;
    }

    /// /bin/true with its ELF header and program headers changed.
    std::string changed_program(const std::function<void(Elf64_Ehdr&, Elf64_Phdr*)>& change) {
        std::ifstream file("/bin/true", std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), {}};
        auto* header = reinterpret_cast<Elf64_Ehdr*>(bytes.data());
        change(*header, reinterpret_cast<Elf64_Phdr*>(bytes.data() + header->e_phoff));
        return write("changed", bytes);
    }

    std::string folder_ = testing::TempDir() + "/pinwise-programs-" + std::to_string(getpid());
};

TEST_F(ProgramFileTest, FindsProgramsAsTheShellDoes) {
    const std::string tool = write("tool", "#!/bin/sh\n");
    EXPECT_EQ(find_program("tool", "/nowhere:" + folder_).path, tool);
    EXPECT_EQ(find_program(tool, "").state, ProgramState::found);
    EXPECT_EQ(find_program("tool", "/nowhere").state, ProgramState::missing);
    write("plain", "text", 0644);
    EXPECT_EQ(find_program("plain", folder_).state, ProgramState::not_executable);
    EXPECT_EQ(find_program(folder_, "").state, ProgramState::not_executable) << "a folder";
    EXPECT_EQ(find_program("", folder_).state, ProgramState::missing);
}

TEST_F(ProgramFileTest, FollowsDynamicProgramsAndScripts) {
    EXPECT_EQ(why_agent_cannot_follow("/bin/true"), "");
    EXPECT_EQ(why_agent_cannot_follow("sh"), "");
    EXPECT_EQ(why_agent_cannot_follow(write("script", "#! /bin/sh -e\necho\n")), "");
    EXPECT_EQ(why_agent_cannot_follow(write("plain", "echo\n")), "");
    EXPECT_EQ(why_agent_cannot_follow(write("nested", "#!" + folder_ + "/script\n")), "");
    EXPECT_EQ(why_agent_cannot_follow(write("endless", "#!" + folder_ + "/endless\n")), "");
    EXPECT_EQ(why_agent_cannot_follow("/no/such/file"), "");
}

TEST_F(ProgramFileTest, NamesStaticPrograms) {
    const std::string path = changed_program([](Elf64_Ehdr& header, Elf64_Phdr* segments) {
        for (int i = 0; i < header.e_phnum; ++i) {
            if (segments[i].p_type == PT_INTERP) segments[i].p_type = PT_NULL;
        }
    });
    EXPECT_THAT(why_agent_cannot_follow(path), HasSubstr("statically linked"));
    EXPECT_THAT(why_agent_cannot_follow(write("script", "#!" + path + "\n")), HasSubstr("statically linked"));
}

TEST_F(ProgramFileTest, NamesOtherArchitectures) {
    EXPECT_THAT(
        why_agent_cannot_follow(changed_program([](Elf64_Ehdr& header, Elf64_Phdr*) { header.e_machine = EM_S390; })),
        HasSubstr("another architecture"));
    EXPECT_THAT(why_agent_cannot_follow(
                    changed_program([](Elf64_Ehdr& header, Elf64_Phdr*) { header.e_ident[EI_CLASS] = ELFCLASS32; })),
                HasSubstr("another architecture"));
}

TEST_F(ProgramFileTest, NamesAnotherCLibrary) {
    std::ifstream file("/bin/true", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto interpreter = bytes.find("/ld-linux");
    ASSERT_NE(interpreter, std::string::npos);
    std::memcpy(bytes.data() + interpreter, "/ld-muslx", 9);
    EXPECT_THAT(why_agent_cannot_follow(write("musl", bytes)), HasSubstr("another C library"));
}

TEST_F(ProgramFileTest, NamesProgramsThatGainPrivileges) {
    const std::string path = changed_program([](Elf64_Ehdr&, Elf64_Phdr*) {});
    if (chown(path.c_str(), geteuid() + 1, static_cast<gid_t>(-1)) != 0)
        GTEST_SKIP() << "only root can give a file away";
    chmod(path.c_str(), 04755);
    EXPECT_THAT(why_agent_cannot_follow(path), HasSubstr("setuid"));
    chmod(path.c_str(), 0755);
    EXPECT_EQ(why_agent_cannot_follow(path), "");
}

TEST_F(ProgramFileTest, SurvivesBrokenElfFiles) {
    EXPECT_THAT(why_agent_cannot_follow(write("short",
                                              "\x7f"
                                              "ELF")),
                testing::Not(testing::IsEmpty()));
    const std::string path = changed_program([](Elf64_Ehdr& header, Elf64_Phdr*) {
        header.e_phoff = ~std::uint64_t{0} - 8;
        header.e_phnum = 0xffff;
    });
    EXPECT_THAT(why_agent_cannot_follow(path), HasSubstr("statically linked"));
}

}  // namespace
}  // namespace pinwise
