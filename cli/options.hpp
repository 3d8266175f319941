// Subcommands and their options, as a thin cover of CLI11: only options.cpp compiles CLI11, which costs
// seconds for every source that sees it.
//
// A subcommand has the options of its job. What users may write, and what is an error, is CLI11's;
// parse() remaps its exit codes. What help, manual and completions say is that of text().
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/cli/command_text.hpp"
#include "assay/mechanisms/core/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace assay::cli {

class App {
 public:
  explicit App(CommandText about);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  App* add_subcommand(CommandText about);  // its name is a word
  void add_option(const OptionText& option);
  void set_version_flag(std::function<std::string()> version);
  void require_subcommand(int least, int most);

  // With all that is below it.
  CommandText text() const;
  // A line for the end of an error: what to write; empty where the command has no example.
  std::string example_line() const;

  // The exit status where parsing ended the run: help
  // and version are on stdout then, an error on stderr.
  std::optional<int> parse(int argc, char** argv);
  bool parsed() const;
  // What was written of the options: on the command line, in order, then in the environment.
  std::vector<WrittenOption> written() const;

 private:
  App(CLI::App* app, CommandText about);
  bool is_command(const std::vector<std::string>& words) const;  // a subcommand's, or none
  const App& chosen() const;  // the subcommand that was chosen last: what an error is about
  void add_help();

  struct Value {  // CLI11 writes into one of them, by the kind of option
    std::string word;
    std::vector<std::string> words;
    bool flag = false;
  };
  std::unique_ptr<CLI::App> root_;  // none in a subcommand
  CLI::App* app_;
  CommandText text_;
  std::vector<std::unique_ptr<App>> subcommands_;
  std::deque<Value> values_;
};

template <class Job>
App* add_job(App& parent, CommandText about) {
  App* app = parent.add_subcommand(std::move(about));
  for (const auto& one : options_of<Job>()) app->add_option(one.text);
  return app;
}

template <class Job>
Result<Job> read_job(const App& app) {
  return read_options<Job>(app.written());
}

}  // namespace assay::cli
