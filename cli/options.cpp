#include "assay/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/contains.hpp"
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

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one :
       app.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); })) {
    names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

// The error of a command line that did not parse, with advice; empty if the parser's own message is better.
std::string hint_text(const CLI::App& root, const CLI::App& app, const CommandText& text,
                      const std::string& example, bool lacks) {
  const std::string& name = text.name;
  const auto unread = root.remaining(true);
  const auto commands =
      app.get_require_subcommand_min() > 0 ? subcommand_names(app) : std::vector<std::string>{};
  const std::string more = "\n`" + name + " --help` says more";
  // Words behind an unknown option may be its value, so the error names the option.
  const auto flag = std::find_if(unread.begin(), unread.end(),
                                 [](const auto& word) { return word.rfind("-", 0) == 0; });
  if (flag != unread.end() && (commands.empty() || flag == unread.begin())) {
    const std::string option = flag->substr(0, flag->find('='));
    const auto hint = nearest_hint(option, option_names(app));
    return "unknown option '" + option + "'" +
           (hint.find("did you mean") == std::string::npos ? "" : hint) + more;
  }
  if (!unread.empty() && !commands.empty()) {
    const std::string as_option = "--" + unread.front();
    if (contains(option_names(app), as_option)) {
      return "there is no command '" + name + " " + unread.front() + "'; `" + name + " " +
             as_option + "` is an option" + more;
    }
    return "there is no command '" + name + " " + unread.front() + "'" +
           nearest_hint(unread.front(), commands) + more;
  }
  if (unread.empty() && !commands.empty()) {
    return name + " needs a command, one of: " + joined(commands) + more +
           (app.get_parent() == nullptr
                ? "\n`assay audit laplace --claim eps=1` audits a mechanism, `assay list` lists others, "
                  "`assay explain` explains words"
                : example);
  }
  if (!unread.empty() && flag == unread.end()) {
    const auto options = option_names(app);
    const bool runs_programs = contains(options, "--exec");
    return "'" + unread.front() + "' is one argument too many for " + name +
           "; quotes keep words together" +
           (runs_programs ? ", and --exec COMMAND names a program" : "") + more;
  }
  if (lacks) {
    for (const auto& option : text.options) {
      const auto* given =
          app.get_option_no_throw(option.is_positional ? option.name : "--" + option.name);
      if (!option.is_required || given == nullptr || given->count() > 0) continue;
      const std::string choices = option.choices.empty() ? "" : ": " + either(option.choices);
      return name + " needs " + option_label(option) + choices + example + more;
    }
  }
  return "";
}

std::string names_of(const OptionText& option) {
  if (option.is_positional) return option.name;
  const std::string formerly = option.formerly.empty() ? "" : ",--" + std::string(option.formerly);
  return (option.letter != 0 ? std::string{'-', option.letter, ','} : "") + "--" + option.name +
         formerly;
}

// The text that CLI11 prints for -h and --help.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const App& app) : app_(app) {}
  std::string make_help(const CLI::App* /*app*/, std::string /*name*/,
                        CLI::AppFormatMode mode) const override {
    return help_text(app_.text(), mode == CLI::AppFormatMode::All, help_style());
  }

 private:
  const App& app_;
};

}  // namespace

App::App(CommandText about)
    : root_(std::make_unique<CLI::App>("", about.name)),
      app_(root_.get()),
      text_(std::move(about)) {
  add_help();
}
App::App(CLI::App* app, CommandText about) : app_(app), text_(std::move(about)) { add_help(); }
App::~App() = default;

void App::add_help() {
  app_->set_help_flag("-h", "");
  app_->set_help_all_flag("--help", "");
  app_->formatter(std::make_shared<HelpFormatter>(*this));
}

App* App::add_subcommand(CommandText about) {
  CLI::App* app = app_->add_subcommand(about.name, "");
  if (about.is_hidden) app->group("");
  about.name = text_.name + " " + about.name;
  if (about.exit.empty()) about.exit = text_.exit;
  subcommands_.push_back(std::unique_ptr<App>(new App(app, std::move(about))));
  return subcommands_.back().get();
}

CommandText App::text() const {
  CommandText text = text_;
  text.needs_command = app_->get_require_subcommand_min() > 0;
  text.options.push_back({.name = "help",
                          .help = "Print this help. -h prints a short version.",
                          .group = OptionGroup::kHelp,
                          .letter = 'h',
                          .is_flag = true});
  for (const auto& one : subcommands_) text.commands.push_back(one->text());
  return text;
}

void App::add_option(const OptionText& option) {
  const std::string names = names_of(option);
  Value& value = values_.emplace_back();
  CLI::Option* added = nullptr;
  text_.options.push_back(option);
  if (option.is_flag) {
    added = app_->add_flag(names, value.flag, option.help);
  } else if (option.is_repeatable || option.words > 1) {
    added = app_->add_option(names, value.words, option.help);
    if (option.words > 1) added->expected(option.words);
    if (!option.is_positional && !option.takes_many) added->allow_extra_args(option.words > 1);
  } else {
    added = app_->add_option(names, value.word, option.help);
  }
  if (option.is_required) added->required();
  if (!option.environment.empty()) added->envname(std::string(option.environment));
}

void App::set_version_flag(std::function<std::string()> version) {
  app_->set_version_flag("--version", std::move(version));
  text_.options.push_back({.name = "version",
                           .help = "Print the version.",
                           .group = OptionGroup::kHelp,
                           .is_flag = true});
}
void App::require_subcommand(int least, int most) { app_->require_subcommand(least, most); }

std::string App::example_line() const {
  return text_.examples.empty() ? "" : "\nfor example: " + text_.examples.front().command;
}

const App& App::chosen() const {
  for (const auto& one : subcommands_) {
    if (one->parsed()) return one->chosen();
  }
  return *this;
}

std::optional<int> App::parse(int argc, char** argv) {
  // "assay help audit" is "assay audit --help".
  std::vector<std::string> words(argv + 1, argv + std::max(1, argc));
  if (!words.empty() && words.front() == "help" && !subcommands_.empty()) {
    while (!words.empty() && words.front() == "help") words.erase(words.begin());
    if (is_command(words)) words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());  // the order of CLI11
  try {
    app_->parse(words);
  } catch (const CLI::ParseError& error) {
    // Help and version are reports (status 0); everything else is an error.
    std::ostringstream report;
    std::ostringstream message;
    if (app_->exit(error, report, message) == 0) {
      return print_report(report.str()) ? kNothingViolated : kUsage;
    }
    const App& about = chosen();
    const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    const std::string hint =
        hint_text(*app_, *about.app_, about.text_, about.example_line(), lacks);
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
  std::vector<const CLI::Option*> seen = {app_->get_help_ptr(), app_->get_help_all_ptr()};
  const auto add = [&](const CLI::Option* option, bool from_environment) {
    if (contains(seen, option)) return;
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
