// Noisy selection: find the one of n candidates with the highest score.
//
// Neighbours: every score moves by at most 1. With compose = k selections share the level: k of pure mechanisms by
// pure_share.hpp, and k with Gaussian noise as one release of sensitivity sqrt(k). The errors are the mean difference between the best score and the
// chosen one, and the probability that they differ. Both are sums over the mechanism's probabilities (log_pmf).
#include <algorithm>
#include <cmath>
#include <memory>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/bench/memory.hpp"
#include "assay/auditors/bench/pure_share.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"

namespace assay::detail {
namespace {

struct SelectionSetting {
  std::int64_t candidates = 64;
  std::int64_t spread = 20;
  std::int64_t compose = 1;

  static void fields(auto&& visit) {
    using C = SelectionSetting;
    visit(field("candidates", &C::candidates, Range{2, 1024}, "n", "how many candidates"));
    visit(field("spread", &C::spread, Range{1, 1e6}, "",
                "scores are drawn uniformly from 0 to this, and the best score is this"));
    visit(compose_field(&C::compose));
  }
};

struct SelectionTask {
  ApproximateDp target;
  std::uint64_t seed;
  std::int64_t spread;
  std::int64_t compose;
  std::shared_ptr<PureShare> shares;

  std::vector<double> scores(std::int64_t candidates) const {
    ReplayStream random({seed, hash_purpose("bench/selection/data"), 0, 0, Phase::kCertify});
    std::vector<double> scores;
    for (std::int64_t i = 0; i < candidates; ++i) {
      scores.push_back(
          static_cast<double>(uniform_below(random, static_cast<std::uint64_t>(spread) + 1)));
    }
    // Its place is random, since the place distinguishes equal scores.
    scores[uniform_below(random, scores.size())] = static_cast<double>(spread);
    return scores;
  }
};

template <class M>
ReadyCandidate selection_ready(const std::string& id, const SelectionTask& task, std::int64_t size,
                               const M& mechanism) {
  const auto scores = std::make_shared<const std::vector<double>>(task.scores(size));
  const double best = *std::max_element(scores->begin(), scores->end());
  const auto log_pmf = mechanism.log_pmf(*scores);
  double shortfall = 0.0;
  double wrong = 0.0;
  for (std::size_t i = 0; i < scores->size(); ++i) {
    const double probability = portable_exp(log_pmf[i]);
    shortfall += probability * (best - (*scores)[i]);
    if ((*scores)[i] < best) wrong += probability;
  }
  ReadyCandidate ready;
  ready.level = mechanism.guarantee();
  ready.known = {shortfall, wrong};
  ready.work = [mechanism, scores, seed = task.seed,
                purpose = bench_purpose(id, size, "timing")](std::uint64_t repetition) {
    ReplayStream random({seed, purpose, repetition, 0, Phase::kCertify});
    mechanism.release(*scores, random);
  };
  ready.state_bytes = [mechanism] { return bytes_of(mechanism); };
  return ready;
}

Result<ReadyCandidate> prepare_noisy_max(const std::string& id, MaxNoise noise,
                                         const SelectionTask& task, std::int64_t size) {
  ReportNoisyMaxConfig config;
  config.answers = size;
  config.noise = noise;
  double scale = 0.0;
  PureLevel share;
  if (noise == MaxNoise::kGaussian) {
    ASSAY_TRY(check_delta(task.target));
    const double moved = root_up(task.compose);
    const auto least = ASSAY_TRY(noisy_max_scale(task.target, noise, {size, moved, false}));
    scale = least.value.value;
    config.epsilon = (1.0 - 1e-14) * 2.0 * std::sqrt(static_cast<double>(size)) / scale;
  } else {
    share = ASSAY_TRY(task.shares->of(task.compose));
    config.epsilon = share.epsilon;
    scale = 2.0 / config.epsilon;
  }
  auto ready = selection_ready(id, task, size, ASSAY_TRY(ReportNoisyMax::create(config)));
  ready.level = composed_guarantee(std::move(ready.level), share, "selections");
  if (noise == MaxNoise::kGaussian && task.compose > 1) {
    ready.level.level = task.target;
    ready.level.source += "; " + std::to_string(task.compose) + " selections as one release";
  }
  ready.parameters = {{"scale", number_text(scale)}};
  return ready;
}

template <class M>
Result<ReadyCandidate> prepare_weighted(const std::string& id, const SelectionTask& task,
                                        std::int64_t size) {
  SelectionConfig config;
  config.answers = size;
  const auto share = ASSAY_TRY(task.shares->of(task.compose));
  config.epsilon = share.epsilon;
  auto ready = selection_ready(id, task, size, ASSAY_TRY(M::create(config)));
  ready.level = composed_guarantee(std::move(ready.level), share, "selections");
  ready.parameters = {{"epsilon", number_text(config.epsilon)}};
  return ready;
}

BenchComparison selection_comparison(const SelectionSetting& setting, const ApproximateDp& target,
                                     std::uint64_t seed) {
  const SelectionTask task{target, seed, setting.spread, setting.compose,
                           std::make_shared<PureShare>(target)};
  BenchComparison comparison;
  comparison.size_name = "candidates";
  comparison.size = setting.candidates;
  comparison.least_size = 2;
  comparison.unit = "selection";
  comparison.measures = {{"mean shortfall", ErrorBy::kDistribution},
                         {"P(not the best)", ErrorBy::kDistribution}};
  comparison.relation = Relation::kAllAnswers;
  for (const auto& [noise, name] : enum_names(MaxNoise{})) {
    const std::string id = "noisy-max-" + std::string(name);
    comparison.candidates.push_back({id, [id, noise = noise, task](std::int64_t size) {
                                       return prepare_noisy_max(id, noise, task, size);
                                     }});
  }
  comparison.candidates.push_back({"permute-and-flip", [task](std::int64_t size) {
                                     return prepare_weighted<PermuteAndFlip>("permute-and-flip",
                                                                             task, size);
                                   }});
  comparison.candidates.push_back({"exponential", [task](std::int64_t size) {
                                     return prepare_weighted<ExponentialMechanism>("exponential",
                                                                                   task, size);
                                   }});
  return comparison;
}

}  // namespace

BenchGroup selection_group() {
  return group_of("selection", "the candidate of the highest score", selection_comparison);
}

}  // namespace assay::detail
