#include "assay/auditors/mechanisms/additive_noise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace detail {
namespace {

Interval<Delta> delta_within(double low, double high) {
  return {{Delta{std::clamp(low, 0.0, 1.0)}}, {Delta{std::clamp(high, 0.0, 1.0)}}};
}

// (1)
KnownProfile one_laplace(Enclosure loss) {
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{loss.low}}, {Epsilon{loss.high}}};
  profile.how = "the closed form of the Laplace pair";
  profile.delta = [loss](Epsilon eps) {
    const Enclosure delta = -expm1((Enclosure(eps.value) - loss) / Enclosure(2.0));
    return delta_within(delta.low, delta.high);
  };
  return profile;
}

// Bounds of several compositions of the same losses, each tight at other levels.
class ComposedProfiles {
 public:
  void add(Result<ComposedPld> composed) {
    if (composed) parts_.push_back(std::move(*composed));
  }
  bool empty() const { return parts_.empty(); }
  Interval<Delta> at(Epsilon eps, double largest) const {
    if (eps.value >= largest) return {};
    Interval<Delta> best{{Delta{0.0}}, {Delta{1.0}}};
    for (const auto& part : parts_) {
      const auto delta = part.delta(eps);
      best.lower.value = std::max(best.lower.value, delta.lower.value);
      best.upper.value = std::min(best.upper.value, delta.upper.value);
    }
    return best;
  }

 private:
  std::vector<ComposedPld> parts_;
};

Enclosure loss_bound(const NoisyMove& move) { return move.distance / Enclosure(move.scale); }

Enclosure total_loss(std::span<const NoisyMove> moves) {
  Enclosure sum(0.0);
  for (const NoisyMove& move : moves) {
    sum = sum + loss_bound(move) * Enclosure(static_cast<double>(move.copies));
  }
  return sum;
}

std::int64_t whole_distance(const NoisyMove& move) {
  ASSAY_CHECK(move.distance.low == move.distance.high, "a whole distance");
  return static_cast<std::int64_t>(move.distance.low);
}

KnownProfile same_distributions() {
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{0.0}}, {Epsilon{0.0}}};
  profile.how = "both inputs have the same distribution";
  profile.delta = [](Epsilon) { return delta_within(0.0, 0.0); };
  return profile;
}

KnownProfile one_discrete_laplace(const NoisyMove& move) {
  const Enclosure loss = loss_bound(move);
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{loss.low}}, {Epsilon{loss.high}}};
  profile.how = "the closed form of the discrete Laplace pair";
  profile.delta = [d = move.distance.low, b = move.scale, top = loss.high](Epsilon eps) {
    if (eps.value >= top) return delta_within(0.0, 0.0);
    const Enclosure unit = Enclosure(1.0) + exp(Enclosure(-1.0) / Enclosure(b));
    const Enclosure paid = exp(Enclosure(eps.value));
    const double at = std::ceil(0.5 * (d - eps.value * b)) - 1.0;
    double low = 0.0;
    double high = 0.0;
    for (const double near : {at - 1.0, at, at + 1.0}) {
      const double k = std::clamp(near, 0.0, d - 1.0);
      const Enclosure first = exp(-Enclosure(k + 1.0) / Enclosure(b));
      const Enclosure second = exp(-Enclosure(d - k) / Enclosure(b));
      const Enclosure delta = Enclosure(1.0) - (first + paid * second) / unit;  // (5)
      low = std::max(low, delta.low);
      high = std::max(high, delta.high);
    }
    return delta_within(low, high);
  };
  return profile;
}

Result<KnownProfile> composed_profile(std::span<const PldTerm> terms, Enclosure largest,
                                      const std::string& what, const PrivacyLevel& claim,
                                      Delta delta0) {
  ComposedProfiles composed;
  const auto* both = std::get_if<ApproximateDp>(&claim);
  composed.add(compose_near(terms, delta0));
  if (both != nullptr) {
    composed.add(compose_near(terms, both->delta));
    if (both->epsilon.value < 0.99 * largest.low) {
      composed.add(compose_near(terms, both->epsilon));
    }
  }
  if (composed.empty()) {
    return fail(ErrorCode::kNumerical, "the composition of these losses cannot be computed");
  }
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{largest.low}}, {Epsilon{largest.high}}};
  profile.how = what + ", error certified";
  profile.delta = [shared = std::make_shared<ComposedProfiles>(std::move(composed)),
                   top = largest.high](Epsilon eps) { return shared->at(eps, top); };
  return profile;
}

// Every outcome so far with every one of (3), as distances from the answer on D.
EnumeratedDistributions times_one_discrete_laplace(const EnumeratedDistributions& distributions,
                                                   const DiscreteLaplace& noise, std::int64_t d) {
  EnumeratedDistributions next;
  for (std::int64_t k = 0; k <= d; ++k) {
    const bool low = k == 0;
    const bool high = k == d;
    const double p = low    ? portable_log(noise.cdf(0))
                     : high ? portable_log(noise.ccdf(d))
                            : noise.log_pmf(k);
    const double q = low    ? portable_log(noise.cdf(-d))
                     : high ? portable_log(noise.ccdf(0))
                            : noise.log_pmf(k - d);
    for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
      next.log_p.push_back(distributions.log_p[j] + p);
      next.log_q.push_back(distributions.log_q[j] + q);
    }
    next.relative_error =
        std::max(next.relative_error, 1e-15 * (4.0 + std::fabs(p) + std::fabs(q)));
  }
  next.relative_error += distributions.relative_error + 1e-15;
  return next;
}

}  // namespace

std::vector<NoisyMove> moves_of(const InputPair& pair, double scale, std::int64_t copies) {
  std::vector<NoisyMove> moves;
  for (std::size_t i = 0; i < pair.base_row().size(); ++i) {
    if (pair.neighbour_row()[i] == pair.base_row()[i]) continue;
    const bool up = pair.neighbour_row()[i] > pair.base_row()[i];
    const double low = up ? pair.base_row()[i] : pair.neighbour_row()[i];
    const double high = up ? pair.neighbour_row()[i] : pair.base_row()[i];
    const double difference = high - low;
    const double back = difference - high;  // two-sum: is the difference rounded?
    const bool exact = (high - (difference - back)) + (-low - back) == 0.0;
    moves.push_back(
        {exact ? Enclosure(difference) : Enclosure(high) - Enclosure(low), scale, copies});
  }
  return moves;
}

std::vector<NoisyMove> grid_moves(const FixedPoint& grid, const InputPair& pair, double scale) {
  std::vector<NoisyMove> moves;
  for (std::size_t i = 0; i < pair.base_row().size(); ++i) {
    const std::int64_t steps = grid.steps(pair.neighbour_row()[i]) - grid.steps(pair.base_row()[i]);
    if (steps != 0) moves.push_back({std::fabs(static_cast<double>(steps)), scale, 1});
  }
  return moves;
}

Result<KnownProfile> laplace_profile(std::span<const NoisyMove> moves, const PrivacyLevel& claim,
                                     Delta delta0) {
  if (moves.empty()) return same_distributions();
  if (moves.size() == 1 && moves[0].copies == 1) return one_laplace(loss_bound(moves[0]));
  std::vector<PldTerm> terms;
  for (const NoisyMove& move : moves) {
    const Enclosure loss = loss_bound(move);
    const double unit = 0.5 * (loss.low + loss.high);
    auto distribution = ASSAY_TRY(loss_of::laplace(1.0 / unit));
    // The pair's own loss is within a few ulps of the distribution's, which has an error of the
    // same kind.
    distribution.loss_error += 4.0 * (loss.high - loss.low) + 0x1p-50 * unit;
    distribution.weight_error += 4.0 * (loss.high - loss.low) + 0x1p-50 * unit;
    terms.push_back({std::move(distribution), move.copies});
  }
  return composed_profile(terms, total_loss(moves), "the composition of Laplace losses", claim,
                          delta0);
}

Result<KnownProfile> discrete_laplace_profile(std::span<const NoisyMove> moves,
                                              const PrivacyLevel& claim, Delta delta0) {
  if (moves.empty()) return same_distributions();
  if (moves.size() == 1 && moves[0].copies == 1) return one_discrete_laplace(moves[0]);
  std::vector<PldTerm> terms;
  for (const NoisyMove& move : moves) {
    auto distribution = ASSAY_TRY(loss_of::discrete_laplace(move.scale, whole_distance(move)));
    terms.push_back({std::move(distribution), move.copies});
  }
  return composed_profile(terms, total_loss(moves), "the composition of discrete Laplace losses",
                          claim, delta0);
}

Result<KnownProfile> gaussian_profile(std::span<const NoisyMove> moves) {
  if (moves.empty()) return same_distributions();
  Enclosure square(0.0);
  for (const NoisyMove& move : moves) {
    const Enclosure mu = loss_bound(move);
    square = square + mu * mu * Enclosure(static_cast<double>(move.copies));
  }
  const bool one = moves.size() == 1 && moves[0].copies == 1;
  const Enclosure mu = one ? loss_bound(moves[0]) : sqrt(square);
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{kInfinity}}, {Epsilon{kInfinity}}};
  profile.mu = Interval<Mu>{{Mu{mu.low}}, {Mu{mu.high}}};
  profile.how = "the closed form of the Gaussian pair";
  profile.delta = [mu](Epsilon eps) {  // (2)
    const double low = gdp_log_delta(Mu{mu.low}, eps) * (1.0 + kGdpRelativeError);
    const double high = gdp_log_delta(Mu{mu.high}, eps) * (1.0 - kGdpRelativeError);
    return delta_within(portable_exp(low) * (1.0 - 1e-15), portable_exp(high) * (1.0 + 1e-15));
  };
  return profile;
}

Result<KnownProfile> discrete_gaussian_profile(std::span<const NoisyMove> moves,
                                               const PrivacyLevel& claim, Delta delta0) {
  if (moves.empty()) return same_distributions();
  const Enclosure unbounded(kInfinity);
  if (moves.size() > 1 || moves[0].copies > 1) {
    std::vector<PldTerm> terms;
    for (const NoisyMove& move : moves) {
      auto distribution = ASSAY_TRY(loss_of::discrete_gaussian(move.scale, whole_distance(move)));
      terms.push_back({std::move(distribution), move.copies});
    }
    return composed_profile(terms, unbounded, "the composition of discrete Gaussian losses", claim,
                            delta0);
  }
  const auto noise = DiscreteGaussian::create(moves[0].scale);
  if (!noise) return tl::make_unexpected(noise.error());
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{kInfinity}}, {Epsilon{kInfinity}}};
  profile.how = "the tails of the discrete Gaussian pair";
  profile.delta = [noise = *noise, d = moves[0].distance.low](Epsilon eps) {
    return discrete_gaussian_delta_between(noise, d, eps);  // (4)
  };
  return profile;
}

Result<EnumeratedDistributions> discrete_laplace_distributions(std::span<const NoisyMove> moves) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  EnumeratedDistributions distributions{{0.0}, {0.0}, 0.0};
  for (const NoisyMove& move : moves) {
    const auto noise = ASSAY_TRY(DiscreteLaplace::create(move.scale));
    for (std::int64_t copy = 0; copy < move.copies; ++copy) {
      const std::int64_t d = whole_distance(move);
      if (distributions.log_p.size() > kMost / static_cast<std::size_t>(d + 1)) {
        return fail(ErrorCode::kLimit,
                    "the exact method lists at most 2^20 outcomes of the answers that move: use "
                    "--method likelihood",
                    "/method");
      }
      distributions = times_one_discrete_laplace(distributions, noise, d);
    }
  }
  return distributions;
}

std::vector<InputPair> split_moves(double distance) {
  const double half = 0.5 * distance;
  const double quarter = 0.25 * distance;
  return {{{0.0}, {distance}},
          {{0.0, 0.0}, {half, -half}},
          {{0.0, 0.0, 0.0, 0.0}, {quarter, quarter, quarter, quarter}}};
}

std::vector<InputPair> moves_on_grid(const FixedPoint& grid, std::int64_t answers,
                                     double distance) {
  const double g = grid.granularity();
  const double steps = distance / g;
  const double part = steps - std::floor(steps);
  std::vector<InputPair> pairs;
  for (const double from : {0.0, (0.5 - 0.5 * part) * g}) {
    std::vector<double> base_row(static_cast<std::size_t>(answers), 0.0);
    base_row[0] = from;
    std::vector<double> neighbour_row = base_row;
    neighbour_row[0] = from + distance;
    const bool within = neighbour_row[0] - from <= distance;
    if (pairs.empty() || (part > 0.0 && within)) {
      pairs.emplace_back(std::move(base_row), std::move(neighbour_row));
    }
  }
  return pairs;
}

std::vector<InputPair> one_of_three() { return {{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}}; }

}  // namespace detail

std::vector<InputPair> AuditTraits<DiscreteLaplaceMechanism>::hard_pairs(const M& m) {
  const auto d = static_cast<double>(m.config().sensitivity);
  const double half = std::floor(0.5 * d);
  std::vector<InputPair> pairs{{{0.0}, {d}}};
  if (half > 0.0 && half * half < 1e5) pairs.push_back({{0.0, 0.0}, {half, half - d}});
  return pairs;
}

Result<EnumeratedDistributions> AuditTraits<SnappedLaplace>::distributions(const M& m,
                                                                           const InputPair& pair) {
  constexpr double kMostBetween = 64.0;
  const auto inputs = ASSAY_TRY(detail::pair_inputs(m, pair));
  const double base_answer = inputs.base_input.view();
  const double neighbour_answer = inputs.neighbour_input.view();
  const double step = m.step();
  const double first = std::floor(std::min(base_answer, neighbour_answer) / step) - 2.0;
  const double last = std::ceil(std::max(base_answer, neighbour_answer) / step) + 2.0;
  if (last - first > kMostBetween || std::max(-first, last) * step >= m.config().bound - step) {
    return fail(ErrorCode::kLimit,
                "the exact method takes answers at most 58 steps apart and at least 4 steps from "
                "the bound: use --method likelihood",
                "/method");
  }
  EnumeratedDistributions distributions;
  const auto add = [&](double p, double q) {
    distributions.log_p.push_back(p);
    distributions.log_q.push_back(q);
  };
  const auto side = [&](double x, bool negative) {
    const double half = -0.69314718055994530942;  // the sign
    add(half + m.log_tail(x, base_answer, negative),
        half + m.log_tail(x, neighbour_answer, negative));
  };
  side(first * step, true);
  for (double k = first + 1.0; k < last; k += 1.0) {
    add(m.log_density(k * step, base_answer), m.log_density(k * step, neighbour_answer));
  }
  side(last * step, false);
  distributions.relative_error = 2e-13 + 16.0 * m.distribution_error();  // (6)
  return distributions;
}

Result<ReleaseLoss> AuditTraits<SnappedLaplace>::losses(const M& m, const InputPair& pair) {
  const auto inputs = detail::pair_inputs(m, pair);
  if (!inputs) return tl::make_unexpected(inputs.error());
  struct Known {
    std::mutex mutex;
    std::map<double, std::pair<double, double>> logs;
  };
  return ReleaseLoss(
      [m, inputs = *inputs, known = std::make_shared<Known>()](Side side, ReplayStream random) {
        const double output = m.release(inputs.of(side).view(), random);
        const std::lock_guard lock(known->mutex);
        auto found = known->logs.find(output);
        if (found == known->logs.end()) {
          const std::pair logs{m.log_density(output, inputs.base_input.view()),
                               m.log_density(output, inputs.neighbour_input.view())};
          found = known->logs.emplace(output, logs).first;
        }
        return detail::loss_of_logs(found->second.first, found->second.second, side);
      });
}

}  // namespace assay
