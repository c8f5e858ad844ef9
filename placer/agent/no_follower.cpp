// What the agent that does not scan has in the place of scanning.

#include "placer/agent/system_call_arguments.hpp"
#include "placer/agent/thread_follower.hpp"

namespace pinwise {

std::unique_ptr<ThreadFollower> make_thread_follower(const SessionMemory& /*memory*/) {
    return nullptr;
}

long watched_system_call(long number, const SystemCallArguments& with, MakeSystemCall make) {
    return make(number, with);
}

}  // namespace pinwise
