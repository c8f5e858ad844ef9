#pragma once
/// Whether a file was linked by the Go toolchain.

#include <string>

namespace pinwise {

/// Go's runtime makes its threads with raw clone calls, also in dynamically linked programs. Told by the build id note
/// (owner "Go") or by the section ".go.buildinfo", whichever was not stripped. False for what is not an ELF file of
/// this architecture.
bool is_go_program(const std::string& path);

}  // namespace pinwise
