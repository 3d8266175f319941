// How work that takes long reports its progress, and how the caller asks it to stop.
//
// Work calls stopped() every few milliseconds, and ends if it returns true. Two things can stop it: the
// user (a flag that a signal handler raises) and the clock (a deadline). The work then returns a complete
// part of its result, never a half-finished value.
// Determinism: a deadline stops work at a point that depends on the speed of the machine. Give one only to
// work that reports how far it got.
// Threads: any thread may call the const functions, so `also_stop` must allow calls from any thread.
// Cost: stopped() is a relaxed load, and 25 ns for the clock if there is a deadline. StopPoll costs less.
// Several processes that run one command together share an engine. The deadline is then by the clock of the first one,
// and what stops one of them stops all.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "assay/mechanisms/core/chunk_engine.hpp"

namespace assay {

class ItemStore;  // item_store.hpp

struct Progress {
  std::string_view stage;
  double fraction = 0.0;        // of the whole work, in [0, 1]
  std::string_view found = {};  // so far, in a few words; or empty
};
// Called from the thread that started the work, at most a few times a second.
using ProgressCallback = std::function<void(const Progress&)>;
// Called with a sentence that the user should read before the work ends.
using NoteCallback = std::function<void(std::string_view)>;

struct RunControl {
  using Clock = std::chrono::steady_clock;

  int threads = 1;
  ProgressCallback progress;                  // may be empty
  NoteCallback note;                          // may be empty
  const std::atomic<bool>* cancel = nullptr;  // the flag that the user raises; may be null
  std::optional<Clock::time_point> deadline;  // the end of a time budget, if there is one
  std::function<bool()> also_stop;            // a further reason to stop; may be empty
  ChunkEngine* engine = nullptr;              // of several processes (map_chunks.hpp); or null
  ItemStore* items = nullptr;                 // of a shard, or of all (item_store.hpp); or null

  Clock::time_point now() const { return engine == nullptr ? Clock::now() : engine->now(); }
  // The deadline by the clock of this process, for what it starts.
  std::optional<Clock::time_point> deadline_here() const {
    return deadline && engine != nullptr ? std::optional(engine->here(*deadline)) : deadline;
  }
  // Of all processes together; the size of what is handed out at once may depend on it, a result never.
  int workers() const {
    return std::max(threads, 1) * (engine == nullptr ? 1 : engine->processes());
  }
  bool interrupted() const {
    return (cancel != nullptr && cancel->load(std::memory_order_relaxed)) ||
           (also_stop && also_stop());
  }
  bool out_of_time() const { return deadline && now() >= *deadline; }
  bool stopped() const { return interrupted() || out_of_time(); }
  bool cancelled() const { return stopped(); }  // the name by which most loops call it

  void report(std::string_view stage, double fraction, std::string_view found = {}) const {
    if (progress) progress({stage, fraction, found});
  }
  void say(std::string_view sentence) const {
    if (note) note(sentence);
  }
  // The control for the part of the work between these fractions: it reports fractions of its part.
  RunControl stage(double from, double to) const {
    RunControl part = *this;
    if (!progress) return part;
    part.progress = [whole = progress, from, to](const Progress& made) {
      whole({made.stage, from + (to - from) * made.fraction, made.found});
    };
    return part;
  }

  // The seconds until the deadline, at least 0; infinite if there is no deadline.
  double seconds_left() const {
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*deadline - now()).count());
  }
  // The control for one of several stages, which gets this share of the remaining time.
  RunControl within(double share) const {
    RunControl part = *this;
    if (deadline) part.deadline = after(share * seconds_left());
    return part;
  }
  // Sets the deadline to this many seconds from now. From 3e10 seconds (950 years) on it sets none.
  void give_seconds(double seconds) {
    if (seconds < 3e10) deadline = after(seconds);
  }

 private:
  Clock::time_point after(double seconds) const {
    return now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
};

// A cheap stopped() for inner loops. It asks the control once in `every` calls, and remembers if the answer was yes.
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
