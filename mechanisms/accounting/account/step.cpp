#include "assay/mechanisms/accounting/account/step.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/accounting/account/distribution_file.hpp"
#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/group_loss.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

tl::unexpected<Unknown> unknown(std::string why) {
  return tl::make_unexpected(Unknown{std::move(why)});
}

// The reasons that several steps share.
constexpr const char* kUnboundedLoss = "its noise can lose any eps, with small probability";
constexpr const char* kOwnDelta = "it has a delta of its own, so no Renyi divergence is finite";

// A kind that has its loss and levels as functions of its own.
template <class Step>
concept HasOwnLosses = requires(const Step& s, const LossAccuracy& accuracy) {
  s.losses(accuracy);
  s.largest_loss();
};

// ---- losses -------------------------------------------------------------------------------------

StepLosses symmetric(const PrivacyLoss& distribution) {
  return {both_orders(distribution), std::nullopt, {}, {}};
}

PrivacyLoss for_quotient(PrivacyLoss distribution, double sensitivity, double reach) {
  if (sensitivity == 1.0) return distribution;
  return detail::for_quotient(std::move(distribution), reach);
}

Result<Known<StepLosses>> symmetric_losses(const Result<PrivacyLoss>& distribution) {
  if (!distribution) return tl::make_unexpected(distribution.error());
  return Known<StepLosses>(symmetric(*distribution));
}
Result<Known<StepLosses>> losses(const GaussianStep& s, double log_tail) {
  const double distance = s.sensitivity * s.group;
  const auto distribution = ASSAY_TRY(loss_of::gaussian(s.sigma / distance, log_tail));
  const double reach = detail::normal_reach(distance / s.sigma, log_tail);
  return Known<StepLosses>(symmetric(for_quotient(distribution, distance, reach)));
}
Result<Known<StepLosses>> losses(const LaplaceStep& s, double) {
  const double distance = s.sensitivity * s.group;
  const auto distribution = ASSAY_TRY(loss_of::laplace(s.scale / distance));
  return Known<StepLosses>(symmetric(for_quotient(distribution, distance, distance / s.scale)));
}
Result<Known<StepLosses>> losses(const DiscreteLaplaceStep& s, double) {
  return symmetric_losses(loss_of::discrete_laplace(s.scale));
}
Result<Known<StepLosses>> losses(const DiscreteGaussianStep& s, double log_tail) {
  return symmetric_losses(loss_of::discrete_gaussian(s.sigma, 1, log_tail));
}
Result<Known<StepLosses>> losses(const RandomizedResponseStep& s, double) {
  return symmetric_losses(loss_of::randomized_response(s.epsilon, s.answers));
}
Result<Known<StepLosses>> losses(const PureStep& s, double) {
  return symmetric_losses(loss_of::randomized_response(s.epsilon));
}
Result<Known<StepLosses>> losses(const ApproximateStep& s, double) {
  auto distribution = ASSAY_TRY(loss_of::randomized_response(s.epsilon));
  const double log_kept = portable_log1p(-s.own_delta);
  for (LossAtom& atom : distribution.atoms) atom.log_mass += log_kept;  // (1)
  distribution.mass_at_infinity = s.own_delta;
  distribution.weight_error += 8.0 * kUnitRoundoff * (1.0 + std::fabs(log_kept));
  return Known<StepLosses>(symmetric(distribution));
}
Result<Known<StepLosses>> losses(const GdpStep& s, double log_tail) {
  const auto distribution = ASSAY_TRY(loss_of::gaussian(1.0 / s.mu, log_tail));
  return Known<StepLosses>(
      symmetric(for_quotient(distribution, s.mu, detail::normal_reach(s.mu, log_tail))));
}
Result<Known<StepLosses>> losses(const ZcdpStep&, double) {
  return Known<StepLosses>(unknown("no single pair dominates all mechanisms of a zCDP level"));
}
Result<Known<StepLosses>> losses(const FinitePairStep& s, double) {
  const auto remove = ASSAY_TRY(loss_of::finite_pair(s.p, s.q));
  const auto add = ASSAY_TRY(loss_of::finite_pair(s.q, s.p));
  return Known<StepLosses>(StepLosses{{remove, add, false}, std::nullopt, {}, {}});
}
Result<Known<StepLosses>> losses(const LossDistributionStep& s, double) {
  return Known<StepLosses>(distribution_losses(s));
}
Result<Known<StepLosses>> losses(const GaussianMixtureStep& s, const LossAccuracy& accuracy) {
  auto pairs = ASSAY_TRY(mixture_losses(s, accuracy));
  return Known<StepLosses>(std::move(pairs));
}
Result<Known<StepLosses>> losses(const MatrixStep& s, const LossAccuracy& accuracy) {
  auto pairs = ASSAY_TRY(matrix_losses(s, accuracy));
  return Known<StepLosses>(std::move(pairs));
}
Result<Known<StepLosses>> losses(const SampledStep& s, const LossAccuracy& accuracy) {
  auto pairs = ASSAY_TRY(sampled_losses(s, accuracy));
  return Known<StepLosses>(std::move(pairs));
}

// Several records (group_step.hpp).
constexpr const char* kOneAfterAnother = "one change of a record after another";

Result<PrivacyLoss> pure_group(double epsilon, std::int64_t size) {
  const double most = epsilon * static_cast<double>(size);
  if (epsilon < 1e-6 || epsilon > 100.0 || most > 650.0) {
    ASSAY_TRY(detail::out_of_range(
        "group", "for an eps of 1e-6 to 100, with at most 650 for group times eps",
        std::to_string(size) + " times " + number_text(epsilon)));
  }
  auto loss = ASSAY_TRY(loss_of::discrete_laplace(1.0 / epsilon, size));
  return detail::for_quotient(std::move(loss), most);
}

Result<Known<StepLosses>> chain_losses(const DirectedLosses& one, std::int64_t size) {
  auto remove = ASSAY_TRY(loss_of::group(one.remove, size));
  auto add = one.symmetric ? remove : ASSAY_TRY(loss_of::group(one.add, size));
  return Known<StepLosses>(
      StepLosses{{std::move(remove), std::move(add), one.symmetric}, std::nullopt, {}, {}});
}

Result<Known<StepLosses>> losses(const GroupStep& s, const LossAccuracy& accuracy) {
  return std::visit(
      [&]<class One>(const One& one) -> Result<Known<StepLosses>> {
        if constexpr (std::is_same_v<One, DiscreteLaplaceStep>) {
          return symmetric_losses(loss_of::discrete_laplace(one.scale, s.group));
        } else if constexpr (std::is_same_v<One, DiscreteGaussianStep>) {
          return symmetric_losses(
              loss_of::discrete_gaussian(one.sigma, s.group, accuracy.log_tail));
        } else if constexpr (std::is_same_v<One, PureStep>) {
          return symmetric_losses(pure_group(one.epsilon, s.group));
        } else if constexpr (std::is_same_v<One, TruncatedGeometricStep>) {
          return symmetric_losses(pure_group(one.largest_loss().high, s.group));
        } else if constexpr (std::is_same_v<One, AboveThresholdStep>) {
          const auto above = ASSAY_TRY(pure_group(one.epsilon, s.group));
          auto many = one;  // k records move the answers k times as far; rounded down
          many.epsilon = (Enclosure(one.epsilon) * static_cast<double>(s.group)).low;
          auto pairs = ASSAY_TRY(many.losses(accuracy));
          pairs.dominating = both_orders(above);
          pairs.more_dominating.clear();
          pairs.dominating_source = kOneAfterAnother;
          return Known<StepLosses>(std::move(pairs));
        } else {
          const auto single = ASSAY_TRY(losses(one, accuracy.log_tail));
          auto pairs = ASSAY_TRY(chain_losses(single->dominating, s.group));
          if constexpr (!std::is_same_v<One, ApproximateStep>) {
            pairs->attained = single->dominating;
            pairs->dominating_source = kOneAfterAnother;
            pairs->attained_source = "one record of the group";
          }
          return pairs;
        }
      },
      s.mechanism);
}

// ---- largest losses and levels ------------------------------------------------------------------

// max log p/q over outputs, which is at least 0; infinite where p alone makes an output.
Enclosure largest_log_ratio(const std::vector<double>& p, const std::vector<double>& q) {
  Enclosure largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= q[i]) continue;
    if (q[i] == 0.0) return kInfinity;
    const Enclosure ratio = log(Enclosure(p[i])) - log(Enclosure(q[i]));
    largest = {std::max(largest.low, ratio.low), std::max(largest.high, ratio.high)};
  }
  return largest;
}

Known<Enclosure> finite_or_unknown(Enclosure largest) {
  if (std::isfinite(largest.high)) return largest;
  return unknown("some output happens under one of p and q only");
}

Known<Enclosure> largest_of_order(const FinitePairStep& s, SamplingDirection order) {
  const bool remove = order == SamplingDirection::kRemove;
  return finite_or_unknown(largest_log_ratio(remove ? s.p : s.q, remove ? s.q : s.p));
}
Known<Enclosure> largest_of_order(const LossDistributionStep& s, SamplingDirection order) {
  return finite_or_unknown(distribution_largest_loss(s, order));
}

// Whether some records of the group lose all of their largest losses together.
template <class One>
concept IsExactForGroup =
    std::is_same_v<One, DiscreteLaplaceStep> || std::is_same_v<One, PureStep> ||
    std::is_same_v<One, ApproximateStep> || std::is_same_v<One, TruncatedGeometricStep>;

// Of either order.
template <class Step>
Known<Enclosure> largest_loss(const Step& s) {
  if constexpr (HasOwnLosses<Step>) {
    return s.largest_loss();
  } else if constexpr (std::is_same_v<Step, LaplaceStep>) {
    return detail::moved(s.sensitivity, s.group) / s.scale;
  } else if constexpr (std::is_same_v<Step, DiscreteLaplaceStep>) {
    return Enclosure(1.0) / s.scale;
  } else if constexpr (std::is_same_v<Step, RandomizedResponseStep> ||
                       std::is_same_v<Step, PureStep>) {
    return Enclosure(s.epsilon);
  } else if constexpr (std::is_same_v<Step, ApproximateStep>) {
    if (s.own_delta == 0.0) return Enclosure(s.epsilon);
    return unknown("it guarantees nothing with probability " + number_text(s.own_delta));
  } else if constexpr (requires { largest_of_order(s, SamplingDirection::kAdd); }) {
    const Enclosure remove = ASSAY_TRY(largest_of_order(s, SamplingDirection::kRemove));
    const Enclosure add = ASSAY_TRY(largest_of_order(s, SamplingDirection::kAdd));
    return Enclosure(std::max(remove.low, add.low), std::max(remove.high, add.high));
  } else if constexpr (std::is_same_v<Step, GroupStep>) {
    return std::visit(
        [&]<class One>(const One& one) -> Known<Enclosure> {
          const Enclosure each = ASSAY_TRY(largest_loss(one));
          const Enclosure all = each * static_cast<double>(s.group);
          return IsExactForGroup<One> ? all : Enclosure(each.low, all.high);
        },
        s.mechanism);
  } else if constexpr (std::is_same_v<Step, ZcdpStep>) {
    return unknown("a level of zCDP bounds no largest loss");
  } else if constexpr (std::is_same_v<Step, SampledStep>) {
    const Enclosure remove = sampled_largest_loss(s, SamplingDirection::kRemove);
    const Enclosure add = sampled_largest_loss(s, SamplingDirection::kAdd);
    if (std::isinf(remove.high) || std::isinf(add.high)) return unknown(kUnboundedLoss);
    return Enclosure(std::max(remove.low, add.low), std::max(remove.high, add.high));
  } else {
    return unknown(kUnboundedLoss);
  }
}

template <class Step>
Known<GaussianDp> gaussian_level(const Step& s) {
  if constexpr (requires { s.mu(); }) {
    if (const auto mu = s.mu()) return GaussianDp{Mu{mu->high}};
  }
  if constexpr (std::is_same_v<Step, GaussianMixtureStep>) {
    return unknown("a mixture of Gaussians has a mu only in the limit of many releases");
  } else if constexpr (std::is_same_v<Step, MatrixStep>) {
    return GaussianDp{Mu{matrix_mu(s).high}};
  } else if constexpr (std::is_same_v<Step, GaussianStep>) {
    return GaussianDp{Mu{(detail::moved(s.sensitivity, s.group) / s.sigma).high}};
  } else if constexpr (std::is_same_v<Step, GdpStep>) {
    return GaussianDp{Mu{s.mu}};
  } else if constexpr (std::is_same_v<Step, DiscreteGaussianStep>) {
    return unknown("no closed form: its trade-off curve has corners");
  } else if constexpr (std::is_same_v<Step, ZcdpStep>) {
    return unknown("zCDP gives no mu");
  } else {
    const auto loss = largest_loss(s);
    if (!loss && std::is_same_v<Step, SampledStep>) {
      return unknown("sampled Gaussian noise has a mu only in the limit of many releases");
    }
    if (!loss) return tl::make_unexpected(loss.error());
    return *to_gaussian(PureDp{Epsilon{loss->high}});
  }
}

template <class Step>
Known<ZeroConcentratedDp> zcdp_level(const Step& s) {
  if constexpr (requires { s.mu(); }) {
    if (s.mu()) return ZeroConcentratedDp{zcdp_rho(*gaussian_level(s))->value};
  }
  if constexpr (requires { s.rho(); }) {
    return ZeroConcentratedDp{Rho{s.rho().high}};
  } else if constexpr (requires { s.renyi(); }) {
    const auto loss = largest_loss(s);
    if (!loss) return unknown("no theorem gives it a rho");
    return ZeroConcentratedDp{zcdp_rho(PureDp{Epsilon{loss->high}})->value};
  } else if constexpr (std::is_same_v<Step, GaussianMixtureStep>) {
    return unknown("a mixture of Gaussians has no closed form of rho");
  } else if constexpr (std::is_same_v<Step, ZcdpStep>) {
    return ZeroConcentratedDp{Rho{s.rho}};
  } else if constexpr (std::is_same_v<Step, GaussianStep> || std::is_same_v<Step, GdpStep> ||
                       std::is_same_v<Step, MatrixStep>) {
    return ZeroConcentratedDp{zcdp_rho(*gaussian_level(s))->value};
  } else if constexpr (std::is_same_v<Step, DiscreteGaussianStep>) {
    return ZeroConcentratedDp{Rho{(Enclosure(0.5) / (Enclosure(s.sigma) * s.sigma)).high}};
  } else if constexpr (std::is_same_v<Step, GroupStep>) {
    if (const auto* noise = std::get_if<DiscreteGaussianStep>(&s.mechanism)) {
      const auto squared = static_cast<double>(s.group * s.group);
      return ZeroConcentratedDp{
          Rho{(Enclosure(0.5 * squared) / (Enclosure(noise->sigma) * noise->sigma)).high}};
    }
    const auto loss = largest_loss(s);
    if (!loss) return unknown(kOwnDelta);
    return ZeroConcentratedDp{zcdp_rho(PureDp{Epsilon{loss->high}})->value};
  } else {
    const auto loss = largest_loss(s);
    if (!loss && std::is_same_v<Step, SampledStep>) {
      return unknown("sampled Gaussian noise has an infinite rho");
    }
    if (!loss) return unknown(kOwnDelta);
    return ZeroConcentratedDp{zcdp_rho(PureDp{Epsilon{loss->high}})->value};
  }
}

// log of a sum of e^terms, from above.
double log_sum_above(const std::vector<Enclosure>& terms) {
  double top = -kInfinity;
  for (const Enclosure& term : terms) top = std::max(top, term.high);
  if (!std::isfinite(top)) return top;
  Enclosure sum = 0.0;
  for (const Enclosure& term : terms) sum = sum + exp(Enclosure(term.high) - top);
  return (log(sum) + top).high;
}

// (2).
double subsampled_divergence(double sigma_low, double sampling, int order) {
  const Enclosure log_in = log(Enclosure(sampling)), log_out = log1p(Enclosure(-sampling));
  Enclosure log_choose = 0.0;
  std::vector<Enclosure> terms;
  for (int k = 0; k <= order; ++k) {
    const Enclosure spread = Enclosure(0.5 * k * (k - 1)) / (Enclosure(sigma_low) * sigma_low);
    terms.push_back(log_choose + log_out * static_cast<double>(order - k) +
                    log_in * static_cast<double>(k) + spread);
    log_choose =
        log_choose + log(Enclosure(static_cast<double>(order - k)) / static_cast<double>(k + 1));
  }
  return (Enclosure(log_sum_above(terms)) / static_cast<double>(order - 1)).high;
}

double finite_divergence(const std::vector<double>& p, const std::vector<double>& q, double order) {
  std::vector<Enclosure> terms;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0.0) continue;
    if (q[i] == 0.0) return kInfinity;
    const Enclosure a = order;
    terms.push_back(a * log(Enclosure(p[i])) - (a - 1.0) * log(Enclosure(q[i])));
  }
  return std::max(0.0, (Enclosure(log_sum_above(terms)) / (Enclosure(order) - 1.0)).high);
}

template <class Step>
Known<RenyiDp> renyi_level(const Step& s) {
  if constexpr (requires { s.renyi(); }) {
    return s.renyi();
  } else if constexpr (std::is_same_v<Step, LaplaceStep>) {
    return *laplace_renyi(Epsilon{largest_loss(s)->high});
  } else if constexpr (std::is_same_v<Step, SampledStep>) {
    return sampled_renyi(s);
  } else if constexpr (std::is_same_v<Step, FinitePairStep>) {
    ASSAY_TRY(largest_loss(s));
    return RenyiDp([s](double order) {
      return std::max(finite_divergence(s.p, s.q, order), finite_divergence(s.q, s.p, order));
    });
  } else if constexpr (std::is_same_v<Step, LossDistributionStep>) {
    ASSAY_TRY(largest_loss(s));
    return RenyiDp([s](double order) { return distribution_divergence(s, order); });
  } else {
    const auto loss = largest_loss(s);
    if (loss) return *to_renyi(PureDp{Epsilon{loss->high}});
    const auto rho = ASSAY_TRY(zcdp_level(s));
    return *to_renyi(rho);
  }
}

// For comparison with other accountings: exact where outputs can be listed, and otherwise not very tight.
Result<ApproximateDp> single_by_losses(const StepMechanism& step, Delta delta) {
  constexpr double kWidth = 1e-3;  // relative
  const PldOptions options{.relative_width = kWidth, .attempts = 2};
  const LossAccuracy rough{.delta = std::clamp(delta.value, 1e-100, 0.5),
                           .relative_width = 10.0 * kWidth};
  const auto pair = ASSAY_TRY(step_losses(step, rough));
  double upper = 0.0;
  const DirectedLosses& dominating = pair->dominating;
  for (const PrivacyLoss* distribution : {&dominating.remove, &dominating.add}) {
    std::vector<PldTerm> terms{{*distribution, 1}};
    for (const auto& [losses, count] : pair->more_dominating) {
      terms.push_back({distribution == &dominating.remove ? losses.remove : losses.add, count});
    }
    if (const auto whole = detail::enumerated(terms)) {
      upper = std::max(upper, detail::enumerated_bounds(*whole, {.given = delta.value}).high);
      continue;
    }
    const auto eps = ASSAY_TRY(pld_epsilon(terms, delta, options));
    upper = std::max(upper, eps.upper.value.value);
  }
  if (std::isfinite(upper)) return ApproximateDp{Epsilon{upper}, delta};
  return fail(ErrorCode::kInvalidArgument,
              "one release alone exceeds delta = " + number_text(delta.value));
}

}  // namespace

std::string step_relation(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step& s) -> std::string {
        if constexpr (requires { s.relation; }) {
          return s.relation == SampledRelation::kReplaceOne ? "replace-one" : "add-or-remove";
        } else if constexpr (std::is_same_v<Step, RepeatAndSelectStep>) {
          return s.mechanism == nullptr ? "" : step_relation(s.mechanism->step().mechanism);
        } else {
          return {};
        }
      },
      step);
}

bool has_independent_noise(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step&) {
        return std::is_same_v<Step, GaussianStep> || std::is_same_v<Step, LaplaceStep> ||
               std::is_same_v<Step, DiscreteGaussianStep> ||
               std::is_same_v<Step, DiscreteLaplaceStep>;
      },
      step);
}

bool has_pair(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step& s) {
        if constexpr (requires { s.has_pair(); }) {
          return s.has_pair();
        } else {
          return !std::is_same_v<Step, ZcdpStep>;
        }
      },
      step);
}

Result<Known<std::vector<RepeatedLosses>>> step_attained(const StepMechanism& step,
                                                         const LossAccuracy& accuracy) {
  using Pairs = std::vector<RepeatedLosses>;
  if (!has_pair(step)) {
    return std::visit(
        [&]<class Step>(const Step& s) -> Result<Known<Pairs>> {
          if constexpr (requires { s.attained(accuracy); }) {
            auto pair = ASSAY_TRY(s.attained(accuracy));
            return Known<Pairs>(Pairs{{std::move(pair)}});
          } else {
            return Known<Pairs>(unknown("no single pair stands for a zCDP level"));
          }
        },
        step);
  }
  auto losses = ASSAY_TRY(step_losses(step, accuracy));
  if (!losses) return Known<Pairs>(tl::make_unexpected(losses.error()));
  Pairs pairs = losses->attained ? losses->more_attained : losses->more_dominating;
  pairs.push_back({losses->attained.value_or(losses->dominating)});
  return Known<Pairs>(std::move(pairs));
}

Result<Known<StepLosses>> step_losses(const StepMechanism& step, const LossAccuracy& accuracy) {
  return std::visit(
      [&]<class Step>(const Step& s) {
        if constexpr (HasOwnLosses<Step>) {
          return [&]() -> Result<Known<StepLosses>> {
            auto pairs = ASSAY_TRY(s.losses(accuracy));
            return Known<StepLosses>(std::move(pairs));
          }();
        } else if constexpr (requires { losses(s, accuracy); }) {
          return losses(s, accuracy);
        } else {
          return losses(s, accuracy.log_tail);
        }
      },
      step);
}

Known<PureDp> step_pure(const StepMechanism& step) {
  const auto loss = ASSAY_TRY(
      std::visit([](const auto& s) -> Known<Enclosure> { return largest_loss(s); }, step));
  return PureDp{Epsilon{loss.high}};
}

Known<GaussianDp> step_gaussian(const StepMechanism& step) {
  return std::visit([](const auto& s) { return gaussian_level(s); }, step);
}

Known<ZeroConcentratedDp> step_zcdp(const StepMechanism& step) {
  return std::visit([](const auto& s) { return zcdp_level(s); }, step);
}

Known<RenyiDp> step_renyi(const StepMechanism& step) {
  return std::visit([](const auto& s) { return renyi_level(s); }, step);
}

Known<Interval<Epsilon>> step_largest_loss(const StepMechanism& step, SamplingDirection order) {
  const auto loss = std::visit(
      [order]<class Step>(const Step& s) -> Known<Enclosure> {
        if constexpr (std::is_same_v<Step, GroupStep>) {
          return std::visit(
              [&]<class One>(const One& one) -> Known<Enclosure> {
                if constexpr (requires { largest_of_order(one, order); }) {
                  const Enclosure each = ASSAY_TRY(largest_of_order(one, order));
                  return Enclosure(each.low, (each * static_cast<double>(s.group)).high);
                } else {
                  return largest_loss(s);
                }
              },
              s.mechanism);
        } else if constexpr (requires { largest_of_order(s, order); }) {
          return largest_of_order(s, order);
        } else if constexpr (std::is_same_v<Step, SampledStep>) {
          const Enclosure loss = sampled_largest_loss(s, order);
          if (std::isinf(loss.high)) return unknown(kUnboundedLoss);
          return loss;
        } else if constexpr (std::is_same_v<Step, GaussianMixtureStep>) {
          const Enclosure loss = mixture_largest_loss(s, order);
          if (std::isinf(loss.high)) return unknown(kUnboundedLoss);
          return loss;
        } else {
          return largest_loss(s);
        }
      },
      step);
  if (!loss) return tl::make_unexpected(loss.error());
  return Interval<Epsilon>{{Epsilon{std::max(0.0, loss->low)}}, {Epsilon{loss->high}}};
}

Result<ApproximateDp> step_single(const StepMechanism& step, Delta delta) {
  if (const auto pure = step_pure(step)) return ApproximateDp{pure->epsilon, {}};
  if (const auto* own = std::get_if<ApproximateStep>(&step)) {
    return ApproximateDp{Epsilon{own->epsilon}, Delta{own->own_delta}};
  }
  if (const auto* group = std::get_if<GroupStep>(&step)) {
    if (const auto* own = std::get_if<ApproximateStep>(&group->mechanism)) {
      return for_group(ApproximateDp{Epsilon{own->epsilon}, Delta{own->own_delta}}, group->group);
    }
  }
  if (const auto mu = step_gaussian(step)) return approximate_at_delta(*mu, delta);
  if (!has_pair(step)) {
    const auto eps = ASSAY_TRY(renyi_epsilon(*step_renyi(step), delta));
    return ApproximateDp{eps.value, delta};
  }
  return single_by_losses(step, delta);
}

namespace detail {

PrivacyLoss for_quotient(PrivacyLoss distribution, double reach) {
  distribution.loss_error += 8.0 * kUnitRoundoff * reach;
  distribution.weight_error += 8.0 * kUnitRoundoff * (1.0 + reach);
  return distribution;
}

double normal_reach(double mu, double log_tail) {
  return mu * (std::max(13.0, std::sqrt(-2.0 * log_tail)) + 2.0 * mu);
}

// At whole orders up to 512, and by convexity of (a - 1) D_a between them; each is computed when it is asked for.
RenyiDp subsampled_renyi(double sigma, double sampling) {
  const auto at = [sigma, sampling](int order) {
    return std::max(0.0, subsampled_divergence(sigma, sampling, order));
  };
  return RenyiDp([at](double order) {
    constexpr double kLargestOrder = 512.0;
    if (order > kLargestOrder) return kInfinity;
    if (order <= 2.0) return at(2);
    const double below = std::floor(order), above = std::ceil(order);
    if (below == above) return at(static_cast<int>(order));
    const Enclosure low = (Enclosure(above) - order) * (below - 1.0) * at(static_cast<int>(below));
    const Enclosure high = (Enclosure(order) - below) * (above - 1.0) * at(static_cast<int>(above));
    return ((low + high) / (Enclosure(order) - 1.0)).high;
  });
}

}  // namespace detail
}  // namespace assay
