#include "assay/auditors/methods/one_run/one_run_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/event_search.hpp"
#include "assay/auditors/methods/black_box/first_look.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/pair_runs.hpp"
#include "assay/auditors/methods/black_box/run_checks.hpp"
#include "assay/auditors/methods/one_run/guesser.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/statistics/one_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFewestToBet = 30;  // runs
constexpr double kCaution = 3.0;           // standard errors, when training predicts a mean
constexpr double kPower = 0.9;             // at which the smallest visible eps is stated
constexpr std::int64_t kMostLooks = 400;   // runs of a first look
constexpr double kLastGuesses = 0.2;       // seconds, after an interruption
constexpr const char* kCertifying = "certifying canaries";

class OneRunAudit {
 public:
  OneRunAudit(const PlayedSubject& subject, const Canaries& canaries, const OneRunPlan& plan,
              const RunControl& control)
      : subject_(subject),
        players_(*subject.players),
        canaries_(canaries),
        plan_(plan),
        control_(control),
        asked_(asked_of(plan.claim, plan.delta0)),
        alpha_(alpha_of(plan.confidence)) {}

  Result<BlackBoxOutcome> run() {
    auto outcome = audit();
    return outcome ? std::move(outcome) : nothing_certified(outcome.error());
  }

 private:
  Result<BlackBoxOutcome> audit() {
    auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_));
    const auto check_alpha = ledger.spend("independence of runs, 2 tests", kCheckShare);
    const bool is_probe = this->is_probe();
    const double steady_share = plan_.runs >= kFewestToBet && !is_probe ? kSteadyShare : 0.0;
    const double second_share = kSecondShare * (is_probe ? plan_.probe_share : 1.0);
    const double look_share = is_probe || subject_.deterministic ? 0.0 : kLookShare;
    main_alpha_ =
        *ledger.spend("right guesses about canaries, " + asked_.main_quantity(),
                      is_probe ? plan_.probe_share - second_share
                               : 1.0 - kCheckShare - second_share - steady_share - look_share);
    second_alpha_ =
        *ledger.spend("the same right guesses, " + asked_.second_quantity(), second_share);
    double steady_alpha = 0.0;
    if (steady_share > 0.0)
      steady_alpha = *spend_on_remark(ledger, "certified runs against time", steady_share);
    if (look_share > 0.0) {
      auto ended = ASSAY_TRY(look(*ledger.spend(kLookPurpose, look_share)));
      if (ended) return std::move(*ended);
    }
    for (const auto& entry : ledger.entries()) {
      outcome_.evidence.ledger.push_back({entry.purpose, entry.alpha});
    }
    if (is_probe) {
      ASSAY_TRY(train_and_count());
      bound_and_decide();
      outcome_.evidence.runs = spent_;
      if (!refuted_) return std::move(outcome_);
    }
    const auto check = [&](const InputTable& input) -> Result<RunChecks> {
      auto checks = ASSAY_TRY(
          check_runs(players_, input, subject_.promises_seeds, *check_alpha, plan_.seed, control_));
      spent_.checks += checks.runs;
      return checks;
    };
    const auto checked = ASSAY_TRY(check(canaries_.zero()));
    auto& found = outcome_.evidence.checks;
    found.insert(found.begin(), checked.checks.begin(), checked.checks.end());
    if (checked.alike && !subject_.deterministic) {
      const auto other = ASSAY_TRY(check(canaries_.one()));
      alike_ = other.alike && other.output != checked.output;
      if (other.alike && !alike_) only_output_ = checked.output;
    }
    if (!is_probe) {
      ASSAY_TRY(train_and_count());
      check_certified(steady_alpha);
      bound_and_decide();
    }
    add_seedings_row(checked);
    outcome_.evidence.runs = spent_;
    describe();
    outcome_.decision = decide_verdict(checked.independent);
    return std::move(outcome_);
  }

  bool is_probe() const { return plan_.probe_share > 0.0; }

  // The pair of inputs that differ in one canary.
  BlackBoxPlan plan_of_pair() const {
    BlackBoxPlan of_pair{plan_.terms()};
    of_pair.pairs.push_back(canaries_.farthest());
    of_pair.pairs_text = plan_.canaries_text;
    return of_pair;
  }

  // If the user interrupted, or the target failed, before the certified runs.
  Result<BlackBoxOutcome> nothing_certified(const Error& why) const {
    auto undecided = ASSAY_TRY(undecided_outcome(players_.shape(), plan_of_pair(), spent_, why));
    auto ended = without_guesses(std::move(undecided), canaries_, plan_);
    if (is_probe()) ended.decision.reset();
    return ended;
  }

  // The outcome if runs on the inputs of one canary never vary; else nothing.
  Result<std::optional<BlackBoxOutcome>> look(double alpha) {
    const BlackBoxPlan of_pair = plan_of_pair();
    const FirstLook looked = look_first(subject_, of_pair, alpha, kMostLooks, control_);
    spent_.checks += looked.runs;
    if (looked.error) return tl::make_unexpected(*looked.error);
    if (!looked.pair) return std::optional<BlackBoxOutcome>();
    return std::optional(
        without_guesses(outcome_of(looked, subject_, of_pair, alpha), canaries_, plan_));
  }

  // Certified runs with a bet on each are divided between two seedings (certify.hpp).
  PlayStream stream_of(const char* purpose, Phase phase) const {
    return {plan_.seed, purpose, 0, phase, phase == Phase::kCertify && divided()};
  }
  bool divided() const { return plan_.runs >= kFewestToBet && is_divided(subject_); }

  // `count` transcripts, each with coins of its own.
  CoinRuns play(std::int64_t count, const char* purpose, Phase phase, std::optional<Error>& error) {
    CoinRuns runs;
    StopPoll stop(control_);
    for (std::int64_t i = 0; i < count && !stop(); ++i) {
      runs.coins.push_back(toss(canaries_.size(), {plan_.seed, hash_purpose("one-run/coins"),
                                                   static_cast<std::uint64_t>(i), 0, phase}));
    }
    const auto input = [&](std::int64_t i) {
      return canaries_.input(runs.coins[static_cast<std::size_t>(i)]);
    };
    const auto all = static_cast<double>(plan_.training + plan_.runs);
    const double before = static_cast<double>(spent_.learning) / all;
    count = static_cast<std::int64_t>(runs.coins.size());
    Runs played =
        players_.play_each(count, input, stream_of(purpose, phase),
                           control_.stage(before, before + static_cast<double>(count) / all));
    failed_ = played.outputs.failed();
    failure_ = plain_text(played.outputs.failure);
    runs.outputs = guessed_from(std::move(played.outputs));
    error = std::move(played.error);
    if (!error && stop.stopped()) error = interruption();
    return runs;
  }

  // The outputs from which a guesser reads. A failed run becomes an output without rounds, or of zeros. So a failure is
  // one symbol, and reveals nothing about single coins.
  OutputBatch guessed_from(OutputBatch outputs) const {
    const OutputLayout layout(players_.shape());
    const auto width = static_cast<std::size_t>(outputs.width);
    for (std::size_t first = 0; first < outputs.values.size(); first += width) {
      const auto output = std::span(outputs.values).subspan(first, width);
      if (!is_failed(output)) continue;
      std::fill(output.begin(), output.end(), 0.0);
      blank_unplayed(layout, output);
    }
    return outputs;
  }

  Status train_and_count() {
    std::optional<Error> error;
    const CoinRuns training = play(plan_.training, "training on canaries", Phase::kPilot, error);
    spent_.learning = training.outputs.count;
    if (error) return tl::make_unexpected(*error);
    const auto guesser =
        CanaryGuesser::learn(players_.shape(), canaries_, training, StopPoll(control_));
    counts_.canaries = plan_.runs * static_cast<std::int64_t>(canaries_.size());
    plan_guesses(guesser, training);
    if (control_.stopped()) return tl::make_unexpected(interruption());
    const CoinRuns fresh = play(plan_.runs, kCertifying, Phase::kCertify, outcome_.target_error);
    spent_.certified = fresh.outputs.count;
    certified_failures_ = failed_;
    guess(guesser, fresh);
    if (subject_.promises_seeds && !outcome_.target_error) play_again(fresh);
    return {};
  }

  // Guesses the coins of the certified runs. Those that an interruption leaves without a guess count as wrong, like
  // those that were not made.
  void guess(const CanaryGuesser& guesser, const CoinRuns& fresh) {
    const auto& ended = outcome_.target_error;
    RunControl control = control_;
    if (ended && ended->code == ErrorCode::kInterrupted) {  // for the runs that were made
      control = {};
      control.give_seconds(kLastGuesses);
    }
    StopPoll stop(control);
    const std::int64_t guesses = std::max<std::int64_t>(1, counts_.guesses / plan_.runs);
    CanaryScores all{canaries_.size(), {}};
    std::vector<Coins> coins;
    for (std::int64_t i = 0; i < fresh.outputs.count && !stop(); ++i) {
      if (only_output_ && digest_of(fresh.outputs.play(i)) != *only_output_) only_output_.reset();
      const auto scores = guesser.scores(cut(fresh.outputs, i, 1), StopPoll(control));
      if (scores.log_odds.empty()) break;
      const std::vector<Coins> of_run = {fresh.coins[static_cast<std::size_t>(i)]};
      by_run_.push_back(right_guesses(scores, of_run, guesses));
      if (run_by_run_) continue;
      all.log_odds.insert(all.log_odds.end(), scores.log_odds.begin(), scores.log_odds.end());
      coins.push_back(of_run.front());
    }
    outcome_.evidence.samples = static_cast<std::int64_t>(by_run_.size());
    if (outcome_.evidence.samples < fresh.outputs.count && !ended) {
      outcome_.target_error = interruption();
    }
    if (!run_by_run_) {
      counts_.correct = right_guesses(all, coins, counts_.guesses);
      return;
    }
    for (const std::int64_t right : by_run_) {
      counts_.correct += right;
      shares_.push_back(static_cast<double>(right) / static_cast<double>(guesses));
    }
    // Missing runs have no right guess.
    shares_.resize(static_cast<std::size_t>(plan_.runs), 0.0);
  }

  static Error interruption() { return {ErrorCode::kInterrupted, "interrupted", "", 0}; }

  // Repeats the first runs in a fresh process.
  void play_again(const CoinRuns& fresh) {
    constexpr std::int64_t kRepeated = 32;
    // Whether they were the same, and how many were made.
    using Repeated = std::pair<bool, std::int64_t>;
    const auto repeat = [&](Target& other, std::size_t) -> Result<Repeated> {
      bool same = true;
      std::int64_t made = 0;
      for (std::int64_t i = 0; same && i < std::min(fresh.outputs.count, kRepeated); ++i) {
        const auto again =
            ASSAY_TRY(play_run(other, canaries_.input(fresh.coins[static_cast<std::size_t>(i)]),
                               stream_of(kCertifying, Phase::kCertify), i));
        ++made;
        same = digest_of(guessed_from(again).play(0)) == digest_of(fresh.outputs.play(i));
      }
      return Repeated(same, made);
    };
    const auto ran = players_.run_fresh(1, control_, repeat);
    outcome_.target_error = ran.error;
    if (outcome_.target_error) return;
    const auto [same, made] = ran.values.front();
    spent_.checks += made;
    outcome_.evidence.checks.push_back(CheckResult::seen(
        "repeated runs",
        same ? "a fresh process answered certified runs in the same way"
             : "a fresh process answered certified runs differently, although the target "
               "promises that seeds decide; the bounds hold all the same",
        same));
  }

  void add_seedings_row(const RunChecks& checked) {
    auto row = check_seedings(players_.first().takes_keys(), checked, seedings_);
    if (!row) return;
    if (is_divided(subject_) && !divided()) {
      row = CheckResult::not_checked(row->name,
                                     "only 30 or more runs are divided between two seedings");
    }
    outcome_.evidence.checks.push_back(std::move(*row));
  }

  // Checks the number of right guesses against time.
  void check_certified(double alpha) {
    if (!(alpha > 0.0) || outcome_.target_error) return;
    CertifiedRuns runs;
    for (const std::int64_t right : by_run_) {
      runs.runs.push_back({true, false});
      runs.scores.push_back(static_cast<double>(right));
    }
    outcome_.evidence.checks.push_back(check_steady(runs, alpha, plan_.seed));
  }

  // Fixes the number of guesses, by the half of the training that fitted no model. Counts run by run if there are
  // enough runs: if they are counted together, a target with memory may reveal by its later outputs which earlier
  // guesses were right, and so which of all are the most confident.
  void plan_guesses(const CanaryGuesser& guesser, const CoinRuns& training) {
    const std::int64_t first = plan_.training / 2;
    OutputBatch half{plan_.training - first, training.outputs.width, {}};
    half.values.assign(training.outputs.values.begin() + first * half.width,
                       training.outputs.values.end());
    const std::vector<Coins> coins(training.coins.begin() + first, training.coins.end());
    const auto scores = guesser.scores(half, StopPoll(control_));
    if (plan_.runs >= kFewestToBet) {
      plan_betting(scores, coins);
      return;
    }
    counts_.guesses =
        choose_guesses(scores, coins, counts_.canaries, [&](const GuessCounts& counts) {
          if (control_.stopped()) return 0.0;
          return asked_.gaussian ? one_run_mu(counts, main_alpha_).value.value
                                 : one_run_epsilon(counts, asked_.delta, main_alpha_).value.value;
        });
  }

  // Prepares betting run by run, with the number of guesses that promises most.
  void plan_betting(const CanaryScores& scores, const std::vector<Coins>& coins) {
    run_by_run_ = true;
    double most = -1.0;
    const auto canaries = static_cast<double>(canaries_.size());
    const double deviates = -normal_quantile(main_alpha_);
    for (double k = canaries; k >= 1.0 && !control_.stopped(); k *= 0.7) {
      const auto guesses = static_cast<std::int64_t>(k);
      double sum = 0.0, square = 0.0;
      for (const std::int64_t right :
           right_guesses_by_run(scores, coins, guesses, StopPoll(control_))) {
        const double share = static_cast<double>(right) / static_cast<double>(guesses);
        sum += share;
        square += share * share;
      }
      const auto runs = static_cast<double>(coins.size());
      const double mean = sum / runs;
      const double variance = std::max(square / runs - mean * mean, 1e-4 / k) + 1e-9;
      const double cautious = mean - kCaution * std::sqrt(variance / runs) -
                              deviates * std::sqrt(variance / static_cast<double>(plan_.runs));
      const double bound =
          bound_from(cautious, static_cast<double>(guesses) / canaries, asked_.gaussian);
      if (!(bound > most)) continue;
      most = bound;
      counts_.guesses = guesses * plan_.runs;
      betting_ = {main_alpha_, plan_.runs, mean, variance};
    }
  }

  double bound_from(double share, double guessed, bool gaussian) const {
    if (!(share > 0.0)) return 0.0;
    return gaussian ? mu_from_share(share, guessed).value.value
                    : epsilon_from_share(share, guessed, asked_.delta).value.value;
  }

  // The lower bound on mu, or on eps at the claim's delta.
  double bound(bool gaussian, double alpha) const {
    if (!run_by_run_) {
      return gaussian ? one_run_mu(counts_, alpha).value.value
                      : one_run_epsilon(counts_, asked_.delta, alpha).value.value;
    }
    const double all = bound_of(shares_, alpha, gaussian);
    if (!divided()) return all;
    return std::min({all, bound_of_seeding(false, gaussian), bound_of_seeding(true, gaussian)});
  }
  double bound_of(const std::vector<double>& shares, double alpha, bool gaussian) const {
    BettingPlan plan = betting_;
    plan.alpha = alpha;
    plan.horizon = static_cast<std::int64_t>(shares.size());
    return bound_from(mean_lower_bound(shares, plan).value.value, guessed(), gaussian);
  }
  // The bound that the runs of one seeding alone certify, with kSeedingAlpha.
  double bound_of_seeding(bool keyed, bool gaussian) const {
    std::vector<double> shares;
    const PlayStream stream = stream_of(kCertifying, Phase::kCertify);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (is_keyed(stream, static_cast<std::int64_t>(i)) == keyed) shares.push_back(shares_[i]);
    }
    return bound_of(shares, kSeedingAlpha, gaussian);
  }
  double guessed() const {
    return static_cast<double>(counts_.guesses) / static_cast<double>(counts_.canaries);
  }

  // The largest mean share of right guesses that the claim allows.
  double largest_allowed_share() const {
    const double claimed = asked_.gaussian ? asked_.mu.value : asked_.epsilon.value;
    double low = 0.5, high = 1.0;  // shares below `low` are allowed
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (bound_from(middle, guessed(), asked_.gaussian) > claimed ? high : low) = middle;
    }
    return high;
  }

  // The p-value of the claim. That of betting is 1/(largest wealth) against the largest share that the claim allows.
  double p_value() const {
    if (!run_by_run_) {
      return asked_.gaussian ? one_run_p_value(counts_, asked_.mu).value.value
                             : one_run_p_value(counts_, asked_.epsilon, asked_.delta).value.value;
    }
    MeanExceedsTest test(largest_allowed_share(), betting_);
    test.observe(shares_);
    return std::min(1.0, portable_exp(-test.max_log_wealth()) * (1.0 + 1e-9));
  }

  ReportedQuantity quantity(QuantityKind kind, double lower, double alpha) const {
    ReportedQuantity q = unbounded(kind, kind == QuantityKind::kMu ? 0.0 : asked_.delta.value);
    q.lower.value = lower;
    if (lower > 0.0) {
      q.lower.evidence = Evidence::kSampling;
      q.lower.how = fmt::format("{} of {} about {} were right, {}alpha = {}",
                                grouped(counts_.correct), guesses_text(), canaries_text(),
                                run_by_run_ ? "by betting run by run, " : "", rounded(alpha, 4));
    }
    return q;
  }

  void bound_and_decide() {
    const auto main = asked_.gaussian ? QuantityKind::kMu : QuantityKind::kEpsilonAtDelta;
    const auto second = asked_.gaussian ? QuantityKind::kEpsilonAtDelta : QuantityKind::kMu;
    const double lower = bound(asked_.gaussian, main_alpha_);
    outcome_.evidence.quantities = {
        quantity(main, lower, main_alpha_),
        quantity(second, bound(!asked_.gaussian, second_alpha_), second_alpha_)};
    p_value_ = p_value();
    if (run_by_run_) {
      const double claimed = asked_.gaussian ? asked_.mu.value : asked_.epsilon.value;
      refuted_ = lower > claimed;
      if (divided()) weigh_seedings(claimed);
    } else {
      refuted_ = asked_.gaussian ? one_run_refutes(counts_, asked_.mu, main_alpha_)
                                 : p_value_ <= main_alpha_;
    }
  }

  void weigh_seedings(double claimed) {
    seedings_ = {bound_of(shares_, main_alpha_, asked_.gaussian) > claimed,
                 bound_of_seeding(false, asked_.gaussian) > claimed,
                 bound_of_seeding(true, asked_.gaussian) > claimed, "", false};
    const PlayStream stream = stream_of(kCertifying, Phase::kCertify);
    std::array<double, 2> runs{}, sum{}, squares{};
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const bool keyed = is_keyed(stream, static_cast<std::int64_t>(i));
      runs[keyed] += 1.0;
      sum[keyed] += shares_[i];
      squares[keyed] += shares_[i] * shares_[i];
    }
    double variance = 0.0;
    for (const bool keyed : {false, true}) {
      sum[keyed] /= runs[keyed];
      variance += (squares[keyed] / runs[keyed] - sum[keyed] * sum[keyed]) / runs[keyed];
    }
    seedings_.compare(sum[0] - sum[1], variance);
    seedings_.counts = fmt::format("{} of the guesses were right without keys, {} with keys",
                                   percent_of(sum[0]), percent_of(sum[1]));
  }
  static std::string percent_of(double share) { return rounded(100.0 * share, 3) + "%"; }

  void describe() {
    outcome_.evidence.method = "one-run";
    outcome_.evidence.samples_planned = plan_.runs;
    outcome_.relation = relation_of(players_.shape(), canaries_.farthest());
    outcome_.view = view_of(players_.shape());
    outcome_.pair = {InputPair::of(canaries_.zero(), {}), plan_.canaries_text};
    outcome_.canaries = CanaryEvidence{counts_.canaries, counts_.guesses, counts_.correct,
                                       plan_.training, p_value_};
    outcome_.evidence.limits = {
        "A black box gives only lower bounds, and one run gives weak ones. A leak that the audit "
        "did not see may show on another input, in a rarer event or to a better guesser.",
        "A canary is one entry of the input that a fair coin sets to one of two values. The bounds "
        "hold for claims about replacing such an entry, however the guesses depend on each other.",
        plan_.runs > 1 && !run_by_run_
            ? "The audit tests the statement that the runs together are as private as claimed in "
              "each of their entries: if a target remembers its inputs, later runs may reveal "
              "earlier ones. The statement applies to a run by itself only if runs share nothing. "
              "The checks above look for what runs share, but cannot find every kind. With 30 runs "
              "or more, each run counts by itself."
            : "The audit tests the statement that every run is as private as claimed, given all "
              "runs before it, even for a target that drifts or remembers. The statement applies "
              "to a run by itself only if runs share no noise. The checks above look for shared "
              "noise, but cannot find every kind."};
  }

  std::string counts_text() const {
    return fmt::format("{} of {} about {} {} right (p-value {} under the claim)",
                       grouped(counts_.correct), guesses_text(), canaries_text(),
                       counts_.guesses == 1 ? "was" : "were", rounded_up(p_value_, 3));
  }
  std::string guesses_text() const {
    return grouped(counts_.guesses) + (counts_.guesses == 1 ? " guess" : " guesses");
  }
  std::string canaries_text() const {
    return grouped(counts_.canaries) + (counts_.canaries == 1 ? " canary" : " canaries");
  }

  Decision decide_verdict(bool independent) {
    if (!independent) {
      drop_bounds();
      outcome_.evidence.dependent = true;
      return {Verdict::kInconclusive, Scope::kThisPair,
              "the runs of the target are not independent of each other, so right guesses prove "
              "nothing"};
    }
    if (alike_) {
      drop_bounds();
      return {Verdict::kInconclusive, Scope::kThisPair, kAlike};
    }
    if (refuted_) {
      return {Verdict::kViolated, Scope::kThisPair,
              "refuted by one-run guessing: " + counts_text()};
    }
    if (seedings_.falls_short()) {
      return {Verdict::kInconclusive, Scope::kThisPair, seedings_.reason()};
    }
    const std::int64_t guessed = outcome_.evidence.samples, played = spent_.certified;
    if (static_cast<double>(certified_failures_) > kOftenFails * static_cast<double>(played)) {
      return {
          Verdict::kInconclusive, Scope::kThisPair,
          fmt::format(
              "the target fails in {} of {} runs; a target that fails so often is probably not the one "
              "that you meant to audit, and a failure is no guess of a coin (--method events "
              "counts failures); it said: {}",
              grouped(certified_failures_), grouped(played), failure_)};
    }
    if (guessed < plan_.runs) {
      return {Verdict::kInconclusive, Scope::kThisPair,
              fmt::format("the run stopped after {} of {} {}, before it decided the claim",
                          grouped(guessed), grouped(plan_.runs), plural(plan_.runs, "run"))};
    }
    add_smallest_visible();
    outcome_.evidence.constant = only_output_.has_value();
    return {Verdict::kNotRefuted, Scope::kThisPair,
            counts_text() + (only_output_ ? "; " + std::string(kConstant) : "")};
  }

  // The counts do not even count as bounds.
  void drop_bounds() {
    for (auto& q : outcome_.evidence.quantities) q.lower = {0.0, Evidence::kNone, ""};
  }

  // Of guesses that are as good as those about randomised response, or about Gaussian noise for a claim in mu: the worst
  // cases of the tests.
  void add_smallest_visible() {
    const double share = run_by_run_ ? visible_share() : visible_accuracy();
    if (!(share < 1.0)) return;
    const double odds = portable_log(share / (1.0 - share));
    const double level = run_by_run_       ? bound_from(share, guessed(), asked_.gaussian)
                         : asked_.gaussian ? 2.0 * normal_quantile(share)
                                           : odds;
    outcome_.evidence.smallest_visible =
        SmallestVisible{level, kPower,
                        asked_.gaussian ? "guesses as good as those about Gaussian noise"
                                        : "guesses as good as those about randomised response"};
  }

  // The probability of a right guess with which the counts refute the claim, with kPower; 1 if there is none.
  double visible_accuracy() const {
    std::int64_t needed = 0, beyond = counts_.guesses + 1;  // first count that refutes
    while (beyond - needed > 1) {
      const std::int64_t middle = needed + (beyond - needed) / 2;
      const GuessCounts counts{counts_.canaries, counts_.guesses, middle};
      const bool refutes =
          asked_.gaussian
              ? one_run_refutes(counts, asked_.mu, main_alpha_)
              : one_run_p_value(counts, asked_.epsilon, asked_.delta).value.value <= main_alpha_;
      (refutes ? beyond : needed) = middle;
    }
    if (beyond > counts_.guesses) return 1.0;  // too few guesses to refute anything
    return clopper_pearson_lower(beyond, counts_.guesses, kPower).value.value;
  }

  // The mean share of right guesses that bets run by run see, from the variance that they were planned with.
  double visible_share() const {
    constexpr double kOfBets = 1.15;  // their deviations, over those of a normal test of the mean
    const auto excess = [&](double alpha, double error, std::int64_t runs) {
      return kOfBets * (normal_ccdf_quantile(alpha) + normal_ccdf_quantile(error)) *
             std::sqrt(betting_.design_variance / static_cast<double>(runs));
    };
    const double error = 1.0 - kPower;
    if (!divided()) return largest_allowed_share() + excess(main_alpha_, error, plan_.runs);
    return largest_allowed_share() + std::max(excess(main_alpha_, 0.5 * error, plan_.runs),
                                              excess(kSeedingAlpha, 0.25 * error, plan_.runs / 2));
  }

  const PlayedSubject& subject_;
  Players& players_;
  const Canaries& canaries_;
  const OneRunPlan& plan_;
  const RunControl& control_;
  Asked asked_;
  double alpha_;
  double main_alpha_ = 0.0, second_alpha_ = 0.0;
  GuessCounts counts_;
  double p_value_ = 1.0;              // of the claim
  bool run_by_run_ = false;           // then with
  BettingPlan betting_;               // this plan
  std::vector<double> shares_;        // of right guesses, of each run
  std::vector<std::int64_t> by_run_;  // right guesses
  bool alike_ = false;  // the runs of one input, for both inputs, without being declared so
  std::optional<std::uint64_t>
      only_output_;  // of all checked runs on both inputs, and of all certified ones
  bool refuted_ = false;
  SeedingEvidence seedings_;                          // on the claim
  std::int64_t failed_ = 0, certified_failures_ = 0;  // of the last runs, and of the certified ones
  std::string failure_;                               // the message of the first failure
  RunsSpent spent_;
  BlackBoxOutcome outcome_;
};

}  // namespace

BlackBoxOutcome without_guesses(BlackBoxOutcome outcome, const Canaries& canaries,
                                const OneRunPlan& plan) {
  outcome.canaries = CanaryEvidence{0, 0, 0, plan.training, 1.0};
  outcome.evidence.method = "one-run";
  outcome.evidence.samples_planned = plan.runs;
  outcome.pair = {InputPair::of(canaries.zero(), {}), plan.canaries_text};
  return outcome;
}

Result<BlackBoxOutcome> audit_one_run(const PlayedSubject& subject, const Canaries& canaries,
                                      const OneRunPlan& plan, const RunControl& control) {
  ASSAY_TRY(check_confidence(plan.confidence));
  ASSAY_TRY(check_whole("samples", plan.runs, 1, 1'000'000));
  ASSAY_TRY(check_whole("training", plan.training, 20, 1'000'000));
  if (!(plan.probe_share >= 0.0 && plan.probe_share <= 0.5)) {
    return fail(ErrorCode::kInvalidArgument, "the share of a pre-screen must lie in [0, 0.5]");
  }
  return OneRunAudit(subject, canaries, plan, control).run();
}

Result<BlackBoxOutcome> audit_one_run(Players& players, bool promises_seeds,
                                      const Canaries& canaries, const OneRunPlan& plan,
                                      const RunControl& control) {
  return audit_one_run(PlayedSubject{&players, promises_seeds, plan.claim}, canaries, plan,
                       control);
}

}  // namespace assay
