#include "runner/trial/page_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "runner/trial/numa_maps.hpp"
#include "runner/trial/steady_time.hpp"

namespace pinwise {

namespace {

constexpr std::int64_t shortest_pause_ns = 1'000'000'000;
constexpr std::int64_t cost_to_pause = 200;

}  // namespace

PageLog::PageLog(pid_t program, std::string root)
    : file_(fmt::format("{}/proc/{}/numa_maps", root, program)), start_ns_(steady_now_ns()) {}

void PageLog::look() {
    const std::int64_t begin_ns = steady_now_ns();
    if (begin_ns < next_ns_) return;
    std::ifstream file(file_);
    std::stringstream text;
    if (file) text << file.rdbuf();
    const auto mappings = parse_numa_maps(text.view());
    const std::int64_t now_ns = steady_now_ns();
    next_ns_ = now_ns + std::max(shortest_pause_ns, cost_to_pause * (now_ns - begin_ns));
    if (mappings.empty()) {
        // A program that has ended has no mappings any more: that takes nothing from the samples before.
        reason_ = file ? "it is empty" : std::strerror(errno);
        return;
    }
    samples_.push_back({static_cast<double>(begin_ns - start_ns_) / ns_per_s, anonymous_pages_on_node(mappings)});
}

nlohmann::ordered_json PageLog::document() const {
    nlohmann::ordered_json document = {
        {"source", file_}, {"page_bytes", 4096}, {"samples", nlohmann::ordered_json::array()}};
    for (const auto& [time_s, pages_on_node] : samples_) {
        nlohmann::ordered_json on_node = nlohmann::ordered_json::object();
        for (std::size_t node = 0; node < pages_on_node.size(); ++node)
            if (pages_on_node[node] > 0) on_node[std::to_string(node)] = pages_on_node[node];
        document["samples"].push_back({{"time_s", time_s}, {"pages_on_node", std::move(on_node)}});
    }
    if (samples_.empty()) document["reason"] = fmt::format("{}: {}", file_, reason_);
    return document;
}

}  // namespace pinwise
