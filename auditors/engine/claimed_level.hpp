// Reads the text of a claim, as --claim takes it, into the privacy level that it states.
//
//     eps=1      eps=1,delta=1e-6      mu=sqrt(T/2)      epsilon = 2*log(N), delta = 1/T^2
//
// A claim is mu alone (Gaussian DP), or eps (pure DP), or eps and delta (approximate DP); delta = 0
// is pure DP. The values are arithmetic over the parameters of the case, by name or by symbol.
// level_expression.hpp defines the syntax and the errors of this arithmetic.
//
// Errors, each with the place in the text: an empty claim, one longer than 1000 characters, an
// unknown key, a key given twice, mu together with eps or delta, delta without eps, eps or mu below
// 0, delta outside [0, 1), and a value that cannot be read or evaluated.
// Threads: pure functions. Cost: microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "assay/auditors/engine/level_expression.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

Result<PrivacyLevel> parse_claim(std::string_view text, const std::vector<Variable>& variables);

// The numeric fields of a configuration, as variables.
template <class Config>
std::vector<Variable> claim_variables(const Config& config) {
  std::vector<Variable> variables;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>) {
      variables.push_back(
          {std::string(f.name), std::string(f.symbol), static_cast<double>(config.*f.member)});
    }
  });
  return variables;
}

}  // namespace assay
