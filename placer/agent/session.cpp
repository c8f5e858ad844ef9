#include "placer/agent/session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "placer/agent/agent_library.hpp"
#include "placer/agent/descriptor.hpp"
#include "placer/agent/observation.hpp"
#include "placer/agent/other_load.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/agent/thread_table.hpp"
#include "placer/policy/policies.hpp"
#include "placer/scan/memory_pressure.hpp"
#include "placer/scan/read_cost.hpp"
#include "placer/topology/cpu_list.hpp"
#include "placer/topology/machine_image.hpp"

namespace pinwise {

namespace {

/// For what --observe may delay the start of a program on a machine with very many processes.
constexpr std::int64_t first_look_ns = 500'000'000;

/// The library as LD_PRELOAD can name it. The loader takes blanks and colons for separators and expands dollars, so a
/// path with one of these is reached through a descriptor of ours.
Result<std::string> name_for_loader(const std::string& library, Descriptor& opened) {
    if (library.find_first_of(" \t\n:$") == std::string::npos) return library;
    opened = Descriptor(open(library.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.get() < 0) return failure(fmt::format("cannot open the agent {}: {}", library, std::strerror(errno)));
    return fmt::format("/proc/{}/fd/{}", getpid(), opened.get());
}

/// Behind the agent what is there already, but no other agent of ours (a session inside a session): a process has one.
std::string preload_list(const std::string& agent) {
    const char* present = std::getenv("LD_PRELOAD");
    std::string list = agent;
    std::string_view rest = present != nullptr ? present : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find_first_of(": ");
        const std::string_view one = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (!one.empty() && !is_agent_library(one)) list += fmt::format(":{}", one);
    }
    return list;
}

Result<void> check_cpus(const CpuSet& allowed) {
    if (allowed.empty()) return usage_error("a session needs at least one allowed CPU");
    if (allowed.last() >= max_session_cpus) {
        return failure(
            fmt::format("CPU {} is beyond the {} CPUs a session can handle", allowed.last(), max_session_cpus));
    }
    return {};
}

void prepare_scan(SharedScan& scan) {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string modes;
    std::getline(file, modes);
    scan.huge_by_default = modes.find("[always]") != std::string::npos ? 1 : 0;
    scan.local_ns_per_byte = measure_read_ns_per_byte();
}

}  // namespace

struct Session::Impl {
    SessionMemory memory;
    Descriptor descriptor;
    Descriptor library;  ///< open where the loader needs it, see name_for_loader()
    std::string loader_name;
    std::optional<OtherLoad> others;
};

Result<Session> Session::create(const Machine& machine, const SessionOptions& options) {
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    if (auto checked = check_cpus(options.allowed); !checked) return tl::unexpected(checked.error());
    if (auto checked = (*policy)->check(options.allowed); !checked) return tl::unexpected(checked.error());
    if (auto checked = check_scan_settings(options.scan); !checked) return tl::unexpected(checked.error());
    const bool scans = options.scan.mode != ScanMode::off;
    const auto library = scans ? find_scanning_agent_library() : find_agent_library();
    if (!library) return tl::unexpected(library.error());
    Descriptor opened;
    auto loader_name = name_for_loader(*library, opened);
    if (!loader_name) return tl::unexpected(loader_name.error());
    const auto image = encode_machine(machine);
    int descriptor = -1;
    auto memory = SessionMemory::create({.machine = image,
                                         .policy = options.policy,
                                         .bind = options.bind,
                                         .allowed = CpuMask::of(options.allowed),
                                         .force = options.force,
                                         .skipped_births = options.skipped_births,
                                         .cross_node_bal = options.cross_node_bal,
                                         .scan = options.scan,
                                         .scan_anyway = options.scan_anyway},
                                        descriptor);
    if (!memory) return tl::unexpected(memory.error());
    if (scans) prepare_scan(memory->header().scan);
    Session session(std::make_unique<Impl>(
        Impl{std::move(*memory), Descriptor(descriptor), std::move(opened), std::move(*loader_name), {}}));
    // All of it before the program starts, so that its first thread is placed by it.
    if (options.count_others) session.impl_->others.emplace().look(session.impl_->memory, first_look_ns);
    return session;
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

std::vector<std::string> Session::environment() const {
    const SessionAddress address{
        .owner = getpid(), .descriptor = impl_->descriptor.get(), .id = impl_->memory.header().id};
    return {fmt::format("LD_PRELOAD={}", preload_list(impl_->loader_name)),
            fmt::format("{}={}", session_variable, address.text())};
}

Result<SessionMemory> Session::map_memory() const {
    auto memory = SessionMemory::attach(impl_->descriptor.get(), impl_->memory.header().id);
    if (!memory) return failure("cannot map the session's shared memory");
    return std::move(*memory);
}

std::vector<ThreadRecord> Session::threads() const {
    const ThreadTable table(impl_->memory);
    std::vector<ThreadRecord> threads;
    for (RecordSlot slot = 0; slot < table.used(); ++slot) {
        if (auto record = table.read(slot)) threads.push_back(std::move(*record));
    }
    std::ranges::stable_sort(threads, {}, &ThreadRecord::index);
    return threads;
}

std::uint64_t Session::threads_not_recorded() const {
    return impl_->memory.header().threads_not_recorded.load(std::memory_order_relaxed);
}

ScanRecord Session::scan() const {
    return read_scan_record(impl_->memory.header().scan);
}

void Session::observe() {
    SharedScan& scan = impl_->memory.header().scan;
    if (scan.settings.mode != ScanMode::off) publish_memory_pressure(scan);
    observe_threads(impl_->memory, std::nullopt);
    observe_others();
}

void Session::observe_others() {
    if (impl_->others) impl_->others->look_if_due(impl_->memory);
}

Result<Bind> parse_bind(std::string_view text) {
    for (const Bind bind : {Bind::initial, Bind::cpu, Bind::llc, Bind::node}) {
        if (text == to_string(bind)) return bind;
    }
    return usage_error(fmt::format("unknown binding \"{}\": initial, cpu, llc or node", text));
}

std::string_view to_string(Bind bind) {
    constexpr std::array<std::string_view, 4> names{"initial", "cpu", "llc", "node"};
    const auto position = static_cast<std::size_t>(bind);
    return position < names.size() ? names[position] : names[0];
}

std::string_view to_string(FirstCpuMeans means) {
    constexpr std::array<std::string_view, 4> names{"unknown", "agent", "tracepoint", "getcpu"};
    const auto position = static_cast<std::size_t>(means);
    return position < names.size() ? names[position] : names[0];
}

}  // namespace pinwise
