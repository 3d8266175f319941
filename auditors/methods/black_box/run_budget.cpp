#include "assay/auditors/methods/black_box/run_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kSearchShare = 0.30, kLearningShare = 0.28;
constexpr double kLearningOfOne = 0.40;
constexpr std::int64_t kSearchedOfEach = 64;  // runs of each candidate
constexpr std::int64_t kLeastLearnt = 1024;   // if certification has as many

}  // namespace

Result<RunBudget> divide_runs(std::optional<std::int64_t> all, std::optional<std::int64_t> samples,
                              std::size_t candidates) {
  const double search = candidates > 1 ? kSearchShare : 0.0;
  const double learning = candidates > 1 ? kLearningShare : kLearningOfOne;
  const auto part = [](double share, double of) { return static_cast<std::int64_t>(share * of); };
  RunBudget budget;
  if (!all) {
    const double of = 2.0 * static_cast<double>(*samples) / (1.0 - search - learning);
    budget.samples = *samples;
    if (candidates > 1) {
      budget.search =
          std::max(part(search, of), kSearchedOfEach * static_cast<std::int64_t>(candidates));
    }
    budget.learning = std::max(4 * (*samples / 3), 2 * kLeastLearnt);
  } else if (samples) {
    const std::int64_t rest = *all - kCheckRuns - 2 * *samples;
    if (*all < fewest_runs_for(*samples)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--runs leaves {} runs, fewer than the {} that {} certified runs on "
                              "each input take: raise it or lower --samples",
                              *all, fewest_runs_for(*samples), *samples));
    }
    budget.samples = *samples;
    budget.search = part(search / (search + learning), static_cast<double>(rest));
    budget.learning = rest - budget.search;
  } else {
    const auto of = static_cast<double>(std::max(*all - kCheckRuns, kFewestInAll - kCheckRuns));
    budget.search = part(search, of);
    budget.learning = part(learning, of);
    budget.samples = part(1.0 - search - learning, 0.5 * of);
  }
  budget.least_learning = std::min(budget.learning, std::max(budget.learning / 4, kLeastLearnt));
  return budget;
}

std::int64_t fewest_runs_for(std::int64_t samples) {
  return samples == 0 ? 0 : kCheckRuns + 2 * samples + samples / 2;
}

std::int64_t quick_search_runs(std::size_t candidates) {
  const auto best = static_cast<std::int64_t>(std::min(candidates, kQuickly));
  return 2 * (kQuickRuns * static_cast<std::int64_t>(candidates) + kQuickRunsOfBest * best);
}

RunBudget quick_try(std::int64_t runs, std::size_t candidates) {
  RunBudget budget;
  budget.is_early_try = budget.is_quick = true;
  budget.search = std::min(quick_search_runs(candidates), 3 * runs / 4);
  budget.learning = runs - budget.search;
  budget.samples = budget.learning / 2;
  return budget;
}

RunBudget early_try(std::int64_t runs, std::size_t candidates) {
  RunBudget budget = *divide_runs(runs, {}, candidates);  // an error needs a number of samples
  budget.is_early_try = true;
  budget.learning += 2 * budget.samples;
  return budget;
}

// From standard errors of p, and for q from the upper limit that the expected number of hits allows,
//     log((x + z^2/2 + z sqrt(x (1 - q) + z^2/4))/x),  x = q runs,
// because the standard error is too small for a few hits.
double independent_width(double p, double q, double delta, double alpha, std::int64_t runs) {
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const auto n = static_cast<double>(runs);
  const double of_p = z * std::sqrt(p * (1.0 - p) / n) / (p - delta);
  const double x = q * n;
  const double most = x + 0.5 * z * z + z * std::sqrt(x * (1.0 - q) + 0.25 * z * z);
  const double of_q = portable_log(most / x);
  return std::sqrt(of_p * of_p + of_q * of_q);
}

double independent_width_of_mu(double p, double q, double alpha, std::int64_t runs) {
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const auto n = static_cast<double>(runs);
  const auto loss = [&](double rate) {
    constexpr double kLeast = 1e-12;
    const double x = std::clamp(rate, kLeast, 1.0 - kLeast) * n;
    const double most = x + 0.5 * z * z + z * std::sqrt(x * (1.0 - x / n) + 0.25 * z * z);
    return normal_quantile(std::min(most / n, 1.0 - kLeast)) - normal_quantile(x / n);
  };
  const double of_p = loss(1.0 - p), of_q = loss(q);
  return std::sqrt(of_p * of_p + of_q * of_q);
}

namespace {

bool shows(const Asked& asked, double level, double frequency, double alpha, bool divided,
           std::int64_t runs) {
  const auto leak = asked.gaussian ? detail::ClaimBoundary::gaussian(level)
                                   : detail::ClaimBoundary::approximate(level, asked.delta.value);
  const double q = leak.split(frequency), p = 2.0 * frequency - q;
  const auto width = [&](double error, std::int64_t of) {
    return asked.gaussian ? independent_width_of_mu(p, q, error, of)
                          : independent_width(p, q, asked.delta.value, error, of);
  };
  const double room = level - asked.claimed(), error = 1.0 - kVisiblePower;
  // The standard errors of the bound and of the power, as the level of one bound.
  const auto both = [](double of_bound, double of_power) {
    return normal_ccdf(normal_ccdf_quantile(of_bound) + normal_ccdf_quantile(of_power));
  };
  if (!divided) return room >= width(both(alpha, error), runs);
  const std::int64_t half = std::max<std::int64_t>(1, runs / 2);
  return room >= width(both(alpha, 0.5 * error), runs) &&
         room >= width(both(kSeedingAlpha, 0.25 * error), half);
}

}  // namespace

bool is_trivial(const SelectedEvent& event, std::int64_t runs) {
  return rarer_frequency(event.p, event.q) * static_cast<double>(runs) < 1.0;
}

double frequency_of(const SelectedEvent& event, std::int64_t runs) {
  return is_trivial(event, runs) ? kUsualFrequency : rarer_frequency(event.p, event.q);
}

double level_seen(const Asked& asked, double frequency, double alpha, bool divided,
                  std::int64_t runs) {
  // From below: the widths of an event that is next to impossible on Q are far too wide, but whatever leaks more is
  // seen as well.
  constexpr double kLeast = 1e-4, kMost = 30.0, kStep = 1.2;  // above the claim
  const double claimed = asked.claimed();
  double high = kLeast;
  while (!shows(asked, claimed + high, frequency, alpha, divided, runs)) {
    high *= kStep;
    if (high > kMost) return kInfinity;
  }
  double low = high / kStep;
  for (int i = 0; i < 20; ++i) {
    const double middle = 0.5 * (low + high);
    (shows(asked, claimed + middle, frequency, alpha, divided, runs) ? high : low) = middle;
  }
  return claimed + high;
}

std::int64_t samples_to_see(const Asked& asked, double level, double frequency, double alpha,
                            bool divided) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t low = kFewestCertified, high = kMost;
  if (!(level_seen(asked, frequency, alpha, divided, high) <= level)) return 0;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (level_seen(asked, frequency, alpha, divided, middle) <= level) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

double frequency_to_see(const Asked& asked, double level, double alpha, bool divided,
                        std::int64_t runs) {
  double high = 0.5, low = 0.0;
  if (!shows(asked, level, high, alpha, divided, runs)) return 0.0;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (shows(asked, level, middle, alpha, divided, runs) ? high : low) = middle;
  }
  return high;
}

std::int64_t samples_needed(const SelectedEvent& event, double delta, double claim, double alpha,
                            std::int64_t most) {
  constexpr std::int64_t kFewest = 1'000;
  constexpr double kOfLevel = 0.2, kOfRoom = 0.5;
  if (!(event.p > delta && event.q > 0.0)) return most;
  const double level = portable_log((event.p - delta) / event.q);
  for (std::int64_t samples = kFewest; samples < most; samples += samples / 4) {
    const double width = independent_width(event.p, event.q, delta, alpha, samples);
    if (width <= kOfLevel * level && width <= kOfRoom * (level - claim)) return samples;
  }
  return most;
}

namespace {

Result<Paced> measured(Players& players, const InputTable& input, std::uint64_t seed,
                       double seconds_to_start, const RunControl& control) {
  using Clock = std::chrono::steady_clock;
  constexpr double kOfTheTime = 0.02, kSeconds = 1.0;  // at most, for the measurement
  constexpr std::int64_t kMost = 64;                   // runs
  constexpr double kInstances = 10.0;                  // that checks start
  constexpr double kOfWhatIsLeft = 0.7;  // of the time: runs may take longer than a few have shown
  constexpr double kLearningAPlay = 6e-5;  // seconds a run, to learn from it
  constexpr double kMostForTime = 1e9;
  const auto started = Clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - started).count();
  };
  const double limit = std::min(kSeconds, kOfTheTime * control.seconds_left());
  Paced paced;
  while (paced.played < kMost && (paced.played == 0 || seconds() < limit)) {
    const auto one = players.play_each(
        1, [&](std::int64_t) { return input; },
        {seed, "pace", static_cast<std::uint64_t>(paced.played), Phase::kCheck}, RunControl{});
    if (one.error) return tl::make_unexpected(*one.error);
    ++paced.played;
  }
  paced.seconds = seconds() / static_cast<double>(paced.played);
  const double left = kOfWhatIsLeft * (control.seconds_left() - kInstances * seconds_to_start);
  const double of_one = paced.seconds / control.workers() + kLearningAPlay;
  paced.runs = std::max(kFewestInAll,
                        static_cast<std::int64_t>(std::clamp(left / of_one, 0.0, kMostForTime)));
  return paced;
}

}  // namespace

Result<Paced> runs_for_time(Players& players, const InputTable& input, std::uint64_t seed,
                            double seconds_to_start, const RunControl& control) {
  return found_by_first(control,
                        [&] { return measured(players, input, seed, seconds_to_start, control); });
}

}  // namespace assay
