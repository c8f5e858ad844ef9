#pragma once
/// Runnable threads of programs outside the session, so that a CPU they keep busy does not count as idle (`--observe`).
///
/// The owner of the session looks, from outside; the program's threads find the result in the session's memory and
/// never wait for it. Threads that cannot be seen (another pid namespace, /proc with hidepid) are not counted.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "placer/agent/session_memory.hpp"

namespace pinwise {

class OtherLoad {
public:
    /// Looks at every process, the latest first, for at most `budget_ns` of CPU time, goes on with the rest the next
    /// time, and writes the sums to SessionHeader::others.
    void look(const SessionMemory& memory, std::int64_t budget_ns);
    /// The same, for 20 ms of CPU time, when the last look is older than 20 times what it cost: looking takes at most
    /// about 5 % of one CPU's time.
    void look_if_due(const SessionMemory& memory);

    /// Threads of a process that the last look found runnable.
    [[nodiscard]] int runnable_threads(int pid) const;

private:
    void start_pass(const SessionMemory& memory);
    void publish(SessionHeader& header) const;

    std::set<int> kernel_threads_;          ///< told by one look; they are no load of anybody's
    std::vector<int> pass_;                 ///< other processes of this pass that are not the session's
    std::size_t left_ = 0;                  ///< of pass_, from its beginning
    std::map<int, std::vector<int>> cpus_;  ///< process -> CPUs its runnable threads were on
    std::int64_t looked_ns_ = 0;
    std::int64_t cost_ns_ = 0;
};

}  // namespace pinwise
