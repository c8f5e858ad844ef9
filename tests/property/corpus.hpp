#pragma once
/// The machines that properties are tested on: the corpus of real ones, read in place where it is there, the project's
/// fixtures, and synthetic ones.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/machines.hpp"

namespace pinwise::test {

inline std::filesystem::path corpus() {
    return std::filesystem::path(PINWISE_SOURCE_DIR) / ".." / "shared" / "topologies";
}

inline std::filesystem::path fixtures() {
    return std::filesystem::path(PINWISE_SOURCE_DIR) / "tests" / "data";
}

inline std::vector<std::filesystem::path> xml_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Name and machine. Never empty: without the corpus the fixtures and synthetic machines remain.
inline const std::vector<std::pair<std::string, Machine>>& every_machine() {
    static const auto machines = [] {
        std::vector<std::pair<std::string, Machine>> loaded;
        for (const auto& folder : {corpus(), fixtures()}) {
            for (const auto& file : xml_files(folder))
                loaded.emplace_back(file.stem().string(), load(file.string()));
        }
        for (const auto* source : {zen3_nps1, zen3_nps4, zen3_l3_as_numa, skylake_block, skylake_evenodd,
                                   sapphire_rapids_snc4, xeon_max_flat, altra_no_l3, two_small_nodes, eight_levels}) {
            loaded.emplace_back(source, load(source));
        }
        return loaded;
    }();
    return machines;
}

}  // namespace pinwise::test
