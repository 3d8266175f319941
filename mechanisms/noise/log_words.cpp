#include "assay/mechanisms/noise/log_words.hpp"

#include "assay/mechanisms/core/internal/avx2.hpp"

namespace assay::detail {
namespace {

double draw(LogLaw law, std::uint64_t word, double location, double scale) {
  if (law == LogLaw::kLaplace) return laplace_from_word(word, location, scale);
  if (law == LogLaw::kExponential) return exponential_from_word(word, scale);
  return gumbel_from_word(word, location, scale);
}

}  // namespace

void map_log_words_baseline(LogLaw law, std::span<const std::uint64_t> words, double location,
                            double scale, double* out) {
  for (std::size_t i = 0; i < words.size(); ++i) out[i] = draw(law, words[i], location, scale);
}

void map_log_words(LogLaw law, std::span<const std::uint64_t> words, double location, double scale,
                   double* out) {
  static const bool wide = has_avx2();
  (wide ? map_log_words_avx2 : map_log_words_baseline)(law, words, location, scale, out);
}

}  // namespace assay::detail
