// Code that all kinds of entries share: the options of a job, and the results of jobs that fail.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/auditors/suite/entry_options.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay::detail {

// Options that the run sets for all entries: one alpha is divided among them, one report is made of them, and no run
// repeats the random numbers of another.
inline constexpr std::array<std::string_view, 10> kOfTheRun = {
    "threads", "shard", "shard-file", "format",       "quiet",
    "full",    "write", "confidence", "certificates", "seed"};

template <class Job>
std::vector<EntryOption> options_for() {
  std::vector<EntryOption> out;
  const auto options = options_of<Job>();
  const bool has_environment = std::any_of(options.begin(), options.end(), [](const auto& one) {
    return one.text.name == "environment";
  });
  for (auto& one : options) {
    if (contains(kOfTheRun, one.text.name)) continue;
    EntryOption option;
    option.text = one.text;
    option.key = option.is_table()                                         ? one.text.name + "s"
                 : one.text.name == kEnvironmentOption && !has_environment ? "environment"
                                                                           : one.text.name;
    option.check = [read = one.read](const WrittenOption& written) {
      Job scratch;
      return read(scratch, written);
    };
    out.push_back(std::move(option));
  }
  return out;
}

inline void fail_with(EntryResult& result, const Error& error) {
  result.error = error;
  const bool stopped = error.code == ErrorCode::kInterrupted;
  result.status = stopped ? EntryStatus::kInconclusive : EntryStatus::kCouldNotRun;
  result.verdict = stopped ? "stopped" : "could not run";
  result.headline = error.to_string();
}

inline EntryIllustration failed(EntryResult& result, const Error& error) {
  fail_with(result, error);
  return {};
}

}  // namespace assay::detail
