// What the command of the wheel needs beside the static libraries of Debian. {fmt} and toml++ are packaged as shared
// libraries only, but their sources are in headers.
#include <fmt/format-inl.h>
#include <stdlib.h>
#include <sys/random.h>

#include <cstdint>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE

#define TOML_IMPLEMENTATION
#include <toml++/toml.h>

// The static libstdc++ draws std::random_device from this function, which the C library has from version 2.36 on. With
// this one the command runs from 2.34 on.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) abort();
  return bits;
}
