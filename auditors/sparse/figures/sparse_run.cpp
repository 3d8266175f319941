#include "assay/auditors/sparse/figures/sparse_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/statistics/median.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kTextFactor = 1.6;
constexpr double kTextSigma = 0.1;  // of both noise distributions: that of the text
constexpr double kCodeSigma = 1.0;
constexpr double kDelta = 0.01;
constexpr std::int64_t kChunk = 2;  // repetitions; contexts are the main cost

// The configuration that FLIPHAT and its comparator without noise share.
template <class C>
C episodes(const SparseWorld& world, const SparsePoint& point, const SparseVector& signal,
           std::int64_t horizon) {
  const bool code = point.iterations == IterationRule::kCode;
  C config;
  config.arms = world.arms;
  config.dimension = world.dimension;
  config.horizon = horizon;
  config.sparsity = point.sparsity;
  config.step = 1e-4;
  config.iterations = point.iterations;
  config.iteration_factor = code ? world.code_factor : kTextFactor;
  config.x_max = std::sqrt(2.0 * portable_log(static_cast<double>(world.dimension)));
  config.b_max = signal.l1();
  config.sigma = code ? kCodeSigma : kTextSigma;
  return config;
}

Result<SparsePolicy> policy_of(const SparseWorld& world, const SparsePoint& point,
                               const SparseVector& signal, std::int64_t horizon) {
  switch (point.kind) {
    case SparseKind::kFliphat: {
      const auto config = ASSAY_TRY(fliphat_config(world, point, signal, horizon));
      return SparsePolicy(ASSAY_TRY(Fliphat::create(config)));
    }
    case SparseKind::kIht:
      return SparsePolicy(
          ASSAY_TRY(IhtBandit::create(episodes<IhtBanditConfig>(world, point, signal, horizon))));
    case SparseKind::kLasso: {
      LassoBanditConfig config;
      config.arms = world.arms;
      config.dimension = world.dimension;
      config.horizon = horizon;
      return SparsePolicy(ASSAY_TRY(LassoBandit::create(config)));
    }
    case SparseKind::kRandom:
      break;
  }
  return SparsePolicy(ASSAY_TRY(RandomArm::create({world.arms})));
}

// In order, so that few hold the records of many iterations at once.
constexpr std::size_t kMostTogether = 100;
constexpr std::size_t kMostWithRecords = 5;

Result<SimulatedSeries> series_of(const SparseWorld& world, std::string id,
                                  const std::vector<SparsePoint>& points, std::uint64_t seed,
                                  std::int64_t horizon) {
  const auto signal = ASSAY_TRY(signal_of(world, seed));
  GaussianContextsConfig contexts;
  contexts.arms = world.arms;
  contexts.dimension = world.dimension;
  contexts.reward_noise = world.noise;
  std::vector<NamedPolicy> policies;
  for (const auto& point : points) {
    auto policy = ASSAY_TRY(policy_of(world, point, signal, horizon));
    policies.push_back({world.id + ": " + point.name(), std::move(policy)});
  }
  auto drawn = ASSAY_TRY(GaussianContexts::create(contexts, signal));
  return make_shared_series(std::move(id), std::move(policies), std::move(drawn), world.halves);
}

// Points that run together, as far as their records allow.
std::vector<std::vector<SparsePoint>> groups_of(const std::vector<SparsePoint>& points) {
  std::vector<std::vector<SparsePoint>> groups;
  for (const bool text : {false, true}) {
    const std::size_t most = text ? kMostWithRecords : kMostTogether;
    for (const auto& point : points) {
      if ((point.iterations == IterationRule::kText) != text) continue;
      const bool fits = !groups.empty() && groups.back().size() < most &&
                        (groups.back()[0].iterations == IterationRule::kText) == text;
      if (!fits) groups.emplace_back();
      groups.back().push_back(point);
    }
  }
  return groups;
}

}  // namespace

std::string SparsePoint::name() const {
  if (kind == SparseKind::kRandom) return "random";
  if (kind == SparseKind::kLasso) return "lasso";
  std::string out =
      kind == SparseKind::kIht
          ? std::string("IHT")
          : fmt::format("FLIPHAT eps={} {}", number_text(epsilon), value_text(calibration));
  return out + fmt::format(" {} s={}", value_text(iterations), sparsity);
}

Result<SparseVector> signal_of(const SparseWorld& world, std::uint64_t seed) {
  return random_signal(world.true_sparsity, world.true_sparsity, seed);
}

Result<FliphatConfig> fliphat_config(const SparseWorld& world, const SparsePoint& point,
                                     const SparseVector& signal, std::int64_t horizon) {
  auto config = episodes<FliphatConfig>(world, point, signal, horizon);
  config.epsilon = point.epsilon;
  config.delta = kDelta;
  config.calibration = point.calibration;
  ASSAY_TRY(validate(config));
  return config;
}

std::size_t WorldsRun::index(const std::string& world, const SparsePoint& point) const {
  return series_index(*result, world + ": " + point.name());
}

const SeriesResult& WorldsRun::at(const std::string& world, const SparsePoint& point) const {
  return result->at(index(world, point));
}

const std::vector<double>& WorldsRun::finals(const std::string& world,
                                             const SparsePoint& point) const {
  return at(world, point).all.final_pseudo;
}

const std::vector<double>& WorldsRun::halves(const std::string& world,
                                             const SparsePoint& point) const {
  const auto half = series_index(*result, half_name(world + ": " + point.name()));
  return result->at(half).all.final_pseudo;
}

Result<WorldsRun> run_worlds(const std::string& id, const RunSetting& setting,
                             std::vector<SparseWorld> worlds, SimulationRunner& runner) {
  WorldsRun run{std::move(worlds), nullptr};
  Simulation simulation = setting.simulation(id);
  simulation.luck = Luck::kShared;
  simulation.chunk = kChunk;
  for (const auto& world : run.worlds) {
    int group = 0;
    for (const auto& points : groups_of(world.points)) {
      simulation.series.push_back(
          ASSAY_TRY(series_of(world, fmt::format("{}/{}", world.id, group++), points,
                              static_cast<std::uint64_t>(setting.seed), setting.horizon)));
    }
  }
  run.result = ASSAY_TRY(runner.run(simulation));
  return run;
}

void Medians::add(std::string name, std::vector<double> values) {
  all_.push_back({std::move(name), std::move(values), {}});
}

void Medians::bound(double alpha) {
  for (auto& one : all_) {
    const auto [lower, upper] = median_bounds(one.values, alpha / static_cast<double>(all_.size()));
    one.bounds = {lower, upper};
  }
}

const Medians::One& Medians::find(const std::string& name) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const One& one) { return one.name == name; });
  ASSAY_CHECK(found != all_.end(), "a number of the list");
  return *found;
}

const Bounds& Medians::at(const std::string& name) const { return find(name).bounds; }

double Medians::median(const std::string& name) const { return median_of(find(name).values); }

LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  // The basis is 1, u = x - mean x, and u^2 less its fit by the two, so each part of the parabola
  // is a product.
  double uu = 0.0, uy = 0.0, uuu = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = x[i] - mean_x;
    uu += u * u;
    uy += u * y[i];
    uuu += u * u * u;
  }
  double qq = 0.0, qy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = x[i] - mean_x;
    const double q = u * u - uu / n - uuu / uu * u;
    qq += q * q;
    qy += q * y[i];
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double half = 0.5 * (*high - *low);
  return {uy / uu, -qy / qq * half * half / mean_y};
}

}  // namespace assay::detail
