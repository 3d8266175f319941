#include "assay/mechanisms/accounting/zcdp.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/order_search.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

using detail::Enclosure;

Result<UpperBound<Rho>> finite_rho(Enclosure rho, const std::string& field) {
  if (std::isfinite(rho.high)) return UpperBound<Rho>{Rho{rho.high}};
  return fail(ErrorCode::kLimit, field + " is too large: its rho overflows", "/" + field);
}

// log of the two-point moment in (4), rounded down.
double log_moment(double log_p, double log_q, double order) {
  const Enclosure a = order;
  const Enclosure event = a * log_p + (1.0 - a) * log_q;
  const Enclosure rest = a * log1p(-exp(log_p)) + (1.0 - a) * log1p(-exp(log_q));
  const Enclosure more = event.low >= rest.low ? event : rest;
  const Enclosure less = event.low >= rest.low ? rest : event;
  return std::max(more.low, (more + log1p(exp(less - more))).low);
}

// (4) for one order of the inputs.
double forced_rho(double log_p, double log_q) {
  return -detail::least_over_orders([&](double order) {
    const Enclosure a = order;
    return -(Enclosure(log_moment(log_p, log_q, order)) / (a * (a - 1.0))).low;
  });
}

}  // namespace

Result<UpperBound<Rho>> zcdp_rho(const PureDp& level) {
  const double eps = level.epsilon.value;
  ASSAY_TRY(detail::check_non_negative("epsilon", eps));
  if (eps == 0.0) return UpperBound<Rho>{};
  const Enclosure e = eps;
  // tanh(eps/2) = (1 - e^-eps)/(1 + e^-eps)
  return finite_rho(e * -expm1(-e) / (1.0 + exp(-e)), "epsilon");  // (1)
}

Result<UpperBound<Rho>> zcdp_rho(const GaussianDp& level) {
  const double mu = level.mu.value;
  ASSAY_TRY(detail::check_non_negative("mu", mu));
  if (mu == 0.0) return UpperBound<Rho>{};
  return finite_rho(Enclosure(mu) * mu * 0.5, "mu");  // (2)
}

Result<UpperBound<Delta>> zcdp_delta(Rho rho, Epsilon epsilon) {
  ASSAY_TRY(detail::first_failure(detail::check_non_negative("rho", rho.value),
                                  detail::check_non_negative("epsilon", epsilon.value)));
  if (rho.value == 0.0) return UpperBound<Delta>{};
  return renyi_delta(*to_renyi(ZeroConcentratedDp{rho}), epsilon);
}

Result<UpperBound<Epsilon>> zcdp_epsilon(Rho rho, Delta delta) {
  ASSAY_TRY(detail::first_failure(detail::check_non_negative("rho", rho.value),
                                  detail::check_open_delta("delta", delta.value)));
  if (rho.value == 0.0) return UpperBound<Epsilon>{};
  return renyi_epsilon(*to_renyi(ZeroConcentratedDp{rho}), delta);
}

Result<UpperBound<Epsilon>> zcdp_epsilon_closed_form(Rho rho, Delta delta) {
  ASSAY_TRY(detail::first_failure(detail::check_non_negative("rho", rho.value),
                                  detail::check_open_delta("delta", delta.value)));
  const Enclosure r = rho.value;
  const double eps = (r + 2.0 * sqrt(r * -log(Enclosure(delta.value)))).high;  // (3)
  if (!std::isfinite(eps)) return fail(ErrorCode::kLimit, "rho is too large", "/rho");
  return UpperBound<Epsilon>{Epsilon{eps}};
}

Result<LowerBound<Rho>> zcdp_rho_from_event(double log_p, double log_q) {
  for (const auto& [name, value] : {std::pair{"log_p", log_p}, std::pair{"log_q", log_q}}) {
    if (!(value <= 0.0)) {
      return tl::make_unexpected(
          detail::out_of_range(name, "a logarithm of a probability, at most 0", number_text(value))
              .error());
    }
  }
  if (log_p == log_q) return LowerBound<Rho>{};
  if (std::isinf(log_p) || std::isinf(log_q) || log_p == 0.0 || log_q == 0.0) {
    return fail(ErrorCode::kInvalidArgument,
                "log_p and log_q must be of an event that is possible but not certain on both "
                "inputs: no rho allows any other event",
                "/log_p");
  }
  const double rho = std::max(forced_rho(log_p, log_q), forced_rho(log_q, log_p));
  return LowerBound<Rho>{Rho{std::max(0.0, rho)}};
}

}  // namespace assay
