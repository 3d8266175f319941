#include "assay/mechanisms/faulty/detection_table.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/faulty/internal/sparse_vector_cells.hpp"
#include "assay/mechanisms/faulty/noisy_max_value.hpp"
#include "assay/mechanisms/faulty/parallel_sparse_vectors.hpp"
#include "assay/mechanisms/faulty/sparse_vectors.hpp"
#include "assay/mechanisms/faulty/unscaled_histogram.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/idealized/noisy_histogram.hpp"
#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"

namespace assay::faulty {
namespace {

using Numbers = std::span<const double>;

constexpr double kEpsilon = 0.1;
constexpr double kLossWidth = 2e-3;  // of merged cells, relative to the largest loss

struct Published {
  double epsilon;
  double lower;
  double seconds;
};

// The patterns of StatDP; see the header.
const std::vector<std::pair<std::string, CitedFigure>> kStatDp = {
    {"laplace", {0.0998, 46}},
    {"truncated-geometric", {0.1169, 354}},
    {"noisy-histogram-1", {0.0994, 504}},
    {"noisy-histogram-2", {10.002, 816}},
    {"noisy-max-1", {0.0921, 60}},
    {"noisy-max-2", {0.0997, 60}},
    {"noisy-max-3", {0.1991, 132}},
    {"noisy-max-4", {0.1988, 129}},
    {"sparse-vector-1", {0.0298, 352}},
    {"sparse-vector-2", {0.0407, 403}},
    {"sparse-vector-3", {0.1793, 5857}},
    {"sparse-vector-4", {0.1719, 554}},
    {"sparse-vector-5", {14.314, 351}},
    {"sparse-vector-6", {0.3220, 755}},
    {"rappor", {0.2416, 1178}},
    {"one-time-rappor", {0.4706, 991}},
    {"parallel-laplace", {0.0135, 4728}},
    {"parallel-sparse-vectors", {0.1963, 27500}},
    {"prefix-sum", {0.3516, 3367}},
};

// StatDP's patterns of n answers. With `all_move`, also those where every answer moves.
void set_inputs(DetectionRow& row, std::size_t n, bool all_move) {
  const auto vector = [n](double first, double rest, std::size_t count) {
    std::vector<double> out(n, rest);
    for (std::size_t i = 0; i < count; ++i) out[i] = first;
    return out;
  };
  row.inputs = {vector(1, 1, 1), vector(0, 1, 1), vector(2, 1, 1)};
  row.pairs = {{0, 1}, {0, 2}};
  if (!all_move) return;
  for (auto&& other :
       {vector(2, 0, 1), vector(0, 2, 1), vector(2, 0, n / 2), vector(2, 2, n), vector(0, 0, n)}) {
    row.pairs.push_back({0, row.inputs.size()});
    row.inputs.push_back(other);
  }
  row.pairs.push_back({row.inputs.size(), row.inputs.size() + 1});
  row.inputs.push_back(vector(1, 0, n / 2));
  row.inputs.push_back(vector(0, 1, n / 2));
}

template <class M>
M made(const typename M::Config& config) {
  auto mechanism = M::create(config);
  ASSAY_CHECK(mechanism.has_value(), "the table's configurations are valid");
  return *std::move(mechanism);
}

// The mechanism's input from the row's numbers.
template <class M>
typename M::Input input_of(Numbers numbers) {
  if constexpr (std::is_same_v<typename M::Input, Numbers>) {
    return numbers;
  } else {
    return static_cast<typename M::Input>(numbers[0]);
  }
}

template <class M, class Distribution>
DetectionRow row_of(std::string name, const M& mechanism, std::size_t output_size,
                    Distribution distribution, Published sniper) {
  DetectionRow row;
  row.name = std::move(name);
  row.claim = kEpsilon;
  row.output_size = output_size;
  row.guarantee = mechanism.guarantee();
  row.release_many = [mechanism](Numbers input, ReplayStream& random, std::span<double> out) {
    mechanism.release_many(input_of<M>(input), random, out);
  };
  row.distribution = std::move(distribution);
  row.sniper_epsilon = sniper.epsilon;
  row.sniper_lower = sniper.lower;
  row.sniper_seconds = sniper.seconds;
  return row;
}

template <class M>
auto finite_distribution(const M& mechanism) {
  return [mechanism](Numbers a, Numbers b) {
    return cells_from_logs(mechanism.log_pmf(input_of<M>(a)), mechanism.log_pmf(input_of<M>(b)));
  };
}

// Vectors with Laplace noise of this scale, `copies` of them.
auto laplace_distribution(double scale, std::size_t copies) {
  const auto noise = Laplace::create(0.0, scale);
  ASSAY_CHECK(noise.has_value(), "positive scales");
  return [noise = *noise, copies](Numbers a, Numbers b) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      x.insert(x.end(), a.begin(), a.end());
      y.insert(y.end(), b.begin(), b.end());
    }
    double most = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) most += std::abs(x[i] - y[i]) / noise.scale();
    return laplace_cells(x, y, noise, most * kLossWidth / static_cast<double>(x.size()));
  };
}

// A density on the line from its quadrature nodes: `reach` scales about the inputs, kinks at them.
auto noisy_max_distribution(const NoisyMaxValue& mechanism) {
  return [mechanism](Numbers a, Numbers b) {
    std::vector<double> breaks(a.begin(), a.end());
    breaks.insert(breaks.end(), b.begin(), b.end());
    const double scale = 2.0 / mechanism.config().epsilon;
    OutputCells out;
    for (const auto& [y, weight] :
         gauss_legendre_nodes(-40.0 * scale, 40.0 * scale, breaks, 0.25 * scale)) {
      out.push_back({weight * portable_exp(mechanism.log_density(y, a)),
                     weight * portable_exp(mechanism.log_density(y, b))});
    }
    return out;
  };
}

// Independent bits: cells of the bits in which the two filters differ.
template <class M>
auto filter_distribution(const M& mechanism, double p_one, double p_zero) {
  return [mechanism, p_one, p_zero](Numbers a, Numbers b) {
    const std::uint64_t first = mechanism.filter(input_of<M>(a));
    const std::uint64_t second = mechanism.filter(input_of<M>(b));
    OutputCells out{{1.0, 1.0}};
    for (int j = 0; j < 64; ++j) {
      const bool x = (first >> j & 1) != 0;
      const bool y = (second >> j & 1) != 0;
      if (x == y) continue;
      const double p = x ? p_one : p_zero;
      const double q = y ? p_one : p_zero;
      out = product(out, OutputCells{{p, q}, {1.0 - p, 1.0 - q}});
    }
    return out;
  };
}

}  // namespace

std::vector<DetectionRow> detection_table() {
  std::vector<DetectionRow> rows;
  const auto add = [&rows](DetectionRow row, std::size_t answers, bool all_move, double truth,
                           const char* why) {
    set_inputs(row, answers, all_move);
    row.true_epsilon = truth;
    row.truth = why;
    for (const auto& [name, figure] : kStatDp) {
      if (name == row.name) row.statdp = figure;
    }
    rows.push_back(std::move(row));
  };
  const SparseVectorConfig one{kEpsilon, 1.0, 1, 10};
  const SparseVectorConfig two{kEpsilon, 1.0, 2, 10};

  add(row_of("laplace", made<idealized::LaplaceMechanism>({kEpsilon, 1.0}), 1,
             laplace_distribution(1 / kEpsilon, 1), {.1026, .0925, 13}),
      1, false, 0.1, "closed form: 1/scale");
  const auto geometric = made<TruncatedGeometric>({3, 5});
  add(row_of("truncated-geometric", geometric, 1, finite_distribution(geometric),
             {.1178, .1077, 16}),
      1, false, 0.11778303565638346, "closed form: log(1 + 2^-3)");
  add(row_of("noisy-histogram-1", made<idealized::NoisyHistogram>({kEpsilon}), 5,
             laplace_distribution(1 / kEpsilon, 1), {.1068, .0969, 20}),
      5, false, 0.1, "closed form: 1/scale");
  add(row_of("noisy-histogram-2", made<UnscaledHistogram>({kEpsilon}), 5,
             laplace_distribution(kEpsilon, 1), {4.625, 4.620, 21}),
      5, false, 10.0, "closed form: 1/scale");

  const auto max1 = made<ReportNoisyMax>({kEpsilon, 5, MaxNoise::kLaplace});
  add(row_of("noisy-max-1", max1, 1, finite_distribution(max1), {.0926, .0825, 30}), 5, true,
      0.09461490528245, "quadrature of the index's distribution");
  const auto max2 = made<ReportNoisyMax>({kEpsilon, 5, MaxNoise::kExponential});
  add(row_of("noisy-max-2", max2, 1, finite_distribution(max2), {.1003, .0902, 30}), 5, true, 0.1,
      "closed form: attains its guarantee");
  const auto max3 = made<NoisyMaxValue>({kEpsilon, 5, ValueNoise::kLaplace});
  add(row_of("noisy-max-3", max3, 1, noisy_max_distribution(max3), {.2449, .2352, 71}), 5, true,
      0.25, "closed form: n epsilon/2, as the value falls");
  const auto max4 = made<NoisyMaxValue>({kEpsilon, 5, ValueNoise::kExponential});
  add(row_of("noisy-max-4", max4, 1, noisy_max_distribution(max4), {.3544, .3449, 50}), 5, true,
      kInfinity, "closed form: the supports differ");

  const auto svt1 = made<AboveThreshold>({kEpsilon, 0.5, 1, 10});
  add(row_of("sparse-vector-1", svt1, 10, finite_distribution(svt1), {.0874, .0774, 71}), 10, true,
      0.08852576799964, "quadrature over the threshold's noise");
  const auto svt2 = made<ResettingAboveThreshold>(one);
  add(row_of("sparse-vector-2", svt2, 10, finite_distribution(svt2), {.0878, .0776, 361}), 10, true,
      0.08823042232040, "quadrature over the threshold's noise");
  const auto svt3 = made<SparseVector3>(one);
  add(row_of("sparse-vector-3", svt3, 10,
             [svt3](Numbers a, Numbers b) { return sparse_vector_cells(svt3, a, b); },
             {.1242, .1142, 373}),
      10, true, 0.5, "closed form: n epsilon/2, as the value falls; infinite as n grows");
  const auto svt4 = made<SparseVector4>(one);
  add(row_of("sparse-vector-4", svt4, 10, finite_distribution(svt4), {.1679, .1579, 282}), 10, true,
      0.17247069943454, "quadrature over the threshold's noise");
  const auto svt5 = made<SparseVector5>(one);
  add(row_of("sparse-vector-5", svt5, 10, finite_distribution(svt5), {1.764, 1.756, 74}), 10, true,
      kInfinity, "closed form: outputs that one input cannot give");
  const auto svt6 = made<SparseVector6>(one);
  add(row_of("sparse-vector-6", svt6, 10, finite_distribution(svt6), {.2776, .2679, 100}), 10, true,
      0.42003154450669, "quadrature over the threshold's noise; infinite as n grows");

  const auto rappor = made<Rappor>({20, 4, 0.75, 0.45, 0.55});
  add(row_of("rappor", rappor, 20, filter_distribution(rappor, 0.5125, 0.4875), {.2957, .2860, 58}),
      1, false, 0.30006252344797, "closed form: six bits differ");
  const auto once = made<OneTimeRappor>({20, 4, 0.95});
  add(row_of("one-time-rappor", once, 20, filter_distribution(once, 0.525, 0.475),
             {.5927, .5837, 25}),
      1, false, 0.60050075134190, "closed form: six bits differ");

  add(row_of("parallel-laplace", made<idealized::ParallelLaplace>({0.005, 20}), 20,
             laplace_distribution(200.0, 20), {.0244, .0140, 32}),
      1, false, 0.1, "closed form: 20 times 0.005");
  const auto both = made<ParallelSparseVectors>(two);
  add(row_of("parallel-sparse-vectors", both, 20,
             [both](Numbers a, Numbers b) { return sparse_vector_cells(both, a, b); },
             {.2139, .2041, 287}),
      10, true, 0.48744637724964, "sum of the parts' suprema at the same pair");
  add(row_of("prefix-sum", made<idealized::PrefixSum>({kEpsilon}), 10,
             laplace_distribution(1 / kEpsilon, 1), {.4828, .4737, 60}),
      10, true, 1.0, "closed form: n epsilon, all answers move");
  const auto numerical = made<idealized::NumericalSparseVector>(two);
  add(row_of("numerical-sparse-vector", numerical, 10,
             [numerical](Numbers a, Numbers b) { return sparse_vector_cells(numerical, a, b); },
             {.0415, .0312, 246}),
      10, true, 0.08051922310842, "quadrature over the threshold's noise, times two values");
  return rows;
}

}  // namespace assay::faulty
