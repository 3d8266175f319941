// What the forms of `assay account` share: targets, output options, one way to print a report.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/writers/account_report.hpp"
#include "assay/cli/options.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

struct AccountOutputWords {
  std::string format = "text";
  std::vector<std::string> write;
};
void add_output_options(App& app, AccountOutputWords& words, const std::string& formats);

struct AccountOutput {
  Format format = Format::kText;
  std::vector<OutputFile> files;

  // Whether any of it is other than text.
  bool has_curves() const;
};
Result<AccountOutput> read_output(const AccountOutputWords& words, std::span<const Format> allowed);

// Numbers of a repeatable flag, in order; the error names the flag.
Result<std::vector<double>> read_numbers(const std::string& flag,
                                         const std::vector<std::string>& words);

// An error of a parameter begins with its name, "own_delta": the flag is "--own-delta".
std::string flag_of(const std::string& parameter);
Error as_flag_error(Error error);

// "assay account" and the words, quoted for a shell.
std::string account_command(const std::vector<std::string>& words);

// Writes the files, then prints; the exit status.
int deliver(const AccountOutput& output,
            const std::function<std::string(Format, const TextStyle&)>& render);

// Prints the error on stderr; the exit status.
int refuse(const Error& error);

}  // namespace assay::cli
