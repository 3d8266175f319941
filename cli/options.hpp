// Subcommands and their options, as a thin layer over CLI11. Only options.cpp includes CLI11, which takes seconds
// to compile.
//
// A subcommand has the options of its job. CLI11 parses the command line and finds the errors, and parse() maps its
// exit codes. Help, manual pages and completions follow from text().
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

  // The description of this command and all commands below it.
  CommandText text() const;
  // A line for the end of an error, with an example; empty if the command has none.
  std::string example_line() const;
  const App& chosen() const;  // the innermost chosen subcommand, which errors name

  // The exit status if parsing ended the command. Help and version are then on stdout, errors on stderr.
  std::optional<int> parse(int argc, char** argv);
  bool parsed() const;
  // The options that were written: on the command line, in order, then in the environment.
  std::vector<WrittenOption> written() const;

 private:
  App(CLI::App* app, CommandText about);
  // Whether the words are the path of a subcommand. An empty path is one.
  bool is_command(const std::vector<std::string>& words) const;
  void add_help();

  struct Value {  // CLI11 writes into the member for the kind of option
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
