// assay check-certificate: recompute refutations from their files alone.
#include "assay/auditors/claims/certificates/check_certificate.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/writers/json.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

constexpr std::array kCheckFormats = {Format::kText, Format::kJson};

struct CheckJob : JobOptions {
  std::vector<std::string> files;
  RunOptions run;
  static void fields(const VisitOption<CheckJob>& visit) {
    visit(option(&CheckJob::files,
                 {.name = "file",
                  .type = "FILE",
                  .help = "Certificates, JSON files by schemas/certificate.schema.json",
                  .is_positional = true,
                  .is_required = true}));
    auto format = format_option("");
    format.help = "Result on stdout: text or json";
    visit(option(&CheckJob::run, &RunOptions::format, format));
  }
};

struct CheckedFile {
  std::string file;
  std::string claim;
  CertificateCheck check;
};

// Stops one byte beyond what the reader takes, so that it refuses what is too large.
Result<std::string> read_text(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text((std::size_t{1} << 20) + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad() || (errno != 0 && !in.eof())) {
    return fail(ErrorCode::kIo,
                std::string("cannot be read: ") +
                    (errno != 0 ? std::strerror(errno) : "the system gives no reason"));
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Result<CheckedFile> check_text(const std::string& path) {
  const auto text = ASSAY_TRY(read_text(path));
  const auto certificate = ASSAY_TRY(read_certificate(text));
  auto check = ASSAY_TRY(check_certificate(certificate));
  return CheckedFile{path, certificate.claim, std::move(check)};
}

// The file before the JSON pointer or the line.
Result<CheckedFile> check_file(const std::string& path) {
  auto checked = check_text(path);
  if (checked) return checked;
  Error error = checked.error();
  error.path = plain_text(path) + (error.path.empty() ? "" : ": " + error.path);
  return tl::make_unexpected(error);
}

std::string to_text(const std::vector<CheckedFile>& all) {
  std::string out;
  for (const auto& [file, claim, check] : all) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}\n\nClaim  {}\n\n", plain_text(file), claim);
    for (const auto& step : check.steps) out += "  " + step + "\n";
    out += "\n" + check.conclusion + "\n";
  }
  return out;
}

std::string to_json(const std::vector<CheckedFile>& all) {
  Json list = Json::array();
  for (const auto& [file, claim, check] : all) {
    list.push_back({{"file", plain_text(file)},
                    {"claim", claim},
                    {"refutes", check.refutes},
                    {"conclusion", check.conclusion},
                    {"numbers",
                     {{"epsilon", check.epsilon},
                      {"p", check.p},
                      {"q", check.q},
                      {"true_delta", check.true_delta}}},
                    {"steps", check.steps}});
  }
  return json_text({{"certificates", std::move(list)}}) + "\n";
}

Result<int> run_check(const App& app) {
  const auto job = ASSAY_TRY(read_job<CheckJob>(app));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kCheckFormats));
  std::vector<CheckedFile> all;
  bool refuting = true;
  int error_status = kNothingViolated;
  for (const auto& file : job.files) {
    auto checked = check_file(file);
    if (checked) {
      refuting = refuting && checked->check.refutes;
      all.push_back(std::move(*checked));
    } else {
      print_error(checked.error());
      error_status = exit_code(checked.error().code);
    }
  }
  if (error_status != kNothingViolated) return error_status;
  const std::string text = format == Format::kJson ? to_json(all) : to_text(all);
  if (!print_report(text)) return kUsage;
  return refuting ? kNothingViolated : kViolated;
}

}  // namespace

Command add_check_certificate(App& root) {
  App* app =
      add_job<CheckJob>(root, "check-certificate",
                        "Recompute certificates that refute claims, in 50 digits, step by step");
  app->footer(
      "Exit status: 0 every certificate refutes its claim, 1 one of them does not, 2 a file is\n"
      "damaged or states numbers that its inputs do not give; then nothing is written to stdout.");
  return {app, [app] { return run_check(*app); }};
}

}  // namespace assay::cli
