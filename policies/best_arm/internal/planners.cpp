#include "assay/policies/best_arm/internal/planners.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay::detail {
namespace {

// Far above the gaps of computed designs, and far below any gap that would matter to a policy.
constexpr double kMostDesignGap = 1e-3;

// All arms in coordinates of their span. No subset has a larger rank, and budgets depend on that.
Result<ArmFeatures> reduced(const ArmFeatures& features) {
  auto out = in_their_span(features, all_arms(features.arms));
  if (out.dimension > 0) return out;
  return fail(ErrorCode::kInvalidArgument, "the features of all arms are 0", "/features");
}

// The most numbers that all plans of a planner hold together: 32 MB.
constexpr std::size_t kMostKeptNumbers = 4'000'000;

// Keeps the plans that it has made, up to a limit, because runs often meet the same active sets.
class KeepingPlanner : public PhasePlanner {
 public:
  std::int64_t phases() const override { return setting_.schedule.phases(); }

  std::shared_ptr<const PhasePlan> plan(std::int64_t phase,
                                        std::span<const int> active) const override {
    ASSAY_CHECK(static_cast<std::int64_t>(active.size()) ==
                    setting_.schedule.sizes[static_cast<std::size_t>(phase)],
                "as many active arms as the phase has");
    ASSAY_CHECK(std::is_sorted(active.begin(), active.end(), std::less_equal<>()) &&
                    active.front() >= 0 && active.back() < setting_.schedule.sizes.front(),
                "active arms ascend");
    std::pair key{phase, std::vector<int>(active.begin(), active.end())};
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    }
    auto made = std::make_shared<const PhasePlan>(make(phase, active));
    const std::size_t numbers = 2 * active.size() + made->weights.size() + made->moments.size();
    const std::lock_guard lock(mutex_);
    if (numbers_ + numbers > kMostKeptNumbers) return made;
    const auto [kept, is_new] = plans_.emplace(std::move(key), std::move(made));
    if (is_new) numbers_ += numbers;
    return kept->second;
  }

  // Errors of create.
  Status check(double most_certificate) const {
    ASSAY_TRY(check_budget(setting_.schedule, needs(), setting_.budget));
    const auto first = plan(0, all_arms(setting_.schedule.sizes.front()));
    if (first->certificate <= most_certificate) return {};
    return fail(ErrorCode::kNumerical,
                "the features are nearly dependent: the certificate of the first phase is " +
                    number_text(first->certificate) + ", above " + number_text(most_certificate),
                "/features");
  }

 protected:
  explicit KeepingPlanner(const PlannerSetting& setting)
      : setting_(setting), budgets_(phase_budgets(setting.schedule, setting.budget)) {}
  virtual PhasePlan make(std::int64_t phase, std::span<const int> active) const = 0;
  // The most arms that each phase may have to pull.
  virtual std::vector<std::int64_t> needs() const = 0;

  PlannerSetting setting_;
  std::vector<std::int64_t> budgets_;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int64_t, std::vector<int>>, std::shared_ptr<const PhasePlan>>
      plans_;
  mutable std::size_t numbers_ = 0;  // of plans_
};

class MeansPlanner final : public KeepingPlanner {
 public:
  MeansPlanner(const PlannerSetting& setting, ArmFeatures features)
      : KeepingPlanner(setting), features_(std::move(features)) {}

 private:
  std::vector<std::int64_t> needs() const override {
    std::vector<std::int64_t> out(setting_.schedule.sizes.begin(),
                                  setting_.schedule.sizes.end() - 1);
    for (auto& need : out) {
      if (is_low(features_.dimension, need)) need = features_.dimension;
    }
    return out;
  }

  PhasePlan make(std::int64_t phase, std::span<const int> active) const override {
    PhasePlan out;
    out.active.assign(active.begin(), active.end());
    out.pulled = out.active;
    out.keep = setting_.schedule.sizes[static_cast<std::size_t>(phase) + 1];
    if (features_.dimension > 0) choose_collection(out);
    out.pulls = even_pulls(budgets_[static_cast<std::size_t>(phase)],
                           static_cast<std::int64_t>(out.pulled.size()));
    ASSAY_CHECK(out.pulls.back() > 0, "the budget gives every arm a pull");
    out.noise = setting_.noise;
    if (out.noise == PhaseNoise::kNone) return out;
    for (const auto pulls : out.pulls) {
      out.scales.push_back(setting_.scale / static_cast<double>(pulls));
    }
    return out;
  }

  // d < sqrt(s). A dimension of 0 means that there are no features.
  static bool is_low(std::int64_t dimension, std::int64_t arms) {
    return dimension > 0 && dimension * dimension < arms;
  }

  void choose_collection(PhasePlan& out) const {
    const auto arms = static_cast<std::int64_t>(out.active.size());
    const ArmFeatures vectors = in_their_span(features_, out.active);
    if (!is_low(vectors.dimension, arms)) return;
    auto collection = max_det_collection(vectors);
    out.pulled.clear();
    for (const int member : collection.members) {
      out.pulled.push_back(out.active[static_cast<std::size_t>(member)]);
    }
    out.weights = std::move(collection.coordinates);
    out.certificate = collection.largest;
  }

  ArmFeatures features_;  // none means that every phase pulls all arms
};

class MomentsPlanner final : public KeepingPlanner {
 public:
  MomentsPlanner(const PlannerSetting& setting, ArmFeatures features, MomentNorm norm)
      : KeepingPlanner(setting), features_(std::move(features)), norm_(norm) {}

 private:
  // As many arms as can have weight in a design.
  std::vector<std::int64_t> needs() const override {
    std::vector<std::int64_t> out(setting_.schedule.sizes.begin(),
                                  setting_.schedule.sizes.end() - 1);
    const std::int64_t most = features_.dimension * (features_.dimension + 1) / 2;
    for (auto& need : out) need = std::min(need, most);
    return out;
  }

  PhasePlan make(std::int64_t phase, std::span<const int> active) const override {
    PhasePlan out;
    out.active.assign(active.begin(), active.end());
    out.keep = setting_.schedule.sizes[static_cast<std::size_t>(phase) + 1];
    const ArmFeatures vectors = in_their_span(features_, active);
    const auto design = g_optimal_design(vectors);
    out.certificate = design.gap;
    const auto pulls =
        proportional_pulls(budgets_[static_cast<std::size_t>(phase)], design.weights);
    std::vector<double> counts(pulls.begin(), pulls.end());
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      if (pulls[i] == 0) continue;
      chosen.push_back(static_cast<std::int64_t>(i));
      out.pulled.push_back(out.active[i]);
      out.pulls.push_back(pulls[i]);
    }
    const auto d = static_cast<std::size_t>(vectors.dimension);
    for (std::size_t k = 0; k < d; ++k) {
      for (const auto i : chosen) out.moments.push_back(vectors.of(i)[k]);
    }
    out.weights = least_squares(vectors, counts);
    double longest = 0.0;
    for (std::int64_t i = 0; i < vectors.arms; ++i) {
      longest = std::max(longest, norm_of(vectors.of(i)));
    }
    out.noise = setting_.noise;
    if (out.noise != PhaseNoise::kNone) out.scales.assign(d, setting_.scale * longest);
    return out;
  }

  double norm_of(std::span<const double> a) const {
    double sum = 0.0;
    for (const double x : a) sum += norm_ == MomentNorm::kL1 ? std::fabs(x) : x * x;
    return norm_ == MomentNorm::kL1 ? sum : std::sqrt(sum);
  }

  ArmFeatures features_;
  MomentNorm norm_;
};

Planner checked(std::shared_ptr<const KeepingPlanner> planner, double most_certificate) {
  ASSAY_TRY(planner->check(most_certificate));
  return planner;
}

}  // namespace

Planner make_means_planner(const PlannerSetting& setting, const ArmFeatures* features) {
  ArmFeatures own;
  if (features != nullptr) own = ASSAY_TRY(reduced(*features));
  return checked(std::make_shared<MeansPlanner>(setting, std::move(own)), 1.0 + kMaxDetTolerance);
}

Planner make_moments_planner(const PlannerSetting& setting, const ArmFeatures& features,
                             MomentNorm norm) {
  auto own = ASSAY_TRY(reduced(features));
  return checked(std::make_shared<MomentsPlanner>(setting, std::move(own), norm), kMostDesignGap);
}

}  // namespace assay::detail
