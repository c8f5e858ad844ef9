#include "placer/attach/go_program.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

namespace pinwise {
namespace {

template <class Part>
std::string bytes_of(const Part& part) {
    std::string bytes(sizeof(part), '\0');
    std::memcpy(bytes.data(), &part, sizeof(part));
    return bytes;
}

ElfW(Ehdr) header() {
    ElfW(Ehdr) made{};
    std::memcpy(made.e_ident, ELFMAG, SELFMAG);
    made.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    return made;
}

/// A file with one note.
std::string with_note(const std::string& owner, std::uint32_t claimed_name_bytes) {
    auto file = header();
    file.e_phoff = sizeof(file);
    file.e_phnum = 1;
    const ElfW(Nhdr) note{.n_namesz = claimed_name_bytes, .n_descsz = 0, .n_type = 4};
    const std::string notes = bytes_of(note) + owner;
    ElfW(Phdr) segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof(file) + sizeof(segment);
    segment.p_filesz = notes.size();
    return bytes_of(file) + bytes_of(segment) + notes;
}

/// A file with one section, which holds the names of all.
std::string with_section(const std::string& name, std::uint16_t names_at) {
    auto file = header();
    file.e_shoff = sizeof(file);
    file.e_shnum = 1;
    file.e_shstrndx = names_at;
    ElfW(Shdr) section{};
    section.sh_offset = sizeof(file) + sizeof(section);
    section.sh_size = name.size() + 1;
    return bytes_of(file) + bytes_of(section) + name + std::string(1, '\0');
}

bool is_go(const std::string& bytes) {
    const std::string path = testing::TempDir() + "/pinwise-go-" + std::to_string(getpid());
    std::ofstream(path, std::ios::binary) << bytes;
    const bool result = is_go_program(path);
    std::filesystem::remove(path);
    return result;
}

TEST(GoProgram, IsToldByItsBuildId) {
    EXPECT_TRUE(is_go(with_note(std::string("Go\0\0", 4), 4)));
    EXPECT_FALSE(is_go(with_note(std::string("GNU\0", 4), 4)));
}

TEST(GoProgram, IsToldByItsBuildInfo) {
    EXPECT_TRUE(is_go(with_section(".go.buildinfo", 0)));
    EXPECT_FALSE(is_go(with_section(".text", 0)));
}

TEST(GoProgram, IsNoOtherFile) {
    EXPECT_FALSE(is_go_program("/bin/true"));
    EXPECT_FALSE(is_go_program("/no/such/file"));
    EXPECT_FALSE(is_go_program("/"));
    EXPECT_FALSE(is_go(""));
    EXPECT_FALSE(is_go("#!/bin/sh\n"));
}

TEST(GoProgram, SurvivesBrokenTables) {
    EXPECT_FALSE(is_go(with_note("", ~std::uint32_t{0})));
    EXPECT_FALSE(is_go(with_section(".go.buildinfo", 7)));
    auto file = header();
    file.e_phoff = file.e_shoff = ~std::uint64_t{0} - 8;
    file.e_phnum = file.e_shnum = 0xffff;
    EXPECT_FALSE(is_go(bytes_of(file)));
    for (std::size_t bytes = 0; bytes < 150; ++bytes)
        EXPECT_FALSE(is_go(with_section(".go.buildinfo", 0).substr(0, std::min<std::size_t>(bytes, 130))));
}

}  // namespace
}  // namespace pinwise
