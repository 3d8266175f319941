// How long work reports its progress, and how the caller asks it to stop.
//
// One poll answers both kinds of request: the user's (a flag that a signal handler raises) and the
// clock's (a deadline). Work that polls every few milliseconds ends within them. It then returns
// a complete part of its result, never a half-finished value.
// Determinism: a deadline stops work at a point that depends on the speed of the machine, so give
// one only to work that reports how far it came.
// Threads: polls are const and may come from any thread; `also_stop` must allow that too.
// Cost: a relaxed load for stopped(), and 25 ns for the clock if there is a deadline; StopPoll less.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace assay {

// Called from the thread that started the work, a few times a second at most.
using ProgressCallback = std::function<void(std::string_view stage, double fraction)>;

struct RunControl {
  using Clock = std::chrono::steady_clock;

  int threads = 1;
  ProgressCallback progress;                  // may be empty
  const std::atomic<bool>* cancel = nullptr;  // raised by the user
  std::optional<Clock::time_point> deadline;  // of a time budget
  std::function<bool()> also_stop;            // a further reason to stop; may be empty

  bool interrupted() const {
    return (cancel != nullptr && cancel->load(std::memory_order_relaxed)) ||
           (also_stop && also_stop());
  }
  bool out_of_time() const { return deadline && Clock::now() >= *deadline; }
  bool stopped() const { return interrupted() || out_of_time(); }
  bool cancelled() const { return stopped(); }  // the name that most loops use

  void report(std::string_view stage, double fraction) const {
    if (progress) progress(stage, fraction);
  }

  // Seconds until the deadline, at least 0; infinite without one.
  double seconds_left() const {
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*deadline - Clock::now()).count());
  }
  // For one of several stages: the same control, with this share of the remaining time.
  RunControl within(double share) const {
    RunControl part = *this;
    if (deadline) part.deadline = after(share * seconds_left());
    return part;
  }
  // Gives a budget from now on. More than a thousand years is no limit.
  void give_seconds(double seconds) {
    if (seconds < 3e10) deadline = after(seconds);
  }

 private:
  static Clock::time_point after(double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
};

// The poll of an inner loop. It asks the control once every so many calls, and remembers a yes.
class StopPoll {
 public:
  StopPoll() = default;  // never stops
  explicit StopPoll(const RunControl& control, unsigned every = 16)
      : control_(&control), every_(every) {}

  bool operator()() {
    if (stopped_ || control_ == nullptr) return stopped_;
    if (++calls_ < every_) return false;
    calls_ = 0;
    return stopped_ = control_->stopped();
  }
  bool stopped() const { return stopped_; }

 private:
  const RunControl* control_ = nullptr;
  unsigned every_ = 1;
  unsigned calls_ = 0;
  bool stopped_ = false;
};

}  // namespace assay
