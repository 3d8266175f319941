#include "assay/auditors/methods/black_box/internal/run_account.hpp"

#include <algorithm>

namespace assay {

RunAccount::RunAccount(const BlackBoxPlan& plan, std::int64_t key_runs, const RunControl& control)
    : samples_(plan.samples),
      all_(plan.runs),
      seconds_a_run_(plan.seconds_a_run),
      checks_before_(plan.played.checks),
      key_runs_(key_runs),
      control_(control),
      spent_(plan.played) {
  spent_.budget = all_;
}

std::optional<std::int64_t> RunAccount::left() const {
  return all_ ? std::optional(*all_ - spent_.all()) : std::nullopt;
}

Result<RunBudget> RunAccount::divide(std::size_t candidates) const {
  auto rest = left();
  if (rest) *rest -= key_runs_;
  return divide_runs(rest, samples_ > 0 ? std::optional(samples_) : std::nullopt, candidates);
}

std::int64_t RunAccount::certified_a_side(const SelectedEvent& event, const Asked& asked,
                                          double alpha) {
  std::int64_t samples = samples_;
  if (samples == 0) {
    // The runs of the checks before certification already belong to them.
    const std::int64_t checked = spent_.checks - checks_before_;
    samples = std::max(kFewestCertified, (*left() - kCheckRuns - key_runs_ + checked) / 2);
    if (!asked.gaussian) {
      samples = samples_needed(event, asked.delta.value, asked.epsilon.value, alpha, samples);
    }
  }
  if (!control_.deadline || !is_timed()) return samples;
  constexpr double kKept =
      0.8;  // of the time: the rest is for the checks, and for runs that take longer
  const double pace = seconds_a_run_ / control_.workers();
  const double affordable = 0.5 * kKept * control_.seconds_left() / pace;
  if (affordable < static_cast<double>(samples)) {
    samples = std::max(kFewestCertified, static_cast<std::int64_t>(affordable));
    leave_undone("fewer runs were certified than planned");
  }
  return samples;
}

std::int64_t RunAccount::followed(std::int64_t samples, std::int64_t needed) {
  constexpr double kSpare =
      1.15;  // the estimate is by standard errors, and bets need a little more
  const auto wanted = static_cast<std::int64_t>(kSpare * static_cast<double>(needed));
  const std::int64_t more = 2 * (std::min(wanted, kMostBeyond * *all_ / 2) - samples);
  if (more <= 0) return samples;
  *all_ += more;
  spent_.budget = all_;
  return samples + more / 2;
}

bool RunAccount::out_of_time(const Error& error) const {
  return is_timed() && error.code == ErrorCode::kInterrupted && control_.out_of_time() &&
         !control_.interrupted();
}

void RunAccount::leave_undone(const std::string& what) {
  spent_.left_undone += (spent_.left_undone.empty() ? "" : "; ") + what;
}

}  // namespace assay
