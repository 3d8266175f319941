// Gathers evidence of releases: exact bounds from distributions or profiles, or bounds by betting on the losses of
// sampled releases. The pair is the given one or the worst of those that the subject lists. Exact bounds concern
// the distribution that the subject states, so checks compare sampled releases with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kCheckedReleases = 512;                   // on each input
constexpr std::int64_t kCheckedEntries = std::int64_t{1} << 25;  // of their inputs, at most
constexpr std::size_t kSearchedEntries = std::size_t{1} << 23;   // of all pairs that are searched
constexpr std::int64_t kDefaultLosses = 1024;                    // on each input

// Bets by earlier releases against their stated distribution pi. The i-th output a on an input pays
//     g(a)/pi(a),  g(a) = (n_a + w pi(a))/(i - 1 + w),  n_a of the i - 1 before it were a         (1)
// g is a distribution that depends on the past alone, so the product is a martingale from 1 under pi,
// and grows exponentially under any other distribution.
class FrequencyTest {
 public:
  FrequencyTest(std::size_t outputs, double alpha)
      : counts_{std::vector<double>(outputs), std::vector<double>(outputs)}, evidence_(alpha) {}

  void observe(Side side, int output, double log_pi) {
    constexpr double kPrior = 8.0;  // w
    const std::size_t s = side == Side::kBase ? 0 : 1;
    double& count = counts_[s][static_cast<std::size_t>(output)];
    const double weight = count > 0.0 ? portable_exp(portable_log(count) - log_pi) : 0.0;
    log_wealth_ +=
        portable_log(std::min(weight, 1e300) + kPrior) - portable_log(total_[s] + kPrior);
    count += 1.0;
    total_[s] += 1.0;
    evidence_.note(log_wealth_);
  }
  const EvidenceAgainst& evidence() const { return evidence_; }

 private:
  std::vector<double> counts_[2];
  double total_[2] = {0.0, 0.0};
  double log_wealth_ = 0.0;
  EvidenceAgainst evidence_;
};

class ReleaseAudit {
 public:
  ReleaseAudit(const PreparedAudit& audit, const RunControl& control)
      : audit_(audit),
        subject_(audit.subject),
        control_(control),
        alpha_(alpha_of(audit.confidence)),
        candidates_(detail::listed_pairs(audit)) {}

  Result<Gathered> run() {
    auto evidence = ASSAY_TRY(audit_.method == Method::kLikelihood ? sample_losses() : exactly());
    if (audit_.method == Method::kExact) hold_against_releases(evidence);
    return Gathered{{std::move(pair_), std::move(found_by_)}, std::move(evidence)};
  }

 private:
  Result<KnownProfile> profile_of(const InputPair& pair) const {
    return subject_.profile(pair, audit_.claim, audit_.delta0);
  }

  // The claimed quantity, from any kind of evidence; larger is worse.
  double badness(const PairEvidence& evidence) const {
    const ClaimedQuantity claimed = claimed_quantity(audit_.claim);
    if (std::holds_alternative<PureDp>(audit_.claim)) {
      const auto* loss = find_quantity(evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0);
      if (loss != nullptr) return loss->lower.value;
    }
    const auto* quantity = find_quantity(evidence.quantities, claimed.kind, claimed.at);
    return quantity == nullptr ? 0.0 : quantity->lower.value;
  }

  Result<PairEvidence> exactly() {
    const Delta delta0 = audit_.delta0;
    if (subject_.profile && profile_of(candidates_.front())) {
      std::optional<PairEvidence> worst;
      std::size_t searched = 0;
      for (const InputPair& pair : candidates_) {
        if (control_.stopped() && worst) break;
        ++searched;
        const auto profile = profile_of(pair);
        if (!profile) continue;
        auto evidence = profile_evidence(*profile, audit_.claim, delta0);
        if (worst && !(badness(evidence) > badness(*worst))) continue;
        worst = std::move(evidence);
        pair_ = pair;
      }
      found(searched, 0);
      return std::move(*worst);
    }
    const std::size_t hard = candidates_.size();
    if (!audit_.request.input) {
      candidates_.insert(candidates_.end(), subject_.random_pairs.begin(),
                         subject_.random_pairs.end());
    }
    limit_pairs();
    const ClaimedQuantity claimed = claimed_quantity(audit_.claim);
    std::optional<ExactLoss> worst;
    std::size_t searched = 0;
    for (const InputPair& pair : candidates_) {
      if (control_.stopped()) break;
      ++searched;
      auto distributions = subject_.distributions(pair);
      if (!distributions) continue;
      auto exact = ExactLoss::create(std::move(*distributions), control_);
      if (!exact || (worst && !(lower_bound_of(*exact, claimed) > lower_bound_of(*worst, claimed))))
        continue;
      worst = std::move(*exact);
      pair_ = pair;
    }
    found(std::min(hard, searched), searched - std::min(hard, searched));
    if (!worst) return nothing("exact");
    auto evidence = exact_evidence(*worst, audit_.claim, delta0,
                                   subject_.actions ? "transcript" : "output", control_);
    if (subject_.actions) evidence.witness = witness();
    return evidence;
  }

  // The actions of the largest loss, with both probabilities.
  std::optional<WitnessPath> witness() const {
    const auto distributions = subject_.distributions(pair_);
    if (!distributions) return std::nullopt;
    std::size_t at = 0;
    double most = -1.0;
    for (std::size_t i = 0; i < distributions->log_p.size(); ++i) {
      const double loss = std::fabs(distributions->log_p[i] - distributions->log_q[i]);
      if (!(loss > most)) continue;
      most = loss;
      at = i;
    }
    WitnessPath path{subject_.actions(pair_, at), distributions->log_p[at],
                     distributions->log_q[at], 0.0};
    if (path.actions.empty()) return std::nullopt;  // longer than a report shows
    const double high = std::max(distributions->log_p[at], distributions->log_q[at]) -
                        distributions->relative_error;
    const double low = std::min(distributions->log_p[at], distributions->log_q[at]) +
                       distributions->relative_error;
    if (high > low) path.mu = mu_from_event_lower(high, low).value.value;
    return path;
  }

  // Examines fewer pairs if inputs are long, and always the one that is known to be the worst.
  void limit_pairs() {
    const std::size_t entries = std::max<std::size_t>(candidates_.front().base_row().size(), 1);
    candidates_.resize(
        std::min(candidates_.size(), std::max<std::size_t>(kSearchedEntries / entries, 1)));
  }

  void found(std::size_t hard, std::size_t random) {
    found_by_ = random == 0 ? detail::listed_text(audit_, hard)
                            : fmt::format("the worst of {} {} known to be hard and {} random {}",
                                          hard, plural(static_cast<long long>(hard), "pair"),
                                          random, random == 1 ? "one" : "ones");
    found_by_ += detail::stop_text(hard + random, candidates_.size());
  }

  StreamId stream(std::string_view purpose, std::int64_t i, Side side, Phase phase) const {
    return {audit_.seed, hash_purpose(purpose), static_cast<std::uint64_t>(i),
            detail::side_lane(side), phase};
  }

  // If the run stops, each input has the same number of losses, without a gap.
  OrientedLosses draw_losses(const ReleaseLoss& loss, std::string_view purpose, Phase phase,
                             std::int64_t first, std::int64_t count) const {
    const auto draw = [&](std::size_t i) {
      const auto replicate = first + static_cast<std::int64_t>(i);
      const double forward =
          loss(Side::kBase, ReplayStream(stream(purpose, replicate, Side::kBase, phase)));
      return std::pair(forward,
                       -loss(Side::kNeighbour,
                             ReplayStream(stream(purpose, replicate, Side::kNeighbour, phase))));
    };
    OrientedLosses out;
    for (const auto& [forward, backward] :
         detail::values_until_stopped(static_cast<std::size_t>(count), control_, draw)) {
      out.forward.push_back(forward);
      out.backward.push_back(backward);
    }
    return out;
  }

  // Whether an output's own distribution excludes it. Sets such losses to 0, because the row of the checks counts.
  static bool excluded(OrientedLosses& losses) {
    bool any = false;
    for (auto* side : {&losses.forward, &losses.backward}) {
      for (double& loss : *side) {
        if (!std::isnan(loss)) continue;
        any = true;
        loss = 0.0;
      }
    }
    return any;
  }

  static CheckResult excluded_row() {
    return CheckResult::seen("possible outputs", "the stated distribution excludes a release",
                             false);
  }

  std::int64_t checked_releases() const {
    const auto entries = static_cast<std::int64_t>(pair_.base_row().size());
    return std::clamp<std::int64_t>(kCheckedEntries / std::max(entries, std::int64_t{1}), 8,
                                    kCheckedReleases);
  }

  bool hold_against(const ListedDistribution& distribution, ReportedProbabilityTest& test,
                    FrequencyTest& frequencies) const {
    bool possible = true;
    for (std::int64_t i = 0; i < checked_releases() && !control_.stopped(); ++i) {
      const Side side = i % 2 == 0 ? Side::kBase : Side::kNeighbour;
      const int output =
          distribution.draw(side, ReplayStream(stream("mechanism/listed", i, side, Phase::kCheck)));
      const auto& own = side == Side::kBase ? distribution.log_p : distribution.log_q;
      if (output < 0 || !std::isfinite(own[static_cast<std::size_t>(output)])) {
        possible = false;
        continue;
      }
      test.round(own, side == Side::kBase ? distribution.log_q : distribution.log_p, {}, output);
      test.end_transcript();
      frequencies.observe(side, output, own[static_cast<std::size_t>(output)]);
    }
    return possible;
  }

  // Tests releases against the distribution that the exact bounds concern.
  void hold_against_releases(PairEvidence& evidence) const {
    if (control_.stopped()) {
      evidence.limits.push_back(
          "The run stopped before the checks compared releases with the distribution that the "
          "bounds concern.");
      return;
    }
    const auto loss =
        subject_.losses ? subject_.losses(pair_) : Result<ReleaseLoss>(fail(ErrorCode::kLimit, {}));
    evidence.limits.push_back(fmt::format(
        "Bounds concern the distribution that the {} states, in real numbers; {}",
        subject_.actions ? "policy" : "mechanism",
        loss ? fmt::format("the checks compare its {} with that distribution.",
                           subject_.actions ? "runs" : "releases")
             : "no check compares its releases with that distribution (--method events does)."));
    if (!loss) return;
    const double alpha = alpha_ * detail::kProbabilityCheckShare;
    auto losses = draw_losses(*loss, "mechanism/check", Phase::kCheck, 0, checked_releases());
    bool possible = !excluded(losses);
    ReportedProbabilityTest reported(alpha / 4.0);
    std::optional<FrequencyTest> frequencies;
    if (subject_.listed) {
      if (const auto distribution = subject_.listed(pair_)) {
        frequencies.emplace(distribution->log_p.size(), alpha / 2.0);
        possible &= hold_against(*distribution, reported, *frequencies);
      }
    }
    evidence.checks =
        probability_checks(reported, losses.forward, detail::negated(losses.backward), alpha / 2.0);
    if (!frequencies) {
      evidence.checks.erase(evidence.checks.begin());
    } else {
      evidence.checks.front().meaning =
          fmt::format("the outputs of {} fresh releases follow the stated distribution",
                      reported.transcripts());
      const EvidenceAgainst& against = frequencies->evidence();
      evidence.checks.push_back(CheckResult::by_e_value(
          "frequencies", "no distribution learned from earlier releases predicts later ones better",
          against.e_value(), against.threshold(), !against.alarm()));
    }
    if (!possible) evidence.checks.push_back(excluded_row());
    evidence.ledger.push_back({"checks of the stated distribution", alpha});
  }

  // The mean of the variable in (1) of methods/likelihood.hpp, or the largest loss for a pure claim.
  double pilot_badness(const OrientedLosses& losses) const {
    const ClaimedQuantity claimed = claimed_quantity(audit_.claim);
    const bool pure = std::holds_alternative<PureDp>(audit_.claim);
    double worst = 0.0;
    for (const auto* side : {&losses.forward, &losses.backward}) {
      double sum = 0.0;
      double largest = 0.0;
      for (const double loss : *side) {
        largest = std::max(largest, loss);
        if (loss > claimed.at) sum -= portable_expm1(claimed.at - loss);
      }
      worst = std::max(worst, pure ? largest : sum / static_cast<double>(side->size()));
    }
    return worst;
  }

  Result<PairEvidence> sample_losses() {
    constexpr std::int64_t kSearched = 128;
    limit_pairs();
    std::optional<ReleaseLoss> loss;
    double worst = -1.0;
    std::size_t searched = 0;
    for (const InputPair& pair : candidates_) {
      if (control_.stopped() && loss) break;
      auto candidate = ASSAY_TRY(subject_.losses(pair));
      double bad = 0.0;
      if (candidates_.size() > 1) {
        const auto tried = draw_losses(candidate, "mechanism/search", Phase::kSearch, 0, kSearched);
        if (loss && tried.forward.size() < static_cast<std::size_t>(kSearched)) break;
        bad = pilot_badness(tried);
      }
      ++searched;
      if (!(bad > worst)) continue;
      worst = bad;
      loss = std::move(candidate);
      pair_ = pair;
    }
    found(searched, 0);
    LikelihoodPlan plan{audit_.terms()};
    plan.samples = audit_.request.samples.value_or(audit_.request.seconds ? losses_for_time(*loss)
                                                                          : kDefaultLosses);
    plan.stop_after = audit_.request.stop_after;
    plan.with_power = decide(audit_.claim, {}, subject_.proved).verdict != Verdict::kVerified;
    if (audit_.request.only_claim) plan.ask_only_claim();
    auto pilot = draw_losses(*loss, "mechanism/pilot", Phase::kPilot, 0,
                             std::min<std::int64_t>(plan.samples, kPilotTranscripts) / 2 + 1);
    excluded(pilot);
    const auto design = design_certification(plan, pilot, {});
    LikelihoodSample sample;
    bool possible = true;
    sample.losses = certification_losses(
        plan, control_, "releases", [&](std::int64_t first, std::int64_t count) {
          auto more = draw_losses(*loss, "mechanism/certify", Phase::kCertify, first, count);
          possible &= !excluded(more);
          return more;
        });
    if (sample.losses.forward.empty()) {
      auto none = nothing("likelihood");
      none.samples_planned = plan.samples;
      return none;
    }
    sample.interrupted = static_cast<std::int64_t>(sample.losses.forward.size()) < plan.samples;
    auto evidence = certify(plan, design, std::move(sample), {}, control_);
    if (!evidence) return evidence;
    evidence->checks.erase(evidence->checks.begin());  // the check of actions
    if (!possible) evidence->checks.push_back(excluded_row());
    return evidence;
  }

  // Uses three quarters of the remaining time, at the speed of a few.
  std::int64_t losses_for_time(const ReleaseLoss& loss) const {
    const double seconds = detail::seconds_of_call(control_, [&](std::int64_t i) {
      const Side side = i % 2 == 0 ? Side::kBase : Side::kNeighbour;
      loss(side, ReplayStream(stream("mechanism/speed", i, side, Phase::kPilot)));
    });
    constexpr double kBounds = 1e-5;  // per loss on each input
    const double of_both = 2.0 * seconds / control_.workers() + kBounds;
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(0.75 * control_.seconds_left() / of_both, 1e9)), 1,
        1'000'000'000);
  }

  PairEvidence nothing(const char* method) {
    pair_ = candidates_.front();
    return detail::nothing_certified(audit_, method);
  }

  const PreparedAudit& audit_;
  const AuditedSubject& subject_;
  const RunControl& control_;
  double alpha_;
  std::vector<InputPair> candidates_;
  InputPair pair_;
  std::string found_by_;
};

}  // namespace

Status detail::exact_releases(const AuditedSubject& subject, const InputPair& first,
                              const PrivacyLevel& claim, Delta delta0) {
  if (subject.profile) {
    const auto profile = subject.profile(first, claim, delta0);
    if (profile) return {};
    if (!subject.distributions) return tl::make_unexpected(profile.error());
  }
  if (!subject.distributions) {
    return fail(ErrorCode::kInvalidArgument,
                subject.id + " has no distribution that can be listed: method must be auto" +
                    (subject.losses    ? ", likelihood or events"
                     : subject.release ? ", release or events"
                                       : " or events"),
                "/method");
  }
  auto distributions = ASSAY_TRY(subject.distributions(first));
  ASSAY_TRY(ExactLoss::create(std::move(distributions)));
  return {};
}

Result<Gathered> detail::gather_releases(const PreparedAudit& audit, const RunControl& control) {
  return ReleaseAudit(audit, control).run();
}

}  // namespace assay
