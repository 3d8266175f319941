// Levels: DP-BAI by whole runs, DP-OD by the plans of its phases and by one recommendation in
// closed form.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "assay/auditors/best_arm/claims/checks.hpp"
#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay::best_arm_checks {
namespace {

ReplayStream stream_of(const Point& point, std::size_t seed, std::uint64_t lane) {
  return ReplayStream(
      {static_cast<std::uint64_t>(point[seed]), hash_purpose("claims/bai"), 0, lane});
}

// A table by pull with rewards of 0, 1 or between.
RewardTable random_table(std::int64_t rows, std::int64_t arms, ReplayStream& random) {
  auto table = std::make_shared<InputTable>();
  table->rows = rows;
  table->columns = arms;
  for (std::int64_t i = 0; i < rows * arms; ++i) {
    const double u = random.uniform();
    table->values.push_back(u < 0.3 ? 0.0 : (u < 0.6 ? 1.0 : random.uniform()));
  }
  return RewardTable::create(table, TableIndex::kPull).value();
}

}  // namespace

DpBaiConfig dp_bai_at(const Point& point) {
  DpBaiConfig config;
  config.arms = static_cast<std::int64_t>(point[0]);
  config.dimension = static_cast<std::int64_t>(point[1]);
  config.budget = static_cast<std::int64_t>(point[2]);
  config.epsilon = point[3];
  config.feature_seed = static_cast<std::int64_t>(point[4]);
  return config;
}

SearchedClaim laplace_privacy_search() {
  return {{whole("arms", 2, 8), whole("d", 1, 4), whole("T", 60, 300), log_scale("eps", 0.05, 5.0),
           whole("seed", 1, 1e6), real("cell", 0.0, 1.0)},
          [](const Point& point) {
            const auto config = dp_bai_at(point);
            const auto policy = DpBai::create(config);
            if (!policy) return std::nan("");
            auto random = stream_of(point, 4, 0);
            const auto table = random_table(config.budget, config.arms, random);
            const auto run = run_on_table(*policy, table, stream_of(point, 4, 1));
            if (!run) return std::nan("");
            // Changes a cell that the run reads to the farther extreme.
            const auto& phase = run->phases[static_cast<std::size_t>(
                point[5] * 0.999 * static_cast<double>(run->phases.size()))];
            const int arm = phase.plan->pulled.back();
            const std::int64_t pull = phase.first_pulls.back();
            const double reward = table.reward(pull, arm) < 0.5 ? 1.0 : 0.0;
            const auto pair = RewardPair::replace_cell(table, pull, arm, reward);
            if (!pair) return std::nan("");
            const auto loss = release_loss(*run, *pair);
            return loss ? std::fabs(*loss) - config.epsilon : std::nan("");
          },
          1e-9};
}

// Proposition 4.1. Given the actions, one cell x_{i,n} of the table by pull is read at most once,
// as one of the n_j rewards of one private mean, since no data are reused. It moves that mean by at
// most 1/n_j, which is eps times the Laplace scale 1/(eps n_j). Everything else in the release, and
// every decision, is a function of released values and of rewards that do not change. So the loss
// is at most eps on every transcript, and the density ratio is at most e^eps on every event.
Finding laplace_privacy(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "bai-dp", .claim = laplace_privacy_search(), .points = 1'500},
                          request, control);
  finding.domain = "every K, d, T, eps, table and neighbour; search: " + finding.points() +
                   " runs with 2 to 8 arms, d <= 4, T <= 300, with a cell replaced that the run "
                   "reads";
  finding.evidence = {
      "proof step: a cell is one of the rewards of one private mean, which it moves by at most eps "
      "scales of its noise",
      "independent search: exact losses of the releases of runs, at most eps + " +
          finding.excess()};
  return proved(finding, "one cell moves one released mean, by at most eps of its noise scales");
}

// ---- DP-OD --------------------------------------------------------------------------------------

namespace {

struct MomentsPoint {
  DpOd policy;
  double first_norm;  // L of the first phase
};

// K arms with features in [-1, 1]^d.
Result<MomentsPoint> moments_point(const Point& point, MomentNorm norm) {
  const auto arms = static_cast<std::int64_t>(point[0]);
  const auto dimension = static_cast<std::int64_t>(point[1]);
  ArmFeatures features{arms, dimension, {}};
  auto random = stream_of(point, 3, 2);
  for (std::int64_t i = 0; i < arms * dimension; ++i) {
    features.values.push_back(2.0 * random.uniform() - 1.0);
  }
  DpOdConfig config;
  config.budget = 2000;
  config.epsilon = point[2];
  config.norm = norm;
  auto policy = ASSAY_TRY(DpOd::create(config, features));
  const auto plan = policy.planner().plan(0, all_arms(arms));
  return MomentsPoint{std::move(policy), plan->scales.front() * config.epsilon};
}

// The largest loss over the pulled arms when a reward goes from 0 to 1, if the noise had this
// scale.
double plan_loss(const PhasePlan& plan, double scale) {
  double worst = 0.0;
  for (std::size_t j = 0; j < plan.pulled.size(); ++j) {
    double moved = 0.0;
    for (std::size_t k = 0; k < plan.values(); ++k) {
      moved += std::fabs(plan.moments[k * plan.pulled.size() + j]);
    }
    worst = std::max(worst, moved / scale);
  }
  return worst;
}

}  // namespace

SearchedClaim moments_search(NormReading reading) {
  return {{whole("arms", 3, 6), whole("d", 2, 4), log_scale("eps", 0.1, 5.0), whole("seed", 1, 1e6),
           real("survivors", 0.0, 1.0)},
          [reading](const Point& point) {
            if (point[1] > point[0]) return std::nan("");
            const auto made = moments_point(
                point, reading == NormReading::kL2 ? MomentNorm::kL2 : MomentNorm::kL1);
            if (!made) return std::nan("");
            const auto& planner = made->policy.planner();
            const auto arms = all_arms(made->policy.arms());
            double worst = 0.0;
            std::vector<int> active = arms;
            auto random = stream_of(point, 3, 3);
            for (std::int64_t p = 0; p < planner.phases(); ++p) {
              const auto plan = planner.plan(p, active);
              const double scale = reading == NormReading::kFirstL1 ? made->first_norm / point[2]
                                                                    : plan->scales.front();
              worst = std::max(worst, plan_loss(*plan, scale));
              // Any arms may survive.
              while (static_cast<std::int64_t>(active.size()) > plan->keep) {
                const auto out = static_cast<std::ptrdiff_t>(random.uniform() * 0.999 *
                                                             static_cast<double>(active.size()));
                active.erase(active.begin() + out);
              }
            }
            return worst - point[2];
          },
          1e-9};
}

namespace {

// P(A < min(-s B, k B)) of independent Laplace variables of scale 1 about (u, v), u, v >= 0: the
// sum of integrate(f, low, high) over the values of B between the kinks. The check of certificates has the
// closed form.
template <class Integrate>
double cone_probability(double u, double v, double slope, double steep,
                        const Integrate& integrate) {
  const auto integrand = [&](double b) {
    const double most = b >= 0.0 ? -slope * b : steep * b;  // at most 0 <= u
    return 0.25 * portable_exp(most - u - std::fabs(b - v));
  };
  constexpr double kReach = 40.0;  // of the exponents
  double sum = 0.0;
  for (const auto& [low, high] :
       {std::pair{-kReach / (1.0 + steep), 0.0}, {0.0, v}, {v, v + kReach / (1.0 + slope)}}) {
    integrate(integrand, low, high, sum);
  }
  return sum;
}

// Simpson's rule. Each piece is smooth and includes its ends.
constexpr auto kBySimpson = [](const auto& f, double low, double high, double& sum) {
  constexpr int kSteps = 4000;
  const double h = (high - low) / kSteps;
  for (int i = 0; i <= kSteps; ++i) {
    const double weight = i == 0 || i == kSteps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * h / 3.0 * f(low + h * i);
  }
};

// In panels over which the exponential falls by at most e^-8. For the search, which has thousands of points.
constexpr auto kByGauss = [](const auto& f, double low, double high, double& sum) {
  static const auto nodes = gauss_legendre_nodes(0.0, 1.0, {}, 0.2);
  for (const auto& node : nodes) {
    sum += (high - low) * node.weight * f(low + (high - low) * node.x);
  }
};

template <class Integrate>
MomentsCounterexample recommendation_by(const Integrate& integrate, const Point& point) {
  MomentsCounterexample found;
  found.epsilon = point[0];
  found.first = 1.0;
  found.second = point[1];
  found.third = point[2];
  found.pulls = static_cast<std::int64_t>(point[3]);
  const double beta =
      std::sqrt(found.first * found.first + found.second * found.second) / found.epsilon;
  const double slope = found.second / found.first;
  const double steep =
      (found.first + found.third * found.second) / (found.second - found.third * found.first);
  const auto probability = [&](double sum) {
    return cone_probability(sum * found.first / beta, sum * found.second / beta, slope, steep,
                            integrate);
  };
  found.p = probability(static_cast<double>(found.pulls - 1));
  found.q = probability(static_cast<double>(found.pulls));
  found.loss = portable_log(found.p / found.q);
  return found;
}

}  // namespace

MomentsCounterexample recommendation_at(const Point& point) {
  return recommendation_by(kBySimpson, point);
}

SearchedClaim recommendation_search() {
  return {{log_scale("eps", 0.1, 4.0), real("y", 0.05, 1.0), real("t", 0.01, 0.95),
           whole_log_scale("n", 1, 40)},
          [](const Point& point) {
            if (!(point[1] > point[2] + 1e-3)) return std::nan("");
            const auto found = recommendation_by(kByGauss, point);
            return found.p > 1e-60 ? found.loss - found.epsilon : std::nan("");
          },
          1e-7};
}

LaterBasisCounterexample later_basis_at(const Point& point) {
  LaterBasisCounterexample found;
  found.epsilon = 1.0;
  found.x1 = point[0];
  found.y1 = point[1];
  found.x2 = point[2];
  found.y2 = point[3];
  // The policy's own basis of the two arms, with the longer arm first.
  const ArmFeatures all{3, 3, {found.x1, found.y1, 0.0, found.x2, found.y2, 0.0, 0.0, 0.0, 1.0}};
  const auto left = in_their_span(all, std::array{0, 1});
  const auto norm_of = [](std::span<const double> a) {
    return std::accumulate(a.begin(), a.end(), 0.0,
                           [](double sum, double x) { return sum + std::fabs(x); });
  };
  for (int i = 0; i < 3; ++i) found.norm = std::max(found.norm, norm_of(all.of(i)));
  found.loss = found.epsilon * norm_of(left.of(1)) / found.norm;
  return found;
}

SearchedClaim later_basis_search() {
  return {{real("x_1", -1.0, 1.0), real("y_1", -1.0, 1.0), real("x_2", -1.0, 1.0),
           real("y_2", -1.0, 1.0)},
          [](const Point& point) {
            const auto found = later_basis_at(point);
            const double first = point[0] * point[0] + point[1] * point[1];
            const double area = point[0] * point[3] - point[2] * point[1];
            if (first < 0.04 || area * area < 1e-4) return std::nan("");
            return found.loss - 1.0;
          },
          1e-9};
}

namespace {

SearchedFinding searched_release(NormReading reading, std::string_view id,
                                 const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = id, .claim = moments_search(reading), .points = 600}, request, control);
  finding.domain =
      finding.points() + " plans of 3 to 6 arms, features in [-1, 1]^d, d <= 4, any survivors";
  return finding;
}

}  // namespace

// A cell moves U by a_j x, |x| <= 1, in the phase's coordinates; d independent Laplace(L/eps) have
// loss at most eps ||a_j||_1/L <= eps, and no other phase reads the cell.
Finding moments_l1(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched_release(NormReading::kL1, "dp-od-l1", request, control);
  finding.domain = "every K, d, T, eps, table and neighbour; search: " + finding.domain;
  finding.evidence = {
      "proof step: a cell moves the moments of one phase by at most its arm's features, of l1 norm "
      "at most L there",
      "independent search: losses of phases at most eps + " + finding.excess()};
  return proved(finding,
                "with the l1 norm in each phase's coordinates the moments lose at most eps");
}

// With the l2 norm, ||a_j||_1 is up to sqrt(d) ||a_j||_2. recommendation_search decides for the
// transcript.
Finding moments_l2(const ClaimRequest& request, const RunControl& control) {
  const auto moments = searched_release(NormReading::kL2, "dp-od-dp/release", request, control);
  auto finding = searched({.id = "dp-od-dp", .claim = recommendation_search(), .points = 1'500},
                          request, control);
  finding.evaluations += moments.evaluations;
  finding.domain = fmt::format("released moments: {}; recommendations of three arms: {} points",
                               moments.domain, finding.points());
  std::vector<std::string> evidence;
  if (const auto& released = moments.outcome; !released.best.empty()) {
    evidence = {fmt::format("released moments: losses up to {} eps found, sqrt(d) eps possible",
                            rounded_down(1.0 + released.margin / released.best[2], 4))};
  }
  return refuted_or_not(finding, "loss less eps", recommendation_at, evidence);
}

Finding moments_literal(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "dp-od-literal", .claim = later_basis_search(), .points = 8'000},
                          request, control);
  finding.domain = finding.points() + " pairs of arms in a plane, features in [-1, 1]";
  return refuted_or_not(
      finding, "loss over eps, less 1", later_basis_at,
      {"largest loss found: " + rounded_down(1.0 + finding.outcome.margin, 5) + " eps"});
}

}  // namespace assay::best_arm_checks
