#include "assay/auditors/bandits/thompson_sampling_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "assay/auditors/bandits/thompson_pair.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/engine/search.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Config = ModifiedThompsonSamplingConfig;

// The policy with its proved guarantee, whichever calibration the user names.
Guarantee proved_guarantee(Config config) {
  config.calibration = Calibration::kCorrected;
  return ModifiedThompsonSampling::create(config)->guarantee();
}

// The report holds a row for every round.
constexpr std::int64_t kMostRounds = std::int64_t{1} << 20;
// Of a run without a time budget, in quarters of a microsecond of one core, estimated from the sizes:
// two minutes at most. The search has an amount of its own (engine/search.hpp).
constexpr double kDefaultWork = 4e8;
constexpr double kPathWork = 2e8;
// Shares of the time that is left when a stage begins.
constexpr double kSearchTime = 1.0 / 3.0;
constexpr double kPathTime = 0.25;
constexpr double kSamplingTime = 0.85;  // the bounds are computed in the rest

Status check_size(const Config& config) {
  if (config.horizon <= kMostRounds) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("horizon must be at most {} to be audited, as the report holds a row for "
                          "every round, not {}",
                          kMostRounds, config.horizon),
              "/horizon");
}

Status check_input(const Config& config, const AuditInput& input) {
  const std::int64_t rows = input.source.rows;
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
    const bool few = transcripts && *transcripts <= kExactByDefault &&
                     static_cast<double>(*transcripts / (config.arms - 1)) *
                             detail::all_actions_work(config.arms) <=
                         kDefaultWork;
    return few ? Method::kExact : Method::kLikelihood;
  }
  if (asked == Method::kExact && !transcripts) return tl::make_unexpected(transcripts.error());
  return asked;
}

Result<Prepared> prepare(const AuditRequest& request) {
  const auto config = ASSAY_TRY(read_config<Config>(request.parameters));
  ASSAY_TRY(check_size(config));
  if (request.input) {
    ASSAY_TRY(check_input(config, *request.input));
  }
  const auto policy = ASSAY_TRY(ModifiedThompsonSampling::create(config));
  ASSAY_TRY(check_request(request));
  std::string claim_text = request.claim;
  PrivacyLevel claim = policy.guarantee().level;
  if (claim_text.empty()) {
    claim_text = fmt::format("mu={}", number_text(std::get<GaussianDp>(claim).mu.value));
  } else {
    const auto parsed = ASSAY_TRY(parse_claim(claim_text, claim_variables(config)));
    claim = parsed;
  }
  const auto method = ASSAY_TRY(choose_method(config, request.method));
  const std::uint64_t seed =
      request.seed
          ? *request.seed
          : default_seed(ThompsonSamplingCase::kId, field_values(config), request.input, method);
  return Prepared{config, policy, claim, claim_text, method, seed, alpha_of(request)};
}

// The largest number of samples whose run, with all that it draws beside them, takes at most
// `budget`; in whole chunks where there are that many. At least 1.
template <class Cost>
std::int64_t samples_within(const Config& config, double budget, std::int64_t most,
                            const Cost& cost) {
  const auto fits = [&](std::int64_t samples) {
    LikelihoodPlan plan;
    plan.samples = samples;
    size_by_samples(plan, config.arms);
    return cost(plan) <= budget;
  };
  if (fits(most)) return most;
  std::int64_t low = 1;
  std::int64_t high = most;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low < kLossChunk ? low : low / kLossChunk * kLossChunk;
}

// Transcripts a side that take roughly twenty seconds on one core, fewer where what is drawn beside
// them would take minutes; depends on nothing but the case. Errors: not even one.
Result<std::int64_t> default_samples(const Config& config) {
  const double size =
      static_cast<double>(config.horizon) * (static_cast<double>(config.arms) + 2.0);
  const auto usual = static_cast<std::int64_t>(std::clamp(7e7 / size, 1024.0, 500'000.0)) /
                     kLossChunk * kLossChunk;
  const auto work = [&](const LikelihoodPlan& plan) {
    return likelihood_work(plan, config.arms, config.horizon);
  };
  LikelihoodPlan least;
  least.samples = 1;
  size_by_samples(least, config.arms);
  if (work(least) <= kDefaultWork) return samples_within(config, kDefaultWork, usual, work);
  const double rounds = kDefaultWork / likelihood_work(least, config.arms, 1);
  return fail(ErrorCode::kLimit,
              fmt::format("{} arms over {} rounds take too long to sample unless --time or "
                          "--samples says how long: without them horizon must be at most {} for "
                          "that many arms",
                          config.arms, config.horizon, static_cast<std::int64_t>(rounds)),
              "/horizon");
}

// As many transcripts as fit the time that is left, at the speed of a short run.
template <class Process>
std::int64_t samples_for_time(const Process& fresh, const Prepared& prepared,
                              const RunControl& control) {
  constexpr double kMeasuring = 0.05;
  constexpr double kShare = 0.75;
  constexpr double kPowerSeconds = 1.0;  // of saying what an undecided run would have seen
  const auto seconds_of = [&](const auto& sample) {
    const auto start = std::chrono::steady_clock::now();
    const auto done = static_cast<double>(sample(control.within(kMeasuring)));
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::max(spent, 1e-6) / std::max(done, 0.5);
  };
  const std::int64_t count = kLossChunk * std::max(control.threads, 1);
  const LossBatch batch{prepared.seed, hash_purpose("likelihood/speed"), Phase::kPilot, 0, count};
  const double plain =
      0.5 * seconds_of([&](const RunControl& part) {
        return detail::sample_both(fresh, batch, part, "measuring speed").forward.size();
      });
  const double tilted = seconds_of([&](const RunControl& part) {
    return sample_tilted_losses(fresh, Orientation::kOldToNew, 1.0, batch, part, "measuring speed")
        .size();
  });
  const bool has_power = claimed_quantity(prepared.claim).kind == QuantityKind::kDeltaAtEpsilon;
  const double left = control.seconds_left();
  const double budget = kShare * std::max(left - (has_power ? kPowerSeconds : 0.0), 0.5 * left);
  return samples_within(prepared.config, budget, 1'000'000'000, [&](const LikelihoodPlan& plan) {
    return likelihood_seconds(plan, plain, tilted);
  });
}

PathSearchPlan path_plan(const Config& config) {
  const double round = 4.0 * detail::all_actions_work(config.arms);  // of the four beams
  const double wide = kPathWork / (round * static_cast<double>(config.horizon));
  const auto width = std::clamp<std::int64_t>(200'000 / (config.horizon * config.arms), 2, 32);
  PathSearchPlan plan;
  plan.width = static_cast<int>(std::clamp(wide, 1.0, static_cast<double>(width)));
  plan.rounds =
      std::min(config.horizon, static_cast<std::int64_t>(std::max(kPathWork / round, 1.0)));
  return plan;
}

WitnessPath witness_of(const PathEvent& path) {
  return {path.actions, path.log_p, path.log_q, path.mu.value.value};
}

// Adds the witness's running loss to the rows of the report. A stopped run has it for as long a witness
// as takes no time.
template <class Process>
void fill_rounds(PairEvidence& evidence, Process process, const RunControl& control) {
  const std::vector<int> none;
  const auto& actions = evidence.witness ? evidence.witness->actions : none;
  const auto at_once =
      static_cast<std::size_t>(4e5 / detail::one_action_work(process.action_count()));
  StopPoll poll(control);
  process.restart();
  double loss = 0.0;
  for (auto& row : evidence.rounds) {
    const auto t = static_cast<std::size_t>(row.round - 1);
    if (t >= actions.size() || (t >= at_once && poll())) break;
    const auto step = process.log_probability(actions[t], ArgmaxPrecision::kExact);
    loss += step.p - step.q;
    process.advance(actions[t]);
    row.witness_action = actions[t];
    row.witness_loss = loss;
  }
}

template <class Process>
Result<PairEvidence> enumerate(const Process& fresh, const PathSearchResult& paths,
                               const Prepared& prepared, Delta delta0, const RunControl& control) {
  auto laws = enumerate_transcripts(fresh, control);
  const auto exact = laws ? ExactLoss::create(std::move(*laws), control)
                          : Result<ExactLoss>(tl::make_unexpected(laws.error()));
  if (!exact && exact.error().code == ErrorCode::kInterrupted) {
    return stopped_evidence(paths, prepared.claim, delta0, fresh.augmented_mu());
  }
  if (!exact) return tl::make_unexpected(exact.error());
  auto evidence = exact_evidence(*exact, prepared.claim, delta0, "transcript", control);
  RoundMeans old_means;
  RoundMeans new_means;
  detail::sample_both(fresh,
                      {prepared.seed, hash_purpose("rounds"), Phase::kPilot, 0, kPilotTranscripts},
                      control, "rounds", &old_means, &new_means);
  evidence.rounds = round_rows(old_means.mean, new_means.mean);
  return evidence;
}

template <class Process>
Result<PairEvidence> sample(const Process& fresh, const PathSearchResult& paths,
                            const Prepared& prepared, const AuditRequest& request,
                            const RunControl& control) {
  LikelihoodPlan plan;
  plan.claim = prepared.claim;
  plan.delta0 = Delta{request.delta0};
  plan.alpha = prepared.alpha;
  plan.seed = prepared.seed;
  if (request.samples || !request.seconds) {
    const auto samples = ASSAY_TRY(request.samples ? Result<std::int64_t>(*request.samples)
                                                   : default_samples(prepared.config));
    plan.samples = samples;
  } else {
    plan.samples = samples_for_time(fresh, prepared, control);
  }
  plan.stop_after = request.stop_after;
  plan.stop_when_decided = request.stop_when_decided;
  plan.augmented_mu = fresh.augmented_mu();
  size_by_samples(plan, prepared.config.arms);
  auto evidence = audit_by_likelihood(fresh, paths, plan, control.within(kSamplingTime));
  if (evidence && plan.pilot < kPilotTranscripts) {
    evidence->limits.push_back(
        fmt::format("What is drawn beside the transcripts follows from their number: {} a side to "
                    "choose by, {} "
                    "for each of {} tilts, {} a side for the checks, {} tilted ones for a bound.",
                    plan.pilot, plan.tilt_pilot, 2 * std::size(detail::kTilts), plan.calibration,
                    std::max(plan.least_tilted, plan.samples / plan.tilted_part)));
  }
  return evidence;
}

template <class Process>
Result<PairEvidence> gather(const Process& fresh, const Prepared& prepared,
                            const AuditRequest& request, const RunControl& control) {
  const PathSearchPlan wanted = path_plan(prepared.config);
  const PathSearchResult paths = search_paths(fresh, wanted, control.within(kPathTime));
  Result<PairEvidence> evidence =
      prepared.method == Method::kExact
          ? enumerate(fresh, paths, prepared, Delta{request.delta0}, control)
          : sample(fresh, paths, prepared, request, control);
  if (!evidence) return evidence;
  if (!paths.largest_mu.actions.empty()) evidence->witness = witness_of(paths.largest_mu);
  if (paths.rounds < prepared.config.horizon) {
    evidence->limits.push_back(fmt::format(
        "Transcripts of low probability were searched over the first {} of {} rounds{}.",
        paths.rounds, prepared.config.horizon,
        paths.rounds < wanted.rounds ? ", when the run's time or an interruption ended it" : ""));
  }
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
  report.confidence = request.confidence;
  report.delta0 = request.delta0;
  report.seed = prepared.seed;
  report.pair = {found.pair, found.how};
  report.evidence = std::move(evidence);
  if (decision.verdict != Verdict::kNotRefuted) report.evidence.smallest_visible.reset();
  AuditRequest reached = request;
  if (found.stopped) reached.search = found.evaluated;
  if (report.evidence.interrupted) reached.stop_after = report.evidence.samples;
  report.reproduce = reproduce_command(report, reached);
  return report;
}

}  // namespace

CaseDescription ThompsonSamplingCase::describe() const {
  CaseDescription d;
  d.id = kId;
  d.title = "Thompson sampling with Gaussian priors";
  d.about =
      "Modified Thompson sampling: every arm is pulled b times, then each round draws theta_i ~ "
      "N(mean_i, c/(n_i + 1)) for every arm and plays the largest. Defaults b = 0, c = 1 are "
      "classical Thompson sampling. The reward of round t is r_t whichever arm is played; "
      "neighbouring streams differ in one reward; the adversary sees the actions.";
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
  const auto prepared = ASSAY_TRY(prepare(request));
  return ResolvedRequest{prepared.method, prepared.claim};
}

Result<AuditReport> ThompsonSamplingCase::run(const AuditRequest& request,
                                              const RunControl& unlimited) const {
  RunControl control = unlimited;
  if (request.seconds) control.give_seconds(*request.seconds);
  const auto prepared = ASSAY_TRY(prepare(request));
  const auto make = [fresh = prepared.policy](const InputPair& pair) {
    return ThompsonPair<>(fresh, std::make_shared<const InputPair>(pair));
  };
  PairSearchPlan plan;
  plan.claim = prepared.claim;
  plan.horizon = prepared.config.horizon;
  plan.action_count = static_cast<int>(prepared.config.arms);
  plan.moves.first_free_round = prepared.config.pre_pulls * prepared.config.arms + 1;
  if (request.input) plan.fixed_base = request.input->inputs.base();
  plan.seed = prepared.seed;
  plan.most_pairs = request.search;
  const RunControl searching = control.within(kSearchTime);
  const SearchResult found = search_worst_pair(plan, make_objective(make, plan), searching);
  auto evidence = ASSAY_TRY(gather(make(found.pair), prepared, request, control));
  fill_rounds(evidence, make(found.pair), control);
  return assemble(prepared, request, found, std::move(evidence));
}

}  // namespace assay
