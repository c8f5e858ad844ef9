// The functions of libfmt that are not templates, for the preload libraries, which cannot depend on libfmt.so.
// Header-only fmt would compile them again in each source.

#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
template void fmt::detail::buffer<char>::append(const char*, const char*);
template void fmt::detail::vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
