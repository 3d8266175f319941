// Subcommands and their options, as a thin cover of CLI11: only options.cpp compiles CLI11, which costs
// seconds for every source that sees it.
//
// An option writes into the variable it is given, which has to outlive the App. What users may write,
// and what is an error, is CLI11's; parse() remaps its exit codes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace assay::cli {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* type_name(const std::string& name);
  Option* group(const std::string& name);
  Option* required();
  Option* capture_default_str();
  Option* allow_extra_args(bool allowed);
  Option* expected(int values);
  Option* envname(const std::string& name);
  Option* excludes(const std::string& other);

 private:
  CLI::Option* option_;
};

// An option and what was written of it.
struct OptionWords {
  std::string name;   // "--margin"; "case" for a positional
  std::string shown;  // as a user writes it: "-p", "--margin", "CASE"
  std::vector<std::string> words;
};

class App {
 public:
  App(const std::string& description, const std::string& name);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  App* add_subcommand(const std::string& name, const std::string& description);
  // T: std::string, a vector of strings or doubles, std::int64_t.
  template <class T>
  Option* add_option(const std::string& names, T& variable, const std::string& help);
  Option* add_flag(const std::string& names, bool& variable, const std::string& help);
  void set_version_flag(const std::string& names, std::function<std::string()> version);
  void require_subcommand(int count);
  void require_subcommand(int least, int most);
  void footer(const std::string& text);

  // The exit status where parsing ended the run: help
  // and version are on stdout then, an error on stderr.
  std::optional<int> parse(int argc, char** argv);
  bool parsed() const;
  std::size_t count(const std::string& option) const;  // times it was given
  std::vector<OptionWords> declared_options() const;   // but for --help
  std::vector<OptionWords> given_options() const;      // in order, without those of the environment

 private:
  explicit App(CLI::App* app);
  Option* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> root_;  // none in a subcommand
  CLI::App* app_;
  std::vector<std::unique_ptr<App>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;
};

}  // namespace assay::cli
