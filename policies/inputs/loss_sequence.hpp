// Loss sequences: the losses l_1..l_T in [0, 1]^K of K experts, the private input of an audit with
// full information, and how they are read.
//
// Neighbouring sequences differ in one whole vector ("replace one loss vector").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct LossSequence {
  std::int64_t actions = 2;    // K
  std::vector<double> values;  // row by row, K a round

  static LossSequence zeros(std::int64_t actions, std::int64_t rounds) {
    return {actions, std::vector<double>(static_cast<std::size_t>(actions * rounds), 0.0)};
  }
  std::int64_t rounds() const { return static_cast<std::int64_t>(values.size()) / actions; }
  // Of a round counted from 0.
  std::span<const double> row(std::int64_t round) const {
    return std::span(values).subspan(static_cast<std::size_t>(round * actions),
                                     static_cast<std::size_t>(actions));
  }
  std::span<double> row(std::int64_t round) {
    return std::span(values).subspan(static_cast<std::size_t>(round * actions),
                                     static_cast<std::size_t>(actions));
  }
  friend bool operator==(const LossSequence&, const LossSequence&) = default;
};

// At least two experts, at least one round, K losses a round, each in [0, 1]. The error names round
// and expert, counted from 1.
Status check_losses(const LossSequence& losses);

// One round a line, its K losses separated by commas; the first line fixes K. Lines that start with
// '#' are comments; "\r\n" ends a line as well; blank lines may only come last. Every error names
// the file, the line and what is allowed there.
Result<LossSequence> read_losses(const std::string& path);

}  // namespace assay
