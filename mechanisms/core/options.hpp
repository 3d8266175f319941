// Options: all that a job can be asked for, listed once.
//
// A job is a struct with defaults that derives from JobOptions and whose static
// `fields(const VisitOption<Job>& visit)` calls
//     visit(option(&Job::samples, {.name = "samples", .type = "N", .help = "...", .range = at_least(1)},
//                  {"methods that sample", [](const Facts& facts) { return facts.samples; }}));
// once for each option. The rest derives from that list: the flags of a command and their help, the
// reading of a command line (or of a file), the command line that asks for the same again, and the
// refusal of options that have no effect. `Facts` is what decides whether an option has one.
//
// An option is a bool, a double, an integer, an enum with `enum_names`, a Number or text, one of them
// that may be missing (std::optional), or any number of them (std::vector).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
};
constexpr OptionRange at_least(double low) { return {.low = low}; }

struct OptionText {
  std::string name;  // "stop-after"; a positional one's "case"
  std::string type = "TEXT";
  std::string help;
  OptionRange range = {};
  std::string_view group = "";
  std::string_view environment = "";  // the variable that stands in where it is not given
  char letter = 0;                    // 'p' of -p
  std::string_view flag = "";         // in a command line, where that is not "--" and the name
  int words = 1;                      // of a value: 2 for a pair of files
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;  // values after one flag
  bool shows_default = false;
  std::string default_text = {};  // empty: that of the member
  // Of the member's type:
  bool is_flag = false;
  bool is_choice = false;
  bool is_repeatable = false;
};

// What an option is for, where not every job uses it: follows "--margin is for ".
template <class Facts>
struct OptionUse {
  std::string_view purpose = "";
  bool (*is_used)(const Facts&) = nullptr;
};

// An option that was written, as its writer knows it: "--margin", "-p", "CASE".
struct WrittenOption {
  std::string name;
  std::string shown;
  std::vector<std::string> words;
  bool from_environment = false;  // for whatever job has a use for it
  Status read = {};               // the error of a value that does not read
  bool has_empty_word() const;
};

struct JobOptions {
  struct Facts {};
  std::vector<WrittenOption> written;  // none of a job that was made by its members
};

// A number that keeps the spelling it was given in.
struct Number {
  double value = 0.0;
  std::string spelling = {};

  std::string text() const { return spelling.empty() ? number_text(value) : spelling; }
};

template <class Job>
struct Option {
  OptionText text;
  OptionUse<typename Job::Facts> use;
  std::function<Status(Job&, const WrittenOption&)> read;
  std::function<std::vector<std::string>(const Job&)> words;  // what would be written for its value
};

template <class Job>
using VisitOption = std::function<void(Option<Job>)>;

// "key=value" words, each key once.
Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words);

namespace detail {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

Status check_range(const OptionRange& range, double value, bool is_whole, std::string_view word);

// One value from one word; errors without the option's name.
template <class T>
Status read_word(const OptionRange& range, std::string_view word, T& out) {
  if constexpr (std::same_as<T, std::string>) {
    out = word;
  } else if constexpr (std::same_as<T, Number>) {
    ASSAY_TRY(read_word(range, word, out.value));
    out.spelling = word;
  } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T> || std::is_same_v<T, double>) {
    const T value = ASSAY_TRY(read_value<T>(word));
    if constexpr (std::is_same_v<T, double>) ASSAY_TRY(check_range(range, value, false, word));
    out = value;
  } else {
    static_assert(std::integral<T>);
    const std::int64_t value = ASSAY_TRY(parse_integer(word));
    ASSAY_TRY(check_range(range, static_cast<double>(value), true, word));
    out = static_cast<T>(value);
  }
  return {};
}

template <class T>
Status read_words(const OptionRange& range, const std::vector<std::string>& words, T& out) {
  if constexpr (std::same_as<T, std::vector<KeyValue>>) {
    out = ASSAY_TRY(split_parameters(words));
  } else if constexpr (kIsList<T>) {
    T values;
    for (const auto& word : words) {
      ASSAY_TRY(read_word(range, word, values.emplace_back()));
    }
    out = std::move(values);
  } else if constexpr (kIsOptional<T>) {
    typename T::value_type value{};
    ASSAY_TRY(read_word(range, words.back(), value));
    out = std::move(value);
  } else {
    ASSAY_TRY(read_word(range, words.back(), out));
  }
  return {};
}

template <class T>
void add_words(const T& value, std::vector<std::string>& out) {
  if constexpr (kIsList<T>) {
    for (const auto& one : value) add_words(one, out);
  } else if constexpr (kIsOptional<T>) {
    if constexpr (std::is_same_v<T, std::optional<bool>>) {
      if (value) out.push_back(value_text(*value));
    } else if (value) {
      add_words(*value, out);
    }
  } else if constexpr (std::same_as<T, KeyValue>) {
    out.push_back(value.key + "=" + value.value);
  } else if constexpr (std::same_as<T, std::string>) {
    if (!value.empty()) out.push_back(value);
  } else if constexpr (std::same_as<T, Number>) {
    out.push_back(value.text());
  } else if constexpr (std::same_as<T, bool>) {
    if (value) out.emplace_back("true");
  } else if constexpr (std::integral<T>) {
    out.push_back(std::to_string(value));
  } else {
    out.push_back(value_text(value));
  }
}

// Names the option in an error of its value.
Status named(const std::string& option, Status status);

struct JudgedOption {
  std::string_view name;
  std::string_view purpose;
  bool is_used = true;
};
Status check_written(const std::vector<WrittenOption>& written,
                     const std::vector<JudgedOption>& options, const std::string& job);

void add_option(const OptionText& option, const std::vector<std::string>& words,
                CommandLine& command);

// `at`: from a job, const or not, to the member.
template <class Job, class At>
Option<Job> make_option(At at, OptionText text, OptionUse<typename Job::Facts> use) {
  using T = std::remove_cvref_t<decltype(at(std::declval<Job&>()))>;
  text.is_flag = std::is_same_v<T, bool>;
  text.is_choice = std::is_enum_v<T>;
  text.is_repeatable = kIsList<T> && text.words == 1;
  if (text.shows_default && text.default_text.empty()) {
    std::vector<std::string> words;
    add_words(at(Job()), words);
    text.default_text = words.empty() ? "" : words.front();
  }
  const auto read = [at, range = text.range](Job& job, const WrittenOption& option) {
    auto status = read_words(range, option.words, at(job));
    return std::is_same_v<T, std::vector<KeyValue>> ? status : named(option.shown, status);
  };
  const auto words = [at](const Job& job) {
    std::vector<std::string> out;
    add_words(at(job), out);
    return out;
  };
  return {std::move(text), use, read, words};
}

}  // namespace detail

// The option of a member, or of a member's member.
template <class Job, class T>
Option<Job> option(T Job::*member, OptionText text, OptionUse<typename Job::Facts> use = {}) {
  const auto at = [member](auto&& job) -> auto& { return job.*member; };
  return detail::make_option<Job>(at, std::move(text), use);
}
template <class Job, class Part, class T>
Option<Job> option(Part Job::*part, T Part::*member, OptionText text,
                   OptionUse<typename Job::Facts> use = {}) {
  const auto at = [ part, member ](auto&& job) -> auto& { return job.*part.*member; };
  return detail::make_option<Job>(at, std::move(text), use);
}

template <class Job>
std::vector<Option<Job>> options_of() {
  std::vector<Option<Job>> options;
  Job::fields([&](Option<Job> one) { options.push_back(std::move(one)); });
  return options;
}

// The job that was written. Errors: a choice that there is not, since choices decide what else belongs;
// other values that do not read are for check_options().
template <class Job>
Result<Job> read_options(std::vector<WrittenOption> written) {
  Job job;
  for (const auto& one : options_of<Job>()) {
    for (auto& option : written) {
      if (option.name != one.text.name || option.has_empty_word()) continue;
      option.read = one.read(job, option);
      if (one.text.is_choice) ASSAY_TRY(option.read);
    }
  }
  job.written = std::move(written);
  return job;
}

// A choice that depends on what else is asked for; `option` names it in the error.
template <class T>
Result<T> read_choice(const std::string& option, std::string_view word) {
  T value{};
  ASSAY_TRY(detail::named(option, detail::read_word({}, word, value)));
  return value;
}

// What is written of this job but not of the default one, for a job that was made by its members.
template <class Job>
std::vector<WrittenOption> written_options(const Job& job) {
  std::vector<WrittenOption> written = job.written;
  if (!written.empty()) return written;
  for (const auto& one : options_of<Job>()) {
    auto words = one.words(job);
    if (words == one.words(Job())) continue;
    written.push_back({one.text.name, "--" + one.text.name, std::move(words), false, {}});
  }
  return written;
}

// `text`: what is asked for, "an audit of laplace by exact". Errors: an option that is written and that
// the job has no use for, by name, with what it is for; an empty word; a value that does not read.
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
