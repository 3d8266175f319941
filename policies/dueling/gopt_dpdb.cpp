#include "assay/policies/dueling/gopt_dpdb.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay {
namespace {

constexpr double kBallTolerance = 1e-9;

double log_failures(const GOptDpdbConfig& config) {  // log(1/delta)
  const double delta =
      config.delta > 0.0 ? config.delta : std::min(0.5, 1.0 / static_cast<double>(config.horizon));
  return -portable_log(delta);
}

double log_horizon(const GOptDpdbConfig& config) {
  return portable_log(static_cast<double>(config.horizon));
}

double scale_of(const GOptDpdbConfig& config) {
  const detail::Enclosure factor =
      config.noise == CountNoise::kProof
          ? detail::log(detail::Enclosure(static_cast<double>(config.horizon)))
          : detail::Enclosure(1.0);
  return (factor / config.epsilon).high;  // (2)
}

Status check_unit_ball(const ArmFeatures& features) {
  for (std::int64_t i = 0; i < features.arms; ++i) {
    const double norm = std::sqrt(detail::dot(features.of(i), features.of(i)));
    if (norm <= 1.0 + kBallTolerance) continue;
    return fail(ErrorCode::kInvalidArgument,
                "the features of arm " + std::to_string(i) +
                    " must lie in the unit ball: their norm is " + number_text(norm),
                "/features");
  }
  return {};
}

bool are_equal(const ArmFeatures& features, int i, int j) {
  const auto a = features.of(i);
  return std::equal(a.begin(), a.end(), features.of(j).begin());
}

}  // namespace

Status GOptDpdbConfig::check() const {
  if (noise == CountNoise::kProof && horizon < 3) {
    return fail(
        ErrorCode::kInvalidArgument,
        "noise = proof needs horizon to be at least 3, so that log(T) is above 1; horizon is " +
            std::to_string(horizon),
        "/horizon");
  }
  return {};
}

double kappa_value(Kappa kappa) {
  const double p = logistic(kappa == Kappa::kListing ? 4.0 : 2.0);
  return p * (1.0 - p);
}

std::int64_t gopt_phase_length(const GOptDpdbConfig& config, std::int64_t phase) {
  const double kappa = kappa_value(config.kappa);
  const double xi = std::ldexp(1.0, -static_cast<int>(std::min<std::int64_t>(phase, 500)));
  const auto d = static_cast<double>(config.dimension);
  const double log_cases = log_horizon(config) + log_failures(config);
  const double length =
      16.0 * d * d * d * d * d * (portable_log(d) + log_cases) / (kappa * config.epsilon * xi) +
      64.0 * d * log_cases / (kappa * kappa * xi * xi);
  return static_cast<std::int64_t>(std::min(std::ceil(config.phase_scale * length), 1e15));  // (1)
}

double stated_initial_draws(const GOptDpdbConfig& config) {
  const double kappa = kappa_value(config.kappa);
  const auto d = static_cast<double>(config.dimension);
  return 16.0 * d * (d * d + log_horizon(config) + log_failures(config)) /
         (kappa * kappa * kappa * kappa);
}

DuelPlan detail::duel_plan(const ArmFeatures& features, std::span<const int> items,
                           std::int64_t length) {
  // Every pair that differs. Those with the first item are also needed for the positions.
  std::vector<Duel> pairs;
  ArmFeatures differences{0, features.dimension, {}};
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = i + 1; j < items.size(); ++j) {
      if (are_equal(features, items[i], items[j])) continue;
      pairs.push_back({items[i], items[j]});
      const auto x = features.of(items[i]);
      const auto y = features.of(items[j]);
      for (std::size_t k = 0; k < x.size(); ++k) differences.values.push_back(x[k] - y[k]);
      ++differences.arms;
    }
  }
  ASSAY_CHECK(!pairs.empty(), "some two items differ");
  const ArmFeatures spanned = in_their_span(differences, all_arms(differences.arms));
  const GOptimalDesign design = g_optimal_design(spanned, kGOptimalGap);

  DuelPlan plan;
  plan.items.assign(items.begin(), items.end());
  plan.gap = design.gap;
  plan.rank = spanned.dimension;
  plan.differences.dimension = plan.rank;
  plan.positions = {static_cast<std::int64_t>(items.size()), plan.rank,
                    std::vector<double>(items.size() * static_cast<std::size_t>(plan.rank), 0.0)};
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    const auto z = spanned.of(static_cast<std::int64_t>(c));
    if (pairs[c].first == items[0]) {
      const auto place = std::find(items.begin(), items.end(), pairs[c].second) - items.begin();
      const auto position = plan.positions.of(place);
      for (std::size_t k = 0; k < z.size(); ++k) position[k] = -z[k];
    }
    const double weight = design.weights[c];
    if (weight == 0.0) continue;
    plan.pairs.push_back(pairs[c]);
    plan.weights.push_back(weight);
    plan.pulls.push_back(
        static_cast<std::int64_t>(std::ceil(static_cast<double>(length) * weight)));
    plan.differences.values.insert(plan.differences.values.end(), z.begin(), z.end());
    ++plan.differences.arms;
  }
  return plan;
}

// Makes one plan for each set of items that some copy of a policy reaches.
class detail::DuelPlans {
 public:
  std::shared_ptr<const DuelPlan> of(const GOptDpdbConfig& config, const ArmFeatures& features,
                                     std::int64_t phase, const std::vector<int>& items) {
    const std::lock_guard lock(mutex_);
    auto& plan = plans_[{phase, items}];
    if (plan != nullptr) return plan;
    auto made = std::make_shared<const DuelPlan>(
        duel_plan(features, items, gopt_phase_length(config, phase)));
    if (plans_.size() > kMostKept) {
      plans_.clear();
      return made;
    }
    return plan = std::move(made);
  }

 private:
  static constexpr std::size_t kMostKept = 1024;

  std::mutex mutex_;
  std::map<std::pair<std::int64_t, std::vector<int>>, std::shared_ptr<const DuelPlan>> plans_;
};

Result<GOptDpdb> GOptDpdb::create(const Config& config) {
  ASSAY_TRY(validate(config));
  if (config.features == FeatureKind::kLine && config.arms > 2) {
    return fail(
        ErrorCode::kInvalidArgument,
        "must be sphere or basis, or items must be given: arms on a line leave the unit ball "
        "from the third on",
        "/features");
  }
  const auto features =
      ASSAY_TRY(generated_features(config.features, config.arms, config.dimension,
                                   static_cast<std::uint64_t>(config.feature_seed)));
  ASSAY_TRY(check_unit_ball(features));
  return GOptDpdb(config, std::make_shared<const ArmFeatures>(features));
}

Result<GOptDpdb> GOptDpdb::create(const Config& config, const ArmFeatures& features) {
  Config of_features = config;
  of_features.arms = features.arms;
  of_features.dimension = features.dimension;
  of_features.features = FeatureKind::kGiven;
  ASSAY_TRY(validate(of_features));
  ASSAY_TRY(check_features(features));
  ASSAY_TRY(check_unit_ball(features));
  return GOptDpdb(of_features, std::make_shared<const ArmFeatures>(features));
}

GOptDpdb::GOptDpdb(const Config& config, std::shared_ptr<const ArmFeatures> features)
    : PolicyOf(config),
      features_(std::move(features)),
      plans_(std::make_shared<detail::DuelPlans>()),
      noise_scale_(scale_of(config)) {
  for (int item = 0; item < config.arms; ++item) active_.push_back(item);
  start_phase();
  first_plan_ = plan_;
}

Guarantee GOptDpdb::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOnePreferences, View::kActions,
          config_.noise == CountNoise::kListing
              ? "DP-Dueling, Theorem 3: Laplace(1/eps) on each pair's wins of a phase"
              : "DP-Dueling, Theorem 3, with the Laplace(log(T)/eps) of its proof"};
}

double GOptDpdb::spent_epsilon() const { return (detail::Enclosure(1.0) / noise_scale_).high; }

Duel GOptDpdb::choose(ReplayStream& random) {
  ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
  if (active_.size() == 1) return {active_[0], active_[0]};
  if (draws_left_ == 0) return plan_->pairs[slot_];
  const double at = random.uniform();
  double below = 0.0;
  std::size_t c = 0;
  while (c + 1 < first_plan_->pairs.size() && (below += first_plan_->weights[c]) <= at) ++c;
  return first_plan_->pairs[c];
}

void GOptDpdb::observe(bool won, ReplayStream& random) {
  ASSAY_CHECK(round_ < config_.horizon, "observe follows an action, T times");
  ++round_;
  if (active_.size() == 1) return;
  if (draws_left_ > 0) {
    --draws_left_;
    return;
  }
  wins_[slot_] += won ? 1 : 0;
  if (--pulls_left_ > 0) return;
  if (++slot_ < plan_->pairs.size()) {
    pulls_left_ = plan_->pulls[slot_];
  } else if (round_ < config_.horizon) {
    finish_phase(random);
  }
}

void GOptDpdb::start_phase() {
  // If all items coincide, their duels give no information.
  const bool coincide = std::all_of(active_.begin(), active_.end(), [this](int item) {
    return are_equal(*features_, active_[0], item);
  });
  if (coincide) active_.resize(1);
  if (active_.size() == 1) {
    plan_ = nullptr;
    return;
  }
  plan_ = plans_->of(config_, *features_, phase_, active_);
  wins_.assign(plan_->pairs.size(), 0);
  slot_ = 0;
  pulls_left_ = plan_->pulls[0];
  draws_left_ = config_.initial_draws;
}

void GOptDpdb::finish_phase(ReplayStream& random) {
  const Laplace noise = Laplace::create(0.0, noise_scale_).value();
  release_ = {phase_, plan_, {}, {}};
  for (const std::int64_t wins : wins_) {
    release_.noisy_wins.push_back(static_cast<double>(wins) + noise.sample(random));  // (2)
  }
  const std::vector<double> duels(plan_->pulls.begin(), plan_->pulls.end());
  release_.scores = solve_scores(plan_->differences, duels, release_.noisy_wins);  // (3)
  std::vector<double> scores;
  for (std::int64_t i = 0; i < plan_->positions.arms; ++i) {
    scores.push_back(detail::dot(plan_->positions.of(i), release_.scores.w));
  }
  const double best = *std::max_element(scores.begin(), scores.end());
  const double xi = std::ldexp(1.0, -static_cast<int>(phase_));
  active_.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (best - scores[i] < 2.0 * xi) active_.push_back(plan_->items[i]);  // (4)
  }
  ++phase_;
  start_phase();
}

}  // namespace assay
