#include "runner/validate/problems.hpp"

#include <algorithm>

#include "placer/quoted.hpp"

namespace pinwise {
namespace {

constexpr std::size_t most_kept_of_a_file = 20;

}  // namespace

void Problems::add(const std::string& file, int line, const std::string& message) {
    ++count_;
    auto of_file = std::ranges::find(files_, file, &OfFile::file);
    if (of_file == files_.end()) of_file = files_.insert(files_.end(), {file, 0});
    if (++of_file->count > most_kept_of_a_file) return;
    const std::string place = file.empty() ? "" : line > 0 ? fmt::format("{}:{}: ", file, line) : file + ": ";
    kept_.push_back(on_one_line(place + message));
}

std::vector<std::string> Problems::lines() const {
    std::vector<std::string> lines = kept_;
    for (const OfFile& each : files_)
        if (each.count > most_kept_of_a_file)
            lines.push_back(fmt::format("{}: {} more", each.file, each.count - most_kept_of_a_file));
    return lines;
}

}  // namespace pinwise
