#include "assay/auditors/paired/mechanisms/additive_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// |d_i| of the entries that move, within the rounding of a difference of doubles.
std::vector<Enclosure> moves_of(const RowPair& pair) {
  std::vector<Enclosure> moves;
  for (std::size_t i = 0; i < pair.old_row.size(); ++i) {
    if (pair.new_row[i] == pair.old_row[i]) continue;
    const bool up = pair.new_row[i] > pair.old_row[i];
    const Enclosure low(up ? pair.old_row[i] : pair.new_row[i]);
    const Enclosure high(up ? pair.new_row[i] : pair.old_row[i]);
    moves.push_back(high - low);
  }
  return moves;
}

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

// Bounds of several compositions of the same losses, each tight somewhere else.
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

}  // namespace

Result<KnownProfile> laplace_profile(const RowPair& pair, double scale, std::int64_t copies,
                                     const PrivacyLevel& claim, Delta delta0) {
  std::vector<Enclosure> losses;
  for (const Enclosure& move : moves_of(pair)) losses.push_back(move / Enclosure(scale));
  if (losses.size() == 1 && copies == 1) return one_laplace(losses.front());
  Enclosure largest(0.0);
  std::vector<PldTerm> terms;
  for (const Enclosure& loss : losses) {
    largest = largest + loss * Enclosure(static_cast<double>(copies));
    const double unit = 0.5 * (loss.low + loss.high);
    auto law = loss_of::laplace(1.0 / unit);
    if (!law) return tl::make_unexpected(law.error());
    // The pair's own loss is within a few ulps of the law's, whose error is of the same kind.
    law->loss_error += 4.0 * (loss.high - loss.low) + 0x1p-50 * unit;
    law->weight_error += 4.0 * (loss.high - loss.low) + 0x1p-50 * unit;
    terms.push_back({std::move(*law), copies});
  }
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
    return fail(ErrorCode::kNumerical, "the composition of these losses is out of reach");
  }
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{largest.low}}, {Epsilon{largest.high}}};
  profile.how = "the composition of Laplace losses, error certified";
  profile.delta = [shared = std::make_shared<ComposedProfiles>(std::move(composed)),
                   top = largest.high](Epsilon eps) { return shared->at(eps, top); };
  return profile;
}

Result<KnownProfile> gaussian_profile(const RowPair& pair, double scale) {
  const auto moves = moves_of(pair);
  Enclosure square(0.0);
  for (const Enclosure& move : moves) square = square + move * move;
  const Enclosure length = moves.size() == 1 ? moves.front() : sqrt(square);
  const Enclosure mu = length / Enclosure(scale);
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

Result<KnownProfile> discrete_gaussian_profile(const RowPair& pair, double scale) {
  const auto noise = DiscreteGaussian::create(scale);
  if (!noise) return tl::make_unexpected(noise.error());
  const double d = std::fabs(pair.new_row[0] - pair.old_row[0]);  // integers: exact
  KnownProfile profile;
  profile.largest_loss = {{Epsilon{kInfinity}}, {Epsilon{kInfinity}}};
  profile.how = "the tails of the discrete Gaussian pair";
  profile.delta = [noise = *noise, d](Epsilon eps) {  // (4)
    const double s = noise.scale();
    const auto beyond = [&](double x) {
      const double end = 1e7 + 50.0 * s;  // P(Y > end) = 0 in doubles
      return noise.ccdf(static_cast<std::int64_t>(std::clamp(std::floor(x) + 1.0, -end, end)));
    };
    const double middle = eps.value * s * s / d;
    const double first = beyond(middle - 0.5 * d);
    const double second = beyond(middle + 0.5 * d);
    // A tail below the normal doubles says nothing once it is multiplied by a large e^eps.
    if (second < 1e-290)
      return delta_within(eps.value < 600.0 ? (1.0 - 2e-12) * first - 1e-29 : 0.0,
                          (1.0 + 2e-12) * first);
    const double delta = first - portable_exp(eps.value + portable_log(second));
    const double error = (2e-12 + 4e-16 * eps.value) * first;
    return delta_within(delta - error, delta + error);
  };
  return profile;
}

Result<EnumeratedLaws> discrete_laplace_laws(const RowPair& pair, double scale) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const auto noise = DiscreteLaplace::create(scale);
  if (!noise) return tl::make_unexpected(noise.error());
  EnumeratedLaws laws{{0.0}, {0.0}, 0.0};
  for (std::size_t i = 0; i < pair.old_row.size(); ++i) {
    const auto d = static_cast<std::int64_t>(std::fabs(pair.new_row[i] - pair.old_row[i]));
    if (d == 0) continue;
    if (laws.log_p.size() * static_cast<std::size_t>(d + 1) > kMost) {
      return fail(ErrorCode::kLimit,
                  "the exact method lists at most 2^20 outcomes of what moves: use --method "
                  "likelihood",
                  "/method");
    }
    EnumeratedLaws next;
    for (std::int64_t k = 0; k <= d; ++k) {  // (3), as distances from the old answer
      const bool low = k == 0;
      const bool high = k == d;
      const double p = low    ? portable_log(noise->cdf(0))
                       : high ? portable_log(noise->ccdf(d))
                              : noise->log_pmf(k);
      const double q = low    ? portable_log(noise->cdf(-d))
                       : high ? portable_log(noise->ccdf(0))
                              : noise->log_pmf(k - d);
      for (std::size_t j = 0; j < laws.log_p.size(); ++j) {
        next.log_p.push_back(laws.log_p[j] + p);
        next.log_q.push_back(laws.log_q[j] + q);
      }
      next.relative_error =
          std::max(next.relative_error, 1e-15 * (4.0 + std::fabs(p) + std::fabs(q)));
    }
    next.relative_error += laws.relative_error + 1e-15;
    laws = std::move(next);
  }
  return laws;
}

std::vector<RowPair> split_moves(double distance) {
  const double half = 0.5 * distance;
  const double quarter = 0.25 * distance;
  return {{{0.0}, {distance}},
          {{0.0, 0.0}, {half, -half}},
          {{0.0, 0.0, 0.0, 0.0}, {quarter, quarter, quarter, quarter}}};
}

std::vector<RowPair> one_of_three() { return {{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}}; }

}  // namespace detail

std::vector<RowPair> Paired<DiscreteLaplaceMechanism>::hard_pairs(const M& m) {
  const auto d = static_cast<double>(m.config().sensitivity);
  const double half = std::floor(0.5 * d);
  std::vector<RowPair> pairs{{{0.0}, {d}}};
  if (half > 0.0 && half * half < 1e5) pairs.push_back({{0.0, 0.0}, {half, half - d}});
  return pairs;
}

}  // namespace assay
