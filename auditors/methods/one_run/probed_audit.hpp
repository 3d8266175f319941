// A black-box audit that begins with a first look at whether runs vary at all (first_look.hpp), which ends
// it where they do not, and with a one-run probe.
//
// A program that leaks many of its entries is convicted by a few hundred transcripts with private coins
// in all of them, before any pair is known. So the probe comes first, with a small share of alpha and of
// the plays. Where it refutes the claim, the audit ends with its evidence, which is about no single pair.
// Where it does not, nothing of it is used, and the pairs are searched with the rest of both.
//
// Validity: each part errs with probability at most its share of alpha, whatever the target remembers
// of the other (one_run_audit.hpp, certify.hpp), and the union of both at most with their sum. They have
// coins and seeds of their own.
#pragma once

#include <optional>
#include <span>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/canaries.hpp"

namespace assay {

inline constexpr double kProbeShare = 0.1;  // of alpha

// Whether there is something to probe for: one setting, plays that vary and are looked at whole, at least
// eight entries, and plays enough that a probe is a small part of them.
bool can_probe(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
               const Canaries& canaries);

// Without canaries, or where there is nothing to probe for, audit_black_box.
Result<BlackBoxOutcome> audit_probed(std::span<const PlayedSubject> subjects,
                                     const BlackBoxPlan& plan,
                                     const std::optional<Canaries>& canaries,
                                     const RunControl& control);

}  // namespace assay
