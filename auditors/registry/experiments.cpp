#include "assay/auditors/figures/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/best_arm/figures/best_arm_figures.hpp"
#include "assay/auditors/dueling/figures/dueling_figures.hpp"
#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/auditors/sparse/figures/sparse_figures.hpp"
#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

bool has_flag(std::string_view key) {
  static constexpr std::array<std::string_view, 4> kFlags = {"repetitions", "horizon", "seed",
                                                             "regret"};
  return std::find(kFlags.begin(), kFlags.end(), key) != kFlags.end();
}

}  // namespace

bool Experiment::has_parameter(std::string_view name) const {
  return std::any_of(description.parameters.begin(), description.parameters.end(),
                     [&](const auto& field) { return field.name == name; });
}

const std::vector<Experiment>& experiments() {
  static const auto all = [] {
    std::vector<Experiment> list;
    for (const auto figures : {thompson_sampling_figures, experts_figures, best_arm_figures,
                               dueling_figures, sparse_figures}) {
      for (auto& figure : figures()) list.push_back(std::move(figure));
    }
    return list;
  }();
  return all;
}

Result<const Experiment*> find_experiment(std::string_view id) {
  std::vector<std::string> known;
  for (const auto& candidate : experiments()) {
    known.push_back(candidate.describe().id);
    if (known.back() == id) return &candidate;
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown experiment '" + std::string(id) + "'" + nearest_hint(id, known));
}

Result<std::vector<const Experiment*>> select_experiments(const std::vector<std::string>& words) {
  std::vector<const Experiment*> selected;
  const auto add = [&](const Experiment* one) {
    if (std::count(selected.begin(), selected.end(), one) == 0) selected.push_back(one);
  };
  for (const auto& word : words) {
    if (!is_glob(word)) {
      const auto found = ASSAY_TRY(find_experiment(word));
      add(found);
      continue;
    }
    bool any = false;
    for (const auto& candidate : experiments()) {
      if (!glob_match(word, candidate.describe().id)) continue;
      add(&candidate);
      any = true;
    }
    if (!any) {
      return fail(ErrorCode::kInvalidArgument,
                  "'" + word + "' selects no experiment; `assay list experiments` names them");
    }
  }
  if (selected.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no experiment is selected; `assay list experiments` names them");
  }
  return selected;
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
