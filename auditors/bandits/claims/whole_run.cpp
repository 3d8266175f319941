// Claims on the privacy of a whole run: levels of T rounds, and how loose they are.
//
// policies/bandits/modified_thompson_sampling.hpp proves the true levels, (4) and (5): the rounds
// up to and including the one that draws the changed reward release nothing of it, and each later
// one is 1/sqrt(c (n_j + 1))-GDP. A published level holds if it is no smaller. Only the easy halves
// of the paper's Lemmas 1 and 2 are needed, with this short proof. Release all theta. The shift s_t
// of round t, in deviations, is a function of past actions, and sum s_t^2 <= M^2; one more Gaussian
// release makes it M^2 exactly. With Z_t the noise along the shift,
// E exp(i u sum s_t Z_t) = e^(-u^2 M^2/2) by the martingale, so the log-likelihood ratio is that of
// N(M, 1) against N(0, 1): every event of the release, so of the actions, loses at most the profile
// of M-GDP. Besides the proof, the audit case `thompson-sampling` attacks each level on small runs,
// so that a bug in either shows.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/bandits/thompson_sampling_case.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"

namespace assay::thompson_sampling_checks {
namespace {

using Config = ModifiedThompsonSamplingConfig;

// ---- attacks by the audit case ------------------------------------------------------------------

struct Attack {
  std::vector<KeyValue> parameters;
  std::string claim;
};

// Of an audit; the audit's own defaults where there is none.
struct AuditSizes {
  std::optional<std::int64_t> pairs;
  std::optional<std::int64_t> samples;
};

Result<AuditReport> audit(const Attack& attack, const ClaimRequest& request,
                          const AuditSizes& sizes, const RunControl& control) {
  AuditRequest asked;
  asked.parameters = attack.parameters;
  asked.claim = attack.claim;
  asked.seed = request.seed;
  asked.confidence = request.confidence;
  asked.search = sizes.pairs;
  asked.samples = sizes.samples;
  return ThompsonSamplingCase().run(asked, control);
}

std::string parameters_text(const std::vector<KeyValue>& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

const ReportedQuantity* quantity_of(const AuditReport& report, QuantityKind kind) {
  for (const auto& quantity : report.evidence.quantities) {
    if (quantity.kind == kind) return &quantity;
  }
  return nullptr;
}

std::string claimed_text(const PrivacyLevel& level) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&level)) {
    return "mu = " + rounded(gaussian->mu.value, 6);
  }
  return to_string(level);
}

// Fills the table with one row for each attack. Returns the text of the first audit that says
// Violated, if any.
Result<std::optional<std::string>> attack_all(const std::vector<Attack>& attacks,
                                              const ClaimRequest& request,
                                              const RunControl& control, ClaimFinding& finding) {
  std::optional<std::string> violated;
  finding.table.columns = {"audited", "claimed", "mu certified", "verdict"};
  for (const Attack& attack : attacks) {
    const auto report = ASSAY_TRY(audit(attack, request, {scaled(64, request), {}}, control));
    const auto* mu = quantity_of(report, QuantityKind::kMu);
    finding.table.rows.push_back(
        {parameters_text(attack.parameters), claimed_text(report.claim),
         fmt::format("[{}, {}]", rounded_down(mu->lower.value, 5), rounded_up(mu->upper.value, 5)),
         to_string(report.verdict)});
    ++finding.evaluations;
    if (report.verdict == Verdict::kViolated && !violated) {
      violated = parameters_text(attack.parameters);
    }
  }
  return violated;
}

}  // namespace

// The margin of the published level: the share by which the proved level exceeds it.
SearchedClaim published_level_search(bool classical) {
  const double most = classical ? 0.0 : 1000.0;
  return {{whole_log_scale("N", 2, 1024), whole_log_scale("T", 1, 1e9),
           whole_log_scale("b + 1", 1, 1 + most), log_scale("c", 1, classical ? 1.0 : 1e6)},
          [](const Point& point) {
            Config config;
            config.arms = static_cast<std::int64_t>(point[0]);
            config.horizon = static_cast<std::int64_t>(point[1]);
            config.pre_pulls = static_cast<std::int64_t>(point[2]) - 1;
            config.variance = point[3];
            const auto proved = ModifiedThompsonSampling::create(config);
            config.calibration = Calibration::kPaper;
            const auto published = ModifiedThompsonSampling::create(config);
            if (!proved || !published) return std::nan("");
            return std::get<GaussianDp>(proved->guarantee().level).mu.value /
                       std::get<GaussianDp>(published->guarantee().level).mu.value -
                   1.0;
          },
          1e-12};
}

namespace {

Finding level_holds(std::string_view id, bool classical, const std::vector<Attack>& attacks,
                    std::string domain, std::string summary, const ClaimRequest& request,
                    const RunControl& control) {
  auto finding = searched({.id = id, .claim = published_level_search(classical), .points = 4'000},
                          request, control);
  finding.domain = std::move(domain);
  const auto violated = ASSAY_TRY(attack_all(attacks, request, control, finding));
  finding.evidence = {fmt::format(
      "the proved level is at most {}% of the published one in {} configurations with N to 1024, T "
      "to 1e9",
      rounded_up(100.0 * (1.0 + finding.outcome.margin), 5), finding.points())};
  if (finding.outcome.violation)
    return contradiction(finding, "a proved level above the published one");
  if (violated) return contradiction(finding, *violated);
  return holds(finding, std::move(summary));
}

}  // namespace

// Lemma 4 states sqrt(T/2); sqrt((T - 1)/2) is proved.
Finding run_gdp(const ClaimRequest& request, const RunControl& control) {
  std::vector<Attack> attacks;
  for (const auto& [arms, horizon] : {std::pair{"2", "2"}, {"2", "10"}, {"3", "7"}, {"4", "6"}}) {
    attacks.push_back({{{"arms", arms}, {"horizon", horizon}}, "mu=sqrt(T/2)"});
  }
  return level_holds(
      "ts-gdp", true, attacks, "every N >= 2 and T >= 1; the audited runs are exact",
      "a run is sqrt((T - 1)/2)-GDP, so sqrt(T/2)-GDP, since the first round releases nothing",
      request, control);
}

// Theorem 3: the profile of sqrt(T/2)-GDP, as printed.
Finding run_dp(const ClaimRequest& request, const RunControl& control) {
  std::vector<Attack> attacks;
  for (const double epsilon : {0.25, 1.0, 3.0}) {
    const double delta = gdp_delta(Mu{std::sqrt(10.0 / 2.0)}, Epsilon{epsilon}).value;
    attacks.push_back({{{"arms", "2"}, {"horizon", "10"}},
                       fmt::format("eps={},delta={}", number_text(epsilon),
                                   number_text(delta * (1.0 + kGdpRelativeError)))});
  }
  return level_holds("ts-dp", true, attacks,
                     "every N >= 2, T >= 1 and eps >= 0; the audited runs are exact",
                     "delta(eps) is the profile of sqrt(T/2)-GDP, which a run satisfies "
                     "(ts-gdp) and which converts without loss (gdp-dp-duality)",
                     request, control);
}

// Lemma 5 and Theorem 4 state sqrt(T/(c(b + 1))). sqrt((T - bN)/(c(b + 1))) is proved, or sqrt((T -
// 1)/(2c)) for b = 0.
Finding modified_gdp(const ClaimRequest& request, const RunControl& control) {
  std::vector<Attack> attacks;
  for (const auto& [pre_pulls, variance] : {std::pair{"0", "1"}, {"1", "1"}, {"2", "3"}}) {
    attacks.push_back(
        {{{"arms", "2"}, {"horizon", "10"}, {"pre_pulls", pre_pulls}, {"variance", variance}},
         "mu=sqrt(T/(c*(b+1)))"});
  }
  return level_holds("mts-gdp", false, attacks,
                     "every N >= 2, T >= bN, b >= 0 and c >= 1; the audited runs are exact",
                     "pre-pulls release nothing, so a run is sqrt((T - bN)/(c(b + 1)))-GDP, or "
                     "sqrt((T - 1)/(2c)) at b = 0",
                     request, control);
}

// Corollary 1. Its proof composes Theorem 7, which is false, but Lemma 4 implies its conclusion:
// (eps_TS, delta_TS) with delta = f delta_TS/T, 0 < f < 1, is implied by sqrt((T - 1)/2)-GDP when
// delta_mu(eps_TS) <= delta_TS. On a cell eps_TS is smallest at the least T and the largest
// delta_TS; its first factor at the largest f, its logarithm at the least f. It grows with N,
// so N = 2 decides.
// Outside the box. Let e be the per-round eps and m^2 = (T - 1)/2. If e >= 1/sqrt 2, the first term of
// eps_TS is at least m sqrt(2 log(1/delta_TS)) and the second, above 0.72 T, exceeds m^2/2: so
// delta_m(eps_TS) <= Phi(-sqrt(2 log(1/delta_TS))) <= delta_TS. If e < 1/sqrt 2 then delta > e^-4/2, so
// T < 2 e^4 < 110 and delta_TS > e^-4, inside the box except for delta_TS > 0.999; there
// delta_m(0) <= 0.999 for T <= 86, and e >= 0.68, eps_TS > 59, delta_m <= 1e-5 for T from 87 to
// 109. The first round releases nothing, so T = 1 needs no proof.
Finding advanced_composition(const ClaimRequest&, const RunControl& control) {
  const std::vector<Parameter> box{log_scale("T", 2.0, 110.0), log_scale("delta_TS", 0.018, 0.999),
                                   real("f = T delta/delta_TS", 0.0, 1.0)};
  const auto slack = [](const Cell& cell) {
    const auto& [rounds, total, share] = std::tie(cell[0], cell[1], cell[2]);
    const double most_delta = total.high * share.high / rounds.low;
    const double least_step =
        std::sqrt(std::max(0.0, -portable_log(2.0 * most_delta))) / (2.0 * std::sqrt(2.0));
    const double least_log = -portable_log(total.high * (1.0 - share.low));
    const double least_epsilon = least_step * std::sqrt(2.0 * rounds.low * least_log) +
                                 rounds.low * least_step * portable_expm1(least_step);
    const Mu most_mu{std::sqrt((rounds.high - 1.0) / 2.0)};
    return portable_log(total.low) -
           gdp_log_delta(most_mu, Epsilon{least_epsilon * (1.0 - 1e-12)}) * (1.0 - 1e-12) - 1e-12;
  };
  const auto outcome = certify_box(box, slack, 5'000'000, control);
  ClaimFinding finding;
  finding.evaluations = outcome.cells;
  finding.domain =
      "every T, N >= 2, delta <= (N - 1)/2 and delta_TS > T delta; T from 2 to 110 and delta_TS from 0.018 to 0.999 by branch "
      "and bound, the rest by hand";
  finding.evidence = {fmt::format(
      "branch and bound over {} cells: the profile of sqrt((T - 1)/2)-GDP at eps_TS is at most "
      "delta_TS on each",
      grouped(outcome.cells))};
  return certified(finding, outcome,
                   "the stated (eps_TS, delta_TS) are weaker than Lemma 4, which implies them; the "
                   "printed proof does not, since it composes ts-step-dp");
}

// Theorem 8: eps = alpha T/4 + log(1/delta)/(alpha - 1). By (1 - e^-y)_+ <= e^((alpha - 1) y) at y =
// loss - eps, delta_mu(eps) <= e^((alpha - 1)(alpha mu^2/2 - eps)), which is delta for mu^2 = T/2. The
// code certifies it over a box in another way, from the profile itself, cell by cell. On a cell eps
// is smallest at the least T and alpha in its first term, at the largest alpha and delta in its
// second.
Finding renyi(const ClaimRequest&, const RunControl& control) {
  const std::vector<Parameter> box{log_scale("T", 1.0, 1e4), log_scale("alpha - 1", 1e-4, 1e3),
                                   log_scale("delta", 1e-12, 0.999)};
  const auto slack = [](const Cell& cell) {
    const double least_epsilon =
        (1.0 + cell[1].low) * cell[0].low / 4.0 - portable_log(cell[2].high) / cell[1].high;
    const Mu most_mu{std::sqrt(cell[0].high / 2.0)};
    return portable_log(cell[2].low) -
           gdp_log_delta(most_mu, Epsilon{least_epsilon * (1.0 - 1e-12)}) * (1.0 - 1e-12) - 1e-12;
  };
  const auto outcome = certify_box(box, slack, 20'000'000, control);
  ClaimFinding finding;
  finding.evaluations = outcome.cells;
  finding.domain = "every T, alpha > 1 and delta; by the Markov bound of the privacy loss";
  finding.evidence = {fmt::format(
      "branch and bound over {} cells, T from 1 to 1e4, alpha - 1 from 1e-4 to 1e3, delta "
      "from 1e-12 to 0.999: the profile of sqrt(T/2)-GDP at eps is at most delta on each",
      grouped(outcome.cells))};
  return certified(finding, outcome, "implied by sqrt(T/2)-GDP (ts-gdp)");
}

namespace {

std::string path_text(const WitnessPath& witness) {
  std::string text;
  std::size_t i = 0;
  while (i < witness.actions.size()) {
    std::size_t end = i;
    while (end < witness.actions.size() && witness.actions[end] == witness.actions[i]) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(witness.actions[i]);
    if (end - i > 1) text += "^" + std::to_string(end - i);
    i = end;
  }
  return text;
}

// Decimal probability from its natural logarithm, also below the smallest double.
std::string probability_text(double log_p) {
  const double tens = log_p / 2.302585092994045684;
  const double exponent = std::floor(tens);
  return fmt::format("{:.3g}e{:.0f}", std::pow(10.0, tens - exponent), exponent);
}

}  // namespace

// The distance of sqrt(T/2) from the true level of a run: certified bounds for the worst pair
// found, with two arms. The answer is the mu that one path implies, which is exact. So the long runs need few
// samples, which only bound the mu over delta >= 1e-6, and the structural pairs, which no other pair has beaten.
Finding looseness(const ClaimRequest& request, const RunControl& control) {
  ClaimFinding finding;
  finding.table.columns = {"T",
                           "sqrt(T/2)",
                           "proved, all pairs",
                           "mu of the worst pair found",
                           "path that implies it",
                           "its probability on D and D'",
                           "mu over delta >= 1e-6"};
  double least = 1.0;
  struct Length {
    int horizon;
    std::int64_t pairs;
    std::int64_t samples;  // 0: an exact audit
  };
  for (const auto& [horizon, pairs, samples] :
       {Length{10, 24, 0}, Length{100, 24, 256}, Length{1000, 24, 64}}) {
    AuditSizes sizes;
    sizes.pairs = scaled(pairs, request);
    if (samples > 0) sizes.samples = scaled(samples, request);
    ClaimRequest third = request;  // the three audits hold jointly
    third.confidence = 1.0 - (1.0 - request.confidence) / 3.0;
    const auto report =
        ASSAY_TRY(audit({{{"arms", "2"}, {"horizon", std::to_string(horizon)}}, "mu=sqrt(T/2)"},
                        third, sizes, control));
    const auto* mu = quantity_of(report, QuantityKind::kMu);
    const auto* seen = quantity_of(report, QuantityKind::kMuAboveDelta0);
    const double claimed = std::sqrt(horizon / 2.0);
    finding.table.rows.push_back(
        {std::to_string(horizon), rounded(claimed, 5),
         rounded_up(std::sqrt((horizon - 1) / 2.0), 5),
         fmt::format("[{}, {}]", rounded_down(mu->lower.value, 5), rounded_up(mu->upper.value, 5)),
         report.evidence.witness ? path_text(*report.evidence.witness) : "-",
         report.evidence.witness
             ? probability_text(report.evidence.witness->log_probability_base) + ", " +
                   probability_text(report.evidence.witness->log_probability_neighbour)
             : "-",
         fmt::format("[{}, {}]", rounded_down(seen->lower.value, 4),
                     rounded_up(seen->upper.value, 4))});
    least = std::min(least, mu->lower.value / claimed);
    ++finding.evaluations;
    finding.confidence = request.confidence;
    if (report.verdict == Verdict::kViolated)
      return contradiction(finding, "T = " + std::to_string(horizon));
    if (control.cancelled()) return undecided(finding, "stopped");
  }
  finding.domain = "two arms, T = 10, 100, 1000; the worst pair and path that the audit found";
  finding.verdict = ClaimVerdict::kNotRefuted;
  finding.summary =
      "no level below " + percent(std::floor(least * 1000.0) / 1000.0) +
      " of sqrt(T/2) holds at any T tried; it is open whether the level approaches sqrt((T - 1)/2)";
  return finding;
}

}  // namespace assay::thompson_sampling_checks
