#include "assay/auditors/experts/leader_bracket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kMostMassError = 1e-9;

// (1), its logarithm.
double log_mass_left_out(const LeaderDistributions& distributions) {
  double log_mass = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    if (distributions.is_certified(j)) continue;
    log_mass = log_add_exp(log_mass, std::max({distributions.log_p[j], distributions.log_q[j],
                                               distributions.least_log}));
  }
  return log_mass + portable_log(2.0);
}

EnumeratedDistributions certified_part(const LeaderDistributions& distributions) {
  EnumeratedDistributions out;
  out.relative_error = distributions.relative_error;
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    if (!distributions.is_certified(j)) continue;
    out.log_p.push_back(distributions.log_p[j]);
    out.log_q.push_back(distributions.log_q[j]);
  }
  return out;
}

}  // namespace

Result<LeaderBracket> bracket_of(const LeaderDistributions& distributions, double level) {
  LeaderBracket out;
  out.inner = certified_part(distributions);
  out.left_out = distributions.log_p.size() - out.inner.log_p.size();
  if (out.left_out == 0) {
    out.outer = out.inner;
    return out;
  }
  out.log_mass = log_mass_left_out(distributions);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < out.inner.log_p.size(); ++j) {
    largest = std::max(largest, std::min(out.inner.log_p[j], out.inner.log_q[j]));
  }
  const double missed = 2.0 * portable_exp(out.log_mass - largest);
  if (!(missed <= kMostMassError)) {
    return fail(ErrorCode::kLimit,
                fmt::format("an expert is chosen with probability below e^{:.0f} with one loss "
                            "vector but not with the other, which is not certified at a level of "
                            "{:.4g}: give a smaller epsilon",
                            distributions.least_log, level),
                "/epsilon");
  }
  out.inner.relative_error += missed;  // (2)
  out.outer = out.inner;
  out.outer.log_p.insert(out.outer.log_p.end(), {out.log_mass, out.log_mass - level});  // (3)
  out.outer.log_q.insert(out.outer.log_q.end(), {out.log_mass - level, out.log_mass});
  return out;
}

Result<PairEvidence> bracket_evidence(const LeaderBracket& bracket, const PrivacyLevel& claim,
                                      Delta delta0) {
  const auto outer = ASSAY_TRY(ExactLoss::create(bracket.outer));
  PairEvidence evidence = exact_evidence(outer, claim, delta0);
  if (bracket.left_out == 0) return evidence;
  const auto inner = ASSAY_TRY(ExactLoss::create(bracket.inner));
  PairEvidence below = exact_evidence(inner, claim, delta0);
  for (std::size_t i = 0; i < evidence.quantities.size(); ++i) {
    evidence.quantities[i].lower = below.quantities[i].lower;
  }
  evidence.trade_off = std::move(below.trade_off);
  evidence.losses = std::move(below.losses);
  evidence.limits.push_back(fmt::format(
      "{} of the experts {} chosen with a probability below e^{:.0f} in all, too small to compute. "
      "Lower bounds leave {} out; upper bounds assume for {} the loss that is proved for all.",
      bracket.left_out, bracket.left_out == 1 ? "is" : "are", bracket.log_mass + 1.0,
      bracket.left_out == 1 ? "it" : "them", bracket.left_out == 1 ? "it" : "them"));
  return evidence;
}

}  // namespace assay
