#pragma once
/// How a workload reports what the world can refuse: a value, or one clear line and the exit status that goes with it.
/// (A type of its own: workloads know nothing of the placer or the runner.)

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace pinwise::workloads {

/// Exit statuses of every workload program.
enum class ExitStatus {
    done = 0,           ///< measured and verified
    failed_run = 1,     ///< the machine refused, or the result is wrong
    users_mistake = 2,  ///< nothing was run
};

/// One line that says what was asked, what was found and what to do. Never ends in a newline.
struct WorkloadError {
    ExitStatus status = ExitStatus::failed_run;
    std::string message;
};

template <class T>
using Expected = tl::expected<T, WorkloadError>;

inline tl::unexpected<WorkloadError> users_mistake(std::string message) {
    return tl::unexpected<WorkloadError>(WorkloadError{ExitStatus::users_mistake, std::move(message)});
}

inline tl::unexpected<WorkloadError> failed_run(std::string message) {
    return tl::unexpected<WorkloadError>(WorkloadError{ExitStatus::failed_run, std::move(message)});
}

}  // namespace pinwise::workloads
