#include "assay/mechanisms/noisy_max/noisy_max_chain.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLeftOut = 45.0;         // the part left out is e^-kLeftOut of the whole
constexpr double kMissesNothing = 1e-18;  // a sum of 1 - F that small does not matter
constexpr double kDeepestScore = -1e300;  // a score further below the best may overflow

// log f and log F at z in scales.
double log_f(double z) { return -kLog2 - std::fabs(z); }
double log_cdf(double z) { return z < 0.0 ? z - kLog2 : portable_log1p(-0.5 * portable_exp(-z)); }

class ChainDistribution {
 public:
  ChainDistribution(std::span<const double> scores, double scale,
                    std::span<const std::int64_t> order)
      : taken_(order.size()), sums_(order.size()) {
    const double top = *std::max_element(scores.begin(), scores.end());
    rest_.reserve(scores.size());
    for (const double score : scores)
      rest_.push_back(std::max(kDeepestScore, (score - top) / scale));
    std::vector<bool> is_taken(scores.size(), false);
    for (std::size_t r = 0; r < order.size(); ++r) {
      const auto index = static_cast<std::size_t>(order[r]);
      ASSAY_CHECK(index < scores.size() && !is_taken[index], "indices in range, none twice");
      is_taken[index] = true;
      taken_[r] = rest_[index];
    }
    edges_ = rest_;
    std::sort(edges_.begin(), edges_.end(), std::greater<>());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    far_ = 38.0 + portable_log(static_cast<double>(scores.size()));
    std::size_t kept = 0;
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      if (!is_taken[k]) rest_[kept++] = rest_[k];
    }
    rest_.resize(kept);
    std::sort(rest_.begin(), rest_.end(), std::greater<>());
  }

  double log_probability() {
    if (integrate_above()) integrate_below();
    double total = 0.0;
    for (const LogSum& sum : sums_) total += std::min(0.0, sum.log());
    return total;
  }

 private:
  // (2). False if nothing is left below.
  bool integrate_above() {
    std::vector<double> halves;  // w/2 of the rest
    double total = 0.0;
    for (const double q : rest_) {
      halves.push_back(0.5 * portable_exp(q));
      total += halves.back();
    }
    double all = total;
    std::vector<double> taken;
    for (const double q : taken_) {
      taken.push_back(0.5 * portable_exp(q));
      all += taken.back();
    }
    const double needed = kLeftOut + portable_log1p(all);
    const double end = total > needed ? needed / total : 1.0;
    for (const auto& [t, weight] : gauss_legendre_nodes(0.0, end, {}, 8.0 / all)) {
      double product = 1.0;
      for (const double half : halves) product *= 1.0 - t * half;
      for (std::size_t r = taken_.size(); r-- > 0;) {
        sums_[r].add(weight * product, taken_[r] - kLog2);
        product *= 1.0 - t * taken[r];
      }
    }
    return end == 1.0;
  }

  // The parts of (1) at x, below the first `tops` of the rest and at or above the others: log G, its
  // slope, and the sum of 1 - F over the others.
  struct Rest {
    double log = 0.0;
    double slope = 0.0;
    double missing = 0.0;
  };
  void look_down_from(double x) {
    while (tops_ < rest_.size() && rest_[tops_] >= x) {
      place_ += rest_[tops_++];
    }
    look_down_to(x);
  }
  double log_rest(double x) const {
    const double rising = portable_exp(reference_ - x);
    double product = 1.0;
    for (const double half : halves_) product *= 1.0 - rising * half;
    const auto tops = static_cast<double>(tops_);
    return portable_log(product) + tops * (x - kLog2) - place_;
  }
  Rest rest_at(double x) const {
    Rest rest{log_rest(x), static_cast<double>(tops_), 0.0};
    const double rising = portable_exp(reference_ - x);
    for (const double half : halves_) {
      const double y = rising * half;
      rest.missing += y;
      rest.slope += y / (1.0 - y);
    }
    return rest;
  }
  // For a taken score, the slope of log F at x, which is also an upper bound on 1 - F.
  static double slope_of(double z) {
    if (z < 0.0) return 1.0;
    const double y = 0.5 * portable_exp(-z);
    return y / (1.0 - y);
  }

  // Visits every round at x, the last first: log of the integrand of (1), and the slope of that from
  // below x.
  template <class Visit>
  void rounds_at(double x, const Rest& rest, Visit&& visit) const {
    double log = rest.log;
    double slope = rest.slope;
    for (std::size_t r = taken_.size(); r-- > 0;) {
      const double z = x - taken_[r];
      visit(r, log + log_f(z), slope + (z <= 0.0 ? 1.0 : -1.0));
      log += log_cdf(z);
      slope += slope_of(z);
    }
  }

  // (3) and (4), from the largest score down.
  void integrate_below() {
    double x = 0.0;
    for (std::size_t next = 1;; ++next) {
      const bool last = next == edges_.size();
      const double low = last ? -kInfinity : edges_[next];
      while (x > low) {
        look_down_from(x);
        const Rest rest = rest_at(x);
        double steepest = 1.0;
        double missing = rest.missing;
        bool done = true;
        rounds_at(x, rest, [&](std::size_t r, double log, double slope) {
          steepest = std::max(steepest, slope);
          if (x > taken_[r]) missing += 0.5 * portable_exp(taken_[r] - x);
          done = done && slope > 0.0 && log - portable_log(slope) < sums_[r].log() - kLeftOut;
        });
        if (done) return;
        const double near = low + far_;  // the scores below begin to matter here
        if (x > near) {
          rounds_at(x, rest, [&](std::size_t r, double log, double slope) {
            add_exponential(r, log, std::round(slope), x - near);  // (4)
          });
          if (last) return;
          x = near;
          continue;
        }
        const double width = width_of(steepest, missing);
        const double to = x - low < 1.5 * width ? low : x - width;
        look_down_to(to);
        for (const auto& [at, weight] : gauss_legendre_nodes(to, x, {}, 2.0 * width)) {
          rounds_at(at, {log_rest(at), 0.0, 0.0},
                    [&, w = weight](std::size_t r, double log, double) { sums_[r].add(w, log); });
        }
        x = to;
      }
    }
  }
  // The slope above x - w is at most `steepest` plus, for those below, 2 e^w times their 1 - F: times w
  // no more than a panel takes.
  static double width_of(double steepest, double missing) {
    const double rate = 1.0 + steepest;
    if (rate + 15.0 * missing <= 4.0) return 2.0;
    if (rate + 6.0 * missing <= 8.0) return 1.0;
    return std::min(0.5, 6.0 / (rate + 4.0 * missing));
  }
  // As look_down_from, if products are read down to `low`: halves there are at most 1/2.
  void look_down_to(double low) {
    reference_ = low;
    halves_.clear();
    for (std::size_t k = tops_; k < rest_.size(); ++k) {
      const double half = 0.5 * portable_exp(rest_[k] - low);
      if (half < kMissesNothing / static_cast<double>(rest_.size())) break;
      halves_.push_back(half);
    }
  }

  // The integral of e^(log + slope (z - x)) over z in [x - length, x].
  void add_exponential(std::size_t r, double log, double slope, double length) {
    if (slope == 0.0) {
      sums_[r].add(length, log);
    } else if (slope > 0.0) {
      sums_[r].add(-portable_expm1(-slope * length) / slope, log);
    } else {
      sums_[r].add(1.0, log + log_sub_exp(length, 0.0));
    }
  }

  std::vector<double> taken_;  // positions from the largest score down, in scales; in order
  std::vector<double> rest_;   // those never taken, decreasing
  std::vector<double> edges_;  // all that differ, decreasing
  std::vector<LogSum> sums_;   // of P_r
  double far_ = 0.0;           // scores further below have 1 - F of e^-38 together
  // Of the panel: how many of the rest are at or above it, their sum, and the others.
  std::size_t tops_ = 0;
  double place_ = 0.0;
  double reference_ = 0.0;
  std::vector<double> halves_;
};

}  // namespace

double noisy_max_chain_log_probability(const Laplace& noise, std::span<const double> scores,
                                       std::span<const std::int64_t> order) {
  ASSAY_CHECK(!order.empty() && order.size() <= scores.size(), "an order of some of the scores");
  if (scores.size() == 1) return 0.0;
  return ChainDistribution(scores, noise.scale(), order).log_probability();
}

}  // namespace assay
