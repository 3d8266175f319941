#include "assay/auditors/best_arm/phase_tilt.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kMostSets = 64.0;
constexpr std::size_t kMostInSet = 16;

double weight(const PhasePlan& plan, std::size_t i, std::size_t k) {
  if (plan.weights.empty()) return i == k ? 1.0 : 0.0;
  return plan.weights[i * plan.values() + k];
}

double log_sum(double sum, double term) {
  return term == -kInfinity ? sum : log_add_exp(std::max(sum, term), std::min(sum, term));
}

}  // namespace

double PhaseTilt::slope(std::size_t i, std::size_t k) const {
  return sign_ * (weight(*plan_, arm_, k) - weight(*plan_, i, k));
}

double PhaseTilt::covariance(std::size_t i, std::size_t l) const {
  const auto& b = plan_->scales;
  if (plan_->weights.empty()) return b[arm_] * b[arm_] + (i == l ? b[i] * b[i] : 0.0);
  double sum = 0.0;
  for (std::size_t k = 0; k < b.size(); ++k) sum += slope(i, k) * slope(l, k) * b[k] * b[k];
  return sum;
}

// (1) by coordinates, from 0.
PhaseTilt::Set PhaseTilt::minimised(const std::vector<std::size_t>& members,
                                    std::span<const double> scores) const {
  constexpr int kPasses = 30;
  const std::size_t m = members.size();
  std::vector<double> mean, square;
  for (const std::size_t i : members) {
    mean.push_back(sign_ * (scores[arm_] - scores[i]));
    for (const std::size_t l : members) square.push_back(covariance(i, l));
  }
  std::vector<double> t(m, 0.0), product(m, 0.0);  // square t
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < m; ++i) {
      if (!(square[i * m + i] > 0.0)) continue;
      const double next = std::max(0.0, t[i] - (mean[i] + product[i]) / square[i * m + i]);
      for (std::size_t l = 0; l < m; ++l) product[l] += (next - t[i]) * square[l * m + i];
      t[i] = next;
    }
  }
  Set set;
  for (std::size_t i = 0; i < m; ++i) {
    if (t[i] == 0.0) continue;
    set.terms.push_back({members[i], t[i]});
    set.log_bound += t[i] * (mean[i] + 0.5 * product[i]);
  }
  return set;
}

std::optional<PhaseTilt> PhaseTilt::create(const PhasePlan& plan, std::span<const double> exact,
                                           int arm, PhaseFate fate) {
  const std::size_t arms = plan.active.size();
  const auto keep = static_cast<std::size_t>(plan.keep);
  const auto at = std::lower_bound(plan.active.begin(), plan.active.end(), arm);
  if (plan.noise != PhaseNoise::kGaussian || plan.faults != PhaseFaults{} || keep >= arms ||
      at == plan.active.end() || *at != arm) {
    return {};
  }
  const bool survives = fate == PhaseFate::kSurvives;
  PhaseTilt tilt(plan, exact, static_cast<std::size_t>(at - plan.active.begin()),
                 survives ? 1.0 : -1.0);
  const auto scores = plan.scores(exact);
  std::vector<std::size_t> rivals;  // those that hinder most come first
  for (std::size_t i = 0; i < arms; ++i) {
    if (i != tilt.arm_) rivals.push_back(i);
  }
  std::stable_sort(rivals.begin(), rivals.end(), [&](std::size_t a, std::size_t b) {
    return survives ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  const std::size_t spared = (survives ? keep : arms - keep) - 1;
  auto sets = static_cast<double>(spared + 1);
  if (sets > kMostSets) return {};
  std::size_t m = 1;
  while (m < kMostInSet && spared + m < rivals.size()) {
    const double more = sets * static_cast<double>(spared + m + 1) / static_cast<double>(m + 1);
    if (more > kMostSets) break;
    sets = more;
    ++m;
  }
  rivals.resize(spared + m);
  tilt.log_bound_ = -kInfinity;
  std::vector<char> chosen(rivals.size(), 0);
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(m), char{1});
  do {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      if (chosen[i] != 0) members.push_back(rivals[i]);
    }
    tilt.sets_.push_back(tilt.minimised(members, scores));
    tilt.log_bound_ = log_sum(tilt.log_bound_, tilt.sets_.back().log_bound);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return tilt;
}

std::vector<double> PhaseTilt::release(ReplayStream& random) const {
  const double level = log_bound_ + portable_log(random.uniform());
  double up_to = -kInfinity;
  const Set* drawn = &sets_.back();
  for (const Set& set : sets_) {
    up_to = log_sum(up_to, set.log_bound);
    if (!(up_to >= level)) continue;
    drawn = &set;
    break;
  }
  auto centre = exact_;
  for (const Term& term : drawn->terms) {
    for (std::size_t k = 0; k < centre.size(); ++k) {
      centre[k] += term.strength * slope(term.index, k) * plan_->scales[k] * plan_->scales[k];
    }
  }
  return plan_->release(centre, random);
}

double PhaseTilt::log_ratio(std::span<const double> released) const {
  const auto scores = plan_->scores(released);
  double sum = -kInfinity;
  for (const Set& set : sets_) {
    double exponent = 0.0;
    for (const Term& term : set.terms) {
      exponent += term.strength * sign_ * (scores[arm_] - scores[term.index]);
    }
    sum = log_sum(sum, exponent);
  }
  return sum - log_bound_;  // (2)
}

}  // namespace assay
