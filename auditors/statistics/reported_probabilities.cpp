#include "assay/auditors/statistics/reported_probabilities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace {

// ------------------------------------------------------------------- the family of alternatives

constexpr double kPowers[] = {-0.5, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.5};
constexpr double kMixtures[] = {0.01, 0.05, 0.2};
constexpr double kRewardTilts[] = {-1.0, -0.2, -0.05, 0.05, 0.2, 1.0};
constexpr double kNeighbourShares[] = {1.0, 0.5};
constexpr std::size_t kFamilySize = std::size(kPowers) + std::size(kMixtures) +
                                    std::size(kRewardTilts) + std::size(kNeighbourShares);

// log g(a) - log pi(a) for g ~ pi exp(tilt): tilt(a) - log sum_b pi(b) exp(tilt(b)).
template <class Tilt>
double log_tilt_ratio(std::span<const double> log_pi, int action, Tilt&& tilt) {
  const auto log_tilted = [&](std::size_t b) {
    return log_pi[b] > -kInfinity ? log_pi[b] + tilt(b) : -kInfinity;
  };
  double largest = -kInfinity;
  for (std::size_t b = 0; b < log_pi.size(); ++b) largest = std::max(largest, log_tilted(b));
  double sum = 0.0;
  for (std::size_t b = 0; b < log_pi.size(); ++b) sum += portable_exp(log_tilted(b) - largest);
  const double log_norm = largest + portable_log(sum);
  return tilt(static_cast<std::size_t>(action)) - log_norm;
}

double log_mixture_ratio(double share, double log_other, double log_pi) {
  const double log_part = portable_log(share) + log_other - log_pi;
  return share < 1.0 ? log_add_exp(portable_log1p(-share), log_part) : log_part;
}

double log_mean_exp(std::span<const double> logs) {
  double sum = -kInfinity;
  for (const double x : logs) sum = log_add_exp(sum, x);
  return sum - portable_log(static_cast<double>(logs.size()));
}

// ------------------------------------------------------------------------- agreement

constexpr double kLevels[] = {-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0};
constexpr int kStakes = 7;  // 1/2, 1/4, ... of the largest, for each sign

}  // namespace

EvidenceAgainst::EvidenceAgainst(double alpha) : alpha_(alpha) {
  ASSAY_CHECK(alpha > 0.0 && alpha < 1.0, "alpha must lie in (0, 1)");
}

void EvidenceAgainst::note(double log_e_value) {
  log_largest_ = std::max(log_largest_, log_e_value);
}

double EvidenceAgainst::e_value() const {
  return std::min(portable_exp(log_largest_), std::numeric_limits<double>::max());
}

bool EvidenceAgainst::alarm() const { return log_largest_ >= -portable_log(alpha_); }

ReportedProbabilityTest::ReportedProbabilityTest(double alpha)
    : log_wealth_(kFamilySize, 0.0), evidence_(alpha) {}

void ReportedProbabilityTest::round(std::span<const double> log_pi,
                                    std::span<const double> log_pi_neighbour,
                                    std::span<const double> lagged_rewards, int action) {
  ASSAY_CHECK(action >= 0 && static_cast<std::size_t>(action) < log_pi.size(),
              "the action must be one of those with a reported probability");
  const auto drawn = static_cast<std::size_t>(action);
  if (!(log_pi[drawn] > -kInfinity)) {  // an action with reported probability 0
    std::fill(log_wealth_.begin(), log_wealth_.end(), kInfinity);
  }
  if (log_wealth_.front() == kInfinity) return;
  auto wealth = log_wealth_.begin();
  for (const double k : kPowers) {
    *wealth++ += log_tilt_ratio(log_pi, action, [&](std::size_t b) { return k * log_pi[b]; });
  }
  const double log_uniform = -portable_log(static_cast<double>(log_pi.size()));
  for (const double share : kMixtures) {
    *wealth++ += log_mixture_ratio(share, log_uniform, log_pi[drawn]);
  }
  for (const double k : kRewardTilts) {
    const double ratio =
        lagged_rewards.empty()
            ? 0.0
            : log_tilt_ratio(log_pi, action, [&](std::size_t b) { return k * lagged_rewards[b]; });
    *wealth++ += ratio;
  }
  for (const double share : kNeighbourShares) {
    *wealth++ += log_pi_neighbour.empty()
                     ? 0.0
                     : log_mixture_ratio(share, log_pi_neighbour[drawn], log_pi[drawn]);
  }
}

void ReportedProbabilityTest::end_transcript() {
  ++transcripts_;
  evidence_.note(log_mean_exp(log_wealth_));
}

void ReportedProbabilityTest::append(const ReportedProbabilityTest& later) {
  for (std::size_t i = 0; i < log_wealth_.size(); ++i) {
    const double sum = log_wealth_[i] + later.log_wealth_[i];
    // Impossible once is impossible for good; -inf + inf comes from a bankrupt alternative before it.
    log_wealth_[i] = std::max(log_wealth_[i], later.log_wealth_[i]) == kInfinity ? kInfinity : sum;
  }
  transcripts_ += later.transcripts_;
  evidence_.note(log_mean_exp(log_wealth_));
}

AgreementTest::AgreementTest(double alpha)
    : log_wealth_(std::size(kLevels) * 2 * kStakes, 0.0), evidence_(alpha) {}

void AgreementTest::observe(std::span<const double> losses_under_p,
                            std::span<const double> losses_under_q) {
  // Stakes of at most half the largest keep a factor in [1/2, 3/2 + e^|c|/2]: 64 cannot overflow.
  constexpr std::size_t kChunk = 64;
  const std::size_t pairs = std::min(losses_under_p.size(), losses_under_q.size());
  std::array<double, kChunk> difference;
  for (std::size_t first = 0; first < pairs; first += kChunk) {
    const std::size_t count = std::min(kChunk, pairs - first);
    auto wealth = log_wealth_.begin();
    for (const double c : kLevels) {
      for (std::size_t i = 0; i < count; ++i) {
        const double x = portable_exp(std::min(0.0, c - losses_under_p[first + i]));
        const double y = portable_exp(std::min(losses_under_q[first + i], c));
        difference[i] = x - y;
      }
      for (const double largest : {1.0, -1.0}) {
        double lambda = 0.5 * (largest > 0.0 ? portable_exp(-c) : largest);
        for (int s = 0; s < kStakes; ++s, lambda *= 0.5) {
          double product = 1.0;
          for (std::size_t i = 0; i < count; ++i) product *= 1.0 + lambda * difference[i];  // (3)
          *wealth++ += portable_log(product);
        }
      }
    }
  }
  evidence_.note(log_mean_exp(log_wealth_));
}

}  // namespace assay
