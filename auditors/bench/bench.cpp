#include "assay/auditors/bench/bench.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <set>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/median.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/parallel.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFirstBlock = 10;  // repetitions; each block has twice as many as the last
constexpr std::int64_t kLargestBlock = 160;
constexpr double kOfErrors = 0.8;            // of the work; the rest is for the speed
constexpr double kLeastTimedSeconds = 2e-3;  // of a timed repetition

// A candidate at one size, and its runs.
struct Entrant {
  std::size_t candidate = 0;
  BenchPoint point;
  ReadyCandidate ready;
  std::vector<double> played;
};

std::vector<std::int64_t> sizes_of(const BenchComparison& comparison, int count) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = comparison.size; size >= comparison.least_size && count > 0; --count) {
    sizes.push_back(size);
    if (size == comparison.least_size) break;
    size = std::max(size / 4, comparison.least_size);
  }
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

bool is_infinite(const PrivacyLevel& level) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.mu; }) {
          return !std::isfinite(one.mu.value);
        } else {
          return !std::isfinite(one.epsilon.value);
        }
      },
      level);
}

// The delta that is proved at the target's eps.
Result<double> certified_delta(const BenchComparison& comparison, const Guarantee& level) {
  const auto refuse = [](const std::string& why) { return fail(ErrorCode::kInvalidArgument, why); };
  if (level.source.empty()) return refuse("no theorem proves its level");
  if (is_infinite(level.level)) return refuse(level.source);
  if (level.relation != comparison.relation || level.view != comparison.view) {
    return refuse("its level is for other neighbours or another view: " +
                  to_string(level.relation) + "; " + to_string(level.view));
  }
  const auto here = approximate_at_epsilon(level.level, comparison.target.epsilon);
  const double allowed = comparison.target.delta.value;
  if (here.epsilon.value <= comparison.target.epsilon.value && here.delta.value <= allowed) {
    return here.delta.value;
  }
  return refuse("its level is proved for delta = " + number_text(here.delta.value) +
                " at eps = " + number_text(here.epsilon.value) + ", above the target");
}

Result<Entrant> entrant_of(const BenchComparison& comparison, std::size_t index,
                           std::int64_t size) {
  Entrant entrant;
  entrant.candidate = index;
  entrant.ready = ASSAY_TRY(comparison.candidates[index].prepare(size));
  entrant.point.delta = ASSAY_TRY(certified_delta(comparison, entrant.ready.level));
  entrant.point.size = size;
  entrant.point.parameters = entrant.ready.parameters;
  entrant.point.level = entrant.ready.level;
  entrant.point.reservation = entrant.ready.reservation;
  return entrant;
}

struct EntrantField {
  std::vector<Entrant> entrants;
  std::vector<BenchRefusal> refusals;
};

// Prepares every candidate at every size. One that cannot be calibrated at the requested size is not compared at
// other sizes.
Result<EntrantField> prepare_field(const BenchComparison& comparison,
                                   const std::vector<std::int64_t>& sizes,
                                   const RunControl& control) {
  const std::size_t count = comparison.candidates.size();
  std::vector<std::vector<Result<Entrant>>> made(sizes.size());
  parallel_for(control.threads, sizes.size(), [&](std::size_t s) {
    for (std::size_t i = 0; i < count && !control.interrupted(); ++i) {
      made[s].push_back(entrant_of(comparison, i, sizes[s]));
    }
  });
  if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
  EntrantField field;
  for (std::size_t i = 0; i < count; ++i) {
    const bool compared = made.back()[i].has_value();
    for (std::size_t s = compared ? 0 : sizes.size() - 1; s < sizes.size(); ++s) {
      auto& one = made[s][i];
      if (one) {
        field.entrants.push_back(std::move(*one));
      } else if (one.error().code == ErrorCode::kInterrupted) {
        return tl::make_unexpected(one.error());
      } else {
        field.refusals.push_back({comparison.candidates[i].id, sizes[s], one.error().message});
      }
    }
  }
  return field;
}

struct Played {
  std::int64_t samples = 0;
  bool interrupted = false;
};

// Runs in blocks. Only whole blocks count; the first one is whole unless the user interrupts.
Result<Played> play_field(std::vector<Entrant>& entrants, const BenchPlan& plan,
                          const RunControl& control) {
  Played played;
  std::vector<Entrant*> sampled;
  for (auto& entrant : entrants) {
    if (entrant.ready.sample) sampled.push_back(&entrant);
  }
  if (sampled.empty()) return Played{0, control.interrupted()};
  std::int64_t block = kFirstBlock;
  std::uint64_t item = 0;  // a block of an entrant
  while (played.samples < plan.samples) {
    const std::int64_t first = played.samples;
    const std::int64_t end = std::min(first + block, plan.samples);
    block = std::min(2 * block, kLargestBlock);
    const auto stopped = [&] { return first == 0 ? control.interrupted() : control.stopped(); };
    std::atomic<bool> stop{false};
    const auto per_entrant = static_cast<std::size_t>(end - first);
    const auto play = [&](std::size_t i) -> std::optional<double> {
      if (stop.load(std::memory_order_relaxed) || stopped()) {
        stop = true;
        return std::nullopt;
      }
      return sampled[i / per_entrant]->ready.sample(static_cast<std::size_t>(first) +
                                                    i % per_entrant);
    };
    std::vector<std::optional<double>> errors;
    if (control.items == nullptr) {
      errors = map_chunks(control, sampled.size() * per_entrant, play);
    } else {
      for (std::size_t e = 0; e < sampled.size(); ++e) {
        const auto part = ASSAY_TRY(shared_item<std::vector<std::optional<double>>>(
            control, "errors", item++, [&](const RunControl& own) {
              return map_chunks(own, per_entrant,
                                [&](std::size_t i) { return play(e * per_entrant + i); });
            }));
        if (part) errors.insert(errors.end(), part->begin(), part->end());
        errors.resize((e + 1) * per_entrant, part ? std::nullopt : std::optional(0.0));
      }
    }
    played.interrupted = control.interrupted();
    if (std::any_of(errors.begin(), errors.end(), [](const auto& one) { return !one; })) break;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      sampled[i / per_entrant]->played.push_back(*errors[i]);
    }
    played.samples = end;
    control.stage(0.0, kOfErrors)
        .report("errors", static_cast<double>(end) / static_cast<double>(plan.samples));
    if (control.stopped()) break;
  }
  ASSAY_TRY(end_of_shared_loop(control));
  return played;
}

BenchError known_error(double value, double relative) {
  return {value, value * (1.0 - relative), value * (1.0 + relative)};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

BenchError played_error(ErrorBy by, const Entrant& entrant, double alpha) {
  const auto& values = entrant.played;
  const auto count = static_cast<std::int64_t>(values.size());
  if (by == ErrorBy::kOrderStatistics) {
    const auto bounds = median_bounds(values, alpha);
    return {median_of(values), std::max(bounds.lower, 0.0), bounds.upper};
  }
  const double mean = mean_of(values);
  if (by == ErrorBy::kClopperPearson) {
    const auto wrong = static_cast<std::int64_t>(std::lround(mean * static_cast<double>(count)));
    return {mean, clopper_pearson_lower(wrong, count, alpha / 2.0).value.value,
            clopper_pearson_upper(wrong, count, alpha / 2.0).value.value};
  }
  const double range = entrant.ready.most_error;
  if (!(range > 0.0)) return {0.0, 0.0, 0.0};
  const auto interval =
      mean_interval_between(values, 0.0, range, {.alpha = alpha, .horizon = count});
  return {mean, interval.lower.value.value, interval.upper.value.value};
}

Status judge(const BenchComparison& comparison, std::int64_t samples,
             std::vector<Entrant>& entrants, AlphaLedger& ledger) {
  std::size_t intervals = 0;
  for (const auto& measure : comparison.measures) {
    if (measure.by == ErrorBy::kDistribution) continue;
    for (const auto& entrant : entrants) intervals += entrant.ready.sample ? 1 : 0;
  }
  for (auto& entrant : entrants) {
    std::size_t next = 0;
    for (const auto& measure : comparison.measures) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      BenchError error{kUnknown, kUnknown, kUnknown};
      if (measure.by == ErrorBy::kDistribution) {
        if (next < entrant.ready.known.size()) {
          error = known_error(entrant.ready.known[next], entrant.ready.known_error);
        }
        ++next;
      } else if (entrant.ready.sample && samples > 0) {
        const double share = 1.0 / static_cast<double>(intervals);
        const double alpha = ASSAY_TRY(
            ledger.spend(comparison.candidates[entrant.candidate].id + ", " + measure.name + ", " +
                             comparison.size_name + " = " + std::to_string(entrant.point.size),
                         share));
        error = played_error(measure.by, entrant, alpha);
      }
      entrant.point.errors.push_back(error);
    }
  }
  return {};
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timed {
  BenchRow* row;
  const ReadyCandidate* ready;
  std::uint64_t calls = 1;  // of work in a repetition
  std::uint64_t done = 0;
};

double seconds_of(Timed& timed, std::uint64_t calls) {
  const double start = processor_seconds();
  for (std::uint64_t i = 0; i < calls; ++i) timed.ready->work(timed.done++);
  return processor_seconds() - start;
}

void time_rows(std::vector<Timed>& all, const BenchPlan& plan, const RunControl& control) {
  for (Timed& timed : all) {  // warms up, and finds how many calls make a repetition
    double seconds = seconds_of(timed, timed.calls);
    while (seconds < kLeastTimedSeconds && timed.calls < (1u << 24) && !control.stopped()) {
      timed.calls *= seconds > kLeastTimedSeconds / 8.0 ? 2 : 4;
      seconds = seconds_of(timed, timed.calls);
    }
  }
  for (std::int64_t repetition = 0; repetition < plan.timings; ++repetition) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (control.stopped()) return;
      Timed& timed = all[(i + static_cast<std::size_t>(repetition)) % all.size()];
      const double units =
          static_cast<double>(timed.calls) * static_cast<double>(timed.ready->units);
      seconds.push_back(seconds_of(timed, timed.calls) / units);
    }
    // Only whole rounds count, so that every candidate has as many.
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[(i + static_cast<std::size_t>(repetition)) % all.size()].row->timing.seconds.push_back(
          seconds[i]);
    }
    control.stage(kOfErrors, 1.0)
        .report("speed", static_cast<double>(repetition + 1) / static_cast<double>(plan.timings));
  }
}

}  // namespace

double BenchTiming::quantile(double share) const {
  if (seconds.empty()) return 0.0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Result<BenchReport> run_bench(const BenchComparison& comparison, const BenchPlan& plan,
                              const RunControl& control) {
  std::set<std::string> ids;
  for (const auto& candidate : comparison.candidates) {
    if (ids.insert(candidate.id).second) continue;
    return fail(ErrorCode::kInvalidArgument, "two candidates are called '" + candidate.id + "'");
  }
  BenchReport report;
  report.comparison = comparison;
  report.comparison.candidates.clear();
  report.plan = plan;
  report.sizes = sizes_of(comparison, plan.sizes);
  auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_of(plan.confidence)));

  auto field = ASSAY_TRY(prepare_field(comparison, report.sizes, control));
  const double share = plan.timings > 0 ? 0.7 : 1.0;  // of the time
  const auto played = ASSAY_TRY(play_field(field.entrants, plan, control.within(share)));
  if (played.interrupted && played.samples == 0) {
    return fail(ErrorCode::kInterrupted, "interrupted");
  }
  report.samples = played.samples;
  ASSAY_TRY(judge(comparison, played.samples, field.entrants, ledger));
  report.alpha = ledger.entries();
  report.refusals = std::move(field.refusals);

  std::vector<const ReadyCandidate*> at_size;
  for (auto& entrant : field.entrants) {  // by candidate, sizes ascending
    const auto& id = comparison.candidates[entrant.candidate].id;
    if (report.rows.empty() || report.rows.back().id != id) {
      report.rows.push_back({.id = id, .points = {}, .timing = {}});
      at_size.push_back(nullptr);
    }
    report.rows.back().points.push_back(entrant.point);
    if (plan.timings > 0 && entrant.ready.state_bytes && !control.stopped()) {
      report.rows.back().points.back().bytes = entrant.ready.state_bytes();
    }
    at_size.back() = &entrant.ready;
  }
  if (plan.timings > 0 && !played.interrupted) {
    std::vector<Timed> timed;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      if (at_size[i]->work) timed.push_back({&report.rows[i], at_size[i]});
    }
    const auto seconds = found_by_first(control, [&] {
      time_rows(timed, plan, control);
      std::vector<std::vector<double>> of_rows;
      for (const Timed& one : timed) of_rows.push_back(one.row->timing.seconds);
      return of_rows;
    });
    for (std::size_t i = 0; i < timed.size(); ++i) timed[i].row->timing.seconds = seconds[i];
  }
  const auto first_error = [](const BenchRow& row) {
    const auto& errors = row.points.back().errors;
    return !errors.empty() && errors.front().known() ? errors.front().value
                                                     : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [&](const auto& a, const auto& b) { return first_error(a) < first_error(b); });
  report.interrupted = control.interrupted();
  return report;
}

}  // namespace assay
