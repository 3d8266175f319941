// Max-Det collections against enumeration, designs against closed forms, spans against inner
// products. Nothing here uses Eigen.
#include "assay/policies/linear/linear_algebra.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

ArmFeatures random_features(std::int64_t arms, std::int64_t dimension, std::uint64_t seed) {
  ArmFeatures out{arms, dimension, {}};
  ReplayStream random({.seed = seed});
  for (std::int64_t k = 0; k < arms * dimension; ++k) out.values.push_back(random.uniform() - 0.5);
  return out;
}

std::vector<int> every_arm(const ArmFeatures& features) {
  std::vector<int> all(static_cast<std::size_t>(features.arms));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Gaussian elimination in long double: x with sum_j x_j column_j = right, and |det|.
struct Solved {
  std::vector<long double> x;
  long double determinant = 1.0L;
};
Solved solve(const ArmFeatures& vectors, const std::vector<int>& columns,
             std::span<const double> right) {
  const std::size_t n = columns.size();
  std::vector<std::vector<long double>> rows(n, std::vector<long double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = vectors.of(columns[j])[i];
    rows[i][n] = right[i];
  }
  Solved out{std::vector<long double>(n), 1.0L};
  for (std::size_t c = 0; c < n; ++c) {
    const auto pivot =
        std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(c), rows.end(),
                         [c](auto& a, auto& b) { return std::fabs(a[c]) < std::fabs(b[c]); });
    std::swap(rows[c], *pivot);
    out.determinant *= std::fabs(rows[c][c]);
    if (rows[c][c] == 0.0L) return out;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == c) continue;
      const long double share = rows[i][c] / rows[c][c];
      for (std::size_t k = c; k <= n; ++k) rows[i][k] -= share * rows[c][k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) out.x[i] = rows[i][n] / rows[i][i];
  return out;
}

double determinant(const ArmFeatures& vectors, const std::vector<int>& columns) {
  return static_cast<double>(solve(vectors, columns, vectors.of(columns.front())).determinant);
}

double largest_determinant(const ArmFeatures& vectors) {
  std::vector<bool> taken(static_cast<std::size_t>(vectors.arms), false);
  std::fill_n(taken.begin(), vectors.dimension, true);
  double most = 0.0;
  do {
    std::vector<int> columns;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) columns.push_back(static_cast<int>(i));
    }
    most = std::max(most, determinant(vectors, columns));
  } while (std::prev_permutation(taken.begin(), taken.end()));
  return most;
}

// The largest |alpha|, by other means.
double largest_coordinate(const ArmFeatures& vectors, const std::vector<int>& members) {
  long double most = 0.0L;
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    for (const auto x : solve(vectors, members, vectors.of(i)).x) {
      most = std::max(most, std::fabs(x));
    }
  }
  return static_cast<double>(most);
}

TEST(MaxDet, IsThatOfExhaustiveEnumerationOnEverySmallCase) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (std::int64_t r = 1; r <= 5; ++r) {
      for (const std::int64_t s : {r, r + 1, r + 3, 2 * r + 2}) {
        const auto vectors = random_features(s, r, 100 * seed + static_cast<std::uint64_t>(s));
        const auto found = max_det_collection(vectors);
        EXPECT_TRUE(found.is_maximum);
        EXPECT_TRUE(std::is_sorted(found.members.begin(), found.members.end()));
        EXPECT_NEAR(determinant(vectors, found.members) / largest_determinant(vectors), 1.0, 1e-12)
            << s << " vectors, " << r << " dimensions, seed " << seed;
        EXPECT_LE(found.largest, 1.0 + kMaxDetTolerance);
      }
    }
  }
}

TEST(MaxDet, ByExchangesKeepsItsCertificateWhereTheSearchIsTooLarge) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto vectors = random_features(34, 4, seed);  // 46,376 collections
    const auto found = max_det_collection(vectors);
    EXPECT_FALSE(found.is_maximum);
    EXPECT_LE(found.largest, 1.0 + kMaxDetTolerance);
    EXPECT_NEAR(found.largest, largest_coordinate(vectors, found.members), 1e-12);
    // One exchange does not improve it, and it comes near the maximum.
    EXPECT_GE(determinant(vectors, found.members) / largest_determinant(vectors), 0.8);
  }
}

TEST(MaxDet, CoordinatesGiveTheVectorsBack) {
  const auto vectors = random_features(50, 6, 5);
  const auto found = max_det_collection(vectors);
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    for (std::size_t e = 0; e < 6; ++e) {
      double sum = 0.0;
      for (std::size_t j = 0; j < 6; ++j) {
        sum += found.coordinates[static_cast<std::size_t>(i) * 6 + j] *
               vectors.of(found.members[j])[e];
      }
      EXPECT_NEAR(sum, vectors.of(i)[e], 1e-13);
    }
  }
}

TEST(MaxDet, CertifiesTenThousandVectorsInSixteenDimensions) {
  const auto vectors = random_features(10'000, 16, 7);
  const auto found = max_det_collection(vectors);
  EXPECT_LE(found.largest, 1.0 + kMaxDetTolerance);
  EXPECT_LE(largest_coordinate(vectors, found.members), 1.0 + kMaxDetTolerance);
}

// Directions of length 1e-8 beside one of length 1: what rounding suggests must not go in circles.
TEST(MaxDet, EndsAndKeepsItsCertificateWhereVectorsAreNearlyDependent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const double small : {1e-4, 1e-8}) {
      auto vectors = random_features(60, 4, seed);
      for (std::int64_t i = 0; i < 60; ++i) {
        const auto a = vectors.of(i);
        a[1] = a[0] + small * a[1];  // dense, so that no scaling of rows undoes it
        a[2] = a[0] - a[1] + small * a[2];
        a[3] = 0.5 * a[0] + a[3];
      }
      const auto found = max_det_collection(vectors);
      EXPECT_LE(found.largest, 1.0 + kMaxDetTolerance) << seed << ", " << small;
      EXPECT_LE(largest_coordinate(vectors, found.members), 1.0 + 1e-8);
    }
  }
}

TEST(MaxDet, DoesNotDependOnScaleAndTakesTheFirstOfEquals) {
  const ArmFeatures square{4, 2, {1, 0, 0, 1, -1, 0, 0, -1}};
  EXPECT_EQ(max_det_collection(square).members.size(), 2u);
  ArmFeatures scaled = random_features(17, 4, 9);
  const auto members = max_det_collection(scaled).members;
  for (double& value : scaled.values) value *= 0x1p330;  // near 1e99: |det| overflows
  EXPECT_EQ(max_det_collection(scaled).members, members);
}

TEST(Span, KeepsInnerProductsAndFindsTheRank) {
  // 12 vectors in a 3-dimensional part of R^7.
  const auto inside = random_features(12, 3, 11);
  const auto axes = random_features(3, 7, 12);
  ArmFeatures vectors{12, 7, std::vector<double>(84, 0.0)};
  for (std::int64_t i = 0; i < 12; ++i) {
    for (std::size_t e = 0; e < 7; ++e) {
      for (std::int64_t k = 0; k < 3; ++k) {
        vectors.of(i)[e] += inside.of(i)[static_cast<std::size_t>(k)] * axes.of(k)[e];
      }
    }
  }
  const std::vector<int> active{0, 2, 3, 5, 7, 11};
  const auto reduced = in_their_span(vectors, active);
  ASSERT_EQ(reduced.dimension, 3);
  ASSERT_EQ(reduced.arms, 6);
  const auto product = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (std::size_t i = 0; i < active.size(); ++i) {
    for (std::size_t j = 0; j < active.size(); ++j) {
      EXPECT_NEAR(product(reduced.of(static_cast<std::int64_t>(i)),
                          reduced.of(static_cast<std::int64_t>(j))),
                  product(vectors.of(active[i]), vectors.of(active[j])), 1e-14);
    }
  }
  // Two arms of one direction.
  const ArmFeatures counterparts{2, 3, {1, 2, 2, -2, -4, -4}};
  const auto line = in_their_span(counterparts, every_arm(counterparts));
  ASSERT_EQ(line.dimension, 1);
  EXPECT_NEAR(std::fabs(line.values[0]), 3.0, 1e-15);
  EXPECT_NEAR(line.values[1], -2.0 * line.values[0], 1e-15);
}

TEST(Span, LeavesCoordinatesAloneWhereTheVectorsSpanTheSpace) {
  const auto vectors = random_features(6, 4, 13);
  const std::vector<int> active{1, 2, 4, 5};
  const auto same = in_their_span(vectors, active);
  ASSERT_EQ(same.dimension, 4);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const auto row = vectors.of(active[i]);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), same.of(static_cast<std::int64_t>(i)).begin()));
  }
}

TEST(Span, DoesNotDependOnTheArmsScales) {
  const auto rank = [](const ArmFeatures& features) {
    return in_their_span(features, every_arm(features)).dimension;
  };
  EXPECT_EQ(rank({2, 2, {1, 0, 0, 1e11}}), 2);
  EXPECT_EQ(rank({2, 2, {0, 1e-200, 1e-200, 0}}), 2);
  EXPECT_EQ(rank({2, 2, {1e100, 0, 0, 1e-100}}), 2);
  EXPECT_EQ(rank({3, 3, {1, 1, 1, 1e90, 0, 0, 1, 1e-11, 0}}), 2);  // of directions
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto plane = random_features(9, 2, seed);
    ArmFeatures features{9, 4, {}};
    for (std::int64_t i = 0; i < 9; ++i) {
      const auto a = plane.of(i);
      const double scale = std::pow(10.0, 20.0 * static_cast<double>(i) - 90.0);
      for (const double x : {a[0], a[1], a[0] + a[1], a[0] - a[1]}) {
        features.values.push_back(scale * x);
      }
    }
    EXPECT_EQ(rank(features), 2) << seed;
  }
}

// From pulls of r vectors the score of each is its own mean, whatever the scales.
TEST(LeastSquares, ScoresEachOfABasisByItsOwnMeanAtAnyScale) {
  const std::vector<ArmFeatures> bases{{2, 2, {1, 0, 0, 1e11}},
                                       {2, 2, {0.6, 0.8, 0.8e11, -0.6e11}},
                                       {2, 2, {1e-100, 0, 0, 1e100}},
                                       random_features(3, 3, 4)};
  for (const auto& vectors : bases) {
    const auto design = g_optimal_design(vectors);
    EXPECT_LE(design.gap, 1e-8);
    const std::vector<double> pulls(static_cast<std::size_t>(vectors.arms), 50.0);
    const auto weights = least_squares(vectors, pulls);
    const auto r = static_cast<std::size_t>(vectors.dimension);
    for (std::size_t i = 0; i < r; ++i) {
      EXPECT_NEAR(design.weights[i], 1.0 / static_cast<double>(r), 1e-9);
      for (std::size_t j = 0; j < r; ++j) {
        const auto a = vectors.of(static_cast<std::int64_t>(j));
        const double share = 50.0 * std::inner_product(a.begin(), a.end(), &weights[i * r], 0.0);
        EXPECT_NEAR(share, i == j ? 1.0 : 0.0, 1e-3) << i << ", " << j;
      }
    }
  }
}

TEST(GOptimal, OfABasisIsUniform) {
  ArmFeatures basis{5, 5, std::vector<double>(25, 0.0)};
  for (std::int64_t i = 0; i < 5; ++i) basis.of(i)[static_cast<std::size_t>(i)] = 1.0 + double(i);
  const auto design = g_optimal_design(basis);
  for (const double weight : design.weights) EXPECT_NEAR(weight, 0.2, 1e-9);
  EXPECT_LE(design.gap, 1e-8);
}

// Regression of degree r - 1 on [-1, 1]: equal weights at -1, 1 and the zeros of P'_{r-1} (Hoel).
TEST(GOptimal, OfPolynomialRegressionIsHoels) {
  for (const auto& [degree, inner] : {std::pair{2, 0.0}, {3, std::sqrt(0.2)}}) {
    ArmFeatures points{0, degree + 1, {}};
    std::vector<double> at;
    for (int k = -10; k <= 10; ++k) at.push_back(0.1 * k);
    at.push_back(inner);
    at.push_back(-inner);
    for (const double x : at) {
      for (int power = 0; power <= degree; ++power) points.values.push_back(std::pow(x, power));
      ++points.arms;
    }
    const auto design = g_optimal_design(points);
    EXPECT_LE(design.gap, 1e-8);
    double found = 0.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const bool optimal =
          std::fabs(std::fabs(at[i]) - 1.0) < 1e-9 || std::fabs(std::fabs(at[i]) - inner) < 1e-9;
      if (optimal) found += design.weights[i];
      EXPECT_LE(optimal ? 0.0 : design.weights[i], 1e-3) << at[i];
    }
    EXPECT_NEAR(found, 1.0, 1e-3);
  }
}

TEST(GOptimal, HoldsItsCertificateByOtherMeansAndHasASmallSupport) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::int64_t r = 2 + static_cast<std::int64_t>(seed % 4);
    const auto vectors = random_features(60, r, seed);
    const auto design = g_optimal_design(vectors);
    EXPECT_NEAR(std::accumulate(design.weights.begin(), design.weights.end(), 0.0), 1.0, 1e-12);
    EXPECT_LE(std::count_if(design.weights.begin(), design.weights.end(),
                            [](double w) { return w > 0.0; }),
              r * (r + 1) / 2);
    // V as columns, then g_i = a_i^T x with V x = a_i.
    ArmFeatures v{r, r, std::vector<double>(static_cast<std::size_t>(r * r), 0.0)};
    for (std::int64_t i = 0; i < vectors.arms; ++i) {
      const auto a = vectors.of(i);
      for (std::size_t k = 0; k < a.size(); ++k) {
        for (std::size_t l = 0; l < a.size(); ++l) {
          v.of(static_cast<std::int64_t>(k))[l] +=
              design.weights[static_cast<std::size_t>(i)] * a[k] * a[l];
        }
      }
    }
    double most = 0.0;
    for (std::int64_t i = 0; i < vectors.arms; ++i) {
      const auto x = solve(v, every_arm(v), vectors.of(i)).x;
      double g = 0.0;
      for (std::size_t k = 0; k < x.size(); ++k) g += static_cast<double>(x[k]) * vectors.of(i)[k];
      most = std::max(most, g);
    }
    EXPECT_NEAR(most / static_cast<double>(r) - 1.0, design.gap, 1e-9);
    EXPECT_LE(design.gap, 1e-6);
  }
}

TEST(GOptimal, ThinsOutAUniformDesignOnTheCircle) {
  ArmFeatures circle{12, 2, {}};
  for (int k = 0; k < 12; ++k) {
    circle.values.push_back(std::cos(k * std::acos(-1.0) / 6.0));
    circle.values.push_back(std::sin(k * std::acos(-1.0) / 6.0));
  }
  const auto design = g_optimal_design(circle);
  EXPECT_LE(design.gap, 1e-8);
  EXPECT_LE(
      std::count_if(design.weights.begin(), design.weights.end(), [](double w) { return w > 0.0; }),
      3);
}

}  // namespace
}  // namespace assay
