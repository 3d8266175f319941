// assay account calibrate: the smallest noise for a target, with its certificate.
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "assay/cli/account_words.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

constexpr std::array kCalibrateFormats = {Format::kText, Format::kJson};

// A mechanism and the flags it reads beside the target, the sensitivity and --compose.
struct Kind {
  const char* name;
  CalibratedKind kind;
  std::vector<std::string> flags;
};

const std::array<Kind, 5>& kinds() {
  static const std::array<Kind, 5> all = {
      {{"gaussian", CalibratedKind::kGaussian, {}},
       {"laplace", CalibratedKind::kLaplace, {"answers"}},
       {"noisy-max", CalibratedKind::kNoisyMax, {"noise", "answers", "monotone"}},
       {"peeling", CalibratedKind::kPeeling, {"rounds", "values"}},
       {"tree", CalibratedKind::kTree, {"horizon", "noise"}}}};
  return all;
}

struct CalibrateWords {
  std::string what;
  std::string epsilon;
  std::string delta = "0";
  std::string sensitivity = "1";
  std::string compose = "1";
  std::map<std::string, std::string> flags;  // by name; empty where not given
  AccountOutputWords output;
};

Result<Kind> read_kind(const CalibrateWords& words) {
  std::vector<std::string> known;
  for (const Kind& kind : kinds()) {
    if (kind.name == words.what) return kind;
    known.emplace_back(kind.name);
  }
  return fail(ErrorCode::kUnknownKey,
              "no calibration is called '" + words.what + "'" + nearest_hint(words.what, known));
}

Status check_flags(const CalibrateWords& words, const Kind& kind) {
  for (const auto& [name, text] : words.flags) {
    if (text.empty()) continue;
    if (std::find(kind.flags.begin(), kind.flags.end(), name) != kind.flags.end()) continue;
    return fail(ErrorCode::kUnknownKey,
                flag_of(name) + " is no parameter of " + std::string(kind.name));
  }
  return {};
}

template <class T>
Status read_into(const std::string& flag, const std::string& word, T& out) {
  if (word.empty()) return {};
  const auto value = ASSAY_TRY(named(flag, detail::read_value<T>(word)));
  out = value;
  return {};
}

Result<CalibrationRequest> read_request(const CalibrateWords& words, const Kind& kind) {
  CalibrationRequest request;
  request.kind = kind.kind;
  const auto flag = [&](const std::string& name) {
    const auto at = words.flags.find(name);
    return at == words.flags.end() ? std::string() : at->second;
  };
  if (kind.kind == CalibratedKind::kTree) request.noise = MaxNoise::kGaussian;
  const Status statuses[] = {read_into("--epsilon", words.epsilon, request.target.epsilon.value),
                             read_into("--delta", words.delta, request.target.delta.value),
                             read_into("--sensitivity", words.sensitivity, request.sensitivity),
                             read_into("--compose", words.compose, request.compose),
                             read_into("--answers", flag("answers"), request.answers),
                             read_into("--monotone", flag("monotone"), request.monotone),
                             read_into("--noise", flag("noise"), request.noise),
                             read_into("--rounds", flag("rounds"), request.rounds),
                             read_into("--values", flag("values"), request.releases_values),
                             read_into("--horizon", flag("horizon"), request.horizon)};
  for (const Status& status : statuses) {
    if (!status) return tl::make_unexpected(status.error());
  }
  return request;
}

// Everything that the mechanism reads, as it was understood.
std::vector<KeyValue> parameters_of(const CalibrationRequest& request, const Kind& kind) {
  std::vector<KeyValue> all = {{"sensitivity", number_text(request.sensitivity)},
                               {"compose", std::to_string(request.compose)}};
  const std::map<std::string, std::string> values = {
      {"answers", std::to_string(request.answers)},
      {"monotone", request.monotone ? "true" : "false"},
      {"noise", detail::value_text(request.noise)},
      {"rounds", std::to_string(request.rounds)},
      {"values", request.releases_values ? "true" : "false"},
      {"horizon", std::to_string(request.horizon)}};
  for (const auto& name : kind.flags) all.push_back({name, values.at(name)});
  return all;
}

Result<CalibrationReport> make_report(const CalibrateWords& words) {
  const RunClock clock;
  const auto kind = ASSAY_TRY(read_kind(words));
  ASSAY_TRY(check_flags(words, kind));
  const auto request = ASSAY_TRY(read_request(words, kind));
  const auto noise = calibrate(request);
  if (!noise) return tl::make_unexpected(as_flag_error(noise.error()));
  CalibrationReport report{words.what, parameters_of(request, kind), request, *noise, {}, {}};
  std::vector<std::string> command = {"calibrate", words.what,
                                      "--epsilon", number_text(request.target.epsilon.value),
                                      "--delta",   number_text(request.target.delta.value)};
  for (const auto& [key, value] : report.parameters) {
    command.insert(command.end(), {flag_of(key), value});
  }
  report.reproduce = account_command(command);
  report.meta = clock.meta(1);
  return report;
}

int run_calibrate(const CalibrateWords& words) {
  const auto output = read_output(words.output, kCalibrateFormats);
  if (!output) return refuse(output.error());
  const auto report = make_report(words);
  if (!report) return refuse(report.error());
  return deliver(*output, [&](Format format, const TextStyle& style) {
    return format == Format::kJson ? to_json(*report) : to_text(*report, style);
  });
}

}  // namespace

Command add_account_calibrate(App& account) {
  auto words = std::make_shared<CalibrateWords>();
  App* app = account.add_subcommand(
      "calibrate", "The smallest noise for a target (eps, delta), with its certificate");
  app->add_option("what", words->what, "gaussian, laplace, noisy-max, peeling or tree")
      ->required()
      ->type_name("MECHANISM");
  app->add_option("--epsilon", words->epsilon, "eps of the target")->required()->type_name("EPS");
  app->add_option("--delta", words->delta, "delta of the target, above 0 for Gaussian noise")
      ->capture_default_str()
      ->type_name("D");
  app->add_option("--sensitivity", words->sensitivity,
                  "How far one record moves an answer; of a Laplace vector, in L1")
      ->capture_default_str()
      ->type_name("X");
  app->add_option("--compose", words->compose, "Releases of the whole mechanism")
      ->capture_default_str()
      ->type_name("N");
  const std::pair<const char*, const char*> flags[] = {
      {"answers", "Answers of a vector or of noisy max (default: 1)"},
      {"noise",
       "noisy-max: laplace, exponential, gumbel, gaussian, discrete-laplace; tree: "
       "gaussian (default), laplace"},
      {"monotone", "noisy-max: true if all answers move the same way (default: false)"},
      {"rounds", "peeling: how many are selected (default: 1)"},
      {"values", "peeling: false if their values stay secret (default: true)"},
      {"horizon", "tree: how many inputs (default: 1)"}};
  for (const auto& [name, help] : flags) {
    app->add_option(flag_of(name), words->flags[name], help)->type_name("X");
  }
  add_output_options(*app, words->output, "text or json");
  return {app, [words] { return run_calibrate(*words); }};
}

}  // namespace assay::cli
