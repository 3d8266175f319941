#include "assay/cli/option_use.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace assay::cli {
namespace {

// As a user writes it: "-p", "--margin", "CASE".
std::string shown_name(const CLI::Option& option) {
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  std::string name = option.get_name();
  if (option.get_positional()) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  return name;
}

}  // namespace

Status refuse_judged(const CLI::App& app, const std::vector<JudgedOption>& options,
                     const std::string& text) {
  const auto row_of = [&](const CLI::Option& option) {
    return std::find_if(options.begin(), options.end(),
                        [&](const auto& row) { return row.option == option.get_name(); });
  };
  for (const CLI::Option* option : app.get_options()) {
    if (option == app.get_help_ptr() || row_of(*option) != options.end()) continue;
    return fail(ErrorCode::kInternal, "no row says what " + option->get_name() + " is for");
  }
  for (const CLI::Option* option : app.parse_order()) {  // without those of the environment
    if (option == app.get_help_ptr()) continue;
    const auto row = row_of(*option);
    if (!row->is_used) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} is for {}, and has no effect on {}", shown_name(*option),
                              row->purpose, text));
    }
    const auto& words = option->results();
    if (std::find(words.begin(), words.end(), "") != words.end()) {
      return fail(ErrorCode::kInvalidArgument, shown_name(*option) + " is given an empty word");
    }
  }
  return {};
}

}  // namespace assay::cli
