#include "placer/scan/scan_state.hpp"

#include <array>
#include <cstddef>

namespace pinwise {

namespace {

struct StateText {
    std::string_view name;
    std::string_view meaning;
};

/// In the order of ScanState.
constexpr std::array texts{
    StateText{"off", "not asked for"},
    StateText{"waiting", "no process has started to scan"},
    StateText{"scanning", "memory follows its threads"},
    StateText{"one-node", "this machine has one memory node, so there is nowhere to move to"},
    StateText{"denied(EPERM)", "move_pages or mincore is not permitted (a container's seccomp filter?)"},
    StateText{"unsupported(ENOSYS)", "this kernel has no move_pages"},
    StateText{"no-usable-node", "every target node is absent, full or not allowed"},
    StateText{"no-memory", "there was no memory for the tables"},
    StateText{"no-handler", "the handler of SIGSEGV could not be set"},
    StateText{"too-many-mappings", "the process is near vm.max_map_count"},
    StateText{"pending-segv", "SIGSEGV was sent to the program while it blocked it"},
    StateText{"memory-locked", "the program locked all its memory"},
    StateText{"kernel-io", "the program uses io_uring or userfaultfd"},
    StateText{"sandboxed", "the program forbids itself system calls (seccomp)"},
    StateText{"no-timer", "a thread got no timer on its CPU clock (ulimit -i, or a container's seccomp filter?)"},
};
static_assert(texts.size() == static_cast<std::size_t>(ScanState::no_timer) + 1);

const StateText& text_of(ScanState state) {
    const auto position = static_cast<std::size_t>(state);
    return texts[position < texts.size() ? position : 0];
}

}  // namespace

std::string_view to_string(ScanState state) {
    return text_of(state).name;
}

std::string_view explain(ScanState state) {
    return text_of(state).meaning;
}

ScanState state_of(MoverState state) {
    switch (state) {
        case MoverState::working:
            return ScanState::scanning;
        case MoverState::denied:
            return ScanState::denied;
        case MoverState::unsupported:
            return ScanState::unsupported;
        case MoverState::one_node:
            return ScanState::one_node;
        case MoverState::no_node:
            return ScanState::no_node;
    }
    return ScanState::no_node;
}

}  // namespace pinwise
