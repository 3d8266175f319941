#include "assay/cli/methods.hpp"

namespace assay::cli {
namespace {

constexpr MethodDescription kMethods[] = {
    {"exact", "the exact probability of every outcome on both inputs, or a loss in closed form",
     "Enumerates the transcripts of a policy, at most actions^horizon = 2^24, with their exact "
     "probabilities on both inputs of a pair. For a mechanism it enumerates the outputs or a "
     "statistic that is sufficient for the pair, or uses the closed form or the composition of "
     "its privacy loss. Bounds are exact, with numerical error carried outward.",
     "auditors/methods/exact.hpp, auditors/methods/known_profile.hpp"},
    {"likelihood", "sampled transcripts or outputs with exact losses, certified by betting",
     "Samples transcripts of a policy or outputs of a mechanism, and computes the exact privacy "
     "loss of each. Confidence bounds on means of functions of the loss give lower and upper "
     "bounds on the privacy profile. Of an external target that reports the probabilities of its actions, runs come "
     "first, by the events method, and this method and `exact` add upper bounds that hold if these are right.",
     "auditors/methods/likelihood.hpp, auditors/methods/black_box/reported_pair.hpp"},
    {"release",
     "sampled actions with the exact loss of the release behind them, certified by betting",
     "Runs a policy whose actions follow from noisy values of its input, on both inputs of a "
     "pair. The loss of the whole release is exact, and is an upper bound on the loss of the "
     "actions. For a lower bound the method certifies an event of the actions. Each run counts "
     "for both inputs, weighted by its posterior.",
     "auditors/methods/release.hpp"},
    {"auto", "exact if it is cheap, else likelihood; for external targets one-run, then events",
     "Uses exact if it is cheap (up to 2^20 transcripts), else likelihood. External targets can "
     "only be run: a pre-screen by one-run gets a tenth of alpha, and the events method follows if "
     "the pre-screen refutes nothing.",
     "auditors/engine/audit.hpp"},
    {"events", "external targets, mechanisms: how often one event happens on each input of a pair",
     "Searches for a pair of neighbouring inputs, learns a score of outputs and an event of the "
     "score, and bets on the event in fresh runs. A coin decides the input of each run, so the "
     "bound is valid even for targets that drift or remember. An exact test counts recorded runs.",
     "auditors/methods/black_box/certify.hpp, auditors/statistics/side_betting.hpp"},
    {"one-run", "external targets: private coins in the input, guessed from one transcript",
     "Fair coins set many entries of one input. After a single run the auditor guesses the coins "
     "about which the output reveals most, as many as training transcripts suggest, and counts the "
     "right guesses. The bound holds for claims about replacing one such entry, however the "
     "guesses depend on each other. The method needs one transcript (--samples R takes more). It "
     "is strong if a target reads entries one by one. In the transcript of a learner the entries "
     "interfere, and the events method finds far more with as many runs. Contextual targets have "
     "no such entries.",
     "Steinke, Nasr, Jagielski (NeurIPS 2023); Mahloujifar, Melis, Chaudhuri (ICML 2025); "
     "auditors/statistics/one_run.hpp"}};

}  // namespace

std::span<const MethodDescription> audit_methods() { return kMethods; }

}  // namespace assay::cli
