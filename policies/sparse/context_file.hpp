// A user's log of contexts and rewards as an environment: a file that is read along, round by
// round, and never held.
//
// A line is a round: the rewards of all K arms, then their contexts, K times d, separated by
// commas. Comments, line ends and blank lines as in inputs/loss_sequence.hpp. Numbers are -1e100
// to 1e100.
// Every error names the file, the line, the column and what is allowed there.
//
// The file is read once when the log is opened, which checks it and counts its rounds, and once
// more by each play; a copy opens it anew and goes to its round. It has to be a regular file.
// Should it change under a play, the rounds that can no longer be read are all 0, and status() says
// why: whoever plays a log asks for it at the end.
//
// Threads: a value; one per play. Cost: that of reading a line, about 150 ns a number, and a second
// time for opening; memory is some 30 times that of a line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {

// The numbers of one line after another.
class ContextFileReader {
 public:
  // Errors: sizes out of range, a file that cannot be read.
  static Result<ContextFileReader> open(const std::string& path, std::int64_t arms,
                                        std::int64_t dimension);
  ContextFileReader(ContextFileReader&&) noexcept;
  ContextFileReader& operator=(ContextFileReader&&) noexcept;
  ~ContextFileReader();

  // The next round: K rewards, then K x d entries; false at the end of the file.
  Result<bool> next(std::vector<double>& numbers);
  // Passes it over, its line not looked at.
  Result<bool> skip();

 private:
  struct Lines;
  explicit ContextFileReader(std::unique_ptr<Lines> lines);
  std::unique_ptr<Lines> lines_;
};

class ContextLog {
 public:
  // Errors: those of the reader; a file of no rounds or that is not regular.
  static Result<ContextLog> open(const std::string& path, std::int64_t arms,
                                 std::int64_t dimension);
  ContextLog(const ContextLog& other);
  ContextLog& operator=(const ContextLog& other);
  ContextLog(ContextLog&&) noexcept = default;
  ContextLog& operator=(ContextLog&&) noexcept = default;
  ~ContextLog() = default;

  std::int64_t rounds() const { return rounds_; }  // in the file

  // Of a round below rounds(). Any order; forwards is cheap.
  ContextSet context(std::int64_t round, ReplayStream& random);
  // In the round of context().
  double feedback(std::int64_t round, int action, ReplayStream&) const {
    ASSAY_CHECK(action >= 0 && action < arms_ && round == row_round_,
                "feedback follows the context of its round, for one of the arms");
    return row_[static_cast<std::size_t>(action)];
  }
  const Status& status() const { return status_; }

 private:
  ContextLog(std::string path, std::int64_t arms, std::int64_t dimension, std::int64_t rounds);
  Status read_round(std::int64_t round);

  std::string path_;
  std::int64_t arms_;
  std::int64_t dimension_;
  std::int64_t rounds_;
  std::unique_ptr<ContextFileReader> reader_;  // at row_round_ + 1; none before the first
  std::vector<double> row_;
  std::int64_t row_round_ = -1;
  Status status_;
};

// All rounds as private input; of at most kMostInputNumbers numbers.
Result<InputTable> read_context_rows(const std::string& path, std::int64_t arms,
                                     std::int64_t dimension);

}  // namespace assay
