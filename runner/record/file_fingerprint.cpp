#include "runner/record/file_fingerprint.hpp"

#include <array>
#include <cstdint>
#include <fstream>

#include <fmt/format.h>

namespace pinwise {
namespace {

constexpr std::uint64_t offset_basis = 0xcbf29ce484222325;
constexpr std::uint64_t prime = 0x100000001b3;

std::uint64_t add(std::uint64_t hash, std::string_view bytes) {
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
    return hash;
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
    return fmt::format("{:016x}", add(offset_basis, bytes));
}

Result<std::string> file_fingerprint(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return failure(fmt::format("{} cannot be read", path));
    std::uint64_t hash = offset_basis;
    std::array<char, 65536> block{};
    while (stream.read(block.data(), block.size()) || stream.gcount() > 0)
        hash = add(hash, {block.data(), static_cast<std::size_t>(stream.gcount())});
    if (stream.bad()) return failure(fmt::format("{} cannot be read", path));
    return fmt::format("fnv1a:{:016x}", hash);
}

}  // namespace pinwise
