// Subcommands and their options, as a thin cover of CLI11: only options.cpp compiles CLI11, which costs
// seconds for every source that sees it.
//
// A subcommand has the options of its job. What users may write, and what is an error, is CLI11's;
// parse() remaps its exit codes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/mechanisms/core/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace assay::cli {

class App {
 public:
  App(const std::string& description, const std::string& name);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  App* add_subcommand(const std::string& name, const std::string& description);
  void add_option(const OptionText& option);
  void set_version_flag(const std::string& names, std::function<std::string()> version);
  void require_subcommand(int count);
  void require_subcommand(int least, int most);
  void footer(const std::string& text);

  // The exit status where parsing ended the run: help
  // and version are on stdout then, an error on stderr.
  std::optional<int> parse(int argc, char** argv);
  bool parsed() const;
  // What was written of the options: on the command line, in order, then in the environment.
  std::vector<WrittenOption> written() const;

 private:
  explicit App(CLI::App* app);
  bool is_command(const std::vector<std::string>& words) const;  // a subcommand's, or none

  struct Value {  // CLI11 writes into one of them, by the kind of option
    std::string word;
    std::vector<std::string> words;
    bool flag = false;
  };
  std::unique_ptr<CLI::App> root_;  // none in a subcommand
  CLI::App* app_;
  std::vector<std::unique_ptr<App>> subcommands_;
  std::deque<Value> values_;
};

template <class Job>
App* add_job(App& parent, const std::string& name, const std::string& description) {
  App* app = parent.add_subcommand(name, description);
  for (const auto& one : options_of<Job>()) app->add_option(one.text);
  return app;
}

template <class Job>
Result<Job> read_job(const App& app) {
  return read_options<Job>(app.written());
}

}  // namespace assay::cli
