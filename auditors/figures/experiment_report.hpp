// The report of an experiment, as values: a paper's figure, its curves and numbers, and the outcomes that the paper
// states beside the results.
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

// A stated outcome of the paper beside what was observed.
struct OutcomeCheck {
  std::string name = {};      // of the predicate; unique in an experiment
  std::string stated = {};    // the paper's statement, with its place
  std::string rule = {};      // the predicate in words, as the statement is read here
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
  double confidence = 1.0;         // with which all checks hold jointly; 1 if computed
  std::vector<std::string> notes;  // read these before quoting a number
  std::string reproduce;           // this experiment alone, as a command
};

}  // namespace assay
