#include "assay/auditors/statistics/class_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/auditors/statistics/side_betting.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kPrior = 0.5;  // runs that every class starts with
constexpr double kReach = 0.3;  // of the possible loss of one run, in standard errors of all

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Smoothed {
  std::vector<double> logits;  // of being on P, class by class
  double evidence = 0.0;       // logarithm, up to a constant
};

// (2). The Hessian has two bands below its diagonal: L D L', in place.
Smoothed smoothed(const ClassCounts& counts, double smoothness) {
  constexpr int kMostSteps = 30;
  constexpr double kLongestStep = 2.0;
  const std::size_t n = counts.size();
  Smoothed out{std::vector<double>(n), 0.0};
  for (std::size_t k = 0; k < n; ++k) {
    out.logits[k] = portable_log((sum_of(counts.p) + 1.0) / (sum_of(counts.q) + 1.0));
  }
  auto& l = out.logits;
  const auto bend = [&](std::size_t k) { return l[k] - 2.0 * l[k + 1] + l[k + 2]; };
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> d(n), e(n, 0.0), f(n, 0.0),
        move(n);  // diagonal, first and second band below
    for (std::size_t k = 0; k < n; ++k) {
      const double p = counts.p[k] + kPrior, q = counts.q[k] + kPrior;
      const double share = 1.0 / (1.0 + portable_exp(-l[k]));
      d[k] = (p + q) * share * (1.0 - share) + 1e-9;
      move[k] = p - (p + q) * share;
    }
    for (std::size_t k = 0; k + 2 < n; ++k) {
      const double by = smoothness * bend(k);
      move[k] -= by;
      move[k + 1] += 2.0 * by;
      move[k + 2] -= by;
      d[k] += smoothness;
      d[k + 1] += 4.0 * smoothness;
      d[k + 2] += smoothness;
      e[k] -= 2.0 * smoothness;
      e[k + 1] -= 2.0 * smoothness;
      f[k] += smoothness;
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (k + 1 < n) {
        const double by = e[k] / d[k];
        d[k + 1] -= by * e[k];
        move[k + 1] -= by * move[k];
        if (k + 2 < n) {
          e[k + 1] -= by * f[k];
          const double far = f[k] / d[k];
          d[k + 2] -= far * f[k];
          move[k + 2] -= far * move[k];
        }
      }
    }
    double longest = 0.0;
    for (std::size_t k = n; k-- > 0;) {
      if (k + 1 < n) move[k] -= e[k] * move[k + 1];
      if (k + 2 < n) move[k] -= f[k] * move[k + 2];
      move[k] /= d[k];
      longest = std::max(longest, std::abs(move[k]));
    }
    const double part = std::min(1.0, kLongestStep / longest);
    for (std::size_t k = 0; k < n; ++k) l[k] += part * move[k];
    if (longest > 1e-3 && step + 1 < kMostSteps) continue;
    for (std::size_t k = 0; k < n; ++k) {
      const double p = counts.p[k] + kPrior, q = counts.q[k] + kPrior;
      out.evidence -= p * portable_log1p(portable_exp(-l[k])) +
                      q * portable_log1p(portable_exp(l[k])) + 0.5 * portable_log(d[k]);
      if (k + 2 < n) {
        out.evidence += 0.5 * (portable_log(smoothness) - smoothness * bend(k) * bend(k));
      }
    }
    break;
  }
  return out;
}

struct Distribution {
  std::vector<double> p, q;
};

Distribution distribution_of(const ClassCounts& counts) {
  Distribution distribution{counts.p, counts.q};
  const std::size_t n = counts.size();
  double all_p = 0.0, all_q = 0.0;
  const auto logits =
      counts.smoothness > 0.0 ? smoothed(counts, counts.smoothness).logits : std::vector<double>();
  for (std::size_t k = 0; k < n; ++k) {
    const double all = counts.p[k] + counts.q[k] + 2.0 * kPrior;
    const double share =
        logits.empty() ? (counts.p[k] + kPrior) / all : 1.0 / (1.0 + portable_exp(-logits[k]));
    distribution.p[k] = all * share;
    distribution.q[k] = all * (1.0 - share);
    all_p += distribution.p[k];
    all_q += distribution.q[k];
  }
  for (double& p : distribution.p) p /= all_p;
  for (double& q : distribution.q) q /= all_q;
  return distribution;
}

// The programme in a = (f_0, g_0, f_1, g_1, ...), scaled so that V has ones on its diagonal.
class WeightProgramme {
 public:
  WeightProgramme(const SideClaim& claim, const ClassCounts& counts)
      : size_(2 * counts.size()), v_(size_ * size_, 0.0), gain_(size_), scale_(size_) {
    const double c = claim.slope;
    const Distribution distribution = distribution_of(counts);
    const auto &p = distribution.p, &q = distribution.q;
    const std::size_t classes = counts.size();
    for (std::size_t k = 0; k < classes; ++k) {
      gain_[2 * k] = p[k] - c * q[k];
      gain_[2 * k + 1] = q[k] - c * p[k];
      scale_[2 * k] = 1.0 / std::sqrt(p[k] + c * c * q[k]);
      scale_[2 * k + 1] = 1.0 / std::sqrt(q[k] + c * c * p[k]);
    }
    const auto on_p = [&](std::size_t i) { return i % 2 == 0 ? 1.0 : -c; };
    const auto on_q = [&](std::size_t i) { return i % 2 == 0 ? -c : 1.0; };
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        const std::size_t a = i / 2, b = j / 2;
        double sum = p[a] * q[b] * on_p(i) * on_q(j) + p[b] * q[a] * on_q(i) * on_p(j);
        if (a == b) sum += p[a] * on_p(i) * on_p(j) + q[a] * on_q(i) * on_q(j);
        v_[i * size_ + j] = sum * scale_[i] * scale_[j];
      }
      gain_[i] *= scale_[i];
    }
  }

  // The minimum over 0 <= a <= cap, starting from a point near it.
  std::vector<double> minimum(std::vector<double> a, double cap) const {
    constexpr int kSweeps = 40;
    constexpr double kRidge = 1e-6;
    std::vector<double> left(gain_);  // gain - V a
    for (std::size_t i = 0; i < size_; ++i) {
      a[i] = std::min(a[i], cap) / scale_[i];
      if (a[i] == 0.0) continue;
      for (std::size_t j = 0; j < size_; ++j) left[j] -= a[i] * v_[i * size_ + j];
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double moved = 0.0, largest = 0.0;
      for (std::size_t i = 0; i < size_; ++i) {
        const double best = std::clamp(
            a[i] + (left[i] - kRidge * a[i]) / (v_[i * size_ + i] + kRidge), 0.0, cap / scale_[i]);
        const double step = best - a[i];
        if (step == 0.0) continue;
        a[i] = best;
        for (std::size_t j = 0; j < size_; ++j) left[j] -= step * v_[i * size_ + j];
        moved = std::max(moved, std::abs(step));
        largest = std::max(largest, best);
      }
      if (moved <= 1e-3 * largest) break;
    }
    for (std::size_t i = 0; i < size_; ++i) a[i] *= scale_[i];
    return a;
  }

  struct Worth {
    double evidence = 0.0;  // over noise
    double reach = 0.0;     // the most that one run may lose, over noise
  };
  Worth worth(const std::vector<double>& a, const SideClaim& claim) const {
    double gain = 0.0, noise = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double x = a[i] / scale_[i];
      gain += x * gain_[i];
      for (std::size_t j = 0; j < size_; ++j) noise += x * v_[i * size_ + j] * a[j] / scale_[j];
    }
    double f = 0.0, g = 0.0;
    for (std::size_t i = 0; i < size_; i += 2) {
      f = std::max(f, a[i]);
      g = std::max(g, a[i + 1]);
    }
    noise = std::sqrt(std::max(noise, 1e-300));
    return {(gain - claim.offset * (f + g)) / noise, claim.slope * std::max(f, g) / noise};
  }

 private:
  std::size_t size_;
  std::vector<double> v_, gain_, scale_;
};

}  // namespace

std::vector<ClassWeight> best_weights(const SideClaim& claim, const ClassCounts& counts,
                                      double runs) {
  constexpr int kCaps = 8;
  constexpr double kStep = 0.4;
  constexpr double kWorse = 0.97;  // smaller caps are worse still
  const double reach = kReach * std::sqrt(runs);
  const WeightProgramme programme(claim, counts);
  std::vector<ClassWeight> out(counts.size());
  std::vector<double> best, a(2 * counts.size(), 0.0);
  double most = 0.0, cap = HUGE_VAL;
  for (int i = 0; i <= kCaps; ++i) {
    a = programme.minimum(std::move(a), cap);
    const double largest = *std::max_element(a.begin(), a.end());
    if (!(largest > 0.0)) return out;
    const auto worth = programme.worth(a, claim);
    const double evidence = worth.evidence * std::min(1.0, reach / worth.reach);
    if (evidence > most) {
      most = evidence;
      best = a;
    } else if (most > 0.0 && evidence < kWorse * most) {
      break;
    }
    cap = kStep * largest;
  }
  if (best.empty()) return out;
  const double unit = *std::max_element(best.begin(), best.end());
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = {best[2 * k] / unit, best[2 * k + 1] / unit};
  }
  return out;
}

double best_smoothness(const ClassCounts& counts) {
  if (counts.size() < 3) return 0.0;
  double best = 0.0, most = -HUGE_VAL;
  for (double smoothness = 0.25; smoothness < 1e9; smoothness *= 4.0) {
    const double evidence = smoothed(counts, smoothness).evidence;
    if (evidence > most) {
      most = evidence;
      best = smoothness;
    }
  }
  return best;
}

double weight_of_delta(const std::vector<ClassWeight>& weights) {
  double f = 0.0, g = 0.0;
  for (const ClassWeight& weight : weights) {
    f = std::max(f, weight.f);
    g = std::max(g, weight.g);
  }
  return f + g;
}

}  // namespace assay
