#include "placer/agent/program_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"

namespace pinwise {

namespace {

constexpr int max_interpreters = 5;  // the kernel's own limit of nested #! lines
constexpr std::size_t max_program_headers = 4096;

enum class FileKind { elf, script, other };

/// As much of an ELF file as the question needs.
struct ElfFacts {
    int elf_class = 0;
    int machine = 0;
    std::string interpreter;  ///< the dynamic loader; empty in a static program
};

std::string read_at(int descriptor, std::size_t bytes, std::uint64_t offset) {
    std::string text(bytes, '\0');
    const ssize_t count = pread(descriptor, text.data(), bytes, static_cast<off_t>(offset));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return text;
}

template <class Header>
std::optional<Header> read_header(int descriptor, std::uint64_t offset) {
    const std::string raw = read_at(descriptor, sizeof(Header), offset);
    if (raw.size() != sizeof(Header)) return std::nullopt;
    Header header{};
    std::memcpy(&header, raw.data(), sizeof(Header));
    return header;
}

template <class Elf, class Segment>
ElfFacts read_elf(int descriptor) {
    ElfFacts facts;
    const auto header = read_header<Elf>(descriptor, 0);
    if (!header) return facts;
    facts.elf_class = header->e_ident[EI_CLASS];
    facts.machine = header->e_machine;
    const std::size_t count = std::min<std::size_t>(header->e_phnum, max_program_headers);
    for (std::size_t i = 0; i < count; ++i) {
        const auto segment = read_header<Segment>(descriptor, header->e_phoff + i * sizeof(Segment));
        if (!segment) break;
        if (segment->p_type != PT_INTERP) continue;
        const std::string text = read_at(descriptor, std::min<std::size_t>(segment->p_filesz, 4096), segment->p_offset);
        facts.interpreter = text.substr(0, text.find('\0'));
    }
    return facts;
}

ElfFacts read_elf_facts(int descriptor) {
    const std::string ident = read_at(descriptor, EI_NIDENT, 0);
    if (ident.size() == EI_NIDENT && ident[EI_CLASS] == ELFCLASS32) return read_elf<Elf32_Ehdr, Elf32_Phdr>(descriptor);
    return read_elf<Elf64_Ehdr, Elf64_Phdr>(descriptor);
}

const ElfFacts& own_facts() {
    static const ElfFacts facts = [] {
        const Descriptor self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        return read_elf_facts(self.get());
    }();
    return facts;
}

FileKind kind_of(std::string_view start) {
    if (start.starts_with("\x7f"
                          "ELF"))
        return FileKind::elf;
    return start.starts_with("#!") ? FileKind::script : FileKind::other;
}

std::string interpreter_of_script(std::string_view start) {
    constexpr std::string_view blanks = " \t";
    std::string_view line =
        start.substr(2, start.find('\n') == std::string_view::npos ? start.size() : start.find('\n') - 2);
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    return std::string(line.substr(0, line.find_first_of(blanks)));
}

std::string base_name(std::string_view path) {
    const auto slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string why_not_elf(int descriptor, const std::string& path) {
    const ElfFacts facts = read_elf_facts(descriptor);
    const ElfFacts& own = own_facts();
    // Where our own file cannot be read (no descriptor free), nothing is known to differ.
    if (own.elf_class != 0 && (facts.elf_class != own.elf_class || facts.machine != own.machine)) {
        return fmt::format("{} is built for another architecture than pinwise", path);
    }
    if (facts.interpreter.empty()) return fmt::format("{} is statically linked", path);
    if (!own.interpreter.empty() && base_name(facts.interpreter) != base_name(own.interpreter)) {
        return fmt::format("{} uses another C library (its loader is {})", path, facts.interpreter);
    }
    return {};
}

/// The dynamic loader ignores LD_PRELOAD in a program that gains privileges.
std::string why_not_privileged(int descriptor, const std::string& path) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) return {};
    if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) return fmt::format("{} is setuid", path);
    if ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) return fmt::format("{} is setgid", path);
    if (geteuid() != 0 && fgetxattr(descriptor, "security.capability", nullptr, 0) > 0) {
        return fmt::format("{} has file capabilities", path);
    }
    return {};
}

bool is_executable_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

bool exists(const std::string& path) {
    return access(path.c_str(), F_OK) == 0;
}

}  // namespace

ProgramFile find_program(std::string_view name, std::string_view search_path) {
    ProgramFile result{.state = ProgramState::missing, .path = std::string(name)};
    if (name.empty()) return result;
    if (name.find('/') != std::string_view::npos) {
        if (is_executable_file(result.path))
            result.state = ProgramState::found;
        else if (exists(result.path))
            result.state = ProgramState::not_executable;
        return result;
    }
    while (true) {
        const auto colon = search_path.find(':');
        const std::string_view folder = search_path.substr(0, colon);
        const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
        if (is_executable_file(candidate)) return {.state = ProgramState::found, .path = candidate};
        if (exists(candidate)) result = {.state = ProgramState::not_executable, .path = candidate};
        if (colon == std::string_view::npos) return result;
        search_path.remove_prefix(colon + 1);
    }
}

ProgramFile find_program(std::string_view name) {
    const char* search_path = std::getenv("PATH");
    return find_program(name, search_path != nullptr ? search_path : "/bin:/usr/bin");
}

std::string program_image(const std::string& program) {
    const ProgramFile file = find_program(program);
    if (file.state != ProgramState::found) return {};
    std::string path = file.path;
    for (int depth = 0; depth < max_interpreters; ++depth) {
        const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (descriptor.get() < 0) return {};  // executable but not readable: the attempt will tell
        const std::string start = read_at(descriptor.get(), 256, 0);
        switch (kind_of(start)) {
            case FileKind::elf:
                return path;
            case FileKind::script:
                path = interpreter_of_script(start);
                break;
            case FileKind::other:
                // Without a #! line the kernel refuses it and the shell runs it.
                path = "/bin/sh";
                break;
        }
    }
    return {};
}

std::string why_image_gains_privileges(const std::string& image) {
    const Descriptor descriptor(open(image.c_str(), O_RDONLY | O_CLOEXEC));
    return descriptor.get() < 0 ? std::string() : why_not_privileged(descriptor.get(), image);
}

std::string why_agent_cannot_follow(const std::string& program) {
    const std::string image = program_image(program);
    const Descriptor descriptor(open(image.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor.get() < 0) return {};
    const std::string reason = why_not_privileged(descriptor.get(), image);
    return reason.empty() ? why_not_elf(descriptor.get(), image) : reason;
}

}  // namespace pinwise
