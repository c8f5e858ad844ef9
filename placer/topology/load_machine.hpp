#pragma once
/// Machine from hwloc: the live system, an hwloc XML file, or a synthetic string. The only user of hwloc.

#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// `source` is "live" (or empty), a path to an hwloc XML, or "synthetic:STRING" in hwloc's synthetic notation.
/// A file or string hwloc cannot load is a usage error naming it.
Result<Machine> load_machine(std::string_view source);

/// hwloc XML of the same source, as text, that load_machine() reads as the same Machine: what a results folder keeps as
/// topology.xml. The allowed CPUs of the live machine are those of this process, its affinity included. Left out is
/// what names the host or its user: host name, cgroup, serial numbers, asset tags.
Result<std::string> topology_xml(std::string_view source);

}  // namespace pinwise
