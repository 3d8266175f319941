// Makes a table of the levels that one privacy level implies, with the theorem for each line.
//
// Every line is an upper bound that holds for all mechanisms of the level, by the conversions of
// conversions.hpp, zcdp.hpp and renyi.hpp. A line without a bound gives the reason instead. A group
// of k records (composition.hpp, (6) and (7)) is applied first; the table is then for the group's level.
//
// Errors: a level, delta, eps or group size out of range; a group whose level overflows.
// Threads: pure functions. Cost: 1 ms.
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
  std::string source;   // the theorem
  std::string why_not;  // the reason, if there is no bound
};

struct ConversionTable {
  ConvertibleLevel given;
  std::int64_t group = 1;
  std::string level;  // the level of the group, as text; empty for a Renyi curve
  std::vector<ConversionLine> lines;
};

struct ConversionRequest {
  std::vector<double> deltas = {1e-5, 1e-6, 1e-9};
  std::vector<double> epsilons = {};
  std::int64_t group = 1;
};

Result<ConversionTable> conversion_table(const ConvertibleLevel& level,
                                         const ConversionRequest& request);

}  // namespace assay
