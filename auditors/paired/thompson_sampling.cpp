#include "assay/auditors/paired/thompson_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "assay/auditors/claim.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/neighbours/search.hpp"
#include "assay/auditors/paired/thompson_pair.hpp"
#include "assay/auditors/report/rounding.hpp"
#include "assay/auditors/reproduce.hpp"

namespace assay {
namespace {

using Config = ModifiedThompsonSamplingConfig;

// The policy with its proved guarantee, whichever calibration the user names.
Guarantee proved_guarantee(Config config) {
  config.calibration = Calibration::kCorrected;
  return ModifiedThompsonSampling::create(config)->guarantee();
}

Status check_input(const Config& config, const AuditInput& input) {
  const auto rows = static_cast<std::int64_t>(input.rewards.size());
  if (rows == config.horizon) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("has {} {}, but the horizon is {}; give exactly one reward a round, or "
                          "-p horizon={}",
                          rows, plural(rows, "reward"), config.horizon, rows),
              input.source.file);
}

struct Prepared {
  Config config;
  ModifiedThompsonSampling policy;
  PrivacyLevel claim;
  std::string claim_text;
  Method method;
  std::uint64_t seed;
  double alpha;
};

Result<Method> choose_method(const Config& config, Method asked) {
  const auto transcripts = detail::count_transcripts(static_cast<int>(config.arms), config.horizon);
  // Beyond this many transcripts sampling is as informative, and quicker.
  constexpr std::int64_t kExactByDefault = std::int64_t{1} << 20;
  if (asked == Method::kEvents) {
    return fail(ErrorCode::kInvalidArgument, "method must be auto, exact or likelihood, not events",
                "/method");
  }
  if (asked == Method::kAuto) {
    return transcripts && *transcripts <= kExactByDefault ? Method::kExact : Method::kLikelihood;
  }
  if (asked == Method::kExact && !transcripts) return tl::make_unexpected(transcripts.error());
  return asked;
}

Result<Prepared> prepare(const AuditRequest& request) {
  const auto config = read_config<Config>(request.parameters);
  if (!config) return tl::make_unexpected(config.error());
  if (request.input) {
    if (const auto status = check_input(*config, *request.input); !status) {
      return tl::make_unexpected(status.error());
    }
  }
  const auto policy = ModifiedThompsonSampling::create(*config);
  if (!policy) return tl::make_unexpected(policy.error());
  if (const auto status = check_request(request); !status) {
    return tl::make_unexpected(status.error());
  }
  std::string claim_text = request.claim;
  PrivacyLevel claim = policy->guarantee().level;
  if (claim_text.empty()) {
    claim_text = fmt::format("mu={}", number_text(std::get<GaussianDp>(claim).mu.value));
  } else {
    const auto parsed = parse_claim(claim_text, claim_variables(*config));
    if (!parsed) return tl::make_unexpected(parsed.error());
    claim = *parsed;
  }
  const auto method = choose_method(*config, request.method);
  if (!method) return tl::make_unexpected(method.error());
  const std::uint64_t seed =
      request.seed
          ? *request.seed
          : default_seed(ThompsonSamplingCase::kId, field_values(*config), request.input, *method);
  return Prepared{*config, *policy, claim, claim_text, *method, seed, alpha_of(request)};
}

// Transcripts a side that take roughly twenty seconds on one core; depends on nothing but the case.
std::int64_t default_samples(const Config& config) {
  const double work =
      static_cast<double>(config.horizon) * (static_cast<double>(config.arms) + 2.0);
  const double samples = std::clamp(7e7 / work, 1024.0, 500'000.0);
  return static_cast<std::int64_t>(samples) / kLossChunk * kLossChunk;
}

// As many transcripts as fit the time budget at the speed of a short run, a fifth kept for the
// rest.
template <class Process>
std::int64_t samples_for_time(const Process& fresh, double seconds, std::uint64_t seed,
                              const RunControl& control) {
  const auto start = std::chrono::steady_clock::now();
  const LossBatch batch{seed, hash_purpose("likelihood/speed"), Phase::kPilot, 0,
                        kLossChunk * std::max(control.threads, 1)};
  detail::sample_both(fresh, batch, control, "measuring speed");
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double samples = 0.8 * seconds / std::max(spent, 1e-6) * static_cast<double>(batch.count);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(samples) / kLossChunk * kLossChunk,
                                  kLossChunk, 1'000'000'000);
}

WitnessPath witness_of(const PathEvent& path) {
  return {path.actions, path.log_p, path.log_q, path.mu.value.value};
}

// Adds the rewards of both streams and the witness's running loss to the rows of the report.
template <class Process>
void fill_rounds(PairEvidence& evidence, Process process, const RewardPair& pair) {
  const auto& actions = evidence.witness->actions;
  process.restart();
  double loss = 0.0;
  for (auto& row : evidence.rounds) {
    const auto t = static_cast<std::size_t>(row.round - 1);
    row.reward_old = pair.stream[t];
    row.reward_new = row.round == pair.position ? pair.new_value : pair.stream[t];
    if (t >= actions.size()) continue;
    const auto step = process.log_probability(actions[t], ArgmaxPrecision::kExact);
    loss += step.p - step.q;
    process.advance(actions[t]);
    row.witness_action = actions[t];
    row.witness_loss = loss;
  }
}

template <class Process>
Result<PairEvidence> gather(const Process& fresh, const Prepared& prepared,
                            const AuditRequest& request, const RunControl& control) {
  constexpr int kBeam = 32;
  const int width = static_cast<int>(std::clamp<std::int64_t>(
      200'000 / (prepared.config.horizon * prepared.config.arms), 2, kBeam));
  const PathSearchResult paths = search_paths(fresh, width, control.threads);
  Result<PairEvidence> evidence;
  if (prepared.method == Method::kExact) {
    auto laws = enumerate_transcripts(fresh, control.threads);
    if (!laws) return tl::make_unexpected(laws.error());
    const auto exact = ExactLoss::create(std::move(*laws));
    if (!exact) return tl::make_unexpected(exact.error());
    evidence = exact_evidence(*exact, prepared.claim, Delta{request.delta0});
    RoundMeans old_means;
    RoundMeans new_means;
    detail::sample_both(
        fresh, {prepared.seed, hash_purpose("rounds"), Phase::kPilot, 0, kPilotTranscripts},
        control, "rounds", &old_means, &new_means);
    evidence->rounds = round_rows(old_means.mean, new_means.mean);
  } else {
    LikelihoodPlan plan;
    plan.claim = prepared.claim;
    plan.delta0 = Delta{request.delta0};
    plan.alpha = prepared.alpha;
    plan.seed = prepared.seed;
    plan.samples = request.samples.value_or(
        request.seconds ? samples_for_time(fresh, *request.seconds, prepared.seed, control)
                        : default_samples(prepared.config));
    plan.stop_after = request.stop_after;
    plan.stop_when_decided = request.stop_when_decided;
    plan.augmented_mu = fresh.augmented_mu();
    evidence = audit_by_likelihood(fresh, paths, plan, control);
  }
  if (evidence) evidence->witness = witness_of(paths.largest_mu);
  return evidence;
}

AuditReport assemble(const Prepared& prepared, const AuditRequest& request,
                     const SearchResult& found, PairEvidence evidence) {
  AuditReport report;
  const CaseDescription description = ThompsonSamplingCase{}.describe();
  report.case_id = description.id;
  report.case_title = description.title;
  report.parameters = field_values(prepared.config);
  if (request.input) report.input = request.input->source;
  report.claim_text = prepared.claim_text;
  report.claim = prepared.claim;
  const Decision decision = decide(prepared.claim, evidence, proved_guarantee(prepared.config));
  report.verdict = decision.verdict;
  report.scope = decision.scope;
  report.reason = decision.reason;
  report.method = evidence.method;
  report.confidence = request.confidence;
  report.delta0 = request.delta0;
  report.seed = prepared.seed;
  report.samples = evidence.samples;
  report.samples_planned = evidence.samples_planned;
  report.tilted_samples = evidence.tilted_samples;
  report.pair = {found.pair.position,
                 found.pair.old_value(),
                 found.pair.new_value,
                 found.pair.stream,
                 found.how,
                 {}};
  report.quantities = std::move(evidence.quantities);
  report.profile = std::move(evidence.profile);
  report.trade_off = std::move(evidence.trade_off);
  report.losses = std::move(evidence.losses);
  report.rounds = std::move(evidence.rounds);
  report.witness = std::move(evidence.witness);
  report.ledger = std::move(evidence.ledger);
  report.checks = std::move(evidence.checks);
  report.limits = std::move(evidence.limits);
  if (decision.verdict == Verdict::kNotRefuted) report.smallest_visible = evidence.smallest_visible;
  report.reproduce = reproduce_command(report, request);
  return report;
}

}  // namespace

CaseDescription ThompsonSamplingCase::describe() const {
  CaseDescription d;
  d.id = kId;
  d.title = "Thompson sampling with Gaussian priors";
  d.about =
      "Modified Thompson sampling: every arm is pulled b times, then each round draws theta_i ~ "
      "N(mean_i, "
      "c/(n_i + 1)) for every arm and plays the largest. Defaults b = 0, c = 1 are classical "
      "Thompson "
      "sampling. The reward of round t is r_t whichever arm is played; neighbouring streams differ "
      "in "
      "one reward; the adversary sees the actions.";
  d.input = "a reward stream: one reward in [0, 1] per round, exactly as many as the horizon";
  d.methods = {"exact (arms^horizon <= 2^24)", "likelihood"};
  d.parameters = describe_fields<Config>();
  d.claims = {"mu=sqrt(T/2)  (Theorem 3, b = 0, c = 1)", "mu=sqrt(T/(c*(b+1)))  (Theorem 4)",
              "mu=sqrt((T-1)/(2*c))  (sharper, b = 0)",
              "mu=sqrt((T-b*N)/(c*(b+1)))  (sharper, b >= 1)"};
  d.reference =
      "T. Ou, M. Avella Medina, R. Cummings, \"Thompson Sampling Itself is Differentially "
      "Private\"";
  return d;
}

Result<ResolvedRequest> ThompsonSamplingCase::resolve(const AuditRequest& request) const {
  const auto prepared = prepare(request);
  if (!prepared) return tl::make_unexpected(prepared.error());
  return ResolvedRequest{prepared->method, prepared->claim};
}

Result<AuditReport> ThompsonSamplingCase::run(const AuditRequest& request,
                                              const RunControl& control) const {
  const auto prepared = prepare(request);
  if (!prepared) return tl::make_unexpected(prepared.error());
  const auto make = [fresh = prepared->policy](const RewardPair& pair) {
    return ThompsonPair<>(fresh, std::make_shared<const RewardPair>(pair));
  };
  PairSearchPlan plan;
  plan.claim = prepared->claim;
  plan.horizon = prepared->config.horizon;
  plan.action_count = static_cast<int>(prepared->config.arms);
  plan.first_free_round = prepared->config.pre_pulls * prepared->config.arms + 1;
  if (request.input) plan.fixed_base = request.input->rewards;
  plan.seed = prepared->seed;
  const SearchResult found = search_worst_pair(plan, make_objective(make, plan, control), control);
  auto evidence = gather(make(found.pair), *prepared, request, control);
  if (!evidence) return tl::make_unexpected(evidence.error());
  fill_rounds(*evidence, make(found.pair), found.pair);
  return assemble(*prepared, request, found, std::move(*evidence));
}

}  // namespace assay
