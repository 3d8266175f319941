#include "assay/auditors/methods/black_box/black_box_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/boundary_pairs.hpp"
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/event_evidence.hpp"
#include "assay/auditors/methods/black_box/first_look.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/methods/black_box/play_checks.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr double kPower = 0.9;          // of what is said to have been visible
constexpr double kOfBoundaries = 0.15;  // of all plays,
constexpr double kMostAllowed =
    0.7;  // of what a step may differ by: larger claims allow nearly all
constexpr std::size_t kMostBoundaries = 6;  // and pairs

class BlackBoxAudit {
 public:
  BlackBoxAudit(const InputShape& shape, std::span<const PlayedSubject> subjects,
                const BlackBoxPlan& plan, const RunControl& control)
      : shape_(shape),
        subjects_(subjects),
        plan_(plan),
        control_(control),
        asked_(asked_of(subjects.empty() ? plan.claim : subjects.front().claim, plan.delta0)),
        alpha_(alpha_of(plan.confidence)),
        planned_(plan.samples),
        spent_(plan.played) {
    spent_.budget = plan.plays;
  }

  Result<BlackBoxOutcome> run() {
    double main_share = 1.0 - kCheckShare - kSecondShare - kBelowShare - kSteadyShare - kAgainShare;
    for (const auto& earlier : plan_.shares_spent) main_share -= earlier.second;
    if (const Status added = add_boundaries(); !added) {
      if (!out_of_time(added.error())) return tl::make_unexpected(added.error());
      return nothing_certified();
    }
    const std::size_t candidates = candidates_of(subjects_.size(), plan_.pairs.size()).size();
    auto left = plays_left();
    if (left) *left -= key_plays();
    budget_ = ASSAY_TRY(divide_plays(left, given(plan_.samples), candidates));
    if (plan_.samples == 0) planned_ = budget_.samples;
    PlayChecks checked;
    const auto check = [&](Candidate candidate) -> Status {
      const PlayedSubject& of = subjects_[candidate.subject];
      checked = ASSAY_TRY(check_plays(of.players->first(), plan_.pairs[candidate.pair].old_input(),
                                      of.promises_seeds, kCheckShare * alpha_, plan_.seed));
      spent_.checks += checked.plays;
      return {};
    };
    auto chosen =
        choose_event(subjects_, plan_, budget_, main_share * alpha_, check, spent_, control_);
    if (!chosen) {
      if (!out_of_time(chosen.error())) return tl::make_unexpected(chosen.error());
      return nothing_certified();
    }
    chosen_ = std::move(*chosen);
    outcome_.subject = chosen_.candidate.subject;
    asked_ = asked_of(subject().claim, plan_.delta0);
    auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_));
    const auto share = [&](std::string purpose, double fraction) {
      return *ledger.spend(std::move(purpose), fraction);
    };
    for (const auto& [purpose, fraction] : plan_.shares_spent) share(purpose, fraction);
    share("independence of plays, 2 tests", kCheckShare);
    main_alpha_ = share("bets on one event and its score, " + asked_.main_quantity(), main_share);
    below_alpha_ = share("the same below the claim, where it is not refuted", kBelowShare);
    second_alpha_ = share("the same bets, " + asked_.second_quantity(), kSecondShare);
    const double steady_alpha = share("certified plays against time", kSteadyShare);
    const double again_alpha = share("certified plays against a fresh process", kAgainShare);
    outcome_.evidence.checks = checked.checks;
    write_ledger(ledger);
    decide_samples();
    certify();
    if (outcome_.target_error && outcome_.target_error->code == ErrorCode::kRefusedInput) {
      outcome_.target_error->message +=
          "; so nothing is certified: what it refuses must not lie in --domain";
      return tl::make_unexpected(*outcome_.target_error);
    }
    if (auto row = check_seedings(subject().players->first().takes_keys(), checked, seedings_)) {
      outcome_.evidence.checks.push_back(std::move(*row));
    }
    if (plan_.check_certified) {
      check_certified(steady_alpha, again_alpha);
      by_time_ = checked.alike && !steady_ && old_side_gave_more_than(checked.output);
    }
    if (outcome_.target_error && out_of_time(*outcome_.target_error)) {
      outcome_.target_error.reset();
      leave_undone("the time ended");
    }
    describe(checked.independent);
    outcome_.evidence.plays = spent_;
    return std::move(outcome_);
  }

  Result<BlackBoxOutcome> run_recorded(SidePlays plays, std::int64_t changed_row) {
    auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_));
    main_alpha_ =
        *ledger.spend("counts of one event, " + asked_.main_quantity(), 1.0 - kSecondShare);
    second_alpha_ =
        *ledger.spend("counts of the same event, " + asked_.second_quantity(), kSecondShare);
    write_ledger(ledger);
    keep_view(shape_, changed_row, plan_, plays.old_side);
    keep_view(shape_, changed_row, plan_, plays.new_side);
    // The sides may have different numbers of plays; as many of each are learnt from.
    const std::int64_t least = std::min(plays.old_side.count, plays.new_side.count);
    const std::int64_t learning = least / 3;
    chosen_.event = ASSAY_TRY(choose_event({shape_, changed_row}, cut(plays, 0, learning), asked_,
                                           main_alpha_, least - learning, control_));
    const auto rest = [&](const OutputBatch& batch) {
      const OutputBatch counted = cut(batch, learning, batch.count - learning);
      return ScoredPlays(counted, control_).scores(score());
    };
    const auto old_scores = rest(plays.old_side), new_scores = rest(plays.new_side);
    counts_ = count_event(event(), old_scores, new_scores);
    keep_event(old_scores, new_scores);
    bound_exactly(main_alpha_, second_alpha_);
    outcome_.evidence.samples = std::min(counts_.n, counts_.m);
    planned_ = outcome_.evidence.samples;
    outcome_.evidence.checks.push_back(CheckResult::not_checked(
        "two seedings", "the runs are recorded: how their generators were seeded is not known"));
    describe(true);
    return std::move(outcome_);
  }

 private:
  const PlayedSubject& subject() const { return subjects_[chosen_.candidate.subject]; }
  const InputPair& inputs() const { return plan_.pairs[chosen_.candidate.pair]; }
  const OutputScore& score() const { return *chosen_.event.found.score; }
  const SelectedEvent& event() const { return chosen_.event.found.selected; }
  const ScoreClasses& classes() const { return chosen_.event.found.classes; }
  CertifiedEvent certified_event() const { return {&score(), event(), classes().cuts}; }
  bool recorded() const { return subjects_.empty(); }
  static std::optional<std::int64_t> given(std::int64_t samples) {
    return samples > 0 ? std::optional(samples) : std::nullopt;
  }
  Status add_boundaries() {
    if (!plan_.boundaries || subjects_.size() > 1) return {};
    const auto all = static_cast<double>(plays_left().value_or(4 * plan_.samples));
    auto found =
        ASSAY_TRY(boundary_pairs(*subjects_.front().players, plan_.seed, kMostBoundaries,
                                 static_cast<std::int64_t>(kOfBoundaries * all),
                                 std::min(kMostAllowed, allowed_variation(asked_)), control_));
    for (auto& pair : plan_.pairs) {
      const auto known = std::find(found.pairs.begin(), found.pairs.end(), pair);
      if (known == found.pairs.end()) found.pairs.push_back(std::move(pair));
    }
    plan_.pairs = std::move(found.pairs);
    spent_.search += found.plays;
    return {};
  }

  std::optional<std::int64_t> plays_left() const {
    return plan_.plays ? std::optional(*plan_.plays - spent_.all()) : std::nullopt;
  }
  // Of an error: it is the clock's, which is nobody's fault.
  bool out_of_time(const Error& error) const {
    return plan_.is_timed() && error.code == ErrorCode::kInterrupted && control_.out_of_time() &&
           !control_.interrupted();
  }
  void leave_undone(const std::string& what) {
    spent_.left_undone += (spent_.left_undone.empty() ? "" : "; ") + what;
  }

  // How many plays a side are certified: of a budget for everything, as many as the event needs and the
  // rest allows; with a clock, as many as it has time for, as far as that can be told.
  void decide_samples() {
    if (plan_.samples == 0) {
      const std::int64_t rest = *plays_left() - kCheckPlays - key_plays() + checks_played();
      plan_.samples = std::max(kFewestCertified, rest / 2);
      if (!asked_.gaussian) {
        plan_.samples = samples_needed(event(), asked_.delta.value, asked_.epsilon.value,
                                       main_alpha_, plan_.samples);
      }
    }
    if (control_.deadline && plan_.is_timed()) {
      constexpr double kKept = 0.8;  // of the time: for the checks, and for plays that take longer
      const double pace = plan_.seconds_a_play / std::max(1, control_.threads);
      const double affordable = 0.5 * kKept * control_.seconds_left() / pace;
      if (affordable < static_cast<double>(plan_.samples)) {
        plan_.samples = std::max(kFewestCertified, static_cast<std::int64_t>(affordable));
        leave_undone("fewer plays were certified than planned");
      }
    }
    planned_ = plan_.samples;
  }
  std::int64_t key_plays() const {
    return !recorded() && is_divided(subjects_.front()) ? kKeyPlays : 0;
  }
  std::int64_t checks_played() const { return spent_.checks - plan_.played.checks; }

  // The time ended before there was an event.
  BlackBoxOutcome nothing_certified() {
    auto& evidence = outcome_.evidence;
    evidence.method = "events";
    evidence.samples_planned = planned_;
    leave_undone("the time ended before anything could be certified");
    evidence.plays = spent_;
    outcome_.view = view_of(shape_);
    outcome_.relation = relation_of(shape_, plan_.pairs.front());
    outcome_.pair.inputs = plan_.pairs.front();
    outcome_.pair.found_by = "the first of those to be searched";
    outcome_.decision = Decision{Verdict::kInconclusive, Scope::kThisPair,
                                 "the time ended before anything could be certified"};
    return std::move(outcome_);
  }

  void write_ledger(const AlphaLedger& ledger) {
    for (const auto& entry : ledger.entries()) {
      outcome_.evidence.ledger.push_back({entry.purpose, entry.alpha});
    }
  }

  void certify() {
    std::function<bool(const CertifiedPlays&)> enough;
    if (plan_.stop_when_decided)
      enough = [&](const CertifiedPlays& plays) { return decided(plays); };
    certified_ =
        play_certified(subject(), plan_, chosen_.candidate, certified_event(), control_, enough);
    outcome_.target_error = certified_.error;
    counts_ = certified_.counts();
    spent_.certified = static_cast<std::int64_t>(certified_.plays.size());
    outcome_.evidence.samples = (counts_.n + counts_.m) / 2;
    const bool new_is_p = event().orientation == EventOrientation::kNewAboveOld;
    bool& alike = chosen_.alike;
    for (std::size_t i = 0; alike && i < certified_.plays.size(); ++i) {
      alike = certified_.digests[i] ==
              chosen_.only_output[certified_.plays[i].on_p == new_is_p ? 1 : 0];
    }
    keep_failures(new_is_p);
    bound_by_betting();
    keep_e_process();
    std::vector<double> old_scores, new_scores;
    for (std::size_t i = 0; i < certified_.plays.size(); ++i) {
      (certified_.plays[i].on_p == new_is_p ? new_scores : old_scores)
          .push_back(certified_.scores[i]);
    }
    keep_event(old_scores, new_scores);
  }

  // What these runs say of the claim to later audits.
  void keep_e_process() {
    const auto wealth_of = [&](const EventCounts& counts) {
      return bet_on(bound_of(asked_.gaussian, main_alpha_).claim(claimed()), event().p, event().q,
                    counts);
    };
    auto& e_process = outcome_.evidence.e_process.emplace();
    e_process.all = wealth_of(counts_);
    if (!divided()) return;
    e_process.of_seedings = {wealth_of(certified_.of_seeding(false).counts()),
                             wealth_of(certified_.of_seeding(true).counts())};
  }

  void keep_failures(bool new_is_p) {
    const auto failed = certified_.failures();
    if (failed[0] + failed[1] == 0) return;
    FailureEvidence found{failed[0], counts_.n, failed[1], counts_.m,
                          plain_text(certified_.failure)};
    if (new_is_p) {
      std::swap(found.old_failed, found.new_failed);
      std::swap(found.old_runs, found.new_runs);
    }
    outcome_.evidence.failures = std::move(found);
  }

  void keep_event(const std::vector<double>& old_scores, const std::vector<double>& new_scores) {
    outcome_.evidence.event =
        event_evidence(fmt::format("{} ({} scores compared)", score().name(), chosen_.event.scores),
                       event().event, old_scores, new_scores);
    outcome_.evidence.event->event =
        score().words(event().event, outcome_.evidence.failures.has_value());
  }

  void check_certified(double steady_alpha, double again_alpha) {
    if (certified_.plays.empty()) return;
    auto& checks = outcome_.evidence.checks;
    checks.push_back(check_steady(certified_, steady_alpha, plan_.seed));
    steady_ = checks.back().passed;
    if (outcome_.target_error) return;
    const auto which = plays_to_repeat(static_cast<std::int64_t>(certified_.plays.size()));
    const auto again = play_again(subject(), plan_, chosen_.candidate, certified_event(), which);
    if (!again) {
      outcome_.target_error = again.error();
      return;
    }
    spent_.checks += static_cast<std::int64_t>(which.size());
    checks.push_back(
        check_again(certified_, which, *again, subject().promises_seeds, again_alpha, plan_.seed));
  }

  bool old_side_gave_more_than(std::uint64_t output) const {
    const bool old_is_p = event().orientation != EventOrientation::kNewAboveOld;
    for (std::size_t i = 0; i < certified_.plays.size(); ++i) {
      if (certified_.plays[i].on_p == old_is_p && certified_.digests[i] != output) return true;
    }
    return false;
  }

  // Whether the plays so far refute the claim, or show that the event will not.
  bool decided(const CertifiedPlays& plays) {
    if (!bets_) {
      const BoundPlan bound = bound_of(asked_.gaussian, main_alpha_);
      bets_.emplace(bound, claimed());
      visible_at_ = claimed() + plan_.margin;
      SideBettingPlan other = bound.bets();
      other.alpha = 1.0 - kPower;
      other.online_share = 1.0;
      other.against_more = true;
      futility_.emplace(leaks_visibly(), other);
    }
    for (; watched_ < plays.plays.size(); ++watched_) {
      bets_->observe(plays.plays[watched_]);
      futility_->observe(plays.plays[watched_]);
      if (!plays.plays[watched_].on_p) {
        ++watched_of_q_[0];
        if (plays.plays[watched_].hit) ++watched_of_q_[1];
      }
    }
    return bets_->certified() || is_futile();
  }

  // What an event that leaks visible_at_ does on every play. Of a claim in mu: one that is as likely on the
  // other side as it was when it was learnt, within four standard errors.
  SideClaim leaks_visibly() {
    if (!asked_.gaussian) {
      return SideClaim::approximate(Epsilon{visible_at_}, asked_.delta);
    }
    constexpr double kErrors = 4.0, kFewestLearnt = 100.0;
    const auto& counted = classes().counts.q;
    const double runs =
        std::max(kFewestLearnt, std::accumulate(counted.begin(), counted.end(), 0.0));
    const double q = event().q;
    const double width = kErrors * std::sqrt(q * (1.0 - q) / runs) + kErrors / runs;
    usual_q_ = {std::clamp(q - width, 0.0, 1.0 - width), std::min(q + width, 1.0)};
    return SideClaim::gaussian_from_below(Mu{visible_at_}, usual_q_[0], usual_q_[1]);
  }
  bool is_futile() const {
    if (!futility_ || !futility_->certified()) return false;
    const double q = static_cast<double>(watched_of_q_[1]) /
                     static_cast<double>(std::max<std::int64_t>(watched_of_q_[0], 1));
    return !asked_.gaussian || (q >= usual_q_[0] && q <= usual_q_[1]);
  }

  double claimed() const { return asked_.gaussian ? asked_.mu.value : asked_.epsilon.value; }

  BoundPlan bound_of(bool gaussian, double alpha) const {
    // The event's frequencies in the part that compared the scores.
    return {gaussian,
            asked_.delta,
            event().p,
            event().q,
            plan_.samples,
            alpha,
            plan_.stop_when_decided ? 0.5 : 0.1,
            classes().counts.size() > 1 ? &classes().counts : nullptr,
            divided()};
  }
  bool divided() const { return !recorded() && is_divided(subject()); }

  ReportedQuantity quantity(QuantityKind kind, double at, double lower,
                            const std::string& how) const {
    ReportedQuantity q;
    q.kind = kind;
    q.at = at;
    q.lower = {lower, lower > 0.0 ? Evidence::kSampling : Evidence::kNone, lower > 0.0 ? how : ""};
    q.upper = {HUGE_VAL, Evidence::kNone, ""};
    return q;
  }

  std::string how(const char* test, double alpha) const {
    return fmt::format("{} on {} plays a side, alpha = {}", test, grouped(counts_.n),
                       rounded(alpha, 4));
  }

  std::string how_bet(double alpha) const {
    return fmt::format(
        "bets on one event and classes of its score, {} plays in random order, alpha = {}{}",
        grouped(counts_.n + counts_.m), rounded(alpha, 4),
        divided() ? fmt::format(", and {} on those of either seeding", rounded(kSeedingAlpha, 4))
                  : "");
  }

  void bound_exactly(double main_alpha, double second_alpha) {
    const auto main = ExactTest::create(counts_, main_alpha);
    const auto second = ExactTest::create(counts_, second_alpha);
    if (!main || !second) return;
    auto& quantities = outcome_.evidence.quantities;
    const double delta = asked_.delta.value;
    const auto eps_of = [&](const ExactTest& test, double alpha) {
      return quantity(QuantityKind::kEpsilonAtDelta, delta,
                      test.epsilon_lower_bound(asked_.delta).value.value,
                      how("exact test of one event", alpha));
    };
    const auto mu_of = [&](const ExactTest& test, double alpha) {
      return quantity(QuantityKind::kMu, 0.0, test.mu_lower_bound().value.value,
                      how("exact test of one event", alpha));
    };
    if (asked_.gaussian) {
      quantities = {mu_of(*main, main_alpha), eps_of(*second, second_alpha)};
      refuted_ = main->refutes(asked_.mu);
    } else {
      quantities = {eps_of(*main, main_alpha), mu_of(*second, second_alpha)};
      refuted_ = main->refutes(asked_.epsilon, asked_.delta);
    }
  }

  void bound_by_betting() {
    const BoundPlan main = bound_of(asked_.gaussian, main_alpha_);
    weigh_claim(main);
    BoundPlan used = main;
    if (!refuted_) used.alpha = below_alpha_;
    std::vector<double> levels;
    for (const double level : levels_of(used)) {
      if (refuted_ ? level > claimed() : level < claimed()) levels.push_back(level);
    }
    double lower = certified_level(used, levels, certified_.plays);
    if (refuted_) lower = std::max(lower, claimed());
    const BoundPlan second = bound_of(!asked_.gaussian, second_alpha_);
    const double other = certified_level(second, levels_of(second), certified_.plays);
    const auto of = [&](bool gaussian, double bound, double alpha) {
      return gaussian ? quantity(QuantityKind::kMu, 0.0, bound, how_bet(alpha))
                      : quantity(QuantityKind::kEpsilonAtDelta, asked_.delta.value, bound,
                                 how_bet(alpha));
    };
    outcome_.evidence.quantities = {of(asked_.gaussian, lower, used.alpha),
                                    of(!asked_.gaussian, other, second_alpha_)};
  }

  // The claim against the certified runs, of all and of either seeding.
  void weigh_claim(const BoundPlan& bound) {
    LevelTest test(bound, claimed());
    for (const SidePlay& play : certified_.plays) {
      if (test.certified()) break;
      test.observe(play);
    }
    refuted_ = test.certified();
    seedings_ = {test.certified_by_all(), test.certified_by(false), test.certified_by(true), "",
                 false};
    if (!seedings_.falls_short()) return;
    const SideClaim claim = bound.claim(claimed());
    std::array<double, 2> excess{}, variance{};
    std::string texts[2];
    for (const bool keyed : {false, true}) {
      const EventCounts seen = certified_.of_seeding(keyed).counts();
      const auto n = static_cast<double>(seen.n + 1), m = static_cast<double>(seen.m + 1);
      const double p = (static_cast<double>(seen.x) + 0.5) / n;
      const double q = (static_cast<double>(seen.y) + 0.5) / m;
      excess[keyed] = p - claim.slope * q;
      variance[keyed] = p * (1.0 - p) / n + claim.slope * claim.slope * q * (1.0 - q) / m;
      texts[keyed] =
          fmt::format("{} keys the event came in {} of {} runs on one input, {} of {} on the other",
                      keyed ? "with" : "without", grouped(seen.x), grouped(seen.n), grouped(seen.y),
                      grouped(seen.m));
    }
    seedings_.compare(excess[0] - excess[1], variance[0] + variance[1]);
    seedings_.counts = texts[0] + "; " + texts[1];
  }

  std::string event_text() const {
    const EventEvidence& seen = *outcome_.evidence.event;
    return fmt::format("seen in {} of {} plays on the old input, {} of {} on the new",
                       grouped(seen.old_hits), grouped(seen.old_plays), grouped(seen.new_hits),
                       grouped(seen.new_plays));
  }

  void describe_pair() {
    WorstPair& pair = outcome_.pair;
    pair.inputs = inputs();
    pair.found_by = plan_.pairs_text;
    if (chosen_.searched > 1 || chosen_.settled) {
      pair.found_by += fmt::format(", {} {}{} by successive halving", chosen_.searched,
                                   plural(static_cast<std::int64_t>(chosen_.searched), "pair"),
                                   subjects_.size() == 1 ? "" : " of inputs and settings");
      if (chosen_.refined > 0) {
        pair.found_by += fmt::format(", {} of them around the best", chosen_.refined);
      }
      if (chosen_.settled) pair.found_by += ", ended by a pair that leaks obviously";
    }
    pair.shape = shape_;
    const bool moved = inputs().old_row().size() == inputs().new_row().size();
    pair.shows_both = inputs().differing() > 1 || !moved;
    if (!moved) pair.found_by += "; one value more or fewer";
  }

  Decision decide_verdict(bool independent) {
    if (!independent) {
      drop_bounds();
      return {Verdict::kInconclusive, Scope::kThisPair,
              "the plays of the target are not independent of each other, so counts of them prove "
              "nothing"};
    }
    if (chosen_.alike && !subject().deterministic) {
      drop_bounds();
      const double p_value = never_varies_p_value(asked_, spent_.certified);
      if (!(p_value <= plan_.still_alpha))
        return {Verdict::kInconclusive, Scope::kThisPair, kAlike};
      add_no_noise(p_value, plan_.still_alpha, outcome_.evidence);
      return {Verdict::kInconclusive, Scope::kThisPair,
              no_noise_text(spent_.certified, subject().promises_seeds)};
    }
    if (refuted_ && by_time_) {
      drop_bounds();
      return {Verdict::kInconclusive, Scope::kThisPair, kByTime};
    }
    if (refuted_) {
      return {Verdict::kViolated, Scope::kThisPair,
              (recorded() ? "refuted by the counts of one event, "
                          : "refuted by bets on one event and its score, ") +
                  event_text()};
    }
    if (seedings_.falls_short()) {
      return {Verdict::kInconclusive, Scope::kThisPair, seedings_.reason()};
    }
    for (const FailureEvidence& failures :
         {outcome_.evidence.failures.value_or(FailureEvidence{}), all_failures()}) {
      if (!fails_often(failures)) continue;
      return {Verdict::kInconclusive, Scope::kThisPair, often_text(failures)};
    }
    if (is_futile()) {
      return {Verdict::kNotRefuted, Scope::kThisPair, say_futile()};
    }
    const std::int64_t played = outcome_.evidence.samples;
    if (played < planned_) {
      return {Verdict::kInconclusive, Scope::kThisPair,
              fmt::format("{} after {} of {} plays a side, before the claim was decided",
                          control_.out_of_time() ? "the time ended" : "stopped", grouped(played),
                          grouped(planned_))};
    }
    add_smallest_visible();
    const auto& visible = outcome_.evidence.smallest_visible;
    return {Verdict::kNotRefuted, Scope::kThisPair,
            visible ? visible->statement : "the best event found does not refute the claim"};
  }

  // Of the search, too.
  FailureEvidence all_failures() const {
    FailureEvidence all = chosen_.failures;
    const auto& certified = outcome_.evidence.failures;
    all.old_runs += certified ? certified->old_runs : outcome_.evidence.samples;
    all.new_runs += certified ? certified->new_runs : outcome_.evidence.samples;
    if (!certified) return all;
    all.old_failed += certified->old_failed;
    all.new_failed += certified->new_failed;
    all.said = certified->said;
    return all;
  }
  // On both sides, so that what it does otherwise was hardly looked at.
  static bool fails_often(const FailureEvidence& found) {
    return static_cast<double>(found.old_failed) >
               kOftenFails * static_cast<double>(found.old_runs) &&
           static_cast<double>(found.new_failed) >
               kOftenFails * static_cast<double>(found.new_runs);
  }
  static std::string often_text(const FailureEvidence& found) {
    return fmt::format(
        "the target fails in {} of {} runs on the old input and in {} of {} on the new: what fails so often is "
        "not what was meant to be audited; it said: {}",
        grouped(found.old_failed), grouped(found.old_runs), grouped(found.new_failed),
        grouped(found.new_runs), found.said);
  }

  // Not even as bounds.
  void drop_bounds() {
    for (auto& q : outcome_.evidence.quantities) q.lower = {0.0, Evidence::kNone, ""};
    outcome_.evidence.event.reset();
    if (auto& e_process = outcome_.evidence.e_process) e_process->all.logs.fill(-HUGE_VAL);
  }

  std::string say_futile() {
    outcome_.evidence.smallest_visible = SmallestVisible{
        visible_at_, kPower,
        fmt::format("stopped: had this event leaked {}, the run would have gone on with "
                    "probability {}; other events and inputs may leak more",
                    leak_text(visible_at_), kPower)};
    return outcome_.evidence.smallest_visible->statement;
  }

  // A level in the units of the claim.
  std::string leak_text(double level) const {
    if (asked_.gaussian) return "mu = " + rounded_up(level, 4);
    return fmt::format("eps = {} at delta = {}", rounded_up(level, 4),
                       rounded(asked_.delta.value, 6));
  }

  // In the units of the claim, for an event as likely as the one that was counted.
  void add_smallest_visible() {
    if (!plan_.say_visible || (recorded() && asked_.gaussian)) return;
    const double q = std::clamp(event().q, 1.0 / static_cast<double>(planned_), 0.5);
    const double visible = recorded()
                               ? smallest_visible_epsilon(asked_.epsilon, asked_.delta, q,
                                                          counts_.n, counts_.m, main_alpha_, kPower)
                                     .value
                               : visible_by_bets(q);
    if (!std::isfinite(visible)) return;
    outcome_.evidence.smallest_visible = SmallestVisible{
        visible, kPower,
        fmt::format("this run would have seen {} on such an event, with probability {}; other "
                    "events and inputs may leak more",
                    leak_text(visible), kPower)};
  }
  // Of runs that are divided: by all of them and by those of either seeding, each with half of the error.
  double visible_by_bets(double q) const {
    const BoundPlan bound = bound_of(asked_.gaussian, main_alpha_);
    if (!bound.divided) return visible_by_bets(bound.bets(), q, kPower);
    const double error = 0.5 * (1.0 - kPower);
    return std::max(visible_by_bets(bound.bets(), q, 1.0 - error),
                    visible_by_bets(bound.of_one_seeding().bets(), q, 1.0 - 0.5 * error));
  }
  double visible_by_bets(const SideBettingPlan& bets, double q, double power) const {
    return asked_.gaussian
               ? smallest_visible_mu(asked_.mu, q, bets, power, plan_.seed).value
               : smallest_visible_epsilon(asked_.epsilon, asked_.delta, q, bets, power, plan_.seed)
                     .value;
  }

  void describe(bool independent) {
    auto& evidence = outcome_.evidence;
    outcome_.view = view_of(shape_);
    evidence.method = "events";
    evidence.samples_planned = planned_;
    if (!recorded()) {
      outcome_.relation = relation_of(shape_, inputs());
      describe_pair();
    }
    outcome_.decision = decide_verdict(independent);
    evidence.limits = {
        "A black box gives lower bounds only: what was not seen to leak may leak on another input, "
        "or in another event.",
        !recorded()
            ? "What is refuted is that every play is as private as claimed given all plays before "
              "it, for a target that drifts or remembers as well; that plays by themselves are "
              "meant takes plays that share no noise, which the checks above look for, not for "
              "every kind."
            : "The bounds hold if the recorded plays are independent of each other, which cannot "
              "be seen from them."};
    if (chosen_.alike && subject().deterministic) {
      evidence.limits.push_back(
          "The target is declared deterministic: that its plays are alike is "
          "not held against them.");
    }
    if (const auto all = all_failures(); !evidence.failures && !all.said.empty()) {
      evidence.limits.push_back(fmt::format(
          "No certified run failed, but {} of all {} did, on this pair or another; the first said: {}",
          grouped(all.old_failed + all.new_failed), grouped(all.old_runs + all.new_runs),
          all.said));
    }
    if (plan_.output_grid > 0.0) {
      evidence.limits.push_back(
          fmt::format("Outputs were rounded to multiples of {} before they were looked at: what "
                      "their lower bits tell is not in these bounds.",
                      number_text(plan_.output_grid)));
    }
  }

  InputShape shape_;
  std::span<const PlayedSubject> subjects_;  // none for recorded plays
  BlackBoxPlan plan_;                        // with what was added on the way
  const RunControl& control_;
  Asked asked_;
  double alpha_;
  std::int64_t planned_;  // certified plays a side
  PlaysSpent spent_;
  PlayBudget budget_;
  ChosenEvent chosen_;
  double main_alpha_ = 0.0, below_alpha_ = 0.0, second_alpha_ = 0.0;
  CertifiedPlays certified_;
  std::optional<LevelTest> bets_;
  std::optional<SideBettingTest> futility_;
  double visible_at_ = 0.0;                  // of the futility, in the units of the claim
  std::array<double, 2> usual_q_{0.0, 1.0};  // of a claim in mu
  std::array<std::int64_t, 2>
      watched_of_q_{};       // plays on the side that the event is rarer on, and hits
  std::size_t watched_ = 0;  // plays that both have seen
  EventCounts counts_;
  bool refuted_ = false;
  SeedingEvidence seedings_;  // about the claim
  bool steady_ = true;
  bool by_time_ = false;  // plays that came together were alike, and later ones were not
  BlackBoxOutcome outcome_;
};

constexpr double kLargestEpsilon = 500.0;  // e^eps has to be a number, with the margin

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

// What playing needs beside.
Status check_played(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan) {
  if (subjects.empty()) return fail(ErrorCode::kInvalidArgument, "nothing to audit");
  if (plan.plays) ASSAY_TRY(check_whole("plays", *plan.plays, kFewestInAll, 4'000'000'000));
  if (!plan.plays || plan.samples != 0) {
    ASSAY_TRY(check_whole("samples", plan.samples, kFewestCertified, 1'000'000'000));
  }
  if (!(plan.margin > 0.0 && plan.margin <= 100.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "margin must be above 0 and at most 100, not " + number_text(plan.margin),
                "/margin");
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
    for (const InputTable& input : {pair.old_input(), pair.new_input()}) {
      ASSAY_TRY(check_input(shape, input));
    }
  }
  return {};
}

}  // namespace

Result<BlackBoxOutcome> audit_recorded(const InputShape& shape, const OutputBatch& old_plays,
                                       const OutputBatch& new_plays, std::int64_t changed_row,
                                       const BlackBoxPlan& plan) {
  ASSAY_TRY(check_plan(plan));
  constexpr std::int64_t kFewest = 100;
  if (std::min(old_plays.count, new_plays.count) < kFewest) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("each side needs at least {} plays, not {} and {}", kFewest,
                            old_plays.count, new_plays.count));
  }
  const RunControl alone;
  return BlackBoxAudit(shape, {}, plan, alone).run_recorded({old_plays, new_plays}, changed_row);
}

Result<BlackBoxOutcome> audit_black_box(std::span<const PlayedSubject> subjects,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  ASSAY_TRY(check_plan(plan));
  ASSAY_TRY(check_played(subjects, plan));
  return BlackBoxAudit(subjects.front().players->shape(), subjects, plan, control).run();
}

Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  const PlayedSubject subject{&players, promises_seeds, plan.claim};
  return audit_black_box(std::span(&subject, 1), plan, control);
}

}  // namespace assay
