#include "assay/cli/option_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

Status refuse_judged(const App& app, const std::vector<JudgedOption>& options,
                     const std::string& text) {
  const auto row_of = [&](const OptionWords& option) {
    return std::find_if(options.begin(), options.end(),
                        [&](const auto& row) { return row.option == option.name; });
  };
  for (const auto& option : app.declared_options()) {
    if (row_of(option) != options.end()) continue;
    return fail(ErrorCode::kInternal, "no row says what " + option.name + " is for");
  }
  for (const auto& option : app.given_options()) {
    const auto row = row_of(option);
    if (!row->is_used) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} is for {}, and has no effect on {}",
                                                           option.shown, row->purpose, text));
    }
    if (std::find(option.words.begin(), option.words.end(), "") != option.words.end()) {
      return fail(ErrorCode::kInvalidArgument, option.shown + " is given an empty value");
    }
  }
  return {};
}

}  // namespace assay::cli
