// Integer answers with independent noise.
//
// Neighbours: replacing one record moves m of the n answers by at most 1 each. These are all answers, or with
// query = histogram two (one if there is only one). With compose = k such releases share the level: m counts the answers
// of all of them, and all below holds as for one release. Laplace noise is calibrated as m releases of one answer
// (pure_share.hpp), which at delta = 0 is noise m/eps. A vector mechanism then has the sensitivity m and the level
// m e0 in its configuration, and the noise of each answer is that of level e0: its grid divides 1, so that an
// answer moves by 1/g steps, and its scale is M/(m e0) >= 1/(g e0) steps. Gaussian noise has the L2 sensitivity
// sqrt(m); on integers it is calibrated as m releases of one answer (accounting/account/composed_calibration.hpp). On a
// grid that divides 1 it is noise on integers, too, which moves by 1/g steps, as a group of so many records: so it is
// accounted for (account.hpp), where the grid has at most 2000 steps to sigma, and else by zCDP.
#include <cmath>
#include <memory>
#include <optional>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/bench/memory.hpp"
#include "assay/auditors/bench/noise_errors.hpp"
#include "assay/auditors/bench/pure_share.hpp"
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/idealized/gaussian_mechanism.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"
#include "assay/mechanisms/release/gaussian_mechanism.hpp"
#include "assay/mechanisms/release/laplace_mechanism.hpp"
#include "assay/mechanisms/release/snapped_laplace.hpp"

namespace assay::detail {
namespace {

enum class AnswersQuery { kCounts, kHistogram };
constexpr std::array<std::pair<AnswersQuery, std::string_view>, 2> enum_names(AnswersQuery) {
  return {{{AnswersQuery::kCounts, "counts"}, {AnswersQuery::kHistogram, "histogram"}}};
}

struct AdditiveSetting {
  std::int64_t answers = 100;
  AnswersQuery query = AnswersQuery::kCounts;
  std::int64_t compose = 1;

  static void fields(auto&& visit) {
    using C = AdditiveSetting;
    visit(field("answers", &C::answers, Range{1, 100'000}, "n", "how many answers"));
    visit(field("query", &C::query, Range{}, "",
                "counts: a record can be in all of them; histogram: in one"));
    visit(compose_field(&C::compose));
  }
};

constexpr std::int64_t kMostCount = 1000;

// Data that all candidates of a comparison share.
struct AdditiveTask {
  ApproximateDp target;
  std::uint64_t seed;
  AnswersQuery query;
  std::int64_t compose;
  std::shared_ptr<PureShare> shares;

  // In all releases that share the level.
  std::int64_t moved(std::int64_t answers) const {
    return compose *
           (query == AnswersQuery::kCounts ? answers : std::min<std::int64_t>(answers, 2));
  }
  std::vector<std::int64_t> data(std::int64_t answers) const {
    ReplayStream random({seed, hash_purpose("bench/additive/data"), 0, 0, Phase::kCertify});
    std::vector<std::int64_t> counts;
    for (std::int64_t i = 0; i < answers; ++i) {
      counts.push_back(static_cast<std::int64_t>(
          uniform_below(random, static_cast<std::uint64_t>(kMostCount) + 1)));
    }
    return counts;
  }
};

// All answers of a release, by a mechanism for vectors or by one release for each answer.
template <class M, class Number>
void release_all(const M& mechanism, const std::vector<Number>& answers, ReplayStream& random,
                 std::vector<Number>& out) {
  if constexpr (requires { mechanism.release(std::span<const Number>(answers), random); }) {
    out = mechanism.release(std::span<const Number>(answers), random);
  } else {
    out.resize(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      out[i] = mechanism.release(answers[i], random);
    }
  }
}

template <class Number, class M>
ReadyCandidate additive_ready(const std::string& id, const AdditiveTask& task, std::int64_t size,
                              const M& mechanism, Guarantee level, const NoiseErrors& errors) {
  const auto counts = task.data(size);
  const auto answers = std::make_shared<const std::vector<Number>>(counts.begin(), counts.end());
  ReadyCandidate ready;
  ready.level = std::move(level);
  ready.known = {errors.root_mean_square, errors.mean_size};
  ready.units = size;
  const auto release = [mechanism, answers, seed = task.seed](std::uint64_t purpose,
                                                              std::uint64_t repetition) {
    ReplayStream random({seed, purpose, repetition, 0, Phase::kCertify});
    std::vector<Number> out;
    release_all(mechanism, *answers, random, out);
    return out;
  };
  ready.sample = [release, answers,
                  purpose = bench_purpose(id, size, "noise")](std::uint64_t repetition) {
    const auto out = release(purpose, repetition);
    double most = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(out[i] - (*answers)[i])));
    }
    return most;
  };
  ready.work = [release, purpose = bench_purpose(id, size, "timing")](std::uint64_t repetition) {
    release(purpose, repetition);
  };
  ready.state_bytes = [mechanism] { return bytes_of(mechanism); };
  return ready;
}

using AdditivePrepare = Result<ReadyCandidate> (*)(const std::string&, const AdditiveTask&,
                                                   std::int64_t);

KeyValue scale_parameter(double scale) { return {"scale", number_text(scale)}; }

Result<ReadyCandidate> prepare_laplace(const std::string& id, const AdditiveTask& task,
                                       std::int64_t size) {
  const std::int64_t moved = task.moved(size);
  const auto share = ASSAY_TRY(task.shares->of(moved));
  LaplaceMechanismConfig config;
  config.sensitivity = static_cast<double>(moved);
  config.epsilon = share.epsilon * config.sensitivity;
  config.answers = size;
  const auto mechanism = ASSAY_TRY(LaplaceMechanism::create(config));
  const double step = mechanism.grid().granularity();
  if (step > 1.0) return fail(ErrorCode::kLimit, "its grid is coarser than the answers");
  auto ready = additive_ready<double>(
      id, task, size, mechanism, composed_guarantee(mechanism.guarantee(), share, "answers"),
      discrete_laplace_errors(mechanism.noise().scale()).scaled(step));
  ready.parameters = {scale_parameter(step * mechanism.noise().scale())};
  return ready;
}

Result<ReadyCandidate> prepare_discrete_laplace(const std::string& id, const AdditiveTask& task,
                                                std::int64_t size) {
  const auto share = ASSAY_TRY(task.shares->of(task.moved(size)));
  DiscreteLaplaceMechanismConfig config;
  config.epsilon = share.epsilon;
  const auto mechanism = ASSAY_TRY(DiscreteLaplaceMechanism::create(config));
  auto ready = additive_ready<std::int64_t>(
      id, task, size, mechanism, composed_guarantee(mechanism.guarantee(), share, "answers"),
      discrete_laplace_errors(mechanism.noise().scale()));
  ready.parameters = {scale_parameter(mechanism.noise().scale())};
  return ready;
}

Result<ReadyCandidate> prepare_snapped(const std::string& id, const AdditiveTask& task,
                                       std::int64_t size) {
  const auto share = ASSAY_TRY(task.shares->of(task.moved(size)));
  SnappedLaplaceConfig config;
  config.epsilon = share.epsilon;
  config.bound = std::max(1e6, 1e3 / share.epsilon);
  const auto mechanism = ASSAY_TRY(SnappedLaplace::create(config));
  NoiseErrors mean;
  for (const std::int64_t count : task.data(size)) {
    const auto one =
        snapped_laplace_errors(mechanism.lambda(), mechanism.step(), static_cast<double>(count));
    mean.root_mean_square += one.root_mean_square * one.root_mean_square;
    mean.mean_size += one.mean_size;
  }
  const double count = static_cast<double>(size);
  mean = {std::sqrt(mean.root_mean_square / count), mean.mean_size / count};
  auto ready = additive_ready<double>(
      id, task, size, mechanism, composed_guarantee(mechanism.guarantee(), share, "answers"), mean);
  ready.known_error = 1e-6;  // the difference between its distribution and (3) of noise_errors.hpp
  ready.parameters = {scale_parameter(mechanism.lambda())};
  return ready;
}

// The mechanism of this configuration with the smallest noise of at least `least` steps that a larger epsilon gives it.
Result<GaussianMechanism> with_noise_of(GaussianMechanismConfig config, double least) {
  auto best = GaussianMechanism::create(config);
  double low = config.epsilon, high = 500.0;
  for (int i = 0; i < 40 && best && high - low > 1e-7 * low; ++i) {
    config.epsilon = 0.5 * (low + high);
    auto next = GaussianMechanism::create(config);
    const bool is_enough = next && next->noise().scale() >= least;
    (is_enough ? low : high) = config.epsilon;
    if (is_enough) best = std::move(next);
  }
  return best;
}

struct CertifiedGaussian {
  GaussianMechanism mechanism;
  Guarantee level;
};

// By the account of its noise on a grid; nothing where the grid would be coarser than 1, or no scale near that of continuous
// noise is certified.
std::optional<CertifiedGaussian> accounted_gaussian(GaussianMechanismConfig config,
                                                    const AdditiveTask& task, std::int64_t moved) {
  constexpr double kMostSteps = 2000.0;
  constexpr int kTries = 8;
  const auto continuous = gaussian_scale(task.target, config.sensitivity);
  if (!continuous || config.answers == 1) return std::nullopt;
  double steps = 1.0;  // in a move by 1, at most the largest group
  while (2.0 * steps * continuous->value.value <= kMostSteps && 2.0 * steps <= kGroup.high) {
    steps *= 2.0;
  }
  if (steps * continuous->value.value > kMostSteps) return std::nullopt;
  config.granularity = 1.0 / steps;
  double least = steps * continuous->value.value;
  for (int i = 0; i < kTries; ++i, least *= 1.0 + 0x1p-10) {
    auto mechanism = with_noise_of(config, least);
    if (!mechanism) return std::nullopt;
    const ChainStep noise{DiscreteGaussianStep{mechanism->noise().scale()}, moved, "", 1,
                          static_cast<std::int64_t>(steps)};
    const auto cost = certified_cost(
        std::span(&noise, 1), {AccountTarget::Asked::kDeltaAtEpsilon, task.target.epsilon.value},
        1e-4, task.target.delta.value);
    if (!cost) return std::nullopt;
    if (cost->upper > task.target.delta.value) continue;
    Guarantee level = mechanism->guarantee();
    level.level = task.target;
    level.source =
        std::to_string(moved) +
        " answers: Gaussian noise on a grid; composed as privacy-loss distributions at this sigma";
    return CertifiedGaussian{std::move(*mechanism), std::move(level)};
  }
  return std::nullopt;
}

Result<ReadyCandidate> prepare_gaussian(const std::string& id, const AdditiveTask& task,
                                        std::int64_t size) {
  GaussianMechanismConfig config;
  ASSAY_TRY(set_gaussian_level(config, task.target));
  config.sensitivity = root_up(task.moved(size));
  config.answers = size;
  auto chosen = accounted_gaussian(config, task, task.moved(size));
  if (!chosen) {
    auto by_zcdp = ASSAY_TRY(GaussianMechanism::create(config));
    Guarantee level = by_zcdp.guarantee();
    chosen = CertifiedGaussian{std::move(by_zcdp), std::move(level)};
  }
  const GaussianMechanism& mechanism = chosen->mechanism;
  const double step = mechanism.grid().granularity();
  if (step > 1.0) return fail(ErrorCode::kLimit, "its grid is coarser than the answers");
  auto ready =
      additive_ready<double>(id, task, size, mechanism, chosen->level,
                             discrete_gaussian_errors(mechanism.noise().scale()).scaled(step));
  ready.parameters = {scale_parameter(step * mechanism.noise().scale())};
  return ready;
}

Result<ReadyCandidate> prepare_discrete_gaussian(const std::string& id, const AdditiveTask& task,
                                                 std::int64_t size) {
  ASSAY_TRY(check_delta(task.target));
  const std::int64_t moved = task.moved(size);
  DiscreteGaussianMechanismConfig config;
  config.epsilon = task.target.epsilon.value;
  CalibratedNoise composed;
  if (moved == 1) {  // by its exact delta
    GaussianMechanismConfig on_integers;
    on_integers.epsilon = config.epsilon;
    on_integers.delta = task.target.delta.value;
    on_integers.granularity = 1.0;
    config.scale = ASSAY_TRY(GaussianMechanism::create(on_integers)).noise().scale();
  } else {
    CalibrationRequest request;
    request.kind = CalibratedKind::kDiscreteGaussian;
    request.target = task.target;
    request.compose = moved;
    composed = ASSAY_TRY(calibrate(request));
    config.scale = composed.scale;
  }
  const auto mechanism = ASSAY_TRY(DiscreteGaussianMechanism::create(config));
  Guarantee level = mechanism.guarantee();
  if (moved > 1) {
    level.level = task.target;
    level.source = std::to_string(moved) + " answers: " + composed.certificate;
  }
  auto ready = additive_ready<std::int64_t>(id, task, size, mechanism, std::move(level),
                                            discrete_gaussian_errors(mechanism.noise().scale()));
  ready.parameters = {scale_parameter(mechanism.noise().scale())};
  return ready;
}

constexpr const char* kInReals =
    "the proof is for real numbers, not for doubles, so its outputs are not for release";

Result<ReadyCandidate> prepare_idealized_laplace(const std::string& id, const AdditiveTask& task,
                                                 std::int64_t size) {
  const auto share = ASSAY_TRY(task.shares->of(task.moved(size)));
  const auto mechanism = ASSAY_TRY(idealized::LaplaceMechanism::create({share.epsilon, 1.0}));
  const double scale = mechanism.noise().scale();
  auto ready = additive_ready<double>(id, task, size, mechanism,
                                      composed_guarantee(mechanism.guarantee(), share, "answers"),
                                      {std::sqrt(2.0) * scale, scale});
  ready.reservation = kInReals;
  ready.parameters = {scale_parameter(scale)};
  return ready;
}

Result<ReadyCandidate> prepare_idealized_gaussian(const std::string& id, const AdditiveTask& task,
                                                  std::int64_t size) {
  idealized::GaussianMechanismConfig config;
  ASSAY_TRY(set_gaussian_level(config, task.target));
  config.sensitivity = root_up(task.moved(size));
  const auto mechanism = ASSAY_TRY(idealized::GaussianMechanism::create(config));
  const double scale = mechanism.noise().scale();
  auto ready = additive_ready<double>(id, task, size, mechanism, mechanism.guarantee(),
                                      {scale, scale * 2.0 * kInverseSqrt2Pi});
  ready.reservation = kInReals;
  ready.parameters = {scale_parameter(scale)};
  return ready;
}

BenchComparison additive_comparison(const AdditiveSetting& setting, const ApproximateDp& target,
                                    std::uint64_t seed) {
  const AdditiveTask task{target, seed, setting.query, setting.compose,
                          std::make_shared<PureShare>(target)};
  BenchComparison comparison;
  comparison.size_name = "answers";
  comparison.size = setting.answers;
  comparison.unit = "answer";
  comparison.measures = {{"rms", ErrorBy::kDistribution},
                         {"mean absolute error", ErrorBy::kDistribution},
                         {"largest of a release, median", ErrorBy::kOrderStatistics}};
  comparison.relation = Relation::kReplaceOneRecord;
  comparison.neighbours = setting.query == AnswersQuery::kCounts
                              ? "replace one record, which moves every answer by at most 1"
                              : "replace one record, which moves two answers by at most 1";
  const std::pair<const char*, AdditivePrepare> candidates[] = {
      {"laplace", prepare_laplace},
      {"discrete-laplace", prepare_discrete_laplace},
      {"snapped-laplace", prepare_snapped},
      {"gaussian", prepare_gaussian},
      {"discrete-gaussian", prepare_discrete_gaussian},
      {"idealized-laplace", prepare_idealized_laplace},
      {"idealized-gaussian", prepare_idealized_gaussian}};
  for (const auto& [id, prepare] : candidates) {
    comparison.candidates.push_back({id,
                                     [id = std::string(id), prepare = prepare,
                                      task](std::int64_t size) { return prepare(id, task, size); },
                                     std::string_view(id).substr(0, 9) != "idealized"});
  }
  return comparison;
}

}  // namespace

BenchGroup additive_group() {
  return group_of("additive", "integer answers with noise", additive_comparison);
}

}  // namespace assay::detail
