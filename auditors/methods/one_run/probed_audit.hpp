// A black-box audit that begins with a first look at whether runs vary at all (first_look.hpp), which ends
// it if they do not, and with a one-run pre-screen.
//
// If a program leaks many entries, a few hundred transcripts with private coins in all entries convict it before
// any pair is known. So the pre-screen comes first, with a small share of alpha and of
// the runs. If it refutes the claim, the audit ends with its evidence, which is about no single pair.
// If it does not, the audit uses none of its results, and searches pairs with the rest of both.
//
// Validity: each part errs with probability at most its share of alpha, whatever the target remembers
// of the other (one_run_audit.hpp, certify.hpp), and both together with at most the sum of the shares. They have
// coins and seeds of their own.
#pragma once

#include <optional>
#include <span>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/canaries.hpp"

namespace assay {

inline constexpr double kProbeShare = 0.1;  // of alpha

// Whether a pre-screen is worthwhile: there is one setting, runs vary and their outputs are seen whole, there are
// at least eight entries, and the pre-screen is a small part of the runs.
bool can_probe(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
               const Canaries& canaries);

// Without canaries, or if a pre-screen is not worthwhile, this is the same as audit_black_box().
Result<BlackBoxOutcome> audit_probed(std::span<const PlayedSubject> subjects,
                                     const BlackBoxPlan& plan,
                                     const std::optional<Canaries>& canaries,
                                     const RunControl& control);

}  // namespace assay
