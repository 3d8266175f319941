// Options that have no effect on the job at hand are errors: the one place that refuses them.
//
// A subcommand has a table with a row for each of its options: what the option is for, and whether it
// has an effect on a job. An option without a row is an internal error of every run, so that none is
// forgotten. Only what stands on the command line is refused: ASSAY_SEED and its like in the
// environment are for whatever job has a use for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/cli/options.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

template <class Job>
struct OptionUse {
  std::string_view option;                // "--margin"; "case" for a positional
  std::string_view purpose = "";          // follows "--margin is for "
  bool (*is_used)(const Job&) = nullptr;  // empty: by every job
};

struct JudgedOption {
  std::string_view option;
  std::string_view purpose;
  bool is_used = true;
};
Status refuse_judged(const App& app, const std::vector<JudgedOption>& options,
                     const std::string& text);

// `text`: what is asked for, "an exact audit of laplace". Errors: an option given that the job does not
// use, by name, with what it is for; one given with an empty word; one that the table does not know.
template <class Job, std::size_t N>
Status refuse_unused(const App& app, const OptionUse<Job> (&table)[N], const Job& job,
                     const std::string& text) {
  std::vector<JudgedOption> judged;
  for (const auto& row : table) {
    judged.push_back({row.option, row.purpose, row.is_used == nullptr || row.is_used(job)});
  }
  return refuse_judged(app, judged, text);
}

}  // namespace assay::cli
