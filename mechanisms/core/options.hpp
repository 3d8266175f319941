// The options of a job. Each job lists its options once, and everything else follows from that list.
//
// A job is a struct with defaults that derives from JobOptions and whose static
// `fields(const VisitOption<Job>& visit)` calls
//     visit(option(&Job::samples,
//                  {.name = "samples", .type = "N", .help = "...", .range = at_least(1)},
//                  {"methods that sample", [](const Facts& facts) { return facts.samples; }}));
// once for each option. From that list follow the options of a command and their help, the reading of a
// command line (or of a file), the command line that reproduces the job, and the errors for options that
// have no effect. `Facts` determines whether an option has an effect.
//
// The type of an option is bool, double, an integer, an enum with `enum_names`, Number or text. It may be
// missing (std::optional), or there may be any number of them (std::vector).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/option_values.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The heading under which help lists an option, in this order.
enum class OptionGroup { kSubject, kTarget, kClaim, kEffort, kSeed, kComparison, kOutput, kHelp };
constexpr std::array<std::pair<OptionGroup, std::string_view>, 8> enum_names(OptionGroup) {
  return {{{OptionGroup::kSubject, "Subject"},
           {OptionGroup::kTarget, "Programs, plug-ins and recorded runs (docs/protocol.md)"},
           {OptionGroup::kClaim, "Claim and confidence"},
           {OptionGroup::kEffort, "Effort"},
           {OptionGroup::kSeed, "Reproducibility"},
           {OptionGroup::kComparison, "Comparison and history"},
           {OptionGroup::kOutput, "Output"},
           {OptionGroup::kHelp, "Help"}}};
}

struct OptionText {
  std::string name;  // "stop-after"; "case" for a positional one
  std::string type = "TEXT";
  std::string help = {};  // sentences; described() adds the range, the choices and the default
  OptionGroup group = OptionGroup::kSubject;
  OptionRange range = {};
  std::string_view environment = "";  // the variable that gives the value if the option is absent
  std::string_view formerly = "";     // an older name, which is still read and shown nowhere
  char letter = 0;                    // 'p' of -p
  std::string_view flag = "";         // in a command line, if it is not "--" and the name
  int words = 1;                      // arguments of a value: 2 for a pair of files
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;  // whether several values may follow one flag
  bool shows_default = false;
  std::string default_text =
      {};  // the default as help shows it; if it shows the member's default, that one
  std::vector<std::string> choices = {};  // the names, for an enum
  // These follow from the member's type:
  bool is_flag = false;
  bool is_whole = false;
  bool is_choice = false;
  bool is_repeatable = false;
};

// The help text with the range, the choices and the default: "Draw all randomness from this seed. [at least 0;
// default: 1]".
std::string described(const OptionText& option);

// The purpose of an option that not every job uses. It follows "--margin is for ".
template <class Facts>
struct OptionUse {
  std::string_view purpose = "";
  bool (*is_used)(const Facts&) = nullptr;
};

// An option in a command line, as the user writes it: "--margin", "-p", "CASE".
struct WrittenOption {
  std::string name;
  std::string shown;
  std::vector<std::string> words;
  // Set by a variable, which only counts for jobs that have the option.
  bool from_environment = false;
  Status read = {};  // the error of a value that cannot be read
  bool has_empty_word() const;
};

struct JobOptions {
  struct Facts {};
  std::vector<WrittenOption> written;  // empty for a job whose members were set directly
};

namespace detail {

// The operations on a member of one type, the same for every job.
struct OptionType {
  Status (*read)(const OptionRange& range, const WrittenOption& option, void* member);
  std::vector<std::string> (*words)(const void* member);
};
// Adds the name of the option to an error about its value.
Status named(const std::string& option, Status status);

template <class T>
inline constexpr OptionType kOptionType = {
    [](const OptionRange& range, const WrittenOption& option, void* member) {
      auto status = read_words(range, option.words, *static_cast<T*>(member));
      return std::is_same_v<T, std::vector<KeyValue>> ? status : named(option.shown, status);
    },
    [](const void* member) {
      std::vector<std::string> out;
      add_words(*static_cast<const T*>(member), out);
      return out;
    }};

}  // namespace detail

template <class Job>
struct Option {
  OptionText text;
  OptionUse<typename Job::Facts> use;
  std::function<Status(Job&, const WrittenOption&)> read;
  std::function<std::vector<std::string>(const Job&)> words;  // the arguments that give its value
};

template <class Job>
using VisitOption = std::function<void(Option<Job>)>;

namespace detail {

struct JudgedOption {
  std::string_view name;
  std::string_view purpose;
  bool is_used = true;
};
Status check_known(const std::vector<WrittenOption>& written,
                   const std::vector<std::string>& known);
Status check_written(const std::vector<WrittenOption>& written,
                     const std::vector<JudgedOption>& options, const std::string& job);

void add_option(const OptionText& option, const std::vector<std::string>& words,
                CommandLine& command);

// `at` maps a job, const or not, to its member of type T.
template <class Job, class T, class At>
Option<Job> make_option(At at, OptionText text, OptionUse<typename Job::Facts> use) {
  constexpr const OptionType& kType = kOptionType<T>;
  text.is_flag = std::is_same_v<T, bool>;
  text.is_choice = std::is_enum_v<T>;
  text.is_repeatable = kIsList<T> && text.words == 1;
  using Value = ValueOf<T>;
  text.is_whole = std::is_integral_v<Value> && !text.is_flag;
  if constexpr (std::is_enum_v<Value>) {
    for (const auto& [value, name] : enum_names(Value{})) text.choices.emplace_back(name);
  }
  if (text.shows_default && text.default_text.empty()) {
    const Job job;
    const auto words = kType.words(&at(job));
    text.default_text = words.empty() ? "" : words.front();
  }
  const auto read = [at, range = text.range](Job& job, const WrittenOption& option) {
    return kType.read(range, option, &at(job));
  };
  const auto words = [at](const Job& job) { return kType.words(&at(job)); };
  return {std::move(text), use, read, words};
}

}  // namespace detail

// The option of a member, or of a member's member.
template <class Job, class T>
Option<Job> option(T Job::*member, OptionText text, OptionUse<typename Job::Facts> use = {}) {
  const auto at = [member](auto&& job) -> auto& { return job.*member; };
  return detail::make_option<Job, T>(at, std::move(text), use);
}
template <class Job, class Part, class T>
Option<Job> option(Part Job::*part, T Part::*member, OptionText text,
                   OptionUse<typename Job::Facts> use = {}) {
  const auto at = [ part, member ](auto&& job) -> auto& { return job.*part.*member; };
  return detail::make_option<Job, T>(at, std::move(text), use);
}

template <class Job>
std::vector<Option<Job>> options_of() {
  std::vector<Option<Job>> options;
  Job::fields([&](Option<Job> one) { options.push_back(std::move(one)); });
  return options;
}

// The job of the options given. Errors: an unknown option; an unknown choice, since choices decide which
// other options are allowed. check_options() reports other values that cannot be read.
template <class Job>
Result<Job> read_options(std::vector<WrittenOption> written) {
  Job job;
  std::vector<std::string> known;
  for (const auto& one : options_of<Job>()) {
    known.push_back(one.text.name);
    for (auto& option : written) {
      if (option.name != one.text.name || option.has_empty_word()) continue;
      option.read = one.read(job, option);
      if (one.text.is_choice) ASSAY_TRY(option.read);
    }
  }
  ASSAY_TRY(detail::check_known(written, known));
  job.written = std::move(written);
  return job;
}

// Reads a choice that depends on other options. The error names `option`.
template <class T>
Result<T> read_choice(const std::string& option, std::string_view word) {
  T value{};
  ASSAY_TRY(detail::named(option, detail::read_word({}, word, value)));
  return value;
}

// The options by which this job differs from the default one, for a job whose members were set directly.
template <class Job>
std::vector<WrittenOption> written_options(const Job& job) {
  std::vector<WrittenOption> written = job.written;
  if (!written.empty()) return written;
  Job scratch;
  for (const auto& one : options_of<Job>()) {
    WrittenOption option = {one.text.name, "--" + one.text.name, one.words(job), false, {}};
    if (option.words == one.words(Job())) continue;
    option.read = one.read(scratch, option);  // checks its range
    written.push_back(std::move(option));
  }
  return written;
}

// `text` describes the job, "an audit of laplace by exact". Errors: an option that the job does not use
// (the message says its purpose); an empty argument; a value that cannot be read.
template <class Job>
Status check_options(const Job& job, const typename Job::Facts& facts, const std::string& text) {
  const auto options = options_of<Job>();
  std::vector<detail::JudgedOption> judged;
  for (const auto& one : options) {
    const bool is_used = one.use.is_used == nullptr || one.use.is_used(facts);
    judged.push_back({one.text.name, one.use.purpose, is_used});
  }
  return detail::check_written(written_options(job), judged, text);
}

// "assay audit laplace --claim eps=1": `command` with the options of these names that have a value, in
// this order.
template <class Job>
std::string command_line(const std::string& command, const Job& job,
                         const std::vector<std::string_view>& names) {
  CommandLine line(command);
  const auto options = options_of<Job>();
  for (const auto name : names) {
    for (const auto& one : options) {
      if (one.text.name == name) detail::add_option(one.text, one.words(job), line);
    }
  }
  return line.text();
}

}  // namespace assay
