// Summarises an output with many entries, or an interval of it, in a few numbers.
//
// An entry is a symbol if it takes few different finite values, and a number otherwise;
// infinities and NaN are always symbols. The summary of an interval: how often each symbol occurs
// (the last count follows from the others), the place of the first number or of the first
// symbol 1, and the least, the largest and the sum of the numbers.
//
// Threads: values. Cost: 3 ns an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/external/target.hpp"

namespace assay {

// The runs from which scores are learnt and on which they are compared. Run i on D and run i on D'
// belong together; they had the same seed if seeds are shared.
struct SideRuns {
  OutputBatch base_side;
  OutputBatch neighbour_side;
};

// One value for each class of outputs that count as equal; NaN has one.
std::uint64_t bits_of(double value);

class OutputSummary {
 public:
  // Reads the first runs only.
  explicit OutputSummary(const SideRuns& runs);

  // Symbols that vary, at most 8. If one output has more, they are left out.
  std::size_t symbols() const { return symbols_.size(); }
  bool is_number(std::size_t entry) const { return numbers_[entry]; }
  bool any_number() const { return any_number_; }
  bool all_finite() const { return all_finite_; }

  // The size for the entries [first, last) of an output.
  std::size_t size() const { return symbols_.size() + 1 + (any_number_ ? 3 : 0); }
  void write(std::span<const double> block, std::size_t first, std::span<double> out) const;

 private:
  std::vector<bool> numbers_;
  std::vector<double> symbols_;
  bool any_number_ = false;
  bool all_finite_ = true;
};

}  // namespace assay
