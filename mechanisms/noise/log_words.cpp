#include "assay/mechanisms/noise/log_words.hpp"

#include "assay/mechanisms/core/internal/avx2.hpp"

namespace assay::detail {

void map_log_words_baseline(LogDistribution distribution, std::span<const std::uint64_t> words,
                            double location, double scale, double* out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    out[i] = log_distribution_from_word(distribution, words[i], location, scale);
  }
}

void map_log_words(LogDistribution distribution, std::span<const std::uint64_t> words,
                   double location, double scale, double* out) {
  static const bool wide = has_avx2();
  (wide ? map_log_words_avx2 : map_log_words_baseline)(distribution, words, location, scale, out);
}

}  // namespace assay::detail
