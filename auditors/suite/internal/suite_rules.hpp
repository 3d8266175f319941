// The rules of a suite's findings, which reports for other programs share: what each means, and what to do about it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay::detail {

// Rules are the same in every report, since a reader compares reports by their results.
struct SuiteRule {
  std::string_view id;       // as SuiteFinding::rule()
  std::string_view name;     // in SARIF
  std::string_view about;    // one sentence
  std::string_view meaning;  // what was found, and what it does not say
  std::string_view next;     // what to do
};
inline constexpr std::array<SuiteRule, 10> kSuiteRules = {
    {{"violated", "GuaranteeViolated", "A claimed guarantee is violated.",
      "A certified lower bound of the privacy loss is above the claim of the entry, or that of a regret "
      "above its limit, or a published claim, an account or a requirement is refuted. The bound holds at the confidence of the suite, so running "
      "it again does not make it go away.",
      "Correct the policy, its noise or its claim."},
     {"could-not-run", "CouldNotRun", "An entry could not run.",
      "The audited program failed, or the job ended with an error, so nothing is known about the guarantee.",
      "Correct the program or its set-up; `assay try` checks a program with ten runs."},
     {"misconfigured", "Misconfigured",
      "An entry asks for something that does not exist or does not fit.", "Nothing was audited.",
      "Correct the entry in the suite's file; `assay suite list` checks it and runs nothing."},
     {"weak", "Weak", "An entry would have missed a leak of the size that it should see.",
      "Nothing was refuted, but by a test too weak to tell.",
      "Give the entry more runs or time, or accept less with `see`."},
     {"inconclusive", "Inconclusive", "An entry was not decided.",
      "The run ended early, or the bounds of an account or a regret lie on both sides of what is allowed.",
      "Give the entry more time, and a regret more runs."},
     {"new-violation", "NewViolation", "A guarantee is violated that held in the baseline.",
      "See the rule violated. A change since the baseline caused it.",
      "Find the change since the baseline that caused it, and correct it."},
     {"still-violated", "StillViolated", "A guarantee is violated, as it was in the baseline.",
      "A baseline does not excuse a violation.",
      "Correct it, or suppress it with a reason, an owner and a day."},
     {"weaker-bound", "WeakerBound",
      "A certified bound is weaker than the baseline's, beyond tolerance.",
      "The upper bound of a privacy loss or an error grew, or the entry allows more than it did.",
      "Find the change that weakened it. If it is meant, update the baseline with `assay suite "
      "update` and have the difference reviewed."},
     {"lost-power", "LostPower", "The audit would see less than it did in the baseline.",
      "The smallest violation that this run would have seen grew.",
      "Give the entry more samples or time. If it is meant, update the baseline with `assay suite "
      "update`."},
     {"regressed", "Regressed",
      "An entry is slower than in the baseline, has vanished, or differs otherwise.",
      "The message says how it differs.",
      "Find the change that caused it. If it is meant, update the baseline with `assay suite update` "
      "and have the difference reviewed."}}};

// The index of a finding's rule; changes that have no rule of their own are of the last.
constexpr std::size_t suite_rule_of(std::string_view rule) {
  for (std::size_t i = 0; i < kSuiteRules.size(); ++i) {
    if (kSuiteRules[i].id == rule) return i;
  }
  return kSuiteRules.size() - 1;
}

}  // namespace assay::detail
