// The distance by which a record moves a matrix mechanism, against every pattern of participations of few steps, and its
// steps in accounts against Gaussian noise.
#include "assay/mechanisms/accounting/matrix_sensitivity.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/matrix_step.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Rows = std::vector<std::vector<double>>;

std::vector<Participation> few_steps() {
  std::vector<Participation> all;
  for (const std::int64_t steps : {1, 2, 5, 8, 11}) {
    for (std::int64_t k = 1; k <= std::min<std::int64_t>(steps, 4); ++k) {
      for (std::int64_t b = 1; b <= std::min<std::int64_t>(steps, 5); ++b) {
        for (const auto spacing : {Spacing::kAtLeast, Spacing::kExact}) {
          all.push_back({steps, k, b, spacing});
        }
      }
    }
  }
  return all;
}

// The largest |C x|^2 over all x with entries -1, 0 and 1 that follow the pattern; with `most`, over absolute values of G.
double largest(const Rows& rows, const Participation& p, bool signs) {
  double found = 0.0;
  for (std::uint32_t set = 1; set < (1U << p.steps); ++set) {
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < p.steps; ++i) {
      if ((set >> i & 1U) != 0) at.push_back(i);
    }
    bool fits = std::ssize(at) <= p.participations;
    for (std::size_t i = 1; i < at.size(); ++i) {
      const auto gap = at[i] - at[i - 1];
      fits = fits && (p.spacing == Spacing::kExact ? gap == p.separation : gap >= p.separation);
    }
    if (!fits) continue;
    for (std::uint32_t negative = 0; negative < (signs ? 1U << at.size() : 1U); ++negative) {
      double squares = 0.0;
      for (const auto& row : rows) {
        double sum = 0.0;
        for (std::size_t i = 0; i < at.size(); ++i) {
          const double entry = row[static_cast<std::size_t>(at[i])];
          sum += (negative >> i & 1U) != 0 ? -entry : entry;
        }
        squares += sum * sum;
      }
      found = std::max(found, squares);
    }
  }
  return found;
}

Rows toeplitz_rows(const std::vector<double>& c, std::int64_t steps) {
  Rows rows(static_cast<std::size_t>(steps), std::vector<double>(static_cast<std::size_t>(steps)));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i <= r; ++i) rows[r][i] = r - i < c.size() ? c[r - i] : 0.0;
  }
  return rows;
}

Rows tree_rows(std::int64_t steps) {
  Rows rows;
  for (std::int64_t width = 1; width <= steps; width *= 2) {
    for (std::int64_t from = 0; from + width <= steps; from += width) {
      auto& row = rows.emplace_back(static_cast<std::size_t>(steps));
      for (std::int64_t i = from; i < from + width; ++i) row[static_cast<std::size_t>(i)] = 1.0;
    }
  }
  return rows;
}

void expect_between(SquaredDistance bounds, double truth) {
  EXPECT_LE(bounds.low, truth * (1.0 + 1e-13));
  EXPECT_GE(bounds.high, truth * (1.0 - 1e-13));
}
void expect_exact(SquaredDistance bounds, double truth) {
  expect_between(bounds, truth);
  EXPECT_LE(bounds.high, bounds.low * (1.0 + 1e-11));
}

TEST(MatrixSensitivity, ToeplitzMatricesThatFallAreExact) {
  const std::vector<std::vector<double>> columns{
      {1.0}, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, {2.0, 1.5, 1.5, 0.25}};
  for (Participation p : few_steps()) {
    for (auto c : columns) {
      c.resize(std::min(c.size(), static_cast<std::size_t>(p.steps)));
      expect_exact(must(toeplitz_distance(c, p)), largest(toeplitz_rows(c, p.steps), p, true));
    }
    const auto root = square_root_coefficients(p.steps);
    expect_exact(must(toeplitz_distance(root, p, 1e-15)),
                 largest(toeplitz_rows(root, p.steps), p, true));
  }
}

TEST(MatrixSensitivity, SquareRootCoefficientsSquareToPrefixSums) {
  const auto c = square_root_coefficients(200);
  for (std::size_t n = 0; n < c.size(); ++n) {
    double sum = 0.0;
    for (std::size_t s = 0; s <= n; ++s) sum += c[s] * c[n - s];
    EXPECT_NEAR(sum, 1.0, 1e-13);
  }
}

TEST(MatrixSensitivity, TreesAreExactForOneParticipationAndAlignedSeparations) {
  for (const Participation& p : few_steps()) {
    const auto bounds = must(tree_distance(p));
    const double truth = largest(tree_rows(p.steps), p, false);
    expect_between(bounds, truth);
    const auto b = static_cast<std::uint64_t>(p.separation);
    const bool aligned = std::has_single_bit(b) && p.steps % p.separation == 0;
    if (p.participations == 1 || aligned || p.spacing == Spacing::kExact) {
      expect_exact(bounds, truth);
    }
  }
  expect_exact(must(tree_distance({1'000'000, 1, 1, Spacing::kAtLeast})), 20.0);
  expect_exact(must(tree_distance({1024, 4, 256, Spacing::kAtLeast})), 4.0 * 9.0 + 8.0 + 16.0);
}

TEST(MatrixSensitivity, AnyMatrixIsBetweenItsBounds) {
  const std::vector<std::vector<double>> columns{
      {1.0, -0.6, 0.3}, {0.3, 0.9, -0.9, 0.2, 0.5}, {1.0, 2.0, 0.5}, {-1.0, -1.0, 0.7}};
  for (const Participation& p : few_steps()) {
    for (auto c : columns) {
      c.resize(std::min(c.size(), static_cast<std::size_t>(p.steps)));
      const Rows rows = toeplitz_rows(c, p.steps);
      const auto bounds = must(matrix_distance(rows, p));
      expect_between(bounds, largest(rows, p, true));
      expect_between(must(toeplitz_distance(c, p)), largest(rows, p, true));
      // Bands that do not reach the next participation leave no cross products.
      if (std::ssize(c) <= p.separation) expect_exact(bounds, largest(rows, p, true));
    }
    expect_between(must(matrix_distance(tree_rows(p.steps), p)),
                   largest(tree_rows(p.steps), p, true));
  }
}

// Participations that are vectors, of a matrix with negative products: no more than the bound.
TEST(MatrixSensitivity, VectorsStayBelowTheBound) {
  const Rows rows{{1.0, -0.5, -0.5}, {0.0, 1.0, -0.5}, {0.0, 0.0, 1.0}};
  const auto bounds = must(matrix_distance(rows, {3, 3, 1, Spacing::kAtLeast}));
  double worst = 0.0;
  for (int first = 0; first < 60; ++first) {
    for (int second = 0; second < 60; ++second) {
      const double angle[] = {0.0, std::numbers::pi / 30.0 * first,
                              std::numbers::pi / 30.0 * second};
      double squares = 0.0;
      for (const auto& row : rows) {
        double x = 0.0, y = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          x += row[i] * std::cos(angle[i]);
          y += row[i] * std::sin(angle[i]);
        }
        squares += x * x + y * y;
      }
      worst = std::max(worst, squares);
    }
  }
  EXPECT_LE(worst, bounds.high);
  EXPECT_GE(worst, bounds.low * (1.0 - 1e-12));
}

TEST(MatrixSensitivity, ErrorsNameTheParameter) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of(tree_distance({0, 1, 1, {}})), HasSubstr("steps must be 1 to 1000000"));
  EXPECT_THAT(refusal_of(tree_distance({5, 6, 1, {}})), HasSubstr("participations must be 1 to 5"));
  EXPECT_THAT(refusal_of(tree_distance({5, 1, 6, {}})), HasSubstr("separation must be 1 to 5"));
  EXPECT_THAT(refusal_of(toeplitz_distance({}, {5, 1, 1, {}})), HasSubstr("coefficients must be"));
  const std::vector<double> rises{0.5, 1.0};
  EXPECT_THAT(refusal_of(toeplitz_distance(rises, {5000, 1, 1, {}})),
              HasSubstr("steps must be 1 to 2000"));
  EXPECT_THAT(refusal_of(matrix_distance({{1.0, 2.0}}, {3, 1, 1, {}})),
              HasSubstr("as many columns as steps, not 2 columns"));
}

// ---- steps of a chain ---------------------------------------------------------------------------

StepMechanism matrix_step(std::vector<KeyValue> given) {
  return must(make_step("matrix-factorization", given));
}
AccountAnswer matrix_answer(const StepMechanism& step, std::int64_t count = 1) {
  const std::vector<ChainStep> chain{{step, count, ""}};
  return must(account_for(chain, std::vector<AccountTarget>{{{}, 1e-6}})).front();
}
void expect_same(const AccountAnswer& one, const AccountAnswer& other) {
  EXPECT_NEAR(one.upper, other.upper, 2e-4);
  EXPECT_LE(*one.lower, other.upper);
  EXPECT_LE(*other.lower, one.upper);
  EXPECT_EQ(one.is_exact, other.is_exact);
}

TEST(MatrixStep, AnAccountIsThatOfGaussianNoiseAtTheDistance) {
  const auto tree =
      matrix_step({{"factor", "tree"}, {"steps", "1000"}, {"sigma", "6"}, {"sensitivity", "2"}});
  expect_same(matrix_answer(tree), matrix_answer(GaussianStep{3.0 / std::sqrt(10.0)}));
  expect_same(matrix_answer(tree, 5), matrix_answer(GaussianStep{3.0 / std::sqrt(50.0)}));
  // The harmonic-like sum of the squared coefficients, 1 + 1/4 + 9/64 + 25/256.
  const auto root = matrix_step({{"factor", "square-root"}, {"steps", "4"}, {"sigma", "2"}});
  const double norm = std::sqrt(1.0 + 0.25 + 9.0 / 64.0 + 25.0 / 256.0);
  expect_same(matrix_answer(root), matrix_answer(GaussianStep{2.0, norm}));
  const auto replaced = matrix_step(
      {{"factor", "square-root"}, {"steps", "4"}, {"sigma", "2"}, {"relation", "replace-one"}});
  expect_same(matrix_answer(replaced), matrix_answer(GaussianStep{2.0, 2.0 * norm}));
  const auto banded = matrix_step({{"factor", "square-root"},
                                   {"bands", "2"},
                                   {"steps", "9"},
                                   {"participations", "3"},
                                   {"separation", "4"},
                                   {"sigma", "2"}});
  // Steps 0, 4 and 8; the last has no row for its second coefficient.
  expect_same(matrix_answer(banded), matrix_answer(GaussianStep{2.0, std::sqrt(3.5)}));
  EXPECT_TRUE(matrix_answer(tree).closed);
}

TEST(MatrixStep, AMatrixOfAFileIsThatOfItsRows) {
  const TemporaryFolder folder;
  const std::string path = folder.write("c.csv", "1, 0, 0\n0.5,1,0\n\n0.375,0.5,1\n");
  const auto of_file =
      matrix_step({{"factor", path}, {"steps", "3"}, {"participations", "2"}, {"sigma", "2"}});
  const auto root = matrix_step(
      {{"factor", "square-root"}, {"steps", "3"}, {"participations", "2"}, {"sigma", "2"}});
  expect_same(matrix_answer(of_file), matrix_answer(root));
  EXPECT_EQ(to_string(must(make_step(step_name(of_file), step_parameters(of_file)))),
            to_string(of_file));
  folder.write("c.csv", "1,0,0\n0.5,x,0\n");
  EXPECT_THAT(refusal_of(make_step(
                  "matrix-factorization",
                  std::vector<KeyValue>{{"factor", path}, {"steps", "3"}, {"sigma", "2"}})),
              ::testing::HasSubstr("line 2: entry 2 must be a number"));
}

TEST(MatrixStep, BoundsThatDoNotMeetAreBetweenTwoPairs) {
  const auto mixed = matrix_step({{"factor", "toeplitz"},
                                  {"coefficients", "0.3,0.9,-0.9,0.2,0.5"},
                                  {"steps", "12"},
                                  {"participations", "3"},
                                  {"separation", "2"},
                                  {"sigma", "4"}});
  const auto answer = matrix_answer(mixed);
  EXPECT_FALSE(answer.is_exact);
  EXPECT_LT(*answer.lower, answer.upper);
  EXPECT_THAT(answer.route, ::testing::HasSubstr("between two pairs"));
}

TEST(MatrixStep, RefusalsSayWhatIsWrong) {
  using ::testing::HasSubstr;
  const auto refusal = [](std::vector<KeyValue> given) {
    given.push_back({"sigma", "2"});
    return refusal_of(make_step("matrix-factorization", given));
  };
  EXPECT_THAT(refusal({{"steps", "4"}}), HasSubstr("needs factor"));
  EXPECT_THAT(refusal({{"factor", "tree"}}), HasSubstr("needs steps"));
  EXPECT_THAT(refusal({{"factor", "root"}, {"steps", "4"}}), HasSubstr("factor must be identity"));
  EXPECT_THAT(refusal({{"factor", "toeplitz"}, {"steps", "4"}}), HasSubstr("need each other"));
  EXPECT_THAT(refusal({{"factor", "tree"}, {"steps", "4"}, {"bands", "2"}}),
              HasSubstr("bands is for the factor square-root"));
  EXPECT_THAT(refusal({{"factor", "none.csv"}, {"steps", "4"}}), HasSubstr("none.csv"));
  EXPECT_THAT(
      refusal({{"factor", "tree"}, {"steps", "4"}, {"sampler", "poisson"}, {"sampling", "0.1"}}),
      HasSubstr("Nearest: gaussian with the sampler cyclic-poisson"));
}

// ---- cyclic batches -----------------------------------------------------------------------------

TEST(CyclicPoisson, ACycleIsOneSampleOfOnePart) {
  const auto step = must(make_sampled(GaussianStep{1.0}, CyclicPoissonSampler{0.08, 8, 8},
                                      SampledRelation::kAddOrRemove));
  const auto answer = matrix_answer(step, 125);
  EXPECT_LE(*answer.lower, 7.1388206 + 2e-7);
  EXPECT_GE(answer.upper, 7.1388206 - 2e-7);
  EXPECT_LE(answer.upper - *answer.lower, 1e-4);
  EXPECT_EQ(answer.worse_order, "remove");
}

// Two steps of a matrix with 2 bands and columns of norm 1, and one record that is in step 0 with probability q: the
// outputs are in the plane. The grid shares no code with the library.
TEST(CyclicPoisson, TheRowsOfOneParticipationLeakAsOneGaussian) {
  const double q = 0.3, c0 = 0.8, c1 = 0.6, h = 0.02;
  const auto losses = must(sampled_losses(must(make_sampled(
      GaussianStep{1.0}, CyclicPoissonSampler{q, 2, 2}, SampledRelation::kAddOrRemove))));
  const auto normal = [](double x) {
    return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
  };
  for (const double eps : {0.1, 0.5}) {
    double remove = 0.0;
    for (double x = -9.0; x <= 9.0; x += h) {
      for (double y = -9.0; y <= 9.0; y += h) {
        const double absent = normal(x) * normal(y);
        const double present = (1.0 - q) * absent + q * normal(x - c0) * normal(y - c1);
        remove += std::max(0.0, present - std::exp(eps) * absent) * h * h;
      }
    }
    const auto delta =
        must(pld_delta(std::vector{PldTerm{losses.dominating.remove, 1}}, Epsilon{eps}));
    EXPECT_NEAR(delta.upper.value.value, remove, 1e-4);
  }
}

TEST(CyclicPoisson, WiderBandsThanTheCycleAreRefused) {
  EXPECT_THAT(refusal_of(make_sampled(GaussianStep{1.0}, CyclicPoissonSampler{0.1, 4, 5}, {})),
              ::testing::HasSubstr("bands must be at most parts"));
  EXPECT_THAT(refusal_of(make_sampled(LaplaceStep{1.0}, CyclicPoissonSampler{0.1, 4, 2}, {})),
              ::testing::HasSubstr("bands above 1 needs gaussian"));
  EXPECT_THAT(refusal_of(make_step(
                  "gaussian", std::vector<KeyValue>{{"sigma", "1"}, {"sampler", "balls-in-bins"}})),
              ::testing::HasSubstr("Nearest: random-allocation without a matrix"));
}

}  // namespace
}  // namespace assay
