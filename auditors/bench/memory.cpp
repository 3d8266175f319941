#include "assay/auditors/bench/memory.hpp"

#include <memory>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay::detail {
namespace {

std::size_t counted_bytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

}  // namespace

std::optional<std::size_t> heap_in_use() {
  // Larger than blocks kept ready for a thread, smaller than blocks with their own pages.
  constexpr std::size_t kProbe = 1 << 14;
  const std::size_t before = counted_bytes();
  const std::vector<char> probe(kProbe, '\1');
  if (counted_bytes() < before + kProbe) return std::nullopt;
  return before;
}

}  // namespace assay::detail
