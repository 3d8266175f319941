#include "assay/auditors/engine/audit.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"

namespace assay {
namespace {

// The guarantee as --claim takes it.
std::string level_claim(const PrivacyLevel& level) {
  if (const auto* pure = std::get_if<PureDp>(&level)) {
    return "eps=" + number_text(pure->epsilon.value);
  }
  if (const auto* both = std::get_if<ApproximateDp>(&level)) {
    return "eps=" + number_text(both->epsilon.value) + ",delta=" + number_text(both->delta.value);
  }
  return "mu=" + number_text(std::get<GaussianDp>(level).mu.value);
}

// Without --claim the audit uses the guarantee that the subject states, so there must be one.
Status check_stated(const AuditedSubject& subject) {
  const auto* pure = std::get_if<PureDp>(&subject.stated.level);
  if (pure == nullptr || std::isfinite(pure->epsilon.value)) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      subject.id + " promises no privacy: state a claim to audit, for example --claim eps=1",
      "/claim");
}

Status check_input(const AuditedSubject& subject, const AuditInput& input) {
  const auto status = subject.check(input.inputs);
  if (status) return status;
  Error error = status.error();
  if (!subject.shape.traits().has_rounds()) {
    error.message = input.source.file + ": " + error.message;
  } else {
    error.path = input.source.file;
  }
  return tl::make_unexpected(error);
}

Result<Method> transcript_method(const AuditedSubject& subject, Method asked) {
  if (asked == Method::kEvents || asked == Method::kRelease) {
    return fail(
        ErrorCode::kInvalidArgument,
        "method must be auto, exact or likelihood, not " + std::string(detail::value_text(asked)),
        "/method");
  }
  if (asked == Method::kAuto) {
    return detail::lists_transcripts(subject.shape) ? Method::kExact : Method::kLikelihood;
  }
  if (asked == Method::kExact) {
    const auto& shape = subject.shape;
    ASSAY_TRY(detail::count_transcripts(static_cast<int>(shape.arms), shape.horizon));
  }
  return asked;
}

// Chooses the method for a mechanism, or for a policy whose release gives its losses.
Result<Method> release_method(const PreparedAudit& audit, Method asked) {
  const AuditedSubject& subject = audit.subject;
  if (asked == Method::kLikelihood && !subject.losses) {
    return fail(ErrorCode::kInvalidArgument,
                subject.id + " states no density: method must be auto, exact" +
                    (subject.release ? ", release or events" : " or events"),
                "/method");
  }
  if (asked == Method::kRelease && !subject.release) {
    return fail(ErrorCode::kInvalidArgument,
                subject.id + " has no actions beside its release: method must be auto, exact" +
                    (subject.losses ? ", likelihood or events" : " or events"),
                "/method");
  }
  if (asked == Method::kEvents && !subject.play) {
    return fail(ErrorCode::kInvalidArgument,
                subject.id +
                    " cannot run on a part of its input: method must be auto, exact, "
                    "likelihood or release",
                "/method");
  }
  if (asked != Method::kAuto && asked != Method::kExact) return asked;
  const InputPair first = detail::listed_pairs(audit).front();
  const auto exact = detail::exact_releases(subject, first, audit.claim, audit.delta0);
  if (exact) return Method::kExact;
  if (asked == Method::kExact) return tl::make_unexpected(exact.error());
  if (subject.losses && subject.losses(first)) return Method::kLikelihood;
  return subject.release && subject.release(first) ? Method::kRelease : Method::kEvents;
}

Result<Method> choose_method(const PreparedAudit& audit) {
  const Method asked = audit.request.method;
  if (audit.subject.process && audit.subject.play && asked == Method::kEvents) return asked;
  if (audit.subject.process) return transcript_method(audit.subject, asked);
  if (!audit.subject.find) return release_method(audit, asked);
  if (asked == Method::kAuto || asked == Method::kExact) return Method::kExact;
  return fail(ErrorCode::kInvalidArgument,
              "method must be auto or exact: no part of this case needs sampling", "/method");
}

// The subject's own search, then the exact distributions of the pair that it found.
Result<Gathered> gather_found(const PreparedAudit& audit, const RunControl& control) {
  const auto& input = audit.request.input;
  auto own = ASSAY_TRY(audit.subject.find(audit.claim, input ? input->inputs.base() : nullptr,
                                          audit.delta0, control));
  return Gathered{{std::move(own.found.pair), std::move(own.found.how)}, std::move(own.evidence)};
}

Result<Gathered> gather(const PreparedAudit& audit, const RunControl& control) {
  if (audit.method == Method::kEvents) return detail::gather_events(audit, control);
  if (audit.subject.process) return detail::gather_transcripts(audit, control);
  if (audit.subject.find) return gather_found(audit, control);
  if (audit.method == Method::kRelease) return detail::gather_release_runs(audit, control);
  return detail::gather_releases(audit, control);
}

// What a level implies for a quantity without any conversion, and so without a numerical error.
std::optional<double> implied_bound(const PrivacyLevel& level, const ReportedQuantity& quantity) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&level)) {
    const bool of_mu =
        quantity.kind == QuantityKind::kMu || quantity.kind == QuantityKind::kMuAboveDelta0;
    return of_mu ? std::optional(gaussian->mu.value) : std::nullopt;
  }
  const auto* both = std::get_if<ApproximateDp>(&level);
  const double delta = both == nullptr ? 0.0 : both->delta.value;
  const double epsilon = claimed_level(level);
  if (quantity.kind == QuantityKind::kEpsilonAtDelta && quantity.at >= delta) return epsilon;
  if (quantity.kind == QuantityKind::kDeltaAtEpsilon && quantity.at >= epsilon) return delta;
  return {};
}

// A level that is proved for every pair bounds this pair too. Numerical and sampled bounds may lie above it. Of a proof
// and a sampled bound of the same value, the report names the proof. A lower bound above it would contradict the proof,
// and stays visible.
void cap_by_theorem(const Guarantee& proved, const PrivacyLevel& claim,
                    std::vector<ReportedQuantity>& quantities) {
  if (std::holds_alternative<PureDp>(claim) &&
      find_quantity(quantities, QuantityKind::kEpsilonAtDelta, 0.0) == nullptr) {
    quantities.insert(quantities.begin(), unbounded(QuantityKind::kEpsilonAtDelta, 0.0));
  }
  for (ReportedQuantity& quantity : quantities) {
    const auto bound = implied_bound(proved.level, quantity);
    if (!bound || *bound < quantity.lower.value) continue;
    const bool is_sampled = quantity.upper.evidence == Evidence::kSampling;
    if (*bound < quantity.upper.value || (is_sampled && *bound == quantity.upper.value)) {
      quantity.upper = {*bound, Evidence::kTheorem, proved.source};
    }
  }
}

AuditReport assemble(const PreparedAudit& audit, Gathered gathered) {
  const AuditedSubject& subject = audit.subject;
  if (!gathered.decision) {
    gathered.decision = decide(audit.claim, gathered.evidence, subject.proved);
  }
  // Runs alone test the implementation, which a proof of the method does not vouch for.
  if (subject.proved && audit.method != Method::kEvents &&
      gathered.decision->verdict != Verdict::kViolated) {
    cap_by_theorem(*subject.proved, audit.claim, gathered.evidence.quantities);
  }
  const auto scored = gathered.scored;
  AuditReport report = make_report(audit, std::move(gathered));
  report.case_id = subject.id;
  report.case_title = subject.title;
  report.parameters = subject.parameters;
  report.notes = subject.notes;
  report.relation = subject.stated.relation;
  report.view = subject.stated.view;
  if (audit.request.input) report.input = audit.request.input->source;
  report.pair.shows_both =
      !subject.shape.traits().is_stream() && subject.stated.relation != Relation::kReplaceOneCell;
  report.pair.shape = subject.shape;
  AuditRequest reached = audit.request;
  if (scored) reached.search = scored;
  if (report.evidence.interrupted) reached.stop_after = report.evidence.samples;
  report.reproduce = reproduce_command(report, reached, subject.program);
  return report;
}

}  // namespace

std::vector<InputPair> detail::listed_pairs(const PreparedAudit& audit) {
  if (!audit.request.input) return audit.subject.hard_pairs;
  const AuditInput& input = *audit.request.input;
  if (audit.subject.beside && !input.has_neighbour()) {
    return audit.subject.beside(input.inputs.base());
  }
  return {input.inputs};
}

std::string detail::listed_text(const PreparedAudit& audit, std::size_t pairs) {
  const bool given = audit.request.input.has_value();
  if (given && (!audit.subject.beside || audit.request.input->has_neighbour())) {
    return "given by --input";
  }
  if (pairs == 1 && !given) {
    return audit.subject.random_pair ? "the first pair known to be hard" : "the known worst pair";
  }
  const std::string which =
      pairs == 1 ? "the one pair" : "the worst of " + std::to_string(pairs) + " pairs";
  return which + (given ? " beside --input" : " known to be hard");
}

std::string detail::stop_text(std::size_t looked_at, std::size_t pairs) {
  if (looked_at == pairs) return "";
  return "; the run stopped after " + std::to_string(looked_at) + " of " + std::to_string(pairs) +
         " pairs";
}

double detail::seconds_of_call(const RunControl& control,
                               const std::function<void(std::int64_t)>& call) {
  return found_by_first(control, [&] {
    const RunControl part = control.within(0.025);
    const auto start = RunControl::Clock::now();
    std::int64_t calls = 0;
    do {
      call(calls++);
    } while (calls < 1000 && !part.stopped());
    return std::chrono::duration<double>(RunControl::Clock::now() - start).count() /
           static_cast<double>(calls);
  });
}

PairEvidence detail::nothing_certified(const PreparedAudit& audit, std::string method) {
  auto evidence = stopped_evidence({}, audit.claim, audit.delta0,
                                   {Mu{std::numeric_limits<double>::infinity()}});
  evidence.method = std::move(method);
  evidence.limits = {"The run stopped before it had certified anything about the pair shown."};
  return evidence;
}

Result<PreparedAudit> prepare_audit(AuditedSubject subject, AuditRequest request) {
  ASSAY_TRY(check_request(request));
  PreparedAudit audit{{}, std::move(subject), std::move(request)};
  audit.confidence = audit.request.confidence;
  audit.delta0 = Delta{audit.request.delta0};
  audit.claim = audit.subject.stated.level;
  audit.claim_text = audit.request.claim;
  if (audit.claim_text.empty()) {
    ASSAY_TRY(check_stated(audit.subject));
    audit.claim_text = level_claim(audit.claim);
  } else {
    audit.claim = ASSAY_TRY(parse_claim(audit.claim_text, audit.subject.variables));
  }
  if (audit.request.input) {
    ASSAY_TRY(check_input(audit.subject, *audit.request.input));
  }
  audit.see = audit.request.see;
  if (audit.see) ASSAY_TRY(check_level_to_see(*audit.see, audit.claim));
  audit.method = ASSAY_TRY(choose_method(audit));
  audit.seed = audit.request.seed.value_or(
      default_seed(audit.subject.id, audit.subject.parameters, audit.request.input, audit.method));
  return audit;
}

Result<AuditReport> run_audit(const PreparedAudit& audit, const RunControl& unlimited) {
  if (audit.request.search && !audit.subject.moves &&
      !(audit.subject.random_pair && audit.method == Method::kRelease)) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("--search sets how many pairs an audit scores; this audit ") +
                    (audit.subject.find ? "chooses its search by the size of the case"
                                        : "takes its pairs from a list"),
                "/search");
  }
  RunControl control = unlimited;
  if (audit.request.seconds) control.give_seconds(*audit.request.seconds);
  auto gathered = ASSAY_TRY(gather(audit, control));
  return assemble(audit, std::move(gathered));
}

}  // namespace assay
