// A contender of `assay bench`: a mechanism, counter or policy that can be calibrated to a privacy level,
// and what a comparison asks of it.
//
// Nobody is compared at a level that is not proved: `level` of what a contender makes is a guarantee with
// its theorem, and the comparison (bench.hpp) converts it to the target's eps and refuses whoever's delta is
// above the target's there, whoever promises something for other neighbours or for another view.
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

// Where the numbers of an error come from.
enum class ErrorBy {
  kLaw,              // computed from the law
  kBetting,          // mean of plays of a bounded error, by betting (statistics/betting.hpp)
  kOrderStatistics,  // median of an error without bound (statistics/median.hpp)
  kClopperPearson,   // probability, from a count
};
constexpr std::array<std::pair<ErrorBy, std::string_view>, 4> enum_names(ErrorBy) {
  return {{{ErrorBy::kLaw, "law"},
           {ErrorBy::kBetting, "betting"},
           {ErrorBy::kOrderStatistics, "order-statistics"},
           {ErrorBy::kClopperPearson, "clopper-pearson"}}};
}

struct ErrorMeasure {
  std::string name;  // "rms", "regret"
  ErrorBy by = ErrorBy::kLaw;
};

// A contender at one size, calibrated.
struct ReadyContender {
  std::vector<KeyValue> parameters;  // what the calibration set
  Guarantee level;                   // proved
  std::string reservation;           // what the proof leaves out, "in real numbers"

  std::vector<double> known;  // of the measures by kLaw, in order; NaN where it has none
  double known_error = 1e-9;  // at most, relative
  double most_error = 0.0;    // kBetting: the largest that sample() can give
  // One play: the error that is not known. A function of the repetition; called from many threads.
  std::function<double(std::uint64_t repetition)> sample;

  std::function<void(std::uint64_t repetition)> work;  // what is timed
  std::int64_t units = 1;                              // answers or rounds of it
  std::function<std::optional<double>()> state_bytes;  // memory.hpp; may be empty
};

struct Contender {
  std::string id;
  // Calibrated to the target at this size. Errors: why it cannot be.
  std::function<Result<ReadyContender>(std::int64_t size)> prepare;
  bool in_group = true;  // compared where the group is asked for; else by name alone
};

// What is compared: a group of contenders at a setting.
struct Comparison {
  std::string group;
  std::string title;                 // "running sums of a stream"
  std::vector<KeyValue> parameters;  // of the setting
  std::string size_name;             // the parameter that the plot varies
  std::int64_t size = 1;             // as asked for
  std::int64_t least_size = 1;
  std::string unit;  // of work: "answer", "round"
  std::vector<ErrorMeasure>
      measures;  // the first is plotted; those by kLaw first, at most one other
  ApproximateDp target;
  Relation relation = Relation::kReplaceOneRecord;
  View view = View::kOutput;
  std::string neighbours;  // in words, where the relation's are not enough
  std::vector<Contender> contenders;
};

}  // namespace assay
