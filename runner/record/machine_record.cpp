#include "runner/record/machine_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "placer/topology/cpu_list.hpp"
#include "runner/record/build_facts.hpp"
#include "runner/record/system_files.hpp"

namespace pinwise {
namespace {

using Json = nlohmann::ordered_json;

constexpr int machine_schema_version = 1;

/// Collects values, and the reasons of those that are not there.
class Collector {
public:
    void put(const std::string& name, const Result<std::string>& value) {
        if (value) {
            document_[name] = *value;
        } else {
            document_[name] = nullptr;
            absent_[name] = value.error().message;
        }
    }
    void put(const std::string& name, Json value) { document_[name] = std::move(value); }
    std::string text() {
        document_["absent"] = absent_;
        // Bytes that are no UTF-8 (an environment variable may hold any) become U+FFFD instead of an exception.
        return document_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }

private:
    Json document_ = Json::object();
    Json absent_ = Json::object();
};

Result<std::string> cpu_model(const Machine& machine, const SystemFiles& files) {
    if (!machine.cpu_model.empty()) return machine.cpu_model;
    return files.field("/proc/cpuinfo", "model name");
}

bool contains(const Result<std::string>& text, std::string_view part) {
    return text && text->find(part) != std::string::npos;
}

/// "emulated" when instructions are interpreted (QEMU's TCG), "virtual" under a hypervisor, else "physical". Timing on
/// an emulated machine says nothing about hardware.
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

Json vulnerabilities(const SystemFiles& files) {
    Json found = Json::object();
    constexpr std::string_view folder = "/sys/devices/system/cpu/vulnerabilities";
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}{}", files.root(), folder), error))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const std::string& name : names)
        if (const auto text = files.read(fmt::format("{}/{}", folder, name))) found[name] = *text;
    return found;
}

void put_cgroup_limits(Collector& record, const SystemFiles& files) {
    const auto group = own_cgroup(files);
    constexpr std::array<std::pair<const char*, std::string_view>, 3> limits{
        {{"cgroup_cpu_max", "cpu.max"},
         {"cgroup_memory_max", "memory.max"},
         {"cgroup_cpuset", "cpuset.cpus.effective"}}};
    for (const auto& [name, file] : limits)
        record.put(name,
                   group ? files.read(fmt::format("{}/{}", *group, file)) : group);
}

/// The setting of every CPU's governor: one word when they agree.
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

Result<std::string> kernel_release() {
    utsname names{};
    if (uname(&names) != 0) return failure("uname failed");
    return std::string(names.release);
}

void put_kernel_settings(Collector& record, const Machine& machine, const SystemFiles& files) {
    record.put("kernel", kernel_release());
    record.put("transparent_hugepages", chosen_word(files.read("/sys/kernel/mm/transparent_hugepage/enabled")));
    record.put("numa_balancing", files.read("/proc/sys/kernel/numa_balancing"));
    record.put("perf_event_paranoid", files.read("/proc/sys/kernel/perf_event_paranoid"));
    record.put("governor", governors(machine, files));
    record.put("frequency_driver", files.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"));
    record.put("boost", files.read("/sys/devices/system/cpu/cpufreq/boost"));
    record.put("smt", files.read("/sys/devices/system/cpu/smt/control"));
    record.put("mitigations", vulnerabilities(files));
    put_cgroup_limits(record, files);
}

void put_hardware(Collector& record, const Machine& machine, const SystemFiles& files) {
    record.put("cpu_model", cpu_model(machine, files));
    record.put("microcode", files.field("/proc/cpuinfo", "microcode"));
    record.put("machine_kind", machine_kind(files));
    record.put("packages", Json(machine.packages.size()));
    record.put("nodes", Json(machine.nodes.size()));
    record.put("llcs", Json(machine.llcs.size()));
    record.put("cores", Json(machine.cores.size()));
    record.put("cpus_online", Json(format_cpu_list(machine.online)));
    record.put("cpus_allowed", Json(format_cpu_list(machine.allowed)));
    record.put("memory_total", files.field("/proc/meminfo", "MemTotal"));
    record.put("memory_available", files.field("/proc/meminfo", "MemAvailable"));
}

void put_load(Collector& record, const SystemFiles& files) {
    record.put("load_average", files.read("/proc/loadavg"));
    record.put("pressure_cpu", files.read("/proc/pressure/cpu"));
    record.put("pressure_memory", files.read("/proc/pressure/memory"));
    record.put("pressure_io", files.read("/proc/pressure/io"));
}

/// "23.5 GiB" of "24684096 kB".
std::string in_gib(const Result<std::string>& kilobytes) {
    double value = 0;
    if (!kilobytes ||
        std::from_chars(kilobytes->data(), kilobytes->data() + kilobytes->size(), value).ec != std::errc{})
        return "unknown";
    return fmt::format("{:.1f} GiB", value / (1 << 20));
}

/// The three averages of /proc/loadavg.
std::string load_averages(const SystemFiles& files) {
    const auto text = files.read("/proc/loadavg");
    if (!text) return "unknown";
    std::istringstream words(*text);
    std::string one;
    std::string five;
    std::string fifteen;
    words >> one >> five >> fifteen;
    return fmt::format("{} {} {}", one, five, fifteen);
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string machine_record(const Machine& machine, const RunFacts& facts, const std::string& root) {
    const SystemFiles files(root);
    Collector record;
    record.put("schema", Json(machine_schema_version));
    record.put("started_at", Json(facts.started_at));
    record.put("seed", Json(facts.seed));
    record.put("pinwise_version", Json(build_facts().version));
    record.put("git_revision", build_facts().git_revision.empty()
                                   ? Result<std::string>(failure("not built from a git checkout"))
                                   : Result<std::string>(std::string(build_facts().git_revision)));
    record.put("compiler", Json(build_facts().compiler));
    record.put("compile_flags", Json(build_facts().flags));
    put_hardware(record, machine, files);
    put_kernel_settings(record, machine, files);
    put_load(record, files);
    record.put("environment_removed", Json(facts.removed_variables));
    record.put("environment_openmp", Json(facts.openmp_variables));
    record.put("omp_wait_policy", facts.openmp_variables.contains("OMP_WAIT_POLICY")
                                      ? Result<std::string>(facts.openmp_variables.at("OMP_WAIT_POLICY"))
                                      : Result<std::string>(failure("not set: the runtime's default")));
    record.put("first_cpu_tracing", facts.first_cpu_tracing.empty()
                                        ? Result<std::string>("sched_wakeup_new")
                                        : Result<std::string>(failure(facts.first_cpu_tracing)));
    return record.text();
}

std::string recorded_machine_kind(std::string_view record) {
    const Json document = Json::parse(record, nullptr, false);
    if (!document.is_object()) return {};
    const auto kind = document.find("machine_kind");
    return kind != document.end() && kind->is_string() ? kind->get<std::string>() : std::string();
}

std::string machine_summary(const Machine& machine, const std::string& root) {
    const SystemFiles files(root);
    const auto or_unknown = [](const Result<std::string>& value) { return value.value_or("unknown"); };
    const auto cpu_nodes = static_cast<std::size_t>(
        std::ranges::count_if(machine.nodes, [](const Node& node) { return !node.cpus.empty(); }));
    return fmt::format(
        "machine: {} ({}), Linux {}\n"
        "         {}, {}, {}, {}, {} of {} CPUs allowed ({})\n"
        "         memory {}, available {}; THP {}, NUMA balancing {}, governor {}, load {}\n",
        or_unknown(cpu_model(machine, files)), or_unknown(machine_kind(files)), or_unknown(kernel_release()),
        counted(machine.packages.size(), "package"), counted(cpu_nodes, "NUMA node"),
        counted(machine.llcs.size(), "LLC"), counted(machine.cores.size(), "core"), machine.allowed.count(),
        machine.online.count(), format_cpu_list(machine.allowed), in_gib(files.field("/proc/meminfo", "MemTotal")),
        in_gib(files.field("/proc/meminfo", "MemAvailable")),
        or_unknown(chosen_word(files.read("/sys/kernel/mm/transparent_hugepage/enabled"))),
        or_unknown(files.read("/proc/sys/kernel/numa_balancing")), or_unknown(governors(machine, files)),
        load_averages(files));
}

std::string utc_now() {
    const time_t now = time(nullptr);
    tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> stamp{};
    strftime(stamp.data(), stamp.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return stamp.data();
}

}  // namespace pinwise
