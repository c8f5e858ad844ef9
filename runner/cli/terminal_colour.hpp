#pragma once

namespace pinwise::cli {

/// Whether tables may be in colour: standard output is a terminal that knows escape sequences, and the user has not set
/// NO_COLOR (no-color.org).
bool stdout_takes_colour();

}  // namespace pinwise::cli
