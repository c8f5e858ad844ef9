#include "runner/cli/compare_inputs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pinwise::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view trials_file = "trials.csv";

std::string name_of_path(fs::path path) {
    if (path.filename() == trials_file && path.has_parent_path()) path = path.parent_path();
    if (!path.has_filename()) path = path.parent_path();
    const std::string name = fs::is_directory(path) ? path.filename().string() : path.stem().string();
    return name.empty() || name == "." || name == ".." ? fs::weakly_canonical(path).filename().string() : name;
}

ComparedInput input_of_file(const fs::path& file) {
    std::error_code error;
    const fs::path machine = file.parent_path() / "machine.json";
    const bool recorded = file.filename() == trials_file && fs::exists(machine, error);
    return {name_of_path(file), file.string(), recorded ? machine.string() : ""};
}

Result<std::vector<ComparedInput>> inputs_of_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / trials_file, error)) return std::vector{input_of_file(folder / trials_file)};
    std::vector<ComparedInput> found;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (fs::exists(entry.path() / trials_file, error)) found.push_back(input_of_file(entry.path() / trials_file));
    if (found.empty())
        return usage_error(fmt::format("{}: no trials.csv in this folder nor in the folders in it", folder.string()));
    std::ranges::sort(found, {}, &ComparedInput::path);
    return found;
}

Result<std::vector<ComparedInput>> inputs_of_path(const std::string& path) {
    if (path == "-") return std::vector{ComparedInput{"-", "/dev/stdin", ""}};
    std::error_code error;
    if (fs::is_directory(path, error)) return inputs_of_folder(path);
    if (!fs::exists(path, error)) return usage_error(fmt::format("{}: no such file or folder", path));
    return std::vector{input_of_file(path)};
}

void keep_names_apart(std::vector<ComparedInput>& inputs) {
    for (ComparedInput& each : inputs) {
        const auto same = [&each](const ComparedInput& other) { return other.name == each.name; };
        if (std::ranges::count_if(inputs, same) < 2) continue;
        const std::string name = each.name;
        for (ComparedInput& other : inputs)
            if (other.name == name) other.name = other.path;
    }
}

}  // namespace

Result<std::vector<ComparedInput>> find_inputs(const std::vector<std::string>& arguments) {
    std::vector<ComparedInput> inputs;
    for (const std::string& argument : arguments) {
        std::error_code error;
        const std::size_t equals = fs::exists(argument, error) ? std::string::npos : argument.find('=');
        auto found = inputs_of_path(equals == std::string::npos ? argument : argument.substr(equals + 1));
        if (!found) return found;
        if (equals != std::string::npos && found->size() == 1) found->front().name = argument.substr(0, equals);
        inputs.insert(inputs.end(), found->begin(), found->end());
    }
    keep_names_apart(inputs);
    return inputs;
}

Result<std::string> read_input(const std::string& path) {
    const auto refused = [&path] { return usage_error(fmt::format("{}: {}", path, std::strerror(errno))); };
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return refused();
    struct Closer {
        int fd;
        ~Closer() { close(fd); }
    } const closer{fd};
    struct stat status {};
    constexpr std::size_t block = std::size_t{1} << 20U;
    std::string text;
    if (fstat(fd, &status) == 0 && status.st_size > 0) text.reserve(static_cast<std::size_t>(status.st_size) + block);
    for (;;) {
        const std::size_t size = text.size();
        text.resize(size + block);
        const ssize_t count = read(fd, text.data() + size, block);
        text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return refused();
        if (count == 0) return text;
    }
}

}  // namespace pinwise::cli
