#include "workloads/stream/array_size.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace pinwise::stream {

namespace {

constexpr std::uint64_t arrays = 3;

std::uint64_t elements_by_rule(const SizeInputs& inputs) {
    const auto wanted_bytes = static_cast<std::uint64_t>(least_llc_ratio) * inputs.llc_bytes;
    const std::uint64_t elements = (wanted_bytes + sizeof(double) - 1) / sizeof(double);
    return std::max(elements, least_auto_elements);
}

std::uint64_t automatic_elements(const SizeInputs& inputs, std::vector<std::string>& notes) {
    const std::uint64_t granule = static_cast<std::uint64_t>(inputs.threads) * inputs.huge_page_bytes / sizeof(double);
    const std::uint64_t by_rule = (elements_by_rule(inputs) + granule - 1) / granule * granule;
    const std::uint64_t by_memory = inputs.available.bytes / 5 * 4 / arrays / sizeof(double);
    if (by_rule <= by_memory) return by_rule;
    notes.push_back(fmt::format("arrays are as large as memory allows: {} of {} available ({}), the rule asks for {}",
                                workloads::bytes_text(arrays * by_memory * sizeof(double)),
                                workloads::bytes_text(inputs.available.bytes), inputs.available.limited_by,
                                workloads::bytes_text(arrays * by_rule * sizeof(double))));
    return by_memory < granule ? by_memory : by_memory / granule * granule;
}

}  // namespace

workloads::Expected<ArraySize> choose_array_size(const std::optional<workloads::SizeText>& requested,
                                                 const SizeInputs& inputs) {
    ArraySize size;
    size.elements = requested ? (requested->in_bytes ? requested->value / sizeof(double) : requested->value)
                              : automatic_elements(inputs, size.notes);
    if (size.elements == 0)
        return requested ? workloads::users_mistake("--size: an array must hold at least one element of 8 bytes")
                         : workloads::failed_run(fmt::format("no memory is available for the arrays ({} has {})",
                                                             inputs.available.limited_by,
                                                             workloads::bytes_text(inputs.available.bytes)));
    const std::uint64_t total_bytes = arrays * size.array_bytes();
    if (total_bytes > inputs.available.bytes)
        return workloads::users_mistake(fmt::format(
            "--size: three arrays of {} need {}, but {} is available ({}); give a smaller size or leave out --size",
            workloads::bytes_text(size.array_bytes()), workloads::bytes_text(total_bytes),
            workloads::bytes_text(inputs.available.bytes), inputs.available.limited_by));
    size.llc_ratio = static_cast<double>(size.array_bytes()) / static_cast<double>(inputs.llc_bytes);
    if (!(size.llc_ratio >= least_llc_ratio))
        size.notes.push_back(
            fmt::format("each array is {:.2f} × the last-level caches, less than {:.0f} ×: caches may raise the rates",
                        size.llc_ratio, least_llc_ratio));
    return size;
}

}  // namespace pinwise::stream
