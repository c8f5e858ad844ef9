#pragma once
/// A program's wish to set the affinity of one of its threads: respected and recorded, or with --force overridden.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "placer/agent/thread_table.hpp"

namespace pinwise {

class Agent;

/// Lives around the program's call. Leaves errno alone.
class AffinityRequest {
public:
    /// `slot`: the thread it is about; nothing when the session does not know it, and then nothing happens here.
    AffinityRequest(Agent* agent, std::optional<RecordSlot> slot, const void* set, std::size_t bytes);

    /// Where the session answers in the kernel's place: 0 or an errno. Nothing: make the call and say how it went.
    [[nodiscard]] std::optional<int> answer() const { return answer_; }
    void kernel_said(bool accepted);

private:
    Agent* agent_;
    std::optional<RecordSlot> slot_;
    std::optional<int> answer_;
    std::uint32_t previous_ = 0;
};

}  // namespace pinwise
