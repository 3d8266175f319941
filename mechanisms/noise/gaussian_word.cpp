#include "assay/mechanisms/noise/gaussian_word.hpp"

#include <cmath>

#include "assay/mechanisms/numerics/normal.hpp"

namespace assay {
namespace {

constexpr std::size_t kBracketCells = std::size_t{1} << 15;

// A float below the image of any number at or beyond this one; the margin covers the error of
// gaussian_from_word on both sides of the edge.
float lower_edge(std::uint64_t word) {
  const double value = gaussian_from_word(word) * (1.0 - 1e-14);
  const auto nearest = static_cast<float>(value);
  return nearest <= value ? nearest : std::nextafter(nearest, 0.0f);
}

}  // namespace

GaussianBrackets::GaussianBrackets() : edges_(kBracketCells + 1) {
  for (std::size_t cell = 1; cell < kBracketCells; ++cell) {
    edges_[cell] = lower_edge((kBracketCells + cell) << 48);
  }
  edges_[kBracketCells] = lower_edge(~std::uint64_t{0});
}

const GaussianBrackets& gaussian_brackets() {
  static const GaussianBrackets brackets;
  return brackets;
}

namespace detail {

double gaussian_tail_magnitude(std::uint64_t k) {
  return normal_ccdf_quantile(static_cast<double>(2 * k + 1) * 0x1p-65);
}

}  // namespace detail
}  // namespace assay
