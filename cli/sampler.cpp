// assay sampler: tests whether the numbers of a program or a file follow a stated distribution.
#include "assay/auditors/sampler/sampler_job.hpp"

#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay::cli {
namespace {

constexpr std::array kSamplerFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};

constexpr EnumTable<FitVerdict, ExitCode, 4> kSamplerCodes{
    {{FitVerdict::kDiffers, kViolated},
     {FitVerdict::kNoDifference, kNothingViolated},
     {FitVerdict::kWeak, kInconclusive},
     {FitVerdict::kInconclusive, kInconclusive}}};

Result<int> run_sampler(const App& app) {
  const auto job = ASSAY_TRY(read_job<SamplerJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kSamplerFormats));
  const auto report = ASSAY_TRY(run_here(prepared, job.run, outputs));
  if (!deliver_report(outputs, report, report.headline)) return kUsage;
  return entry_of(kSamplerCodes, report.verdict, kInternalError);
}

}  // namespace

Command add_sampler(App& root) {
  App* app = add_job<SamplerJob>(
      root,
      {.name = "sampler",
       .summary = "Test a noise sampler against a stated distribution, at a stated confidence",
       .examples = {{"Test a program that writes numbers, one a line",
                     "assay sampler --exec \"python3 laplace.py\" --distribution laplace:scale=1"},
                    {"See a scale that is wrong by 2%, and repeat exactly",
                     "assay sampler --exec \"./noise {seed}\" --distribution gaussian:sigma=3 "
                     "--see scale=1.02"},
                    {"Test the numbers of a file",
                     "assay sampler --file numbers.txt --distribution discrete-laplace:scale=2"}},
       .notes =
           {"A sampler draws new numbers in every run, so a test of it fails by chance now and "
            "then. At the confidence of 0.999999 one in a million runs does."},
       .exit = {{0, "no difference is seen"},
                {1, "the samples differ from the stated distribution"},
                {2, "the command is wrong, or a report could not be written"},
                {3, "the test is too weak to see what it should, or ended early"},
                {4, "the program failed"},
                {5, "an internal error"}}});
  return {app, [app] { return run_sampler(*app); }};
}

}  // namespace assay::cli
