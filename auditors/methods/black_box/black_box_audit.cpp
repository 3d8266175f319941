#include "assay/auditors/methods/black_box/black_box_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/boundary_pairs.hpp"
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/event_evidence.hpp"
#include "assay/auditors/methods/black_box/internal/conclusion.hpp"
#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"
#include "assay/auditors/methods/black_box/internal/run_account.hpp"
#include "assay/auditors/methods/black_box/internal/stop_rule.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/pair_runs.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/methods/black_box/run_checks.hpp"
#include "assay/auditors/methods/black_box/sensitive_entries.hpp"
#include "assay/auditors/methods/black_box/value_pairs.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/strength.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kOfBoundaries = 0.15;  // of all runs,
constexpr double kMostAllowed =
    0.7;  // of the distance that a step may have: larger claims allow nearly all
constexpr std::size_t kMostBoundaries = 6;  // and pairs
constexpr double kOfEntries = 0.04;         // of all runs,
constexpr std::size_t kMostSensitive = 4;   // and pairs
constexpr double kOfValues = 0.05;          // of all runs,
constexpr std::size_t kMostValues = 9;      // and pairs

// An audit that may stop early searches first with a part of its runs, and bets on the pair that it finds with a part
// of the level of such bets. What leaks much falls then. With a given pair there is one such try.
struct EarlyTry {
  double of_runs, of_level;
};
constexpr std::int64_t kFewestTried = 1024;  // runs; with fewer there is no try
constexpr std::array kTries = {EarlyTry{1.0 / 16.0, 0.25}, EarlyTry{0.25, 0.25}};
constexpr std::array kTriesOfOne = {EarlyTry{0.25, 0.8}};

// The one alpha of an audit, divided before anything is certified.
struct AlphaShares {
  double main = 0.0, below = 0.0, second = 0.0;  // of the bounds (event_bounds.hpp)
  double steady = 0.0, again = 0.0;              // of the checks of certified plays
  std::vector<LedgerEntry> ledger;
};

// The share of the main bound: all that no other part takes.
double main_share(const BlackBoxPlan& plan) {
  double share = 1.0 - kCheckShare - kSecondShare - kBelowShare - kSteadyShare - kAgainShare;
  for (const auto& earlier : plan.shares_spent) share -= earlier.second;
  return share;
}

std::vector<LedgerEntry> ledger_rows(const AlphaLedger& ledger) {
  std::vector<LedgerEntry> entries;
  for (const auto& entry : ledger.entries()) entries.push_back({entry.purpose, entry.alpha});
  return entries;
}

Result<AlphaShares> share_out(const BlackBoxPlan& plan, const Asked& asked) {
  auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_of(plan.confidence)));
  const auto share = [&](std::string purpose, double fraction) {
    return *ledger.spend(std::move(purpose), fraction);
  };
  AlphaShares shares;
  for (const auto& [purpose, fraction] : plan.shares_spent) share(purpose, fraction);
  share("independence of runs, 2 tests", kCheckShare);
  const double of_bets = bets_share(plan.stop_when_decided);
  share("a bet before each run, " + asked.main_quantity(), of_bets * main_share(plan));
  shares.main = share("bets on one event and its score, " + asked.main_quantity(),
                      (1.0 - of_bets) * main_share(plan));
  shares.below = share("the same below the claim, if it is not refuted", kBelowShare);
  shares.second = share("the same bets, " + asked.second_quantity(), kSecondShare);
  shares.steady = *spend_on_remark(ledger, "certified runs against time", kSteadyShare);
  shares.again = *spend_on_remark(ledger, "certified runs against a fresh process", kAgainShare);
  shares.ledger = ledger_rows(ledger);
  return shares;
}

Result<AlphaShares> share_out_recorded(const BlackBoxPlan& plan, const Asked& asked) {
  auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_of(plan.confidence)));
  AlphaShares shares;
  shares.main = *ledger.spend("counts of one event, " + asked.main_quantity(), 1.0 - kSecondShare);
  shares.second =
      *ledger.spend("counts of the same event, " + asked.second_quantity(), kSecondShare);
  shares.ledger = ledger_rows(ledger);
  return shares;
}

// Stores the event with its counts and its score's name, after the failures among the runs.
void keep_event(const SearchedEvent& chosen, std::span<const double> base_scores,
                std::span<const double> neighbour_scores, PairEvidence& evidence) {
  const OutputScore& score = *chosen.found.score;
  const ScoreEvent& event = chosen.found.selected.event;
  evidence.event =
      event_evidence(fmt::format("{} ({} scores compared)", score.name(), chosen.scores), event,
                     base_scores, neighbour_scores);
  evidence.event->event = score.words(event, evidence.failures.has_value());
  evidence.event->rounds = score.rounds();
}

// Maps the two inputs of a certified run to P and Q of the event.
class SidesOfEvent {
 public:
  explicit SidesOfEvent(const SelectedEvent& event)
      : neighbour_is_p_(event.orientation == EventOrientation::kNeighbourAboveBase) {}
  bool is_neighbour(const SidePlay& play) const { return play.on_p == neighbour_is_p_; }
  bool neighbour_is_p() const { return neighbour_is_p_; }

 private:
  bool neighbour_is_p_;
};

void keep_failures(const CertifiedRuns& runs, const SidesOfEvent& sides, PairEvidence& evidence) {
  const auto failed = runs.failures();
  if (failed[0] + failed[1] == 0) return;
  const EventCounts counts = runs.counts();
  FailureEvidence found{failed[0], counts.n, failed[1], counts.m, plain_text(runs.failure)};
  if (sides.neighbour_is_p()) {
    std::swap(found.base_failed, found.neighbour_failed);
    std::swap(found.base_runs, found.neighbour_runs);
  }
  evidence.failures = std::move(found);
}

// Whether all certified runs on each input gave the one output that the search had seen there.
bool are_alike(const CertifiedRuns& runs, const SidesOfEvent& sides, const ChosenEvent& chosen) {
  if (!chosen.alike) return false;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const std::size_t side = sides.is_neighbour(runs.runs[i]) ? 1 : 0;
    if (runs.digests[i] != chosen.only_output[side]) return false;
  }
  return true;
}

bool are_all_one(const std::vector<std::uint64_t>& digests) {
  return std::adjacent_find(digests.begin(), digests.end(), std::not_equal_to<>()) == digests.end();
}

bool base_side_gave_more_than(std::uint64_t output, const CertifiedRuns& runs,
                              const SidesOfEvent& sides) {
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    if (!sides.is_neighbour(runs.runs[i]) && runs.digests[i] != output) return true;
  }
  return false;
}

// An e-value of 1. A try convicts by a large wealth, and leaves a small one behind where it does not, so its wealth in the
// first case and that of the certified runs in the other would have a mean above 1.
ClaimEProcess no_evidence(bool divided) {
  ClaimEProcess none;
  if (divided) none.of_seedings.emplace();
  return none;
}

// The phases in order. Each leaves the values that the next one needs. If the deadline ends a phase before there is an
// event, the audit ends undecided.
class BlackBoxAudit {
 public:
  BlackBoxAudit(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
                const RunControl& control)
      : shape_(subjects.front().players->shape()),
        subjects_(subjects),
        plan_(plan),
        control_(control),
        account_(plan, is_divided(subjects.front()) ? kKeyRuns : 0, control),
        is_one_candidate_(subjects.size() * plan.pairs.size() == 1 && !plan.boundaries) {}

  Result<BlackBoxOutcome> run() {
    std::int64_t planned = plan_.samples;
    if (const Status searched = search(planned); !searched) {
      return nothing_certified(planned, searched.error());
    }
    outcome_.subject = chosen_.candidate.subject;
    const Asked asked = asked_of(subject().claim, plan_.delta0);
    const AlphaShares shares = ASSAY_TRY(share_out(plan_, asked));
    outcome_.evidence.ledger = shares.ledger;
    outcome_.evidence.checks = checked_.checks;
    plan_.samples = chosen_.convicted ? planned
                                      : account_.certified_a_side(chosen_.event.found.selected,
                                                                  asked, shares.main);
    if (plan_.runs_follow && !chosen_.convicted) {
      const double frequency = frequency_of(chosen_.event.found.selected, plan_.samples);
      plan_.samples = account_.followed(
          plan_.samples,
          samples_to_see(asked, to_see(), frequency, shares.main, is_divided(subject())));
    }
    const EventTest test{asked,
                         chosen_.event.found,
                         plan_.samples,
                         plan_.stop_when_decided,
                         is_divided(subject()),
                         shares.main,
                         shares.below,
                         phase_share_ * shares.second,
                         (1.0 - bets_share(plan_.stop_when_decided)) * kSeedingAlpha,
                         bets_level_};
    AuditFindings found = certify(test);
    if (outcome_.target_error && outcome_.target_error->code == ErrorCode::kRefusedInput) {
      outcome_.target_error->message +=
          "; so nothing is certified: --domain must exclude the inputs that the target refuses";
      return tl::make_unexpected(*outcome_.target_error);
    }
    if (auto row =
            check_seedings(subject().players->first().takes_keys(), checked_, found.seedings)) {
      outcome_.evidence.checks.push_back(std::move(*row));
    }
    if (plan_.check_certified) {
      const bool steady = check_certified(test, shares);
      found.by_time =
          checked_.alike && !steady &&
          base_side_gave_more_than(checked_.output, certified_, SidesOfEvent(test.event()));
    }
    if (outcome_.target_error && account_.out_of_time(*outcome_.target_error)) {
      outcome_.target_error.reset();
      account_.leave_undone("the time ended");
    }
    conclude(found, shape_, plan_, control_, outcome_);
    outcome_.evidence.runs = account_.spent();
    return std::move(outcome_);
  }

 private:
  const PlayedSubject& subject() const { return subjects_[chosen_.candidate.subject]; }
  // The level that the audit should see, by the claim of the certified subject.
  double to_see() const { return level_to_see(subject().claim, plan_.see); }
  CertifiedEvent certified_event(const EventTest& test) const {
    return {test.found.score.get(), test.event(), test.found.classes.cuts, chosen_.bets.get()};
  }

  // Sets chosen_, checked_, the levels of what follows and the planned number of certified runs on each input.
  Status search(std::int64_t& planned) {
    const double alpha = main_share(plan_) * alpha_of(plan_.confidence);
    const BetsLevel all = BetsLevel{alpha, kSeedingAlpha}.part(bets_share(plan_.stop_when_decided));
    double rest = 1.0;  // of that level, for the certified runs
    for (std::size_t k = 0; k < tries().size(); ++k) {
      const double of_level = tries()[k].of_level;
      rest -= of_level;
      bets_level_ = all.part(of_level);
      phase_share_ = of_level * bets_share(plan_.stop_when_decided);
      if (ASSAY_TRY(convicts_early(k))) return {};
    }
    bets_level_ = all.part(rest);
    if (!tries().empty()) phase_share_ = 1.0 - (1.0 - rest) * bets_share(plan_.stop_when_decided);
    ASSAY_TRY(add_boundaries(plan_, all_runs()));
    const std::size_t candidates = candidates_of(subjects_.size(), plan_.pairs.size()).size();
    const RunBudget budget = ASSAY_TRY(account_.divide(candidates));
    if (plan_.samples == 0) planned = budget.samples;
    chosen_ = ASSAY_TRY(choose_event(
        subjects_, plan_, budget, bets_level_, event_alpha(),
        [&](Candidate candidate) { return check(plan_, candidate); }, account_.spent(), best_,
        stage_of(budget.search + budget.learning)));
    return {};
  }

  // The searches with parts of the budget that come before that with the rest.
  std::span<const EarlyTry> tries() const {
    if (!plan_.stop_when_decided || plan_.is_timed()) return {};
    if (is_one_candidate_) return kTriesOfOne;
    return kTries;
  }

  // One of these searches, and bets on the pair that it finds. Their runs have seeds of their own.
  Result<bool> convicts_early(std::size_t k) {
    BlackBoxPlan plan = plan_;
    ReplayStream seeds({plan_.seed, hash_purpose("an early try"), k, 0, Phase::kSearch});
    plan.seed = seeds.next();
    const auto runs =
        static_cast<std::int64_t>(tries()[k].of_runs * static_cast<double>(runs_to_try()));
    if (runs < kFewestTried) return false;
    if (k > 0) ASSAY_TRY(add_boundaries(plan, runs_to_try() / 2));
    const std::size_t candidates = candidates_of(subjects_.size(), plan.pairs.size()).size();
    const RunBudget budget =
        k == 0 && !is_one_candidate_ ? quick_try(runs, candidates) : early_try(runs, candidates);
    RunsSpent spent;  // what a try leaves undone, the rest of the audit does
    chosen_ = ASSAY_TRY(choose_event(
        subjects_, plan, budget, bets_level_, event_alpha(),
        [&](Candidate candidate) { return check(plan, candidate); }, spent, best_,
        stage_of(budget.search + budget.learning)));
    account_.spent().search += spent.search;
    account_.spent().learning += spent.learning;
    if (chosen_.convicted) {
      plan_ = std::move(plan);
      return true;
    }
    const InputPair& best = plan.pairs[chosen_.candidate.pair];
    if (!contains(plan_.pairs, best)) plan_.pairs.insert(plan_.pairs.begin(), best);
    return false;
  }

  std::int64_t all_runs() const { return account_.left().value_or(4 * plan_.samples); }

  // The control for the next `runs` runs, as a part of all. A stage may end before its runs are used up; the next one
  // begins where it would have ended.
  RunControl stage_of(std::int64_t runs) {
    const double spent = static_cast<double>(account_.spent().all());
    const double all = std::max(1.0, spent + static_cast<double>(all_runs()));
    const double from = std::max(stage_end_, spent / all);
    stage_end_ = std::clamp((spent + static_cast<double>(runs)) / all, from, 1.0);
    return control_.stage(from, stage_end_);
  }
  // All but what the certified runs need, if both numbers are given.
  std::int64_t runs_to_try() const {
    return account_.left() ? all_runs() - fewest_runs_for(plan_.samples) : all_runs();
  }
  double event_alpha() const {
    return (1.0 - bets_share(plan_.stop_when_decided)) * main_share(plan_) *
           alpha_of(plan_.confidence);
  }

  // Whether runs of the candidate's subject are independent; and whether bets on them may end the audit.
  Result<bool> check(const BlackBoxPlan& plan, Candidate candidate) {
    const PlayedSubject& of = subjects_[candidate.subject];
    if (checked_subject_ != candidate.subject) {
      // Several tries may check several subjects.
      const double checks = subjects_.size() > 1 ? 1.0 + static_cast<double>(tries().size()) : 1.0;
      const double level = kCheckShare * alpha_of(plan.confidence) / checks;
      checked_ = ASSAY_TRY(check_runs(*of.players, plan.pairs[candidate.pair].base_input(),
                                      of.promises_seeds, level, plan_.seed, control_));
      checked_subject_ = candidate.subject;
      account_.spent().checks += checked_.runs;
    }
    return plan.stop_when_decided && checked_.independent && (of.deterministic || !checked_.alike);
  }

  // Puts pairs that runs of the target suggest before those of the plan: at its decision boundaries, and at the
  // entries and special values to which it is most sensitive. `all`: the runs of the whole search and all that follows.
  Status add_boundaries(BlackBoxPlan& plan, std::int64_t all) {
    if (!plan.boundaries || subjects_.size() > 1) return {};
    const PlayedSubject& only = subjects_.front();
    const auto part = [&](double share) {
      return static_cast<std::int64_t>(share * static_cast<double>(all));
    };
    const Asked asked = asked_of(only.claim, plan.delta0);
    auto found = ASSAY_TRY(boundary_pairs(
        *only.players, plan.seed, kMostBoundaries, part(kOfBoundaries),
        std::min(kMostAllowed, allowed_variation(asked)), stage_of(part(kOfBoundaries))));
    if (only.promises_seeds) {
      auto sensitive = ASSAY_TRY(pairs_at_sensitive_entries(
          *only.players, plan.seed, kMostSensitive, part(kOfEntries), control_));
      found.runs += sensitive.runs;
      add_new(std::move(sensitive.pairs), found.pairs);
      auto special = ASSAY_TRY(pairs_at_special_values(*only.players, plan.seed, kMostValues,
                                                       part(kOfValues), control_));
      found.runs += special.runs;
      add_new(std::move(special.pairs), found.pairs);
    }
    add_new(std::move(plan.pairs), found.pairs);
    plan.pairs = std::move(found.pairs);
    account_.spent().search += found.runs;
    return {};
  }

  static void add_new(std::vector<InputPair> pairs, std::vector<InputPair>& known) {
    for (auto& pair : pairs) {
      if (!contains(known, pair)) known.push_back(std::move(pair));
    }
  }

  // If there was no event yet when the time ended, the user interrupted, or the target failed.
  Result<BlackBoxOutcome> nothing_certified(std::int64_t planned, const Error& why) {
    auto outcome =
        ASSAY_TRY(undecided_outcome(shape_, plan_, account_.spent(), why, account_.out_of_time(why),
                                    best_ ? &*best_ : nullptr));
    outcome.evidence.samples_planned = planned;
    return outcome;
  }

  // Bets on the runs that are not bet on yet, by their scores.
  void bet_on(const CertifiedRuns& runs, const SidesOfEvent& sides) {
    PairBets& bets = *chosen_.bets;
    for (auto i = static_cast<std::size_t>(bets.runs() - runs.first); i < runs.runs.size(); ++i) {
      bets.observe(std::span(runs.bet_scores).subspan(i * bets.scores(), bets.scores()),
                   {!sides.is_neighbour(runs.runs[i]), runs.runs[i].keyed});
    }
  }

  // Sets certified_, and adds the counts of these runs and the bounds that they prove to the evidence.
  AuditFindings certify(const EventTest& test) {
    const SidesOfEvent sides(test.event());
    std::optional<StopRule> rule;
    std::function<bool(const CertifiedRuns&)> enough;
    if (plan_.stop_when_decided) {
      rule.emplace(test, to_see());
      enough = [&](const CertifiedRuns& runs) {
        bet_on(runs, sides);
        const bool decided = rule->decided(runs) || test.is_refuted_by(chosen_.bets->bets());
        // Runs that are all alike prove nothing; later ones may differ.
        return decided && (subject().deterministic || !are_alike(runs, sides, chosen_));
      };
    }
    RunsSpent& spent = account_.spent();
    if (chosen_.convicted) {
      certified_ = certified_before(subject(), plan_, chosen_.candidate, certified_event(test));
      spent.learning -= chosen_.bets->runs();
    } else {
      certified_ = play_certified(subject(), plan_, chosen_.candidate, certified_event(test),
                                  stage_of(all_runs()), enough);
      bet_on(certified_, sides);
    }
    outcome_.target_error = certified_.error;
    const auto count = static_cast<std::int64_t>(certified_.runs.size());
    spent.certified = count;
    auto& evidence = outcome_.evidence;
    const EventCounts counts = certified_.counts();
    evidence.samples = (counts.n + counts.m) / 2;
    keep_failures(certified_, sides, evidence);
    const CoinBets& bets = chosen_.bets->bets();
    EventBounds bounds =
        chosen_.convicted ? bound_by_bets(test, bets) : bound_by_betting(test, certified_, bets);
    evidence.quantities = std::move(bounds.quantities);
    evidence.e_process =
        chosen_.convicted ? no_evidence(test.divided) : e_process_of(test, certified_);
    std::array<std::vector<double>, 2> scores;  // on D, on D'
    for (std::size_t i = 0; i < certified_.runs.size(); ++i) {
      scores[sides.is_neighbour(certified_.runs[i]) ? 1 : 0].push_back(certified_.scores[i]);
    }
    keep_event(chosen_.event, scores[0], scores[1], evidence);
    evidence.frequencies = chosen_.frequencies;
    AuditFindings found{.test = test, .chosen = chosen_, .subjects = subjects_, .counts = counts};
    found.refuted = bounds.refuted;
    found.by_bets = bounds.by_bets;
    found.seedings = std::move(bounds.seedings);
    found.planned = plan_.samples;
    found.to_see = to_see();
    found.certified = count;
    found.independent = checked_.independent;
    found.alike = are_alike(certified_, sides, chosen_);
    found.constant = are_all_one(certified_.digests);
    if (rule && rule->is_futile()) found.futile_at = rule->visible_at();
    return found;
  }

  // Checks against time, and against a fresh process. Returns whether the runs were stationary.
  bool check_certified(const EventTest& test, const AlphaShares& shares) {
    if (certified_.runs.empty()) return true;
    auto& checks = outcome_.evidence.checks;
    checks.push_back(check_steady(certified_, shares.steady, plan_.seed));
    const bool steady = checks.back().passed;
    if (outcome_.target_error) return steady;
    const auto which = runs_to_repeat(static_cast<std::int64_t>(certified_.runs.size()));
    const auto again = play_again(subject(), plan_, chosen_.candidate, certified_event(test),
                                  certified_, which, control_);
    if (!again) {
      outcome_.target_error = again.error();
      return steady;
    }
    account_.spent().checks += static_cast<std::int64_t>(which.size());
    checks.push_back(
        check_again(certified_, which, *again, subject().promises_seeds, shares.again, plan_.seed));
    return steady;
  }

  InputShape shape_;
  std::span<const PlayedSubject> subjects_;
  BlackBoxPlan plan_;  // with the additions of the phases: pairs, and the number of certified runs
  const RunControl& control_;
  RunAccount account_;
  bool is_one_candidate_;
  BetsLevel bets_level_;
  // Of the level of the quantity without a claim. A try that convicts bounds it, and else the certified runs do: which
  // of them it is depends on the runs, so each has a part.
  double phase_share_ = 1.0;
  ChosenEvent chosen_;
  std::optional<BestSoFar> best_;
  double stage_end_ = 0.0;  // the share of the work that is planned up to the end of this stage
  RunChecks checked_;
  std::optional<std::size_t> checked_subject_;
  CertifiedRuns certified_;
  BlackBoxOutcome outcome_;
};

Result<BlackBoxOutcome> count_recorded(const InputShape& shape, SideRuns runs,
                                       std::int64_t changed_row, const BlackBoxPlan& plan,
                                       const RunControl& control) {
  const Asked asked = asked_of(plan.claim, plan.delta0);
  const AlphaShares shares = ASSAY_TRY(share_out_recorded(plan, asked));
  keep_view(shape, changed_row, plan, runs.base_side);
  keep_view(shape, changed_row, plan, runs.neighbour_side);
  // The inputs may have different numbers of runs; learning uses as many of each.
  const std::int64_t least = std::min(runs.base_side.count, runs.neighbour_side.count);
  const std::int64_t learning = least / 3;
  const SideRuns learnt = cut(runs, 0, learning);
  ChosenEvent chosen;
  const double to_see = level_to_see(plan.claim, plan.see);
  chosen.event = ASSAY_TRY(choose_event({shape, changed_row}, learnt, asked, to_see, shares.main,
                                        least - learning, control));
  const FoundEvent& event = chosen.event.found;
  const auto rest = [&](const OutputBatch& batch) {
    const OutputBatch counted = cut(batch, learning, batch.count - learning);
    return ScoredRuns(counted, control).scores(*event.score);
  };
  const auto base_scores = rest(runs.base_side), neighbour_scores = rest(runs.neighbour_side);
  const EventCounts counts = count_event(event.selected, base_scores, neighbour_scores);
  std::vector<std::uint64_t> digests;
  for (const OutputBatch* batch : {&runs.base_side, &runs.neighbour_side}) {
    for (std::int64_t i = learning; i < batch->count; ++i) {
      digests.push_back(digest_of(batch->play(i)));
    }
  }
  const EventTest test{
      .asked = asked, .found = event, .main_alpha = shares.main, .second_alpha = shares.second};
  EventBounds bounds = bound_by_counts(test, counts);
  BlackBoxOutcome outcome;
  auto& evidence = outcome.evidence;
  evidence.ledger = shares.ledger;
  keep_event(chosen.event, base_scores, neighbour_scores, evidence);
  evidence.frequencies =
      output_frequencies(shape, changed_row, learnt.base_side, learnt.neighbour_side);
  evidence.quantities = std::move(bounds.quantities);
  evidence.samples = std::min(counts.n, counts.m);
  evidence.checks.push_back(CheckResult::not_checked(
      "two seedings", "the runs are recorded: how their generators were seeded is not known"));
  AuditFindings found{.test = test, .chosen = chosen, .counts = counts};
  found.refuted = bounds.refuted;
  found.constant = are_all_one(digests);
  found.planned = evidence.samples;
  found.to_see = to_see;
  conclude(found, shape, plan, control, outcome);
  return outcome;
}

constexpr double kLargestEpsilon = 500.0;  // e^eps has to be finite, with the margin

Status check_claim(const PrivacyLevel& claim) {
  const double epsilon = asked_of(claim, Delta{1e-6}).epsilon.value;
  if (epsilon <= kLargestEpsilon) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("a black-box audit takes claims of eps up to {}, not {}", kLargestEpsilon,
                          rounded(epsilon, 6)),
              "/claim");
}

Status check_plan(const BlackBoxPlan& plan) {
  if (!(plan.output_grid >= 0.0 && plan.output_grid <= 1e300)) {
    return fail(ErrorCode::kInvalidArgument,
                "the grid of outputs must be positive, not " + number_text(plan.output_grid),
                "/output_grid");
  }
  return check_confidence(plan.confidence);
}

// Checks the parts of a plan that only a running target needs.
Status check_played(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan) {
  if (subjects.empty()) return fail(ErrorCode::kInvalidArgument, "nothing to audit");
  if (plan.runs) ASSAY_TRY(check_whole("runs", *plan.runs, kFewestInAll, kMostInAll));
  if (!plan.runs || plan.samples != 0) {
    ASSAY_TRY(check_whole("samples", plan.samples, kFewestCertified, 1'000'000'000));
  }
  if (plan.pairs.empty()) return fail(ErrorCode::kInvalidArgument, "no pair of inputs to try");
  const InputShape& shape = subjects.front().players->shape();
  for (const auto& subject : subjects) {
    if (subject.players->shape() != shape) {
      return fail(ErrorCode::kInvalidArgument, "subjects of one audit must have one shape");
    }
    ASSAY_TRY(check_claim(subject.claim));
  }
  for (const auto& pair : plan.pairs) {
    if (plan.check) {
      ASSAY_TRY(plan.check(pair));
      continue;
    }
    for (const InputTable& input : {pair.base_input(), pair.neighbour_input()}) {
      ASSAY_TRY(check_input(shape, input));
    }
  }
  return {};
}

}  // namespace

Result<BlackBoxOutcome> undecided_outcome(const InputShape& shape, const BlackBoxPlan& plan,
                                          RunsSpent spent, const Error& why, bool is_late,
                                          const BestSoFar* best) {
  const bool is_cut = why.code == ErrorCode::kInterrupted;
  if (!is_cut && why.code != ErrorCode::kTarget) return tl::make_unexpected(why);
  const std::string reason = is_late  ? "the time ended before anything could be certified"
                             : is_cut ? "the run was interrupted before anything could be certified"
                                      : kFailedFirst;
  BlackBoxOutcome outcome;
  if (!is_late) outcome.target_error = why;
  outcome.view = view_of(shape);
  outcome.pair.inputs = best != nullptr ? best->pair : plan.pairs.front();
  outcome.pair.found_by =
      best != nullptr ? "the most promising pair so far" : "the first pair of the search";
  outcome.pair.shape = shape;
  outcome.relation = relation_of(shape, outcome.pair.inputs);
  PairEvidence& evidence = outcome.evidence;
  evidence.method = "events";
  evidence.samples_planned = plan.samples;
  spent.budget = plan.runs;
  spent.left_undone += (spent.left_undone.empty() ? "" : "; ") + reason;
  evidence.runs = std::move(spent);
  if (best != nullptr) {
    outcome.subject = best->candidate.subject;
    evidence.estimate = best->estimate;
  }
  outcome.decision = Decision{Verdict::kInconclusive, Scope::kThisPair,
                              reason + (best != nullptr ? "" : "; nothing was estimated yet")};
  return outcome;
}

Result<BlackBoxOutcome> audit_recorded(const InputShape& shape, const OutputBatch& base_runs,
                                       const OutputBatch& neighbour_runs, std::int64_t changed_row,
                                       const BlackBoxPlan& plan) {
  ASSAY_TRY(check_plan(plan));
  constexpr std::int64_t kFewest = 100;
  if (std::min(base_runs.count, neighbour_runs.count) < kFewest) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("each input needs at least {} runs, not {} and {}", kFewest,
                            base_runs.count, neighbour_runs.count));
  }
  const RunControl alone;
  return count_recorded(shape, {base_runs, neighbour_runs}, changed_row, plan, alone);
}

Result<BlackBoxOutcome> audit_black_box(std::span<const PlayedSubject> subjects,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  ASSAY_TRY(check_plan(plan));
  ASSAY_TRY(check_played(subjects, plan));
  return BlackBoxAudit(subjects, plan, control).run();
}

Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  const PlayedSubject subject{&players, promises_seeds, plan.claim};
  return audit_black_box(std::span(&subject, 1), plan, control);
}

}  // namespace assay
