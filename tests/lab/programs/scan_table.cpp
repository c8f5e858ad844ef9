// scan_table [--check] FOLDER WORKLOAD...: what page-migration scanning did, from the documents that guest/scan-runs.sh
// left. With --check the exit status is 1 unless every run verified its result and the scanned ones ended with local
// pages.

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

constexpr double least_local_percent = 95;

struct Run {
    bool verified = false;
    double local_start = 0;
    double local_end = 0;
    double settled_s = -1;  ///< when the local share first reached the least; -1: never
    double pte_updates = 0;
    double hint_faults = 0;
    double migrated = 0;
    double scans = 0;
    double overlap_percent = 0;
    double lost = 0;
    double system_s = 0;
};

nlohmann::json document(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return nlohmann::json::parse(stream);
}

Run read_run(const std::filesystem::path& folder, const std::string& name) {
    const auto result = document(folder / (name + ".json"));
    const auto scan = document(folder / (name + ".scan.json"));
    const auto& shares = result["pages"]["local_share"];
    const auto& counters = scan["counters"];
    Run run{.verified = result["verification"]["passed"],
            .local_start = shares.front()["percent"],
            .local_end = shares.back()["percent"],
            .pte_updates = counters["numa_pte_updates"],
            .hint_faults = counters["numa_hint_faults"],
            .migrated = counters["numa_pages_migrated"],
            .scans = counters["scans"],
            .overlap_percent = scan["scan_overlap_percent"],
            .lost = counters["scans_lost"],
            .system_s = scan["scanner_system_time_s"]};
    for (const auto& share : shares)
        if (run.settled_s < 0 && share["percent"] >= least_local_percent) run.settled_s = share["time_s"];
    return run;
}

std::string ratio(double ours, double theirs) {
    return theirs > 0 ? fmt::format("{:.2f}", ours / theirs) : "-";
}

/// False: something is not as it must be.
bool print_workload(const std::filesystem::path& folder, const std::string& workload) {
    bool right = true;
    std::vector<Run> scanned;
    for (const std::string mode : {"off", "unstaggered", "staggered"}) {
        const std::string name = workload + "-" + mode;
        if (!std::filesystem::exists(folder / (name + ".json"))) continue;
        const Run run = read_run(folder, name);
        fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {} | {} | {} | {:.1f} | {} | {:.3f} |\n", workload,
                   mode, run.verified ? "yes" : "NO", run.local_start, run.local_end,
                   run.settled_s < 0 ? "-" : fmt::format("{:.1f}", run.settled_s), run.pte_updates, run.hint_faults,
                   run.migrated, run.scans, run.overlap_percent, run.lost, run.system_s);
        right = right && run.verified && (mode == "off" || run.local_end >= least_local_percent);
        if (mode != "off") scanned.push_back(run);
    }
    if (scanned.size() == 2)
        fmt::print("| {} | staggered / unstaggered | | | | | {} | {} | {} | {} | | {} | {} |\n", workload,
                   ratio(scanned[1].pte_updates, scanned[0].pte_updates),
                   ratio(scanned[1].hint_faults, scanned[0].hint_faults),
                   ratio(scanned[1].migrated, scanned[0].migrated), ratio(scanned[1].scans, scanned[0].scans),
                   ratio(scanned[1].lost, scanned[0].lost), ratio(scanned[1].system_s, scanned[0].system_s));
    return right && scanned.size() == 2;
}

}  // namespace

int main(int argc, char** argv) {
    bool check = false;
    std::string folder;
    std::vector<std::string> workloads;
    CLI::App app{"What page-migration scanning did in the runs of a folder"};
    app.add_flag("--check", check);
    app.add_option("folder", folder)->required();
    app.add_option("workloads", workloads)->required();
    CLI11_PARSE(app, argc, argv);
    fmt::print(
        "| workload | scan | verified | local % at start | at end | s to {:.0f} % | pte updates | hint faults | pages "
        "moved | scans | "
        "overlap % | scans lost | system s |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        least_local_percent);
    bool right = true;
    try {
        for (const std::string& workload : workloads)
            right = print_workload(folder, workload) && right;
    } catch (const std::exception& error) {
        fmt::print(stderr, "scan_table: {}\n", error.what());
        return 1;
    }
    return right || !check ? 0 : 1;
}
