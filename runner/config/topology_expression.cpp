#include "runner/config/topology_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "placer/topology/allowed_cpus.hpp"
#include "placer/topology/cpu_list.hpp"
#include "runner/config/each_node.hpp"
#include "runner/config/what_was_meant.hpp"

namespace pinwise {
namespace {

/// What the words of a thread count stand for.
struct Counts {
    std::int64_t cpus = 0;
    std::int64_t cores = 0;
    std::int64_t llcs = 0;
    std::int64_t nodes = 0;
    std::int64_t cores_per_node = 0;  ///< of the node with the fewest
};

constexpr std::array<std::string_view, 7> count_words{"cpus", "cores", "llcs", "nodes", "cores-per-node", "min", "max"};
constexpr std::array<std::string_view, 6> mask_words{"all",          "one-per-llc",    "one-per-core",
                                                     "one-per-node", "one-per-thread", cpus_of_each_node};

/// Allowed cores of the node with the fewest, among nodes with an allowed CPU.
std::int64_t fewest_cores_of_a_node(const Machine& machine, const CpuSet& allowed) {
    std::int64_t fewest = 0;
    for (const Node& node : machine.nodes) {
        const CpuSet usable = node.cpus & allowed;
        const auto cores =
            std::ranges::count_if(machine.cores, [&](const Core& core) { return core.cpus.intersects(usable); });
        if (cores > 0 && (fewest == 0 || cores < fewest)) fewest = cores;
    }
    return fewest;
}

Counts count_allowed(const Machine& machine, const CpuSet& allowed) {
    const auto usable = [&](const auto& place) { return place.cpus.intersects(allowed); };
    return {allowed.count(), std::ranges::count_if(machine.cores, usable), std::ranges::count_if(machine.llcs, usable),
            std::ranges::count_if(machine.nodes, usable), fewest_cores_of_a_node(machine, allowed)};
}

std::string describe(const Counts& counts) {
    return fmt::format("allowed: {} cpus, {} cores, {} llcs, {} nodes", counts.cpus, counts.cores, counts.llcs,
                       counts.nodes);
}

/// Recursive descent over one thread count. The first error wins; positions count from 1.
class CountParser {
public:
    CountParser(std::string_view text, const Counts& counts) : text_(text), counts_(counts) {}

    Result<std::int64_t> parse() {
        auto value = count();
        if (!value) return value;
        skip_blanks();
        if (position_ != text_.size()) return error("unexpected \"{}\"", text_.substr(position_));
        return value;
    }

private:
    template <class... Args>
    [[nodiscard]] tl::unexpected<Error> error(fmt::format_string<Args...> format, Args&&... args) const {
        return usage_error(fmt::format("thread count \"{}\": position {}: {}", text_, position_ + 1,
                                       fmt::format(format, std::forward<Args>(args)...)));
    }

    void skip_blanks() {
        while (position_ < text_.size() && text_[position_] == ' ')
            ++position_;
    }

    bool accept(char wanted) {
        skip_blanks();
        if (position_ == text_.size() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }

    Result<std::int64_t> count() {
        auto value = factor();
        while (value) {
            const bool times = accept('*');
            if (!times && !accept('/')) break;
            auto right = factor();
            if (!right) return right;
            if (!times && *right == 0) return error("division by zero");
            value = times ? *value * *right : *value / *right;
            if (*value > max_thread_count) return error("more than {} threads", max_thread_count);
        }
        return value;
    }

    Result<std::int64_t> factor() {
        skip_blanks();
        if (position_ == text_.size()) return error("a number or one of {} is missing", fmt::join(count_words, ", "));
        const char first = text_[position_];
        if (first >= '0' && first <= '9') return number();
        const std::size_t start = position_;
        const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
        while (position_ < text_.size() &&
               (is_letter(text_[position_]) || (text_[position_] == '-' && position_ > start)))
            ++position_;
        const std::string_view word = text_.substr(start, position_ - start);
        if (word == "cpus") return counts_.cpus;
        if (word == "cores") return counts_.cores;
        if (word == "llcs") return counts_.llcs;
        if (word == "nodes") return counts_.nodes;
        if (word == "cores-per-node") return counts_.cores_per_node;
        if (word == "min" || word == "max") return extremum(word == "max");
        position_ = start;
        if (word.empty())
            return error("unexpected \"{}\"; a number or one of {}", text_.substr(start), fmt::join(count_words, ", "));
        return error("unknown word \"{}\"{}", word, what_was_meant(word, count_words));
    }

    Result<std::int64_t> number() {
        std::int64_t value = 0;
        const char* const begin = text_.data() + position_;
        const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (status != std::errc{} || value > max_thread_count) return error("more than {} threads", max_thread_count);
        position_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    Result<std::int64_t> extremum(bool largest) {
        if (++depth_ > max_depth) return error("nested too deeply");
        if (!accept('(')) return error("\"(\" is missing");
        auto left = count();
        if (!left) return left;
        if (!accept(',')) return error("\",\" is missing");
        auto right = count();
        if (!right) return right;
        if (!accept(')')) return error("\")\" is missing");
        --depth_;
        return largest ? std::max(*left, *right) : std::min(*left, *right);
    }

    static constexpr int max_depth = 16;
    std::string_view text_;
    const Counts& counts_;
    std::size_t position_ = 0;
    int depth_ = 0;
};

/// An allowed PU and how many allowed siblings its core has before it: the SMT rank that counts here.
struct PlacedPu {
    const Pu* pu = nullptr;
    int rank = 0;
};

/// Allowed PUs, neighbours beside each other: by rank, then node, LLC and core.
std::vector<PlacedPu> allowed_pus_by_place(const Machine& machine, const CpuSet& allowed) {
    std::vector<PlacedPu> pus;
    std::map<int, int> seen_of_core;
    for (const Pu& pu : machine.pus)
        if (allowed.test(pu.os_index)) pus.push_back({&pu, seen_of_core[pu.core]++});
    std::ranges::sort(pus, {}, [](const PlacedPu& placed) {
        const Pu& pu = *placed.pu;
        return std::tuple(placed.rank, pu.node.value_or(std::numeric_limits<int>::max()), pu.package, pu.llc, pu.core,
                          pu.os_index);
    });
    return pus;
}

/// The first CPU of every place, by the key of the place.
template <class Key>
CpuSet one_per(const Machine& machine, const CpuSet& allowed, Key key) {
    CpuSet chosen;
    std::set<int> seen;
    for (const auto& [pu, rank] : allowed_pus_by_place(machine, allowed))
        if (seen.insert(key(*pu)).second) chosen.set(pu->os_index);
    return chosen;
}

/// `wanted` CPUs evenly spaced over the places, one SMT rank after the other.
CpuSet one_per_thread(const Machine& machine, const CpuSet& allowed, std::size_t wanted) {
    const std::vector<PlacedPu> pus = allowed_pus_by_place(machine, allowed);
    CpuSet chosen;
    for (auto begin = pus.begin(); begin != pus.end() && wanted > 0;) {
        const auto end =
            std::ranges::find_if(begin, pus.end(), [&](const PlacedPu& each) { return each.rank != begin->rank; });
        const auto size = static_cast<std::size_t>(end - begin);
        const std::size_t taken = std::min(wanted, size);
        for (std::size_t i = 0; i < taken; ++i)
            chosen.set((begin + static_cast<std::ptrdiff_t>(i * size / taken))->pu->os_index);
        wanted -= taken;
        begin = end;
    }
    return chosen;
}

Result<CpuSet> cores_per_node(std::string_view text, const Machine& machine, const CpuSet& allowed) {
    const std::string_view digits = text.substr(text.find(':') + 1);
    int wanted = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
    if (status != std::errc{} || end != digits.data() + digits.size() || wanted < 1)
        return usage_error(fmt::format("cpus \"{}\": a number of cores is needed, as in cores-per-node:8", text));
    CpuSet chosen;
    std::map<int, int> cores_of_node;
    for (const auto& [pu, rank] : allowed_pus_by_place(machine, allowed))
        if (rank == 0 && ++cores_of_node[pu->node.value_or(-1)] <= wanted) chosen.set(pu->os_index);
    for (const auto& [node, cores] : cores_of_node)
        if (cores < wanted)
            return usage_error(fmt::format("cpus \"{}\": {} has only {} cores that are allowed here", text,
                                           node < 0 ? "the part in no node" : fmt::format("node {}", node), cores));
    return chosen;
}

Result<CpuSet> cpus_of_nodes(std::string_view text, const Machine& machine, const CpuSet& allowed) {
    constexpr std::string_view prefix = "node:";
    const auto nodes = parse_cpu_list(text.substr(prefix.size()));
    if (!nodes) return usage_error(fmt::format("cpus \"{}\": node {}", text, nodes.error().message));
    CpuSet chosen;
    for (const int os_index : *nodes) {
        const Node* const node = machine.node(os_index);
        if (node == nullptr) {
            CpuSet known;
            for (const Node& each : machine.nodes)
                known.set(each.os_index);
            return usage_error(fmt::format("cpus \"{}\": there is no node {} here; nodes are {}", text, os_index,
                                           format_cpu_list(known)));
        }
        if (!node->cpus.intersects(allowed))
            return usage_error(fmt::format("cpus \"{}\": node {} has no CPU that is allowed here", text, os_index));
        chosen |= node->cpus & allowed;
    }
    return chosen;
}

Result<CpuSet> cpus_of_list(std::string_view text, const Machine& machine) {
    const auto list = parse_cpu_list(text);
    if (!list)
        return usage_error(fmt::format("cpus: {}; or one of {}, cores-per-node:N, node:LIST", list.error().message,
                                       fmt::join(mask_words, ", ")));
    auto selected = select_allowed(machine, *list, MissingCpus::refuse);
    if (!selected) return usage_error(fmt::format("cpus \"{}\": {}", text, selected.error().message));
    return std::move(selected->cpus);
}

}  // namespace

Result<int> evaluate_thread_count(std::string_view text, const Machine& machine) {
    const Counts counts = count_allowed(machine, machine.allowed);
    const auto value = CountParser(text, counts).parse();
    if (!value) return tl::unexpected<Error>(value.error());
    if (*value < 1) {
        return usage_error(
            fmt::format("thread count \"{}\" is {} here ({}); at least 1 is needed", text, *value, describe(counts)));
    }
    return static_cast<int>(*value);
}

Result<bool> evaluate_condition(std::string_view text, const Machine& machine) {
    constexpr std::string_view at_least = ">=";
    const std::size_t at = text.find(at_least);
    if (at == std::string_view::npos)
        return usage_error(fmt::format("condition \"{}\": two counts with >= between them are needed", text));
    const Counts counts = count_allowed(machine, machine.allowed);
    const auto left = CountParser(text.substr(0, at), counts).parse();
    if (!left) return tl::unexpected<Error>(left.error());
    const auto right = CountParser(text.substr(at + at_least.size()), counts).parse();
    if (!right) return tl::unexpected<Error>(right.error());
    return *left >= *right;
}

std::string describe_counts(const Machine& machine) {
    return describe(count_allowed(machine, machine.allowed));
}

Result<CpuSet> evaluate_cpus(std::string_view text, const Machine& machine, int threads) {
    const CpuSet& allowed = machine.allowed;
    if (text == "all") return allowed;
    if (text == "one-per-llc") return one_per(machine, allowed, [](const Pu& pu) { return pu.llc; });
    if (text == "one-per-core") return one_per(machine, allowed, [](const Pu& pu) { return pu.core; });
    if (text == "one-per-node") return one_per(machine, allowed, [](const Pu& pu) { return pu.node.value_or(-1); });
    if (text == "one-per-thread") return one_per_thread(machine, allowed, static_cast<std::size_t>(threads));
    if (text == cpus_of_each_node)
        return usage_error(fmt::format("cpus \"{}\" stands for several masks, one a node", text));
    if (text.starts_with("cores-per-node:")) return cores_per_node(text, machine, allowed);
    if (text.starts_with("node:")) return cpus_of_nodes(text, machine, allowed);
    const bool is_word = !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
    if (is_word)
        return usage_error(fmt::format("cpus: unknown word \"{}\"{}, cores-per-node:N, node:LIST or a CPU list", text,
                                       what_was_meant(text, mask_words)));
    return cpus_of_list(text, machine);
}

}  // namespace pinwise
