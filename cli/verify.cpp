// assay verify: put the claims of the papers to the test.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/writers/verification_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/option_use.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

struct VerifyWords {
  std::vector<std::string> patterns;
  std::string seed = "1";
  std::string effort = "1";
  std::string confidence = "0.999";
  std::string threads;
  std::string format = "text";
  std::string certificates;
  bool strict = false;
};

enum class VerifyFormat { kText, kJson, kMarkdown };
constexpr std::array<std::pair<VerifyFormat, std::string_view>, 3> enum_names(VerifyFormat) {
  return {{{VerifyFormat::kText, "text"},
           {VerifyFormat::kJson, "json"},
           {VerifyFormat::kMarkdown, "markdown"}}};
}

struct VerifyJob {
  std::vector<const RegisteredClaim*> claims;
  ClaimRequest request;
  int threads = 1;
  VerifyFormat format = VerifyFormat::kText;
  std::string certificates;  // folder; empty for none
  bool strict = false;
};

bool any_reads(const VerifyJob& job, ClaimReads least) {
  return std::any_of(job.claims.begin(), job.claims.end(),
                     [&](const RegisteredClaim* claim) { return claim->reads >= least; });
}
bool any_searches(const VerifyJob& job) { return any_reads(job, ClaimReads::kSearch); }

constexpr OptionUse<VerifyJob> kVerifyOptions[] = {
    {"claims"},
    {"--seed", "claims whose check searches or samples", any_searches},
    {"--effort", "claims whose check searches or samples", any_searches},
    {"--confidence", "claims whose verdict is statistical",
     [](const VerifyJob& job) { return any_reads(job, ClaimReads::kStatistical); }},
    {"--threads"},
    {"--format"},
    {"--certificates"},
    {"--strict"},
};

std::string job_text(const VerifyJob& job) {
  std::string ids;
  for (const auto* claim : job.claims) ids += (ids.empty() ? "" : ", ") + std::string(claim->id);
  return ids;
}

Result<VerifyJob> read_job(const App& app, const VerifyWords& words) {
  VerifyJob job;
  auto claims = ASSAY_TRY(select_claims(words.patterns));
  job.claims = std::move(claims);
  ASSAY_TRY(refuse_unused(app, kVerifyOptions, job, job_text(job)));
  const auto seed = ASSAY_TRY(read_seed(words.seed));
  job.request.seed = seed;
  const auto effort = ASSAY_TRY(named("--effort", parse_number(words.effort)));
  job.request.effort = effort;
  const auto confidence = ASSAY_TRY(named("--confidence", parse_number(words.confidence)));
  job.request.confidence = confidence;
  ASSAY_TRY(check_request(job.request));
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  const auto format = ASSAY_TRY(named("--format", detail::read_value<VerifyFormat>(words.format)));
  job.format = format;
  job.certificates = words.certificates;
  job.strict = words.strict;
  if (!job.certificates.empty()) {
    ASSAY_TRY(make_folder(job.certificates));
  }
  return job;
}

Status write_certificate(const VerifyJob& job, const ClaimResult& result) {
  if (job.certificates.empty() || !result.finding.certificate) return {};
  const std::string path = job.certificates + "/" + std::string(result.claim->id) + ".json";
  const auto file = ASSAY_TRY(OutputFile::open(path));
  return file.write(to_json(*result.finding.certificate));
}

bool satisfied(const VerifyJob& job, const Verification& verification) {
  return std::all_of(verification.results.begin(), verification.results.end(),
                     [&](const ClaimResult& result) {
                       if (!result.as_expected()) return false;
                       return !job.strict || result.finding.verdict != ClaimVerdict::kRefuted;
                     });
}

std::string render(const VerifyJob& job, const Verification& verification, const RunMeta& meta) {
  switch (job.format) {
    case VerifyFormat::kJson:
      return to_json(verification, meta);
    case VerifyFormat::kMarkdown:
      return findings_markdown(verification);
    case VerifyFormat::kText:
      break;
  }
  return verification_summary(verification, stdout_style());  // the claims were printed one by one
}

int run_verify(const App& app, const VerifyWords& words) {
  const auto job = read_job(app, words);
  if (!job) {
    print_error(job.error());
    return exit_code(job.error().code);
  }
  const RunClock clock;
  Status written;
  bool printed = true;
  Result<Verification> verification = fail(ErrorCode::kInternal, {});
  {
    ProgressLine progress;
    RunControl control;
    control.threads = job->threads;
    control.cancel = &catch_interrupts();
    control.progress = [&](std::string_view stage, double fraction) {
      progress.update(stage, fraction);
    };
    verification =
        verify_claims(job->claims, job->request, control, [&](const ClaimResult& result) {
          if (const auto status = write_certificate(*job, result); !status) written = status;
          if (job->format != VerifyFormat::kText) return;
          progress.clear();
          printed = printed && print_report(claim_text(result, stdout_style()) + "\n");
        });
  }
  if (!verification) {
    print_error(verification.error());
    return exit_code(verification.error().code);
  }
  printed = printed && print_report(render(*job, *verification, clock.meta(job->threads)));
  if (!written) print_error(written.error());
  if (!printed || !written) return kUsage;
  if (static_cast<std::int64_t>(verification->results.size()) < verification->selected) {
    return kInconclusive;
  }
  return satisfied(*job, *verification) ? kNothingViolated : kViolated;
}

}  // namespace

Command add_verify(App& root) {
  auto words = std::make_shared<VerifyWords>();
  App* app = root.add_subcommand(
      "verify", "Check what the papers claim; exit 0 when every verdict is the expected one");
  app->add_option(
         "claims", words->patterns,
         "Claims by name or pattern ('ts-*'); `assay list claims` names them (default: all)")
      ->type_name("CLAIM");
  app->add_option("--seed", words->seed, "Random seed of searches and runs")
      ->capture_default_str()
      ->envname("ASSAY_SEED");
  app->add_option("--effort", words->effort,
                  "Multiplies every search and sampling budget, 0.01 to 1000")
      ->capture_default_str();
  app->add_option("--confidence", words->confidence,
                  "Of statistical verdicts, 0.5 to below 1, claim by claim")
      ->capture_default_str()
      ->envname("ASSAY_CONFIDENCE");
  app->add_option("--threads", words->threads,
                  "Threads (default: all cores); never changes a verdict")
      ->envname("ASSAY_THREADS");
  app->add_option("--format", words->format,
                  "Report on stdout: text, json, or markdown (what docs/findings.md holds)")
      ->capture_default_str();
  app->add_option("--certificates", words->certificates,
                  "Write the certificate of each refuted claim to FOLDER/<claim>.json")
      ->type_name("FOLDER");
  app->add_flag("--strict", words->strict, "Exit 1 on any refuted claim, a known one too");
  return {app, [app, words] { return run_verify(*app, *words); }};
}

}  // namespace assay::cli
