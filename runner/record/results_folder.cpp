#include "runner/record/results_folder.hpp"

#include <array>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "runner/record/moves_csv.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

Result<void> create_empty_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return usage_error(fmt::format("cannot create the results folder {}: {}", path, error.message()));
    const bool empty = fs::is_empty(path, error);
    if (error) return usage_error(fmt::format("cannot look into the results folder {}: {}", path, error.message()));
    if (!empty)
        return usage_error(fmt::format(
            "the results folder {} is not empty; name another one, results are never mixed or overwritten", path));
    fs::create_directory(fs::path(path) / "output", error);
    if (error) return failure(fmt::format("cannot create {}/output: {}", path, error.message()));
    return {};
}

Result<DurableFile> create_with(const std::string& path, std::string_view text) {
    auto file = DurableFile::create(path);
    if (!file) return file;
    if (const auto written = file->append(text); !written) return tl::unexpected<Error>(written.error());
    return file;
}

}  // namespace

Result<ResultsFolder> ResultsFolder::create(const std::string& path, const RunDescription& description) {
    if (const auto made = create_empty_folder(path); !made) return tl::unexpected<Error>(made.error());
    const std::array<std::pair<std::string_view, std::string_view>, 3> texts{
        {{"config.toml", description.config_toml},
         {"machine.json", description.machine_json},
         {"topology.xml", description.topology_xml}}};
    for (const auto& [name, text] : texts) {
        const auto file = create_with(fmt::format("{}/{}", path, name), text);
        if (!file) return tl::unexpected<Error>(file.error());
    }
    auto trials = create_with(path + "/trials.csv", trials_header());
    if (!trials) return tl::unexpected<Error>(trials.error());
    auto threads = create_with(path + "/threads.csv", threads_header());
    if (!threads) return tl::unexpected<Error>(threads.error());
    if (const auto synced = sync_folder(path); !synced) return tl::unexpected<Error>(synced.error());
    return ResultsFolder(path, *std::move(trials), *std::move(threads));
}

Result<void> ResultsFolder::record(const Machine& machine, const TrialSpec& spec, const TrialResult& result) {
    if (result.balance) {
        const std::string file = fmt::format("{}/{:04}.moves.csv", output_folder(), spec.trial);
        std::error_code none;
        fs::remove(file, none);  // of a trial that did not get to its end
        if (const auto written = create_with(file, format_moves(result.balance->moves)); !written)
            return tl::unexpected<Error>(written.error());
    }
    if (auto written = threads_.append(format_thread_rows(machine, spec, result)); !written) return written;
    return trials_.append(format_trial_rows(trial_rows(spec, result)));
}

std::string default_results_path(std::string_view name) {
    const time_t now = time(nullptr);
    tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> stamp{};
    strftime(stamp.data(), stamp.size(), "%Y%m%dT%H%M%SZ", &utc);
    return fmt::format("results/{}-{}", name, stamp.data());
}

}  // namespace pinwise
