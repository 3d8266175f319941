// Running sums of a stream of zeros and ones.
//
// Neighbours: one entry of the stream moves by at most 1. With Laplace noise and delta above 0 an entry is in h
// nodes of the tree, which are h releases, and their levels compose (pure_share.hpp). The hybrid counter splits its
// budget unevenly and gets the level of one pure release. The error over time is the root of the mean variance of
// all estimates, in closed form. The largest error of a stream is estimated from runs.
#include <cmath>
#include <memory>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/bench/memory.hpp"
#include "assay/auditors/bench/pure_share.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"

namespace assay::detail {
namespace {

struct CountersSetting {
  std::int64_t horizon = 4096;

  static void fields(auto&& visit) {
    visit(field("horizon", &CountersSetting::horizon, Range{1, 0x1p20}, "T",
                "entries of the stream"));
  }
};

struct CountersTask {
  ApproximateDp target;
  std::uint64_t seed;
  std::shared_ptr<PureShare> shares;

  std::vector<double> stream(std::int64_t horizon) const {
    ReplayStream random({seed, hash_purpose("bench/counters/data"), 0, 0, Phase::kCertify});
    std::vector<double> stream;
    for (std::int64_t t = 0; t < horizon; ++t) {
      stream.push_back(static_cast<double>(random.next() >> 63));
    }
    return stream;
  }
};

// The mean of variance(t) over t = 1..T.
template <class M>
double mean_variance(const M& mechanism, std::int64_t horizon) {
  double sum = 0.0;
  if constexpr (requires { mechanism.factor(); }) {
    const double scale = mechanism.factor().noise.scale();
    const auto& coefficients = mechanism.factor().coefficients;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {  // in the variances of t > k
      sum += coefficients[k] * coefficients[k] *
             (static_cast<double>(horizon) - static_cast<double>(k));
    }
    sum *= scale * scale;
  } else {
    for (std::int64_t t = 1; t <= horizon; ++t) sum += mechanism.variance(t);
  }
  return sum / static_cast<double>(horizon);
}

template <class M>
ReadyCandidate counter_ready(const std::string& id, const CountersTask& task, std::int64_t size,
                             const M& mechanism) {
  const auto stream = std::make_shared<const std::vector<double>>(task.stream(size));
  const auto play_stream = [mechanism, stream, seed = task.seed](
                               std::uint64_t purpose, std::uint64_t repetition, auto&& visit) {
    ReplayStream random({seed, purpose, repetition, 0, Phase::kCertify});
    auto counter = mechanism.start();
    for (const double x : *stream) {
      counter.add(x, random);
      visit(x, counter.estimate());
    }
    return counter;
  };
  ReadyCandidate ready;
  ready.level = mechanism.guarantee();
  ready.known = {std::sqrt(mean_variance(mechanism, size))};
  ready.units = size;
  ready.sample = [play_stream,
                  purpose = bench_purpose(id, size, "noise")](std::uint64_t repetition) {
    double sum = 0.0;
    double most = 0.0;
    play_stream(purpose, repetition, [&](double x, double estimate) {
      sum += x;
      most = std::max(most, std::abs(estimate - sum));
    });
    return most;
  };
  const std::uint64_t timing = bench_purpose(id, size, "timing");
  ready.work = [play_stream, timing](std::uint64_t repetition) {
    play_stream(timing, repetition, [](double, double) {});
  };
  ready.state_bytes = [play_stream, timing] {
    return bytes_of(play_stream(timing, 0, [](double, double) {}));
  };
  return ready;
}

template <class M>
Result<ReadyCandidate> prepare_tree(const std::string& id, bool laplace, const CountersTask& task,
                                    std::int64_t size) {
  TreeCounterConfig config;
  config.horizon = size;
  const std::int64_t levels = tree_levels(size);
  PureLevel share;
  if (laplace) {
    share = ASSAY_TRY(task.shares->of(levels));
    config.epsilon = share.epsilon * static_cast<double>(levels);
  } else {
    config.noise = CounterNoise::kDiscreteGaussian;
    ASSAY_TRY(set_gaussian_level(config, task.target));
  }
  const auto mechanism = ASSAY_TRY(M::create(config));
  auto ready = counter_ready(id, task, size, mechanism);
  if (laplace && task.target.delta.value > 0.0) {
    ready.level = composed_guarantee(ready.level, share, "nodes");
  }
  ready.parameters = {{"scale", number_text(mechanism.noise().scale())}};
  return ready;
}

Result<ReadyCandidate> prepare_hybrid(const std::string& id, bool laplace, const CountersTask& task,
                                      std::int64_t size) {
  HybridCounterConfig config;
  if (laplace) {
    config.epsilon = ASSAY_TRY(task.shares->of(1)).epsilon;
  } else {
    config.noise = CounterNoise::kDiscreteGaussian;
    ASSAY_TRY(set_gaussian_level(config, task.target));
  }
  const auto mechanism = ASSAY_TRY(HybridCounterMechanism::create(config));
  if (mechanism.longest() < size) {
    return fail(ErrorCode::kLimit,
                "its sums stay exact for only " + std::to_string(mechanism.longest()) + " entries");
  }
  auto ready = counter_ready(id, task, size, mechanism);
  ready.parameters = {{"scale", number_text(mechanism.noise().total.scale())}};
  return ready;
}

Result<ReadyCandidate> prepare_square_root(const std::string& id, bool, const CountersTask& task,
                                           std::int64_t size) {
  ASSAY_TRY(check_delta(task.target));
  idealized::SquareRootCounterConfig config;
  config.horizon = size;
  config.mu = (1.0 - 1e-14) / ASSAY_TRY(gaussian_scale(task.target, 1.0)).value.value;
  const auto mechanism = ASSAY_TRY(idealized::SquareRootCounterMechanism::create(config));
  auto ready = counter_ready(id, task, size, mechanism);
  ready.reservation =
      "the proof is for real numbers, not for doubles, so its outputs are not for release";
  ready.parameters = {{"mu", number_text(config.mu)}};
  return ready;
}

BenchComparison counters_comparison(const CountersSetting& setting, const ApproximateDp& target,
                                    std::uint64_t seed) {
  const CountersTask task{target, seed, std::make_shared<PureShare>(target)};
  BenchComparison comparison;
  comparison.size_name = "horizon";
  comparison.size = setting.horizon;
  comparison.unit = "entry";
  comparison.measures = {{"rms over time", ErrorBy::kDistribution},
                         {"largest of a stream, median", ErrorBy::kOrderStatistics}};
  comparison.relation = Relation::kOneAnswer;
  comparison.neighbours = "one entry of the stream moves by at most 1";
  struct Named {
    const char* id;
    Result<ReadyCandidate> (*prepare)(const std::string&, bool, const CountersTask&, std::int64_t);
    bool laplace;
  };
  const Named all[] = {{"tree-laplace", prepare_tree<TreeCounterMechanism>, true},
                       {"tree-gaussian", prepare_tree<TreeCounterMechanism>, false},
                       {"honaker-laplace", prepare_tree<HonakerCounterMechanism>, true},
                       {"honaker-gaussian", prepare_tree<HonakerCounterMechanism>, false},
                       {"hybrid-laplace", prepare_hybrid, true},
                       {"hybrid-gaussian", prepare_hybrid, false},
                       {"idealized-square-root", prepare_square_root, false}};
  for (const Named& one : all) {
    comparison.candidates.push_back({one.id, [one, task](std::int64_t size) {
                                       return one.prepare(one.id, one.laplace, task, size);
                                     }});
  }
  return comparison;
}

}  // namespace

BenchGroup counters_group() {
  return group_of("counters", "running sums of a stream", counters_comparison);
}

}  // namespace assay::detail
