#include "assay/cli/audit_options.hpp"

#include <fmt/format.h>

#include "assay/cli/option_use.hpp"

namespace assay::cli {
namespace {

struct AuditJob {
  const AuditTraits& traits;
  const AuditWords& words;
};

bool is_case(const AuditJob& job) { return job.traits.subject == SubjectKind::kCase; }
bool is_recorded(const AuditJob& job) { return job.traits.subject == SubjectKind::kRecorded; }
bool is_played(const AuditJob& job) { return !is_case(job) && !is_recorded(job); }
bool is_program(const AuditJob& job) { return job.traits.subject == SubjectKind::kProgram; }
bool is_mechanism(const AuditJob& job) { return job.traits.kind == InputKind::kMechanism; }
bool by_likelihood(const AuditJob& job) { return job.traits.method == "likelihood"; }
bool by_events(const AuditJob& job) { return job.traits.method == "events"; }
bool by_one_run(const AuditJob& job) { return job.traits.method == "one-run"; }
bool plays_actions(const AuditJob& job) { return is_played(job) && !is_mechanism(job); }
bool plays_mechanism(const AuditJob& job) { return is_played(job) && is_mechanism(job); }
// Transcripts of a policy, by --method likelihood.
bool samples_policy(const AuditJob& job) {
  return by_likelihood(job) && job.traits.input != InputKind::kMechanism;
}

using Use = OptionUse<AuditJob>;
using Job = const AuditJob&;
constexpr Use kAuditOptions[] = {
    {"case", "cases, not for external targets", is_case},
    {"--parameter", "cases, not for external targets", is_case},
    {"--claim"},
    {"--input", "what is played, not for recorded plays",
     [](Job job) { return !is_recorded(job); }},
    {"--column", "a case that reads a stream of rewards from --input",
     [](Job job) {
       return is_case(job) && job.traits.input == InputKind::kBandit && !job.words.input.empty();
     }},
    {"--method"},
    {"--confidence"},
    {"--delta0", "cases audited by exact or likelihood, and for claims in mu",
     [](Job job) { return job.traits.claims_mu || (is_case(job) && !by_events(job)); }},
    {"--seed", "what is played, not for recorded plays", [](Job job) { return !is_recorded(job); }},
    {"--samples", "methods that sample: likelihood, events and one-run",
     [](Job job) { return !is_recorded(job) && job.traits.method != "exact"; }},
    {"--time", "cases, not for external targets", is_case},
    {"--search", "policies over a stream of rewards",
     [](Job job) { return is_case(job) && job.traits.input == InputKind::kBandit; }},
    {"--stop-when-decided", "policies audited by likelihood, and for events that are played",
     [](Job job) { return samples_policy(job) || (by_events(job) && !is_recorded(job)); }},
    {"--stop-after", "the likelihood method with --samples",
     [](Job job) { return by_likelihood(job) && !job.words.samples.empty(); }},
    {"--threads"},
    {"--format"},
    {"--write"},
    {"--exec", "a program", is_program},
    {"--plugin", "a shared library",
     [](Job job) { return job.traits.subject == SubjectKind::kPlugin; }},
    {"--transcripts", "recorded plays", is_recorded},
    {"--kind", "external targets that are played", is_played},
    {"--arms", "external targets that play actions", plays_actions},
    {"--horizon", "external targets that play actions", plays_actions},
    {"--dimension", "external targets of --kind contextual",
     [](Job job) { return is_played(job) && job.traits.kind == InputKind::kContextual; }},
    {"--inputs", "external targets of --kind mechanism", plays_mechanism},
    {"--outputs", "external targets of --kind mechanism", plays_mechanism},
    {"--neighbour", "external targets that are played", is_played},
    {"--changed-row", "--transcripts of plays with rounds",
     [](Job job) { return is_recorded(job) && !is_mechanism(job); }},
    {"--vary", "--exec by the events method",
     [](Job job) { return is_program(job) && by_events(job); }},
    {"--settings", "--vary",
     [](Job job) { return is_program(job) && by_events(job) && !job.words.target.vary.empty(); }},
    {"--margin", "external targets with --stop-when-decided",
     [](Job job) { return is_played(job) && by_events(job) && job.words.stop_when_decided; }},
    {"--round-outputs", "external mechanisms by the events method",
     [](Job job) { return !is_case(job) && is_mechanism(job) && by_events(job); }},
    {"--canaries", "--method one-run", by_one_run},
    {"--training", "--method one-run", by_one_run},
    {"--deterministic", "external targets that are played", is_played},
    {"--answer-time", "external targets that are played", is_played},
};

std::string job_text(const AuditTraits& traits) {
  if (traits.subject == SubjectKind::kCase) {
    return fmt::format("an audit of {} by {}", traits.name, traits.method);
  }
  return fmt::format("an audit of {} {} by {}",
                     traits.subject == SubjectKind::kRecorded ? "a recorded" : "an external",
                     detail::value_text(traits.kind), traits.method);
}

}  // namespace

Status refuse_unused(const App& app, const AuditTraits& traits, const AuditWords& words) {
  return refuse_unused(app, kAuditOptions, AuditJob{traits, words}, job_text(traits));
}

}  // namespace assay::cli
