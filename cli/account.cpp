// assay account: what a chain of releases costs, between certified bounds.
#include <array>
#include <filesystem>
#include <map>
#include <memory>

#include "assay/cli/account_chain.hpp"
#include "assay/cli/account_words.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

constexpr std::array kAccountFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr double kDefaultDelta = 1e-6;

// The words of the command line, before they mean anything.
struct AccountWords {
  std::string what;
  std::map<std::string, std::string> parameters;  // by name; empty where not given
  std::string compose;
  std::vector<std::string> delta;
  std::vector<std::string> at_epsilon;
  AccountOutputWords output;
};

bool is_chain_file(const std::string& what) {
  return std::filesystem::path(what).extension() == ".toml";
}

std::vector<KeyValue> given_parameters(const AccountWords& words) {
  std::vector<KeyValue> given;
  for (const auto& [name, text] : words.parameters) {
    if (!text.empty()) given.push_back({name, text});
  }
  return given;
}

Result<std::vector<AccountTarget>> read_targets(const AccountWords& words) {
  std::vector<AccountTarget> targets;
  const auto deltas = ASSAY_TRY(read_numbers("--delta", words.delta));
  const auto epsilons = ASSAY_TRY(read_numbers("--at-epsilon", words.at_epsilon));
  for (const double delta : deltas) {
    targets.push_back({AccountTarget::Asked::kEpsilonAtDelta, delta});
  }
  for (const double eps : epsilons) {
    targets.push_back({AccountTarget::Asked::kDeltaAtEpsilon, eps});
  }
  return targets;
}

Result<std::int64_t> read_compose(const std::string& word) {
  if (word.empty()) return std::int64_t{1};
  const auto count = named("--compose", parse_integer(word));
  if (!count) return count;
  if (*count >= 1 && *count <= kMostReleases) return *count;
  return fail(ErrorCode::kInvalidArgument, "--compose must be 1 to 1000000000, not " + word);
}

Result<ChainFile> chain_from_file(const AccountWords& words) {
  const auto given = given_parameters(words);
  if (!given.empty() || !words.compose.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                (given.empty() ? "--compose" : flag_of(given.front().key)) +
                    " is for a mechanism named on the command line; a chain says it in its file");
  }
  return read_chain(words.what);
}

Result<ChainFile> chain_from_words(const AccountWords& words) {
  const auto given = given_parameters(words);
  auto step = make_step(words.what, given);
  if (!step) {
    Error error = as_flag_error(step.error());
    // --epsilon is a parameter of levels; as a target it has another name.
    if (step.error().code == ErrorCode::kUnknownKey && step.error().path == "/epsilon") {
      error.message += "; for delta at an eps there is --at-epsilon";
    }
    return tl::make_unexpected(error);
  }
  const auto count = ASSAY_TRY(read_compose(words.compose));
  ChainFile file;
  file.relation = implied_relation(*step);
  file.chain.push_back({std::move(*step), count, ""});
  return file;
}

// Flags before the file's targets, and those before the default.
Result<ChainFile> read_request(const AccountWords& words) {
  if (words.what.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "account needs a mechanism, a chain.toml, `convert` or `calibrate`; see --help");
  }
  const auto targets = ASSAY_TRY(read_targets(words));
  auto file = is_chain_file(words.what) ? chain_from_file(words) : chain_from_words(words);
  if (!file) return file;
  if (!targets.empty()) file->targets = targets;
  if (file->targets.empty()) file->targets = {{{}, kDefaultDelta}};
  return file;
}

std::vector<std::string> command_words(const AccountWords& words, const ChainFile& file) {
  std::vector<std::string> command = {words.what};
  const auto add = [&](const std::string& flag, const std::string& value) {
    command.push_back(flag);
    command.push_back(value);
  };
  if (!is_chain_file(words.what)) {
    for (const auto& [key, value] : step_parameters(file.chain.front().mechanism)) {
      add(flag_of(key), value);
    }
    add("--compose", std::to_string(file.chain.front().count));
  }
  for (const AccountTarget& target : file.targets) {
    add(target.asks_epsilon() ? "--delta" : "--at-epsilon", number_text(target.given));
  }
  return command;
}

Result<AccountReport> make_report(const AccountWords& words, bool with_curves) {
  const RunClock clock;
  const auto file = ASSAY_TRY(read_request(words));
  AccountReport report;
  if (is_chain_file(words.what)) report.source = words.what;
  report.relation = file.relation;
  report.view = file.view;
  report.chain = file.chain;
  RunControl control;
  control.cancel = &catch_interrupts();
  auto answers = account_for(file.chain, file.targets, control);
  if (!answers) return tl::make_unexpected(as_flag_error(answers.error()));
  report.answers = std::move(*answers);
  if (with_curves) {
    auto curves = account_curves(file.chain, control);
    if (!curves) return tl::make_unexpected(as_flag_error(curves.error()));
    report.curves = std::move(*curves);
  }
  report.reproduce = account_command(command_words(words, file));
  report.meta = clock.meta(1);
  return report;
}

std::string render(const AccountReport& report, Format format, const TextStyle& style) {
  switch (format) {
    case Format::kCsv:
      return to_csv(report);
    case Format::kJson:
      return to_json(report);
    case Format::kHtml:
      return to_html(report);
    case Format::kText:
      break;
  }
  return to_text(report, style);
}

int run_account(const AccountWords& words) {
  const auto output = read_output(words.output, kAccountFormats);
  if (!output) return refuse(output.error());
  const auto report = make_report(words, output->has_curves());
  if (!report) return refuse(report.error());
  return deliver(*output, [&](Format format, const TextStyle& style) {
    return render(*report, format, style);
  });
}

// One flag for each parameter of any mechanism; the help says whose it is.
void add_parameters(App& app, AccountWords& words) {
  std::map<std::string, std::string> owners, help;
  for (const auto& step : step_descriptions()) {
    for (const auto& parameter : step.parameters) {
      std::string& names = owners[parameter.name];
      names += (names.empty() ? "" : ", ") + step.name;
      help.emplace(parameter.name, parameter.help);
    }
  }
  for (const auto& [name, names] : owners) {
    app.add_option(flag_of(name), words.parameters[name], help[name] + " (" + names + ")")
        ->group("Parameters")
        ->type_name("X");
  }
}

std::string mechanisms_text() {
  std::string text = "Mechanisms and levels:\n";
  for (const auto& step : step_descriptions()) {
    text += "  " + step.name + std::string(20 - std::min<std::size_t>(19, step.name.size()), ' ') +
            step.title + "\n";
  }
  return text +
         "With a certified interval: all but zcdp, which no single pair dominates.\n"
         "Examples:\n"
         "  assay account gaussian --sigma 2 --compose 1000 --delta 1e-6\n"
         "  assay account examples/chain.toml -w account.html\n"
         "  assay account convert gdp --mu 1\n"
         "  assay account calibrate gaussian --epsilon 1 --delta 1e-6";
}

}  // namespace

Command add_account(App& root) {
  auto words = std::make_shared<AccountWords>();
  App* app = root.add_subcommand(
      "account", "What releases cost together: certified eps and delta, conversions, calibration");
  app->require_subcommand(0, 1);
  app->footer(mechanisms_text());
  app->add_option("what", words->what, "A mechanism or level, or a chain of them in a .toml file")
      ->type_name("MECHANISM|FILE");
  add_parameters(*app, *words);
  app->add_option("--compose", words->compose, "How many releases (default: 1)")->type_name("N");
  app->add_option("--delta", words->delta, "Ask for eps at this delta, repeatable (default: 1e-6)")
      ->type_name("D")
      ->allow_extra_args(false);
  app->add_option("--at-epsilon", words->at_epsilon, "Ask for delta at this eps, repeatable")
      ->type_name("EPS")
      ->allow_extra_args(false);
  add_output_options(*app, words->output, "text, csv, json or html");
  const Command convert = add_account_convert(*app);
  const Command calibrate = add_account_calibrate(*app);
  return {app, [words, convert, calibrate] {
            for (const Command* command : {&convert, &calibrate}) {
              if (command->app->parsed()) return command->run();
            }
            return run_account(*words);
          }};
}

}  // namespace assay::cli
