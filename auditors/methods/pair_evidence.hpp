// The evidence of a method about one neighbouring pair, and the verdict that follows from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/auditors/methods/output_frequencies.hpp"
#include "assay/auditors/methods/pair_histogram.hpp"
#include "assay/auditors/methods/reported_quantity.hpp"
#include "assay/auditors/statistics/side_e_process.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// The confidence band of the privacy profile, over both orientations of the pair.
struct ProfilePoint {
  double epsilon = 0.0;
  double lower = 0.0;
  double estimate = 0.0;
  double upper = 1.0;
  static auto byte_fields(auto& self) {
    return std::tie(self.epsilon, self.lower, self.estimate, self.upper);
  }
};

// The trade-off curve: type II error against type I error of the best test between P and Q.
struct TradeOffPoint {
  double type_one = 0.0;
  double lower = 0.0;
  double estimate = 0.0;
  double upper = 1.0;
};

struct RoundRow {
  std::int64_t round = 0;            // counted from 1
  double mean_loss_base = 0.0;       // mean privacy loss of this round on D (KL, nats)
  double mean_loss_neighbour = 0.0;  // the same on D', with P and Q exchanged
  int witness_action = -1;           // arm of the witness transcript, counted from 0; -1 for none
  double witness_loss = 0.0;         // log P/Q of the witness up to and including this round
};

// One transcript with both of its exact probabilities, which anyone can recompute.
struct WitnessPath {
  std::vector<int> actions;  // a prefix of a transcript is an event as well
  double log_probability_base = 0.0;
  double log_probability_neighbour = 0.0;
  double mu = 0.0;  // the mu that this event alone implies
};

struct LedgerEntry {
  std::string purpose;
  double alpha = 0.0;
};

// The kind of value that a check computes. A small p-value is an alarm, and so is a large e-value. (1/p is not an
// e-value, because its expectation is infinite.)
enum class CheckMeasure {
  kNone,    // no value: something was seen or was not
  kPValue,  // alarm at or below the limit
  kEValue,  // alarm at or above the limit
};

// The check of an assumption of an audit.
struct CheckResult {
  std::string name;
  std::string meaning;
  CheckMeasure measure = CheckMeasure::kNone;
  double value = 0.0, limit = 0.0;  // of the measure
  bool passed = true;               // whether there was no alarm
  bool checked = true;              // if false, `meaning` gives the reason

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

// The event whose counts give the bounds of a black-box audit.
struct EventEvidence {
  std::string score;  // the function of an output by which the event is defined
  std::string event;  // "the score is at least 1.25"
  std::int64_t base_hits = 0, base_runs = 0;
  std::int64_t neighbour_hits = 0, neighbour_runs = 0;
  PairHistogram scores;  // of the same runs; the end bins include everything beyond them
  std::optional<EventRounds> rounds = {};  // that the event reads, if not the whole output
};

// The failed runs among the certified or recorded runs. A failure counts as an output like any other.
struct FailureEvidence {
  std::int64_t base_failed = 0, base_runs = 0;
  std::int64_t neighbour_failed = 0, neighbour_runs = 0;
  std::string said;  // the message of the first of them
};

// An estimate, fixed before certification: the smallest leak that the audit would have seen with this probability.
struct SmallestVisible {
  double level = 0.0;  // the claim's eps at its delta, or mu
  double power = 0.0;
  std::string assuming;  // of such a leak: "an event as frequent as the counted one"
  std::int64_t samples_needed =
      0;  // certified runs on each input that would see the asked level; 0: not known
};

// Every run that a black-box audit requested, on both inputs together, by its purpose.
struct RunsSpent {
  std::int64_t probe = 0;   // for the pre-screen by canaries, before any search for a pair
  std::int64_t search = 0;  // for the search for a pair
  std::int64_t learning =
      0;  // for an event of the pair, and the target's speed if there is a time budget
  std::int64_t certified = 0;
  std::int64_t checks = 0;
  std::optional<std::int64_t> budget;  // for all of these runs
  std::string left_undone;             // the parts that a budget cut off; or empty

  std::int64_t all() const { return probe + search + learning + certified + checks; }
};

// The most that a search saw, if it ended before anything was certified. It proves nothing.
struct SearchEstimate {
  double level = 0.0;  // in the claim's eps or mu
  std::string event;
};

// The evidence of a method about one neighbouring pair.
struct PairEvidence {
  std::string method;  // "exact", "likelihood", "release", "events" or "one-run"
  std::vector<ReportedQuantity> quantities;
  std::vector<ProfilePoint> profile;     // larger orientation at each epsilon
  std::vector<TradeOffPoint> trade_off;  // D against D'
  PairHistogram losses;
  std::vector<RoundRow> rounds;
  std::optional<WitnessPath> witness;
  std::optional<EventEvidence> event;
  std::optional<SearchEstimate> estimate;
  // What outputs look like on both inputs: estimates from learning runs, or exact. No bound rests on them.
  std::optional<OutputFrequencies> frequencies;
  // From the certified runs against the claim, for later audits to add to; worthless if they prove nothing.
  std::optional<ClaimEProcess> e_process;
  std::optional<FailureEvidence> failures;  // of a target's runs, if any failed
  std::vector<LedgerEntry> ledger;
  std::vector<CheckResult> checks;
  std::vector<std::string> limits;  // statements that this method cannot make
  std::optional<SmallestVisible> smallest_visible;
  std::int64_t samples = 0;          // transcripts on each input used for certification
  std::int64_t samples_planned = 0;  // transcripts on each input requested
  std::int64_t tilted_samples = 0;   // further ones, in total
  std::optional<RunsSpent> runs;     // of a target
  bool interrupted = false;
  bool no_noise =
      false;  // outputs with different seeds never varied, on two neighbours that differ
  bool constant = false;   // certified runs gave one output on both inputs, without a conviction
  bool dependent = false;  // runs of a target are not independent of each other
  std::string refutation;  // why a pure claim is violated, in the case's own sentence; or empty
};

struct WorstPair {
  InputPair inputs;         // unknown for recorded runs; an edit without values: one input, no pair
  std::string found_by;     // one line: the search and the number of pairs
  bool shows_both = false;  // more than one entry may differ, so the report writes out both inputs
  InputShape shape = {};    // gives the names of rows and columns

  std::int64_t position() const;  // of the first entry that differs, from 1, row by row; 0: none
  double base_value() const;      // there; NaN if that input has one value fewer
  double neighbour_value() const;
};

// The evidence of the one-run method: random coins in the input, and guesses of them from the output.
struct CanaryEvidence {
  std::int64_t canaries = 0;  // of all certified runs
  std::int64_t guesses = 0;
  std::int64_t correct = 0;
  std::int64_t training = 0;  // transcripts that the guesser learnt from
  double p_value = 1.0;       // of that many right guesses under the claim
};

enum class Verdict {
  kViolated,    // a certified lower bound lies above the claim
  kVerified,    // a sound upper bound lies at or below the claim; see `scope`
  kNotRefuted,  // neither, by an audit that would have seen a leak of the level asked (strength.hpp)
  kWeak,        // neither, and the audit may have missed such a leak
  kInconclusive,        // stopped early, or a check of the reported probabilities failed
  kVerifiedIfReported,  // an upper bound at or below the claim, if the target's probabilities are right
};
constexpr std::array<std::pair<Verdict, std::string_view>, 6> enum_names(Verdict) {
  return {{{Verdict::kViolated, "Violated"},
           {Verdict::kVerified, "Verified"},
           {Verdict::kNotRefuted, "NotRefuted"},
           {Verdict::kWeak, "Weak"},
           {Verdict::kInconclusive, "Inconclusive"},
           {Verdict::kVerifiedIfReported, "VerifiedIfReported"}}};
}

enum class Scope { kThisPair, kAllPairs };
constexpr std::array<std::pair<Scope, std::string_view>, 2> enum_names(Scope) {
  return {{{Scope::kThisPair, "this-pair"}, {Scope::kAllPairs, "all-pairs"}}};
}

struct Decision {
  Verdict verdict = Verdict::kInconclusive;
  Scope scope = Scope::kThisPair;
  std::string reason;                       // one sentence with the reason for this verdict
  std::optional<PrivacyLevel> proved = {};  // of every pair, if that verifies the claim
};

// What the statements of an audit are about, and their confidence. Plans and reports derive from this, so that one can
// be made from the terms of another: `ReleasePlan plan{audit.terms()}`.
struct AuditTerms {
  std::string claim_text;  // as the user wrote it
  PrivacyLevel claim = PureDp{};
  // The leak that the audit should see, in the claim's eps or mu; none: 1.5 times the claim (strength.hpp).
  std::optional<double> see = {};
  double confidence = 0.999;
  Delta delta0{1e-6};  // mu is reported over delta >= delta0, and eps at delta0 for a claim in mu
  std::uint64_t seed = 1;

  const AuditTerms& terms() const { return *this; }
};

// The evidence of one method, and its pair.
struct Gathered {
  WorstPair pair;
  PairEvidence evidence;
  std::optional<std::int64_t> scored = {};      // pairs, if the search was stopped
  std::optional<Decision> decision = {};        // of a method that decides for itself
  std::optional<CanaryEvidence> canaries = {};  // if set, `pair` is one input, with every coin at 0
};

// The quantity that a claim bounds, and its epsilon or delta.
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

// One row per round, from the mean of log P - log Q in each round, on D and on D'.
std::vector<RoundRow> round_rows(const std::vector<double>& base_means,
                                 const std::vector<double>& neighbour_means);

// Texts for people. Files use enum_names() instead.
std::string to_string(Verdict verdict);  // as in enum_names()
std::string to_string(Scope scope);      // "this pair", "all pairs"

}  // namespace assay
