#include "assay/auditors/mechanisms/mechanism_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::int64_t kCheckedReleases = 512;                   // a side
constexpr std::int64_t kCheckedEntries = std::int64_t{1} << 25;  // of their inputs, at most
constexpr std::size_t kSearchedEntries = std::size_t{1} << 23;   // of all pairs that are searched
constexpr std::size_t kPairsPlayed = 12;                         // that the events method searches
constexpr std::int64_t kDefaultLosses = 1024;   // a side, for the likelihood method
constexpr std::int64_t kDefaultPlays = 10'000;  // a side, for the events method
constexpr std::int64_t kFewestPlays = 100;      // that it takes

// The guarantee as --claim takes it.
std::string level_claim(const PrivacyLevel& level) {
  if (const auto* pure = std::get_if<PureDp>(&level)) {
    return "eps=" + number_text(pure->epsilon.value);
  }
  if (const auto* both = std::get_if<ApproximateDp>(&level)) {
    return "eps=" + number_text(both->epsilon.value) + ",delta=" + number_text(both->delta.value);
  }
  return "mu=" + number_text(std::get<GaussianDp>(level).mu.value);
}

// A mechanism in this process, played as one outside would be.
class InProcessTarget final : public Target {
 public:
  InProcessTarget(const AuditedMechanism& mechanism, const InputShape& shape)
      : mechanism_(mechanism), shape_(shape) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return mechanism_.id; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    for (const std::uint64_t seed : seeds) {
      ReplayStream random({seed, hash_purpose("mechanism/play")});
      mechanism_.release(input.values, random, batch.values);
    }
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<InProcessTarget>(mechanism_, shape_));
  }

 private:
  const AuditedMechanism& mechanism_;
  InputShape shape_;
};

// Releases bet against their stated law pi by what came before: the i-th output a of a side pays
//     g(a)/pi(a),  g(a) = (n_a + w pi(a))/(i - 1 + w),  n_a of the i - 1 before it were a         (1)
// g is a distribution that depends on the past alone, so the product is a martingale from 1 under pi,
// and grows exponentially under any other law.
class FrequencyTest {
 public:
  FrequencyTest(std::size_t outputs, double alpha)
      : counts_{std::vector<double>(outputs), std::vector<double>(outputs)}, evidence_(alpha) {}

  void observe(Side side, int output, double log_pi) {
    constexpr double kPrior = 8.0;  // w
    const std::size_t s = side == Side::kOld ? 0 : 1;
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

class MechanismAudit {
 public:
  MechanismAudit(const AuditedMechanism& mechanism, const AuditRequest& request,
                 const RunControl& control)
      : mechanism_(mechanism), request_(request), control_(control), alpha_(alpha_of(request)) {
    if (request.seconds) control_.give_seconds(*request.seconds);
  }

  Result<ResolvedRequest> resolve() {
    ASSAY_TRY(read_request());
    ASSAY_TRY(choose_method());
    return ResolvedRequest{method_, report_.claim};
  }

  Result<AuditReport> run() {
    ASSAY_TRY(resolve());
    report_.seed =
        request_.seed ? *request_.seed
                      : default_seed(mechanism_.id, mechanism_.parameters, request_.input, method_);
    if (method_ == Method::kEvents) return audit_events();
    const auto evidence = ASSAY_TRY(gather());
    adopt(evidence);
    return std::move(report_);
  }

 private:
  Status read_request() {
    if (const auto status = check_request(request_); !status) return status;
    if (request_.search) {
      return fail(ErrorCode::kInvalidArgument,
                  "--search counts pairs that are scored; the pairs of a mechanism are listed",
                  "/search");
    }
    report_.claim = mechanism_.guarantee.level;
    report_.claim_text = request_.claim.empty() ? level_claim(report_.claim) : request_.claim;
    if (!request_.claim.empty()) {
      const auto parsed = ASSAY_TRY(parse_claim(request_.claim, mechanism_.variables));
      report_.claim = parsed;
    }
    if (request_.input) {
      candidates_ = {request_.input->inputs};
      report_.input = request_.input->source;
      if (const auto status = mechanism_.check(candidates_.front()); !status) {
        Error error = status.error();
        error.message = request_.input->source.file + ": " + error.message;
        return tl::make_unexpected(error);
      }
    } else {
      candidates_ = mechanism_.hard_pairs;
    }
    report_.case_id = mechanism_.id;
    report_.case_title = mechanism_.title;
    report_.parameters = mechanism_.parameters;
    report_.relation = mechanism_.guarantee.relation;
    report_.view = mechanism_.guarantee.view;
    report_.confidence = request_.confidence;
    report_.delta0 = request_.delta0;
    return {};
  }

  Result<KnownProfile> profile_of(const InputPair& pair) const {
    return mechanism_.profile(pair, report_.claim, Delta{request_.delta0});
  }

  // Why the exact method cannot be used on the first pair, or nothing.
  Status exact_works() const {
    const InputPair& pair = candidates_.front();
    if (mechanism_.profile) {
      const auto profile = profile_of(pair);
      if (profile) return {};
      if (!mechanism_.laws) return tl::make_unexpected(profile.error());
    }
    if (!mechanism_.laws) {
      return fail(ErrorCode::kInvalidArgument,
                  mechanism_.id + " has no law that can be listed: method must be auto" +
                      (mechanism_.losses ? ", likelihood or events" : " or events"),
                  "/method");
    }
    auto laws = ASSAY_TRY(mechanism_.laws(pair));
    ASSAY_TRY(ExactLoss::create(std::move(laws)));
    return {};
  }

  Status choose_method() {
    method_ = request_.method;
    if (method_ == Method::kAuto) {
      method_ = exact_works()       ? Method::kExact
                : mechanism_.losses ? Method::kLikelihood
                                    : Method::kEvents;
      if (method_ == Method::kLikelihood && !mechanism_.losses(candidates_.front())) {
        method_ = Method::kEvents;
      }
      return {};
    }
    if (method_ == Method::kExact) return exact_works();
    if (method_ == Method::kLikelihood && !mechanism_.losses) {
      return fail(ErrorCode::kInvalidArgument,
                  mechanism_.id + " states no density: method must be auto, exact or events",
                  "/method");
    }
    return {};
  }

  // What the claim is about, from whatever evidence; larger is worse.
  double badness(const PairEvidence& evidence) const {
    const ClaimedQuantity claimed = claimed_quantity(report_.claim);
    if (std::holds_alternative<PureDp>(report_.claim)) {
      const auto* loss = find_quantity(evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0);
      if (loss != nullptr) return loss->lower.value;
    }
    const auto* quantity = find_quantity(evidence.quantities, claimed.kind, claimed.at);
    return quantity == nullptr ? 0.0 : quantity->lower.value;
  }

  double law_badness(const ExactLoss& exact) const {
    if (std::holds_alternative<PureDp>(report_.claim)) {
      return std::max(exact.largest_loss(Orientation::kOldToNew),
                      exact.largest_loss(Orientation::kNewToOld));
    }
    if (const auto* both = std::get_if<ApproximateDp>(&report_.claim)) {
      return std::max(exact.delta(both->epsilon, Orientation::kOldToNew).lower.value.value,
                      exact.delta(both->epsilon, Orientation::kNewToOld).lower.value.value);
    }
    return exact.mu().lower.value.value;
  }

  Result<PairEvidence> gather() {
    if (method_ == Method::kLikelihood) return sample_losses();
    auto evidence = exactly();
    if (evidence) hold_against_releases(*evidence);
    return evidence;
  }

  Result<PairEvidence> exactly() {
    const Delta delta0{request_.delta0};
    if (mechanism_.profile && profile_of(candidates_.front())) {
      std::optional<PairEvidence> worst;
      std::size_t searched = 0;
      for (const InputPair& pair : candidates_) {
        if (control_.stopped() && worst) break;
        ++searched;
        const auto profile = profile_of(pair);
        if (!profile) continue;
        auto evidence = profile_evidence(*profile, report_.claim, delta0);
        if (worst && !(badness(evidence) > badness(*worst))) continue;
        worst = std::move(evidence);
        pair_ = pair;
      }
      found(searched, 0);
      note_stop(searched);
      return std::move(*worst);
    }
    const std::size_t hard = candidates_.size();
    if (!request_.input) {
      candidates_.insert(candidates_.end(), mechanism_.random_pairs.begin(),
                         mechanism_.random_pairs.end());
    }
    limit_pairs();
    std::optional<ExactLoss> worst;
    std::size_t searched = 0;
    for (const InputPair& pair : candidates_) {
      if (control_.stopped()) break;
      ++searched;
      auto laws = mechanism_.laws(pair);
      if (!laws) continue;
      auto exact = ExactLoss::create(std::move(*laws), control_);
      if (!exact || (worst && !(law_badness(*exact) > law_badness(*worst)))) continue;
      worst = std::move(*exact);
      pair_ = pair;
    }
    found(std::min(hard, searched), searched - std::min(hard, searched));
    note_stop(searched);
    if (!worst) return nothing_certified("exact");
    return exact_evidence(*worst, report_.claim, delta0, "output", control_);
  }

  // A run that was stopped before it knew anything of any pair.
  PairEvidence nothing_certified(const char* method) {
    pair_ = candidates_.front();
    auto evidence = stopped_evidence({}, report_.claim, Delta{request_.delta0},
                                     {Mu{std::numeric_limits<double>::infinity()}});
    evidence.method = method;
    evidence.limits = {"The run was stopped before it had certified anything of the pair below."};
    return evidence;
  }

  // Of long inputs fewer are tried: at least the one that is known to be the worst.
  void limit_pairs() {
    const std::size_t entries = std::max<std::size_t>(candidates_.front().old_row().size(), 1);
    candidates_.resize(
        std::min(candidates_.size(), std::max<std::size_t>(kSearchedEntries / entries, 1)));
  }

  void note_stop(std::size_t searched) {
    if (searched == candidates_.size()) return;
    report_.pair.found_by +=
        fmt::format("; the run was stopped after {} of {} pairs", searched, candidates_.size());
  }

  void found(std::size_t hard, std::size_t random) {
    auto& text = report_.pair.found_by;
    if (request_.input) {
      text = "given by --input";
    } else if (hard + random == 1) {
      text = "the known worst pair";
    } else {
      text = fmt::format("the worst of {} {} known to be hard", hard,
                         plural(static_cast<long long>(hard), "pair"));
      if (random > 0)
        text += fmt::format(" and {} random {}", random, random == 1 ? "one" : "ones");
    }
  }

  StreamId stream(std::string_view purpose, std::int64_t i, Side side, Phase phase) const {
    return {report_.seed, hash_purpose(purpose), static_cast<std::uint64_t>(i),
            detail::side_lane(side), phase};
  }

  // Stopped: as many as both sides have, without a gap.
  OrientedLosses draw_losses(const ReleaseLoss& loss, std::string_view purpose, Phase phase,
                             std::int64_t first, std::int64_t count) const {
    OrientedLosses out;
    out.forward.resize(static_cast<std::size_t>(count));
    out.backward.resize(static_cast<std::size_t>(count));
    std::vector<char> drawn(out.forward.size());
    parallel_for(control_.threads, out.forward.size(), [&](std::size_t i) {
      if (control_.stopped()) return;
      const auto replicate = first + static_cast<std::int64_t>(i);
      out.forward[i] =
          loss(Side::kOld, ReplayStream(stream(purpose, replicate, Side::kOld, phase)));
      out.backward[i] =
          -loss(Side::kNew, ReplayStream(stream(purpose, replicate, Side::kNew, phase)));
      drawn[i] = 1;
    });
    const auto whole =
        static_cast<std::size_t>(std::find(drawn.begin(), drawn.end(), char{0}) - drawn.begin());
    out.forward.resize(whole);
    out.backward.resize(whole);
    return out;
  }

  // An output that its own law excludes. The losses become harmless: the row of the checks counts.
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

  static CalibrationCheck excluded_row(double alpha) {
    return {"possible outputs", "no release is one that the stated law excludes",
            std::numeric_limits<double>::max(), 1.0 / alpha, false};
  }

  std::int64_t checked_releases() const {
    const auto entries = static_cast<std::int64_t>(pair_.old_row().size());
    return std::clamp<std::int64_t>(kCheckedEntries / std::max(entries, std::int64_t{1}), 8,
                                    kCheckedReleases);
  }

  bool calibrate(const ListedLaw& law, CalibrationTest& test, FrequencyTest& frequencies) const {
    bool possible = true;
    for (std::int64_t i = 0; i < checked_releases() && !control_.stopped(); ++i) {
      const Side side = i % 2 == 0 ? Side::kOld : Side::kNew;
      const int output =
          law.draw(side, ReplayStream(stream("mechanism/listed", i, side, Phase::kCalibrate)));
      const auto& own = side == Side::kOld ? law.log_p : law.log_q;
      if (output < 0 || !std::isfinite(own[static_cast<std::size_t>(output)])) {
        possible = false;
        continue;
      }
      test.round(own, side == Side::kOld ? law.log_q : law.log_p, {}, output);
      test.end_transcript();
      frequencies.observe(side, output, own[static_cast<std::size_t>(output)]);
    }
    return possible;
  }

  // Releases against the law that the exact bounds are about.
  void hold_against_releases(PairEvidence& evidence) const {
    if (control_.stopped()) {
      evidence.limits.push_back(
          "The run was stopped before releases were held against the law that the bounds are "
          "about.");
      return;
    }
    const auto loss = mechanism_.losses ? mechanism_.losses(pair_)
                                        : Result<ReleaseLoss>(fail(ErrorCode::kLimit, {}));
    evidence.limits.push_back(
        std::string("Bounds are about the law that the mechanism states, in real numbers; ") +
        (loss ? "the checks hold its releases against that law."
              : "here nothing holds its releases against that law (--method events does)."));
    if (!loss) return;
    const double alpha = alpha_ * detail::kCalibrationShare;
    auto losses = draw_losses(*loss, "mechanism/check", Phase::kCalibrate, 0, checked_releases());
    bool possible = !excluded(losses);
    CalibrationTest calibration(alpha / 4.0);
    std::optional<FrequencyTest> frequencies;
    if (mechanism_.listed) {
      if (const auto law = mechanism_.listed(pair_)) {
        frequencies.emplace(law->log_p.size(), alpha / 2.0);
        possible &= calibrate(*law, calibration, *frequencies);
      }
    }
    evidence.checks = calibration_checks(calibration, losses.forward,
                                         detail::negated(losses.backward), alpha / 2.0);
    if (!frequencies) {
      evidence.checks.erase(evidence.checks.begin());
    } else {
      evidence.checks.front().meaning = fmt::format(
          "the outputs of {} fresh releases follow the stated law", calibration.transcripts());
      const EvidenceAgainst& against = frequencies->evidence();
      evidence.checks.push_back({"frequencies",
                                 "no law learnt from earlier releases foretells later ones better",
                                 against.e_value(), against.threshold(), !against.alarm()});
    }
    if (!possible) evidence.checks.push_back(excluded_row(alpha));
    evidence.ledger.push_back({"checks of the stated law", alpha});
  }

  // The mean of what (1) of methods/likelihood.hpp averages, or the largest loss for a pure claim.
  double pilot_badness(const OrientedLosses& losses) const {
    const ClaimedQuantity claimed = claimed_quantity(report_.claim);
    const bool pure = std::holds_alternative<PureDp>(report_.claim);
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
      auto candidate = ASSAY_TRY(mechanism_.losses(pair));
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
    note_stop(searched);
    LikelihoodPlan plan;
    plan.claim = report_.claim;
    plan.delta0 = Delta{request_.delta0};
    plan.alpha = alpha_;
    plan.seed = report_.seed;
    plan.augmented_mu = {Mu{std::numeric_limits<double>::infinity()}};
    plan.samples =
        request_.samples.value_or(request_.seconds ? losses_for_time(*loss) : kDefaultLosses);
    plan.with_power = decide(report_.claim, {}, proof()).verdict != Verdict::kVerified;
    auto pilot = draw_losses(*loss, "mechanism/pilot", Phase::kPilot, 0,
                             std::min<std::int64_t>(plan.samples, kPilotTranscripts) / 2 + 1);
    excluded(pilot);
    const auto design = design_certification(plan, pilot, {});
    LikelihoodSample sample;
    const std::int64_t end = std::min(request_.stop_after.value_or(plan.samples), plan.samples);
    const std::int64_t step =
        std::min((plan.samples / 20 / kLossChunk + 1) * kLossChunk, kMostAtOnce);
    bool possible = true;
    for (std::int64_t first = 0; first < end && !control_.stopped(); first += step) {
      control_.report("releases", static_cast<double>(first) / static_cast<double>(end));
      auto more = draw_losses(*loss, "mechanism/certify", Phase::kCertify, first,
                              std::min(step, end - first));
      possible &= !excluded(more);
      detail::append(sample.losses.forward, more.forward);
      detail::append(sample.losses.backward, more.backward);
    }
    if (sample.losses.forward.empty()) {
      auto none = nothing_certified("likelihood");
      none.samples_planned = plan.samples;
      return none;
    }
    if (control_.interrupted()) detail::keep_first(sample.losses, kMostOfInterrupted);
    sample.interrupted = static_cast<std::int64_t>(sample.losses.forward.size()) < plan.samples;
    auto evidence = certify(plan, design, sample, {});
    if (!evidence) return evidence;
    evidence->checks.erase(evidence->checks.begin());  // of actions, which there are none of
    if (!possible) evidence->checks.push_back(excluded_row(alpha_ * detail::kCalibrationShare));
    return evidence;
  }

  // Of the time that is left three quarters, at the speed of a few.
  std::int64_t losses_for_time(const ReleaseLoss& loss) const {
    const double seconds = seconds_of([&](std::int64_t i) {
      const Side side = i % 2 == 0 ? Side::kOld : Side::kNew;
      loss(side, ReplayStream(stream("mechanism/speed", i, side, Phase::kPilot)));
    });
    constexpr double kBounds = 1e-5;  // per loss a side
    const double of_both = 2.0 * seconds / std::max(control_.threads, 1) + kBounds;
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(0.75 * control_.seconds_left() / of_both, 1e9)), 1,
        1'000'000'000);
  }

  // Of the time that is left two fifths: plays are learnt from as well, and searched pairs played.
  std::int64_t plays_for_time() const {
    std::vector<double> out;
    const double seconds = seconds_of([&](std::int64_t i) {
      ReplayStream random(stream("mechanism/speed", i, Side::kOld, Phase::kPilot));
      mechanism_.release(candidates_.front().old_row(), random, out);
    });
    constexpr double kLearning = 2e-5;  // per play
    const double of_sample = 4.0 * (seconds / std::max(control_.threads, 1) + kLearning);
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(0.4 * control_.seconds_left() / of_sample, 1e6)),
        kFewestPlays, 1'000'000);
  }

  // Seconds of one call, over a fortieth of the time that is left.
  template <class Call>
  double seconds_of(const Call& call) const {
    const RunControl part = control_.within(0.025);
    const auto start = RunControl::Clock::now();
    std::int64_t calls = 0;
    do {
      call(calls++);
    } while (calls < 1000 && !part.stopped());
    return std::chrono::duration<double>(RunControl::Clock::now() - start).count() /
           static_cast<double>(calls);
  }

  Result<AuditReport> audit_events() {
    InputShape shape;
    shape.kind = InputKind::kMechanism;
    shape.inputs = static_cast<std::int64_t>(candidates_.front().old_row().size());
    std::vector<double> once;
    ReplayStream random({report_.seed, hash_purpose("mechanism/width"), 0, 0, Phase::kSearch});
    mechanism_.release(candidates_.front().old_row(), random, once);
    shape.outputs = static_cast<std::int64_t>(once.size());
    ASSAY_TRY(validate(shape));
    BlackBoxPlan plan;
    plan.claim = report_.claim;
    plan.claim_text = report_.claim_text;
    plan.confidence = request_.confidence;
    plan.delta0 = Delta{request_.delta0};
    plan.seed = report_.seed;
    plan.samples = request_.samples.value_or(request_.seconds ? plays_for_time() : kDefaultPlays);
    plan.stop_when_decided = request_.stop_when_decided;
    // Of one shape, as inputs of a target are.
    const std::size_t entries = candidates_.front().old_row().size();
    candidates_.erase(
        std::remove_if(candidates_.begin(), candidates_.end(),
                       [&](const InputPair& pair) { return pair.old_row().size() != entries; }),
        candidates_.end());
    candidates_.resize(std::min(candidates_.size(), kPairsPlayed));
    for (const InputPair& pair : candidates_) {
      plan.pairs.push_back(pair);
    }
    plan.pairs_text = request_.input ? "given by --input" : "pairs known to be hard";
    auto players = ASSAY_TRY(
        Players::create(std::make_unique<InProcessTarget>(mechanism_, shape), control_.threads));
    // Its randomness is what it is given here: releases that are alike are the mechanism's own doing.
    const AuditSubject subject{&players, true, plan.claim, true};
    auto outcome = audit_black_box(std::span(&subject, 1), plan, control_);
    if (!outcome && outcome.error().code == ErrorCode::kInterrupted) {
      report_.pair.found_by = plan.pairs_text;
      auto none = nothing_certified("events");
      none.samples_planned = plan.samples;
      adopt(none);
      return std::move(report_);
    }
    if (!outcome) return tl::make_unexpected(outcome.error());
    // Plays that were stopped are fewer, and the report says how many.
    if (outcome->target_error && outcome->target_error->code != ErrorCode::kInterrupted) {
      return tl::make_unexpected(*outcome->target_error);
    }
    AuditReport& played = outcome->report;
    played.case_id = report_.case_id;
    played.case_title = report_.case_title;
    played.parameters = report_.parameters;
    played.input = report_.input;
    played.relation = report_.relation;
    played.view = report_.view;
    played.pair.shows_both = true;
    played.reproduce = reproduce_command(played, request_);
    return std::move(played);
  }

  std::optional<Guarantee> proof() const {
    return mechanism_.proved ? std::optional(mechanism_.guarantee) : std::nullopt;
  }

  void describe_pair() {
    report_.pair.inputs = pair_;
    report_.pair.shows_both = true;
  }

  void adopt(const PairEvidence& evidence) {
    describe_pair();
    const Decision decision = decide(report_.claim, evidence, proof());
    report_.verdict = decision.verdict;
    report_.scope = decision.scope;
    report_.reason = decision.reason;
    report_.evidence = evidence;
    if (decision.verdict != Verdict::kNotRefuted) report_.evidence.smallest_visible.reset();
    report_.reproduce = reproduce_command(report_, request_);
  }

  const AuditedMechanism& mechanism_;
  const AuditRequest& request_;
  RunControl control_;
  double alpha_;
  Method method_ = Method::kAuto;
  std::vector<InputPair> candidates_;
  InputPair pair_;
  AuditReport report_;
};

}  // namespace

Result<ResolvedRequest> resolve_mechanism(const AuditedMechanism& mechanism,
                                          const AuditRequest& request) {
  return MechanismAudit(mechanism, request, RunControl{}).resolve();
}

Result<AuditReport> audit_mechanism(const AuditedMechanism& mechanism, const AuditRequest& request,
                                    const RunControl& control) {
  return MechanismAudit(mechanism, request, control).run();
}

}  // namespace assay
