#include "assay/auditors/audit/audit_job.hpp"

#include "assay/auditors/audit/target_options.hpp"

namespace assay {
namespace {

// Counts of nanoseconds, and of runs in them, stay within 63 bits.
constexpr double kMostSeconds = 1e9;
constexpr OptionGroup kTarget = OptionGroup::kTarget;
constexpr OptionGroup kClaim = OptionGroup::kClaim;
constexpr OptionGroup kEffort = OptionGroup::kEffort;

using F = const AuditFacts&;
using Use = OptionUse<AuditFacts>;
constexpr Use kCases = {"cases, not for external targets", [](F f) { return f.is_case(); }};
constexpr Use kBudgeted = {"cases, and external targets by the events method",
                           [](F f) { return f.is_case() || (f.is_played() && f.by_events()); }};
constexpr Use kNotRecorded = {"cases and targets that Assay runs, not for recorded runs",
                              [](F f) { return !f.is_recorded(); }};
constexpr Use kPlayed = {"external targets that Assay runs", [](F f) { return f.is_played(); }};
constexpr Use kPlayActions = {"external targets that choose actions",
                              [](F f) { return f.is_played() && !f.is_mechanism(); }};
constexpr Use kPlayMechanism = {"external targets of --kind mechanism",
                                [](F f) { return f.is_played() && f.is_mechanism(); }};
constexpr Use kOneRun = {"--method one-run", [](F f) { return f.method == "one-run"; }};

}  // namespace

void AuditJob::fields(const VisitOption<AuditJob>& visit) {
  using J = AuditJob;
  visit(option(&J::case_id,
               {.name = "case",
                .type = "CASE",
                .help = "Audit this case. `assay list cases` names the cases.",
                .is_positional = true},
               kCases));
  visit(option(
      &J::parameters,
      parameter_option("Set a parameter of the case. `assay explain CASE` lists the parameters."),
      kCases));
  visit(option(&J::input,
               {"input", "FILE",
                "Use this file as the private input: one line for each round of the horizon. For a "
                "mechanism the file has both neighbours, each as one row of numbers."},
               kNotRecorded));
  visit(option(&J::column, {"column", "NAME", "Read --input as CSV and take this column."},
               {"a case that reads a stream of rewards from --input",
                [](F f) { return f.reads_stream && f.has_input; }}));
  visit(option(
      &J::features,
      {"features", "FILE",
       "Read the features of the arms from this CSV file, a line for each arm. It is short for "
       "-p feature_file=FILE."},
      {"a case that reads features of arms", [](F f) { return f.reads_features; }}));
  visit(option(&J::claim,
               {.name = "claim",
                .type = "LEVEL",
                .help = "Compare with this level: \"eps=1\", \"eps=1,delta=1e-6\" or "
                        "\"mu=sqrt(T/2)\", with arithmetic over the parameters of the case.",
                .group = kClaim,
                .default_text = "the guarantee of the case"}));
  visit(option(&J::see,
               {.name = "see",
                .type = "X",
                .help = "See a leak of this size (eps, or mu for a claim in mu) with probability "
                        "0.9. An audit that refutes nothing and would have missed it is Weak "
                        "(exit status 3). For an external target the number of runs follows from "
                        "this, and the audit stops as soon as it is decided.",
                .group = kClaim,
                .range = {0.0, 1e6},
                .formerly = "power",
                .default_text = "1.5 times the claim"}));
  auto confidence = confidence_option("All statements of the report hold together");
  confidence.environment = "ASSAY_CONFIDENCE";
  visit(option(&J::confidence, confidence));
  visit(option(&J::delta0,
               {.name = "delta0",
                .type = "D",
                .help = "Also report the smallest mu that covers the privacy profile where delta "
                        "is at least this.",
                .group = kClaim,
                .shows_default = true},
               {"cases audited by exact or likelihood, and for claims in mu", [](F f) {
                  return f.claims_mu || f.by_reported() || (f.is_case() && !f.by_events());
                }}));
  visit(option(
      &J::method,
      {.name = "method",
       .type = "METHOD",
       .help =
           "Bound the loss by this method. `assay list methods` says what each one does. "
           "A case takes auto, exact, likelihood, release or (a mechanism) events; a "
           "program or plug-in takes auto, events or one-run, and exact or likelihood if it reports "
           "the probabilities of its actions.",
       .group = kEffort,
       .shows_default = true,
       .choices = {"auto", "exact", "likelihood", "release", "events", "one-run"}}));
  visit(option(&J::seconds, time_option({0.1, kMostSeconds, "seconds"}), kBudgeted));
  visit(
      option(&J::runs,
             {.name = "runs",
              .type = "N",
              .help = "Run the target at most this often in the whole audit: for the search, for "
                      "learning, for checks and for certification. There is no limit if "
                      "--samples or --time is given.",
              .group = kEffort,
              .range = {1000, 4e9},
              .formerly = "plays",
              .default_text = "40000"},
             {"external targets by a method other than one-run", [](F f) { return f.by_runs(); }}));
  visit(option(
      &J::samples,
      {.name = "samples",
       .type = "N",
       .help =
           "Certify with this many transcripts on the base input D, and as many on its neighbour "
           "D'. With --method one-run this is the total number of transcripts, by default 1.",
       .group = kEffort,
       .range = at_least(1),
       .default_text = "depends on the method; for events, as many as --runs leaves and the event "
                       "needs"},
      {"methods that sample: likelihood, release, events and one-run",
       [](F f) { return !f.is_recorded() && f.method != "exact"; }}));
  visit(option(
      &J::search,
      {.name = "search",
       .type = "N",
       .help = "Score this many pairs of inputs in the search for the worst one. This reproduces a "
               "search that --time ended.",
       .group = kEffort,
       .range = at_least(0),
       .default_text = "depends on the size of the case"},
      {"policies over a stream of rewards, and dueling and sparse policies by release",
       [](F f) { return f.reads_stream || f.draws_pairs; }}));
  visit(option(
      &J::stop_when_decided,
      {.name = "stop-when-decided",
       .help = "Stop as soon as an (eps, delta) claim is refuted. An audit of a program also "
               "stops once it would have seen a leak of --see.",
       .group = kEffort},
      {"policies audited by likelihood, and for audits by events without --transcripts", [](F f) {
         return (f.by_likelihood() && !f.reads_pair) || f.by_reported() ||
                (f.by_events() && !f.is_recorded());
       }}));
  visit(option(&J::stop_after,
               {.name = "stop-after",
                .type = "N",
                .help = "Stop after this many of --samples. This reproduces an interrupted audit.",
                .group = kEffort,
                .range = at_least(0)},
               {"cases audited by likelihood or release, with --samples", [](F f) {
                  return f.is_case() && (f.by_likelihood() || f.by_release()) && f.has_samples;
                }}));
  visit(option(&J::canaries,
               {.name = "canaries",
                .type = "N",
                .help = "With --method one-run: flip the first N entries of the input.",
                .group = kEffort,
                .range = at_least(1),
                .default_text = "all"},
               kOneRun));
  visit(option(&J::training,
               {.name = "training",
                .type = "N",
                .help = "With --method one-run: learn how to guess from this many transcripts.",
                .group = kEffort,
                .range = at_least(20),
                .default_text = "400"},
               kOneRun));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit(
      option(&J::seed, seed_option("a hash of case, parameters, input and method"), kNotRecorded));
  visit_output(visit, {"text", "json", "html"});
  visit(option(&J::run, &RunOptions::full, full_option()));

  visit(option(&J::exec, exec_option(), {"a program", [](F f) { return f.is_program(); }}));
  visit(option(&J::plugin, plugin_option(),
               {"a shared library", [](F f) { return f.subject == SubjectKind::kPlugin; }}));
  visit(option(&J::transcripts,
               {.name = "transcripts",
                .type = "D D'",
                .help = "Audit runs that were recorded on two neighbouring inputs, with one file "
                        "for each input.",
                .group = kTarget,
                .words = 2},
               {"recorded runs", [](F f) { return f.is_recorded(); }}));
  visit(option(&J::changed_row,
               {.name = "changed-row",
                .type = "ROW",
                .help = "The inputs of --transcripts differ in this row.",
                .group = kTarget,
                .range = at_least(1),
                .default_text = "1"},
               {"--transcripts of runs with rounds",
                [](F f) { return f.is_recorded() && !f.is_mechanism(); }}));
  visit_shape(visit, ShapeUses<AuditFacts>{
                         kPlayed,
                         kPlayActions,
                         {"external targets of --kind contextual",
                          [](F f) { return f.is_played() && traits_of(f.kind).has_contexts(); }},
                         kPlayMechanism});
  visit(option(&J::neighbour,
               {.name = "neighbour",
                .type = "FILE",
                .help = "Use this file as the neighbour of --input.",
                .group = kTarget,
                .default_text = "a search for one, or for a pair if there is no --input"},
               kPlayed));
  visit(option(&J::domain, domain_option(), kPlayed));
  visit(option(
      &J::neighbours,
      {.name = "neighbours",
       .type = "RELATION",
       .help =
           "Inputs are neighbours by this relation, which Assay passes to the target. `one`: one "
           "round differs, or one value of a mechanism by at most 1 or within a bounded "
           "--domain. A mechanism may also have `all` (each value moves by at most 1), "
           "`l2:S` (all values, by S in Euclidean norm) or `add-remove` (one value more "
           "or fewer).",
       .group = kTarget,
       .default_text = "one"},
      kPlayed));
  visit(option(
      &J::vary,
      {"vary", "NAME=LOW:HIGH|A,B,C",
       "Search this free parameter too. {NAME} in --exec stands for its value, and the claim "
       "may use NAME.",
       kTarget},
      {"--exec by the events method", [](F f) { return f.is_program() && f.by_events(); }}));
  visit(option(&J::settings,
               {.name = "settings",
                .type = "N",
                .help = "Try this many combinations of --vary, from 1 to 16.",
                .group = kTarget,
                .range = at_least(1),
                .default_text = "8"},
               {"--vary", [](F f) { return f.is_program() && f.by_events() && f.varies; }}));
  visit(option(
      &J::round_outputs, round_outputs_option(),
      {"external mechanisms, and targets with --numbers or --estimates, by the events method",
       [](F f) { return !f.is_case() && f.tells_numbers && f.by_events(); }}));
  visit(
      option(&J::deterministic,
             {.name = "deterministic",
              .help = "Runs on one input are meant to be identical. Without this option identical "
                      "runs decide nothing.",
              .group = kTarget},
             kPlayed));
  visit(option(&J::answer_time, answer_time_option(kMostSeconds), kPlayed));
  visit(option(&J::env, environment_option(), kPlayed));
  visit(option(&J::memory, memory_option(), kPlayed));
  visit(option(&J::sandbox, sandbox_option(), {"--exec", [](F f) { return f.is_program(); }}));
  visit(option(
      &J::failures,
      {.name = "failures",
       .type = "WHAT",
       .help = "Also count it as a failure of a run, like an exception, an exit or a crash, if the "
               "run exceeds its time (time-out), its memory (memory) or either (time-out,memory). "
               "A failure is the output of its run. Without this option they end the audit.",
       .group = kTarget},
      kPlayed));
}

}  // namespace assay
