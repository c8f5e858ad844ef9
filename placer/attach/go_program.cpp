#include "placer/attach/go_program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"

namespace pinwise {

namespace {

using FileHeader = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Note = ElfW(Nhdr);

constexpr std::size_t max_table_bytes = std::size_t{1} << 20U;
constexpr std::string_view note_owner = "Go";
constexpr std::string_view info_section = ".go.buildinfo";

/// As much as there is, at most max_table_bytes.
std::string read_part(int file, std::uint64_t offset, std::uint64_t bytes) {
    std::string part(std::min<std::uint64_t>(bytes, max_table_bytes), '\0');
    const ssize_t count = pread(file, part.data(), part.size(), static_cast<off_t>(offset));
    part.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return part;
}

template <class Entry>
std::optional<Entry> entry_at(std::string_view table, std::size_t position) {
    if (table.size() < sizeof(Entry) || position > (table.size() - sizeof(Entry)) / sizeof(Entry)) return std::nullopt;
    Entry entry{};
    std::memcpy(&entry, table.data() + position * sizeof(Entry), sizeof(Entry));
    return entry;
}

bool has_note_of_go(std::string_view notes) {
    constexpr std::size_t alignment = 4;
    while (const auto note = entry_at<Note>(notes, 0)) {
        notes.remove_prefix(sizeof(Note));
        const std::string_view owner = notes.substr(0, note->n_namesz);
        if (owner.substr(0, owner.find('\0')) == note_owner) return true;
        const auto padded = [](std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
        notes.remove_prefix(std::min<std::uint64_t>(notes.size(), padded(note->n_namesz) + padded(note->n_descsz)));
    }
    return false;
}

bool has_build_id(int file, const FileHeader& header) {
    const std::string segments = read_part(file, header.e_phoff, header.e_phnum * sizeof(Segment));
    for (std::size_t i = 0; const auto segment = entry_at<Segment>(segments, i); ++i) {
        if (segment->p_type != PT_NOTE) continue;
        if (has_note_of_go(read_part(file, segment->p_offset, segment->p_filesz))) return true;
    }
    return false;
}

bool has_build_info(int file, const FileHeader& header) {
    const std::string sections = read_part(file, header.e_shoff, header.e_shnum * sizeof(Section));
    const auto name_table = entry_at<Section>(sections, header.e_shstrndx);
    if (!name_table) return false;
    const std::string names = read_part(file, name_table->sh_offset, name_table->sh_size);
    for (std::size_t i = 0; const auto section = entry_at<Section>(sections, i); ++i) {
        if (section->sh_name >= names.size()) continue;
        if (std::string_view(names.c_str() + section->sh_name) == info_section) return true;
    }
    return false;
}

}  // namespace

bool is_go_program(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return false;
    const auto header = entry_at<FileHeader>(read_part(file.get(), 0, sizeof(FileHeader)), 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (header->e_ident[EI_CLASS] != own_class) return false;
    return has_build_id(file.get(), *header) || has_build_info(file.get(), *header);
}

}  // namespace pinwise
