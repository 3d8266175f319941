// The report of an experiment, as values: a figure of a paper with its curves and numbers, and the outcomes that the
// paper states, each compared with the results.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

enum class Outcome { kHolds, kFails, kUndecided };
constexpr std::array<std::pair<Outcome, std::string_view>, 3> enum_names(Outcome) {
  return {
      {{Outcome::kHolds, "holds"}, {Outcome::kFails, "fails"}, {Outcome::kUndecided, "undecided"}}};
}

// "holds", "does not hold", "undecided".
std::string to_string(Outcome outcome);

// An outcome that the paper states, compared with the observed numbers.
struct OutcomeCheck {
  std::string name = {};      // of the check; unique in an experiment
  std::string stated = {};    // the paper's statement, with its place
  std::string rule = {};      // the check in words: how the statement is read here
  std::string observed = {};  // the numbers that decided it
  Outcome outcome = Outcome::kUndecided;
};

// One curve, in full resolution; units are part of the names.
struct Curve {
  std::string panel = {};
  std::string series = {};
  std::string x_name = {};  // "round", "delta", "eta_gdp"
  std::string y_name = {};  // "pseudo_regret_reward", "epsilon_nats"
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> low = {};  // of the pointwise 95% band; empty if the curve has none
  std::vector<double> high = {};
  std::int64_t repetitions = 0;  // 0 if it was computed, not simulated
};

struct ValueColumn {
  std::string name;
  bool number = true;
};

struct ValueTable {
  std::string caption;
  std::vector<ValueColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

struct ExperimentReport {
  std::string id;
  std::string title;
  std::string reproduces;  // paper and figure
  std::vector<KeyValue> parameters;
  Figure figure;
  std::string caption;
  std::vector<Curve> curves;
  ValueTable values;
  std::vector<OutcomeCheck> checks;
  double confidence = 1.0;         // with which all checks hold together; 1 if computed
  std::vector<std::string> notes;  // read these before quoting a number
  std::string reproduce;           // the command that runs this experiment alone
};

}  // namespace assay
