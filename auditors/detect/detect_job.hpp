// The job of a detection: the benchmark of faulty mechanisms, or the fault zoo for sequences.
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
  double sample_share = 0.1;
  RunOptions run;
  bool sequences = false;

  static void fields(const VisitOption<DetectionJob>& visit);
};

struct DetectionOutcome {
  std::variant<Detection, SequenceDetection> detection;
  RunMeta meta;

  bool complete() const;
  bool as_expected() const;
};

Result<PreparedJob<DetectionOutcome>> prepare(const DetectionJob& job);

}  // namespace assay
