#pragma once
/// Where configs live: the user's own path, and those that come with pinwise.

#include <string>
#include <vector>

#include "placer/result.hpp"

namespace pinwise {

/// A config that `pinwise run NAME` finds.
struct ConfigFile {
    std::string name;  ///< "quick"
    std::string path;
    std::string summary;  ///< the first sentence of the comment at its top; "" without one
};

/// configs/ of the working directory, of the source tree this program was built in, and of its installation.
std::vector<std::string> config_folders();

/// The configs of the folders, by name; of equal names the first folder's.
std::vector<ConfigFile> list_configs(const std::vector<std::string>& folders);

/// `name` itself when it is a file, else the config of that name. The usage error names what there is, and the nearest.
Result<std::string> find_config(const std::string& name, const std::vector<std::string>& folders);

/// Whole text of a config file.
Result<std::string> read_config_file(const std::string& path);

}  // namespace pinwise
