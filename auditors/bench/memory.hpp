// Measures the bytes that a value holds: its own size, and the memory that it has allocated, by the allocator's count.
//
// The value is copied, many times if it is small, and the copies are measured. The first copies, which are not counted,
// use up the blocks that the allocator keeps ready for a thread. The count includes the allocator's overhead, but not
// the memory that copies share. glibc counts for one thread only. On other threads, and with other allocators, there is
// no result.
// Cost: at most 256 copies, or 8 MiB of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace assay::detail {

// The bytes in use on the heap; empty if the allocator does not report them.
std::optional<std::size_t> heap_in_use();

template <class T>
std::optional<double> held_by_copies(const T& value, std::size_t copies) {
  // The first copies use up the blocks of their sizes that are kept ready.
  const std::size_t first = std::min<std::size_t>(copies, 16);
  std::vector<T> held;
  held.reserve(first + copies);
  for (std::size_t i = 0; i < first; ++i) held.push_back(value);
  const auto before = heap_in_use();
  for (std::size_t i = 0; i < copies; ++i) held.push_back(value);
  const auto after = heap_in_use();
  if (!before || !after || *after < *before) return std::nullopt;
  return static_cast<double>(*after - *before) / static_cast<double>(copies);
}

template <class T>
std::optional<double> bytes_of(const T& value) {
  const auto one = held_by_copies(value, 4);
  if (!one) return std::nullopt;
  const auto copies = std::clamp(static_cast<double>(1 << 23) / std::max(*one, 1.0), 1.0, 256.0);
  const auto heap = held_by_copies(value, static_cast<std::size_t>(copies));
  if (!heap) return std::nullopt;
  return static_cast<double>(sizeof(T)) + *heap;
}

}  // namespace assay::detail
