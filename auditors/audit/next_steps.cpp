#include "assay/auditors/audit/next_steps.hpp"

#include <fmt/format.h>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {

namespace {

constexpr double kSlow = 50.0;  // runs a second

bool is_played(const AuditReport& report) {
  return report.case_id == "exec" || report.case_id == "plugin";
}

// The runs in all with which an audit like this one would see the level that it should; nothing if not known.
std::optional<double> runs_to_see(const AuditReport& report) {
  const auto& runs = report.evidence.runs;
  if (!runs || runs->certified == 0 || report.strength->samples_needed == 0) return {};
  const double share = static_cast<double>(runs->certified) / static_cast<double>(runs->all());
  return rounded_count(2.0 * static_cast<double>(report.strength->samples_needed) / share);
}

std::string level_number(double level) { return rounded_up(level, 3); }

std::string option_of(StepsFor reader, const std::string& name, const std::string& value = "") {
  const bool is_key = reader == StepsFor::kSuite;
  const std::string text = is_key ? name : "--" + name;
  return value.empty() ? text : text + (is_key ? " = " : " ") + value;
}

std::string method_of(StepsFor reader, const std::string& name) {
  return option_of(reader, "method", reader == StepsFor::kSuite ? "\"" + name + "\"" : name);
}

// Of an audit that may have looked at a program without its noise.
std::vector<std::string> for_constant(const AuditReport& report) {
  if (!report.evidence.constant) return {};
  std::string step =
      "If the program should be random, draw its noise from the seed that comes with each run.";
  if (is_played(report)) step += " Check it with ten runs: assay try.";
  return {step};
}

std::vector<std::string> for_weak(const AuditReport& report, StepsFor reader) {
  std::vector<std::string> steps = for_constant(report);
  const auto option = [&](const char* name, const std::string& value = "") {
    return option_of(reader, name, value);
  };
  const Strength& strength = *report.strength;
  const auto runs = runs_to_see(report);
  if (runs) {
    steps.push_back(fmt::format("With {}, and without {}, {} and {}, an audit takes about {} runs.",
                                option("see", rounded(strength.asked, 6)), option("runs"),
                                option("samples"), option("time"),
                                grouped(static_cast<std::int64_t>(*runs))));
  } else if (report.evidence.method == "one-run") {
    steps.push_back(fmt::format("Run it again with more {}, or by {}.", option("samples"),
                                method_of(reader, "events")));
  } else if (report.evidence.method != "exact") {
    steps.push_back(fmt::format("Run it again with more {} or {}; {} needs none, where it applies.",
                                option("samples"), option("time"), method_of(reader, "exact")));
  }
  if (strength.level && !strength.is_bound) {
    steps.push_back(
        fmt::format("Or accept a weaker test: {}.", option("see", level_number(*strength.level))));
  }
  if (is_black_box(report) && !report.canaries && (!runs || *runs > kManyRuns)) {
    steps.push_back(kStrongerTests);
  }
  return steps;
}

std::vector<std::string> for_not_refuted(const AuditReport& report) {
  std::vector<std::string> steps = for_constant(report);
  const double claimed = claimed_level(report.claim);
  if (const auto level = report.strength->level; level && *level > claimed) {
    steps.push_back(fmt::format("To see a smaller leak, run it again with --see {}.",
                                level_number(0.5 * (claimed + *level))));
  }
  if (is_played(report) && report.pair.shape.traits().has_rounds()) {
    steps.push_back(
        "Audit the longest horizon that you use too: a leak that accumulates shows only there.");
  }
  steps.push_back("Keep it checked in CI: assay suite init.");
  return steps;
}

std::vector<std::string> for_violated(const AuditReport& report, StepsFor reader) {
  std::vector<std::string> steps;
  if (is_by_low_bits(report)) {
    const auto& again = report.if_rounded;
    steps.push_back(fmt::format(
        "The lowest bits of floating-point outputs give the input away. If you publish rounded "
        "outputs, audit these: {}. If not, use noise on a grid (assay list mechanisms).",
        option_of(reader, "round-outputs", again ? rounded(again->grid, 12) : "1e-6")));
  }
  if (is_played(report)) {
    const bool is_mechanism = !report.pair.shape.traits().has_rounds();
    steps.push_back(fmt::format(
        "Correct the noise, or claim what it gives. If one record cannot change this much, "
        "say what can change: {}.",
        option_of(reader, "domain") +
            (is_mechanism ? ", " + option_of(reader, "neighbours") : "")));
  }
  if (report.canaries) {
    steps.push_back(fmt::format("Guesses name no pair of inputs. To see one whose runs differ: {}.",
                                method_of(reader, "events")));
  } else if (has_pair(report)) {
    steps.push_back(
        report.replay.empty() ? "Save the pair for a unit test: -w report.json has both inputs."
        : has_short_replay(report)
            ? "See where runs diverge by the replay command; its inputs make a unit test."
            : "See where runs diverge by the replay command (in --full and on the page); its inputs make "
              "a unit test.");
  }
  return steps;
}

std::vector<std::string> for_inconclusive(const AuditReport& report) {
  if (!is_black_box(report)) return {};
  const PairEvidence& evidence = report.evidence;
  std::vector<std::string> steps;
  if (evidence.failures) {
    steps.push_back(
        fmt::format("Make the runs not fail. The first one said: {}", evidence.failures->said));
  }
  if (evidence.dependent && is_played(report)) {
    steps.push_back(
        "All runs may share an object that remembers, such as the policy, its counts or a generator: "
        "make a new one in each run. In Python: serve_policy(lambda shape: Policy(shape.arms)).");
  }
  const bool has_no_noise = evidence.no_noise || report.reason == kAlike;
  if (has_no_noise) {
    steps.push_back(
        "If the target should have noise, draw it from the seed that comes with each run. If it should "
        "have none, say so: --deterministic.");
  }
  const bool is_cut = evidence.samples == 0 || evidence.samples < evidence.samples_planned;
  if (report.reason.rfind(kFailedFirst, 0) == 0) {
    steps.push_back(
        "Make the target work first: assay try runs it ten times and shows its answers.");
  }
  if (is_cut && steps.empty()) {
    steps.push_back("Run it again, with more --time or no limit, to certify what this run began.");
  }
  if (is_played(report) && !is_cut) steps.push_back("Check the target with ten runs: assay try.");
  return steps;
}

}  // namespace

std::vector<std::string> next_steps(const AuditReport& report, StepsFor reader) {
  switch (report.verdict) {
    case Verdict::kViolated:
      return for_violated(report, reader);
    case Verdict::kWeak:
      return for_weak(report, reader);
    case Verdict::kNotRefuted:
      if (!is_black_box(report)) return {};
      return for_not_refuted(report);
    case Verdict::kVerified:
      return report.scope == Scope::kAllPairs
                 ? std::vector<std::string>{}
                 : std::vector<std::string>{
                       "Other pairs may leak more: give their inputs by --input."};
    case Verdict::kVerifiedIfReported:
      return {
          "The verdict rests on the probabilities that the target reports: check how it computes "
          "them. Other pairs may leak more: give their inputs by --input."};
    case Verdict::kInconclusive:
      return for_inconclusive(report);
  }
  return {};
}

bool has_short_replay(const AuditReport& report) {
  constexpr std::size_t kMost = 40;  // numbers of an input
  return !report.replay.empty() && report.pair.inputs.base_input().values.size() <= kMost;
}

std::string advice_if_slow(const AuditReport& report) {
  const double pace = report.meta.transcripts_per_second;
  const bool is_short =
      report.verdict == Verdict::kWeak || report.verdict == Verdict::kInconclusive;
  if (!is_short || !is_played(report) || !(pace > 0.0 && pace < kSlow)) return "";
  return fmt::format(
      "The target makes {} runs a second. Import libraries once, before the first run, and answer many "
      "runs in one process (docs/audit-a-program.md).",
      rounded(pace, 2));
}

}  // namespace assay
