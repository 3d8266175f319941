#include "assay/mechanisms/noise/gaussian_fill.hpp"

#include "assay/mechanisms/core/internal/avx2.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"

namespace assay::detail {

void fill_gaussian_blocks_baseline(PhiloxCounter counter, PhiloxKey key, double location,
                                   double scale, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const auto block = philox4x64(counter, key);
    ++counter[0];
    for (std::size_t j = 0; j < 4; ++j) {
      out[i + j] = location + scale * gaussian_from_word(block[j]);
    }
  }
}

void fill_gaussian_blocks(PhiloxCounter counter, PhiloxKey key, double location, double scale,
                          std::span<double> out) {
  static const bool wide = has_avx2();
  if (wide) {
    fill_gaussian_blocks_avx2(counter, key, location, scale, out);
  } else {
    fill_gaussian_blocks_baseline(counter, key, location, scale, out);
  }
}

}  // namespace assay::detail
