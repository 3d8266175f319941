#include "assay/auditors/methods/black_box/asked.hpp"

#include <algorithm>
#include <variant>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

std::string epsilon_at(Delta delta) { return "eps at delta = " + rounded(delta.value, 6); }

}  // namespace

std::string Asked::main_quantity() const { return gaussian ? "mu" : epsilon_at(delta); }
std::string Asked::second_quantity() const { return gaussian ? epsilon_at(delta) : "mu"; }

Asked asked_of(const PrivacyLevel& claim, Delta delta0) {
  Asked asked;
  if (const auto* pure = std::get_if<PureDp>(&claim)) {
    asked.epsilon = pure->epsilon;
  } else if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
    asked.epsilon = approximate->epsilon;
    asked.delta = approximate->delta;
  } else {
    asked.gaussian = true;
    asked.mu = std::get<GaussianDp>(claim).mu;
    asked.delta = delta0;
    asked.epsilon = gdp_epsilon(asked.mu, asked.delta);
  }
  return asked;
}

double allowed_variation(const Asked& asked) {
  if (asked.gaussian) return 1.0 - 2.0 * normal_ccdf(0.5 * asked.mu.value);
  const double away = portable_exp(-std::min(asked.epsilon.value, 700.0));
  return asked.delta.value + (1.0 - asked.delta.value) * (1.0 - away) / (1.0 + away);
}

}  // namespace assay
