// check_topology TABLE NAME TOPO_JSON: compares what `pinwise topo --format json` said in a guest with what the table
// of topologies says of that machine, and the live machine's sched domains with the kernel's own.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "placer/domain/domain_tree.hpp"
#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "tests/lab/programs/kernel_domains.hpp"

namespace {

using Json = nlohmann::json;

/// Collects what differs, so that one look shows all of it.
class Differences {
public:
    template <class Value>
    void compare(const std::string& what, const Value& expected, const Value& found) {
        if (expected == found) return;
        std::cout << fmt::format("{}: expected {}, found {}\n", what, expected, found);
        ++count_;
    }
    [[nodiscard]] int count() const { return count_; }

private:
    int count_ = 0;
};

/// Words, whatever blanks and semicolons stand between them.
template <class Value>
std::vector<Value> words(std::string text) {
    std::ranges::replace(text, ';', ' ');
    std::istringstream stream(text);
    std::vector<Value> values;
    for (Value value; stream >> value;)
        values.push_back(value);
    return values;
}

std::string text_of(const toml::table& entry, const char* key) {
    return entry[key].value_or(std::string());
}

void compare_nodes(const toml::table& entry, const Json& topo, Differences& differences) {
    std::vector<std::string> cpus;
    std::vector<bool> has_memory;
    for (const Json& node : topo.at("nodes")) {
        differences.compare("number of a node", static_cast<int>(cpus.size()), node.at("node").get<int>());
        const auto text = node.at("cpus").get<std::string>();
        cpus.push_back(text.empty() ? "-" : text);
        has_memory.push_back(node.at("memory_bytes").get<std::uint64_t>() > 0);
    }
    const auto expected = words<std::string>(text_of(entry, "cpus"));
    differences.compare("CPUs of the nodes", expected, cpus);
    differences.compare("nodes with memory", std::vector<bool>(expected.size(), true), has_memory);
    // A machine with one node has nothing to measure a distance to: either is right.
    if (cpus.size() < 2) return;
    differences.compare("distances", words<int>(text_of(entry, "distances")),
                        topo.at("distances").at("values").get<std::vector<int>>());
}

void compare_counts(const toml::table& entry, const Json& topo, Differences& differences) {
    const auto expected = [&entry](const char* key) { return words<std::size_t>(text_of(entry, key)); };
    const auto found = [](std::size_t count) { return std::vector<std::size_t>{count}; };
    differences.compare("packages", expected("packages"), found(topo.at("packages").size()));
    differences.compare("LLCs", expected("llcs"), found(topo.at("llcs").size()));
    differences.compare("cores", expected("cores"), found(topo.at("cores").get<std::size_t>()));
    const int cpus = std::atoi(text_of(entry, "smp").c_str());
    differences.compare("CPUs", fmt::format("0-{}", cpus - 1), topo.at("online").get<std::string>());
}

/// The kernel's domains are the truth: the table describes them, and the model has to agree on every CPU.
void compare_domains(const toml::table& entry, Differences& differences) {
    const auto kernel = pinwise::lab::read_kernel_domains();
    const auto machine = pinwise::load_machine("live");
    if (kernel.empty() || !machine) {
        differences.compare<std::string>("sched domains", "readable", "not readable");
        return;
    }
    std::vector<int> weights;
    std::vector<std::string> fork;
    for (const auto& domain : kernel.front()) {
        weights.push_back(domain.span.count());
        fork.emplace_back(domain.balances_fork ? "yes" : "no");
    }
    differences.compare("sched domains of CPU 0", words<int>(text_of(entry, "domains")), weights);
    differences.compare("balancing at fork", words<std::string>(text_of(entry, "fork")), fork);
    const auto tree = pinwise::DomainTree::build(*machine);
    for (std::size_t cpu = 0; cpu < kernel.size(); ++cpu) {
        const auto model = pinwise::lab::model_domains(tree, static_cast<int>(cpu));
        differences.compare(fmt::format("the model's sched domains of CPU {}", cpu), pinwise::lab::to_text(kernel[cpu]),
                            pinwise::lab::to_text(model));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() != 4) {
        std::cerr << "usage: check_topology TABLE NAME TOPO_JSON\n";
        return 2;
    }
    try {
        const toml::table table = toml::parse_file(arguments[1]);
        const toml::table* entry = table[arguments[2]].as_table();
        if (entry == nullptr) {
            std::cerr << "no topology " << arguments[2] << " in " << arguments[1] << '\n';
            return 2;
        }
        std::ifstream file(arguments[3]);
        const Json topo = Json::parse(file);
        Differences differences;
        compare_nodes(*entry, topo, differences);
        compare_counts(*entry, topo, differences);
        compare_domains(*entry, differences);
        return differences.count() == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "check_topology: " << error.what() << '\n';
        return 1;
    }
}
