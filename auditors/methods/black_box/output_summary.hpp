// What few numbers say about an output of many entries, or about a stretch of it.
//
// An entry is a symbol where it takes few different finite values, and a number otherwise;
// infinities and NaN are symbols everywhere. The summary of a stretch: how often each symbol occurs
// (the last of them follows from the others), the place of the first number or of the first
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

// What scores are learnt from and compared on: plays of both sides, play i of one beside play i of the
// other, which had the same seed where seeds are shared.
struct SidePlays {
  OutputBatch old_side;
  OutputBatch new_side;
};

// One value for each output that counts as the same; NaN has one.
std::uint64_t bits_of(double value);

class OutputSummary {
 public:
  // Looks at the first plays only.
  explicit OutputSummary(const SidePlays& plays);

  // Symbols that vary, at most 8; more than that in one output and they are left out.
  std::size_t symbols() const { return symbols_.size(); }
  bool is_number(std::size_t entry) const { return numbers_[entry]; }
  bool any_number() const { return any_number_; }
  bool all_finite() const { return all_finite_; }

  // Of the entries [first, last) of an output.
  std::size_t size() const { return symbols_.size() + 1 + (any_number_ ? 3 : 0); }
  void write(std::span<const double> stretch, std::size_t first, std::span<double> out) const;

 private:
  std::vector<bool> numbers_;
  std::vector<double> symbols_;
  bool any_number_ = false;
  bool all_finite_ = true;
};

}  // namespace assay
