#include "assay/auditors/methods/black_box/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/methods/black_box/play_checks.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/report/rounding.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"

namespace assay {
namespace {

constexpr double kPower = 0.9;  // of what is said to have been visible

class BlackBoxAudit {
 public:
  BlackBoxAudit(const TargetShape& shape, std::span<const AuditSubject> subjects,
                const BlackBoxPlan& plan, const RunControl& control)
      : shape_(shape),
        subjects_(subjects),
        plan_(plan),
        control_(control),
        claim_(subjects.empty() ? plan.claim : subjects.front().claim),
        asked_(asked_of(claim_, plan.delta0)),
        alpha_(std::round((1.0 - plan.confidence) * 1e15) / 1e15),
        planned_(plan.samples) {}

  Result<BlackBoxOutcome> run() {
    const auto chosen = search_pairs(subjects_, plan_, alpha_, control_);
    if (!chosen) return tl::make_unexpected(chosen.error());
    chosen_ = *chosen;
    outcome_.subject = chosen_.subject;
    claim_ = subject().claim;
    asked_ = asked_of(claim_, plan_.delta0);
    auto ledger = AlphaLedger::create(alpha_);
    if (!ledger) return tl::make_unexpected(ledger.error());
    const auto check_alpha = ledger->spend("independence of plays, 2 tests", kCheckShare);
    const auto main_alpha = ledger->spend("counts of one event, " + asked_.main_quantity(),
                                          1.0 - kCheckShare - kSecondShare);
    const auto second_alpha =
        ledger->spend("counts of the same event, " + asked_.second_quantity(), kSecondShare);
    const auto checked =
        check_plays(subject().players->first(), plan_.pairs[chosen_.pair].old_input,
                    subject().promises_seeds, *check_alpha, plan_.seed);
    if (!checked) return tl::make_unexpected(checked.error());
    outcome_.report.checks = checked->checks;
    write_ledger(*ledger);
    if (const auto status = learn(*main_alpha); !status) {
      return tl::make_unexpected(status.error());
    }
    certify(*main_alpha, *second_alpha);
    describe(checked->independent);
    return std::move(outcome_);
  }

  Result<AuditReport> run_recorded(SidePlays plays, std::int64_t changed_row) {
    auto ledger = AlphaLedger::create(alpha_);
    if (!ledger) return tl::make_unexpected(ledger.error());
    const auto main_alpha =
        ledger->spend("counts of one event, " + asked_.main_quantity(), 1.0 - kSecondShare);
    const auto second_alpha =
        ledger->spend("counts of the same event, " + asked_.second_quantity(), kSecondShare);
    write_ledger(*ledger);
    keep_view(shape_, changed_row, plan_, plays.old_side);
    keep_view(shape_, changed_row, plan_, plays.new_side);
    // The sides may have different numbers of plays; as many of each are learnt from.
    const std::int64_t least = std::min(plays.old_side.count, plays.new_side.count);
    const std::int64_t learning = least / 3;
    changed_row_ = changed_row;
    choose_event(cut(plays, 0, learning), *main_alpha, least - learning);
    const auto rest = [&](const OutputBatch& batch) {
      return scores_of(*learnt_.score, cut(batch, learning, batch.count - learning));
    };
    counts_ = count_event(event_, rest(plays.old_side), rest(plays.new_side));
    bound_exactly(*main_alpha, *second_alpha);
    outcome_.report.samples = std::min(counts_.n, counts_.m);
    planned_ = outcome_.report.samples;
    describe(true);
    return std::move(outcome_.report);
  }

 private:
  const AuditSubject& subject() const { return subjects_[chosen_.subject]; }
  bool recorded() const { return subjects_.empty(); }

  void write_ledger(const AlphaLedger& ledger) {
    for (const auto& entry : ledger.entries()) {
      outcome_.report.ledger.push_back({entry.purpose, entry.alpha});
    }
  }

  Status learn(double alpha) {
    const std::int64_t count = std::max<std::int64_t>(plan_.samples / 3, 4 * kPlayChunk);
    auto plays = play_both(subject(), plan_, chosen_, 2 * count, "learning a score", Phase::kPilot,
                           control_);
    if (!plays) return tl::make_unexpected(plays.error());
    changed_row_ = plan_.pairs[chosen_.pair].row;
    choose_event(*plays, alpha, plan_.samples);
    return {};
  }

  // Score and event; the event is chosen on the half that compared the scores.
  void choose_event(const SidePlays& plays, double alpha, std::int64_t runs_left) {
    learnt_ = learn_on_halves(shape_, changed_row_, plays, asked_, alpha, runs_left);
    event_ = learnt_.event;
  }

  void certify(double main_alpha, double second_alpha) {
    constexpr std::int64_t step = 8 * kPlayChunk;
    std::int64_t done = 0;
    RunControl quiet = control_;
    quiet.progress = nullptr;
    while (done < plan_.samples && !outcome_.target_error) {
      done = play_step(done, std::min(step, plan_.samples - done), quiet);
      control_.report("certifying", static_cast<double>(done) / static_cast<double>(plan_.samples));
      if (plan_.stop_when_decided && decided(main_alpha)) break;
    }
    old_scores_.resize(static_cast<std::size_t>(done));
    new_scores_.resize(static_cast<std::size_t>(done));
    outcome_.report.samples = done;
    counts_ = count_event(event_, old_scores_, new_scores_);
    // A sample size that the data chose needs the test that allows it.
    const bool fixed = done == plan_.samples && !plan_.stop_when_decided;
    if (fixed) {
      bound_exactly(main_alpha, second_alpha);
    } else {
      bound_by_betting(main_alpha);
    }
  }

  // Both sides in step, so that what is left after a failure is pairs. Returns how many there are.
  std::int64_t play_step(std::int64_t done, std::int64_t count, const RunControl& control) {
    std::vector<double>* scores[] = {&old_scores_, &new_scores_};
    for (int side = 0; side < 2; ++side) {
      const Plays plays = play_side(subject(), plan_, chosen_, side, count,
                                    "certify/" + std::to_string(done), Phase::kCertify, control);
      const auto some = scores_of(*learnt_.score, plays.outputs);
      scores[side]->insert(scores[side]->end(), some.begin(), some.end());
      if (plays.error && !outcome_.target_error) outcome_.target_error = plays.error;
    }
    return static_cast<std::int64_t>(std::min(old_scores_.size(), new_scores_.size()));
  }

  // Whether the pairs so far refute the claim, or show that the event will not.
  bool decided(double alpha) {
    if (!bets_) {
      const PairBettingPlan bets{alpha, plan_.samples, PairBets::kBoth, event_.q, 1};
      bets_ = PairBettingTest::create(asked_.epsilon, asked_.delta, bets).value();
      futility_ = PairFutilityTest::create(Epsilon{asked_.epsilon.value + plan_.margin},
                                           asked_.delta, 1.0 - kPower)
                      .value();
    }
    const std::size_t pairs = std::min(old_scores_.size(), new_scores_.size());
    for (; watched_ < pairs; ++watched_) {
      bet(*bets_, old_scores_[watched_], new_scores_[watched_]);
      bet(*futility_, old_scores_[watched_], new_scores_[watched_]);
    }
    return bets_->certified() || futility_->certified();
  }

  // Shows a pair of runs to a betting test or bound: the event on side P, then on side Q.
  template <class Betting>
  void bet(Betting& betting, double old_score, double new_score) const {
    const bool swapped = event_.orientation == EventOrientation::kNewAboveOld;
    const double f_old = event_.event.contains(old_score) ? 1.0 : 0.0;
    const double f_new = event_.event.contains(new_score) ? 1.0 : 0.0;
    betting.observe(swapped ? f_new : f_old, swapped ? f_old : f_new);
  }

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

  void bound_exactly(double main_alpha, double second_alpha) {
    const auto main = ExactTest::create(counts_, main_alpha);
    const auto second = ExactTest::create(counts_, second_alpha);
    if (!main || !second) return;
    auto& quantities = outcome_.report.quantities;
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

  // Only eps at delta; a claim in mu by the supporting (eps, delta) of its profile at delta0.
  void bound_by_betting(double alpha) {
    constexpr int kPoints = 128;
    std::vector<double> grid;
    const double top = std::max(2.0 * asked_.epsilon.value, 8.0);
    for (int k = 1; k <= kPoints; ++k) grid.push_back(top * k / kPoints);
    if (asked_.epsilon.value > 0.0) grid.push_back(asked_.epsilon.value);
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    auto bound = PairBettingBound::create(grid, asked_.delta,
                                          {alpha, plan_.samples, PairBets::kBoth, event_.q, 1});
    if (!bound) return;
    for (std::size_t i = 0; i < old_scores_.size(); ++i) {
      bet(*bound, old_scores_[i], new_scores_[i]);
    }
    const double lower = bound->epsilon().value.value;
    outcome_.report.quantities = {quantity(QuantityKind::kEpsilonAtDelta, asked_.delta.value, lower,
                                           how("betting on one event", alpha))};
    refuted_ = lower >= asked_.epsilon.value && lower > 0.0;
  }

  std::string event_text() const {
    const double p =
        static_cast<double>(counts_.x) / static_cast<double>(std::max<std::int64_t>(1, counts_.n));
    const double q =
        static_cast<double>(counts_.y) / static_cast<double>(std::max<std::int64_t>(1, counts_.m));
    return fmt::format(
        "an interval of: {} ({}); seen in {} of {} plays on the {} input ({}), {} of {} on the {} "
        "({})",
        learnt_.score->name(), learnt_.candidates, grouped(counts_.x), grouped(counts_.n),
        event_.orientation == EventOrientation::kOldAboveNew ? "old" : "new", rounded(p, 3),
        grouped(counts_.y), grouped(counts_.m),
        event_.orientation == EventOrientation::kOldAboveNew ? "new" : "old", rounded(q, 3));
  }

  void describe_pair() {
    const InputPair& inputs = plan_.pairs[chosen_.pair];
    WorstPair& pair = outcome_.report.pair;
    pair.stream = inputs.old_input.values;
    std::size_t first = 0;
    std::size_t differing = 0;
    for (std::size_t i = pair.stream.size(); i-- > 0;) {
      if (inputs.new_input.values[i] == pair.stream[i]) continue;
      first = i;
      ++differing;
    }
    pair.position = static_cast<std::int64_t>(first) + 1;
    pair.old_value = pair.stream[first];
    pair.new_value = inputs.new_input.values[first];
    pair.found_by = plan_.pairs_text;
    const std::size_t searched = candidates_of(subjects_.size(), plan_.pairs.size()).size();
    if (searched > 1) {
      pair.found_by +=
          subjects_.size() == 1
              ? fmt::format(", {} pairs by successive halving", searched)
              : fmt::format(", {} pairs of inputs and settings by successive halving", searched);
    }
    if (differing > 1) {
      pair.new_stream = inputs.new_input.values;
      pair.found_by += fmt::format("; {} values of row {} change", differing, inputs.row + 1);
    }
  }

  void decide_verdict(bool independent) {
    auto& report = outcome_.report;
    if (!independent) {
      report.verdict = Verdict::kInconclusive;
      report.reason =
          "the plays of the target are not independent of each other, so counts of them prove "
          "nothing";
      // Not even as bounds.
      for (auto& q : report.quantities) q.lower = {0.0, Evidence::kNone, ""};
      return;
    }
    if (refuted_) {
      report.verdict = Verdict::kViolated;
      report.reason = "refuted by the counts of one event: " + event_text();
      return;
    }
    if (futility_ && futility_->certified()) {
      report.verdict = Verdict::kNotRefuted;
      say_futile();
      return;
    }
    if (report.samples < planned_) {
      report.verdict = Verdict::kInconclusive;
      report.reason =
          fmt::format("stopped after {} of {} plays a side, before the claim was decided",
                      grouped(report.samples), grouped(planned_));
      return;
    }
    report.verdict = Verdict::kNotRefuted;
    add_smallest_visible();
    report.reason = report.smallest_visible ? report.smallest_visible->statement
                                            : "the best event found does not refute the claim";
  }

  void say_futile() {
    const double visible = futility_->epsilon().value;
    outcome_.report.smallest_visible = SmallestVisible{
        visible, kPower,
        fmt::format(
            "stopped: had this event leaked eps = {} at delta = {}, the run would have gone "
            "on with probability {}; other events and inputs may leak more",
            rounded_up(visible, 4), rounded(asked_.delta.value, 6), kPower)};
    outcome_.report.reason = outcome_.report.smallest_visible->statement;
  }

  // In units of eps at the claimed delta, for an event as likely as the one that was counted.
  void add_smallest_visible() {
    if (asked_.gaussian || !plan_.say_visible) return;
    const double main_alpha = alpha_ * (1.0 - kCheckShare - kSecondShare);
    const double q = std::clamp(event_.q, 1.0 / static_cast<double>(planned_), 0.5);
    const auto visible = smallest_visible_epsilon(asked_.epsilon, asked_.delta, q, counts_.n,
                                                  counts_.m, main_alpha, kPower);
    if (!std::isfinite(visible.value)) return;
    outcome_.report.smallest_visible = SmallestVisible{
        visible.value, kPower,
        fmt::format("this run would have seen eps = {} at delta = {} on such an event, with "
                    "probability {}; other events and inputs may leak more",
                    rounded_up(visible.value, 4), rounded(asked_.delta.value, 6), kPower)};
  }

  void describe(bool independent) {
    auto& report = outcome_.report;
    report.claim = claim_;
    report.view = view_of(shape_);
    report.relation =
        recorded() ? Relation::kTwoInputs : relation_of(shape_, plan_.pairs[chosen_.pair]);
    report.claim_text = plan_.claim_text;
    report.method = "events";
    report.confidence = plan_.confidence;
    report.delta0 = plan_.delta0.value;
    report.seed = plan_.seed;
    report.samples_planned = planned_;
    if (!recorded()) describe_pair();
    decide_verdict(independent);
    report.limits = {
        "A black box gives lower bounds only: what was not seen to leak may leak on another input, "
        "or in another event.",
        !recorded()
            ? "The bounds hold for independent plays; the checks above look for dependence between "
              "plays of one message, process or place, and not for every kind."
            : "The bounds hold if the recorded plays are independent of each other, which cannot "
              "be "
              "seen from them.",
        "Event: " + event_text() + "."};
    if (report.verdict == Verdict::kViolated) report.limits.pop_back();
    if (plan_.output_grid > 0.0) {
      report.limits.push_back(
          fmt::format("Outputs were rounded to multiples of {} before they were looked at: what "
                      "their lower bits tell is not in these bounds.",
                      number_text(plan_.output_grid)));
    }
  }

  TargetShape shape_;
  std::span<const AuditSubject> subjects_;  // none for recorded plays
  const BlackBoxPlan& plan_;
  const RunControl& control_;
  PrivacyLevel claim_;
  Asked asked_;
  double alpha_;
  std::int64_t planned_;  // certified plays a side
  Candidate chosen_;
  std::int64_t changed_row_ = 0;
  LearntScore learnt_;
  SelectedEvent event_;
  std::vector<double> old_scores_, new_scores_;  // of the certified plays
  std::optional<PairBettingTest> bets_;
  std::optional<PairFutilityTest> futility_;
  std::size_t watched_ = 0;  // pairs that both have seen
  EventCounts counts_;
  bool refuted_ = false;
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
  if (plan.confidence >= 0.5 && plan.confidence < 1.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "confidence must be at least 0.5 and below 1, not " + number_text(plan.confidence),
              "/confidence");
}

// What playing needs beside.
Status check_played(std::span<const AuditSubject> subjects, const BlackBoxPlan& plan) {
  if (subjects.empty()) return fail(ErrorCode::kInvalidArgument, "nothing to audit");
  if (plan.samples < 100 || plan.samples > 1'000'000'000) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("samples must be 100 to 1000000000, not {}", plan.samples), "/samples");
  }
  if (!(plan.margin > 0.0 && plan.margin <= 100.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "margin must be above 0 and at most 100, not " + number_text(plan.margin),
                "/margin");
  }
  if (plan.pairs.empty()) return fail(ErrorCode::kInvalidArgument, "no pair of inputs to try");
  const TargetShape& shape = subjects.front().players->shape();
  for (const auto& subject : subjects) {
    if (subject.players->shape() != shape) {
      return fail(ErrorCode::kInvalidArgument, "subjects of one audit must have one shape");
    }
    if (const auto status = check_claim(subject.claim); !status) return status;
  }
  for (const auto& pair : plan.pairs) {
    for (const auto* input : {&pair.old_input, &pair.new_input}) {
      if (const auto status = check_input(shape, *input); !status) return status;
    }
  }
  return {};
}

}  // namespace

Result<AuditReport> audit_recorded(const TargetShape& shape, const OutputBatch& old_plays,
                                   const OutputBatch& new_plays, std::int64_t changed_row,
                                   const BlackBoxPlan& plan) {
  if (const auto status = check_plan(plan); !status) return tl::make_unexpected(status.error());
  constexpr std::int64_t kFewest = 100;
  if (std::min(old_plays.count, new_plays.count) < kFewest) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("each side needs at least {} plays, not {} and {}", kFewest,
                            old_plays.count, new_plays.count));
  }
  const RunControl alone;
  return BlackBoxAudit(shape, {}, plan, alone).run_recorded({old_plays, new_plays}, changed_row);
}

Result<BlackBoxOutcome> audit_black_box(std::span<const AuditSubject> subjects,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  if (const auto status = check_plan(plan); !status) return tl::make_unexpected(status.error());
  if (const auto status = check_played(subjects, plan); !status) {
    return tl::make_unexpected(status.error());
  }
  return BlackBoxAudit(subjects.front().players->shape(), subjects, plan, control).run();
}

Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  const AuditSubject subject{&players, promises_seeds, plan.claim};
  return audit_black_box(std::span(&subject, 1), plan, control);
}

}  // namespace assay
