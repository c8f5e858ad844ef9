#include "runner/record/system_files.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace pinwise {
namespace {

/// Largest file of /proc or /sys that is worth reading: /proc/cpuinfo of a few thousand CPUs.
constexpr std::size_t largest_bytes = 16U << 20;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks(" \t\r\n\0", 5);
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

Result<std::string> SystemFiles::read(std::string_view path) const {
    const std::string full = fmt::format("{}{}", root_, path);
    const int fd = ::open(full.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failure(fmt::format("{}: {}", path, std::system_category().message(errno)));
    std::string text;
    std::array<char, 16384> buffer{};
    ssize_t got = 0;
    while (text.size() < largest_bytes && (got = ::read(fd, buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    const int error = errno;
    ::close(fd);
    if (got < 0) return failure(fmt::format("{}: {}", path, std::system_category().message(error)));
    return std::string(trimmed(text));
}

Result<std::string> SystemFiles::field(std::string_view path, std::string_view key) const {
    auto text = read(path);
    if (!text) return text;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
            return std::string(trimmed(line.substr(colon + 1)));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return failure(fmt::format("{}: no line \"{}\"", path, key));
}

Result<std::string> own_cgroup(const SystemFiles& files) {
    const auto text = files.read("/proc/self/cgroup");
    if (!text) return text;
    const std::size_t at = text->starts_with("0::") ? 0 : text->find("\n0::");
    if (at == std::string::npos) return failure("/proc/self/cgroup: no unified hierarchy");
    const std::size_t begin = text->find("::", at) + 2;
    const std::string group = text->substr(begin, text->find('\n', begin) - begin);
    return fmt::format("/sys/fs/cgroup{}", group == "/" ? "" : group);
}

Result<std::string> chosen_word(const Result<std::string>& choices) {
    if (!choices) return choices;
    const std::size_t open = choices->find('[');
    const std::size_t close = choices->find(']', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return choices;
    return choices->substr(open + 1, close - open - 1);
}

}  // namespace pinwise
