#include "runner/output/output_formats.hpp"

#include <algorithm>
#include <array>

namespace pinwise {

namespace {

struct OutputFormat {
    std::string_view name;
    OutputRules rules;
};

MetricRule rate(const char* name, const char* pattern, const char* unit) {
    return {.name = name, .pattern = pattern, .unit = unit, .better = Better::higher};
}

MetricRule time_s(const char* name, const char* pattern) {
    return {.name = name, .pattern = pattern, .unit = "s", .better = Better::lower};
}

// The groups take whatever stands in the number's place, so that "nan" or "****" fails as no number. A new format is
// one entry here, its name in format_names, a row in docs/workloads/external.md and a sample in the tests.
const std::array<OutputFormat, 5>& formats() {
    static const std::array<OutputFormat, 5> table{{
        {"stream",
         {.metrics = {rate("Copy", R"(^Copy:\s+(\S+))", "MB/s"), rate("Scale", R"(^Scale:\s+(\S+))", "MB/s"),
                      rate("Add", R"(^Add:\s+(\S+))", "MB/s"), rate("Triad", R"(^Triad:\s+(\S+))", "MB/s")},
          .success_patterns = {R"(^Solution Validates)"}}},
        {"npb",
         {.metrics = {rate("Mop/s", R"(^\s*Mop/s total\s*=\s*(\S+))", "Mop/s"),
                      time_s("Time", R"(^\s*Time in seconds\s*=\s*(\S+))")},
          .success_patterns = {R"(^\s*Verification\s*=\s*SUCCESSFUL\s*$)"}}},
        {"kernbench",
         {.metrics = {time_s("Elapsed", R"(^Elapsed Time\s+(\S+))"), time_s("User", R"(^User Time\s+(\S+))"),
                      time_s("System", R"(^System Time\s+(\S+))"), rate("CPU", R"(^Percent CPU\s+([^\s%]+))", "%")},
          .success_patterns = {}}},
        {"specjbb2005",
         {.metrics = {rate("Throughput", R"([Tt]hroughput\s*=\s*(\S+)\s+SPECjbb2005 bops)", "bops")},
          .success_patterns = {}}},
        {"perf-bench-numa",
         {.metrics = {rate("Total speed", R"((\S+)\s+GB/sec total speed)", "GB/s"),
                      rate("Thread speed", R"((\S+)\s+GB/sec/thread speed)", "GB/s"),
                      time_s("Slowest thread", R"((\S+)\s+secs slowest \(max\) thread-runtime)"),
                      time_s("Average thread", R"((\S+)\s+secs average thread-runtime)")},
          .success_patterns = {}}},
    }};
    return table;
}

constexpr std::array<std::string_view, 5> format_names{"stream", "npb", "kernbench", "specjbb2005", "perf-bench-numa"};

}  // namespace

std::span<const std::string_view> output_format_names() {
    return format_names;
}

const OutputRules* find_output_format(std::string_view name) {
    const auto found = std::ranges::find(formats(), name, &OutputFormat::name);
    return found == formats().end() ? nullptr : &found->rules;
}

}  // namespace pinwise
