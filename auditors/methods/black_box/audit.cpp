#include "assay/auditors/methods/black_box/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/play_checks.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/report/rounding.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"

namespace assay {
namespace {

constexpr double kCheckShare = 0.05;   // of alpha, for the independence of plays
constexpr double kSecondShare = 0.15;  // for the quantity that the claim is not about
constexpr std::int64_t kFirstRound = 2 * kPlayChunk;  // plays a side of each pair, first halving

// Where a score should tell the sides apart for a claim in mu: events near the middle, not at delta0.
EventPlan event_plan(const Asked& asked, double alpha) {
  EventPlan plan;
  plan.alpha = alpha;
  plan.delta = asked.gaussian ? Delta{0.0} : asked.delta;
  return plan;
}

std::uint64_t lane_of(std::size_t pair, int side) {
  return 2 * static_cast<std::uint64_t>(pair) + static_cast<std::uint64_t>(side);
}

class BlackBoxAudit {
 public:
  BlackBoxAudit(const TargetShape& shape, Players* players, const BlackBoxPlan& plan,
                const RunControl& control)
      : shape_(shape),
        players_(players),
        plan_(plan),
        control_(control),
        asked_(asked_of(plan.claim, plan.delta0)),
        alpha_(std::round((1.0 - plan.confidence) * 1e15) / 1e15),
        planned_(plan.samples) {}

  Result<BlackBoxOutcome> run(bool promises_seeds) {
    auto ledger = AlphaLedger::create(alpha_);
    if (!ledger) return tl::make_unexpected(ledger.error());
    const auto check_alpha = ledger->spend("independence of plays, 2 tests", kCheckShare);
    const auto main_alpha = ledger->spend("counts of one event, " + asked_.main_quantity(),
                                          1.0 - kCheckShare - kSecondShare);
    const auto second_alpha =
        ledger->spend("counts of the same event, " + asked_.second_quantity(), kSecondShare);
    const auto checked = check_plays(players_->first(), plan_.pairs.front().old_input,
                                     promises_seeds, *check_alpha, plan_.seed);
    if (!checked) return tl::make_unexpected(checked.error());
    auto& report = outcome_.report;
    report.checks = checked->checks;
    for (const auto& entry : ledger->entries()) {
      report.ledger.push_back({entry.purpose, entry.alpha});
    }
    if (const auto status = search(); !status) return tl::make_unexpected(status.error());
    if (const auto status = learn(*main_alpha); !status) {
      return tl::make_unexpected(status.error());
    }
    certify(*main_alpha, *second_alpha);
    describe(checked->independent);
    return std::move(outcome_);
  }

  Result<AuditReport> run_recorded(const SidePlays& plays, std::int64_t changed_row) {
    auto ledger = AlphaLedger::create(alpha_);
    if (!ledger) return tl::make_unexpected(ledger.error());
    const auto main_alpha =
        ledger->spend("counts of one event, " + asked_.main_quantity(), 1.0 - kSecondShare);
    const auto second_alpha =
        ledger->spend("counts of the same event, " + asked_.second_quantity(), kSecondShare);
    for (const auto& entry : ledger->entries()) {
      outcome_.report.ledger.push_back({entry.purpose, entry.alpha});
    }
    // The sides may have different numbers of plays; as many of each are learnt from.
    const std::int64_t least = std::min(plays.old_side.count, plays.new_side.count);
    const std::int64_t learning = least / 3;
    changed_row_ = changed_row;
    choose_event(part(plays, 0, learning), *main_alpha, least - learning);
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
  // Both sides; the error of the first that failed.
  Result<SidePlays> play_both(std::size_t pair, std::int64_t count, std::string_view purpose,
                              Phase phase, const RunControl& control) {
    SidePlays out;
    for (int side = 0; side < 2; ++side) {
      const InputPair& inputs = plan_.pairs[pair];
      Plays plays = players_->play(side == 0 ? inputs.old_input : inputs.new_input, count,
                                   {plan_.seed, purpose, lane_of(pair, side), phase}, control);
      if (plays.error) return tl::make_unexpected(*plays.error);
      (side == 0 ? out.old_side : out.new_side) = std::move(plays.outputs);
    }
    return out;
  }

  static OutputBatch cut(const OutputBatch& batch, std::int64_t first, std::int64_t count) {
    OutputBatch out{count, batch.width, {}};
    out.values.assign(batch.values.begin() + first * batch.width,
                      batch.values.begin() + (first + count) * batch.width);
    return out;
  }
  static SidePlays part(const SidePlays& plays, std::int64_t first, std::int64_t count) {
    return {cut(plays.old_side, first, count), cut(plays.new_side, first, count)};
  }

  LearntScore score_of(std::int64_t row, const SidePlays& plays, double alpha,
                       std::int64_t runs_left) const {
    const std::int64_t count = plays.old_side.count;
    const std::int64_t learning = count / 2;
    return learn_score(shape_, row, part(plays, 0, learning),
                       part(plays, learning, count - learning), event_plan(asked_, alpha),
                       runs_left);
  }

  // Successive halving; `chosen_` is what is left.
  Status search() {
    std::vector<std::size_t> alive;
    for (std::size_t i = 0; i < plan_.pairs.size(); ++i) alive.push_back(i);
    RunControl quiet = control_;
    quiet.progress = nullptr;
    const double rounds = std::max(1.0, std::ceil(std::log2(static_cast<double>(alive.size()))));
    std::int64_t count = kFirstRound;
    for (int round = 0; alive.size() > 1; ++round, count *= 2) {
      const std::string purpose = "search/" + std::to_string(round);
      std::vector<std::pair<double, std::size_t>> ranked;
      for (const std::size_t pair : alive) {
        const auto plays = play_both(pair, count, purpose, Phase::kSearch, quiet);
        if (!plays) return tl::make_unexpected(plays.error());
        ranked.push_back(
            {-score_of(plan_.pairs[pair].row, *plays, alpha_, plan_.samples).predicted, pair});
        control_.report("searching pairs", (round + static_cast<double>(ranked.size()) /
                                                        static_cast<double>(alive.size())) /
                                               rounds);
      }
      std::stable_sort(ranked.begin(), ranked.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      alive.clear();
      for (std::size_t i = 0; i < (ranked.size() + 1) / 2; ++i) alive.push_back(ranked[i].second);
    }
    chosen_ = alive.front();
    return {};
  }

  Status learn(double alpha) {
    const std::int64_t count = std::max<std::int64_t>(plan_.samples / 3, 4 * kPlayChunk);
    auto plays = play_both(chosen_, 2 * count, "learning a score", Phase::kPilot, control_);
    if (!plays) return tl::make_unexpected(plays.error());
    changed_row_ = plan_.pairs[chosen_].row;
    choose_event(*plays, alpha, plan_.samples);
    return {};
  }

  // Score and event; the event is chosen on the half that compared the scores.
  void choose_event(const SidePlays& plays, double alpha, std::int64_t runs_left) {
    learnt_ = score_of(changed_row_, plays, alpha, runs_left);
    const std::int64_t learning = plays.old_side.count / 2;
    const SidePlays compare = part(plays, learning, plays.old_side.count - learning);
    EventPlan plan = event_plan(asked_, alpha);
    plan.events = learnt_.score->events();
    event_ = select_event(scores_of(*learnt_.score, compare.old_side),
                          scores_of(*learnt_.score, compare.new_side), plan, runs_left, runs_left);
  }

  void certify(double main_alpha, double second_alpha) {
    const InputPair& inputs = plan_.pairs[chosen_];
    // Chunk by chunk, both sides in step, so that what is left after a failure is pairs.
    std::vector<double> old_scores;
    std::vector<double> new_scores;
    constexpr std::int64_t step = 8 * kPlayChunk;
    auto bets = PairBettingTest::create(asked_.epsilon, asked_.delta,
                                        {main_alpha, plan_.samples, PairBets::kBoth, event_.q, 1});
    std::int64_t done = 0;
    RunControl quiet = control_;
    quiet.progress = nullptr;
    while (done < plan_.samples && !outcome_.target_error) {
      const std::int64_t count = std::min(step, plan_.samples - done);
      std::vector<double>* scores[] = {&old_scores, &new_scores};
      for (int side = 0; side < 2; ++side) {
        const std::string purpose = "certify/" + std::to_string(done);
        Plays plays =
            players_->play(side == 0 ? inputs.old_input : inputs.new_input, count,
                           {plan_.seed, purpose, lane_of(chosen_, side), Phase::kCertify}, quiet);
        const auto some = scores_of(*learnt_.score, plays.outputs);
        scores[side]->insert(scores[side]->end(), some.begin(), some.end());
        if (plays.error && !outcome_.target_error) outcome_.target_error = plays.error;
      }
      const std::size_t pairs = std::min(old_scores.size(), new_scores.size());
      if (plan_.stop_when_decided) {
        for (auto i = static_cast<std::size_t>(done); i < pairs; ++i) {
          bet(*bets, old_scores[i], new_scores[i]);
        }
      }
      done = static_cast<std::int64_t>(pairs);
      control_.report("certifying", static_cast<double>(done) / static_cast<double>(plan_.samples));
      if (plan_.stop_when_decided && bets->certified()) break;
    }
    old_scores.resize(static_cast<std::size_t>(done));
    new_scores.resize(static_cast<std::size_t>(done));
    outcome_.report.samples = done;
    counts_ = count_event(event_, old_scores, new_scores);
    // A sample size that the data chose needs the test that allows it.
    const bool fixed = done == plan_.samples && !plan_.stop_when_decided;
    if (fixed) {
      bound_exactly(main_alpha, second_alpha);
    } else {
      bound_by_betting(main_alpha, old_scores, new_scores);
    }
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
  void bound_by_betting(double alpha, const std::vector<double>& old_scores,
                        const std::vector<double>& new_scores) {
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
    for (std::size_t i = 0; i < old_scores.size(); ++i) bet(*bound, old_scores[i], new_scores[i]);
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
    const InputPair& inputs = plan_.pairs[chosen_];
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
    if (plan_.pairs.size() > 1) {
      pair.found_by += fmt::format(", {} pairs by successive halving", plan_.pairs.size());
    }
    if (differing > 1) {
      pair.found_by +=
          fmt::format("; all {} values of row {} change that way", differing, inputs.row + 1);
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

  // In units of eps at the claimed delta, for an event as likely as the one that was counted.
  void add_smallest_visible() {
    constexpr double kPower = 0.9;
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
    report.claim = plan_.claim;
    report.claim_text = plan_.claim_text;
    report.method = "events";
    report.confidence = plan_.confidence;
    report.delta0 = plan_.delta0.value;
    report.seed = plan_.seed;
    report.samples_planned = planned_;
    if (players_ != nullptr) describe_pair();
    decide_verdict(independent);
    report.limits = {
        "A black box gives lower bounds only: what was not seen to leak may leak on another input, "
        "or in another event.",
        players_ != nullptr
            ? "The bounds hold for independent plays; the checks above look for dependence between "
              "plays of one message, process or place, and not for every kind."
            : "The bounds hold if the recorded plays are independent of each other, which cannot "
              "be "
              "seen from them.",
        "Event: " + event_text() + "."};
    if (report.verdict == Verdict::kViolated) report.limits.pop_back();
  }

  TargetShape shape_;
  Players* players_;  // null for recorded plays
  const BlackBoxPlan& plan_;
  const RunControl& control_;
  Asked asked_;
  double alpha_;
  std::int64_t planned_;  // certified plays a side
  std::size_t chosen_ = 0;
  std::int64_t changed_row_ = 0;
  LearntScore learnt_;
  SelectedEvent event_;
  EventCounts counts_;
  bool refuted_ = false;
  BlackBoxOutcome outcome_;
};

Status check_plan(const BlackBoxPlan& plan) {
  if (plan.confidence >= 0.5 && plan.confidence < 1.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "confidence must be at least 0.5 and below 1, not " + number_text(plan.confidence),
              "/confidence");
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
  return BlackBoxAudit(shape, nullptr, plan, alone)
      .run_recorded({old_plays, new_plays}, changed_row);
}

Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control) {
  if (const auto status = check_plan(plan); !status) return tl::make_unexpected(status.error());
  if (plan.samples < 100 || plan.samples > 1'000'000'000) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("samples must be 100 to 1000000000, not {}", plan.samples), "/samples");
  }
  if (plan.pairs.empty()) return fail(ErrorCode::kInvalidArgument, "no pair of inputs to try");
  for (const auto& pair : plan.pairs) {
    for (const auto* input : {&pair.old_input, &pair.new_input}) {
      if (const auto status = check_input(players.shape(), *input); !status) {
        return tl::make_unexpected(status.error());
      }
    }
  }
  return BlackBoxAudit(players.shape(), &players, plan, control).run(promises_seeds);
}

}  // namespace assay
