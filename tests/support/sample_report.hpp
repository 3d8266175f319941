// A synthetic audit report for the tests of the writers. Its numbers are those of a Gaussian pair
// with a made-up band, not of any audit; every part of the model is filled in.
#pragma once

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/stream_pair.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::testing {

inline constexpr double kSampleMu = 1.4;  // the Gaussian pair behind the curves

inline void fill_sample_curves(AuditReport& report) {
  for (int i = 0; i <= 80; ++i) {
    const double epsilon = 0.1 * i;
    const double delta = gdp_delta(Mu{kSampleMu}, Epsilon{epsilon}).value;
    const double lower = delta < 2e-5 ? 0.0 : 0.9 * delta * (1.0 - std::sqrt(2e-5 / delta));
    const double upper = std::min(1.0, 1.08 * delta + 2.5e-6);
    report.evidence.profile.push_back({epsilon, lower, delta, upper});
  }
  for (int i = 0; i <= 50; ++i) {
    const double x = 0.02 * i;
    const double y = gdp_trade_off(Mu{kSampleMu}, x);
    const double reach = 0.35 * std::sqrt(y * (1.0 - y)) * 0.1;
    report.evidence.trade_off.push_back({x, std::max(0.0, y - reach), y, std::min(1.0, y + reach)});
  }
  for (int i = 0; i <= 48; ++i) report.evidence.losses.edges.push_back(0.25 * (i - 24));
  for (int i = 0; i < 48; ++i) {
    const double low = report.evidence.losses.edges[static_cast<std::size_t>(i)];
    const double half =
        0.5 * kSampleMu * kSampleMu;  // the loss is N(half, mu^2), or N(-half, mu^2)
    const auto mass = [&](double mean) {
      return normal_cdf((low + 0.25 - mean) / kSampleMu) - normal_cdf((low - mean) / kSampleMu);
    };
    report.evidence.losses.side_base.push_back(mass(half));
    report.evidence.losses.side_neighbour.push_back(mass(-half));
  }
}

inline void fill_sample_rounds(AuditReport& report, std::int64_t horizon, std::int64_t position) {
  std::vector<double> stream;
  WitnessPath witness;
  double loss = 0.0;
  for (std::int64_t t = 1; t <= horizon; ++t) {
    const double reward = t == position ? 0.0 : (t % 7 == 3 || t % 7 == 4) ? 1.0 : 0.25 * (t % 3);
    stream.push_back(reward);
    const double age = static_cast<double>(t - position);
    const double mean = age <= 0.0 ? 0.0 : 0.3 / (4.0 + age);
    const int action = t <= position ? static_cast<int>(t % 5) : (t % 9 == 0 ? 3 : 1);
    if (age > 0.0) loss += 6.0 / (8.0 + age);
    RoundRow row{.round = t,
                 .mean_loss_base = mean,
                 .mean_loss_neighbour = 0.92 * mean,
                 .witness_action = action,
                 .witness_loss = loss};
    report.evidence.rounds.push_back(row);
    witness.actions.push_back(action);
  }
  witness.log_probability_base = -41.25 - 0.5 * static_cast<double>(horizon);
  witness.log_probability_neighbour = witness.log_probability_base - loss;
  witness.mu = 4.87654321;
  report.evidence.witness = witness;
  report.pair.inputs = stream_pair(std::move(stream), position, 1.0);
}

inline AuditReport sample_report(std::int64_t horizon = 60, std::int64_t position = 8) {
  AuditReport report;
  report.case_id = "thompson-sampling";
  report.case_title = "Thompson sampling, one reward replaced (synthetic sample)";
  report.parameters = {{"arms", "5"},
                       {"horizon", std::to_string(horizon)},
                       {"pre_pulls", "0"},
                       {"variance", "1"},
                       {"calibration", "paper"}};
  report.input = InputSource{"examples/rewards.csv", "clicks", "philox:0123456789abcdef", horizon};
  report.claim_text = "mu=sqrt(T/2)";
  report.claim = GaussianDp{Mu{std::sqrt(0.5 * static_cast<double>(horizon))}};
  report.verdict = Verdict::kNotRefuted;
  report.reason =
      "No lower bound lies above the claim, and no upper bound for this pair lies at or below it.";
  report.evidence.method = "likelihood";
  report.confidence = 0.999;
  report.seed = 16045690984503098046U;
  report.evidence.samples = 180000;
  report.evidence.samples_planned = 200000;
  report.reproduce =
      "assay audit thompson-sampling -p arms=5 -p horizon=" + std::to_string(horizon) +
      " --input examples/rewards.csv --column clicks --claim \"mu=sqrt(T/2)\" --method likelihood"
      " --seed 16045690984503098046 --samples 180000";
  fill_sample_rounds(report, horizon, position);
  report.pair.found_by =
      "search over 480 pairs (every position, 8 other values, both directions), then certified "
      "afresh";
  const std::string betting = "betting on 180000 transcripts on each input, alpha = 0.00025";
  report.evidence.quantities = {
      {QuantityKind::kMu,
       0.0,
       {4.87654321, Evidence::kExactPath, "the witness below"},
       {5.61248608, Evidence::kTheorem, "release of every theta, Lemmas 3 and 5"}},
      {QuantityKind::kMuAboveDelta0,
       1e-6,
       {1.3712345, Evidence::kSampling, betting},
       {1.4987654, Evidence::kSampling, betting}},
      {QuantityKind::kEpsilonAtDelta,
       1e-6,
       {5.81234567, Evidence::kSampling, betting},
       {7.23456789, Evidence::kSampling, betting}},
      {QuantityKind::kDeltaAtEpsilon,
       1.0,
       {0.2101234, Evidence::kSampling, betting},
       {0.2398765, Evidence::kSampling, betting}},
  };
  report.strength = Strength{.level = 5.525,
                             .power = 0.9,
                             .assuming = "an event as frequent as the counted one",
                             .asked = 8.2158};
  fill_sample_curves(report);
  report.evidence.ledger = {{"delta(eps) from below, both orientations", 0.00025},
                            {"delta(eps) from above, both orientations", 0.00025},
                            {"eps at delta and mu over delta >= 1e-6, both sides", 0.00025},
                            {"calibration checks", 0.00025}};
  report.evidence.checks = {
      CheckResult::by_e_value("sharpened policy",
                              "the sampler against powers of its reported probabilities", 0.8312,
                              12000, true),
      CheckResult::by_e_value("neighbour's policy",
                              "the sampler against the distribution under the other reward", 1.0471,
                              12000, true),
      CheckResult::by_e_value("two estimators",
                              "delta(1) from the transcripts on D against that from those on D'",
                              0.4419, 12000, true)};
  report.evidence.limits = {
      "One pair was certified. A larger loss on another pair is possible and would not be seen "
      "here.",
      "Sampled upper bounds on delta stop near ln(1/alpha)/samples = 4.6e-5.",
      "The bounds hold for the probabilities that the policy reports; the checks above test them."};
  report.meta = {"0.1.0", "g++ 12.2, Release", "2024-01-01T00:00:00Z", 41.7, 2, 8654.0};
  return report;
}

// The same audit of a claim that it refutes.
inline AuditReport violated_sample_report() {
  AuditReport report = sample_report();
  report.claim_text = "eps=0.5,delta=1e-6";
  report.claim = ApproximateDp{Epsilon{0.5}, Delta{1e-6}};
  report.verdict = Verdict::kViolated;
  report.reason = "The certified eps at delta = 1e-6 lies above the claim.";
  report.strength.reset();
  return report;
}

// Of a program that was only played, whose input is a table.
inline AuditReport black_box_sample_report() {
  AuditReport report = violated_sample_report();
  report.case_id = "exec";
  report.case_title = "a best-arm search (synthetic sample)";
  report.relation = Relation::kReplaceOneColumn;
  report.claim_text = "eps=0.5";
  report.claim = PureDp{Epsilon{0.5}};
  report.reason = "refuted by bets on one event";
  report.input.reset();
  report.pair = {};
  InputTable table = InputTable::zeros(100, 5);
  for (std::int64_t r = 0; r < 100; ++r) table.row(r)[1] = 1.0;
  report.pair.inputs = InputPair::of(std::move(table), {16, {0, 1, 1, 0, 0}});
  report.pair.shape = {.kind = InputKind::kBestArm, .arms = 5, .horizon = 100};
  report.pair.shows_both = true;
  report.pair.found_by = "structural pairs, 24 pairs by successive halving";
  PairEvidence& evidence = report.evidence;
  evidence.method = "events";
  evidence.quantities = {{QuantityKind::kEpsilonAtDelta,
                          0.0,
                          {5.04, Evidence::kSampling, "bets on one event"},
                          {HUGE_VAL, Evidence::kNone, ""}}};
  EventEvidence event{.score = "trees of the halves' summaries (57 scores compared)",
                      .event = "the score is at least 2",
                      .base_hits = 2759,
                      .base_runs = 4046,
                      .neighbour_hits = 5,
                      .neighbour_runs = 3954,
                      .scores = evidence.losses};
  evidence.event = event;
  evidence.profile.clear();
  evidence.trade_off.clear();
  evidence.losses = {};
  evidence.rounds.clear();
  evidence.witness.reset();
  evidence.checks = {
      CheckResult::by_p_value("independent runs",
                              "runs of one message are no more alike than others", 0.625, 2.5e-5),
      CheckResult::seen("seeds", "the same seeds gave the same outputs in another process", true),
      CheckResult::not_checked("two seedings", "the target does not take keys")};
  evidence.limits = {"A black box gives only lower bounds."};
  return report;
}

}  // namespace assay::testing
