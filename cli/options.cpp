#include "assay/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

OptionWords words_of(const CLI::Option& option) {
  std::string shown = option.get_name();
  if (!option.get_snames().empty()) {
    shown = "-" + option.get_snames().front();
  } else if (option.get_positional()) {
    std::transform(shown.begin(), shown.end(), shown.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  return {option.get_name(), shown, option.results()};
}

}  // namespace

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}
Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}
Option* Option::required() {
  option_->required();
  return this;
}
Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}
Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}
Option* Option::expected(int values) {
  option_->expected(values);
  return this;
}
Option* Option::envname(const std::string& name) {
  option_->envname(name);
  return this;
}
Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

App::App(const std::string& description, const std::string& name)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {}
App::App(CLI::App* app) : app_(app) {}
App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.push_back(std::unique_ptr<App>(new App(app_->add_subcommand(name, description))));
  return subcommands_.back().get();
}

template <class T>
Option* App::add_option(const std::string& names, T& variable, const std::string& help) {
  return keep(app_->add_option(names, variable, help));
}
template Option* App::add_option(const std::string&, std::string&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option* App::add_option(const std::string&, std::int64_t&, const std::string&);

Option* App::add_flag(const std::string& names, bool& variable, const std::string& help) {
  return keep(app_->add_flag(names, variable, help));
}

Option* App::keep(CLI::Option* option) {
  options_.push_back(std::make_unique<Option>(option));
  return options_.back().get();
}

void App::set_version_flag(const std::string& names, std::function<std::string()> version) {
  app_->set_version_flag(names, std::move(version));
}
void App::require_subcommand(int count) { app_->require_subcommand(count); }
void App::require_subcommand(int least, int most) { app_->require_subcommand(least, most); }
void App::footer(const std::string& text) { app_->footer(text); }

std::optional<int> App::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are reports (status 0); everything else is an error.
    std::ostringstream report;
    std::ostringstream message;
    if (app_->exit(error, report, message) == 0) {
      return print_report(report.str()) ? kNothingViolated : kUsage;
    }
    print_note(message.str());
    return kUsage;
  }
  return std::nullopt;
}
bool App::parsed() const { return app_->parsed(); }
std::size_t App::count(const std::string& option) const { return app_->count(option); }

std::vector<OptionWords> App::declared_options() const {
  std::vector<OptionWords> out;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option != app_->get_help_ptr()) out.push_back(words_of(*option));
  }
  return out;
}

std::vector<OptionWords> App::given_options() const {
  std::vector<OptionWords> out;
  for (const CLI::Option* option : app_->parse_order()) {
    if (option != app_->get_help_ptr()) out.push_back(words_of(*option));
  }
  return out;
}

}  // namespace assay::cli
