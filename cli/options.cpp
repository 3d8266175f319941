#include "assay/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay::cli {
namespace {

WrittenOption written_option(const CLI::Option& option, bool from_environment) {
  const std::string& name =
      option.get_lnames().empty() ? option.get_name() : option.get_lnames()[0];
  std::string shown = "--" + name;
  if (!option.get_snames().empty()) {
    shown = "-" + option.get_snames().front();
  } else if (option.get_positional()) {
    shown = name;
    std::transform(shown.begin(), shown.end(), shown.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  return {name, shown, option.results(), from_environment, {}};
}

// The subcommand that was chosen last: what an error is about.
const CLI::App& chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : chosen(*parsed.back());
}

// "assay suite run".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What to do next, of a command line that did not parse; empty where the parser's own words say it.
std::string hint_text(const CLI::App& root) {
  const CLI::App& app = chosen(root);
  const std::string name = full_name(app);
  const auto unread = root.remaining(true);
  const auto commands =
      app.get_require_subcommand_min() > 0 ? subcommand_names(app) : std::vector<std::string>{};
  const std::string more = "\n`" + name + " --help` says more";
  // Words behind an unknown option may be its value: it is named, not they.
  const auto flag = std::find_if(unread.begin(), unread.end(),
                                 [](const auto& word) { return word.rfind("-", 0) == 0; });
  if (flag != unread.end() && (commands.empty() || flag == unread.begin())) {
    const std::string option = flag->substr(0, flag->find('='));
    const auto hint = nearest_hint(option, option_names(app));
    return "unknown option '" + option + "'" +
           (hint.find("did you mean") == std::string::npos ? "" : hint) + more;
  }
  if (!unread.empty() && !commands.empty()) {
    return "there is no command '" + name + " " + unread.front() + "'" +
           nearest_hint(unread.front(), commands) + more;
  }
  if (unread.empty() && !commands.empty()) {
    return "what shall " + name + " do? One of: " + joined(commands) + more +
           (app.get_parent() == nullptr
                ? "\n`assay audit laplace --claim eps=1` audits a mechanism, `assay list` names more, "
                  "`assay explain` explains words"
                : "");
  }
  if (!unread.empty() && flag == unread.end()) {
    const auto options = option_names(app);
    const bool plays_programs =
        std::find(options.begin(), options.end(), "--exec") != options.end();
    return "'" + unread.front() + "' is one word more than " + name +
           " takes; quotes keep words together" +
           (plays_programs ? ", a program is named by --exec COMMAND" : "") + more;
  }
  return "";
}

std::string names_of(const OptionText& option) {
  if (option.is_positional) return option.name;
  return (option.letter != 0 ? std::string{'-', option.letter, ','} : "") + "--" + option.name;
}

}  // namespace

App::App(const std::string& description, const std::string& name)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {}
App::App(CLI::App* app) : app_(app) {}
App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.push_back(std::unique_ptr<App>(new App(app_->add_subcommand(name, description))));
  return subcommands_.back().get();
}

void App::add_option(const OptionText& option) {
  const std::string names = names_of(option);
  Value& value = values_.emplace_back();
  CLI::Option* added = nullptr;
  if (option.is_flag) {
    added = app_->add_flag(names, value.flag, option.help);
  } else if (option.is_repeatable || option.words > 1) {
    added = app_->add_option(names, value.words, option.help);
    if (option.words > 1) added->expected(option.words);
    if (!option.is_positional && !option.takes_many) added->allow_extra_args(option.words > 1);
  } else {
    value.word = option.default_text;
    added = app_->add_option(names, value.word, option.help);
    if (option.shows_default) added->capture_default_str();
  }
  if (!option.is_flag) added->type_name(option.type);
  if (!option.group.empty()) added->group(std::string(option.group));
  if (option.is_required) added->required();
  if (!option.environment.empty()) added->envname(std::string(option.environment));
}

void App::set_version_flag(const std::string& names, std::function<std::string()> version) {
  app_->set_version_flag(names, std::move(version));
}
void App::require_subcommand(int count) { app_->require_subcommand(count); }
void App::require_subcommand(int least, int most) { app_->require_subcommand(least, most); }
void App::footer(const std::string& text) { app_->footer(text); }

std::optional<int> App::parse(int argc, char** argv) {
  // "assay help audit" is "assay audit --help".
  std::vector<std::string> words(argv + 1, argv + std::max(1, argc));
  if (!words.empty() && words.front() == "help" && !subcommands_.empty()) {
    while (!words.empty() && words.front() == "help") words.erase(words.begin());
    if (is_command(words)) words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(words);
  } catch (const CLI::ParseError& error) {
    // Help and version are reports (status 0); everything else is an error.
    std::ostringstream report;
    std::ostringstream message;
    if (app_->exit(error, report, message) == 0) {
      return print_report(report.str()) ? kNothingViolated : kUsage;
    }
    const std::string hint = hint_text(*app_);
    print_note(hint.empty() ? message.str() : hint);
    return kUsage;
  }
  return std::nullopt;
}
bool App::is_command(const std::vector<std::string>& words) const {
  const CLI::App* app = app_;
  for (const auto& word : words) {
    const auto found =
        app->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (found.empty()) return false;
    app = found.front();
  }
  return true;
}
bool App::parsed() const { return app_->parsed(); }

std::vector<WrittenOption> App::written() const {
  std::vector<WrittenOption> out;
  std::vector<const CLI::Option*> seen = {app_->get_help_ptr()};
  const auto add = [&](const CLI::Option* option, bool from_environment) {
    if (std::find(seen.begin(), seen.end(), option) != seen.end()) return;
    seen.push_back(option);
    out.push_back(written_option(*option, from_environment));
  };
  for (const CLI::Option* option : app_->parse_order()) add(option, false);
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->count() > 0) add(option, true);
  }
  return out;
}

}  // namespace assay::cli
