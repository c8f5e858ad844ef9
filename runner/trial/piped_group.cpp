#include "runner/trial/piped_group.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

struct Pipe {
    Descriptor read;
    Descriptor write;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return failure(fmt::format("no pipe: {}", std::system_category().message(errno)));
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

Result<PipedGroup> launch_piped(LaunchSpec spec, LaunchFacts* facts) {
    auto out = make_pipe();
    if (!out) return tl::unexpected<Error>(out.error());
    auto err = make_pipe();
    if (!err) return tl::unexpected<Error>(err.error());
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    spec.new_process_group = true;
    spec.end_with_caller = true;
    spec.stdin_fd = nothing.get();
    spec.stdout_fd = out->write.get();
    spec.stderr_fd = err->write.get();
    PipedGroup group;
    group.start_ns = steady_now_ns();
    const auto pid = launch(spec, facts);
    if (!pid) return tl::unexpected<Error>(pid.error());
    group.pid = *pid;
    group.out_fd = out->read.release();
    group.err_fd = err->read.release();
    return group;
}

}  // namespace pinwise
