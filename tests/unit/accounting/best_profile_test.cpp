// Profiles of the best of several runs, and pairs below a profile, against sums over explicit outputs.
#include "assay/mechanisms/accounting/pld/internal/best_profile.hpp"

#include <cmath>
#include <random>

#include "assay/tests/support/listed_outputs.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::ProfilePoint;

double shifted_normal_profile(double mu, double eps) {
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  return below(0.5 * mu - eps / mu) - std::exp(eps) * below(-0.5 * mu - eps / mu);
}

// A record that is in a sample with this chance, and then shifts normal noise by 1.
double sampled_profile(double sampling, double eps, bool record_in_p) {
  double delta = 0.0;
  for (double z = -12.0; z < 14.0; z += 1e-3) {
    const auto density = [](double x) {
      return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::acos(-1.0));
    };
    const double with = (1.0 - sampling) * density(z) + sampling * density(z - 1.0);
    const double without = density(z);
    const double p = record_in_p ? with : without, q = record_in_p ? without : with;
    delta += 1e-3 * std::max(0.0, p - std::exp(eps) * q);
  }
  return delta;
}

template <class Profile>
std::vector<ProfilePoint> points_of(const Profile& profile, double end, int cells) {
  std::vector<ProfilePoint> points;
  for (int i = 0; i <= cells; ++i) points.push_back({end * i / cells, profile(end * i / cells)});
  return points;
}

double profile_of_cells(const std::vector<detail::PairCell>& cells, double eps, bool record_in_p) {
  double delta = 0.0;
  for (const auto& [loss, log_p, log_q] : cells) {
    const double p = std::exp(record_in_p ? log_p.low : log_q.low);
    const double q = std::exp(record_in_p ? log_q.low : log_p.low);
    delta += std::max(0.0, p - std::exp(eps) * q);
  }
  return delta;
}

TEST(BestProfile, ChordsLieAboveTheProfileOnBothSides) {
  const auto profile = [](double eps) { return shifted_normal_profile(0.7, eps); };
  const auto points = points_of(profile, 6.0, 300);
  for (double eps = 0.005; eps < 6.0; eps += 0.1) {
    EXPECT_GE(profile_above(points, eps), profile(eps));
    EXPECT_LE(profile_above(points, eps), 1.02 * profile(eps));
    EXPECT_NEAR(profile_above(points, -eps), profile(-eps), 1e-4);
    EXPECT_GE(profile_above(points, -eps), profile(-eps));
  }
  EXPECT_EQ(profile_above(points, 7.0), points.back().delta);
}

TEST(BestProfile, OneRunIsItself) {
  const auto profile = [](double eps) { return shifted_normal_profile(1.0, eps); };
  const auto best = profile_of_best(points_of(profile, 8.0, 1000), 1.0,
                                    [](double) { return detail::Enclosure(1.0); });
  for (const auto& [eps, delta] : best) {
    EXPECT_GE(delta, profile(eps) * (1.0 - 1e-12));
    EXPECT_LE(delta, profile(eps) * 1.005 + 1e-14);
  }
}

// Two runs: the best is y with probability P(<= y)^2 - P(< y)^2, for every order of random outputs.
TEST(BestProfile, TheBestOfTwoRunsLeaksLess) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<double> p, q;
    double all_p = 0.0, all_q = 0.0;
    for (int y = 0; y < 5; ++y) {
      all_p += p.emplace_back(unit(random));
      all_q += q.emplace_back(unit(random));
    }
    for (int y = 0; y < 5; ++y) {
      p[y] /= all_p;
      q[y] /= all_q;
    }
    const auto both = [&](double eps) {
      return std::max(listed::hockey_stick(p, q, eps), listed::hockey_stick(q, p, eps));
    };
    const auto best = profile_of_best(points_of(both, 6.0, 600), 2.0,
                                      [](double s) { return detail::Enclosure(1.0 - s); });
    const auto squares = [](const std::vector<double>& a) {
      std::vector<double> out;
      double below = 0.0;
      for (const double x : a) {
        out.push_back((below + x) * (below + x) - below * below);
        below += x;
      }
      return out;
    };
    for (const auto& [eps, delta] : best) {
      EXPECT_GE(delta, listed::hockey_stick(squares(p), squares(q), eps) - 1e-13);
      EXPECT_GE(delta, listed::hockey_stick(squares(q), squares(p), eps) - 1e-13);
    }
  }
}

TEST(BestProfile, APairBelowHasSmallerProfilesInBothOrders) {
  for (const double sampling : {1.0, 0.3}) {
    const auto remove = [&](double eps) { return sampled_profile(sampling, eps, true); };
    const auto add = [&](double eps) { return sampled_profile(sampling, eps, false); };
    const auto cells = pair_below(points_of(remove, 7.0, 140), points_of(add, 7.0, 140));
    double in_p = 0.0, in_q = 0.0;
    for (const auto& [loss, log_p, log_q] : cells) {
      in_p += std::exp(log_p.low);
      in_q += std::exp(log_q.low);
      EXPECT_NEAR(log_p.low - log_q.low, loss, 1e-9);
    }
    EXPECT_NEAR(in_p, 1.0, 1e-12);
    EXPECT_NEAR(in_q, 1.0, 1e-12);
    for (double eps = 0.0; eps < 6.0; eps += 0.33) {
      EXPECT_LE(profile_of_cells(cells, eps, true), remove(eps) + 1e-15);
      EXPECT_LE(profile_of_cells(cells, eps, false), add(eps) + 1e-15);
      EXPECT_GE(profile_of_cells(cells, eps, true), 0.97 * remove(eps + 0.1) - 1e-12);
      EXPECT_GE(profile_of_cells(cells, eps, false), 0.97 * add(eps + 0.1) - 1e-12);
    }
  }
  EXPECT_EQ(detail::pair_below({{0.0, 0.0}, {1.0, 0.0}}, {{0.0, 0.0}, {1.0, 0.0}}).size(), 1U);
}

}  // namespace
}  // namespace assay
