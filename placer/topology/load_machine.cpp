#include "placer/topology/load_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <hwloc.h>

#include "placer/quoted.hpp"
#include "placer/topology/cpu_list.hpp"
#include "placer/topology/synthetic_description.hpp"

namespace pinwise {

namespace {

struct DestroyTopology {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

struct FreeBitmap {
    void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

constexpr std::string_view synthetic_prefix = "synthetic:";

tl::unexpected<Error> cannot_load(std::string_view source, std::string_view why) {
    return usage_error(fmt::format("topology {}: {}", in_quotes(source), why));
}

/// hwloc would take these in place of the live machine, without a word.
Result<void> refuse_replaced_machine() {
    for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"}) {
        if (std::getenv(name) != nullptr) {
            return usage_error(
                fmt::format("{} is set and would replace the live machine: unset it, or give --topology", name));
        }
    }
    return {};
}

/// Points hwloc at the source. hwloc reads nothing yet, except that it checks a synthetic string.
Result<void> set_source(hwloc_topology_t topology, std::string_view source) {
    if (source.empty() || source == "live") return refuse_replaced_machine();
    const bool synthetic = source.starts_with(synthetic_prefix);
    const std::string argument(synthetic ? source.substr(synthetic_prefix.size()) : source);
    if (const auto why = synthetic ? why_no_machine(argument) : ""; !why.empty()) return cannot_load(source, why);
    if (std::error_code none; !synthetic && !std::filesystem::is_regular_file(argument, none)) {
        return cannot_load(source, "no such file (a topology is live, an hwloc XML file, or synthetic:\"...\")");
    }
    if (synthetic && hwloc_topology_set_synthetic(topology, argument.c_str()) != 0) {
        return cannot_load(
            source,
            "not an hwloc synthetic description (example: \"synthetic:Package:2 [NUMANode] L3Cache:2 Core:4 PU:2\")");
    }
    if (!synthetic && hwloc_topology_set_xml(topology, argument.c_str()) != 0) {
        return cannot_load(source, "not an hwloc XML (write one with: lstopo --of xml FILE.xml)");
    }
    return {};
}

/// hwloc prints some of its complaints, in lines of its own; ours says it all. hwloc reads the variable once; a child
/// process never sees it.
class QuietHwloc {
public:
    QuietHwloc() : was_set_(std::getenv(name) != nullptr) {
        if (!was_set_) setenv(name, "2", 0);
    }
    ~QuietHwloc() {
        if (!was_set_) unsetenv(name);
    }
    QuietHwloc(const QuietHwloc&) = delete;
    QuietHwloc& operator=(const QuietHwloc&) = delete;
    QuietHwloc(QuietHwloc&&) = delete;
    QuietHwloc& operator=(QuietHwloc&&) = delete;

private:
    static constexpr auto name = "HWLOC_HIDE_ERRORS";
    bool was_set_;
};

Result<Topology> open_topology(std::string_view source) {
    const QuietHwloc quiet;
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return failure("hwloc could not be initialised: out of memory");
    Topology topology(raw);
    // CPUs outside our cpuset stay visible: the scheduler's groups span them too.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (auto set = set_source(raw, source); !set) return tl::unexpected(set.error());
    if (hwloc_topology_load(raw) != 0) return cannot_load(source, "hwloc could not load it (broken or truncated?)");
    return topology;
}

CpuSet to_cpu_set(hwloc_const_bitmap_t bitmap) {
    CpuSet set;
    for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu))
        set.set(cpu);
    return set;
}

/// What the cpuset allows, on the live machine also what our own affinity allows; null when out of memory.
Bitmap allowed_cpus(hwloc_topology_t topology) {
    Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
    const Bitmap affinity(hwloc_bitmap_alloc());
    if (allowed && affinity && hwloc_topology_is_thissystem(topology) != 0 &&
        hwloc_get_cpubind(topology, affinity.get(), HWLOC_CPUBIND_THREAD) == 0) {
        hwloc_bitmap_and(allowed.get(), allowed.get(), affinity.get());
    }
    return allowed;
}

hwloc_obj_t ancestor_core(hwloc_topology_t topology, hwloc_obj_t pu) {
    return hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
}

/// Outermost data or unified CPU cache that covers the PU's whole core; nullptr where none is reported.
hwloc_obj_t outermost_cache(hwloc_topology_t topology, hwloc_obj_t pu) {
    const hwloc_obj_t core = ancestor_core(topology, pu);
    hwloc_const_cpuset_t core_cpus = core != nullptr ? core->cpuset : pu->cpuset;
    hwloc_obj_t outermost = nullptr;
    for (hwloc_obj_t object = pu->parent; object != nullptr; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type) != 0 && hwloc_bitmap_isincluded(core_cpus, object->cpuset) != 0)
            outermost = object;
    }
    return outermost;
}

/// Builds a Machine's vectors from hwloc's tree; an object is recognised by its pointer.
class MachineReader {
public:
    MachineReader(hwloc_topology_t topology, Machine& machine) : topology_(topology), machine_(machine) {}

    /// False: numbers no machine of ours can have; the machine is then not to be used.
    bool read() {
        if (!numbers_are_sane()) return false;
        read_cpu_sets();
        read_nodes();
        read_pus();
        read_efficiency();
        read_distances();
        read_processor();
        return true;
    }

private:
    /// A hostile or broken file may hold infinite sets and any index.
    bool numbers_are_sane() {
        constexpr auto most = static_cast<unsigned>(max_cpu_number);
        for (const auto type :
             {HWLOC_OBJ_PU, HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_MACHINE}) {
            hwloc_obj_t object = nullptr;
            while ((object = hwloc_get_next_obj_by_type(topology_, type, object)) != nullptr) {
                const bool numbered = type == HWLOC_OBJ_PU || type == HWLOC_OBJ_NUMANODE;
                if (numbered && object->os_index > most) return false;
                for (hwloc_const_bitmap_t set : {object->cpuset, object->complete_cpuset}) {
                    if (hwloc_bitmap_weight(set) < 0 || hwloc_bitmap_last(set) > max_cpu_number) return false;
                }
            }
        }
        return true;
    }

    void read_cpu_sets() {
        machine_.online = to_cpu_set(hwloc_topology_get_topology_cpuset(topology_));
        machine_.offline = to_cpu_set(hwloc_topology_get_complete_cpuset(topology_)) - machine_.online;
        const Bitmap allowed = allowed_cpus(topology_);
        if (allowed) machine_.allowed = to_cpu_set(allowed.get()) & machine_.online;
    }

    void read_nodes() {
        hwloc_obj_t object = nullptr;
        while ((object = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, object)) != nullptr) {
            Node node;
            node.os_index = static_cast<int>(object->os_index);
            node.local_cpus = to_cpu_set(object->cpuset);
            node.memory_bytes = object->attr->numanode.local_memory;
            machine_.nodes.push_back(std::move(node));
        }
        std::sort(machine_.nodes.begin(), machine_.nodes.end(),
                  [](const Node& a, const Node& b) { return a.os_index < b.os_index; });
    }

    void read_pus() {
        hwloc_obj_t object = nullptr;
        while ((object = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, object)) != nullptr) {
            Pu pu;
            pu.os_index = static_cast<int>(object->os_index);
            pu.core = core_of(object);
            pu.llc = llc_of(object);
            pu.package = package_of(object);
            pu.node = node_of(pu.os_index);
            machine_.pus.push_back(pu);
        }
        std::sort(machine_.pus.begin(), machine_.pus.end(),
                  [](const Pu& a, const Pu& b) { return a.os_index < b.os_index; });
        std::vector<int> seen_in_core(machine_.cores.size());
        for (Pu& pu : machine_.pus)
            pu.smt_rank = seen_in_core[static_cast<std::size_t>(pu.core)]++;
    }

    /// Position in `items` of the entry for `key`, which may be nullptr-free hwloc objects only; `make` adds a new one.
    template <class T, class Make>
    int index_of(std::map<hwloc_obj_t, int>& indices, hwloc_obj_t key, std::vector<T>& items, Make make) {
        const auto [found, inserted] = indices.try_emplace(key, static_cast<int>(items.size()));
        if (inserted) items.push_back(make());
        return found->second;
    }

    int core_of(hwloc_obj_t pu) {
        const hwloc_obj_t core = ancestor_core(topology_, pu);
        const hwloc_obj_t object = core != nullptr ? core : pu;
        return index_of(core_indices_, object, machine_.cores, [&] { return Core{to_cpu_set(object->cpuset)}; });
    }

    int llc_of(hwloc_obj_t pu) {
        const hwloc_obj_t cache = outermost_cache(topology_, pu);
        const hwloc_obj_t core = ancestor_core(topology_, pu);
        const hwloc_obj_t object = cache != nullptr ? cache : core != nullptr ? core : pu;
        return index_of(llc_indices_, object, machine_.llcs, [&] {
            Llc llc;
            llc.cpus = to_cpu_set(object->cpuset);
            if (cache != nullptr) {
                llc.level = static_cast<int>(cache->attr->cache.depth);
                llc.size_bytes = cache->attr->cache.size;
            }
            return llc;
        });
    }

    int package_of(hwloc_obj_t pu) {
        const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, pu);
        const hwloc_obj_t object = package != nullptr ? package : hwloc_get_root_obj(topology_);
        return index_of(package_indices_, object, machine_.packages,
                        [&] { return Package{to_cpu_set(object->cpuset)}; });
    }

    /// hwloc hangs memory-only nodes (HBM, CXL) beside a node with CPUs, or above several, so that both claim the same
    /// CPUs. Linux gives a CPU to one node: the one with the fewest local CPUs, and of equals, since firmware numbers
    /// the nodes with CPUs first, the lowest number.
    std::optional<int> node_of(int cpu) {
        Node* owner = nullptr;
        int fewest = 0;
        for (Node& node : machine_.nodes) {
            if (!node.local_cpus.test(cpu)) continue;
            const int local = node.local_cpus.count();
            if (owner != nullptr && local >= fewest) continue;
            owner = &node;
            fewest = local;
        }
        if (owner == nullptr) return std::nullopt;
        owner->cpus.set(cpu);
        return owner->os_index;
    }

    void read_efficiency() {
        const Bitmap cpus(hwloc_bitmap_alloc());
        const int kinds = hwloc_cpukinds_get_nr(topology_, 0);
        for (unsigned kind = 0; cpus && static_cast<int>(kind) < kinds; ++kind) {
            int efficiency = 0;
            if (hwloc_cpukinds_get_info(topology_, kind, cpus.get(), &efficiency, nullptr, nullptr, 0) != 0) continue;
            for (Pu& pu : machine_.pus) {
                if (hwloc_bitmap_isset(cpus.get(), static_cast<unsigned>(pu.os_index)) != 0)
                    pu.efficiency = std::max(0, efficiency);
            }
        }
    }

    void read_distances() {
        std::array<hwloc_distances_s*, 8> matrices{};
        unsigned count = matrices.size();
        if (hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, matrices.data(),
                                        HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0) {
            return;
        }
        for (unsigned index = 0; index < std::min<unsigned>(count, matrices.size()); ++index) {
            hwloc_distances_s* matrix = matrices.at(index);
            if (machine_.distances.nodes.empty()) copy_distances(*matrix);
            hwloc_distances_release(topology_, matrix);
        }
    }

    void copy_distances(const hwloc_distances_s& matrix) {
        const std::span<const hwloc_obj_t> objects(matrix.objs, matrix.nbobjs);
        for (const hwloc_obj_t object : objects)
            machine_.distances.nodes.push_back(static_cast<int>(object->os_index));
        const std::span<const hwloc_uint64_t> values(matrix.values, objects.size() * objects.size());
        for (const hwloc_uint64_t value : values)
            machine_.distances.values.push_back(static_cast<int>(value));
    }

    void read_processor() {
        hwloc_obj_t package = hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, 0);
        if (package == nullptr) package = hwloc_get_root_obj(topology_);
        const auto info = [package](const char* name) {
            const char* text = hwloc_obj_get_info_by_name(package, name);
            return std::string(text != nullptr ? text : "");
        };
        machine_.cpu_model = info("CPUModel");
        const std::string vendor = info("CPUVendor");
        constexpr long zen_family = 0x17;
        if (vendor == "AuthenticAMD" && std::strtol(info("CPUFamilyNumber").c_str(), nullptr, 10) >= zen_family) {
            machine_.reclaim_distance = 32;
        }
    }

    hwloc_topology_t topology_;
    Machine& machine_;
    std::map<hwloc_obj_t, int> core_indices_;
    std::map<hwloc_obj_t, int> llc_indices_;
    std::map<hwloc_obj_t, int> package_indices_;
};

/// True for lines of hwloc's XML that name this very machine, or who uses it, rather than its kind.
bool names_the_host(std::string_view line) {
    constexpr std::string_view opening = "<info name=\"";
    const std::size_t at = line.find(opening);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = line.substr(at + opening.size());
    const std::string_view name = rest.substr(0, rest.find('"'));
    if (name == "HostName" || name == "LinuxCgroup" || name == "ProcessName") return true;
    return name.ends_with("Serial") || name.ends_with("SerialNumber") || name.ends_with("UUID") ||
           name.ends_with("AssetTag");
}

std::string without_host(std::string_view xml) {
    std::string kept;
    while (!xml.empty()) {
        const std::size_t end = std::min(xml.find('\n'), xml.size() - 1);
        const std::string_view line = xml.substr(0, end + 1);
        if (!names_the_host(line)) kept += line;
        xml.remove_prefix(end + 1);
    }
    return kept;
}

/// hwloc makes one CPU of several with the same number in a synthetic description.
bool has_number_twice(std::string_view source, const Machine& machine) {
    const auto same_number = [](const auto& a, const auto& b) { return a.os_index == b.os_index; };
    if (std::ranges::adjacent_find(machine.pus, same_number) != machine.pus.end()) return true;
    if (std::ranges::adjacent_find(machine.nodes, same_number) != machine.nodes.end()) return true;
    return source.starts_with(synthetic_prefix) &&
           synthetic_pu_count(source.substr(synthetic_prefix.size())) != machine.pus.size();
}

}  // namespace

Result<Machine> load_machine(std::string_view source) {
    const auto topology = open_topology(source);
    if (!topology) return tl::unexpected(topology.error());
    Machine machine;
    machine.source = source.empty() ? "live" : std::string(source);
    if (!MachineReader(topology->get(), machine).read()) {
        return cannot_load(source, fmt::format("it has CPU or node numbers beyond {}", max_cpu_number));
    }
    if (machine.pus.empty()) return cannot_load(source, "it has no CPUs");
    if (has_number_twice(source, machine)) return cannot_load(source, "it has the number of a CPU or node twice");
    if (!is_consistent(machine)) return cannot_load(source, "its CPUs, caches and nodes contradict each other");
    return machine;
}

Result<std::string> topology_xml(std::string_view source) {
    const auto topology = open_topology(source);
    if (!topology) return tl::unexpected(topology.error());
    const Bitmap allowed = allowed_cpus(topology->get());
    char* buffer = nullptr;
    int length = 0;
    if (!allowed || hwloc_topology_allow(topology->get(), allowed.get(), nullptr, HWLOC_ALLOW_FLAG_CUSTOM) != 0 ||
        hwloc_topology_export_xmlbuffer(topology->get(), &buffer, &length, 0) != 0) {
        return failure(fmt::format("topology {}: hwloc could not write it as XML", in_quotes(source)));
    }
    const std::string text(buffer, static_cast<std::size_t>(std::max(0, length - 1)));  // length counts the final NUL
    hwloc_free_xmlbuffer(topology->get(), buffer);
    return without_host(text);
}

}  // namespace pinwise
