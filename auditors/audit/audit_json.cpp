#include "assay/auditors/audit/audit_json.hpp"

#include <limits>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/policies/external/containment.hpp"

namespace assay {

void fields(const PureDp& level, Fields visit) {
  visit.constant("kind", "pure");
  visit("epsilon", level.epsilon.value, "In nats.");
}
void fields(const ApproximateDp& level, Fields visit) {
  visit.constant("kind", "approximate");
  visit("epsilon", level.epsilon.value, "In nats.");
  visit("delta", level.delta.value, kProbability);
}
void fields(const GaussianDp& level, Fields visit) {
  visit.constant("kind", "gaussian");
  visit("mu", level.mu.value);
}

void fields(const InputSource& input, Fields visit) {
  visit("file", input.file, "The path as given.");
  visit.or_null("column", input.column,
                "The name of the column; null for a file with one number a line.");
  visit("digest", input.digest, "A hash of the values read.");
  visit("rows", input.rows, kCount, "The number of values read.");
}

void fields(const EvidencedBound& bound, Fields visit) {
  visit.about("bound", "One end of a certified interval.");
  visit("value", bound.value);
  visit(
      "evidence", bound.evidence,
      "How the bound is known. none: it is vacuous (0, 1 or infinity). exact: every transcript was "
      "enumerated, and numerical errors were carried outward. exact-path: the exact probabilities of "
      "some transcripts. sampling: a confidence bound, at the alpha that the ledger gives it. "
      "theorem: a proof.");
  visit("how", bound.how, "The source of the bound, in one line for people.");
}

void fields(const CanaryEvidence& canaries, Fields visit) {
  visit("canaries", canaries.canaries, kCount, "The number of coins in all certified runs.");
  visit("guesses", canaries.guesses, kCount, "The number of guesses, fixed before the runs.");
  visit("correct", canaries.correct, kCount, "The number of right guesses.");
  visit("training", canaries.training, kCount,
        "The transcripts that the guesser learned from, with coins of their own.");
  visit("p_value", canaries.p_value, "The p-value of that many right guesses, under the claim.");
}

void fields(const RoundedVerdict& rounded, Fields visit) {
  visit("grid", rounded.grid, "The outputs were rounded to multiples of this (--round-outputs).");
  visit("verdict", rounded.verdict);
  visit("headline", rounded.headline);
}

void fields(const Strength& strength, Fields visit) {
  visit("level", strength.level,
        "The smallest leak that the audit would have seen on its pair, in the claim's eps (at its "
        "delta) or mu; null if it is not known.");
  visit("is_bound", strength.is_bound,
        "True: the pair is certified to leak no more than this level. False: an estimate, fixed "
        "before certification.");
  visit("power", strength.power, kProbability,
        "The probability with which a leak of this level is seen.");
  visit("assuming", strength.assuming, "The assumption of an estimate.");
  visit("asked", strength.asked,
        "The level that the audit should see: --see, or 1.5 times the claim.");
  visit("samples_needed", strength.samples_needed, kCount,
        "The estimated certified runs on each input that would see it; 0 if not known.");
}

void fields(const ProfilePoint& point, Fields visit) {
  visit("epsilon", point.epsilon);
  visit("lower", point.lower, kProbability, "A certified lower bound.");
  visit("estimate", point.estimate, kProbability);
  visit("upper", point.upper, kProbability, "A certified upper bound.");
}

void fields(const TradeOffPoint& point, Fields visit) {
  visit("type_one", point.type_one, kProbability, "The type I error of the test.");
  visit("lower", point.lower, kProbability,
        "A certified lower bound of the smallest type II error.");
  visit("estimate", point.estimate, kProbability);
  visit("upper", point.upper, kProbability, "A certified upper bound.");
}

void fields(const PairHistogram& losses, Fields visit) {
  visit.about("histogram", "A histogram over k bins.");
  visit("edges", losses.edges, "k + 1 increasing edges, or none.");
  visit("base", losses.side_base, kProbability,
        "k fractions of the transcripts on the base input.");
  visit("neighbour", losses.side_neighbour, kProbability,
        "k fractions of the transcripts on the neighbouring input.");
}

void fields(const WitnessPath& witness, Fields visit) {
  visit("base_log_probability", witness.log_probability_base, "On the base input.");
  visit("neighbour_log_probability", witness.log_probability_neighbour,
        "On the neighbouring input.");
  visit("mu", witness.mu, "This event alone implies that mu is at least this.");
  visit("arms", witness.actions, index_below(1 << 20),
        "The arms of rounds 1, 2, ..., counted from 0.");
}

void fields(const FailureEvidence& found, Fields visit) {
  visit.group("base", "The runs on the base input.", [&] {
    visit("failed", found.base_failed, kCount);
    visit("runs", found.base_runs, kCount);
  });
  visit.group("neighbour", "The runs on the neighbouring input.", [&] {
    visit("failed", found.neighbour_failed, kCount);
    visit("runs", found.neighbour_runs, kCount);
  });
  visit("said", found.said, "The message of the first failure.");
}

void fields(const SearchEstimate& estimate, Fields visit) {
  visit("level", estimate.level, "In the claim's eps or mu. It proves nothing.");
  visit("event", estimate.event, "By this event.");
}

void fields(const FrequencyDifference& difference, Fields visit) {
  visit("event", difference.event, "A clause: \"arm 2 is chosen in round 3\".");
  visit("base", difference.frequency.base, "Its frequency on the base input.");
  visit("neighbour", difference.frequency.neighbour, "Its frequency on the neighbour.");
}

void fields(const EventEvidence& event, Fields visit) {
  visit("score", event.score, "The score of an output that defines the event.");
  visit("event", event.event, "\"the score is at least 1.25\"");
  visit.group("base", "The runs on the base input, and how many hit the event.", [&] {
    visit("hits", event.base_hits, kCount);
    visit("runs", event.base_runs, kCount);
  });
  visit.group("neighbour", "The same on the neighbouring input.", [&] {
    visit("hits", event.neighbour_hits, kCount);
    visit("runs", event.neighbour_runs, kCount);
  });
  visit("scores", event.scores,
        "The scores of the counted runs. The first and the last bin also hold all scores beyond "
        "them.");
}

void fields(const LedgerEntry& entry, Fields visit) {
  visit("purpose", entry.purpose, "The statement that uses it.");
  visit("alpha", entry.alpha, kProbability, "An error probability.");
}

void fields(const CheckResult& check, Fields visit) {
  const auto of = [&](CheckMeasure measure, double value) {
    return check.measure == measure ? std::optional(value) : std::nullopt;
  };
  const auto p = CheckMeasure::kPValue, e = CheckMeasure::kEValue;
  visit("name", check.name);
  visit(
      "passed", [&] { return check.checked ? std::optional(check.passed) : std::nullopt; },
      "false is an alarm. null means not checked; the meaning says why.");
  visit("meaning", check.meaning, "What the check compares.");
  visit.if_any(
      "p_value", [=] { return of(p, check.value); },
      "The p-value of an assumption of the audit; small is bad. Absent if there is an e_value.");
  visit.if_any(
      "level", [=] { return of(p, check.limit); },
      "It is an alarm if the p-value is at or below this.");
  visit.if_any(
      "e_value", [=] { return of(e, check.value); },
      "The wealth of bets against an assumption of the audit; large is bad.");
  visit.if_any(
      "threshold", [=] { return of(e, check.limit); },
      "It is an alarm if the e-value is at or above this.");
}

void fields(const RunsSpent& runs, Fields visit) {
  visit("pre_screen", runs.probe, kCount, "Runs of the pre-screen, before the search for a pair.");
  visit("search", runs.search, kCount, "Runs of the search for a pair.");
  visit("learning", runs.learning, kCount,
        "Runs that learn an event of the pair. With --time also those that measure how long a run "
        "takes.");
  visit("checks", runs.checks, kCount, "Runs for the checks.");
  visit("certified", runs.certified, kCount, "Runs for the certified bounds.");
  visit(
      "all", [&] { return runs.all(); }, kCount, "The sum.");
  visit("budget", runs.budget, kCount,
        "The limit for all of them; null if only --samples was given.");
  visit.or_null("left_undone", runs.left_undone, "The steps that a budget or the clock cut off.");
}

namespace {

struct QuantityRecord {
  ReportedQuantity quantity;
  std::optional<double> claimed;
};
void fields(const QuantityRecord& record, Fields visit) {
  const ReportedQuantity& quantity = record.quantity;
  visit.about(
      "quantity",
      "A certified privacy loss. Its true value for the worst pair lies in [lower, upper]. All "
      "quantities hold jointly at the report's confidence.");
  visit(
      "kind", quantity.kind,
      "delta-at-epsilon: delta at the epsilon `at`, the larger of the two orientations. "
      "epsilon-at-delta: the smallest epsilon at the delta `at`. mu-above-delta0: the smallest mu that "
      "the privacy profile allows where delta >= `at`. mu: the smallest mu, unrestricted.");
  visit(
      "at",
      [&] {
        return quantity.kind == QuantityKind::kMu ? std::nullopt : std::optional(quantity.at);
      },
      "The epsilon, delta or delta0 that the quantity is at; null for mu.");
  visit("lower", quantity.lower);
  visit("upper", quantity.upper);
  visit("claimed", record.claimed,
        "The largest value that the claim allows, by the best known conversion; null if the claim "
        "says nothing about it.");
}

struct RoundRecord {
  RoundRow row;
  double base_reward = 0.0, neighbour_reward = 0.0;
};
void fields(const RoundRecord& record, Fields visit) {
  const RoundRow& row = record.row;
  visit("round", row.round, from(1.0), "Counted from 1.");
  visit("base_reward", record.base_reward, "The reward in the base input.");
  visit("neighbour_reward", record.neighbour_reward, "The reward in the neighbouring input.");
  visit("base_mean_loss", row.mean_loss_base,
        "The mean of this round's share of log P/Q, on the base input.");
  visit("neighbour_mean_loss", row.mean_loss_neighbour,
        "The mean of this round's share of log Q/P, on the neighbouring input.");
  visit(
      "witness_arm",
      [&] { return row.witness_action < 0 ? std::nullopt : std::optional(row.witness_action); },
      "The arm of the witness, counted from 0; null beyond its end.");
  visit("witness_loss", row.witness_loss, "log P/Q of the witness up to this round.");
}

struct AuditRecord {
  const AuditReport& report = none<AuditReport>();
  const std::optional<Error>& error = none<std::optional<Error>>();
};

struct PairRecord {
  const AuditReport* report = nullptr;
};
void fields(const PairRecord& record, Fields visit) {
  const auto& report = record.report;
  const auto pair = [&]() -> const WorstPair& { return report->pair; };
  visit(
      "position", [=] { return pair().position(); }, kCount,
      "The round of the changed reward, counted from 1; 0 if there is no pair.");
  visit(
      "change", [=] { return change_text(*report); },
      "The entries that differ, in words: \"round 17 of 100, arm 3: 0 -> 1\".");
  visit.or_null(
      "base_value", [=] { return pair().base_value(); },
      "The reward in the base input; null if that input has one value fewer.");
  visit.or_null(
      "neighbour_value", [=] { return pair().neighbour_value(); },
      "The reward in the neighbouring input; null if that input has one value fewer.");
  visit(
      "found_by", [=] { return pair().found_by; }, "The search that found the pair.");
  visit.if_any(
      "columns",
      [=] {
        const std::int64_t columns = pair().inputs.base_input().columns;
        return columns > 1 ? std::optional(columns) : std::nullopt;
      },
      "The number of entries of a row of the inputs, if a row has several.", from(2.0));
  visit(
      "base_input", [=] { return pair().inputs.base_input().values; },
      "The rewards of rounds 1 to T in the base input.");
  visit.if_any(
      "neighbour_input",
      [=] {
        return pair().shows_both ? std::optional(pair().inputs.neighbour_input().values)
                                 : std::nullopt;
      },
      "The neighbouring input, for a mechanism or if more than one entry may differ. The position "
      "and the two values are then those of the first entry that differs.");
}

std::vector<QuantityRecord> quantities_of(const AuditReport& report) {
  std::vector<QuantityRecord> out;
  for (const auto& quantity : report.evidence.quantities) {
    out.push_back({quantity, claimed_value(report.claim, quantity)});
  }
  return out;
}

std::vector<QuantityRecord> if_reported_of(const AuditReport& report) {
  std::vector<QuantityRecord> out;
  for (const auto& quantity : report.if_reported) {
    out.push_back({quantity, claimed_value(report.claim, quantity)});
  }
  return out;
}

std::vector<RoundRecord> rounds_of(const AuditReport& report) {
  const InputPair& inputs = report.pair.inputs;
  std::vector<RoundRecord> out;
  for (const auto& row : report.evidence.rounds) {
    out.push_back(
        {row, inputs.base_input().row(row.round - 1)[0], inputs.neighbour_row(row.round - 1)[0]});
  }
  return out;
}

void fields(const AuditRecord& record, Fields visit) {
  const AuditReport& report = record.report;
  const PairEvidence& evidence = report.evidence;
  report_head(
      visit, kAuditReportSchema,
      "The result of one privacy audit. The request determines everything outside `meta`: it is "
      "the same in every run, with any number of threads, byte for byte. Rounds count from 1, arms "
      "from 0. Infinities are the texts \"inf\" and \"-inf\". Within one version, no key changes "
      "its meaning or goes away.");
  visit.if_any(
      "error", record.error,
      "The error of a target that failed (exit status 4), or of an interrupt (3), after the results "
      "of this report were certified; absent if nothing failed.");
  visit(
      "headline", [&] { return headline(report); },
      "The verdict and the number that decided it, in one line.");
  visit(
      "verdict", report.verdict,
      "Violated: a certified lower bound lies above the claim. Verified: a sound upper bound lies "
      "at or below it; see `scope`. NotRefuted: neither, by an audit that would have seen a leak of "
      "the level that it should see. Weak: neither, and it may have missed such a leak; see "
      "`strength`. Inconclusive: the audit stopped early, or a check failed. VerifiedIfReported: an upper "
      "bound lies at or below the claim, on condition that the probabilities that the target reports are right.");
  visit("scope", report.scope,
        "The pairs for which a verdict of Verified holds: only the worst pair found, or all "
        "pairs, by a proof.");
  visit("reason", report.reason, "The reason of the verdict, in one sentence.");
  const auto& seen = report.evidence.frequencies;
  visit(
      "difference", seen ? seen->largest : std::nullopt,
      "What differs most between the outputs on both inputs, in words: estimated from the learning runs, or exact "
      "if the case has its probabilities. No bound rests on it. Null if nothing differs beyond chance.");
  visit("strength", report.strength,
        "How large a leak the audit would have seen; null if it refuted or verified the claim.");
  visit("if_rounded", report.if_rounded,
        "A second audit, with a confidence of its own, of the same mechanism with rounded outputs, "
        "if the lowest bits of its outputs refuted the claim; else null.");
  visit.group("case", "The case or target.", [&] {
    visit("id", report.case_id, "The name of the case, as `assay list` prints it.");
    visit("title", report.case_title);
    visit("parameters", report.parameters, "Every parameter of the case with its value.");
    visit.if_any("notes", report.notes,
                 "Notes on the case at these parameters; absent if there are none.");
  });
  visit("input", report.input, "The file of the rewards; null if the search chose them.");
  visit.group("claim", "The claim under audit.", [&] {
    visit("text", report.claim_text, "As the user wrote it.");
    visit("level", report.claim, "The claim as a privacy level.");
    visit("relation", report.relation, "Which two inputs are neighbours.");
    visit("view", report.view, "What the adversary sees.");
    visit.if_any("neighbours", report.neighbours,
                 "For an external target, the relation in words, with the domain.");
  });
  visit("method", evidence.method,
        "How the loss was measured, for example exact, likelihood, release, events or one-run.");
  report_confidence(visit, report.confidence);
  visit.seed(report.seed);
  visit("samples", evidence.samples, kCount,
        "The number of transcripts on each input used for certification.");
  visit("samples_planned", evidence.samples_planned, kCount,
        "The number asked for; more than `samples` if the audit stopped early.");
  visit.if_any(
      "tilted_samples", evidence.tilted_samples,
      "Only from the likelihood method: the number of further transcripts, sampled so that large "
      "losses are more likely.",
      kCount);
  visit.if_any("runs", evidence.runs,
               "Only for a target: all its runs, on both inputs together, by purpose.");
  report_reproduce(visit, report.reproduce);
  visit.if_any(
      "replay", report.replay,
      "Only for a target and inputs that are not long: the command that shows where runs on the "
      "two inputs diverge. It has both inputs, for a unit test.");
  visit("delta0", report.delta0.value, kProbability,
        "The delta from which mu-above-delta0 counts.");
  visit(
      "quantities", [&] { return quantities_of(report); },
      "Certified privacy losses of the worst pair.");
  visit.if_any(
      "if_reported", [&] { return if_reported_of(report); },
      "Only for a target that reports its probabilities, and if no check rejects these: certified losses of the "
      "distributions that it reports. They are those of the target if its probabilities are right. The upper bounds of "
      "`quantities` are these, and the lower ones those of the runs alone.");
  visit(
      "worst_pair",
      [&] { return has_pair(report) ? std::optional(PairRecord{&report}) : std::nullopt; },
      "The neighbouring pair of largest loss that was found; null for recorded runs, whose inputs are not "
      "known.");
  visit.if_any(
      "canaries", report.canaries,
      "Only from the one-run method: entries of the input that fair coins set to one of two values, "
      "guessed from the output. `worst_pair` is then no pair: its base input has every coin at 0, "
      "and its position is 0.");
  visit("witness", evidence.witness,
        "One transcript, or the beginning of one, with both exact probabilities, for anyone to "
        "check; null if there is none.");
  visit.if_any("event", evidence.event, "Only for a target: the event, and how many runs hit it.");
  visit.if_any("estimate", evidence.estimate,
               "The most that the search saw, if it ended before anything was certified.");
  visit.if_any(
      "failures", evidence.failures,
      "Certified runs that failed (an exception, an exit, a crash). A failure is an output like "
      "any other. Absent if no run failed.");
  visit("ledger", evidence.ledger, "How the error probability 1 - confidence was spent.");
  visit("checks", evidence.checks,
        "Checks of what the audit assumes: that reported probabilities describe the sampler, or "
        "that runs share no noise.");
  visit("limits", evidence.limits, "The limits of this audit.");
  visit(
      "profile", evidence.profile,
      "The privacy profile delta(epsilon), the larger orientation at each epsilon, with its band.");
  visit("trade_off", evidence.trade_off,
        "The trade-off curve of the base input against the neighbouring input, with its band.");
  visit("losses", evidence.losses, "The privacy loss log P/Q of transcripts.");
  visit(
      "rounds", [&] { return rounds_of(report); }, "The worst pair round by round.");
  report_meta(visit, report.meta, [&] {
    visit("transcripts_per_second", report.meta.transcripts_per_second, from(0.0));
    visit.if_any("containment", report.containment, kContainmentMeaning);
  });
}

}  // namespace

std::string to_json(const AuditReport& report, const std::optional<Error>& error) {
  return json_text_of(AuditRecord{report, error});
}

std::string audit_report_schema() { return schema_of<AuditRecord>(); }

}  // namespace assay
