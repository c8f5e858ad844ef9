#pragma once
/// The options of pinwise-stream.

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/common/expected.hpp"
#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/size_text.hpp"
#include "workloads/stream/kernels.hpp"

namespace pinwise::stream {

struct Options {
    int threads = 1;
    std::optional<workloads::SizeText> size;  ///< of one array; nothing is auto
    int ntimes = 10;
    std::optional<Stores> stores;  ///< nothing is auto
    workloads::ThpAdvice thp = workloads::ThpAdvice::on;
    workloads::Touch touch = workloads::Touch::parallel;
    std::optional<std::uint64_t> llc_bytes;  ///< instead of what sysfs says
    std::string json;                        ///< file, "-", or empty for none
};

/// Limits of the options; beyond them is a mistake rather than a measurement.
inline constexpr int most_threads = 8192;
inline constexpr int most_ntimes = 10000;

/// Options, or the text to print and end with (--help, --version).
struct CommandLine {
    Options options;
    std::optional<std::string> text_instead;
};

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv);

/// The rule behind --stores auto: nontemporal once the three arrays together exceed the last-level caches. Below,
/// results stay in the caches and regular stores are faster; docs/workloads/stream.md has the measurement.
Stores choose_stores(std::optional<Stores> requested, std::uint64_t array_bytes, std::uint64_t llc_bytes);

}  // namespace pinwise::stream
