#include "assay/cli/account_words.hpp"

#include <algorithm>

#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

void add_output_options(App& app, AccountOutputWords& words, const std::string& formats) {
  app.add_option("--format", words.format, "Report on stdout: " + formats)->capture_default_str();
  app.add_option("-w,--write", words.write, "Also write the report to this file, repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

bool AccountOutput::has_curves() const {
  return format != Format::kText || std::any_of(files.begin(), files.end(), [](const auto& file) {
           return file.format() != Format::kText;
         });
}

Result<AccountOutput> read_output(const AccountOutputWords& words,
                                  std::span<const Format> allowed) {
  AccountOutput output;
  const auto format = ASSAY_TRY(parse_format(words.format, allowed));
  output.format = format;
  for (const auto& path : words.write) {
    auto file = ASSAY_TRY(OutputFile::open(path, allowed));
    output.files.push_back(std::move(file));
  }
  return output;
}

Result<std::vector<double>> read_numbers(const std::string& flag,
                                         const std::vector<std::string>& words) {
  std::vector<double> numbers;
  for (const auto& word : words) {
    const auto value = ASSAY_TRY(named(flag, parse_number(word)));
    numbers.push_back(value);
  }
  return numbers;
}

std::string flag_of(const std::string& parameter) {
  std::string flag = "--" + parameter;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// The path of such an error is the field's; messages that begin with the field name the flag.
Error as_flag_error(Error error) {
  const std::string field = error.path.empty() ? "" : error.path.substr(1);
  if (!field.empty() && error.message.rfind(field, 0) == 0) {
    error.message = flag_of(field) + error.message.substr(field.size());
  }
  if (const auto at = error.message.find(" needs " + field);
      !field.empty() && at != std::string::npos) {
    error.message = error.message.substr(0, at) + " needs " + flag_of(field);
  }
  error.path.clear();
  return error;
}

std::string account_command(const std::vector<std::string>& words) {
  std::string command = "assay account";
  for (const auto& word : words) command += " " + shell_quoted(word);
  return command;
}

int deliver(const AccountOutput& output,
            const std::function<std::string(Format, const TextStyle&)>& render) {
  bool written = true;
  for (const auto& file : output.files) {
    const auto status = file.write(render(file.format(), TextStyle{}));
    if (!status) print_error(status.error());
    written = written && status;
  }
  std::string text = render(output.format, stdout_style());
  if (output.format == Format::kText) {
    for (const auto& file : output.files)
      text += "Written     " + plain_text(file.path().string()) + "\n";
  }
  return print_report(text) && written ? kNothingViolated : kUsage;
}

int refuse(const Error& error) {
  print_error(error);
  return exit_code(error.code);
}

}  // namespace assay::cli
