// The exact test of an event's counts, by full enumeration of small designs and against a plain
// second implementation of its definition.
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Boundary = std::function<double(double)>;

Boundary approximate(double epsilon, double delta) {
  return [=](double q) { return std::min(1.0, std::exp(epsilon) * q + delta); };
}

Boundary gaussian(double mu) {
  return [=](double q) {
    if (q <= 0.0 || q >= 1.0) return q;
    const boost::math::normal normal;
    return cdf(normal, quantile(normal, q) + mu);
  };
}

// ------------------------------------------------------------------- a plain implementation

double divergence(double a, double b) {
  double sum = 0.0;
  if (a > 0.0) sum += a * std::log(a / b);
  if (a < 1.0) sum += (1.0 - a) * std::log((1.0 - a) / (1.0 - b));
  return sum;
}

// The signed root by golden section on the boundary.
double plain_statistic(const Boundary& h, double x, double n, double y, double m) {
  const double mean = (y + 0.5) / (m + 1.0);
  if (!(x / n > h(mean))) return 0.0;
  const auto g = [&](double q) {
    return n * divergence(x / n, h(q)) + (m + 1.0) * divergence(mean, q);
  };
  double low = mean, high = 1.0 - 1e-12;
  for (int i = 0; i < 60; ++i) {
    const double a = low + 0.381966011250105 * (high - low);
    const double b = high - 0.381966011250105 * (high - low);
    const double ga = h(a) < 1.0 || x == n ? g(a) : INFINITY;
    const double gb = h(b) < 1.0 || x == n ? g(b) : INFINITY;
    (ga < gb || !std::isfinite(gb) ? high : low) = ga < gb || !std::isfinite(gb) ? b : a;
  }
  return std::sqrt(2.0 * g(low));
}

// max over a grid of C(y) of P(T >= T(x, y)), with gamma on top.
double plain_p_value(const Boundary& h, const EventCounts& c, double alpha) {
  const auto n = static_cast<double>(c.n), m = static_cast<double>(c.m);
  const double observed =
      plain_statistic(h, static_cast<double>(c.x), n, static_cast<double>(c.y), m);
  if (!(observed > 0.0)) return 1.0;
  std::vector<std::int64_t> largest_y(static_cast<std::size_t>(c.n) + 1, -1);
  for (std::int64_t x = 0; x <= c.n; ++x) {
    for (std::int64_t y = 0; y <= c.m; ++y) {
      if (plain_statistic(h, static_cast<double>(x), n, static_cast<double>(y), m) >=
          observed - 1e-6) {
        largest_y[static_cast<std::size_t>(x)] = y;
      }
    }
  }
  const double gamma = alpha / 1000.0;
  const double low = clopper_pearson_lower(c.y, c.m, gamma / 2).value.value;
  const double high = clopper_pearson_upper(c.y, c.m, gamma / 2).value.value;
  double worst = 0.0;
  constexpr int kGrid = 400;
  for (int i = 0; i <= kGrid; ++i) {
    const double q = low + (high - low) * i / kGrid;
    if (h(q) >= 1.0) {
      // Beyond, p = 1 and pi falls in q; the end of the boundary lies between two grid points.
      const double before = low + (high - low) * (i - 1) / kGrid;
      double a = before, b = q;
      for (int j = 0; j < 60; ++j) (h(0.5 * (a + b)) < 1.0 ? a : b) = 0.5 * (a + b);
      worst = std::max(worst, largest_y.back() >= 0 ? cdf(boost::math::binomial(m, a),
                                                          static_cast<double>(largest_y.back()))
                                                    : 0.0);
      break;
    }
    const boost::math::binomial distribution_x(n, h(q)), distribution_y(m, q);
    double sum = 0.0;
    for (std::int64_t x = 0; x <= c.n; ++x) {
      const std::int64_t y = largest_y[static_cast<std::size_t>(x)];
      if (y >= 0) sum += pdf(distribution_x, x) * cdf(distribution_y, y);
    }
    worst = std::max(worst, sum);
  }
  return worst + gamma;
}

TEST(EventExactTest, DecidesAsADenseGridDoes) {
  struct Case {
    EventCounts counts;
    double epsilon, delta;
  };
  const Case cases[] = {
      {{20, 50, 4, 50}, 0.5, 0.0},   {{20, 50, 5, 50}, 0.5, 0.0},   {{22, 50, 5, 50}, 0.5, 0.05},
      {{24, 50, 5, 50}, 0.5, 0.05},  {{9, 40, 2, 120}, 1.0, 0.0},   {{9, 40, 6, 120}, 1.0, 0.0},
      {{9, 40, 4, 120}, 1.0, 0.01},  {{50, 50, 14, 50}, 1.0, 0.0},  {{50, 50, 10, 50}, 1.0, 0.0},
      {{5, 60, 0, 60}, 0.0, 0.0},    {{4, 60, 0, 60}, 0.0, 0.0},    {{6, 60, 0, 60}, 0.2, 1e-5},
      {{30, 60, 20, 60}, 0.0, 0.01}, {{33, 60, 20, 60}, 0.0, 0.01}, {{58, 60, 25, 60}, 0.5, 0.0}};
  int rejected = 0;
  for (const auto& c : cases) {
    for (const double alpha : {0.05, 0.01}) {
      const auto test = ExactTest::create(c.counts, alpha).value();
      const double p_value = plain_p_value(approximate(c.epsilon, c.delta), c.counts, alpha);
      const bool refuted = test.refutes(Epsilon{c.epsilon}, Delta{c.delta});
      // The bound of the maximum is off by less than 1%.
      if (p_value > alpha) {
        EXPECT_FALSE(refuted) << c.counts.x << "/" << c.counts.n << " " << alpha;
      }
      if (p_value < 0.99 * alpha) {
        EXPECT_TRUE(refuted) << c.counts.x << "/" << c.counts.n;
      }
      rejected += refuted;
    }
  }
  EXPECT_GT(rejected, 8);
  EXPECT_LT(rejected, 24);
}

TEST(EventExactTest, DecidesOnMuAsADenseGridDoes) {
  for (const double mu : {0.3, 0.8, 1.5}) {
    for (std::int64_t x = 12; x <= 50; x += kSanitized ? 12 : 3) {
      const EventCounts counts{x, 50, 8, 60};
      const double p_value = plain_p_value(gaussian(mu), counts, 0.05);
      const bool refuted = ExactTest::create(counts, 0.05)->refutes(Mu{mu});
      if (p_value > 0.05) {
        EXPECT_FALSE(refuted) << x << " " << mu;
      }
      if (p_value < 0.98 * 0.05) {
        EXPECT_TRUE(refuted) << x << " " << mu;
      }
    }
  }
}

// ------------------------------------------------------------------- size by enumeration

// P(rejected) at p and q.
double probability_of(const std::vector<char>& rejected, std::int64_t n, std::int64_t m, double p,
                      double q) {
  const boost::math::binomial distribution_x(static_cast<double>(n), p),
      distribution_y(static_cast<double>(m), q);
  std::vector<double> of_y;
  for (std::int64_t y = 0; y <= m; ++y) of_y.push_back(pdf(distribution_y, y));
  double sum = 0.0;
  for (std::int64_t x = 0; x <= n; ++x) {
    double inner = 0.0;
    for (std::int64_t y = 0; y <= m; ++y) {
      if (rejected[static_cast<std::size_t>(x * (m + 1) + y)]) {
        inner += of_y[static_cast<std::size_t>(y)];
      }
    }
    sum += pdf(distribution_x, x) * inner;
  }
  return sum;
}

template <class Decision>
std::vector<char> all_decisions(std::int64_t n, std::int64_t m, const Decision& decision) {
  std::vector<char> rejected(static_cast<std::size_t>((n + 1) * (m + 1)));
  parallel_for(2, static_cast<std::size_t>(n + 1), [&](std::size_t row) {
    const auto x = static_cast<std::int64_t>(row);
    for (std::int64_t y = 0; y <= m; ++y) {
      rejected[static_cast<std::size_t>(x * (m + 1) + y)] = decision(EventCounts{x, n, y, m});
    }
  });
  return rejected;
}

// Largest rejection probability over the null set: its boundary, and points inside it.
double size_of(const std::vector<char>& rejected, std::int64_t n, std::int64_t m,
               const Boundary& h) {
  double size = 0.0;
  for (int i = 1; i < 300; ++i) {
    const double q = i / 300.0 * i / 300.0;  // denser where q is small
    for (const double inside : {1.0, 0.97, 0.9, 0.6}) {
      size = std::max(size, probability_of(rejected, n, m, h(q) * inside, q));
    }
  }
  return size;
}

struct Design {
  std::int64_t n, m;
};

TEST(EventExactTest, SizeIsAtMostAlphaAndNotFarBelowItByFullEnumeration) {
  for (const Design d : {Design{50, 50}, Design{40, 120}}) {
    for (const double epsilon : {0.0, 0.5, 1.5}) {
      for (const double delta : {0.0, 0.05}) {
        for (const double alpha : {0.05, 0.01}) {
          if (kSanitized && !(epsilon == 0.5 && delta > 0.0 && alpha == 0.05)) continue;
          const auto rejected = all_decisions(d.n, d.m, [&](const EventCounts& c) {
            return ExactTest::create(c, alpha)->refutes(Epsilon{epsilon}, Delta{delta});
          });
          const double size = size_of(rejected, d.n, d.m, approximate(epsilon, delta));
          EXPECT_LE(size, alpha) << d.n << " " << d.m << " " << epsilon << " " << delta;
          EXPECT_GE(size, 0.6 * alpha) << d.n << " " << d.m << " " << epsilon << " " << delta;
        }
      }
    }
    for (const double mu : {0.5, 1.5}) {
      const auto rejected = all_decisions(d.n, d.m, [&](const EventCounts& c) {
        return ExactTest::create(c, 0.05)->refutes(Mu{mu});
      });
      const double size = size_of(rejected, d.n, d.m, gaussian(mu));
      EXPECT_LE(size, 0.05) << d.n << " " << d.m << " " << mu;
      EXPECT_GE(size, 0.035) << d.n << " " << d.m << " " << mu;
    }
  }
}

TEST(EventExactTest, LowerBoundsExceedTheTruthWithProbabilityAtMostAlphaByFullEnumeration) {
  constexpr std::int64_t n = 30, m = 40;
  constexpr double alpha = 0.1;
  for (const double delta : {0.0, 0.02}) {
    std::vector<double> bound(static_cast<std::size_t>((n + 1) * (m + 1)));
    all_decisions(n, m, [&](const EventCounts& c) {
      bound[static_cast<std::size_t>(c.x * (m + 1) + c.y)] =
          ExactTest::create(c, alpha)->epsilon_lower_bound(Delta{delta}).value.value;
      return false;
    });
    for (const double epsilon : {0.0, 0.3, 0.8, 1.7}) {
      std::vector<char> wrong;
      for (const double b : bound) wrong.push_back(b > epsilon);
      EXPECT_LE(size_of(wrong, n, m, approximate(epsilon, delta)), alpha) << epsilon;
    }
    // More hits on P: never a smaller bound, up to the resolution.
    for (std::int64_t x = 1; x <= n; ++x) {
      for (std::int64_t y = 0; y <= m; ++y) {
        const auto at = static_cast<std::size_t>(x * (m + 1) + y);
        EXPECT_GE(bound[at], bound[at - static_cast<std::size_t>(m + 1)] - 0.05) << x << " " << y;
      }
    }
  }
}

// ------------------------------------------------------------------- bounds

TEST(EventExactTest, LowerBoundIsTheEndOfWhatIsRejected) {
  for (const EventCounts c :
       {EventCounts{300, 1000, 100, 1000}, EventCounts{3000, 10000, 1000, 10000},
        EventCounts{120, 800, 14, 800}, EventCounts{1000, 1000000, 10, 1000000},
        EventCounts{80, 100, 40, 900}}) {
    for (const double delta : {0.0, 1e-5, 0.01}) {
      const auto test = ExactTest::create(c, 0.05).value();
      const double bound = test.epsilon_lower_bound(Delta{delta}).value.value;
      if (bound == 0.0) continue;
      for (int i = 0; i <= 50; ++i) {
        EXPECT_TRUE(test.refutes(Epsilon{bound * i / 50}, Delta{delta})) << bound * i / 50;
      }
      // A standard error of log(x/y) is about the root of 1/x + 1/y.
      const double error =
          std::sqrt(1.0 / static_cast<double>(c.x) + 1.0 / static_cast<double>(c.y));
      EXPECT_FALSE(test.refutes(Epsilon{bound + 0.1 * error}, Delta{delta})) << c.x << " " << c.y;
    }
  }
}

TEST(EventExactTest, LowerBoundFallsInDeltaAndRisesWithAlpha) {
  const EventCounts c{400, 2000, 60, 2000};
  double before = INFINITY;
  for (const double delta : {0.0, 1e-6, 1e-3, 0.01, 0.05, 0.1, 0.3}) {
    const double bound = ExactTest::create(c, 0.05)->epsilon_lower_bound(Delta{delta}).value.value;
    EXPECT_LE(bound, before);
    before = bound;
  }
  EXPECT_EQ(before, 0.0);
  before = 0.0;
  for (const double alpha : {1e-9, 1e-6, 1e-3, 0.05, 0.3}) {
    const double bound = ExactTest::create(c, alpha)->epsilon_lower_bound(Delta{0.0}).value.value;
    EXPECT_GT(bound, before);
    before = bound;
  }
}

TEST(EventExactTest, BeatsTwoClopperPearsonLimitsAtTheSameLevel) {
  for (const EventCounts c : {EventCounts{3000, 10000, 1000, 10000}, EventCounts{250, 500, 10, 500},
                              EventCounts{1000, 1000000, 10, 1000000}}) {
    const double p = clopper_pearson_lower(c.x, c.n, 0.025).value.value;
    const double q = clopper_pearson_upper(c.y, c.m, 0.025).value.value;
    const double bound = ExactTest::create(c, 0.05)->epsilon_lower_bound(Delta{0.0}).value.value;
    EXPECT_GT(bound, std::log(p / q) + 0.02);
    EXPECT_LT(bound, std::log(static_cast<double>(c.x * c.m) / static_cast<double>(c.y * c.n)));
  }
}

// ------------------------------------------------------------------- power

TEST(EventExactTest, PowerIsTheProbabilityOfARejectionByFullEnumeration) {
  constexpr std::int64_t n = 40, m = 60;
  for (const double epsilon : {0.2, 1.0}) {
    const auto rejected = all_decisions(n, m, [&](const EventCounts& c) {
      return ExactTest::create(c, 0.05)->refutes(Epsilon{epsilon}, Delta{0.01});
    });
    for (const auto& [p, q] : {std::pair(0.5, 0.1), std::pair(0.9, 0.05), std::pair(0.3, 0.3)}) {
      EXPECT_NEAR(exact_test_power(n, m, 0.05, Epsilon{epsilon}, Delta{0.01}, p, q),
                  probability_of(rejected, n, m, p, q), 1e-6);
    }
  }
}

TEST(EventExactTest, NothingIsRefutedByCountsThatAgreeWithTheClaim) {
  const auto test = ExactTest::create({10, 100, 10, 100}, 0.5).value();
  EXPECT_EQ(test.epsilon_lower_bound(Delta{0.0}).value.value, 0.0);
  EXPECT_EQ(test.mu_lower_bound().value.value, 0.0);
  EXPECT_FALSE(test.refutes(Epsilon{0.0}, Delta{1.0}));
  const auto nothing = ExactTest::create({0, 100, 0, 100}, 0.5).value();
  EXPECT_EQ(nothing.epsilon_lower_bound(Delta{0.0}).value.value, 0.0);
}

TEST(EventExactTest, AnEventThatQNeverHitGivesAFiniteBound) {
  const auto test = ExactTest::create({1000, 1000, 0, 1000}, 0.05).value();
  const double bound = test.epsilon_lower_bound(Delta{0.0}).value.value;
  EXPECT_GT(bound, std::log(1000.0) - 1.6);
  EXPECT_LT(bound, std::log(1000.0));
}

TEST(EventExactTest, RefusesInputOutsideItsRangeAndSaysSo) {
  const auto message = [](const EventCounts& c, double alpha) {
    return ExactTest::create(c, alpha).error().to_string();
  };
  EXPECT_EQ(message({1, 0, 0, 1}, 0.05), "/n: n must lie in [1, 1e8]");
  EXPECT_EQ(message({1, 1, 0, 0}, 0.05), "/m: m must lie in [1, 1e8]");
  EXPECT_EQ(message({2, 1, 0, 1}, 0.05), "/x: x must lie in [0, n]");
  EXPECT_EQ(message({1, 1, -1, 1}, 0.05), "/y: y must lie in [0, m]");
  EXPECT_EQ(message({1, 1, 0, 1}, 0.6), "/alpha: alpha must lie in (1e-12, 0.5]");
}

}  // namespace
}  // namespace assay
