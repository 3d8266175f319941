// N-IHT against the listing written out: projection, gradients, sensitivity, noise, steps.
#include "assay/policies/sparse/niht.hpp"

#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/policies/sparse/l1_ball.hpp"
#include "assay/tests/support/sparse_records.hpp"

namespace assay {
namespace {

using Vector = std::vector<double>;

ReplayStream niht_stream(std::uint64_t seed) {
  return ReplayStream({.seed = seed, .purpose = hash_purpose("tests/niht")});
}

double uniform_of_size(ReplayStream& random, double size) {
  return size * (2.0 * random.uniform() - 1.0);
}

Vector random_vector(ReplayStream& random, std::size_t length, double size) {
  Vector v(length);
  for (double& entry : v) entry = uniform_of_size(random, size);
  return v;
}

double l1(const Vector& v) {
  double sum = 0.0;
  for (const double entry : v) sum += std::fabs(entry);
  return sum;
}

// By halving the threshold of the projection.
Vector plainly_projected(Vector v, double radius) {
  double low = 0.0, high = 0.0;
  for (const double entry : v) high = std::max(high, std::fabs(entry));
  const auto shrunk = [&](double t) {
    Vector u = v;
    for (double& entry : u) entry = (entry < 0 ? -1 : 1) * std::max(std::fabs(entry) - t, 0.0);
    return u;
  };
  if (l1(v) <= radius) return v;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (l1(shrunk(middle)) > radius ? low : high) = middle;
  }
  return shrunk(high);
}

SparseRecords random_records(ReplayStream& random, std::size_t n, std::size_t d, double size) {
  SparseRecords records;
  for (std::size_t i = 0; i < n; ++i) {
    records.x.push_back(random_vector(random, d, size));
    records.y.push_back(uniform_of_size(random, size));
  }
  return records;
}

RegressionData data_of(const SparseRecords& records, std::int64_t gradients,
                       RegressionData::Clip clip) {
  const auto d = static_cast<std::int64_t>(records.x[0].size());
  RegressionData data(d, static_cast<std::int64_t>(records.y.size()), gradients, clip);
  for (std::size_t i = 0; i < records.y.size(); ++i) data.add(records.x[i], records.y[i]);
  return data;
}

double clipped(double value, double bound) {
  return value * std::min(1.0, bound / std::fabs(value));
}

// c/n sum x (<x, theta> - y) over the clipped records.
Vector plain_gradient(const SparseRecords& records, const Vector& theta, double c,
                      RegressionData::Clip clip) {
  Vector out(theta.size(), 0.0);
  for (std::size_t i = 0; i < records.y.size(); ++i) {
    double residual = -clipped(records.y[i], clip.reward);
    for (std::size_t j = 0; j < theta.size(); ++j) {
      residual += clipped(records.x[i][j], clip.context) * theta[j];
    }
    for (std::size_t j = 0; j < theta.size(); ++j) {
      out[j] += c * residual * clipped(records.x[i][j], clip.context) /
                static_cast<double>(records.y.size());
    }
  }
  return out;
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

TEST(L1Projections, AreThoseOfTheHalvedThreshold) {
  auto random = niht_stream(1);
  for (int trial = 0; trial < 400; ++trial) {
    const auto v = random_vector(random, 1 + trial % 9, 2.0);
    const double radius = 3.0 * random.uniform();
    auto projected = v;
    project_onto_l1_ball(projected, radius);
    expect_near(projected, plainly_projected(v, radius), 1e-14);
    EXPECT_LE(l1(projected), radius + 1e-14);
  }
  Vector same{0.5, -0.25};
  project_onto_l1_ball(same, 0.75);
  EXPECT_EQ(same, (Vector{0.5, -0.25}));
  Vector ties{1.0, -1.0, 1.0};
  project_onto_l1_ball(ties, 1.5);
  expect_near(ties, {0.5, -0.5, 0.5}, 1e-15);
  project_onto_l1_ball(ties, 0.0);
  EXPECT_EQ(l1(ties), 0.0);
}

// Also where entries are so large that the radius is below their rounding: the sensitivity of a
// step rests on it.
TEST(L1Projections, EndInTheBallAtEverySize) {
  std::vector<double> large = {1e18, 9e17};
  project_onto_l1_ball(large, 1.0);
  EXPECT_THAT(large, ::testing::ElementsAre(1.0, 0.0));
  ReplayStream random = niht_stream(3);
  for (int i = 0; i < 400; ++i) {
    const double size = std::pow(10.0, 18.0 * random.uniform());
    std::vector<double> v(1 + i % 40);
    for (double& entry : v) entry = size * (1.0 + 1e-3 * random.uniform());
    project_onto_l1_ball(v, 0.7);
    const double norm = l1(v);
    EXPECT_LE(norm, 0.7 * (1.0 + 1e-15 * static_cast<double>(v.size()))) << size;
    EXPECT_GE(norm, 0.7 * (1.0 - 1e-14)) << size;
  }
}

TEST(L1Projections, MoveNoTwoPointsApart) {
  auto random = niht_stream(2);
  for (int trial = 0; trial < 400; ++trial) {
    auto a = random_vector(random, 6, 2.0), b = random_vector(random, 6, 2.0);
    const auto distance = [&] {
      double squares = 0.0;
      for (std::size_t j = 0; j < a.size(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
      return std::sqrt(squares);
    };
    const double before = distance();
    project_onto_l1_ball(a, 1.5);
    project_onto_l1_ball(b, 1.5);
    EXPECT_LE(distance(), before + 1e-14);
  }
}

TEST(RegressionRecords, GiveTheGradientHoweverTheyAreKept) {
  auto random = niht_stream(3);
  const RegressionData::Clip clip{0.8, 0.6};
  const auto records = random_records(random, 23, 10, 1.0);
  EXPECT_EQ(kept_records(10, 1), KeptRecords::kSums);
  EXPECT_EQ(kept_records(10, 5), KeptRecords::kRows);
  EXPECT_EQ(kept_records(10, 6), KeptRecords::kGram);
  EXPECT_EQ(kept_numbers(10, 23, 1), 10.0);
  EXPECT_EQ(kept_numbers(10, 23, 5), 240.0);
  EXPECT_EQ(kept_numbers(10, 23, 6), 110.0);
  const SparseVector theta{{1, 4, 9}, {0.5, -0.25, 0.125}};
  for (const std::int64_t gradients : {1, 5, 6}) {
    const auto data = data_of(records, gradients, clip);
    EXPECT_EQ(data.records(), 23);
    Vector out(10, 99.0);
    data.slope({}, out);
    expect_near(out, plain_gradient(records, Vector(10, 0.0), 1.0, clip), 1e-15);
    if (gradients == 1) continue;
    data.slope(theta, out);
    expect_near(out, plain_gradient(records, dense(theta, 10), 1.0, clip), 1e-15);
  }
}

TEST(NihtVectors, StepDownEitherLoss) {
  auto random = niht_stream(4);
  const RegressionData::Clip clip{0.8, 0.6};
  const auto records = random_records(random, 9, 6, 1.0);
  const auto data = data_of(records, 4, clip);
  const SparseVector theta{{0, 5}, {0.5, -0.25}};
  for (const auto loss : {SquaredLoss::kFull, SquaredLoss::kHalf}) {
    // The mean loss, and its slope by differences, exact for a parabola up to rounding.
    const auto risk = [&](const Vector& at) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 9; ++i) {
        double residual = clipped(records.y[i], 0.6);
        for (std::size_t j = 0; j < 6; ++j) residual -= clipped(records.x[i][j], 0.8) * at[j];
        sum += residual * residual / 9.0;
      }
      return loss == SquaredLoss::kFull ? sum : 0.5 * sum;
    };
    const auto v = niht_vector({.step = 0.3, .loss = loss}, data, theta);
    for (std::size_t j = 0; j < 6; ++j) {
      auto up = dense(theta, 6), down = up;
      up[j] += 0.5;
      down[j] -= 0.5;
      EXPECT_NEAR(v[j], dense(theta, 6)[j] - 0.3 * (risk(up) - risk(down)), 1e-14);
    }
  }
}

// The records of the header: the distance is the bound, and 4 x_max times what the paper assumes.
TEST(NihtSensitivity, IsAttainedByTwoRecordsOfAPocketCalculator) {
  const RegressionData::Clip clip{2.0, 3.0};
  const NihtPlan plan{.iterations = 3, .step = 0.5, .projection = 1.5};
  const SparseVector theta{{0}, {1.5}};  // ||theta||_1 = C
  // One other record, the same on either side; n = 2.
  const auto data = [&](double entry) {
    return data_of({{{1.0, -1.0}, {2.0, entry}}, {0.5, -3.0}}, 3, clip);
  };
  const auto v = niht_vector(plan, data(2.0), theta), w = niht_vector(plan, data(-2.0), theta);
  // -eta (2/n) x (<x, theta> - y) = -0.5 (2/2) 2 (3 + 3) = -6 against 6 in entry 2.
  EXPECT_DOUBLE_EQ(w[1] - v[1], 12.0);
  const NihtBounds bounds{.records = 2, .context = 2.0, .reward = 3.0, .b_max = 1.5};
  EXPECT_NEAR(niht_sensitivity(plan, bounds, 1), 12.0, 1e-13);
  const double printed = 0.5 * (3.0 + 2.0 * 1.5) / 2.0;
  EXPECT_DOUBLE_EQ(12.0, 4.0 * 2.0 * printed);
  auto half = plan;
  half.loss = SquaredLoss::kHalf;
  EXPECT_NEAR(niht_sensitivity(half, bounds, 1), 6.0, 1e-13);
  // At theta = 0 the reward alone: 4 eta x_max R/n.
  const auto first = niht_vector(plan, data(2.0), {}), other = niht_vector(plan, data(-2.0), {});
  EXPECT_DOUBLE_EQ(first[1] - other[1], -6.0);
  EXPECT_NEAR(niht_sensitivity(plan, bounds, 0), 6.0, 1e-13);
}

TEST(NihtSensitivity, BoundsEveryPairOfRecords) {
  auto random = niht_stream(5);
  const RegressionData::Clip clip{0.7, 1.1};
  double most = 0.0;
  for (int trial = 0; trial < 4000; ++trial) {
    const NihtPlan plan{.iterations = 2, .step = 0.2, .projection = 0.9};
    SparseVector theta{{0, 2}, {uniform_of_size(random, 1.0), uniform_of_size(random, 1.0)}};
    project_onto_l1_ball(theta.values, plan.projection);
    auto records = random_records(random, 3, 4, 2.0);
    const auto v = niht_vector(plan, data_of(records, 2, clip), theta);
    records.x[1] = random_vector(random, 4, 2.0);
    records.y[1] = uniform_of_size(random, 3.0);
    const auto w = niht_vector(plan, data_of(records, 2, clip), theta);
    for (std::size_t j = 0; j < 4; ++j) most = std::max(most, std::fabs(v[j] - w[j]));
  }
  const double bound = niht_sensitivity({.iterations = 2, .step = 0.2, .projection = 0.9},
                                        {.records = 3, .context = 0.7, .reward = 1.1}, 1);
  EXPECT_LE(most, bound);
  EXPECT_GT(most, 0.6 * bound);
}

// The printed scale, and the corrected one against the numerical composition of all releases.
TEST(NihtNoise, IsAsPrintedOrAsMuchAsTheBudgetNeedsAtEverySize) {
  const NihtPlan plan{.sparsity = 10, .iterations = 3, .step = 1e-4, .projection = 4.0};
  const NihtBounds bounds{.records = 64, .context = 2.0, .reward = 5.0, .b_max = 4.0};
  const double printed = niht_unit_scale(plan, {2.0, 0.01, Calibration::kPaper}).value();
  EXPECT_NEAR(printed, 2.0 * std::sqrt(3.0 * 10.0 * std::log(3.0 / 0.01)) * 3.0 / 2.0, 1e-12);
  const auto paper = niht_with_noise(plan, bounds, printed, Calibration::kPaper).value();
  EXPECT_NEAR(paper.scale, printed * 1e-4 * (5.0 + 2.0 * 4.0) / 64.0, 1e-17);
  EXPECT_EQ(paper.first_scale, paper.scale);
  for (const std::int64_t iterations : {1, 2, 14}) {
    for (const std::int64_t sparsity : {1, 10, 60}) {
      for (const double epsilon : {0.1, 1.0, 10.0}) {
        auto sized = plan;
        sized.iterations = iterations;
        sized.sparsity = sparsity;
        const double unit =
            niht_unit_scale(sized, {epsilon, 0.01, Calibration::kCorrected}).value();
        const auto noisy = niht_with_noise(sized, bounds, unit, Calibration::kCorrected).value();
        // What a record moves, over the scale, is at most 1/unit in every iteration.
        EXPECT_GE(noisy.first_scale, unit * niht_sensitivity(sized, bounds, 0));
        EXPECT_GE(noisy.scale, unit * niht_sensitivity(sized, bounds, 1));
        const std::int64_t releases = iterations * sparsity;
        const std::vector<PldTerm> terms{
            {loss_of::randomized_response(2.0 / unit).value(), releases},
            {loss_of::laplace(unit).value(), releases}};
        const auto delta = pld_delta(terms, Epsilon{epsilon}).value();
        EXPECT_LE(delta.upper.value.value, 0.01) << iterations << ' ' << sparsity << ' ' << epsilon;
        if (releases == 20) {
          EXPECT_LE(niht_proved_epsilon(noisy, bounds, 0.01), epsilon * (1.0 + 2e-6));
        }
      }
    }
  }
  // delta = 0: the sum of 3 M s levels.
  EXPECT_NEAR(niht_unit_scale(plan, {2.0, 0.0, Calibration::kCorrected}).value(), 45.0, 1e-9);
}

TEST(NihtNoise, IsRefusedByField) {
  const NihtPlan plan{.sparsity = 10, .iterations = 3, .step = 1e300};
  EXPECT_EQ(niht_unit_scale(plan, {1.0, 0.0, Calibration::kPaper}).error().path, "/delta");
  const auto huge = niht_with_noise(plan, {}, 1.0, Calibration::kCorrected);
  EXPECT_EQ(huge.error().path, "/step");
  EXPECT_THAT(huge.error().message, HasSubstr("1e-100 to 1e15"));
  const auto none = niht_with_noise({.iterations = 0}, {}, 0.0, Calibration::kCorrected).value();
  EXPECT_EQ(none.scale, 0.0);
  EXPECT_EQ(niht_proved_epsilon({.iterations = 0}, {}, 0.01), 0.0);
  EXPECT_EQ(niht_proved_epsilon({.iterations = 1}, {}, 0.01), HUGE_VAL);
}

TEST(NihtSteps, FollowTheListing) {
  auto random = niht_stream(6);
  const RegressionData::Clip clip{0.8, 0.6};
  const auto records = random_records(random, 40, 12, 1.0);
  for (const double scale : {0.0, 0.05}) {
    for (const std::int64_t iterations : {0, 1, 4, 9}) {
      const NihtPlan plan{.sparsity = 3,
                          .iterations = iterations,
                          .step = 0.4,
                          .projection = 0.35,
                          .first_scale = scale,
                          .scale = 2.0 * scale};
      const auto data = data_of(records, iterations, clip);
      auto noise = niht_stream(7);
      Vector theta(12, 0.0);
      std::int64_t steps = 0;
      const auto estimate = run_niht(plan, data, noise, [&](const NihtStep& step) {
        EXPECT_EQ(step.iteration, steps++);
        auto v = plain_gradient(records, theta, 2.0, clip);
        for (std::size_t j = 0; j < 12; ++j) v[j] = theta[j] - 0.4 * v[j];
        expect_near(step.vector, v, 1e-14);
        ASSERT_EQ(step.released.indices.size(), 3u);
        if (scale == 0.0) {
          std::vector<std::size_t> order(12);
          for (std::size_t j = 0; j < 12; ++j) order[j] = j;
          std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::fabs(v[a]) > std::fabs(v[b]);
          });
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(step.released.indices[k], static_cast<std::int64_t>(order[k]));
            EXPECT_NEAR(step.released.values[k], v[order[k]], 1e-14);
          }
        }
        Vector next(12, 0.0);
        for (std::size_t k = 0; k < 3; ++k) {
          next[static_cast<std::size_t>(step.released.indices[k])] = step.released.values[k];
        }
        theta = plainly_projected(next, 0.35);
        expect_near(dense(step.estimate, 12), theta, 1e-14);
        EXPECT_TRUE(check_signal(step.estimate, 12));
      });
      EXPECT_EQ(steps, iterations);
      expect_near(dense(estimate, 12), theta, 1e-14);
      auto again = niht_stream(7);
      EXPECT_EQ(run_niht(plan, data, again, [](const NihtStep&) {}), estimate);
    }
  }
}

TEST(NihtSteps, BreakTiesByTheFirst) {
  const auto data = data_of({{{1, -1, 1, 1}}, {1.0}}, 1, {});
  auto noise = niht_stream(8);
  const auto step = niht_step({.sparsity = 2, .projection = 9.0}, data, 0, {}, noise);
  EXPECT_EQ(step.released.indices, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(step.estimate, (SparseVector{{0, 1}, {2.0, -2.0}}));
}

// Noise of b_0 in the first iteration, b after it: the mean of 4,000 sizes of each, whose standard
// deviation is the scale over sqrt(4000); six of them, alpha 4e-9.
TEST(NihtSteps, ReleaseValuesWithTheNoiseOfTheirIteration) {
  const auto data = data_of({{{1, 1, 1, 1}}, {1.0}}, 3, {});
  const NihtPlan plan{.sparsity = 2,
                      .iterations = 3,
                      .step = 0.1,
                      .projection = 9.0,
                      .first_scale = 0.5,
                      .scale = 2.0};
  double sizes[3] = {};
  std::map<double, int> seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    auto noise = ReplayStream({.seed = seed, .purpose = hash_purpose("tests/niht noise")});
    run_niht(plan, data, noise, [&](const NihtStep& step) {
      for (std::size_t k = 0; k < 2; ++k) {
        const double drawn = step.released.values[k] -
                             step.vector[static_cast<std::size_t>(step.released.indices[k])];
        sizes[step.iteration] += std::fabs(drawn) / 4000.0;
        ++seen[drawn];
      }
    });
  }
  const double width = 6.0 / std::sqrt(4000.0);
  EXPECT_NEAR(sizes[0], 0.5, 0.5 * width);
  EXPECT_NEAR(sizes[1], 2.0, 2.0 * width);
  EXPECT_NEAR(sizes[2], 2.0, 2.0 * width);
  // No noise twice: 12,000 draws, but for subtractions that round alike.
  EXPECT_GE(seen.size(), 11'990u);
}

}  // namespace
}  // namespace assay
