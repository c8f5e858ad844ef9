#include "workloads/stream/command_line.hpp"

#include <utility>

#include <CLI/CLI.hpp>

#include "workloads/common/program_options.hpp"

namespace pinwise::stream {

namespace {

constexpr const char* description =
    "Measure memory bandwidth with a variant of STREAM: Copy, Scale, Add and Triad over three arrays\n"
    "that each thread initialises where it uses them, checked element by element.";

constexpr const char* footer =
    "Examples:\n"
    "  pinwise-stream                                  all threads, arrays of 4 x the caches\n"
    "  pinwise-stream --threads 8 --json result.json   eight threads, the result as a document too\n"
    "  pinwise-stream --stores regular --thp off       what plain code on small pages gets\n"
    "Exit status: 0 measured and verified, 1 failed run or check, 2 mistake in the options.";

/// The words of the options as typed, before they are understood.
struct Words {
    std::string size = "auto";
    std::string stores = "auto";
    std::string llc_bytes;
};

void add_options(CLI::App& app, Options& options, Words& words) {
    workloads::add_threads_option(app, options.threads, most_threads);
    app.add_option("--size", words.size,
                   "Make each of the three arrays so large: a number of elements of 8 bytes, or bytes\n"
                   "with a unit such as 256MiB (default: auto, 4 x the last-level caches of the CPUs\n"
                   "the threads may use, at least 10 million elements, at most 4/5 of available memory)")
        ->type_name("auto|SIZE");
    app.add_option("--ntimes", options.ntimes,
                   "Run every kernel N times; the first is left out of the statistics (default: 10)")
        ->check(CLI::Range(2, most_ntimes).description(""))
        ->type_name("N");
    app.add_option("--stores", words.stores,
                   "Write results with these stores (default: auto, nontemporal where the arrays\n"
                   "exceed the caches)")
        ->check(CLI::IsMember({"regular", "nontemporal", "auto"}).description(""))
        ->type_name("regular|nontemporal|auto");
    workloads::add_touch_option(app, options.touch);
    workloads::add_thp_option(app, options.thp);
    app.add_option("--llc-bytes", words.llc_bytes,
                   "Take SIZE as the sum of the last-level caches, in bytes or with a unit, instead\n"
                   "of what sysfs says; for arrays of one size under different placements")
        ->type_name("SIZE");
    workloads::add_json_option(app, options.json);
}

workloads::Expected<void> understand(const Words& words, Options& options) {
    if (words.size != "auto") {
        const auto size = workloads::parse_size(words.size);
        if (!size) return workloads::users_mistake("--size: " + size.error().message);
        options.size = *size;
    }
    if (!words.llc_bytes.empty()) {
        const auto bytes = workloads::parse_size(words.llc_bytes);
        if (!bytes) return workloads::users_mistake("--llc-bytes: " + bytes.error().message);
        options.llc_bytes = bytes->value;
    }
    if (words.stores != "auto") options.stores = words.stores == "regular" ? Stores::regular : Stores::nontemporal;
    return {};
}

}  // namespace

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv) {
    CommandLine command_line;
    Words words;
    CLI::App app{description, "pinwise-stream"};
    app.footer(footer);
    app.set_version_flag("--version", std::string("pinwise-stream ") + PINWISE_VERSION);
    add_options(app, command_line.options, words);
    auto text_instead = workloads::parse_arguments(app, argc, argv);
    if (!text_instead) return tl::unexpected(text_instead.error());
    command_line.text_instead = std::move(*text_instead);
    if (command_line.text_instead) return command_line;
    if (auto understood = understand(words, command_line.options); !understood)
        return tl::unexpected(understood.error());
    return command_line;
}

Stores choose_stores(std::optional<Stores> requested, std::uint64_t array_bytes, std::uint64_t llc_bytes) {
    if (requested) return *requested;
    return 3 * array_bytes > llc_bytes ? Stores::nontemporal : Stores::regular;
}

}  // namespace pinwise::stream
