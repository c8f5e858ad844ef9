#pragma once
/// Whether a program is still the same.

#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

/// 64-bit FNV-1a (Fowler, Noll, Vo; RFC 9923) of the bytes, as 16 hexadecimal digits: tells changes, not tampering.
std::string fingerprint(std::string_view bytes);

/// "fnv1a:0123456789abcdef" of a file's content.
Result<std::string> file_fingerprint(const std::string& path);

}  // namespace pinwise
