#pragma once
/// The files and folders of `pinwise compare`.

#include <string>
#include <vector>

#include "placer/result.hpp"

namespace pinwise::cli {

struct ComparedInput {
    std::string name;          ///< of its column: given as NAME=PATH, else from the path
    std::string path;          ///< of the file with the results
    std::string machine_file;  ///< machine.json beside it, "" where there is none
};

/// A results folder, a folder of results folders (each is one input, by name), a file of a known format, "-" for
/// standard input; each may have NAME= in front. Two inputs of one name keep their whole paths as names. A path that
/// is not there, or a folder without results, is a usage error.
Result<std::vector<ComparedInput>> find_inputs(const std::vector<std::string>& arguments);

/// The whole file.
Result<std::string> read_input(const std::string& path);

}  // namespace pinwise::cli
