// A candidate of `assay bench`: a mechanism, counter or policy that can be calibrated to a privacy level, with
// the functions that a comparison needs.
//
// Only candidates with a proved level are compared: `level` of a ready candidate is a guarantee with its theorem. The
// comparison (bench.hpp) computes its delta at the target's eps. A candidate is not applicable if that delta is above
// the target's, or if its guarantee is for other neighbours or another view.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The method that gives an error.
enum class ErrorBy {
  kDistribution,     // computed from the distribution
  kBetting,          // the mean of a bounded error over runs, by betting (statistics/betting.hpp)
  kOrderStatistics,  // the median of an unbounded error over runs (statistics/median.hpp)
  kClopperPearson,   // a probability, from a count of runs
};
constexpr std::array<std::pair<ErrorBy, std::string_view>, 4> enum_names(ErrorBy) {
  return {{{ErrorBy::kDistribution, "distribution"},
           {ErrorBy::kBetting, "betting"},
           {ErrorBy::kOrderStatistics, "order-statistics"},
           {ErrorBy::kClopperPearson, "clopper-pearson"}}};
}

struct ErrorMeasure {
  std::string name;  // "rms", "regret"
  ErrorBy by = ErrorBy::kDistribution;
};

// A candidate that is calibrated at one size.
struct ReadyCandidate {
  std::vector<KeyValue> parameters;  // set by the calibration
  Guarantee level;                   // proved
  std::string reservation;           // a restriction of the proof, for example "in real numbers"

  std::vector<double>
      known;  // errors of the measures by kDistribution, in order; NaN if it has none
  double known_error = 1e-9;  // an upper bound on the relative error of `known`
  double most_error = 0.0;    // kBetting: the largest value that sample() can return
  // Makes one run and returns its error. It depends on the repetition alone. Many threads call it.
  std::function<double(std::uint64_t repetition)> sample;

  std::function<void(std::uint64_t repetition)> work;  // the timed work
  std::int64_t units = 1;  // the answers or rounds in one call of work()
  std::function<std::optional<double>()> state_bytes;  // memory.hpp; may be empty
};

struct BenchCandidate {
  std::string id;
  // Calibrates the candidate to the target at this size. Errors: the reason why it cannot be calibrated.
  std::function<Result<ReadyCandidate>(std::int64_t size)> prepare;
  bool in_group = true;  // whether a comparison of the whole group has it; if not, it must be named
};

// A comparison: a group of candidates at a setting.
struct BenchComparison {
  std::string group;
  std::string title;                 // "running sums of a stream"
  std::vector<KeyValue> parameters;  // of the setting
  std::string size_name;             // the parameter that the plot varies
  std::int64_t size = 1;             // the requested value of that parameter
  std::int64_t least_size = 1;
  std::string unit;  // of work: "answer", "round"
  // The first is plotted; those by kDistribution come first, then at most one other.
  std::vector<ErrorMeasure> measures;
  ApproximateDp target;
  Relation relation = Relation::kReplaceOneRecord;
  View view = View::kOutput;
  std::string neighbours;  // the relation in words, if its usual text is not enough
  std::vector<BenchCandidate> candidates;
};

}  // namespace assay
