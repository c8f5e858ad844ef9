#include "runner/record/machine_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace pinwise {
namespace {

bool contains(const Result<std::string>& text, std::string_view part) {
    return text && text->find(part) != std::string::npos;
}

}  // namespace

Result<std::string> machine_kind(const SystemFiles& files) {
    auto cpuinfo = files.read("/proc/cpuinfo");
    if (!cpuinfo) return cpuinfo;
    const auto vendor = files.read("/sys/class/dmi/id/sys_vendor");
    const auto product = files.read("/sys/class/dmi/id/product_name");
    const auto hypervisor = files.read("/sys/hypervisor/type");
    if (contains(cpuinfo, "QEMU TCG") || contains(cpuinfo, "QEMU Virtual CPU")) return "emulated";
    const std::string flags = fmt::format(" {} ", files.field("/proc/cpuinfo", "flags").value_or(""));
    const bool flag = flags.find(" hypervisor ") != std::string::npos;
    constexpr std::array<std::string_view, 7> virtual_products{
        "KVM", "VMware", "VirtualBox", "Virtual Machine", "HVM domU", "Standard PC", "BHYVE"};
    const bool named =
        std::ranges::any_of(virtual_products, [&](std::string_view name) { return contains(product, name); });
    if (flag || named || hypervisor || contains(vendor, "QEMU")) return "virtual";
    return "physical";
}

Result<std::string> governors(const Machine& machine, const SystemFiles& files) {
    std::vector<std::string> found;
    for (const Pu& pu : machine.pus) {
        auto governor = files.read(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", pu.os_index));
        if (!governor) return governor;
        if (std::ranges::find(found, *governor) == found.end()) found.push_back(*std::move(governor));
    }
    if (found.empty()) return failure("no CPU");
    return fmt::format("{}", fmt::join(found, ","));
}

std::optional<double> leading_number(std::string_view text) {
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
    return value;
}

std::optional<double> number_behind(std::string_view text, std::string_view before) {
    const std::size_t at = text.find(before);
    return at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at + before.size()));
}

}  // namespace pinwise
