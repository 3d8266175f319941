#include "assay/mechanisms/release/sparse_vector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

double as_double(Answer answer) {
  if (answer == Answer::kNone) return std::numeric_limits<double>::quiet_NaN();
  return answer == Answer::kAbove ? 1.0 : 0.0;
}

namespace detail {
namespace {

constexpr double kMostOutputs = 65536.0;

Laplace laplace_or_unit(double scale) {
  const auto noise = Laplace::create(0.0, scale > 0.0 ? scale : 1.0);
  ASSAY_CHECK(noise.has_value(), "scales are positive and finite");
  return *noise;
}

// The number of outputs, as a double: sequences of n flags that end with the stop-th one above.
double count_outputs(std::int64_t n, std::int64_t stop) {
  if (stop <= 0 || stop > n)
    return std::ldexp(1.0, static_cast<int>(std::min<std::int64_t>(n, 1000)));
  double total = 1.0;  // sum over j <= stop of C(n, j)
  double choose = 1.0;
  for (std::int64_t j = 1; j <= stop; ++j) {
    choose *= static_cast<double>(n - j + 1) / static_cast<double>(j);
    total += choose;
  }
  return total;
}

}  // namespace

SparseVectorRule::SparseVectorRule(double threshold, double rho_scale, double nu_scale,
                                   std::int64_t stop, bool redraw)
    : threshold_(threshold),
      rho_(laplace_or_unit(rho_scale)),
      nu_(laplace_or_unit(nu_scale)),
      has_nu_(nu_scale > 0.0),
      stop_(stop),
      redraw_(redraw) {}

Status SparseVectorRule::check_outputs(std::int64_t answers, std::int64_t stop) {
  if (count_outputs(answers, stop) <= kMostOutputs) return {};
  return fail(ErrorCode::kLimit, "more than 65536 outputs; lower answers or cutoff", "/answers");
}

template <RandomSource R>
std::vector<Answer> SparseVectorRule::flags(std::span<const double> q, R& random) const {
  std::vector<Answer> out(q.size(), Answer::kNone);
  run(q, random,
      [&](std::size_t i, double, bool flag) { out[i] = flag ? Answer::kAbove : Answer::kBelow; });
  return out;
}

template <RandomSource R>
void SparseVectorRule::flags_many(std::span<const double> q, R& random,
                                  std::span<double> out) const {
  run_many(q, random, out, [](std::size_t, double, bool flag) { return flag ? 1.0 : 0.0; });
}

std::vector<std::vector<Answer>> SparseVectorRule::outputs(std::size_t n) const {
  ASSAY_CHECK(check_outputs(static_cast<std::int64_t>(n), stop_).has_value(),
              "at most 2^16 outputs");
  std::vector<std::vector<Answer>> out;
  std::vector<Answer> flags(n, Answer::kNone);
  const auto extend = [&](const auto& self, std::size_t i, std::int64_t above) -> void {
    if (i == n || (stop_ > 0 && above == stop_)) {
      out.push_back(flags);
      return;
    }
    flags[i] = Answer::kBelow;
    self(self, i + 1, above);
    flags[i] = Answer::kAbove;
    self(self, i + 1, above + 1);
    flags[i] = Answer::kNone;
  };
  extend(extend, 0, 0);
  return out;
}

double SparseVectorRule::above(double q, double z) const {
  const double gap = threshold_ + z - q;
  if (!has_nu_) return gap <= 0.0 ? 1.0 : 0.0;
  return nu_.ccdf(gap);
}

double SparseVectorRule::below(double q, double z) const {
  const double gap = threshold_ + z - q;
  if (!has_nu_) return gap <= 0.0 ? 0.0 : 1.0;
  return nu_.cdf(gap);
}

std::vector<double> SparseVectorRule::log_pmf(std::span<const double> q) const {
  const auto all = outputs(q.size());
  const std::size_t n = q.size();
  if (redraw_) {
    // Many outputs have a block in common: its place, and whether it ends with an answer above.
    std::vector<double> known(2 * n * (n + 1), 1.0);
    const auto block = [&](std::span<const Answer> flags, std::size_t first, std::size_t end) {
      double& log_p = known[2 * (first * (n + 1) + end) + (flags[end - 1] == Answer::kAbove)];
      if (log_p > 0.0) {
        log_p = log_stretch(flags.subspan(first, end - first), q.subspan(first, end - first));
      }
      return log_p;
    };
    std::vector<double> out;
    for (const auto& flags : all) out.push_back(sum_of_blocks(flags, block));
    return out;
  }
  // (2) for all outputs at once, node by node. In their order an output begins as the one before it,
  // with a product that is already known.
  std::vector<std::size_t> common;
  for (std::size_t o = 0; o < all.size(); ++o) {
    const auto& before = all[o == 0 ? o : o - 1];
    const auto parting = std::mismatch(all[o].begin(), all[o].end(), before.begin());
    common.push_back(o == 0 ? 0 : static_cast<std::size_t>(parting.first - all[o].begin()));
  }
  std::vector<double> sums(all.size(), 0.0);
  std::vector<double> factors(2 * n);  // of each answer: below, above
  std::vector<double> products(n + 1);
  for (const auto& [z, weight] : threshold_nodes(q)) {
    for (std::size_t i = 0; i < n; ++i) {
      factors[2 * i] = below(q[i], z);
      factors[2 * i + 1] = above(q[i], z);
    }
    products[0] = weight * portable_exp(rho_.log_density(z));
    for (std::size_t o = 0; o < all.size(); ++o) {
      std::size_t i = common[o];
      for (; i < n && all[o][i] != Answer::kNone; ++i) {
        products[i + 1] = products[i] * factors[2 * i + (all[o][i] == Answer::kAbove ? 1 : 0)];
      }
      sums[o] += products[i];  // (2)
    }
  }
  for (double& sum : sums) sum = portable_log(sum);
  return sums;
}

double SparseVectorRule::distribution_work(std::span<const double> q) const {
  const auto n = static_cast<double>(q.size());
  const auto nodes = static_cast<double>(threshold_nodes(q).size());
  if (!redraw_) return 2.0 * n * nodes;
  return (stop_ == 1 ? n * n : n * n * n / 3.0) * nodes;  // every block from the first, or any
}

template <class LogStretch>
double SparseVectorRule::sum_of_blocks(std::span<const Answer> flags,
                                       LogStretch log_stretch) const {
  double total = 0.0;
  std::size_t first = 0;
  std::size_t i = 0;
  for (; i < flags.size() && flags[i] != Answer::kNone; ++i) {
    if (redraw_ && flags[i] == Answer::kAbove) {
      total += log_stretch(flags, first, i + 1);
      first = i + 1;
    }
  }
  return i > first ? total + log_stretch(flags, first, i) : total;
}

double SparseVectorRule::log_probability(std::span<const Answer> flags,
                                         std::span<const double> q) const {
  ASSAY_CHECK(flags.size() == q.size(), "one flag per answer");
  return sum_of_blocks(flags, [&](auto all, std::size_t first, std::size_t end) {
    return log_stretch(all.subspan(first, end - first), q.subspan(first, end - first));
  });
}

std::vector<QuadratureNode> SparseVectorRule::threshold_nodes(std::span<const double> q) const {
  std::vector<double> breaks{0.0};
  for (const double x : q) breaks.push_back(x - threshold_);
  const auto [least, most] = std::minmax_element(breaks.begin(), breaks.end());
  // Beyond these f_rho has fallen by e^-40 from everything that matters, unless the output itself
  // has probability below 1e-280.
  const double b = rho_.scale();
  const double low = std::max(-650.0 * b, *least - 40.0 * b);
  const double high = std::min(650.0 * b, *most + 40.0 * b);
  return gauss_legendre_nodes(low, high, breaks, has_nu_ ? std::min(b, nu_.scale()) : b);
}

double SparseVectorRule::log_stretch(std::span<const Answer> flags,
                                     std::span<const double> q) const {
  double sum = 0.0;
  for (const auto& [z, weight] : threshold_nodes(q)) {
    double product = weight * portable_exp(rho_.log_density(z));
    for (std::size_t i = 0; i < q.size() && product > 0.0; ++i) {
      product *= flags[i] == Answer::kAbove ? above(q[i], z) : below(q[i], z);
    }
    sum += product;  // (2)
  }
  return portable_log(sum);
}

template std::vector<Answer> SparseVectorRule::flags(std::span<const double>, ReplayStream&) const;
template void SparseVectorRule::flags_many(std::span<const double>, ReplayStream&,
                                           std::span<double>) const;
template std::vector<Answer> SparseVectorRule::flags(std::span<const double>, SecureStream&) const;
template void SparseVectorRule::flags_many(std::span<const double>, SecureStream&,
                                           std::span<double>) const;

}  // namespace detail
}  // namespace assay
