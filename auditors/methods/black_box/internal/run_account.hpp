// Accounts for the runs of one black-box audit: how many are left, on what they were spent, and which parts of the
// audit a budget or a deadline cut off.
//
// Code that runs the target adds to spent(); everything else here follows from that, the plan and the clock.
// Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"

namespace assay {

inline constexpr std::int64_t kMostBeyond = 10;

class RunAccount {
 public:
  // key_runs: the extra runs of the checks (kKeyRuns), or 0.
  RunAccount(const BlackBoxPlan& plan, std::int64_t key_runs, const RunControl& control);

  RunsSpent& spent() { return spent_; }
  std::optional<std::int64_t> left() const;  // empty without a budget for everything

  // How the rest is divided among a search of `candidates` candidates, learning and certification.
  Result<RunBudget> divide(std::size_t candidates) const;
  // How many runs to certify on each input, once the event is known. With a budget for everything, as many as the
  // event needs and the rest allows; with a deadline, as many as seem to fit the time.
  std::int64_t certified_a_side(const SelectedEvent& event, const Asked& asked, double alpha);

  // `samples`, or `needed` if that is more, up to kMostBeyond times the budget for everything, which grows with it.
  std::int64_t followed(std::int64_t samples, std::int64_t needed);

  // Whether the error comes from the deadline, which is not the fault of the target.
  bool out_of_time(const Error& error) const;
  void leave_undone(const std::string& what);  // adds it to the report's list of such parts

 private:
  bool is_timed() const { return seconds_a_run_ > 0.0; }

  std::int64_t samples_;  // as planned; 0 if the budget decides
  std::optional<std::int64_t> all_;
  double seconds_a_run_;
  std::int64_t checks_before_, key_runs_;
  const RunControl& control_;
  RunsSpent spent_;
};

}  // namespace assay
