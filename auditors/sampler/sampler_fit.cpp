#include "assay/auditors/sampler/sampler_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// The shares of alpha. What a test leaves goes to nobody.
constexpr double kCellsShare = 0.3, kTailsShare = 0.2, kThresholdsShare = 0.15,
                 kDistanceShare = 0.15, kOrderShare = 0.1, kRepeatsShare = 0.05,
                 kResiduesShare = 0.05;
constexpr std::array<int, 4> kLags = {1, 2, 3, 4};
constexpr std::array<int, 3> kModuli = {2, 3, 5};
constexpr double kLeastP = 1e-300;  // smaller ones are written as this
constexpr double kMostScale = 4.0;  // the largest factor that is tried

double p_of_log(double log_p) { return std::clamp(portable_exp(log_p), kLeastP, 1.0); }

// ---- a binomial count against bounds of its probability -----------------------------------------

// The smaller of the two p-values, each of one side.
double side_p(std::int64_t count, std::int64_t n, double least, double most) {
  if (most <= 0.0) return count > 0 ? 0.0 : 1.0;
  const double excess = binomial_log_at_least(count, n, most);
  const double deficit = binomial_log_cdf(count, n, least);
  return p_of_log(std::min(excess, deficit));
}

// The strongest of the comparisons of one test, which share its alpha.
class Strongest {
 public:
  void add(std::int64_t count, std::int64_t n, double least, double most,
           const std::function<std::string()>& text) {
    ++tests_;
    const double p = side_p(count, n, least, most);
    if (p >= p_) return;
    p_ = p;
    text_ = text();
  }
  FitTest test(std::string name, double alpha, std::string what) const {
    FitTest out{std::move(name),
                tests_ == 0 ? 1.0 : std::min(1.0, 2.0 * static_cast<double>(tests_) * p_),
                alpha,
                std::move(what),
                {}};
    if (out.rejects()) out.finding = text_;
    return out;
  }

 private:
  std::int64_t tests_ = 0;
  double p_ = 1.0;
  std::string text_;
};

std::string number(double value) { return rounded(value, 6); }

std::string interval(double low, double high) {
  if (low == -kInfinity) return high == kInfinity ? "anywhere" : "at or below " + number(high);
  if (high == kInfinity) return "above " + number(low);
  return "above " + number(low) + " and at or below " + number(high);
}

std::string place_of(const FitEvent& event, bool is_whole) {
  switch (event.kind) {
    case FitEvent::Kind::kLowerTail:
      return "at or below " + number(event.low);
    case FitEvent::Kind::kUpperTail:
      return "above " + number(event.high);
    case FitEvent::Kind::kBothTails:
      return "at or below " + number(event.low) + " or above " + number(event.high);
    case FitEvent::Kind::kCell:
      break;
  }
  if (is_whole && event.low + 1.0 == event.high) return "equal to " + number(event.high);
  return interval(event.low, event.high);
}

std::string expected_text(double count) {
  return count >= 1000.0 ? grouped(std::llround(count)) : rounded(count, 4);
}

std::string seen_text(std::int64_t count, std::int64_t n, const std::string& place,
                      double probability) {
  return fmt::format("{} of {} samples are {}; {} are expected", grouped(count), grouped(n), place,
                     expected_text(probability * static_cast<double>(n)));
}

// The counts at which a side test at `level` rejects, and the probabilities that lead there with kFitPower.
struct EventLimits {
  double seen_below = -1.0, seen_above = 2.0;  // outside [0, 1]: none does
};

EventLimits limits_of(const FitEvent& event, std::int64_t n, double level) {
  const double log_level = portable_log(level);
  EventLimits limits;
  // The least count that is too many, in (no, yes].
  std::int64_t no = static_cast<std::int64_t>(event.most * static_cast<double>(n)) - 1, yes = n + 1;
  no = std::clamp<std::int64_t>(no, 0, n);
  while (yes - no > 1) {
    const std::int64_t k = no + (yes - no) / 2;
    (binomial_log_at_least(k, n, event.most) <= log_level ? yes : no) = k;
  }
  constexpr double kSlack = 1e-7;  // more than the error of a Clopper-Pearson limit
  if (yes <= n) {
    limits.seen_above = clopper_pearson_lower(yes, n, kFitPower).value.value * (1.0 + kSlack);
  }
  yes = -1;  // the largest count that is too few, in [yes, no)
  no = std::clamp<std::int64_t>(static_cast<std::int64_t>(event.least * static_cast<double>(n)) + 1,
                                0, n);
  while (no - yes > 1) {
    const std::int64_t k = yes + (no - yes) / 2;
    (binomial_log_cdf(k, n, event.least) <= log_level ? yes : no) = k;
  }
  if (yes >= 0) {
    limits.seen_below = clopper_pearson_upper(yes, n, kFitPower).value.value * (1.0 - kSlack);
  }
  return limits;
}

double level_of(double share, std::size_t events) {
  return share / (2.0 * static_cast<double>(events));
}

// ---- the distance of the frequencies on the cells --------------------------------------------------

// P(TV(F_n, G) > r) on this many cells is at most this.        (3)
double distance_p(double r, std::int64_t cells, std::int64_t n) {
  const auto size = static_cast<double>(n), j = static_cast<double>(cells);
  const double weissman = j * kLog2 - 2.0 * size * r * r;
  const double mean = 0.5 * std::sqrt((j - 1.0) / size);
  const double mcdiarmid = r > mean ? -2.0 * size * (r - mean) * (r - mean) : 0.0;
  return p_of_log(std::min({0.0, weissman, mcdiarmid}));
}

double distance_radius(double p, std::int64_t cells, std::int64_t n) {
  const auto size = static_cast<double>(n), j = static_cast<double>(cells);
  const double log_p = -portable_log(p);
  const double weissman = std::sqrt((j * kLog2 + log_p) / (2.0 * size));
  const double mcdiarmid = 0.5 * std::sqrt((j - 1.0) / size) + std::sqrt(log_p / (2.0 * size));
  return std::min(weissman, mcdiarmid) * (1.0 + 1e-12);
}

// How far the bounds of (1) in fit_events.hpp leave the stated probabilities.
double slack_of(const FitEvents& events) {
  double above = 0.0, below = 0.0;
  for (const auto& cell : events.cells) {
    above += cell.most - cell.probability;
    below += cell.probability - cell.least;
  }
  return std::max({0.0, above, below});
}

// The values that cannot occur are one more cell.
std::int64_t cells_of(const FitEvents& events) {
  return static_cast<std::int64_t>(events.cells.size()) + 1;
}

// ---- the strength ----------------------------------------------------------------------------------

class StrengthOf {
 public:
  StrengthOf(const StatedDistribution& stated, const FitEvents& events, std::int64_t n,
             double alpha)
      : stated_(stated), events_(events) {
    for (const auto& cell : events.cells) {
      cells_.push_back(limits_of(cell, n, level_of(alpha * kCellsShare, events.cells.size())));
    }
    for (const auto& tail : events.tails) {
      tails_.push_back(limits_of(tail, n, level_of(alpha * kTailsShare, events.tails.size())));
    }
    const std::int64_t j = cells_of(events);
    distance_ =
        std::min(1.0, distance_radius(alpha * kDistanceShare, j, n) +
                          distance_radius(1.0 - kFitPower, j, n) + slack_of(events));  // (8)
  }

  const std::vector<EventLimits>& cells() const { return cells_; }
  const std::vector<EventLimits>& tails() const { return tails_; }
  double distance() const { return distance_; }

  double log_ratio() const {
    double most = 0.0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const double p = events_.cells[i].probability;
      if (p < kLeastBodyCell) continue;
      if (!(cells_[i].seen_above <= 1.0) || !(cells_[i].seen_below > 0.0)) return kInfinity;
      most = std::max(
          {most, portable_log(cells_[i].seen_above / p), portable_log(p / cells_[i].seen_below)});
    }
    return most;
  }

  bool sees_scale(double factor) const {
    const auto other = stated_.scaled(factor);
    if (!other) return false;
    const auto moved = [&](FitEvent event, double by) {
      const double outward = event.kind == FitEvent::Kind::kCell ? by : -by;
      event.low -= outward;
      event.high += outward;
      return probability_of(event, *other);
    };
    const auto is_seen = [&](const FitEvent& event, const EventLimits& limits) {
      return moved(event, -events_.rounded_to) >= limits.seen_above ||
             moved(event, events_.rounded_to) <= limits.seen_below;
    };
    double more = 0.0, less = 0.0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto& cell = events_.cells[i];
      if (is_seen(cell, cells_[i])) return true;
      more += std::max(0.0, moved(cell, -events_.rounded_to) - cell.probability);
      less += std::max(0.0, cell.probability - moved(cell, events_.rounded_to));
    }
    for (std::size_t i = 0; i < tails_.size(); ++i) {
      if (is_seen(events_.tails[i], tails_[i])) return true;
    }
    return std::max(more, less) >= distance_;
  }

  // The factor nearest to 1, above it or below it, that is seen; infinity or 0 if none of those tried is.
  double visible_scale(bool up) const {
    const auto factor = [up](double step) { return up ? 1.0 + step : 1.0 / (1.0 + step); };
    double no = 0.0, yes = 1e-6;
    while (!sees_scale(factor(yes))) {
      no = yes;
      yes *= 2.0;
      if (yes > kMostScale - 1.0) return up ? kInfinity : 0.0;
    }
    for (int i = 0; i < 12; ++i) {
      const double middle = 0.5 * (no + yes);
      (sees_scale(factor(middle)) ? yes : no) = middle;
    }
    return factor(yes);
  }

  bool meets(const FitAims& aims) const {
    return (!aims.distance || distance_ <= *aims.distance) &&
           (!aims.scale || (sees_scale(*aims.scale) && sees_scale(1.0 / *aims.scale))) &&
           (!aims.log_ratio || log_ratio() <= *aims.log_ratio);
  }

  FitStrength strength() const {
    FitStrength out{distance_, log_ratio(), {}, {}};
    if (stated_.scaled(1.0)) {
      out.scale_up = visible_scale(true);
      out.scale_down = visible_scale(false);
    }
    return out;
  }

 private:
  const StatedDistribution& stated_;
  const FitEvents& events_;
  std::vector<EventLimits> cells_, tails_;
  double distance_ = 1.0;
};

// ---- counting ----------------------------------------------------------------------------------------

struct SortedSamples {
  std::vector<double> values;  // those that can occur, ascending
  std::int64_t impossible = 0;
  std::int64_t first_impossible = 0;  // counted from 1
  double impossible_value = 0.0;

  std::int64_t at_most(double x) const {
    return std::upper_bound(values.begin(), values.end(), x) - values.begin();
  }
};

bool can_occur(const StatedDistribution& stated, double rounded_to, double x) {
  return std::isfinite(x) && x >= stated.low() - rounded_to && x <= stated.high() + rounded_to &&
         (!stated.is_whole() || (x == std::floor(x) && std::abs(x) <= 0x1p53));
}

SortedSamples sorted_samples(const StatedDistribution& stated, double rounded_to,
                             std::span<const double> samples) {
  SortedSamples out;
  out.values.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (can_occur(stated, rounded_to, samples[i])) {
      out.values.push_back(samples[i]);
    } else if (++out.impossible == 1) {
      out.first_impossible = static_cast<std::int64_t>(i) + 1;
      out.impossible_value = samples[i];
    }
  }
  std::sort(out.values.begin(), out.values.end());
  return out;
}

std::int64_t count_of(const FitEvent& event, const SortedSamples& sorted) {
  const auto all = static_cast<std::int64_t>(sorted.values.size());
  const std::int64_t low = sorted.at_most(event.low), high = sorted.at_most(event.high);
  switch (event.kind) {
    case FitEvent::Kind::kLowerTail:
      return low;
    case FitEvent::Kind::kUpperTail:
      return all - high;
    case FitEvent::Kind::kBothTails:
      return low + all - high;
    case FitEvent::Kind::kCell:
      break;
  }
  return high - low;
}

std::vector<CountedEvent> counted(const std::vector<FitEvent>& events,
                                  const std::vector<EventLimits>& limits,
                                  const SortedSamples& sorted, std::int64_t n, double level) {
  std::vector<CountedEvent> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    CountedEvent one;
    one.event = events[i];
    one.count = count_of(events[i], sorted);
    one.lower = clopper_pearson_lower(one.count, n, level).value.value;
    one.upper = clopper_pearson_upper(one.count, n, level).value.value;
    one.seen_below = limits[i].seen_below > 0.0 ? limits[i].seen_below : kNaN;
    one.seen_above = limits[i].seen_above <= 1.0 ? limits[i].seen_above : kNaN;
    out.push_back(one);
  }
  return out;
}

FitTest events_test(std::string name, const std::vector<CountedEvent>& events, std::int64_t n,
                    double alpha, bool is_whole, std::string what) {
  Strongest strongest;
  for (const auto& [event, count, lower, upper, below, above] : events) {
    strongest.add(count, n, event.least, event.most, [&, &e = event, c = count] {
      return seen_text(c, n, place_of(e, is_whole), e.probability);
    });
  }
  return strongest.test(std::move(name), alpha, std::move(what));
}

// ---- the tests ---------------------------------------------------------------------------------------

FitTest possible_test(const StatedDistribution& stated, const SortedSamples& sorted) {
  FitTest test{"possible",
               1.0,
               0.0,
               stated.is_whole() ? "whole numbers that the distribution has"
                                 : "finite numbers that the distribution has",
               {}};
  if (sorted.impossible == 0) return test;
  test.p_value = 0.0;
  const double x = sorted.impossible_value;
  test.finding =
      fmt::format("{} {} cannot occur, the first at place {}: {}", grouped(sorted.impossible),
                  plural(sorted.impossible, "sample"), grouped(sorted.first_impossible),
                  std::isnan(x)   ? "not a number"
                  : std::isinf(x) ? (x > 0.0 ? "infinity" : "minus infinity")
                                  : number_text(x));
  return test;
}

// sup_t of F_n(t) - P(t), from the bounds where samples were rounded and from the stated P.
struct Thresholds {
  double proved = 0.0, stated = 0.0;
  double at = 0.0;  // where `proved` is
};

Thresholds thresholds_of(const StatedDistribution& stated, double rounded_to,
                         const SortedSamples& sorted, std::int64_t n) {
  Thresholds out;
  const auto& values = sorted.values;
  const auto size = static_cast<double>(n);
  const auto raise = [&](double distance, double x) {
    if (distance <= out.proved) return;
    out.proved = distance;
    out.at = x;
  };
  for (std::size_t i = 0; i < values.size();) {
    const double x = values[i];
    const double before = static_cast<double>(i) / size;
    while (i < values.size() && values[i] == x) ++i;
    const double now = static_cast<double>(i) / size;
    const double below = stated.below(x), at_most = stated.at_most(x);
    out.stated = std::max({out.stated, now - at_most, below - before});
    if (rounded_to > 0.0) {
      raise(now - stated.at_most(x + rounded_to), x);
      raise(stated.at_most(x - rounded_to) - before, x);
    } else {
      raise(now - at_most, x);
      raise(below - before, x);
    }
  }
  return out;
}

FitTest order_test(const FitEvents& events, const StatedDistribution& stated,
                   std::span<const double> samples, double alpha) {
  std::vector<double> low = {-kInfinity}, high = events.classes;
  low.insert(low.end(), events.classes.begin(), events.classes.end());
  high.push_back(kInfinity);
  const std::size_t k = low.size();
  std::vector<FitEvent> classes(k);
  for (std::size_t i = 0; i < k; ++i) {
    classes[i].low = low[i];
    classes[i].high = high[i];
    const double s = events.rounded_to;
    classes[i].probability = stated.between(low[i], high[i]);
    classes[i].least = stated.between(low[i] + s, high[i] - s) * (1.0 - kStatedError);
    classes[i].most = stated.between(low[i] - s, high[i] + s) * (1.0 + kStatedError);
  }
  std::vector<unsigned char> of_sample;
  of_sample.reserve(samples.size());
  for (const double x : samples) {
    of_sample.push_back(static_cast<unsigned char>(
        std::lower_bound(events.classes.begin(), events.classes.end(), x) -
        events.classes.begin()));
  }
  Strongest strongest;
  for (const int lag : kLags) {
    const auto step = static_cast<std::size_t>(lag);
    std::vector<std::int64_t> counts(k * k, 0);
    std::int64_t pairs = 0;
    for (std::size_t block = 0; block + 2 * step <= of_sample.size(); block += 2 * step) {
      for (std::size_t i = block; i < block + step; ++i, ++pairs) {
        ++counts[of_sample[i] * k + of_sample[i + step]];
      }
    }
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        const std::int64_t count = counts[i * k + j];
        strongest.add(count, pairs, classes[i].least * classes[j].least,
                      std::min(1.0, classes[i].most * classes[j].most), [&] {
                        return fmt::format(
                            "{} of {} samples {} are followed, {} later, by one {}; {} such pairs "
                            "are expected",
                            grouped(count), grouped(pairs), interval(low[i], high[i]), lag,
                            interval(low[j], high[j]),
                            expected_text(static_cast<double>(pairs) * classes[i].probability *
                                          classes[j].probability));
                      });
      }
    }
  }
  return strongest.test("order", alpha, "each sample with those 1 to 4 later, by quartiles");
}

// The repeats of blocks of `length` samples, and the commonest block's first number.
struct Repeats {
  std::int64_t blocks = 0, repeats = 0, most_equal = 1;
  double value = 0.0;
};

Repeats repeats_of_values(const std::vector<double>& sorted) {
  Repeats out;
  out.blocks = static_cast<std::int64_t>(sorted.size());
  for (std::size_t i = 0; i < sorted.size();) {
    const double x = sorted[i];
    const std::size_t first = i;
    while (i < sorted.size() && sorted[i] == x) ++i;
    const auto equal = static_cast<std::int64_t>(i - first);
    out.repeats += equal - 1;
    if (equal <= out.most_equal) continue;
    out.most_equal = equal;
    out.value = x;
  }
  return out;
}

Repeats repeats_of_blocks(std::span<const double> samples, std::size_t length) {
  Repeats out;
  std::vector<std::size_t> order(samples.size() / length);
  out.blocks = static_cast<std::int64_t>(order.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto block = [&](std::size_t i) { return samples.subspan(i * length, length); };
  // Not-a-number equals nothing, so it is left out of the comparison by its bits' place: below all others.
  const auto less = [](double a, double b) { return a < b || (std::isnan(a) && !std::isnan(b)); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto x = block(a), y = block(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), less);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto x = block(order[i - 1]), y = block(order[i]);
    if (std::equal(x.begin(), x.end(), y.begin())) ++out.repeats;
  }
  return out;
}

// The number of decimals of a grid that has all values, if there is one.
std::optional<int> decimals_of(const std::vector<double>& values) {
  double unit = 1.0;
  for (int decimals = 0; decimals <= 12; ++decimals, unit *= 10.0) {
    const bool fits = std::all_of(values.begin(), values.end(), [&](double x) {
      const double scaled = x * unit;
      return std::abs(scaled - std::round(scaled)) <= 1e-15 * std::max(1.0, std::abs(scaled)) * 4.0;
    });
    if (fits) return decimals;
  }
  return std::nullopt;
}

FitTest repeats_test(const StatedDistribution& stated, double rounded_to,
                     std::span<const double> samples, const SortedSamples& sorted, double alpha) {
  const double p = stated.likeliest_value() + 2.0 * stated.density() * rounded_to;
  const double depth = -portable_log(std::min(1.0, p));
  // Blocks that are as rare as a single double.
  const double wanted = p <= 0x1p-40 ? 1.0 : std::ceil(35.0 / depth);
  FitTest test{"repeats", 1.0, alpha, "", {}};
  if (!(2.0 * wanted <= static_cast<double>(samples.size()))) {
    test.what = "nothing, for there are too few samples for blocks that seldom repeat";
    return test;
  }
  const auto length = static_cast<std::size_t>(wanted);
  const Repeats found =
      length == 1 ? repeats_of_values(sorted.values) : repeats_of_blocks(samples, length);
  test.what = length == 1 ? "every sample with every other"
                          : fmt::format("every block of {} samples with every other", length);
  if (found.repeats == 0) return test;
  const auto blocks = static_cast<double>(found.blocks);
  const double log_mean =
      portable_log(0.5 * blocks * (blocks - 1.0)) - static_cast<double>(length) * depth;
  double log_p = static_cast<double>(found.repeats) * log_mean;
  for (std::int64_t r = 2; r <= std::min<std::int64_t>(found.repeats, 1000); ++r) {
    log_p -= portable_log(static_cast<double>(r));
  }
  test.p_value = log_p >= 0.0 ? 1.0 : p_of_log(log_p);  // (5)
  if (!test.rejects()) return test;
  test.finding = fmt::format("{} of {} {} repeat an earlier one; at most {} are expected",
                             grouped(found.repeats), grouped(found.blocks),
                             length == 1 ? "samples" : fmt::format("blocks of {} samples", length),
                             rounded(portable_exp(std::min(log_mean, 0.0)), 2));
  if (length == 1) {
    const auto decimals = decimals_of(sorted.values);
    test.finding +=
        fmt::format("; {} came {} times", number_text(found.value), grouped(found.most_equal));
    if (decimals) {
      test.finding +=
          fmt::format("; no sample has more than {} {}: print 17 digits, or say --rounded-to",
                      *decimals, plural(*decimals, "decimal"));
    } else {
      test.finding += "; the sampler has too few random bits, or clips, or repeats itself";
    }
  } else {
    test.finding += "; the sampler repeats itself";
  }
  return test;
}

FitTest residues_test(const StatedDistribution& stated, const SortedSamples& sorted, std::int64_t n,
                      double alpha) {
  Strongest strongest;
  for (const int m : kModuli) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(m), 0);
    for (const double x : sorted.values) {
      const auto rest = static_cast<std::int64_t>(x) % m;
      ++counts[static_cast<std::size_t>(rest < 0 ? rest + m : rest)];
    }
    for (int r = 0; r < m; ++r) {
      const double p = stated.residue(r, m);
      const std::int64_t count = counts[static_cast<std::size_t>(r)];
      strongest.add(count, n, std::max(0.0, p * (1.0 - kStatedError)),
                    std::min(1.0, p * (1.0 + kStatedError)),
                    [&] { return seen_text(count, n, fmt::format("{} modulo {}", r, m), p); });
    }
  }
  return strongest.test("residues", alpha, "remainders modulo 2, 3 and 5");
}

}  // namespace

double CountedEvent::log_ratio_bound() const {
  if (!(event.probability > 0.0) || !(lower > 0.0)) return kInfinity;
  return std::max(
      {0.0, portable_log(upper / event.probability), portable_log(event.probability / lower)});
}

bool SamplerFit::differs() const {
  return std::any_of(tests.begin(), tests.end(),
                     [](const FitTest& test) { return test.rejects(); });
}

bool FitAims::met_by(const FitStrength& strength) const {
  return (!distance || strength.distance <= *distance) &&
         (!log_ratio || strength.log_ratio <= *log_ratio) &&
         (!scale || (strength.scale_up && *strength.scale_up <= *scale &&
                     *strength.scale_down >= 1.0 / *scale));
}

FitStrength fit_strength(const StatedDistribution& stated, const FitEvents& events,
                         std::int64_t samples, double alpha) {
  return StrengthOf(stated, events, samples, alpha).strength();
}

std::optional<std::int64_t> samples_to_see(const StatedDistribution& stated,
                                           const FitEvents& events, const FitAims& aims,
                                           double alpha, std::int64_t most) {
  const auto enough = [&](std::int64_t n) {
    return StrengthOf(stated, events, n, alpha).meets(aims);
  };
  std::int64_t no = kLeastSamples, yes = 1000;
  while (!enough(yes)) {
    if (yes >= most) return std::nullopt;
    no = yes;
    yes = std::min(most, 2 * yes);
  }
  while (static_cast<double>(yes - no) > 0.01 * static_cast<double>(yes)) {
    const std::int64_t middle = no + (yes - no) / 2;
    (enough(middle) ? yes : no) = middle;
  }
  const auto round = static_cast<std::int64_t>(rounded_count(static_cast<double>(yes)));
  return round <= most && enough(round) ? round : yes;
}

Result<SamplerFit> fit_samples(const StatedDistribution& stated, const FitEvents& events,
                               std::span<const double> samples, double alpha,
                               const RunControl& control) {
  const auto heard = [&]() -> Status {
    if (!control.interrupted()) return {};
    return fail(ErrorCode::kInterrupted, "interrupted while the samples were tested");
  };
  const auto n = static_cast<std::int64_t>(samples.size());
  ASSAY_CHECK(n >= kLeastSamples, "too few samples");
  SamplerFit fit;
  fit.samples = n;
  fit.events = events;
  auto ledger = AlphaLedger::create(alpha);
  ASSAY_CHECK(ledger.has_value(), "alpha must lie in (0, 1/2]");
  const auto share = [&](const char* purpose, double fraction) {
    return ledger->spend(purpose, fraction).value();
  };
  const double for_cells = share("cells", kCellsShare);
  // Some whole numbers have no tail of at most half the probability.
  const double for_tails = events.tails.empty() ? 0.0 : share("tails", kTailsShare);
  const double for_thresholds = share("thresholds", kThresholdsShare);
  const double for_distance = share("distance", kDistanceShare);
  const double for_order = share("order", kOrderShare);
  const double for_repeats = share("repeats", kRepeatsShare);

  const StrengthOf strength(stated, events, n, alpha);
  const SortedSamples sorted = sorted_samples(stated, events.rounded_to, samples);
  ASSAY_TRY(heard());
  fit.cells =
      counted(events.cells, strength.cells(), sorted, n, level_of(for_cells, events.cells.size()));
  fit.tails =
      counted(events.tails, strength.tails(), sorted, n, level_of(for_tails, events.tails.size()));
  const bool is_whole = stated.is_whole();
  fit.tests.push_back(possible_test(stated, sorted));
  fit.tests.push_back(events_test("cells", fit.cells, n, for_cells, is_whole,
                                  fmt::format("the counts of {} cells", fit.cells.size())));
  if (!fit.tails.empty()) {
    fit.tests.push_back(events_test("tails", fit.tails, n, for_tails, is_whole,
                                    fmt::format("the counts of {} tails", fit.tails.size())));
  }

  const Thresholds thresholds = thresholds_of(stated, events.rounded_to, sorted, n);
  ASSAY_TRY(heard());
  const auto size = static_cast<double>(n);
  FitTest at_thresholds{
      "thresholds",
      std::min(1.0, 2.0 * p_of_log(-2.0 * size * thresholds.proved * thresholds.proved)),  // (2)
      for_thresholds,
      "P(X <= t) for every t",
      {}};
  if (at_thresholds.rejects()) {
    const double x = thresholds.at;
    at_thresholds.finding =
        seen_text(sorted.at_most(x), n, "at or below " + number(x), stated.at_most(x));
  }
  fit.tests.push_back(at_thresholds);
  const double radius = std::sqrt(-portable_log(0.5 * for_thresholds) / (2.0 * size)) * (1 + 1e-12);
  fit.threshold = {std::max(0.0, thresholds.proved - radius),
                   std::min(1.0, thresholds.stated + radius)};

  double above = static_cast<double>(sorted.impossible) / size, below = 0.0, distance = 0.0;
  for (const auto& cell : fit.cells) {
    const double frequency = static_cast<double>(cell.count) / size;
    above += std::max(0.0, frequency - cell.event.most);
    below += std::max(0.0, cell.event.least - frequency);
    distance += std::max(0.0, cell.event.probability - frequency);
    fit.distance.lower =
        std::max({fit.distance.lower, cell.lower - cell.event.most, cell.event.least - cell.upper});
  }
  const double proved = std::max(above, below);
  const std::int64_t j = cells_of(events);
  FitTest at_distance{"distance",
                      distance_p(proved, j, n),
                      for_distance,
                      "all cells at once, in total variation",
                      {}};
  if (at_distance.rejects()) {
    at_distance.finding = fmt::format(
        "the frequencies of the cells are {} away from the stated ones in total variation",
        rounded_down(proved, 3));
  }
  fit.tests.push_back(at_distance);
  const double reach = distance_radius(for_distance, j, n);
  fit.distance.lower = std::max(fit.distance.lower, proved - reach);
  fit.distance.upper = std::min(1.0, distance + reach);  // (7)

  fit.tests.push_back(order_test(events, stated, samples, for_order));
  fit.tests.push_back(repeats_test(stated, events.rounded_to, samples, sorted, for_repeats));
  ASSAY_TRY(heard());
  if (is_whole) {
    fit.tests.push_back(residues_test(stated, sorted, n, share("residues", kResiduesShare)));
  }
  for (const auto& cell : fit.cells) {
    if (cell.event.probability < kLeastBodyCell) continue;
    ++fit.body_cells;
    fit.log_ratio = std::max(fit.log_ratio, cell.log_ratio_bound());  // (7)
  }
  fit.strength = strength.strength();
  fit.alpha = ledger->entries();
  return fit;
}

}  // namespace assay
