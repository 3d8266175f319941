#include "assay/cli/methods.hpp"

namespace assay::cli {
namespace {

constexpr MethodDescription kMethods[] = {
    {"exact", "every outcome with both probabilities, or a loss known in closed form",
     "Enumerates the transcripts of a case, with their exact probabilities on both sides of a "
     "pair, up to actions^horizon = 2^24 of them; of a mechanism its outputs, or a statistic "
     "that is sufficient for the pair, or the closed form or composition of its privacy loss. "
     "Bounds are exact, numerical error carried outward.",
     "auditors/methods/exact.hpp, auditors/methods/known_profile.hpp"},
    {"likelihood", "sampled transcripts or outputs with exact losses, certified by betting",
     "Samples transcripts of a policy or outputs of a mechanism and computes the exact privacy "
     "loss of each; confidence bounds on its mean functionals bound the privacy profile from "
     "both sides.",
     "auditors/methods/likelihood.hpp"},
    {"release", "sampled actions with the exact losses of what was released, certified by betting",
     "Plays a policy whose actions follow from noisy values that it draws of its input, on both sides of a "
     "pair. The loss of everything released is exact, and bounds that of the actions from above; from below "
     "an event of actions is certified, each play counting for both sides by its posterior.",
     "auditors/methods/release.hpp"},
    {"auto", "exact where it is cheap, else likelihood; external targets: one-run, then events",
     "Exact where it is cheap (up to 2^20 transcripts), else likelihood. External targets can only "
     "be played: a one-run probe with a tenth of alpha, then events if that refutes nothing.",
     "auditors/engine/audit.hpp"},
    {"events", "external targets, mechanisms: how often one event happens on each side of a pair",
     "Searches neighbouring inputs, learns a score of outputs and an event of it, and bets on the "
     "event in fresh plays, each on the side that a coin decides: valid for targets that drift or "
     "remember. Recorded plays are counted by an exact test.",
     "auditors/methods/black_box/certify.hpp, auditors/statistics/side_betting.hpp"},
    {"one-run", "external targets: private coins in one transcript, guessed",
     "Fair coins set many entries of one input; after a single play the auditor guesses those "
     "that the output tells most about, as many as training transcripts advised, and counts the "
     "right guesses. It holds for claims about replacing one such entry, however the guesses "
     "depend on each other, and takes one transcript (--samples R for more). Entries that a "
     "target reads one by one make it strong; in a learner's transcript they interfere, and "
     "events finds far more with as many plays. Contextual targets have no such entries.",
     "Steinke, Nasr, Jagielski (NeurIPS 2023); Mahloujifar, Melis, Chaudhuri (ICML 2025); "
     "auditors/statistics/one_run.hpp"}};

}  // namespace

std::span<const MethodDescription> audit_methods() { return kMethods; }

}  // namespace assay::cli
