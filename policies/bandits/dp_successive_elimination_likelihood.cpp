#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/internal/legendre_tables.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/inputs/reward_stream.hpp"

namespace assay {
namespace {

using detail::ArmFate;

constexpr std::int64_t kMostArms = 64;

// Logarithm of a sum of exponentials, added term by term.
class LogSum {
 public:
  void add(double log_term) {
    if (log_term > largest_) {
      sum_ = sum_ * portable_exp(largest_ - log_term) + 1.0;
      largest_ = log_term;
    } else if (log_term > -kInfinity) {
      sum_ += portable_exp(log_term - largest_);
    }
  }
  double value() const { return sum_ > 0.0 ? largest_ + portable_log(sum_) : -kInfinity; }

 private:
  double largest_ = -kInfinity;
  double sum_ = 0.0;
};

// log((e^b - e^a)/(b - a)) for any a and b: the mean of an exponential between two values.
double log_exponential_mean(double a, double b) {
  const double gap = std::abs(b - a);
  if (gap == 0.0) return a;
  return std::max(a, b) + portable_log(-portable_expm1(-gap) / gap);
}

// The integrand of (6) in units of the noise scale. Its integral over the winner m is one over
//   prod_j p_j(x) sum_m f_m(x)/p_m(x),
// whose factors are all positive. Between neighbouring kinks m_j and m_j + w they are polynomials
// of degree at most N in e^x and e^-x, so that Gauss-Legendre converges at once. Far from all kinks
// the integrand is a single exponential. A position is a kink and an offset from it, because with
// little noise the rounding of absolute positions would matter.
class Integrand {
 public:
  struct Kink {
    double mean;
    double shift;  // 0 or w
  };

  Integrand(std::span<const double> means, double noise_scale, double width,
            std::span<const ArmFate> fates)
      : means_(means),
        fates_(fates),
        scale_(noise_scale),
        width_(width / noise_scale),
        exp_width_(portable_exp(-width_)),
        log_span_(portable_log(-portable_expm1(-width_))),
        base_(means.size()) {}

  double arms() const { return static_cast<double>(means_.size()); }

  std::vector<Kink> kinks() const {
    std::vector<Kink> out;
    for (const double mean : means_) out.insert(out.end(), {{mean, 0.0}, {mean, width_}});
    std::sort(out.begin(), out.end(), [this](const Kink& a, const Kink& b) {
      return a.mean / scale_ + a.shift < b.mean / scale_ + b.shift;
    });
    return out;
  }
  double distance(const Kink& from, const Kink& to) const {
    return (to.mean - from.mean) / scale_ + (to.shift - from.shift);
  }

  void move_to(const Kink& kink) {
    for (std::size_t j = 0; j < means_.size(); ++j) base_[j] = distance({means_[j], 0.0}, kink);
  }

  double log_at(double offset) const {
    double log_product = 0.0;
    double hazards = 0.0;
    for (std::size_t j = 0; j < means_.size(); ++j) {
      const double z = base_[j] + offset;
      switch (fates_[j]) {
        case ArmFate::kDropped:
          log_product += log_cdf(z - width_);
          break;
        case ArmFate::kOpen: {
          const double q = 0.5 * portable_exp(-std::abs(z));
          log_product += log_cdf(z);
          hazards += z < 0.0 ? 1.0 : q / (1.0 - q);
          break;
        }
        case ArmFate::kSurvives:
          add_survivor(z, log_product, hazards);
          break;
      }
    }
    return log_product + portable_log(hazards);
  }

 private:
  static double log_cdf(double z) {
    return z < 0.0 ? z - kLog2 : portable_log1p(-0.5 * portable_exp(-z));
  }

  // Adds F(z) - F(z - w), and f(z) divided by it, each without cancellation.
  void add_survivor(double z, double& log_product, double& hazards) const {
    if (z < 0.0) {
      log_product += z - kLog2 + log_span_;
      hazards += 1.0 / (1.0 - exp_width_);
    } else if (z > width_) {
      log_product += width_ - z - kLog2 + log_span_;
      hazards += exp_width_ / (1.0 - exp_width_);
    } else {
      const double above = 0.5 * portable_exp(-z);
      const double below = 0.5 * portable_exp(z - width_);
      log_product += portable_log1p(-(above + below));
      hazards += above / (1.0 - (above + below));
    }
  }

  std::span<const double> means_;
  std::span<const ArmFate> fates_;
  double scale_;
  double width_;
  double exp_width_;
  double log_span_;           // log(1 - e^-w)
  std::vector<double> base_;  // position of the current kink relative to each m_j
};

void add_panels(const Integrand& integrand, double from, double to, LogSum& total) {
  const double longest = std::min(1.0, 16.0 / integrand.arms());
  const double panels = std::ceil((to - from) / longest);
  const double half = 0.5 * (to - from) / panels;
  for (double k = 0.0; k < panels; k += 1.0) {
    const double middle = from + (2.0 * k + 1.0) * half;
    for (std::size_t i = 0; i < std::size(detail::kLegendreNode24); ++i) {
      total.add(integrand.log_at(middle + half * detail::kLegendreNode24[i]) +
                portable_log(half * detail::kLegendreWeight24[i]));
    }
  }
}

// The arms of one rotation: all that a transcript shows of a set of survivors.
struct Rotation {
  std::vector<int> arms;
  bool complete;  // false if the transcript ended first
};

// Reads a rotation that begins at `at`. Arms ascend within it. At its end they do not, since the
// next rotation is over the same arms or some of them.
Rotation read_rotation(const Transcript& actions, std::size_t at) {
  Rotation rotation{{actions[at]}, false};
  while (++at < actions.size()) {
    if (actions[at] <= rotation.arms.back()) {
      rotation.complete = true;
      break;
    }
    rotation.arms.push_back(actions[at]);
  }
  return rotation;
}

Status check_transcript(const DpSuccessiveEliminationConfig& config, const Transcript& actions,
                        std::span<const double> rewards) {
  ASSAY_TRY(validate(config));
  if (config.arms > kMostArms) {
    return fail(ErrorCode::kLimit,
                "arms must be at most 64 for the likelihood, not " + std::to_string(config.arms),
                "/arms");
  }
  if (actions.size() != rewards.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "a transcript needs one reward per action: " + std::to_string(actions.size()) +
                    " actions, " + std::to_string(rewards.size()) + " rewards",
                "/rewards");
  }
  if (static_cast<std::int64_t>(actions.size()) > config.horizon) {
    return fail(ErrorCode::kInvalidArgument,
                "a transcript has at most horizon = " + std::to_string(config.horizon) +
                    " actions, not " + std::to_string(actions.size()),
                "/actions");
  }
  for (std::size_t t = 0; t < actions.size(); ++t) {
    if (actions[t] < 0 || actions[t] >= config.arms) {
      return fail(ErrorCode::kInvalidArgument,
                  "action " + std::to_string(t + 1) + " must be 0 to " +
                      std::to_string(config.arms - 1) + ", not " + std::to_string(actions[t]),
                  "/actions");
    }
  }
  return rewards.empty() ? Status{} : check_rewards(rewards);
}

// Sets the fate of each arm of `active` by the next rotation. False for an impossible rotation.
bool read_fates(const std::vector<int>& active, const Rotation& next, std::vector<ArmFate>& fates) {
  fates.assign(active.size(), ArmFate::kDropped);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (seen < next.arms.size() && active[i] == next.arms[seen]) {
      fates[i] = ArmFate::kSurvives;
      ++seen;
    } else if (seen == next.arms.size() && !next.complete) {
      fates[i] = ArmFate::kOpen;
    }
  }
  return seen == next.arms.size();
}

}  // namespace

double detail::log_survivor_probability(std::span<const double> means, double noise_scale,
                                        double width, std::span<const ArmFate> fates) {
  // Beyond this distance from every kink, all but a pure exponential is below e^-40.
  constexpr double kReach = 40.0;
  if (std::all_of(fates.begin(), fates.end(), [](ArmFate f) { return f == ArmFate::kDropped; })) {
    return -kInfinity;  // the largest survives
  }
  Integrand integrand(means, noise_scale, width, fates);
  const auto kinks = integrand.kinks();
  LogSum total;
  integrand.move_to(kinks.front());
  total.add(integrand.log_at(0.0) - portable_log(integrand.arms()));  // below it, e^(N x)
  for (std::size_t i = 0; i + 1 < kinks.size(); ++i) {
    const double length = integrand.distance(kinks[i], kinks[i + 1]);
    integrand.move_to(kinks[i]);
    if (length <= 2.0 * kReach) {
      if (length > 0.0) add_panels(integrand, 0.0, length, total);
      continue;
    }
    add_panels(integrand, 0.0, kReach, total);
    const double log_low = integrand.log_at(kReach);
    integrand.move_to(kinks[i + 1]);
    add_panels(integrand, -kReach, 0.0, total);
    total.add(log_exponential_mean(log_low, integrand.log_at(-kReach)) +
              portable_log(length - 2.0 * kReach));
  }
  integrand.move_to(kinks.back());
  add_panels(integrand, 0.0, kReach, total);
  return std::min(total.value(), 0.0);
}

Result<double> log_likelihood(const DpSuccessiveEliminationConfig& config,
                              const Transcript& actions, std::span<const double> rewards) {
  ASSAY_TRY(check_transcript(config, actions, rewards));
  std::vector<int> active;
  for (int arm = 0; arm < config.arms; ++arm) active.push_back(arm);
  std::vector<ArmFate> fates;
  double log_probability = 0.0;
  std::size_t t = 0;
  for (std::int64_t epoch = 1; active.size() > 1; ++epoch) {
    const auto shape =
        detail::elimination_epoch(config, epoch, static_cast<std::int64_t>(active.size()));
    std::vector<double> means(active.size(), 0.0);
    for (std::int64_t pull = 0; pull < shape.pulls; ++pull) {
      for (std::size_t i = 0; i < active.size(); ++i, ++t) {
        if (t == actions.size()) return log_probability;
        if (actions[t] != active[i]) return -kInfinity;
        means[i] += rewards[t];
      }
    }
    if (t == actions.size()) return log_probability;
    for (double& mean : means) mean /= static_cast<double>(shape.pulls);
    const auto next = read_rotation(actions, t);
    if (!read_fates(active, next, fates)) return -kInfinity;
    log_probability +=
        detail::log_survivor_probability(means, shape.noise_scale, shape.width, fates);  // (6)
    if (!next.complete) return log_probability;
    active = next.arms;
  }
  const bool played_on = std::all_of(actions.begin() + static_cast<std::ptrdiff_t>(t),
                                     actions.end(), [&](int a) { return a == active[0]; });
  return played_on ? log_probability : -kInfinity;
}

}  // namespace assay
