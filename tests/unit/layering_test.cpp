/// The arrows of the design: workloads know nothing of the placer, the placer nothing of runner or workloads, policies
/// do no I/O, and each outside library has one owner.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

struct Include {
    std::string file;    // relative to the project's root
    std::string header;  // as written between the quotes or brackets
};

/// What a line includes; empty for any other line.
std::string included_header(const std::string& line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) return "";
    const std::size_t begin = line.find_first_of("<\"", hash);
    const std::size_t end = line.find_first_of(">\"", begin + 1);
    return end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
}

std::vector<Include> includes_below(const std::string& folder) {
    std::vector<Include> includes;
    const fs::path root(PINWISE_SOURCE_DIR);
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".hpp" && extension != ".h" && extension != ".c") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            const std::string header = included_header(line);
            if (!header.empty()) includes.push_back({fs::relative(entry.path(), root).string(), header});
        }
    }
    return includes;
}

/// Every include below `folder` whose header starts with one of `prefixes` is a fault, except in files that start with
/// `owner`.
void expect_none(const std::string& folder, const std::vector<std::string>& prefixes, const std::string& owner = "") {
    const std::vector<Include> includes = includes_below(folder);
    ASSERT_FALSE(includes.empty()) << folder;
    for (const Include& include : includes) {
        if (!owner.empty() && include.file.starts_with(owner)) continue;
        for (const std::string& prefix : prefixes) {
            EXPECT_FALSE(include.header.starts_with(prefix)) << include.file << " includes " << include.header;
        }
    }
}

TEST(Layering, WorkloadsKnowNothingOfPlacerAndRunner) {
    expect_none("workloads", {"placer/", "runner/"});
}

TEST(Layering, ThePlacerKnowsNothingOfRunnerAndWorkloads) {
    expect_none("placer", {"runner/", "workloads/"});
}

TEST(Layering, TheRunnerLaunchesWorkloadsAndDoesNotIncludeThem) {
    expect_none("runner", {"workloads/"});
}

TEST(Layering, DomainsAndPoliciesDoNoInputOrOutput) {
    const std::vector<std::string> io{"fstream", "iostream", "cstdio",  "filesystem", "unistd.h",
                                      "fcntl.h", "sys/",     "sched.h", "chrono",     "pthread.h"};
    expect_none("placer/domain", io);
    expect_none("placer/policy", io);
}

TEST(Layering, EachOutsideLibraryHasOneOwner) {
    expect_none("placer", {"hwloc"}, "placer/topology/load_machine.cpp");
    expect_none("runner", {"hwloc", "numa"});
    expect_none("workloads", {"hwloc", "numa"});
    expect_none("runner", {"CLI/"}, "runner/cli/");
    expect_none("runner", {"re2/"}, "runner/output/");
}

}  // namespace
