#include "assay/auditors/account/account_job.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "assay/auditors/account/account_chain.hpp"
#include "assay/auditors/engine/level_expression.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

constexpr double kDefaultDelta = 1e-6;

// A parameter "own_delta" has the flag "--own-delta".
std::string flag_name(std::string parameter) {
  std::replace(parameter.begin(), parameter.end(), '_', '-');
  return parameter;
}
std::string flag_of(const std::string& parameter) { return "--" + flag_name(parameter); }

// The error of a parameter names a field. This puts the flag in its place.
tl::unexpected<Error> as_flag_error(Error error) {
  const std::string field = error.path.empty() ? "" : error.path.substr(1);
  if (!field.empty() && error.message.rfind(field, 0) == 0) {
    error.message = flag_of(field) + error.message.substr(field.size());
  }
  if (const auto at = error.message.find(" needs " + field);
      !field.empty() && at != std::string::npos) {
    error.message = error.message.substr(0, at) + " needs " + flag_of(field);
  }
  error.path.clear();
  return tl::make_unexpected(std::move(error));
}

template <class T>
Result<T> named_by_flag(Result<T> value) {
  if (!value) return as_flag_error(std::move(value).error());
  return value;
}

// An expression such as sqrt(5) is an error, because its rounding would change the certified level. The error has its
// value, rounded up.
Status check_no_expression(const WrittenOption& written) {
  const std::string& word = written.words.back();
  TextCursor cursor(word);
  const auto expression = parse_expression(cursor);
  if (!expression || !cursor.at_end() || parse_number(word)) return {};
  const auto value = evaluate(*expression, {}, word);
  if (!value) return {};
  return fail(ErrorCode::kInvalidArgument, written.shown + " must be a number, not '" + word +
                                               "'; its value, rounded up, is " +
                                               rounded_up(*value, 12));
}

// An option for one of the parameters.
template <class Job>
Option<Job> parameter(const std::string& key, const std::string& help,
                      OptionGroup group = OptionGroup::kSubject) {
  const auto read = [key](Job& job, const WrittenOption& written) -> Status {
    ASSAY_TRY(check_no_expression(written));
    job.parameters.push_back({key, written.words.back()});
    return {};
  };
  const auto words = [key](const Job& job) {
    std::vector<std::string> found;
    for (const auto& [name, value] : job.parameters) {
      if (name == key) found.push_back(value);
    }
    return found;
  };
  return {{.name = flag_name(key), .type = "X", .help = help, .group = group}, {}, read, words};
}

// Options for each parameter of any mechanism or sampler, and for the sampler, without those of these names. The help
// names the mechanisms that have it.
template <class Job>
void visit_parameters(const VisitOption<Job>& visit, std::initializer_list<std::string_view> own) {
  std::map<std::string, std::string> owners, help;
  std::string samplers;
  const auto add = [&](const StepDescription& owner) {
    for (const auto& one : owner.parameters) {
      if (one.name == "relation") continue;  // below, for all
      std::string& names = owners[one.name];
      names += (names.empty() ? "" : ", ") + owner.name;
      help.emplace(one.name, one.help);
    }
  };
  for (const auto& step : step_descriptions()) add(step);
  for (const auto& sampler : sampler_descriptions()) {
    samplers += (samplers.empty() ? "" : ", ") + sampler.name;
    add(sampler);
  }
  for (const auto& [name, names] : owners) {
    const bool is_group = name == "group";
    if (!contains(own, name)) {
      visit(parameter<Job>(name, "Set " + help[name] + " (" + names +
                                     (is_group ? ", and all without a sampler)." : ").")));
    }
  }
  visit(parameter<Job>("sampler", "Draw the records of each release like this: " + samplers +
                                      ". The noise is gaussian, laplace, discrete-gaussian, "
                                      "discrete-laplace, or a level, pure or gdp."));
  visit(parameter<Job>(
      "relation",
      "Account for neighbours of this relation, add-or-remove or replace-one. The "
      "cost depends on it where there is a sampler, and for gaussian-mixture; add-or-remove is then "
      "the default."));
}

OptionText delta_option(const std::string& defaults) {
  return {.name = "delta",
          .type = "D",
          .help = "Ask for eps at this delta.",
          .group = OptionGroup::kClaim,
          .default_text = defaults};
}
OptionText epsilon_option() {
  return {"at-epsilon", "EPS", "Ask for delta at this eps.", OptionGroup::kClaim};
}

// ---- a chain ------------------------------------------------------------------------------------

bool is_chain_file(const std::string& what) {
  return std::filesystem::path(what).extension() == ".toml";
}

Result<ChainFile> chain_from_file(const AccountJob& job) {
  if (!job.parameters.empty() || job.compose || job.moves) {
    const std::string flag = !job.parameters.empty() ? flag_of(job.parameters.front().key)
                             : job.compose           ? "--compose"
                                                     : "--moves";
    return fail(ErrorCode::kInvalidArgument,
                flag + " is for a mechanism on the command line; a chain states this in its file");
  }
  return read_chain(job.what);
}

Result<ChainFile> chain_from_options(const AccountJob& job) {
  ChainFile file;
  auto parameters = job.parameters;
  const auto has = [&](std::string_view key) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const KeyValue& one) { return one.key == key; });
  };
  if (!takes_relation(job.what, has("sampler"))) {  // the relation is only stated
    for (auto one = parameters.begin(); one != parameters.end();) {
      if (one->key != "relation") {
        ++one;
        continue;
      }
      file.relation = one->value;
      one = parameters.erase(one);
    }
  }
  const auto group = ASSAY_TRY(named_by_flag(take_group(job.what, parameters)));
  auto step = make_step(job.what, parameters);
  if (!step) {
    auto error = as_flag_error(step.error());
    // --epsilon is a parameter of levels. The option for a target has another name.
    if (step.error().code == ErrorCode::kUnknownKey && step.error().path == "/epsilon") {
      error.value().message += "; to ask for delta at an eps, use --at-epsilon";
    }
    return error;
  }
  if (const auto implied = step_relation(*step); !implied.empty()) file.relation = implied;
  file.chain.push_back(
      {std::move(*step), job.compose.value_or(1), "", job.moves.value_or(1), group});
  return file;
}

// The flags override the targets of the file, and these override the default.
Result<ChainFile> read_request(const AccountJob& job) {
  auto file = ASSAY_TRY(is_chain_file(job.what) ? chain_from_file(job) : chain_from_options(job));
  std::vector<AccountTarget> targets;
  for (const double delta : job.deltas) {
    targets.push_back({AccountTarget::Asked::kEpsilonAtDelta, delta});
  }
  for (const double eps : job.epsilons) {
    targets.push_back({AccountTarget::Asked::kDeltaAtEpsilon, eps});
  }
  if (!targets.empty()) file.targets = targets;
  if (file.targets.empty()) file.targets = {{{}, kDefaultDelta}};
  return file;
}

// The job, with all values that it left open.
std::string reproduce(AccountJob job, const ChainFile& file) {
  std::vector<std::string> names = {"what"};
  if (!is_chain_file(job.what)) {
    job.parameters = step_parameters(file.chain.front().mechanism);
    const bool states =
        !file.relation.empty() && step_relation(file.chain.front().mechanism).empty();
    if (states) job.parameters.push_back({"relation", file.relation});
    if (file.chain.front().group > 1) {
      job.parameters.push_back({"group", std::to_string(file.chain.front().group)});
    }
    for (const auto& [key, value] : job.parameters) names.push_back(flag_name(key));
    job.compose = file.chain.front().count;
    names.insert(names.end(), {"moves", "compose"});
  }
  names.insert(names.end(), {"delta", "at-epsilon"});
  job.deltas.clear();
  job.epsilons.clear();
  for (const AccountTarget& target : file.targets) {
    (target.asks_epsilon() ? job.deltas : job.epsilons).push_back(target.given);
  }
  return command_line("assay account", job, {names.begin(), names.end()});
}

// ---- calibration --------------------------------------------------------------------------------

// A mechanism with the parameters that it reads beside the target, the sensitivity and compose.
struct Kind {
  const char* name;
  CalibratedKind kind;
  std::vector<std::string_view> parameters;
};

const std::array<Kind, 8>& calibrated_kinds() {
  static const std::array<Kind, 8> all = {
      {{"gaussian", CalibratedKind::kGaussian, {"moves"}},
       {"laplace", CalibratedKind::kLaplace, {"answers", "moves"}},
       {"noisy-max", CalibratedKind::kNoisyMax, {"noise", "answers", "monotone"}},
       {"peeling", CalibratedKind::kPeeling, {"rounds", "values"}},
       {"tree", CalibratedKind::kTree, {"horizon", "noise"}},
       {"discrete-gaussian", CalibratedKind::kDiscreteGaussian, {"moves"}},
       {"discrete-laplace", CalibratedKind::kDiscreteLaplace, {"moves"}},
       {"randomized-response", CalibratedKind::kRandomizedResponse, {}}}};
  return all;
}

std::string listed_kinds() {
  return joined(calibrated_kinds(), [](const Kind& kind) { return std::string(kind.name); });
}

const Kind* find_kind(const std::string& what) {
  const auto& all = calibrated_kinds();
  const auto* found =
      std::find_if(all.begin(), all.end(), [&](const Kind& kind) { return kind.name == what; });
  return found == all.end() ? nullptr : found;
}

CalibrationRequest request_of(const CalibrationJob& job, CalibratedKind kind) {
  CalibrationRequest request;
  request.kind = kind;
  request.target = {Epsilon{job.epsilon}, Delta{job.delta}};
  request.sensitivity = job.sensitivity;
  request.compose = job.compose;
  request.answers = job.answers.value_or(request.answers);
  request.moves = job.moves;
  request.monotone = job.monotone.value_or(request.monotone);
  request.noise =
      job.noise.value_or(kind == CalibratedKind::kTree ? MaxNoise::kGaussian : MaxNoise::kLaplace);
  request.rounds = job.rounds.value_or(request.rounds);
  request.releases_values = job.values.value_or(request.releases_values);
  request.horizon = job.horizon.value_or(request.horizon);
  return request;
}

// The job, with all values that it left open.
CalibrationJob spelled_out(CalibrationJob job, const CalibrationRequest& request) {
  if (!job.moves) job.answers = request.answers;
  job.noise = request.noise;
  job.monotone = request.monotone;
  job.rounds = request.rounds;
  job.values = request.releases_values;
  job.horizon = request.horizon;
  return job;
}

std::vector<KeyValue> parameters_of(const CalibrationJob& job,
                                    const std::vector<std::string_view>& names) {
  std::vector<KeyValue> parameters;
  const auto options = options_of<CalibrationJob>();
  for (const auto name : names) {
    for (const auto& one : options) {
      const auto words = one.words(job);  // empty for an option without a value
      if (one.text.name == name && !words.empty()) {
        parameters.push_back({one.text.name, words.front()});
      }
    }
  }
  return parameters;
}

// ---- a parameter to solve for ---------------------------------------------------------------------

bool is_step(const std::string& name) {
  const auto all = step_descriptions();
  return name == kSubsampledGaussian ||
         std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

struct SolveRequest {
  OpenStep open;
  std::vector<ChainStep> chain;  // with any step in place of the open one
  std::size_t step = 0;
  ApproximateDp target;
};

// "2.sigma": the number of a step of a file, and its parameter. A file of one step needs no number.
Result<SolveRequest> open_in_file(const CalibrationJob& job) {
  if (!job.parameters.empty() || job.compose != 1 || job.moves || job.sensitivity != 1.0) {
    return fail(ErrorCode::kInvalidArgument,
                "a chain states its parameters in its file; on the command line are only "
                "--solve STEP.NAME, --epsilon and --delta");
  }
  auto file = ASSAY_TRY(read_chain(job.what));
  SolveRequest request{{}, file.chain, 0, {}};
  const auto wrong = [&]() -> tl::unexpected<Error> {
    return fail(ErrorCode::kInvalidArgument, "--solve must name a step, 1 to " +
                                                 std::to_string(file.chain.size()) +
                                                 ", and its parameter, as in 1.sigma" +
                                                 (job.solve ? ", not '" + *job.solve + "'" : ""));
  };
  if (!job.solve) return wrong();
  const auto dot = job.solve->find('.');
  if (dot == std::string::npos && file.chain.size() > 1) return wrong();
  if (dot != std::string::npos) {
    const auto number = parse_number(job.solve->substr(0, dot));
    if (!number || !(*number >= 1.0 && *number <= static_cast<double>(file.chain.size())) ||
        *number != std::floor(*number)) {
      return wrong();
    }
    request.step = static_cast<std::size_t>(*number) - 1;
  }
  const ChainStep& step = file.chain[request.step];
  request.open = {step_name(step.mechanism),
                  step_parameters(step.mechanism),
                  step.count,
                  step.moves,
                  step.label,
                  job.solve->substr(dot == std::string::npos ? 0 : dot + 1),
                  {}};
  auto& parameters = request.open.parameters;
  for (auto one = parameters.begin(); one != parameters.end();) {
    if (one->key != request.open.open) {
      ++one;
      continue;
    }
    request.open.start = parse_number(one->value).value_or(0.0);
    one = parameters.erase(one);
  }
  if (step.group > 1) parameters.push_back({"group", std::to_string(step.group)});
  if (request.open.open == "compose") request.open.start = static_cast<double>(step.count);
  return request;
}

Result<SolveRequest> open_on_command_line(const CalibrationJob& job) {
  OpenStep open{job.what, job.parameters, job.compose, job.moves.value_or(1), "", "", {}};
  const auto value_of = [&](std::string_view key) -> const std::string* {
    for (const auto& one : job.parameters) {
      if (one.key == key) return &one.value;
    }
    return nullptr;
  };
  auto known = solvable_parameters(job.what, job.parameters);
  if (job.what == AboveThresholdStep::kName) {  // with Laplace noise; a chain file takes the other
    std::erase_if(known, [](const auto& name) { return name == "sigma" || name == "sensitivity"; });
  }
  const auto has = [&](std::string_view name) { return contains(known, name); };
  if (has("sensitivity") && job.solve != "sensitivity") {
    open.parameters.push_back({"sensitivity", number_text(job.sensitivity)});
  } else if (!has("sensitivity") && job.sensitivity != 1.0) {
    return fail(ErrorCode::kInvalidArgument, "--sensitivity is not a parameter of " + job.what);
  }
  if (job.answers) open.parameters.push_back({"answers", std::to_string(*job.answers)});
  if (job.solve) {
    open.open = *job.solve;
  } else {
    std::vector<std::string> missing;  // those that have no default
    static constexpr std::array<std::string_view, 9> kDefaulted = {
        "sensitivity", "distance", "passes", "compose",    "moves",
        "answers",     "gamma",    "mean",   "run_compose"};
    for (const auto& name : known) {
      if (value_of(name) == nullptr && !contains(kDefaulted, name)) missing.push_back(name);
    }
    if (missing.size() != 1) {
      return fail(
          ErrorCode::kInvalidArgument,
          missing.empty()
              ? "every parameter of " + job.what +
                    " is given; --solve names the one to solve for: " + joined(known)
              : job.what + " needs all but one of " + joined(missing) + "; that one is solved for");
    }
    open.open = missing.front();
  }
  if (value_of(open.open) != nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                flag_of(open.open) + " is given, and cannot be solved for as well");
  }
  const bool has_other_level = has("mu") && job.what == RepeatAndSelectStep::kName;
  if (has("epsilon") && open.open != "epsilon" && !has_other_level) {
    return fail(ErrorCode::kInvalidArgument, "--epsilon is the target here; keep the level of " +
                                                 job.what + " in a chain file, and solve for 1." +
                                                 open.open);
  }
  SolveRequest request{std::move(open), {}, 0, {}};
  request.chain.resize(1);
  return request;
}

Result<PreparedJob<CalibrationReport>> prepare_solution(CalibrationJob job) {
  auto request = ASSAY_TRY(is_chain_file(job.what) ? open_in_file(job) : open_on_command_line(job));
  request.target = {Epsilon{job.epsilon}, Delta{job.delta}};
  std::vector<std::string_view> names = {"what", "solve", "epsilon", "delta"};
  std::vector<std::string> flags;
  if (!is_chain_file(job.what)) {
    for (const auto& [key, value] : job.parameters) flags.push_back(flag_name(key));
    for (const auto& one : flags) names.emplace_back(one);
    for (const auto& [key, value] : request.open.parameters) {
      if (key == "sensitivity" || key == "answers") names.emplace_back(key);
    }
    if (request.open.open != "compose") names.emplace_back("compose");
    if (request.open.open != "moves") names.emplace_back("moves");
    job.solve = request.open.open;
  }
  const auto command = command_line("assay account calibrate", job, names);
  return [what = job.what, request, command](const Session& session) -> Result<CalibrationReport> {
    auto others = request.chain;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(request.step));
    CalibrationReport report;
    report.what = what;
    report.request.target = request.target;
    report.solution = Solution{request.open.open, request.step, request.chain, {}};
    report.solution->solved = ASSAY_TRY(
        named_by_flag(solve_parameter(request.open, others, request.target, session.control)));
    report.solution->chain[request.step] = report.solution->solved.step;
    report.reproduce = command;
    report.meta = session.meta();
    return report;
  };
}

}  // namespace

void AccountJob::fields(const VisitOption<AccountJob>& visit) {
  using J = AccountJob;
  visit(option(
      &J::what,
      {.name = "what",
       .type = "MECHANISM|FILE",
       .help = "Account for this mechanism or level, or for a chain of them in a .toml file.",
       .is_positional = true}));
  visit_parameters<J>(visit, {});
  visit(option(&J::compose, {.name = "compose",
                             .type = "N",
                             .help = "Compose this many releases.",
                             .range = {1, kMostReleases},
                             .default_text = "1"}));
  visit(
      option(&J::moves,
             {.name = "moves",
              .type = "K",
              .help = "One record moves at most this many of the answers of a release, each by at "
                      "most the sensitivity (gaussian, laplace, discrete-gaussian, "
                      "discrete-laplace). Each answer has noise of its own.",
              .range = {1, kMostReleases},
              .default_text = "1"}));
  visit(option(&J::deltas, delta_option("1e-6")));
  visit(option(&J::epsilons, epsilon_option()));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_output(visit, {"text", "csv", "json", "html"});
}

void ConversionJob::fields(const VisitOption<ConversionJob>& visit) {
  using J = ConversionJob;
  visit(option(&J::level, {.name = "level",
                           .type = "LEVEL",
                           .help = "Convert a level of this kind.",
                           .is_positional = true,
                           .is_required = true,
                           .choices = {"pure", "approximate", "gdp", "zcdp", "rdp"}}));
  visit(parameter<J>("epsilon", "Set the eps of the level (pure, approximate, rdp)."));
  visit(parameter<J>("own_delta", "Set the delta of the level (approximate)."));
  visit(parameter<J>("mu", "Set the mu of the level (gdp)."));
  visit(parameter<J>("rho", "Set the rho of the level (zcdp)."));
  visit(parameter<J>("order", "Set the order of the Renyi divergence (rdp)."));
  visit(option(&J::deltas, delta_option("1e-5, 1e-6, 1e-9")));
  visit(option(&J::epsilons, epsilon_option()));
  visit(option(&J::group, {.name = "group",
                           .type = "K",
                           .help = "Convert for a group of this many records.",
                           .default_text = "1"}));
  visit(option(&J::to,
               {.name = "to",
                .type = "RELATION",
                .help = "Convert from neighbours with one record more or less to this relation, "
                        "replace-one, and print the price.",
                .default_text = "the relation of the level",
                .choices = {"replace-one", "add-or-remove"}}));
  visit_output(visit, {"text", "json"}, false);
}

bool CalibrationFacts::reads(std::string_view name) const { return contains(parameters, name); }

void CalibrationJob::fields(const VisitOption<CalibrationJob>& visit) {
  using J = CalibrationJob;
  using F = const CalibrationFacts&;
  visit(option(&J::what,
               {.name = "what",
                .type = "MECHANISM|FILE",
                .help = "Calibrate the noise of this mechanism: " + listed_kinds() +
                        "; or solve for a parameter of any mechanism of `assay account`, or of a "
                        "chain of them in a .toml file.",
                .is_positional = true,
                .is_required = true}));
  visit(option(&J::solve,
               {.name = "solve",
                .type = "NAME",
                .help = "Solve for this parameter, such as sigma, sampling or compose; in a file, "
                        "for that of a step: 2.sigma.",
                .default_text = "the one that is missing, or the scale of the noise"}));
  visit_parameters<J>(visit, {"epsilon", "sensitivity", "answers", "noise", "monotone", "rounds",
                              "values", "horizon", "moves", "compose", "delta"});
  visit(option(&J::epsilon, {.name = "epsilon",
                             .type = "EPS",
                             .help = "Reach this eps.",
                             .group = OptionGroup::kClaim,
                             .is_required = true}));
  visit(option(&J::delta, {.name = "delta",
                           .type = "D",
                           .help = "Reach this delta. Gaussian noise needs one above 0.",
                           .group = OptionGroup::kClaim,
                           .shows_default = true}));
  auto sensitivity =
      option(&J::sensitivity,
             {.name = "sensitivity",
              .type = "X",
              .help = "One record moves an answer at most this far. For a vector of answers it is "
                      "the L2 distance with Gaussian noise and the L1 distance with Laplace "
                      "noise: sqrt(K) and K if one record moves K answers by 1 each. --moves "
                      "computes it.",
              .shows_default = true});
  sensitivity.read = [read = sensitivity.read](J& job, const WrittenOption& written) -> Status {
    ASSAY_TRY(check_no_expression(written));
    return read(job, written);
  };
  visit(sensitivity);
  visit(option(&J::moves,
               {.name = "moves",
                .type = "K",
                .help = "One record moves at most this many of the answers, each by at most the "
                        "sensitivity.",
                .range = {1, kMostReleases},
                .default_text = "the sensitivity is that of the whole vector"},
               {"gaussian and laplace, also on integers", [](F f) { return f.reads("moves"); }}));
  visit(option(&J::compose, {.name = "compose",
                             .type = "N",
                             .help = "Compose this many releases of the whole mechanism.",
                             .shows_default = true}));
  visit(option(&J::answers,
               {.name = "answers",
                .type = "N",
                .help = "The vector, or the noisy max, has this many answers.",
                .default_text = "1"},
               {"laplace and noisy-max", [](F f) { return f.reads("answers"); }}));
  visit(option(&J::noise,
               {.name = "noise",
                .type = "NOISE",
                .help = "Add this noise. A tree takes gaussian or laplace.",
                .default_text = "laplace; for a tree gaussian"},
               {"noisy-max and tree", [](F f) { return f.reads("noise"); }}));
  visit(option(&J::monotone,
               {.name = "monotone",
                .type = "BOOL",
                .help = "With noisy-max: all answers move the same way.",
                .default_text = "false",
                .choices = {"true", "false"}},
               {"noisy-max", [](F f) { return f.reads("monotone"); }}));
  visit(option(&J::rounds,
               {.name = "rounds",
                .type = "N",
                .help = "With peeling: select this many answers.",
                .default_text = "1"},
               {"peeling", [](F f) { return f.reads("rounds"); }}));
  visit(option(&J::values,
               {.name = "values",
                .type = "BOOL",
                .help = "With peeling: also release the values of the selected answers.",
                .default_text = "true",
                .choices = {"true", "false"}},
               {"peeling", [](F f) { return f.reads("values"); }}));
  visit(option(&J::horizon,
               {.name = "horizon",
                .type = "T",
                .help = "With tree: count over this many rounds.",
                .default_text = "1"},
               {"tree", [](F f) { return f.reads("horizon"); }}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_output(visit, {"text", "json"});
}

Result<PreparedJob<AccountReport>> prepare(const AccountJob& job) {
  if (job.what.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "account needs a mechanism, a chain.toml, `convert` or `calibrate`; see --help");
  }
  ASSAY_TRY(check_options(job, {}, job.what));
  const auto file = ASSAY_TRY(read_request(job));
  return [job, file](const Session& session) -> Result<AccountReport> {
    AccountReport report;
    if (is_chain_file(job.what)) report.source = job.what;
    report.relation = file.relation;
    report.view = file.view;
    report.chain = file.chain;
    report.kinds = std::ssize(merged_steps(file.chain));
    const double answered = job.with_curves ? 0.3 : 1.0;  // of the time
    report.answers = ASSAY_TRY(
        named_by_flag(account_for(file.chain, file.targets, session.control.stage(0.0, answered))));
    for (AccountAnswer& answer : report.answers) {
      answer.without =
          ASSAY_TRY(named_by_flag(costs_without(file.chain, answer.target, session.control)));
    }
    if (job.with_curves) {
      report.curves = ASSAY_TRY(
          named_by_flag(account_curves(file.chain, session.control.stage(answered, 1.0))));
    }
    report.reproduce = reproduce(job, file);
    report.meta = session.meta();
    return report;
  };
}

Result<PreparedJob<ConversionReport>> prepare(const ConversionJob& job) {
  ASSAY_TRY(check_options(job, {}, job.level));
  const auto level = ASSAY_TRY(named_by_flag(make_level(job.level, job.parameters)));
  ConversionRequest request;
  if (!job.deltas.empty()) request.deltas = job.deltas;
  request.epsilons = job.epsilons;
  request.group = job.group.value_or(1);
  if (job.to == "add-or-remove") {
    return fail(
        ErrorCode::kInvalidArgument,
        "--to add-or-remove: a level for replaced records bounds nothing where their number "
        "changes, which the output may tell. Nearest: the same level, if an absent record is one of a fixed value");
  }
  request.replaces = job.to == "replace-one";
  auto spelled = job;
  spelled.deltas = request.deltas;
  if (request.group <= 1) spelled.group.reset();
  const auto command = command_line("assay account convert", spelled,
                                    {"level", "epsilon", "mu", "order", "own-delta", "rho", "group",
                                     "to", "delta", "at-epsilon"});
  return [level, request, command](const Session& session) -> Result<ConversionReport> {
    auto table = ASSAY_TRY(named_by_flag(conversion_table(level, request)));
    return ConversionReport{std::move(table), command, session.meta()};
  };
}

Result<PreparedJob<CalibrationReport>> prepare(const CalibrationJob& job) {
  const Kind* found = find_kind(job.what);
  if (found == nullptr && !is_step(job.what) && !is_chain_file(job.what)) {
    std::vector<std::string> known;
    for (const Kind& one : calibrated_kinds()) known.emplace_back(one.name);
    for (const auto& one : step_descriptions()) {
      if (!contains(known, one.name)) known.push_back(one.name);
    }
    return fail(ErrorCode::kUnknownKey,
                "no calibration is called '" + job.what + "'" + nearest_hint(job.what, known));
  }
  if (job.solve || !job.parameters.empty() || found == nullptr) {
    const std::vector<std::string_view> read = {"moves", "answers"};
    ASSAY_TRY(check_options(job, {read}, "solving for a parameter of " + job.what));
    return prepare_solution(job);
  }
  const Kind& kind = *found;
  if (auto ok = check_options(job, {kind.parameters}, "a calibration of " + job.what); !ok) {
    Error error = ok.error();
    if (job.answers && kind.kind == CalibratedKind::kGaussian) {
      error.message += "; its noise depends on the answers that one record moves: --moves K";
    }
    return tl::make_unexpected(error);
  }
  const auto request = request_of(job, kind.kind);
  const auto spelled = spelled_out(job, request);
  std::vector<std::string_view> names = {"sensitivity", "compose"};
  names.insert(names.end(), kind.parameters.begin(), kind.parameters.end());
  const auto parameters = parameters_of(spelled, names);
  names.insert(names.begin(), {"what", "epsilon", "delta"});
  const auto command = command_line("assay account calibrate", spelled, names);
  return [what = job.what, parameters, request,
          command](const Session& session) -> Result<CalibrationReport> {
    const auto noise = ASSAY_TRY(named_by_flag(calibrate(request, session.control)));
    return CalibrationReport{what, parameters, request, noise, {}, command, session.meta()};
  };
}

}  // namespace assay
