// The plays of one black-box audit: how many its plan leaves, what they were spent on, and what a budget or a
// clock cut off.
//
// Whoever plays adds to spent() what was played; everything else here follows from that, the plan and the clock.
// Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/play_budget.hpp"

namespace assay {

class PlayAccount {
 public:
  // key_plays: that checks take beside (kKeyPlays), or 0.
  PlayAccount(const BlackBoxPlan& plan, std::int64_t key_plays, const RunControl& control);

  PlaysSpent& spent() { return spent_; }
  std::optional<std::int64_t> left() const;  // nothing without a budget for everything

  // How what is left is divided between a search of so many candidates, learning and certification.
  Result<PlayBudget> divide(std::size_t candidates) const;
  // How many plays a side are certified, once the event is known: of a budget for everything, as many as it needs
  // and the rest allows; with a clock, as many as it has time for, as far as that can be told.
  std::int64_t certified_a_side(const SelectedEvent& event, const Asked& asked, double alpha);

  // Of an error: it is the clock's, which is nobody's fault.
  bool out_of_time(const Error& error) const;
  void leave_undone(const std::string& what);  // adds it to what the report says of that

 private:
  bool is_timed() const { return seconds_a_play_ > 0.0; }

  std::int64_t samples_;  // as planned; 0: the budget decides
  std::optional<std::int64_t> all_;
  double seconds_a_play_;
  std::int64_t checks_before_, key_plays_;
  const RunControl& control_;
  PlaysSpent spent_;
};

}  // namespace assay
