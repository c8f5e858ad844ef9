#include "runner/record/results_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/record/experiment_record.hpp"
#include "runner/record/moves_csv.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/record/unfinished_rows.hpp"

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
        return usage_error(
            fmt::format("the results folder {0} is not empty; name another one, results are never mixed or "
                        "overwritten (pinwise run --resume {0} goes on with a run that was ended)",
                        path));
    fs::create_directory(fs::path(path) / "output", error);
    if (error) return failure(fmt::format("cannot create {}/output: {}", path, error.message()));
    return {};
}

/// All of the text, or no file.
Result<DurableFile> create_with(const std::string& path, std::string_view text) {
    auto file = DurableFile::create(path);
    if (!file) return file;
    if (const auto written = file->append(text); !written) {
        std::error_code none;
        fs::remove(path, none);
        return tl::unexpected<Error>(written.error());
    }
    return file;
}

/// The same in place of what a trial left that did not get to its end.
Result<void> replace_with(const std::string& path, std::string_view text) {
    std::error_code none;
    fs::remove(path, none);
    if (const auto written = create_with(path, text); !written) return tl::unexpected<Error>(written.error());
    return {};
}

/// Whether anything can still be written: tried, because quotas and limits have no other sign.
Result<void> check_room(const std::string& folder) {
    constexpr std::size_t block_bytes = 4096;
    const std::string file = folder + "/room";
    auto written = replace_with(file, std::string(block_bytes, '\0'));
    std::error_code none;
    fs::remove(file, none);
    return written;
}

/// Only one run may write into a folder. A run that was just killed lets go when the process it was starting is gone
/// too, which takes a moment.
Result<void> take(DurableFile& trials, const std::string& path) {
    constexpr int most_tries = 20;
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto taken = trials.lock();
        if (!taken) return tl::unexpected<Error>(taken.error());
        if (*taken) return {};
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return usage_error(fmt::format("another run is writing into {}", path));
}

Result<void> write_description(const std::string& path, const RunDescription& description) {
    const std::array<std::pair<std::string_view, std::string_view>, 4> texts{
        {{"config.toml", description.config_toml},
         {"experiment.json", description.experiment_json},
         {"machine.json", description.machine_json},
         {"topology.xml", description.topology_xml}}};
    for (const auto& [name, text] : texts) {
        const auto file = create_with(fmt::format("{}/{}", path, name), text);
        if (!file) return tl::unexpected<Error>(file.error());
    }
    return {};
}

}  // namespace

Result<ResultsFolder> ResultsFolder::create(const std::string& path, const RunDescription& description) {
    if (const auto made = create_empty_folder(path); !made) return tl::unexpected<Error>(made.error());
    auto trials = DurableFile::create(path + "/trials.csv");
    if (!trials) return tl::unexpected<Error>(trials.error());
    if (const auto taken = take(*trials, path); !taken) return tl::unexpected<Error>(taken.error());
    if (const auto written = write_description(path, description); !written)
        return tl::unexpected<Error>(written.error());
    auto threads = create_with(path + "/threads.csv", threads_header());
    if (!threads) return tl::unexpected<Error>(threads.error());
    // The header of trials.csv comes last: a folder that has it has everything.
    if (const auto written = trials->append(trials_header()); !written) return tl::unexpected<Error>(written.error());
    const std::string parent = fs::absolute(path).parent_path().string();
    for (const std::string& folder : {path, parent})
        if (const auto synced = sync_folder(folder); !synced) return tl::unexpected<Error>(synced.error());
    return ResultsFolder(path, *std::move(trials), *std::move(threads));
}

Result<ResultsFolder> ResultsFolder::reopen(const std::string& path) {
    if (!fs::is_regular_file(path + "/trials.csv"))
        return usage_error(fmt::format("{} is no results folder: it has no trials.csv", path));
    auto trials = DurableFile::open(path + "/trials.csv");
    if (!trials) return tl::unexpected<Error>(trials.error());
    if (const auto taken = take(*trials, path); !taken) return tl::unexpected<Error>(taken.error());
    const std::string trials_text = file_text(path + "/trials.csv");
    if (trials_text.find('\n') == std::string::npos)
        return usage_error(
            fmt::format("the run of {} was ended before its first trial; remove the folder and start it anew", path));
    const auto part = finished_part(trials_text, file_text(path + "/threads.csv"), path);
    if (!part) return tl::unexpected<Error>(part.error());
    auto threads = DurableFile::open(path + "/threads.csv");
    if (!threads) return tl::unexpected<Error>(threads.error());
    // trials.csv first: what it does not name is not finished, whatever threads.csv says.
    if (const auto cut = trials->cut(part->trials_bytes); !cut) return tl::unexpected<Error>(cut.error());
    if (const auto cut = threads->cut(part->threads_bytes); !cut) return tl::unexpected<Error>(cut.error());
    ResultsFolder folder(path, *std::move(trials), *std::move(threads));
    folder.finished_ = part->trials;
    return folder;
}

Result<void> ResultsFolder::check_same(const RunDescription& now) const {
    const auto experiment = experiment_difference(file_text(path_ + "/experiment.json"), now.experiment_json);
    if (!experiment) return usage_error(fmt::format("{}: {}", path_, experiment.error().message));
    const auto machine = machine_difference(file_text(machine_file()), now.machine_json);
    if (!machine) return usage_error(fmt::format("{}: {}", path_, machine.error().message));
    if (experiment->empty() && machine->empty()) return {};
    return usage_error(fmt::format("{} cannot go on, results are never mixed: {}{}{}", path_, *experiment,
                                   experiment->empty() || machine->empty() ? "" : "; ", *machine));
}

Result<void> ResultsFolder::add_machine(std::string_view machine_json) {
    int number = 1;
    const auto name = [&] { return fmt::format("{}/machine-resumed-{}.json", path_, number); };
    while (fs::exists(name()))
        ++number;
    const auto file = create_with(name(), machine_json);
    if (!file) return tl::unexpected<Error>(file.error());
    return sync_folder(path_);
}

Result<void> ResultsFolder::record(const Machine& machine, const TrialSpec& spec, const TrialResult& result) {
    // It may have failed because its workload could not write any more: that says nothing about the strategy.
    if (result.status == TrialStatus::failed)
        if (auto room = check_room(output_folder()); !room) return room;
    if (result.balance) {
        const std::string file = fmt::format("{}/{:04}.moves.csv", output_folder(), spec.trial);
        if (auto written = replace_with(file, format_moves(result.balance->moves)); !written) return written;
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

std::string file_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    const std::streamoff bytes = stream ? std::streamoff{stream.tellg()} : 0;
    std::string text(static_cast<std::size_t>(std::max<std::streamoff>(0, bytes)), '\0');
    stream.seekg(0);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    return stream ? text : std::string();
}

}  // namespace pinwise
