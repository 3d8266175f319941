#include "assay/auditors/audit/audit_job.hpp"

namespace assay {
namespace {

// Counts of nanoseconds, and of plays in them, stay within 63 bits.
constexpr double kMostSeconds = 1e9;
constexpr std::string_view kGroup = "External targets (docs/protocol.md)";

using F = const AuditFacts&;
using Use = OptionUse<AuditFacts>;
constexpr Use kCases = {"cases, not for external targets", [](F f) { return f.is_case(); }};
constexpr Use kBudgeted = {"cases, and external targets that are played by the events method",
                           [](F f) { return f.is_case() || (f.is_played() && f.by_events()); }};
constexpr Use kNotRecorded = {"what is played, not for recorded plays",
                              [](F f) { return !f.is_recorded(); }};
constexpr Use kPlayed = {"external targets that are played", [](F f) { return f.is_played(); }};
constexpr Use kPlayActions = {"external targets that play actions",
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
                .help = "What to audit; `assay list cases` names them",
                .is_positional = true},
               kCases));
  visit(option(
      &J::parameters,
      parameter_option("A parameter of the case, repeatable; `assay explain CASE` lists them"),
      kCases));
  visit(option(
      &J::claim,
      {.name = "claim",
       .help = "\"eps=1\", \"eps=1,delta=1e-6\" or \"mu=sqrt(T/2)\": arithmetic over the case's "
               "parameters (default: what the case itself guarantees)"}));
  visit(option(&J::input,
               {"input", "FILE",
                "Private input: one round per line, as many as the horizon; for a "
                "mechanism both neighbours, one row of numbers each; see `assay "
                "explain CASE`"},
               kNotRecorded));
  visit(option(&J::column, {"column", "NAME", "Read --input as CSV and take this column"},
               {"a case that reads a stream of rewards from --input",
                [](F f) { return f.reads_stream && f.has_input; }}));
  visit(option(&J::features,
               {"features", "FILE",
                "Features of the arms, a CSV line an arm, in place of generated ones; short for "
                "-p feature_file=FILE"},
               {"a case that reads features of arms", [](F f) { return f.reads_features; }}));
  visit(
      option(&J::method, {.name = "method",
                          .help = "auto, exact or likelihood; release where losses are of what is "
                                  "released; for a mechanism also events; for an external target "
                                  "auto, events or one-run",
                          .shows_default = true}));
  visit(option(&J::confidence,
               {.name = "confidence",
                .help = "Probability that every statement of the report holds, 0.5 to below 1",
                .environment = "ASSAY_CONFIDENCE",
                .shows_default = true}));
  visit(option(
      &J::delta0,
      {.name = "delta0", .help = "Also report mu over delta >= delta0", .shows_default = true},
      {"cases audited by exact or likelihood, and for claims in mu",
       [](F f) { return f.claims_mu || (f.is_case() && !f.by_events()); }}));
  visit(option(&J::seed,
               {.name = "seed",
                .help = "Random seed (default: a hash of case, parameters, input and method)",
                .range = at_least(0),
                .environment = "ASSAY_SEED"},
               kNotRecorded));
  visit(option(&J::samples,
               {.name = "samples",
                .type = "N",
                .help = "Transcripts to certify with, on each side (default: by method; external "
                        "targets by events: as --plays leaves and the event needs); "
                        "for --method one-run: in all, 1 unless given",
                .range = at_least(1)},
               {"methods that sample: likelihood, release, events and one-run",
                [](F f) { return !f.is_recorded() && f.method != "exact"; }}));
  visit(option(&J::seconds,
               {.name = "time",
                .type = "SECONDS",
                .help = "Time budget of the whole run in seconds; the report says how it was "
                        "spent",
                .range = {0.1, kMostSeconds, "seconds"}},
               kBudgeted));
  visit(option(&J::plays,
               {.name = "plays",
                .type = "N",
                .help = "Budget of plays for all of an audit: search, learning, checks and "
                        "certification (default: 40000, unless --samples or --time is given)",
                .group = kGroup,
                .range = {1000, 4e9}},
               {"external targets by the events method",
                [](F f) { return f.is_played() && f.by_events(); }}));
  visit(option(&J::stop_when_decided,
               {.name = "stop-when-decided",
                .help = "End as soon as an (eps, delta) claim is refuted or, for an external "
                        "target, little is left to see (--margin)"},
               {"policies audited by likelihood, and for events that are played", [](F f) {
                  return (f.by_likelihood() && !f.reads_pair) ||
                         (f.by_events() && !f.is_recorded());
                }}));
  visit(option(&J::stop_after,
               {.name = "stop-after",
                .type = "N",
                .help = "End after this many of --samples; repeats an interrupted run",
                .range = at_least(0)},
               {"the likelihood and release methods with --samples",
                [](F f) { return (f.by_likelihood() || f.by_release()) && f.has_samples; }}));
  visit(option(&J::search,
               {.name = "search",
                .type = "N",
                .help = "Pairs of inputs to score when looking for the worst (default: by "
                        "size); repeats a search that --time ended",
                .range = at_least(0)},
               {"policies over a stream of rewards, and dueling and sparse policies by release",
                [](F f) { return f.reads_stream || f.draws_pairs; }}));
  visit(option(&J::run, &RunOptions::threads, threads_option("the result")));
  visit(option(&J::run, &RunOptions::format, format_option("text, json or html")));
  visit(option(&J::run, &RunOptions::quiet, quiet_option()));
  visit(option(&J::run, &RunOptions::write, write_option("; .txt, .json or .html")));

  visit(option(
      &J::exec,
      {"exec", "COMMAND", "Audit the program of this command, started without a shell", kGroup},
      {"a program", [](F f) { return f.is_program(); }}));
  visit(option(&J::plugin,
               {"plugin", "FILE", "Audit this shared library (assay_policy_v1.h)", kGroup},
               {"a shared library", [](F f) { return f.subject == SubjectKind::kPlugin; }}));
  visit(option(&J::transcripts,
               {.name = "transcripts",
                .type = "OLD NEW",
                .help = "Audit plays recorded on two neighbouring inputs",
                .group = kGroup,
                .words = 2},
               {"recorded plays", [](F f) { return f.is_recorded(); }}));
  visit(option(&J::shape, &InputShape::kind, {"kind", "KIND", kinds_help(), kGroup}, kPlayed));
  visit(option(&J::shape, &InputShape::arms,
               {"arms", "K", "Actions K of the target (default: 2)", kGroup}, kPlayActions));
  visit(option(&J::shape, &InputShape::horizon,
               {"horizon", "T", "Rounds T of a play (default: 100)", kGroup}, kPlayActions));
  visit(option(&J::shape, &InputShape::dimension,
               {"dimension", "D", "Entries of a context (contextual)", kGroup},
               {"external targets of --kind contextual",
                [](F f) { return f.is_played() && traits_of(f.kind).has_contexts(); }}));
  visit(option(&J::shape, &InputShape::inputs,
               {"inputs", "N", "Values of the input (mechanism)", kGroup}, kPlayMechanism));
  visit(option(&J::shape, &InputShape::outputs,
               {"outputs", "N", "Numbers of the output (mechanism)", kGroup}, kPlayMechanism));
  visit(option(&J::shape, &InputShape::stops,
               {.name = "stops",
                .help = "A play may end before round T, or before the last number of a mechanism; "
                        "when is seen",
                .group = kGroup},
               kPlayed));
  visit(option(&J::shape, &InputShape::numbers,
               {"numbers", "N", "Numbers that each round tells beside its action", kGroup},
               kPlayActions));
  visit(option(&J::shape, &InputShape::estimates,
               {"estimates", "N", "Numbers that are told at the end", kGroup}, kPlayActions));
  visit(option(&J::neighbour,
               {"neighbour", "FILE",
                "The neighbour of --input (default: neighbours of it are searched, or pairs where "
                "--input is not given either)",
                kGroup},
               kPlayed));
  visit(option(&J::domain,
               {"domain", "LOW:HIGH|integers",
                "Values that the input may hold, as in 0:1; told to the target (default: what the "
                "kind says)",
                kGroup},
               kPlayed));
  visit(option(&J::neighbours,
               {"neighbours", "RELATION",
                "Inputs that count as neighbours; told to the target. one: one round, or one value "
                "of a mechanism, which moves by at most 1, or within a bounded --domain; of a "
                "mechanism also all (each moves by at most 1), l2:S (all, by S in Euclidean norm) "
                "and add-remove (one value more or fewer) (default: one)",
                kGroup},
               kPlayed));
  visit(option(&J::changed_row,
               {.name = "changed-row",
                .type = "ROW",
                .help = "Where the inputs of --transcripts differ (default: 1)",
                .group = kGroup,
                .range = at_least(1)},
               {"--transcripts of plays with rounds",
                [](F f) { return f.is_recorded() && !f.is_mechanism(); }}));
  visit(
      option(&J::vary,
             {"vary", "NAME=LOW:HIGH|A,B,C",
              "Search this free parameter too: {NAME} in --exec stands for its value, and "
              "the claim may use NAME; repeatable",
              kGroup},
             {"--exec by the events method", [](F f) { return f.is_program() && f.by_events(); }}));
  visit(option(&J::settings,
               {.name = "settings",
                .type = "N",
                .help = "Combinations of --vary, 1 to 16 (default: 8)",
                .group = kGroup,
                .range = at_least(1)},
               {"--vary", [](F f) { return f.is_program() && f.by_events() && f.varies; }}));
  visit(option(&J::margin,
               {"margin", "X",
                "With --stop-when-decided: also end once the event shows no leak this far "
                "above the claim (eps, or mu of a claim in mu), at power 0.9 (default: 0.1)",
                kGroup},
               {"external targets with --stop-when-decided",
                [](F f) { return f.is_played() && f.by_events() && f.stops_when_decided; }}));
  visit(option(
      &J::round_outputs,
      {"round-outputs", "STEP",
       "Look at numbers that are told only as rounded to multiples of this: "
       "the low bits of most floating-point noise give the input away",
       kGroup},
      {"external mechanisms, and targets with --numbers or --estimates, by the events method",
       [](F f) { return !f.is_case() && f.tells_numbers && f.by_events(); }}));
  visit(
      option(&J::canaries,
             {.name = "canaries",
              .type = "N",
              .help = "--method one-run: entries of the input to flip, the first N (default: all)",
              .group = kGroup,
              .range = at_least(1)},
             kOneRun));
  visit(option(&J::training,
               {.name = "training",
                .type = "N",
                .help = "--method one-run: transcripts to learn the guesses from (default: 400)",
                .group = kGroup,
                .range = at_least(20)},
               kOneRun));
  visit(option(&J::deterministic,
               {.name = "deterministic",
                .help = "Plays of one input are meant to be identical; unless this is said, "
                        "identical plays decide nothing",
                .group = kGroup},
               kPlayed));
  visit(option(&J::answer_time,
               {.name = "answer-time",
                .type = "SECONDS",
                .help = "Longest wait for an answer (default: 60)",
                .group = kGroup,
                .range = {0.01, kMostSeconds, "seconds"}},
               kPlayed));
  visit(option(&J::env, environment_option(kGroup), kPlayed));
  visit(option(
      &J::failures,
      {.name = "failures",
       .type = "WHAT",
       .help =
           "What is a failure of its run, and so its output, beside exceptions, exits and crashes: "
           "time-out, memory or both, with a comma; otherwise they end the audit",
       .group = kGroup},
      kPlayed));
}

}  // namespace assay
