#include "runner/report/results_data.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "placer/topology/load_machine.hpp"

namespace pinwise::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

Result<std::string> file_text(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return failure("is not there");
    if (!fs::is_regular_file(path, error)) return failure("is no regular file");
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream || stream.bad()) return failure("cannot be read");
    return text.str();
}

Result<fs::path> find_trials(const fs::path& path) {
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    fs::path trials = is_folder ? path / "trials.csv" : path;
    if (!fs::exists(trials, error))
        return usage_error(
            fmt::format("{} does not exist: name a results folder of pinwise run, or a trials.csv", trials.string()));
    return trials;
}

std::string value_text(const ordered_json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// machine.json, and why a value is not there.
void read_machine_record(std::string_view text, ResultsData& data) {
    const auto document = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!document.is_object()) {
        data.missing.emplace_back("machine.json: no JSON object, so nothing is known of the machine's state");
        return;
    }
    const auto absent = document.find("absent");
    for (const auto& [key, value] : document.items()) {
        if (key == "schema" || key == "absent") continue;
        std::string shown = value_text(value);
        if (value.is_null() && absent != document.end() && absent->is_object() && absent->contains(key))
            shown = fmt::format("not known: {}", value_text(absent->at(key)));
        if (key == "machine_kind" && value.is_string()) data.machine_kind = shown;
        data.machine_facts.emplace_back(key, std::move(shown));
    }
}

void read_machine(const fs::path& folder, ResultsData& data) {
    if (const auto text = file_text(folder / "machine.json")) {
        read_machine_record(*text, data);
    } else {
        data.missing.push_back(
            fmt::format("machine.json {}: nothing is known of the machine's state", text.error().message));
    }
    const fs::path topology = folder / "topology.xml";
    std::error_code error;
    if (!fs::is_regular_file(topology, error)) {
        data.missing.emplace_back("topology.xml is not there: no map of the machine");
        return;
    }
    auto machine = load_machine(topology.string());
    if (machine) {
        data.machine = *std::move(machine);
    } else {
        data.missing.push_back(fmt::format("topology.xml: {}: no map of the machine", machine.error().message));
    }
}

void read_threads(const fs::path& folder, ResultsData& data) {
    const auto text = file_text(folder / "threads.csv");
    if (!text) {
        data.missing.push_back(fmt::format("threads.csv {}: nothing is known of single threads", text.error().message));
        return;
    }
    auto threads = parse_threads_csv(*text, "threads.csv");
    if (threads) {
        data.threads = *std::move(threads);
    } else {
        data.missing.push_back(fmt::format("{}: nothing is known of single threads", threads.error().message));
    }
}

/// The documents of the trials that finished. What is missing is said once, with how many there are.
void read_details(const fs::path& folder, ResultsData& data) {
    std::set<int> finished;
    for (const TrialRow& row : data.rows)
        if (row.status == "ok") finished.insert(row.trial);
    int unread = 0;
    std::string first_reason;
    for (const int trial : finished) {
        const std::string file = fmt::format("output/{:04}.json", trial);
        const auto text = file_text(folder / file);
        auto detail = text ? parse_workload_detail(*text) : tl::unexpected<Error>(text.error());
        if (detail) {
            data.details.emplace(trial, *std::move(detail));
        } else if (unread++ == 0) {
            first_reason = fmt::format("{} {}", file, detail.error().message);
        }
    }
    if (unread > 0)
        data.missing.push_back(
            fmt::format("{} of {} documents of trials cannot be read ({}): their iterations and "
                        "local share are not shown",
                        unread, finished.size(), first_reason));
}

}  // namespace

Result<ResultsData> load_results(const std::string& path) {
    const auto trials = find_trials(path);
    if (!trials) return tl::unexpected<Error>(trials.error());
    const auto text = file_text(*trials);
    if (!text) return usage_error(fmt::format("{} {}", trials->string(), text.error().message));
    auto table = parse_trials_csv(*text, trials->string());
    if (!table) return tl::unexpected<Error>(table.error());
    ResultsData data;
    const fs::path given = fs::path(path).lexically_normal();
    data.name = given.has_filename() ? given.filename().string() : given.parent_path().filename().string();
    data.rows = std::move(table->rows);
    if (table->torn_line)
        data.missing.push_back(fmt::format(
            "trials.csv:{}: a last line without its end was torn by a crash and is left out", *table->torn_line));
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        data.missing.push_back(fmt::format("{} is a table alone: no machine, no threads, no iterations", data.name));
        return data;
    }
    read_machine(path, data);
    read_threads(path, data);
    read_details(path, data);
    return data;
}

}  // namespace pinwise::report
