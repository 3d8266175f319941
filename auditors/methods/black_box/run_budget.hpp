// Determines how many runs each part of a black-box audit gets, and how long a run takes.
//
// The caller gives S, the certified runs on each input, or N, all runs. N, less the runs of the checks, is divided:
//                                   search   learning   certified
//     several candidates             0.30      0.28       0.42
//     one (a given pair)              -        0.40       0.60
// and S implies the same proportions. If the search ends early and N is given, certification gets
// the rest: as many runs as the event seems to need, at most all that remain.
// All of this is fixed before the first certified run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

inline constexpr std::int64_t kDefaultBudget = 40'000;  // runs, of an external target
inline constexpr std::int64_t kFewestInAll = 1'000, kMostInAll = 4'000'000'000;
inline constexpr std::int64_t kFewestCertified = 100;  // on each input
inline constexpr std::size_t kMostRefined = 8;         // pairs around the best

// Runs on both inputs together, except for `samples`.
struct RunBudget {
  std::int64_t samples = 0;  // certified, on each input
  std::int64_t search = 0;
  std::int64_t learning = 0;
  std::int64_t least_learning = 0;  // if the search has settled
  bool is_early_try = false;        // the last round bets on its runs (black_box_audit.cpp)
  bool is_quick =
      false;  // the search has two rounds: a few runs of each candidate, and more of the best
};

// all: N, less the runs made before; samples: S. At least one of them. If both are given, S is
// certified and N - 2 S goes to search and learning. Errors: N too small for S.
Result<RunBudget> divide_runs(std::optional<std::int64_t> all, std::optional<std::int64_t> samples,
                              std::size_t candidates);

// The fewest runs for everything with which `samples` can be certified on each input; 0 for 0.
std::int64_t fewest_runs_for(std::int64_t samples);

// Early tries (black_box_audit.cpp) with so many runs. A quick one runs each candidate kQuickRuns times on each input,
// and the best kQuickly candidates kQuickRunsOfBest times; the rest are for bets. The other divides its runs as
// above, and bets on those that would teach and certify an event.
inline constexpr std::int64_t kQuickRuns = 16, kQuickRunsOfBest = 64;
inline constexpr std::size_t kQuickly = 4;
std::int64_t quick_search_runs(std::size_t candidates);
RunBudget quick_try(std::int64_t runs, std::size_t candidates);
RunBudget early_try(std::int64_t runs, std::size_t candidates);

// The runs that checks may take of a budget (run_checks.hpp).
inline constexpr std::int64_t kCheckRuns = 17 * 16 + 128;
inline constexpr std::int64_t kKeyRuns = 16;  // more, for a target that takes keys

// The part of log((p - delta)/q) that is lost at `alpha` with `runs` runs on each input; see run_budget.cpp.
double independent_width(double p, double q, double delta, double alpha, std::int64_t runs);

// The same for Phi^-1(p) - Phi^-1(q).
double independent_width_of_mu(double p, double q, double alpha, std::int64_t runs);

// The certified runs on each input that an event clearly against the claim needs for a bound within a
// fifth of its own level, and half way to the claim; at most `most`, and at least a thousand if `most` allows.
std::int64_t samples_needed(const SelectedEvent& event, double delta, double claim, double alpha,
                            std::int64_t most);

inline constexpr double kVisiblePower = 0.9;  // of the leak that a report says it would have seen

// Whether no event was found that tells the inputs apart: `event` is all outputs, or none, to within one run.
bool is_trivial(const SelectedEvent& event, std::int64_t runs);
// The mean probability of the event on the two inputs, or that of its complement if it is rarer: a leak of any level can
// show in an event of any such frequency. kUsualFrequency, neither rare nor frequent, if the event is trivial.
inline constexpr double kUsualFrequency = 0.1;
double frequency_of(const SelectedEvent& event, std::int64_t runs);

// Estimates for an event of this frequency, by the widths above at `alpha` and at the error of the power: the smallest
// level that `runs` certified runs on each input show to be above the claim (infinite if none), and the fewest runs that
// show `level` (0 if none below a billion do). Divided runs have to show it by those of each seeding as well.
double level_seen(const Asked& asked, double frequency, double alpha, bool divided,
                  std::int64_t runs);
std::int64_t samples_to_see(const Asked& asked, double level, double frequency, double alpha,
                            bool divided);
// The least frequency of an event with which `runs` certified runs on each input show `level`; 0 if none does.
double frequency_to_see(const Asked& asked, double level, double alpha, bool divided,
                        std::int64_t runs);

// N for the remaining time, from a few runs of `input`, for a second at most. seconds_to_start of an instance counts
// once for each start. Errors: the target's.
struct Paced {
  std::int64_t runs = 0;    // N
  std::int64_t played = 0;  // to measure it
  double seconds = 0.0;     // of one run
  static auto byte_fields(auto& self) { return std::tie(self.runs, self.played, self.seconds); }
};
Result<Paced> runs_for_time(Players& players, const InputTable& input, std::uint64_t seed,
                            double seconds_to_start, const RunControl& control);

}  // namespace assay
