#include "assay/mechanisms/numerics/poisson_binomial.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::size_t kBlock = 256;
constexpr double kLeastProduct = 1e-306;  // smaller ones are left out, and counted as moved
constexpr std::size_t kChunk = 16;

// How many weights leave the front, and the effect of that.
struct Cut {
  std::size_t weights = 0;
  double change = 0.0;
};

Cut cut_by_ratio(std::span<const double> weights, const CountWindow& window) {
  const double growth = portable_exp(window.rate);
  const double decay = portable_exp(-window.rate);
  std::vector<double> stays(weights.size());  // denominators of (2)
  double sum = 0.0;
  for (std::size_t k = weights.size(); k-- > 0;) stays[k] = sum = weights[k] + decay * sum;
  Cut cut;
  double goes = 0.0;  // numerator of (2)
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    goes = (goes + weights[k]) * growth;
    if (!(goes <= window.relative * stays[k + 1])) break;
    cut = {k + 1, goes / stays[k + 1]};  // (2)
  }
  return cut;
}

Cut cut_by_mass(std::span<const double> weights, const CountWindow& window) {
  Cut cut;
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    if (!(cut.change + weights[k] <= window.absolute)) break;
    cut = {k + 1, cut.change + weights[k]};
  }
  return cut;
}

// The farther of both cuts; returns the number of weights erased.
std::size_t cut_front(WindowedCount& count, const CountWindow& window) {
  auto& weights = count.distribution.weights;
  const Cut by_ratio = cut_by_ratio(weights, window);
  const Cut by_mass = cut_by_mass(weights, window);
  const bool is_ratio = by_ratio.weights >= by_mass.weights;
  (is_ratio ? count.relative : count.absolute) += is_ratio ? by_ratio.change : by_mass.change;
  const auto end =
      weights.begin() + static_cast<std::ptrdiff_t>(std::max(by_ratio.weights, by_mass.weights));
  *end += std::accumulate(weights.begin(), end, 0.0);
  const auto erased = static_cast<std::size_t>(end - weights.begin());
  weights.erase(weights.begin(), end);
  return erased;
}

void keep_window(WindowedCount& count, const CountWindow& window) {
  auto& distribution = count.distribution;
  distribution.least += static_cast<double>(cut_front(count, window));
  std::reverse(distribution.weights.begin(), distribution.weights.end());
  cut_front(count, window);
  std::reverse(distribution.weights.begin(), distribution.weights.end());
}

// In long double: 3 roundings of 2^-64 a term are below 0.4 units; the conversion and the end of
// the window take one each.
WindowedCount block(std::span<const double> probabilities, const CountWindow& window) {
  std::array<long double, kBlock + 1> ones{1.0L};
  for (std::size_t t = 0; t < probabilities.size(); ++t) {
    const long double p = probabilities[t];
    ones[t + 1] = 0.0L;
    for (std::size_t k = t + 1; k > 0; --k)
      ones[k] = ones[k] * (1.0L - p) + ones[k - 1] * p;  // (1)
    ones[0] *= 1.0L - p;
  }
  WindowedCount count;
  count.distribution.weights.assign(
      ones.begin(), ones.begin() + static_cast<std::ptrdiff_t>(probabilities.size()) + 1);
  count.rounding = 2.4;
  keep_window(count, window);
  return count;
}

// The range where the weights of a distribution reach a value: all before `first` and from `last` on are
// smaller.
class Reach {
 public:
  explicit Reach(std::span<const double> weights)
      : from_front_(weights.begin(), weights.end()), from_back_(weights.rbegin(), weights.rend()) {
    for (auto* side : {&from_front_, &from_back_}) {
      for (std::size_t k = 1; k < side->size(); ++k) {
        (*side)[k] = std::max((*side)[k], (*side)[k - 1]);
      }
    }
  }
  std::size_t first(double least) const { return below(from_front_, least); }
  std::size_t last(double least) const { return from_back_.size() - below(from_back_, least); }

 private:
  static std::size_t below(std::span<const double> highest, double least) {
    const auto end = std::lower_bound(highest.begin(), highest.end(), least);
    return static_cast<std::size_t>(end - highest.begin());
  }

  std::vector<double> from_front_;  // the highest weight so far
  std::vector<double> from_back_;
};

// In chunks, so that a sum of many terms has no more rounding errors than one of a few.
std::vector<double> convolved(std::span<const double> few, std::span<const double> many,
                              const RunControl& control) {
  const Reach reach(many);
  std::vector<double> out(few.size() + many.size() - 1, 0.0);
  std::vector<double> partial(many.size() + kChunk - 1);
  for (std::size_t begin = 0; begin < few.size() && !control.stopped(); begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, few.size());
    std::fill(partial.begin(), partial.end(), 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      const double factor = few[i];
      const double least = kLeastProduct / factor;
      const std::size_t last = reach.last(least);
      double* const to = partial.data() + (i - begin);
      for (std::size_t j = reach.first(least); j < last; ++j) to[j] += factor * many[j];
    }
    const std::size_t length = many.size() + (end - begin) - 1;
    for (std::size_t j = 0; j < length; ++j) out[begin + j] += partial[j];
  }
  return out;
}

}  // namespace

WindowedCount sum_of(const WindowedCount& a, const WindowedCount& b, const CountWindow& window,
                     const RunControl& control) {
  const bool a_is_shorter = a.distribution.weights.size() <= b.distribution.weights.size();
  const auto& few = a_is_shorter ? a.distribution.weights : b.distribution.weights;
  const auto& many = a_is_shorter ? b.distribution.weights : a.distribution.weights;
  WindowedCount out;
  out.distribution = {a.distribution.least + b.distribution.least, convolved(few, many, control)};
  if (control.stopped()) return {};  // an empty result has no window
  const auto terms = static_cast<double>(few.size());
  out.relative = a.relative + b.relative;
  out.absolute = a.absolute + b.absolute + terms * static_cast<double>(many.size()) * kLeastProduct;
  // A product, sums within a chunk and one a chunk, and the end of the window.
  const double sums = std::min(terms, static_cast<double>(kChunk)) + terms / kChunk + 3.0;
  out.rounding = a.rounding + b.rounding + sums;
  keep_window(out, window);
  return out;
}

WindowedCount poisson_binomial(std::span<const double> probabilities, const CountWindow& window,
                               const RunControl& control) {
  ASSAY_CHECK(window.rate >= 0.0 && window.absolute >= 1e-295, "a window");
  if (probabilities.empty() || control.stopped()) return {};
  if (probabilities.size() <= kBlock) return block(probabilities, window);
  const std::size_t half = (probabilities.size() / 2 + kBlock - 1) / kBlock * kBlock;
  return sum_of(poisson_binomial(probabilities.first(half), window, control),
                poisson_binomial(probabilities.subspan(half), window, control), window, control);
}

}  // namespace assay
