// What a method finds out about one neighbouring pair, and the verdict that follows from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/methods/reported_quantity.hpp"
#include "assay/auditors/statistics/side_e_process.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// The confidence band of the privacy profile; both orientations of the pair.
struct ProfilePoint {
  double epsilon = 0.0;
  double lower = 0.0;
  double estimate = 0.0;
  double upper = 1.0;
};

// The trade-off curve: type II error against type I error of the best test between the sides.
struct TradeOffPoint {
  double type_one = 0.0;
  double lower = 0.0;
  double estimate = 0.0;
  double upper = 1.0;
};

struct LossHistogram {
  std::vector<double> edges;  // k + 1 increasing edges of the privacy loss log P/Q, or of a score
  std::vector<double> side_old;  // k fractions of transcripts sampled under the old value
  std::vector<double> side_new;  // k fractions under the new value
};

struct RoundRow {
  std::int64_t round = 0;      // counted from 1
  double mean_loss_old = 0.0;  // mean privacy loss of this round under the old value (KL, nats)
  double mean_loss_new = 0.0;  // the same under the new value, the sides exchanged
  int witness_action = -1;     // arm of the witness transcript, counted from 0; -1 for none
  double witness_loss = 0.0;   // log P/Q of the witness up to and including this round
};

// One transcript with both of its exact probabilities, for anyone to check.
struct WitnessPath {
  std::vector<int> actions;  // a prefix of a transcript is an event as well
  double log_probability_old = 0.0;
  double log_probability_new = 0.0;
  double mu = 0.0;  // the mu that this event alone forces
};

struct LedgerEntry {
  std::string purpose;
  double alpha = 0.0;
};

// What the value of a check is. The two are read in opposite directions, and 1/p is no e-value: its
// expectation is infinite.
enum class CheckMeasure {
  kNone,    // it was seen, or not: no value
  kPValue,  // alarm at or below the limit
  kEValue,  // alarm at or above it
};

// Of what an audit takes for granted.
struct CheckResult {
  std::string name;
  std::string meaning;
  CheckMeasure measure = CheckMeasure::kNone;
  double value = 0.0, limit = 0.0;  // of the measure
  bool passed = true;               // no alarm
  bool checked = true;              // else `meaning` says why not

  static CheckResult by_p_value(std::string name, std::string meaning, double p, double level) {
    return {std::move(name), std::move(meaning), CheckMeasure::kPValue, p, level, p > level};
  }
  static CheckResult by_e_value(std::string name, std::string meaning, double e, double threshold,
                                bool passed) {
    return {std::move(name), std::move(meaning), CheckMeasure::kEValue, e, threshold, passed};
  }
  static CheckResult seen(std::string name, std::string meaning, bool passed) {
    return {.name = std::move(name), .meaning = std::move(meaning), .passed = passed};
  }
  static CheckResult not_checked(std::string name, std::string why) {
    return {.name = std::move(name), .meaning = std::move(why), .checked = false};
  }
  std::string value_text() const;   // "p-value 0.2, level 2.5e-5"; "" without a measure
  std::string result_text() const;  // "ok", "ALARM" or "not checked"
};

// The event that plays were counted of: what a black box's bounds rest on.
struct EventEvidence {
  std::string score;  // of an output, what the event is an event of
  std::string event;  // "the score is at least 1.25"
  std::int64_t old_hits = 0, old_plays = 0;
  std::int64_t new_hits = 0, new_plays = 0;
  LossHistogram scores;  // of the same plays; the ends hold what lies beyond them
};

// Runs that failed, an output like any other: of those that were certified, or recorded.
struct FailureEvidence {
  std::int64_t old_failed = 0, old_runs = 0;
  std::int64_t new_failed = 0, new_runs = 0;
  std::string said;  // by the first of them
};

struct SmallestVisible {
  double violation = 0.0;  // in the units of the claim: delta at the claimed epsilon, or mu
  double power = 0.0;
  std::string statement;
};

// Every play that a black-box audit asked for, of both sides together, by what it was for.
struct PlaysSpent {
  std::int64_t probe = 0;     // by canaries, before any pair is searched
  std::int64_t search = 0;    // for a pair
  std::int64_t learning = 0;  // for an event of it, and the target's pace where there is a clock
  std::int64_t certified = 0;
  std::int64_t checks = 0;
  std::optional<std::int64_t> budget;  // for all of them
  std::string left_undone;             // what a budget cut off; or nothing

  std::int64_t all() const { return probe + search + learning + certified + checks; }
};

// What a method finds out about one neighbouring pair.
struct PairEvidence {
  std::string method;  // "exact", "likelihood", "release", "events" or "one-run"
  std::vector<ReportedQuantity> quantities;
  std::vector<ProfilePoint> profile;     // larger orientation at each epsilon
  std::vector<TradeOffPoint> trade_off;  // old against new
  LossHistogram losses;
  std::vector<RoundRow> rounds;
  std::optional<WitnessPath> witness;
  std::optional<EventEvidence> event;
  // Of the certified runs against the claim, for later audits to add to; worth nothing where they prove nothing.
  std::optional<ClaimEProcess> e_process;
  std::optional<FailureEvidence> failures;  // of a target that is played, where there are any
  std::vector<LedgerEntry> ledger;
  std::vector<CheckResult> checks;
  std::vector<std::string> limits;  // what this method cannot say
  std::optional<SmallestVisible> smallest_visible;
  std::int64_t samples = 0;          // transcripts per side used for certification
  std::int64_t samples_planned = 0;  // transcripts per side asked for
  std::int64_t tilted_samples = 0;   // further ones, in all
  std::optional<PlaysSpent> plays;   // of a target that is played
  bool interrupted = false;
  bool no_noise = false;   // runs with different seeds never varied, on two neighbours that differ
  std::string refutation;  // why a pure claim is violated, in the case's own words; or empty
};

struct WorstPair {
  InputPair inputs;         // unknown of recorded plays; an edit of no values: one input, no pair
  std::string found_by;     // one line: what was searched and how many pairs
  bool shows_both = false;  // more than one entry may differ, so that both are written out
  InputShape shape = {};    // what rows and columns are, to name them

  std::int64_t position() const;  // of the first entry that differs, from 1, row by row; 0: none
  double old_value() const;       // there; NaN where that input has one value fewer
  double new_value() const;
};

// What the one-run method saw: coins that it tossed into the input, and guessed from the output.
struct CanaryEvidence {
  std::int64_t canaries = 0;  // of all certified runs
  std::int64_t guesses = 0;
  std::int64_t correct = 0;
  std::int64_t training = 0;  // transcripts that the guesser was learnt from
  double p_value = 1.0;       // of that many right guesses under the claim
};

enum class Verdict {
  kViolated,      // a certified lower bound lies above the claim
  kVerified,      // a sound upper bound lies at or below the claim; see `scope`
  kNotRefuted,    // neither; `smallest_visible` says what this run would have seen
  kInconclusive,  // stopped early, or a check of the reported probabilities failed
};
constexpr std::array<std::pair<Verdict, std::string_view>, 4> enum_names(Verdict) {
  return {{{Verdict::kViolated, "Violated"},
           {Verdict::kVerified, "Verified"},
           {Verdict::kNotRefuted, "NotRefuted"},
           {Verdict::kInconclusive, "Inconclusive"}}};
}

enum class Scope { kThisPair, kAllPairs };
constexpr std::array<std::pair<Scope, std::string_view>, 2> enum_names(Scope) {
  return {{{Scope::kThisPair, "this-pair"}, {Scope::kAllPairs, "all-pairs"}}};
}

struct Decision {
  Verdict verdict = Verdict::kInconclusive;
  Scope scope = Scope::kThisPair;
  std::string reason;  // one sentence that says why this verdict
};

// What an audit is asked about, and how it may err. Plans and reports derive from it and are made of
// the terms alone of another: `ReleasePlan plan{audit.terms()}`.
struct AuditTerms {
  std::string claim_text;  // as the user wrote it
  PrivacyLevel claim = PureDp{};
  double confidence = 0.999;
  Delta delta0{1e-6};  // mu is reported over delta >= delta0, and eps at delta0 for a claim in mu
  std::uint64_t seed = 1;

  const AuditTerms& terms() const { return *this; }
};

// What one method found out, and about which pair.
struct Gathered {
  WorstPair pair;
  PairEvidence evidence;
  std::optional<std::int64_t> scored = {};      // pairs, of a search that was stopped
  std::optional<Decision> decision = {};        // of a method that decides for itself
  std::optional<CanaryEvidence> canaries = {};  // then `pair` is one input, with every coin at 0
};

// Which quantity a claim bounds, and at what epsilon or delta.
struct ClaimedQuantity {
  QuantityKind kind = QuantityKind::kMu;
  double at = 0.0;     // epsilon of an (epsilon, delta) or pure claim
  double limit = 0.0;  // largest value that the claim allows
};
ClaimedQuantity claimed_quantity(const PrivacyLevel& claim);
// The delta at which epsilon is reported: the claim's, or delta0.
double reported_delta(const AuditTerms& terms);

// Verified needs an upper bound at or below the claim: the pair's, or `all_pairs` (a proved
// guarantee of the policy over all pairs) for the wider scope. A failed check of the reported
// probabilities allows no verdict but Inconclusive.
Decision decide(const PrivacyLevel& claim, const PairEvidence& evidence,
                const std::optional<Guarantee>& all_pairs);

// One row a round from the mean of log P - log Q in each round, under the old side and under the new.
std::vector<RoundRow> round_rows(const std::vector<double>& old_means,
                                 const std::vector<double>& new_means);

// To people; enum_names are for files.
std::string to_string(Verdict verdict);  // "Violated", "Verified", "NotRefuted", "Inconclusive"
std::string to_string(Scope scope);      // "this pair", "all pairs"

}  // namespace assay
