// Makes a table of the levels that one privacy level implies, with the theorem for each line.
//
// Every line is an upper bound that holds for all mechanisms of the level, by the conversions of
// conversions.hpp, zcdp.hpp and renyi.hpp. A line without a bound gives the reason instead. A group
// of k records (composition.hpp, (6) and (7)) is applied first; the table is then for the group's level.
//
// From neighbours with one record more or less to a replaced record: to replace one is to remove it and to add another,
// which is a group of two changes,
//   eps-DP to 2 eps;  (eps, delta) to (2 eps, delta (1 + e^eps));  mu to 2 mu;  rho to 4 rho         (1)
// At a delta, and for a group, eps-DP and (eps, delta)-DP imply less than the level of (1) does: the chain of changes of
// group_loss.hpp, (1), which is exact for every mechanism of the level. What a line is times the same line before the
// conversion is its price. From a replaced record to one more or less there is no conversion: the output may tell how many
// records there are.
//
// Errors: a level, delta, eps or group size out of range; a group whose level overflows.
// Threads: pure functions. Cost: 1 ms; 10 ms a line for the chain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// RenyiPoint: one order and its eps.
using ConvertibleLevel =
    std::variant<PureDp, ApproximateDp, GaussianDp, ZeroConcentratedDp, RenyiPoint>;

// The level named "pure", "approximate", "gdp", "zcdp" or "rdp". Their parameters, each given once, are epsilon;
// epsilon and own_delta; mu; rho; order and epsilon.
Result<ConvertibleLevel> make_level(const std::string& name, std::span<const KeyValue> parameters);
std::string to_string(const ConvertibleLevel& level);

struct ConversionLine {
  std::string to;        // "mu-GDP", "eps at delta = 1e-6"
  std::string quantity;  // "mu", "rho", "eps", "delta"
  std::optional<double> upper;
  std::optional<double>
      original;  // the bound for one record and the relation given, after a conversion of either
  std::string source;   // the theorem
  std::string why_not;  // the reason, if there is no bound
};

struct ConversionTable {
  ConvertibleLevel given;
  std::int64_t group = 1;
  bool replaces = false;
  std::string level;  // the level of the group, as text; empty for a Renyi curve
  std::vector<ConversionLine> lines;
};

struct ConversionRequest {
  std::vector<double> deltas = {1e-5, 1e-6, 1e-9};
  std::vector<double> epsilons = {};
  std::int64_t group = 1;
  bool replaces = false;  // from one record more or less to a replaced one, each of the group
};

Result<ConversionTable> conversion_table(const ConvertibleLevel& level,
                                         const ConversionRequest& request);

}  // namespace assay
