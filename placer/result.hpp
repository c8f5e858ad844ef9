#pragma once
/// How every part reports what the world can refuse: a value or one clear line.

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace pinwise {

/// Whose fault it is; the command line turns it into the exit status.
enum class ErrorKind {
    usage,    ///< the user's mistake: exit 2
    failure,  ///< the machine or the run refused: exit 1
};

/// One line that says what was asked, what was found and what to do. Never ends in a newline.
struct Error {
    ErrorKind kind = ErrorKind::failure;
    std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> usage_error(std::string message) {
    return tl::unexpected<Error>(Error{ErrorKind::usage, std::move(message)});
}

inline tl::unexpected<Error> failure(std::string message) {
    return tl::unexpected<Error>(Error{ErrorKind::failure, std::move(message)});
}

}  // namespace pinwise
