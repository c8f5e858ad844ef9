#include "runner/record/machine_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "placer/topology/cpu_list.hpp"
#include "placer/whole_file.hpp"
#include "runner/record/build_facts.hpp"
#include "runner/record/machine_state.hpp"
#include "runner/record/memory_modules.hpp"
#include "runner/record/software_facts.hpp"
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
    constexpr std::array<std::pair<const char*, std::string_view>, 5> limits{
        {{"cgroup_cpu_max", "cpu.max"},
         {"cgroup_memory_max", "memory.max"},
         {"cgroup_memory_high", "memory.high"},
         {"cgroup_cpuset", "cpuset.cpus.effective"},
         {"cgroup_memory_nodes", "cpuset.mems.effective"}}};
    for (const auto& [name, file] : limits)
        record.put(name, group ? files.read(fmt::format("{}/{}", *group, file)) : group);
}

Result<utsname> kernel_names() {
    utsname names{};
    if (uname(&names) != 0) return failure("uname failed");
    return names;
}

Result<std::string> kernel_release() {
    return kernel_names().map([](const utsname& names) { return std::string(names.release); });
}

Result<std::string> kernel_version() {
    return kernel_names().map([](const utsname& names) { return std::string(names.version); });
}

void put_software(Collector& record, const SystemFiles& files) {
    record.put("distribution", distribution(files));
    record.put("container", container(files));
    if (const auto versions = package_versions(files)) {
        record.put("package_versions", Json(*versions));
    } else {
        record.put("package_versions", Result<std::string>(tl::unexpected<Error>(versions.error())));
    }
    if (const auto command_line = files.read("/proc/cmdline")) {
        const KernelParameters parameters = kernel_parameters(*command_line);
        record.put("kernel_command_line", Json(parameters.kept));
        record.put("kernel_parameters_left_out", Json(parameters.left_out));
    } else {
        record.put("kernel_command_line", command_line);
    }
}

/// Not through SystemFiles: the table is no text.
void put_memory_modules(Collector& record, const SystemFiles& files) {
    constexpr std::string_view path = "/sys/firmware/dmi/tables/DMI";
    const std::string table = whole_file(fmt::format("{}{}", files.root(), path));
    const auto modules = parse_memory_modules(table);
    const Result<std::string> unreadable = failure(fmt::format("{}: needs root, or is not there", path));
    if (table.empty()) {
        record.put("memory_modules", unreadable);
        record.put("memory_peak_gb_per_s", unreadable);
        return;
    }
    Json list = Json::array();
    for (const MemoryModule& module : modules)
        list.push_back({{"size_bytes", module.size_bytes},
                        {"data_width_bits", module.data_width_bits},
                        {"mt_per_s", module.mt_per_s},
                        {"type", module.type}});
    record.put("memory_modules", std::move(list));
    if (const auto peak = peak_gb_per_s_at_most(modules)) {
        record.put("memory_peak_gb_per_s", Json(*peak));
    } else {
        record.put("memory_peak_gb_per_s", Result<std::string>(failure("the firmware does not know their speed")));
    }
}

void put_kernel_settings(Collector& record, const Machine& machine, const SystemFiles& files) {
    record.put("kernel", kernel_release());
    record.put("kernel_version", kernel_version());
    record.put("transparent_hugepages", chosen_word(files.read("/sys/kernel/mm/transparent_hugepage/enabled")));
    record.put("numa_balancing", files.read("/proc/sys/kernel/numa_balancing"));
    record.put("perf_event_paranoid", files.read("/proc/sys/kernel/perf_event_paranoid"));
    record.put("governor", governors(machine, files));
    record.put("frequency_driver", files.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"));
    record.put("boost", files.read("/sys/devices/system/cpu/cpufreq/boost"));
    record.put("turbo_off", files.read("/sys/devices/system/cpu/intel_pstate/no_turbo"));
    record.put("frequency_max_khz", files.read("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
    record.put("clocksource", files.read("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    record.put("zone_reclaim_mode", files.read("/proc/sys/vm/zone_reclaim_mode"));
    record.put("cpus_isolated", files.read("/sys/devices/system/cpu/isolated"));
    record.put("cpus_nohz_full", files.read("/sys/devices/system/cpu/nohz_full"));
    record.put("smt_active", files.read("/sys/devices/system/cpu/smt/active"));
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
    record.put("memory_nodes_allowed", files.field("/proc/self/status", "Mems_allowed_list"));
    int siblings = 0;
    for (const Pu& pu : machine.pus)
        siblings = std::max(siblings, pu.smt_rank + 1);
    record.put("threads_per_core", Json(siblings));
    put_memory_modules(record, files);
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
    put_software(record, files);
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
