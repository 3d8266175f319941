// Numbers that describe one output of a target, for scores to be learnt from.
//
// Of actions: how often each was played in blocks of doubling length after the changed row (its
// effect fades, so early blocks are short) and after it altogether; which came first after it and
// which last (a recommendation); the number of switches. Of a mechanism: its numbers, their sum,
// smallest, largest and the place of the largest. Any function of an output would be valid; these
// are where leaks of sequences have been seen.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/policies/external/target.hpp"

namespace assay {

class OutputFeatures {
 public:
  // changed_row: of the input, from 0; ignored for a mechanism.
  OutputFeatures(const InputShape& shape, std::int64_t changed_row);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t feature) const { return names_[feature]; }
  // Writes size() values; infinities and NaN of a mechanism pass through.
  void write(std::span<const double> output, std::span<double> features) const;

 private:
  struct Block {
    std::size_t first;
    std::size_t last;  // one past the end
  };
  void name_actions();
  void name_numbers();

  InputShape shape_;
  std::size_t first_;  // entry of the output from which the change can show
  std::vector<Block> blocks_;
  std::vector<std::string> names_;
};

}  // namespace assay
