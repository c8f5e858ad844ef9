#pragma once
/// Runnable threads of programs outside the session, so that a CPU they keep busy does not count as idle (`--observe`).
///
/// The owner of the session looks, from outside; the program's threads find the result in the session's memory and
/// never wait for it. Threads that cannot be seen (another pid namespace, /proc with hidepid) are not counted.

#include <cstdint>
#include <map>
#include <vector>

#include "placer/agent/session_memory.hpp"

namespace pinwise {

class OtherLoad {
public:
    /// Looks at every process for at most `budget_ns`, goes on with the rest the next time, and writes the sums to
    /// SessionHeader::others. Returns at once when the last look is younger than 20 times what it cost: looking takes
    /// at most about 5 % of one CPU's time.
    void look(const SessionMemory& memory, std::int64_t budget_ns = 20'000'000);

    /// CPU of a thread in state R by its line of /proc/PID/task/TID/stat; -1 in any other state.
    static int cpu_of_running(const char* stat_line);

private:
    void start_pass(const SessionMemory& memory);
    void publish(SessionHeader& header) const;

    std::vector<int> pass_;                 ///< processes of this pass that are not the session's
    std::size_t next_ = 0;                  ///< into pass_
    std::map<int, std::vector<int>> cpus_;  ///< process -> CPUs its runnable threads were on
    std::int64_t looked_ns_ = 0;
    std::int64_t cost_ns_ = 0;
};

}  // namespace pinwise
