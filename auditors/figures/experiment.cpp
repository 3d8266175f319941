#include "assay/auditors/figures/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

bool has_flag(std::string_view key) {
  static constexpr std::array<std::string_view, 4> kFlags = {"repetitions", "horizon", "seed",
                                                             "regret"};
  return contains(kFlags, key);
}

}  // namespace

bool Experiment::has_parameter(std::string_view name) const {
  return std::any_of(description.parameters.begin(), description.parameters.end(),
                     [&](const auto& field) { return field.name == name; });
}

std::string parameter_name(std::string_view key) {
  return fmt::format("{}{}", has_flag(key) ? "--" : "-p ", key);
}

std::string reproduce_command(const std::vector<std::string>& words,
                              const std::vector<KeyValue>& parameters) {
  CommandLine command("assay simulate");
  for (const auto& word : words) command.add(word);
  for (const auto& [key, value] : parameters) {
    has_flag(key) ? command.add("--" + key, value) : command.add("-p", key + "=" + value);
  }
  return command.text();
}

ExperimentReport detail::started_report(const ExperimentDescription& description,
                                        const std::vector<KeyValue>& parameters) {
  ExperimentReport report;
  report.id = description.id;
  report.title = description.title;
  report.reproduces = description.reproduces;
  report.parameters = parameters;
  report.figure.id = description.id;
  report.figure.title = description.title;
  report.figure.description = description.about;
  report.figure.width = kPageWidth;
  report.reproduce = reproduce_command({description.id}, parameters);
  return report;
}

}  // namespace assay
