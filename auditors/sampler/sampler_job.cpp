#include "assay/auditors/sampler/sampler_job.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "assay/auditors/audit/target_options.hpp"
#include "assay/auditors/sampler/sample_source.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/containment.hpp"

namespace assay {
namespace {

constexpr std::int64_t kDefaultSamples = 1'000'000;
constexpr std::size_t kMostAfterInterrupt = 300'000;
constexpr std::int64_t kMostPlanned = 1'000'000'000;  // the largest number that a report names
constexpr double kPilotShare = 0.1;                   // of the time, to measure the program's speed
constexpr double kReadingShare = 0.8;                 // of the rest, for the samples
constexpr double kMostTimes = 3.0;  // the time after which a program that slows down is given up

struct SamplerPlan {
  SamplerJob job;
  std::optional<StatedDistribution> stated;
  FitEvents events;
  FitAims aims;
  double alpha = 1e-6;
  std::int64_t samples = kDefaultSamples;  // of a program without a time
  SamplerProgram program;
};

tl::unexpected<Error> usage(std::string_view message) {
  return fail(ErrorCode::kInvalidArgument, message);
}

Result<FitAims> aims_of(const SamplerJob& job, const StatedDistribution& stated) {
  FitAims aims;
  auto pairs = split_parameters(job.see);
  if (!pairs) return usage("--see " + pairs.error().message);
  for (const auto& [key, text] : *pairs) {
    const auto value = parse_number(text);
    const bool is_scale = key == "scale";
    if (key != "tv" && key != "eps" && !is_scale) {
      return usage("--see takes tv=NUMBER, eps=NUMBER or scale=NUMBER, not '" + key + "'");
    }
    const double low = is_scale ? 1.0001 : 1e-6, high = is_scale ? 4.0 : key == "tv" ? 1.0 : 100.0;
    if (!value || !(*value >= low && *value <= high)) {
      return usage("--see " + key + " must be " + number_text(low) + " to " + number_text(high) +
                   ", not " + text);
    }
    (is_scale ? aims.scale : key == "tv" ? aims.distance : aims.log_ratio) = *value;
  }
  if (aims.scale && !stated.scaled(1.0)) {
    return usage("--see scale is for distributions with a scale; " + stated.name() + " has none");
  }
  return aims;
}

Status read_program(SamplerPlan& plan) {
  const SamplerJob& job = plan.job;
  plan.program.command = job.exec;
  plan.program.seed = job.seed;
  if (auto words = split_command(job.exec); !words) {
    return usage("--exec: " + words.error().message);
  }
  if (const auto status = check_environment(job.env); !status) {
    return usage("--env " + status.error().message);
  }
  plan.program.limits.environment = job.env;
  plan.program.limits.sandbox = job.sandbox;
  if (!job.memory.empty()) {
    const auto bytes = parse_memory(job.memory);
    if (!bytes) return usage("--memory " + bytes.error().message);
    plan.program.limits.memory_bytes = *bytes;
  }
  if (job.answer_time) {
    plan.program.limits.answer =
        std::chrono::milliseconds(static_cast<std::int64_t>(*job.answer_time * 1e3));
  }
  return {};
}

// The samples that the aims take; an error if no test has as many.
Result<std::int64_t> samples_for(const SamplerPlan& plan) {
  const auto needed =
      samples_to_see(*plan.stated, plan.events, plan.aims, plan.alpha, kMostPlanned);
  if (needed && *needed <= kMostSamples) return *needed;
  return usage("--see takes " +
               (needed ? "about " + grouped(static_cast<long long>(
                                        rounded_count(static_cast<double>(*needed))))
                       : "more than " + grouped(kMostPlanned)) +
               " samples; a test has at most " + grouped(kMostSamples));
}

Result<SamplerPlan> plan_of(const SamplerJob& job) {
  SamplerPlan plan;
  plan.job = job;
  if (job.exec.empty() == job.file.empty()) {
    return usage(job.exec.empty()
                     ? "a test of a sampler needs --exec, a program that writes numbers, or --file"
                     : "--exec and --file contradict each other: give one of them");
  }
  if (job.distribution.empty()) {
    return usage("a test of a sampler needs --distribution, such as laplace:scale=1");
  }
  ASSAY_TRY(detail::named("--confidence", check_confidence(job.confidence)));
  plan.alpha = alpha_of(job.confidence);
  auto stated = StatedDistribution::parse(job.distribution);
  if (!stated) {
    stated.error().message = "--distribution: " + stated.error().message;
    return tl::make_unexpected(stated.error());
  }
  plan.stated = std::move(*stated);
  if (job.rounded_to > 0.0 && plan.stated->is_whole()) {
    return usage("--rounded-to is for continuous distributions; " + plan.stated->name() +
                 " has only whole numbers");
  }
  plan.events = fit_events(*plan.stated, job.rounded_to);
  plan.aims = ASSAY_TRY(aims_of(job, *plan.stated));
  if (job.samples && job.seconds) {
    return usage("--samples and --time contradict each other: give one");
  }
  if (job.file.empty()) {
    ASSAY_TRY(read_program(plan));
    if (job.seconds && plan.program.takes_samples()) {
      return usage("{samples} in the command and --time contradict each other: give --samples");
    }
  }
  const bool decides_by_aims = !job.samples && !job.seconds && !plan.aims.empty();
  if (job.samples) plan.samples = *job.samples;
  // A file has the samples that it has; a stream as many as are read of it.
  if (decides_by_aims && (job.file.empty() || job.file == "-")) {
    plan.samples = ASSAY_TRY(samples_for(plan));
  }
  plan.program.samples = plan.samples;
  return plan;
}

// Reads the samples of a program. With a time their number follows from a pilot whose numbers are thrown away, so that
// it does not depend on them.
struct ReadSamples {
  std::vector<double> samples;
  std::int64_t starts = 0;
  bool interrupted = false;
  static auto byte_fields(auto& self) {
    return std::tie(self.samples, self.starts, self.interrupted);
  }
};

Result<ReadSamples> read_samples(const SamplerPlan& plan, const Session& session) {
  auto source = ASSAY_TRY(ProgramSamples::create(plan.program));
  std::vector<double> samples;
  RunControl control = session.control;
  auto wanted = static_cast<std::size_t>(plan.samples);
  if (const auto& seconds = plan.job.seconds) {
    using Clock = std::chrono::steady_clock;
    RunControl pilot = control.stage(0.0, kPilotShare);
    pilot.give_seconds(std::min(*seconds, control.seconds_left()) * kPilotShare);
    const auto from = Clock::now();
    ASSAY_TRY(source.read(static_cast<std::size_t>(kMostSamples), pilot, samples));
    const double taken = std::chrono::duration<double>(Clock::now() - from).count();
    const double pace = static_cast<double>(samples.size()) / taken;
    const double rest = std::max(0.0, *seconds - taken) * kReadingShare;
    wanted = static_cast<std::size_t>(std::clamp(pace * rest, static_cast<double>(kLeastSamples),
                                                 static_cast<double>(kMostSamples)));
    samples.clear();
    control.give_seconds(std::min(kMostTimes * *seconds, control.seconds_left()));
    control = control.stage(kPilotShare, 1.0);
    // A program that a deadline ended has to start again.
    source = ASSAY_TRY(ProgramSamples::create(plan.program));
  }
  ASSAY_TRY(source.read(wanted, control, samples));
  const bool interrupted = samples.size() < wanted;
  return ReadSamples{std::move(samples), source.starts(), interrupted};
}

Result<std::vector<double>> program_samples(const SamplerPlan& plan, const Session& session,
                                            SamplerReport& report) {
  auto read =
      ASSAY_TRY(found_by_first(session.control, [&] { return read_samples(plan, session); }));
  report.starts = read.starts;
  report.interrupted = read.interrupted;
  return std::move(read.samples);
}

std::string joined_aims(const FitAims& aims) {
  std::vector<std::string> parts;
  if (aims.distance) parts.push_back("tv = " + number_text(*aims.distance));
  if (aims.log_ratio) parts.push_back("eps = " + number_text(*aims.log_ratio));
  if (aims.scale) parts.push_back("scale = " + number_text(*aims.scale));
  return joined(parts);
}

void judge(const SamplerPlan& plan, SamplerReport& report) {
  const SamplerFit& fit = report.fit;
  const std::string distance = rounded_up(fit.distance.upper, 3);
  if (fit.differs()) {
    // The test whose p-value is the smallest part of its level.
    const auto strongest = std::min_element(
        fit.tests.begin(), fit.tests.end(), [](const FitTest& a, const FitTest& b) {
          return a.rejects() && (!b.rejects() || a.p_value * b.alpha < b.p_value * a.alpha);
        });
    report.verdict = FitVerdict::kDiffers;
    report.reason = strongest->finding;
    report.headline = "Differs: " + strongest->finding;
    return;
  }
  if (report.interrupted) {
    report.verdict = FitVerdict::kInconclusive;
    report.reason = "the test ended early; its samples show no difference";
    report.headline = "Inconclusive: " + report.reason;
    return;
  }
  if (!plan.aims.met_by(fit.strength)) {
    report.verdict = FitVerdict::kWeak;
    report.needed = samples_to_see(*plan.stated, plan.events, plan.aims, plan.alpha, kMostPlanned);
    report.reason = "no difference is seen, but the test should see " + joined_aims(plan.aims) +
                    " with probability 0.9, which takes " +
                    (report.needed ? "about " + grouped(*report.needed)
                                   : "more than " + grouped(kMostPlanned)) +
                    " samples";
    report.headline = "Weak: " + report.reason;
    return;
  }
  report.verdict = FitVerdict::kNoDifference;
  report.reason = "no test rejects";
  report.headline = "No difference seen: the total variation on " +
                    grouped(static_cast<long long>(fit.cells.size())) + " cells is at most " +
                    distance;
}

std::string reproduce_sampler(SamplerJob job, const SamplerPlan& plan,
                              const SamplerReport& report) {
  job.seconds.reset();
  job.samples = report.fit.samples;
  job.distribution = plan.stated->text();
  std::vector<std::string_view> names = {"exec", "file", "distribution"};
  if (job.rounded_to > 0.0) names.emplace_back("rounded-to");
  names.insert(names.end(), {"see", "confidence", "samples"});
  if (report.seed) names.emplace_back("seed");
  names.insert(names.end(), {"answer-time", "env", "memory", "sandbox"});
  return command_line("assay sampler", job, names);
}

}  // namespace

void SamplerJob::fields(const VisitOption<SamplerJob>& visit) {
  using J = SamplerJob;
  using F = const SamplerFacts&;
  const OptionUse<Facts> programs = {"programs", [](F f) { return f.is_program; }};
  auto exec = exec_option();
  exec.help =
      "Run this program, which writes numbers, one a line, and start it again until there "
      "are enough. It is started without a shell. {seed} stands for --seed, larger by 1 "
      "at each start, and {samples} for their number.";
  visit(option(&J::exec, exec));
  auto file = target_option("file", "FILE",
                            "Test the numbers of this file, one a line; - is standard input.");
  visit(option(&J::file, file));
  visit(option(&J::distribution,
               {.name = "distribution",
                .type = "NAME:KEY=VALUE,...",
                .help = "Test against this distribution: " + joined(stated_examples()) +
                        ". laplace, gaussian and gumbel also take location.",
                .group = OptionGroup::kClaim}));
  visit(option(&J::rounded_to,
               {.name = "rounded-to",
                .type = "STEP",
                .help = "The sampler rounds its numbers, to nearest, up or down: each is within "
                        "this of an exact draw. For continuous distributions.",
                .group = OptionGroup::kClaim,
                .range = {0.0, 1e12},
                .default_text = "a double of at least 52 random bits"}));
  visit(option(&J::see,
               {.name = "see",
                .type = "tv=X|eps=X|scale=X",
                .help = "See a fault of this size with probability 0.9, or say that the test is "
                        "too weak: a total variation on the cells, a factor e^X of the "
                        "probability of a cell, a factor of the scale.",
                .group = OptionGroup::kClaim}));
  visit(option(&J::confidence, confidence_option("The whole report is right")));
  visit(option(&J::samples,
               {.name = "samples",
                .type = "N",
                .help = "Test this many numbers.",
                .group = OptionGroup::kEffort,
                .range = {static_cast<double>(kLeastSamples), static_cast<double>(kMostSamples)},
                .default_text = "as many as --see takes, else 1,000,000; all of a file"}));
  auto time = time_option({0.1, 1e6, "seconds"});
  time.help += " It replaces --samples.";
  visit(option(&J::seconds, time, programs));
  visit(option(&J::answer_time, answer_time_option(1e6), programs));
  visit(option(&J::env, environment_option(), programs));
  visit(option(&J::memory, memory_option(), programs));
  visit(option(&J::sandbox, sandbox_option(), programs));
  visit(option(&J::seed, seed_option(),
               {"programs with {seed} in their command", [](F f) { return f.takes_seed; }}));
  visit_output(visit, {"text", "csv", "json", "html"});
}

Result<PreparedJob<SamplerReport>> prepare(const SamplerJob& job) {
  const SamplerFacts facts{!job.exec.empty() || job.file.empty(),
                           job.exec.find("{seed}") != std::string::npos};
  ASSAY_TRY(
      check_options(job, facts, facts.is_program ? "a test of a program" : "a test of a file"));
  auto plan = ASSAY_TRY(plan_of(job));
  return [plan = std::move(plan)](const Session& session) -> Result<SamplerReport> {
    const SamplerJob& job = plan.job;
    SamplerReport report;
    report.is_program = !job.exec.empty();
    report.subject = report.is_program ? job.exec : job.file == "-" ? "standard input" : job.file;
    report.stated = plan.stated;
    report.confidence = job.confidence;
    report.aims = plan.aims;
    std::vector<double> samples;
    if (report.is_program) {
      if (plan.program.takes_seed()) report.seed = job.seed;
      samples = ASSAY_TRY(program_samples(plan, session, report));
      report.containment = containment_text(plan.program.limits);
    } else {
      // Of a stream, at most as many as the aims take are read.
      const bool by_aims = !job.samples && job.file == "-" && !plan.aims.empty();
      const auto most = by_aims ? std::optional(plan.samples) : job.samples;
      samples = ASSAY_TRY(read_samples(job.file, most));
      if (job.samples && static_cast<std::int64_t>(samples.size()) < *job.samples) {
        return fail(ErrorCode::kInvalidArgument,
                    "has " + grouped(static_cast<long long>(samples.size())) + " numbers, but " +
                        grouped(*job.samples) + " are needed (--samples)",
                    report.subject);
      }
    }
    if (static_cast<std::int64_t>(samples.size()) < kLeastSamples) {
      if (report.interrupted) {
        return fail(ErrorCode::kInterrupted,
                    "interrupted before there were " + std::to_string(kLeastSamples) + " samples");
      }
      return fail(ErrorCode::kInvalidArgument,
                  "has " + std::to_string(samples.size()) + " numbers; a test needs at least " +
                      std::to_string(kLeastSamples),
                  report.subject);
    }
    session.control.report("tests", 1.0);
    // What was read before an interrupt is still tested, at once.
    if (report.interrupted) samples.resize(std::min(samples.size(), kMostAfterInterrupt));
    const RunControl control = report.interrupted ? RunControl{} : session.control;
    report.fit = ASSAY_TRY(fit_samples(*plan.stated, plan.events, samples, plan.alpha, control));
    judge(plan, report);
    report.reproduce = reproduce_sampler(job, plan, report);
    report.meta = session.meta();
    return report;
  };
}

}  // namespace assay
