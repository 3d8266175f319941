// Gathers evidence of a pair process: searches for the worst pair, then enumerates or samples its transcripts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/methods/output_frequencies.hpp"
#include "assay/auditors/methods/probability_check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// The work of a run without a time budget, in quarters of a microsecond of one core, estimated from the
// sizes: two minutes at most. The search has its own amount (engine/search.hpp).
constexpr double kDefaultWork = 4e8;
constexpr double kPathWork = 2e8;
// Shares of the time that remains when a stage begins.
constexpr double kSearchTime = 1.0 / 3.0;
constexpr double kPathTime = 0.25;
constexpr double kSamplingTime = 0.85;  // the bounds are computed in the rest

// The largest number of samples whose run, with everything that it samples besides, takes at most
// `budget`; in whole chunks if it is at least one. At least 1.
template <class Cost>
std::int64_t samples_within(const InputShape& shape, double budget, std::int64_t most,
                            const Cost& cost) {
  const auto fits = [&](std::int64_t samples) {
    LikelihoodPlan plan;
    plan.samples = samples;
    size_by_samples(plan, shape.arms);
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

// Transcripts on each input that take roughly twenty seconds on one core, fewer if the other samples
// would take minutes. Depends on nothing but the case. Errors: not even one fits.
Result<std::int64_t> default_samples(const InputShape& shape) {
  const double size = static_cast<double>(shape.horizon) * (static_cast<double>(shape.arms) + 2.0);
  const auto usual = static_cast<std::int64_t>(std::clamp(7e7 / size, 1024.0, 500'000.0)) /
                     kLossChunk * kLossChunk;
  const auto work = [&](const LikelihoodPlan& plan) {
    return likelihood_work(plan, shape.arms, shape.horizon);
  };
  LikelihoodPlan least;
  least.samples = 1;
  size_by_samples(least, shape.arms);
  if (work(least) <= kDefaultWork) return samples_within(shape, kDefaultWork, usual, work);
  const double rounds = kDefaultWork / likelihood_work(least, shape.arms, 1);
  return fail(ErrorCode::kLimit,
              fmt::format("{} arms over {} rounds take too long to sample unless --time or "
                          "--samples states how long: without them horizon must be at most {} for "
                          "that many arms",
                          shape.arms, shape.horizon, static_cast<std::int64_t>(rounds)),
              "/horizon");
}

// As many transcripts as fit the remaining time, at the speed of a short run.
std::int64_t samples_for_time(const PairProcess& fresh, const PreparedAudit& audit,
                              const RunControl& control) {
  constexpr double kMeasuring = 0.05;
  constexpr double kShare = 0.75;
  constexpr double kPowerSeconds = 1.0;  // to compute the power of an undecided run
  const auto seconds_of = [&](const auto& sample) {
    const auto start = control.now();
    const auto done = static_cast<double>(sample(control.within(kMeasuring)));
    const double spent = std::chrono::duration<double>(control.now() - start).count();
    return std::max(spent, 1e-6) / std::max(done, 0.5);
  };
  const std::int64_t count = kLossChunk * control.workers();
  const LossBatch batch{audit.seed, hash_purpose("likelihood/speed"), Phase::kPilot, 0, count};
  const double plain =
      0.5 * seconds_of([&](const RunControl& part) {
        return detail::sample_both(fresh, batch, part, "measuring speed").forward.size();
      });
  const double tilted = seconds_of([&](const RunControl& part) {
    return sample_tilted_losses(fresh, Orientation::kBaseToNeighbour, 1.0, batch, part,
                                "measuring speed")
        .size();
  });
  const bool has_power = claimed_quantity(audit.claim).kind == QuantityKind::kDeltaAtEpsilon;
  const double left = control.seconds_left();
  const double budget = kShare * std::max(left - (has_power ? kPowerSeconds : 0.0), 0.5 * left);
  return samples_within(
      audit.subject.shape, budget, 1'000'000'000,
      [&](const LikelihoodPlan& plan) { return likelihood_seconds(plan, plain, tilted); });
}

PathSearchPlan path_plan(const InputShape& shape) {
  const double round = 4.0 * detail::all_actions_work(shape.arms);  // of the four beams
  const double wide = kPathWork / (round * static_cast<double>(shape.horizon));
  const auto width = std::clamp<std::int64_t>(200'000 / (shape.horizon * shape.arms), 2, 32);
  PathSearchPlan plan;
  plan.width = static_cast<int>(std::clamp(wide, 1.0, static_cast<double>(width)));
  plan.rounds =
      std::min(shape.horizon, static_cast<std::int64_t>(std::max(kPathWork / round, 1.0)));
  return plan;
}

WitnessPath witness_of(const PathEvent& path) {
  return {path.actions, path.log_p, path.log_q, path.mu.value.value};
}

// The rounds of the witness for which the report shows the probabilities of all actions, from the changed one on.
std::int64_t rounds_to_show(const PairProcess& process) {
  constexpr double kMostRounds = 40.0, kWork = 4e6;  // a second
  return static_cast<std::int64_t>(
      std::min(kMostRounds, kWork / detail::all_actions_work(process.action_count())));
}

// Adds the witness's running loss to the rows of the report, and the probabilities of all actions along it. A stopped
// run adds them only for a witness so short that it takes no time.
void fill_rounds(PairEvidence& evidence, PairProcess& process, const InputShape& shape,
                 std::int64_t changed_row, const RunControl& control) {
  const std::vector<int> none;
  const auto& actions = evidence.witness ? evidence.witness->actions : none;
  const auto at_once =
      static_cast<std::size_t>(4e5 / detail::one_action_work(process.action_count()));
  const auto shown = static_cast<std::size_t>(rounds_to_show(process));
  const auto count = static_cast<std::size_t>(process.action_count());
  const std::size_t first = actions.size() <= shown ? 0 : static_cast<std::size_t>(changed_row);
  std::vector<double> log_p(count), log_q(count);
  std::vector<std::vector<FrequencyPair>> along;
  StopPoll poll(control);
  process.restart();
  double loss = 0.0;
  for (auto& row : evidence.rounds) {
    const auto t = static_cast<std::size_t>(row.round - 1);
    if (t >= actions.size() || (t >= at_once && poll())) break;
    const auto step = process.log_probability(actions[t], ArgmaxPrecision::kExact);
    if (t >= first && along.size() < shown && !control.stopped() &&
        detail::log_probabilities_unless(poll, process, ArgmaxPrecision::kExact, log_p, log_q)) {
      auto& of_round = along.emplace_back();
      for (std::size_t a = 0; a < count; ++a) {
        of_round.push_back({portable_exp(log_p[a]), portable_exp(log_q[a])});
      }
    }
    loss += step.p - step.q;
    process.advance(actions[t]);
    row.witness_action = actions[t];
    row.witness_loss = loss;
  }
  if (along.empty() || process.action_count() != shape.arms) return;
  evidence.frequencies = frequencies_along(shape, static_cast<std::int64_t>(first) + 1, along);
}

Result<PairEvidence> enumerate(const PairProcess& fresh, const PathSearchResult& paths,
                               const PreparedAudit& audit, const RunControl& control) {
  auto distributions = enumerate_transcripts(fresh, control);
  const auto exact = distributions ? ExactLoss::create(std::move(*distributions), control)
                                   : Result<ExactLoss>(tl::make_unexpected(distributions.error()));
  if (!exact && exact.error().code == ErrorCode::kInterrupted) {
    return stopped_evidence(paths, audit.claim, audit.delta0, fresh.augmented_mu());
  }
  if (!exact) return tl::make_unexpected(exact.error());
  auto evidence = exact_evidence(*exact, audit.claim, audit.delta0, "transcript", control);
  RoundMeans base_means;
  RoundMeans neighbour_means;
  detail::sample_both(fresh,
                      {audit.seed, hash_purpose("rounds"), Phase::kPilot, 0, kPilotTranscripts},
                      control, "rounds", &base_means, &neighbour_means);
  evidence.rounds = round_rows(base_means.mean, neighbour_means.mean);
  return evidence;
}

// Tests sampled actions of a class that is not ours against its probabilities, with all of alpha, as nothing else
// needs any.
void hold_against_draws(const PairProcess& fresh, const PreparedAudit& audit,
                        const RunControl& control, PairEvidence& evidence) {
  constexpr std::int64_t kChecked = 1024;  // on each input
  const double alpha = alpha_of(audit.confidence);
  const auto test = check_probabilities(fresh, {audit.seed, kChecked, alpha}, control);
  const LossBatch batch{audit.seed, hash_purpose("exact/check"), Phase::kCheck, 0, kChecked};
  const auto losses = detail::sample_both(fresh, batch, control, "checks");
  evidence.checks =
      probability_checks(test, losses.forward, detail::negated(losses.backward), alpha);
  evidence.ledger.push_back({"checks of the reported probabilities", alpha});
}

// Whether each round of a tilted transcript takes messages to another process (black_box/reported_pair.hpp), which
// makes it slower than a hundred ordinary transcripts. Then there are few of them.
constexpr std::int64_t kTiltPilotAsked = 64, kTiltedAsked = 1024;
bool asks_each_round(const AuditedSubject& subject) { return subject.is_told && !subject.play; }

Result<PairEvidence> sample(const PairProcess& fresh, const PathSearchResult& paths,
                            const PreparedAudit& audit, const RunControl& control) {
  LikelihoodPlan plan{audit.terms()};
  if (audit.request.samples) {
    plan.samples = *audit.request.samples;
  } else if (audit.request.seconds) {
    plan.samples = samples_for_time(fresh, audit, control);
  } else {
    plan.samples = ASSAY_TRY(default_samples(audit.subject.shape));
  }
  plan.stop_after = audit.request.stop_after;
  plan.stop_when_decided = audit.request.stop_when_decided;
  plan.augmented_mu = fresh.augmented_mu();
  size_by_samples(plan, audit.subject.shape.arms);
  if (audit.request.only_claim) plan.ask_only_claim();
  if (asks_each_round(audit.subject)) {
    plan.tilt_pilot = std::min(plan.tilt_pilot, kTiltPilotAsked);
    plan.least_tilted = std::min(plan.least_tilted, kTiltedAsked);
    plan.tilted_part = std::max(plan.tilted_part, plan.samples);
  }
  auto evidence = audit_by_likelihood(fresh, paths, plan, control.within(kSamplingTime));
  if (evidence && plan.pilot < kPilotTranscripts) {
    evidence->limits.push_back(fmt::format(
        "The other samples follow from the number of transcripts: {} on each input to choose what "
        "to certify, {} for each of {} tilts, {} on each input for the checks, and {} tilted ones "
        "for a bound.",
        plan.pilot, plan.tilt_pilot, 2 * std::size(detail::kTilts), plan.checked,
        std::max(plan.least_tilted, plan.samples / plan.tilted_part)));
  }
  return evidence;
}

Result<PairEvidence> gather(const PairProcess& fresh, const PreparedAudit& audit,
                            const RunControl& control) {
  const PathSearchPlan wanted = path_plan(audit.subject.shape);
  const PathSearchResult paths = search_paths(fresh, wanted, control.within(kPathTime));
  Result<PairEvidence> evidence = audit.method == Method::kExact
                                      ? enumerate(fresh, paths, audit, control)
                                      : sample(fresh, paths, audit, control);
  if (!evidence) return evidence;
  if (audit.subject.is_told && audit.method == Method::kExact && !control.stopped()) {
    hold_against_draws(fresh, audit, control, *evidence);
  }
  if (!paths.largest_mu.actions.empty()) evidence->witness = witness_of(paths.largest_mu);
  if (paths.rounds < audit.subject.shape.horizon) {
    evidence->limits.push_back(fmt::format(
        "The search for transcripts of low probability covered the first {} of {} rounds{}.",
        paths.rounds, audit.subject.shape.horizon,
        paths.rounds < wanted.rounds ? ", then the run's time or an interruption ended it" : ""));
  }
  return evidence;
}

// The pair that the request gives, or the worst one that a search finds.
SearchResult searched_pair(const PreparedAudit& audit, const RunControl& control) {
  const AuditedSubject& subject = audit.subject;
  const auto& input = audit.request.input;
  if (input && input->has_neighbour()) return {.pair = input->inputs, .how = "given by --input"};
  PairSearchPlan plan;
  plan.claim = audit.claim;
  plan.horizon = subject.shape.horizon;
  plan.action_count = static_cast<int>(subject.shape.arms);
  plan.moves = subject.moves.value_or(PairMoves{});
  if (input) plan.fixed_base = input->inputs.base();
  plan.seed = audit.seed;
  plan.most_pairs = audit.request.search;
  return search_worst_pair(plan, make_objective(subject.process, plan), control);
}

}  // namespace

bool detail::lists_transcripts(const InputShape& shape) {
  // Beyond this many transcripts sampling is as informative, and faster.
  constexpr std::int64_t kExactByDefault = std::int64_t{1} << 20;
  const auto transcripts = count_transcripts(static_cast<int>(shape.arms), shape.horizon);
  if (!transcripts || *transcripts > kExactByDefault) return false;
  const std::int64_t decisions = *transcripts / (shape.arms - 1);
  return static_cast<double>(decisions) * all_actions_work(shape.arms) <= kDefaultWork;
}

Result<Gathered> detail::gather_transcripts(const PreparedAudit& audit, const RunControl& control) {
  const AuditedSubject& subject = audit.subject;
  // Fails before a search that may take longer than anyone wants to wait for this error.
  if (audit.method != Method::kExact && !audit.request.samples && !audit.request.seconds) {
    ASSAY_TRY(default_samples(subject.shape));
  }
  constexpr double kOfSearch = 0.3;  // of the progress
  auto found = searched_pair(audit, control.within(kSearchTime).stage(0.0, kOfSearch));
  const auto fresh = subject.process(found.pair);
  auto evidence = ASSAY_TRY(gather(*fresh, audit, control.stage(kOfSearch, 1.0)));
  fill_rounds(evidence, *fresh, subject.shape, found.pair.changed_row(), control);
  Gathered gathered{{std::move(found.pair), std::move(found.how)}, std::move(evidence)};
  if (found.stopped) gathered.scored = found.evaluated;
  return gathered;
}

}  // namespace assay
