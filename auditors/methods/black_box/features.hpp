// Numbers that describe one output. Scores are learnt from them. Any function of an output would be valid;
// leaks have been seen in these.
//
//   entries    as they are, or the differences of successive ones
//   summary    the few numbers of output_summary.hpp for an interval of entries, and the sum of one function
//              of its numbers
//   target's   For actions: how often each was chosen in blocks of doubling length after the changed
//              row (its effect fades, so early blocks are short) and in all rounds after it; which came
//              first after it and which last (a recommendation); the number of switches. For the numbers
//              that rounds output: sums over the same blocks, from the changed round on, and those of the
//              last round; the estimates. For a mechanism: its numbers, their sum, smallest, largest and the
//              place of the largest. For a run that may stop: the number of rounds, and its logarithm
// Threads: immutable. Cost: 1 to 3 ns an entry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/black_box/output_summary.hpp"
#include "assay/auditors/methods/output_frequencies.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

class Features {
 public:
  virtual ~Features() = default;
  virtual std::string title() const = 0;  // of all of them
  virtual std::string name(std::size_t feature) const = 0;
  virtual std::size_t size() const = 0;
  // The rounds and the action that a feature reads, if not the whole output.
  virtual std::optional<EventRounds> rounds(std::size_t) const { return std::nullopt; }
  // Writes size() values. Infinities and NaN of a mechanism pass through.
  virtual void write(std::span<const double> output, std::span<double> features) const = 0;
};

// Row-major features of the runs on each input (0: D): of all, or of evenly spread ones if there
// are more than `most`. If stopped, the rest are zeros.
using SideRows = std::array<std::vector<double>, 2>;
SideRows rows_of(const Features& features, const SideRuns& runs, std::int64_t most,
                 const RunControl& control);
// A poll for loops over outputs of this many numbers.
StopPoll poll_of(const RunControl& control, std::int64_t width);
SideRows column_of(const SideRows& rows, std::size_t columns, std::size_t column);

class EntryFeatures final : public Features {
 public:
  EntryFeatures(const InputShape& shape, bool differences)
      : layout_(shape),
        width_(static_cast<std::size_t>(layout_.width())),
        differences_(differences) {}
  std::string title() const override { return differences_ ? "differences" : "entries"; }
  std::string name(std::size_t feature) const override;
  std::size_t size() const override { return width_; }
  void write(std::span<const double> output, std::span<double> features) const override;

 private:
  OutputLayout layout_;
  std::size_t width_;
  bool differences_;
};

// The summary of the entries [first, last), and the sum of `bins` over their numbers.
class SummaryFeatures final : public Features {
 public:
  SummaryFeatures(OutputSummary summary, std::size_t first, std::size_t last, AdaptiveBins bins);
  std::string title() const override { return "the summary"; }
  std::string name(std::size_t feature) const override;
  std::size_t size() const override { return summary_.size() + (summary_.any_number() ? 1 : 0); }
  void write(std::span<const double> output, std::span<double> features) const override;

 private:
  OutputSummary summary_;
  std::size_t first_, last_;
  AdaptiveBins bins_;
};

class OutputFeatures final : public Features {
 public:
  // changed_row: of the input, from 0; ignored for a mechanism.
  OutputFeatures(const InputShape& shape, std::int64_t changed_row);
  std::string title() const override { return "all features"; }
  std::string name(std::size_t feature) const override { return names_[feature]; }
  std::size_t size() const override { return names_.size(); }
  std::optional<EventRounds> rounds(std::size_t feature) const override;
  void write(std::span<const double> output, std::span<double> features) const override;

 private:
  struct Block {
    std::size_t first;
    std::size_t last;  // one past the end
  };
  void name_actions();
  void name_told();
  void name_numbers();
  void write_actions(std::span<const double> output, std::span<double> features) const;
  void write_told(std::span<const double> output, std::span<double> features) const;
  void write_numbers(std::span<const double> output, std::span<double> features) const;

  OutputLayout layout_;
  std::vector<std::size_t> actions_;  // entries, of a recommendation too
  std::size_t first_;                 // first action in which the change can show
  std::vector<Block> blocks_;         // of actions
  std::vector<Block> told_;           // of rounds, for the numbers that they output
  std::vector<std::string> names_;
};

}  // namespace assay
