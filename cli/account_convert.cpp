// assay account convert: what a level implies at every other one.
#include <array>
#include <map>
#include <memory>

#include "assay/cli/account_words.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

constexpr std::array kConvertFormats = {Format::kText, Format::kJson};

struct ConvertWords {
  std::string level;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> delta;
  std::vector<std::string> at_epsilon;
  std::string group;
  AccountOutputWords output;
};

Result<ConversionRequest> read_request(const ConvertWords& words) {
  ConversionRequest request;
  const auto deltas = ASSAY_TRY(read_numbers("--delta", words.delta));
  const auto epsilons = ASSAY_TRY(read_numbers("--at-epsilon", words.at_epsilon));
  if (!deltas.empty()) request.deltas = deltas;
  request.epsilons = epsilons;
  if (!words.group.empty()) {
    const auto group = ASSAY_TRY(named("--group", parse_integer(words.group)));
    request.group = group;
  }
  return request;
}

Result<ConversionReport> make_report(const ConvertWords& words) {
  const RunClock clock;
  std::vector<KeyValue> parameters;
  std::vector<std::string> command = {"convert", words.level};
  for (const auto& [name, text] : words.parameters) {
    if (text.empty()) continue;
    parameters.push_back({name, text});
    command.insert(command.end(), {flag_of(name), text});
  }
  const auto level = make_level(words.level, parameters);
  if (!level) return tl::make_unexpected(as_flag_error(level.error()));
  const auto request = ASSAY_TRY(read_request(words));
  auto table = conversion_table(*level, request);
  if (!table) return tl::make_unexpected(as_flag_error(table.error()));
  if (request.group > 1) command.insert(command.end(), {"--group", std::to_string(request.group)});
  for (const double delta : request.deltas) {
    command.insert(command.end(), {"--delta", number_text(delta)});
  }
  for (const double eps : request.epsilons) {
    command.insert(command.end(), {"--at-epsilon", number_text(eps)});
  }
  return ConversionReport{std::move(*table), account_command(command), clock.meta(1)};
}

int run_convert(const ConvertWords& words) {
  const auto output = read_output(words.output, kConvertFormats);
  if (!output) return refuse(output.error());
  const auto report = make_report(words);
  if (!report) return refuse(report.error());
  return deliver(*output, [&](Format format, const TextStyle& style) {
    return format == Format::kJson ? to_json(*report) : to_text(*report, style);
  });
}

}  // namespace

Command add_account_convert(App& account) {
  auto words = std::make_shared<ConvertWords>();
  App* app = account.add_subcommand(
      "convert", "What a privacy level implies at every other one, with the theorem of each line");
  app->add_option("level", words->level, "pure, approximate, gdp, zcdp or rdp")
      ->required()
      ->type_name("LEVEL");
  const std::pair<const char*, const char*> parameters[] = {
      {"epsilon", "eps of the level (pure, approximate, rdp)"},
      {"own_delta", "delta of the level (approximate)"},
      {"mu", "mu of the level (gdp)"},
      {"rho", "rho of the level (zcdp)"},
      {"order", "order of the Renyi divergence (rdp)"}};
  for (const auto& [name, help] : parameters) {
    app->add_option(flag_of(name), words->parameters[name], help)->type_name("X");
  }
  app->add_option("--delta", words->delta,
                  "Ask for eps at this delta, repeatable (default: 1e-5, 1e-6, 1e-9)")
      ->type_name("D")
      ->allow_extra_args(false);
  app->add_option("--at-epsilon", words->at_epsilon, "Ask for delta at this eps, repeatable")
      ->type_name("EPS")
      ->allow_extra_args(false);
  app->add_option("--group", words->group, "For a group of this many records (default: 1)")
      ->type_name("K");
  add_output_options(*app, words->output, "text or json");
  return {app, [words] { return run_convert(*words); }};
}

}  // namespace assay::cli
