// The job of `assay detect`: audits the mechanisms of DP-Sniper's benchmark, most of which are faulty, or small
// sequential policies with one planted bug each. It compares the bounds that it certifies with the true levels.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/auditors/detect/detection.hpp"
#include "assay/auditors/detect/sequences.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct DetectionFacts {
  bool sequences = false;
};

struct DetectionJob : JobOptions {
  using Facts = DetectionFacts;

  std::vector<std::string> rows;  // names or patterns; empty for all
  std::uint64_t seed = 1;
  std::optional<double> confidence;  // default: 0.9 for mechanisms, 0.999 for sequences
  double sample_share = 0.1;         // draws this share of DP-Sniper's samples, 0.001 to 0.1
  RunOptions run;
  bool sequences = false;  // the planted bugs, in place of the mechanisms

  static void fields(const VisitOption<DetectionJob>& visit);
};

struct DetectionOutcome {
  std::variant<Detection, SequenceDetection> detection;
  RunMeta meta;

  bool complete() const;
  bool as_expected() const;
};

// Errors: an unknown row, or an option out of range or without effect.
Result<PreparedJob<DetectionOutcome>> prepare(const DetectionJob& job);

}  // namespace assay
