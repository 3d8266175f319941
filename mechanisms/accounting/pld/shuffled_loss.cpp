#include "assay/mechanisms/accounting/pld/shuffled_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kLossCells = 4000;  // of either sign
constexpr double kMostCountCells = 1.2e7;  // cells of counts to add up
constexpr int kMostIntervals = 4000;       // of data sets
constexpr double kIntervalWidth = 2e-4;    // of eps at delta
constexpr double kRoughWidth = 1e-3;       // at its root, and of delta at 0
constexpr std::int64_t kFewUsers = 256;    // every data set by itself

struct ShufflePlan {
  double epsilon = 0.0;
  double odds = 0.0;  // e
  std::int64_t users = 0;
  double depth = 0.0;  // each tail that is left out has at most the probability e^-depth
  const std::atomic<bool>* cancel = nullptr;

  double lost(double tails) const { return tails * 1.001 * portable_exp(-depth) + 1e-300; }
  Status poll() const {
    if (cancel == nullptr || !cancel->load(std::memory_order_relaxed)) return {};
    return fail(ErrorCode::kInterrupted, "interrupted while counting shuffled answers");
  }
};

Result<ShufflePlan> plan_of(double epsilon, std::int64_t users, const ShuffleOptions& options) {
  ASSAY_TRY(detail::check_within("epsilon", epsilon, 1e-6, 100.0));
  ASSAY_TRY(detail::check_within("users", static_cast<double>(users), 2.0, 1e6));
  ASSAY_TRY(detail::check_within("delta", options.delta, 1e-100, 1.0));
  return ShufflePlan{epsilon, portable_exp(epsilon), users, 35.0 - portable_log(options.delta),
                     options.cancel};
}

// ---- windows of counts ----------------------------------------------------------------------------

struct CountRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t size() const { return high - low + 1; }
};

// All values of a sum of n bits but for tails of e^-depth each, by Bernstein's inequality.
CountRange range_of_count(std::int64_t n, double mean, double variance, double depth) {
  const double third = depth / 3.0;
  const double reach = third + std::sqrt(third * third + 2.0 * depth * variance) + 1.0;
  return {std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(mean - reach))),
          std::min(n, static_cast<std::int64_t>(std::ceil(mean + reach)))};
}
CountRange binomial_range(std::int64_t n, double p, double depth) {
  const double mean = static_cast<double>(n) * p;
  return range_of_count(n, mean, mean * (1.0 - p), depth);
}
// With one count more, which falls in the range or not.
CountRange with_one_more(CountRange range) { return {range.low, range.high + 1}; }

// Binomial probabilities with these odds of success, divided by their sum: right to six roundings a step from the mode.
std::vector<double> binomial_on(std::int64_t n, double odds, CountRange range) {
  std::vector<double> weights(static_cast<std::size_t>(range.size()));
  const auto at = [&](std::int64_t k) -> double& {
    return weights[static_cast<std::size_t>(k - range.low)];
  };
  const double share = odds / (1.0 + odds);
  const auto mode =
      std::clamp(static_cast<std::int64_t>(std::floor(static_cast<double>(n + 1) * share)),
                 range.low, std::min(range.high, n));
  at(mode) = 1.0;
  double total = 1.0, weight = 1.0;
  for (std::int64_t k = mode; k > range.low; --k) {
    weight *= static_cast<double>(k) / (static_cast<double>(n - k + 1) * odds);
    total += at(k - 1) = weight;
  }
  weight = 1.0;
  for (std::int64_t k = mode; k < std::min(range.high, n); ++k) {
    weight *= static_cast<double>(n - k) * odds / static_cast<double>(k + 1);
    total += at(k + 1) = weight;
  }
  for (double& w : weights) w /= total;
  return weights;
}

struct CountPoint {
  double count;
  double weight;
};

// At most about `most` points in their place: from above each count goes to the ends of its group, which keeps the
// mean, and from below a group to its mean.
std::vector<CountPoint> grouped(CountRange range, const std::vector<double>& weights,
                                std::int64_t most, bool above) {
  std::vector<CountPoint> points;
  const std::int64_t width = (range.size() + most - 1) / most;
  if (width <= 1) {
    for (std::int64_t k = range.low; k <= range.high; ++k) {
      const double weight = weights[static_cast<std::size_t>(k - range.low)];
      if (weight > 0.0) points.push_back({static_cast<double>(k), weight});
    }
    return points;
  }
  if (above) points.push_back({static_cast<double>(range.low), 0.0});
  for (std::int64_t from = range.low; from <= range.high; from += width) {
    const std::int64_t to = std::min(from + width, range.high + (above ? 0 : 1));
    double mass = 0.0, moment = 0.0;
    for (std::int64_t k = from; k < to || (above && k == to && to == range.high); ++k) {
      const double weight = weights[static_cast<std::size_t>(k - range.low)];
      mass += weight;
      moment += weight * static_cast<double>(k - from);
    }
    if (!above) {
      if (mass > 0.0) points.push_back({static_cast<double>(from) + moment / mass, mass});
      continue;
    }
    if (to == from) {  // the last count alone, on the point before
      points.back().weight += mass;
      break;
    }
    const double up = std::min(moment / static_cast<double>(to - from), mass);
    const double slack = 8.0 * kUnitRoundoff * static_cast<double>(width + 2) * mass;
    points.back().weight += mass - up + slack;
    points.push_back({static_cast<double>(to), up + slack});
    if (to == range.high) break;
  }
  return points;
}

// ---- pairs that are sums over counts, (2) to (4) --------------------------------------------------

// s users answer x or y, i of them x, and a pair has u = scale (base + (e - 1) i) and v = scale (base + (e - 1)(s - i)).
struct CountedPair {
  CountRange pairs;                  // of s
  std::vector<double> pair_weights;  // of s
  bool has_rest = false;             // m more users give the other answers:
  double rest_odds = 0.0;            //   binomial, of n - s
  double rest_share = 0.0;
  double per_rest = 0.0;     // base = s + per_rest m + per_far (n - s)
  double per_far = 0.0;      //
  bool is_per_pair = false;  // scale is 2/(s (e + 1)), else 1/n
};

double base_of(const CountedPair& pair, const ShufflePlan& plan, std::int64_t s, double rest) {
  return static_cast<double>(s) + pair.per_rest * rest +
         pair.per_far * static_cast<double>(plan.users - s);
}

// What follows s: the ranges of i and m, deeper for likelier s, so that each s leaves out at most 4 e^-depth.
struct CountSlice {
  double weight = 0.0;  // of s
  double scale = 0.0;
  CountRange first;
  CountRange rest;
};
CountSlice slice_of(const CountedPair& pair, const ShufflePlan& plan, std::int64_t s) {
  CountSlice slice;
  slice.weight = pair.pair_weights[static_cast<std::size_t>(s - pair.pairs.low)];
  if (slice.weight == 0.0) return slice;
  const auto count = static_cast<double>(s), users = static_cast<double>(plan.users);
  slice.scale = pair.is_per_pair ? 2.0 / (count * (plan.odds + 1.0)) : 1.0 / users;
  const double most = pair.is_per_pair ? 1.0 : 1.0 + portable_expm1(plan.epsilon) * count / users;
  const double log_p = std::min(portable_log(slice.weight) + portable_log(most), 0.0);
  const double depth = std::max(plan.depth + log_p, 3.0);
  if (s > 0) slice.first = with_one_more(binomial_range(s - 1, 0.5, depth));
  const std::int64_t left = plan.users - s;
  if (pair.has_rest && left > 0) {
    slice.rest = with_one_more(binomial_range(left - 1, pair.rest_share, depth));
    slice.rest.high = std::min(slice.rest.high, left);
  }
  return slice;
}

// Both masses in cells of the loss, which are `step` wide.
struct LossCells {
  double step = 0.0;
  std::vector<double> p = std::vector<double>(2 * kLossCells + 2);
  std::vector<double> q = std::vector<double>(2 * kLossCells + 2);
  double largest_count = 0.0;  // terms in one cell, at most
  double widest = 0.0;         // of all ranges of counts, added up
};

Result<LossCells> cells_of(const CountedPair& pair, const ShufflePlan& plan, bool above) {
  const double rise = portable_expm1(plan.epsilon);
  LossCells cells;
  double largest = 0.0;
  for (std::int64_t s = std::max<std::int64_t>(pair.pairs.low, 1); s <= pair.pairs.high; ++s) {
    const CountSlice slice = slice_of(pair, plan, s);
    if (slice.weight == 0.0) continue;
    const double base = base_of(pair, plan, s, static_cast<double>(slice.rest.low));
    const auto ratio = [&](std::int64_t i) {
      return portable_log((base + rise * static_cast<double>(i)) /
                          (base + rise * static_cast<double>(s - i)));
    };
    largest = std::max({largest, ratio(slice.first.high), -ratio(slice.first.low)});
    cells.widest =
        std::max(cells.widest,
                 static_cast<double>(pair.pairs.size() + slice.first.size() + slice.rest.size()));
  }
  cells.step = std::max(largest, 1e-12) * (1.0 + 1e-9) / static_cast<double>(kLossCells);
  const double inverse = 1.0 / cells.step;
  // As many groups of each count as the cells allow: of i, with the most effect, many more than of m.
  const double a_slice = kMostCountCells / static_cast<double>(pair.pairs.size());
  const auto most_first = static_cast<std::int64_t>(std::clamp(a_slice / 16.0, 96.0, 600.0));
  const auto most_rest = std::max<std::int64_t>(
      16, static_cast<std::int64_t>(a_slice / static_cast<double>(most_first)));
  std::vector<double> terms(cells.p.size());
  for (std::int64_t s = pair.pairs.low; s <= pair.pairs.high; ++s) {
    if ((s & 63) == 0) ASSAY_TRY(plan.poll());
    const auto [weight, scale, first, rest] = slice_of(pair, plan, s);
    if (weight == 0.0) continue;
    const auto firsts = grouped(first, binomial_on(s, 1.0, first), most_first, above);
    const auto rests =
        grouped(rest, binomial_on(pair.has_rest ? plan.users - s : 0, pair.rest_odds, rest),
                most_rest, above);
    for (const CountPoint& other : rests) {
      const double base = base_of(pair, plan, s, other.count);
      const double share = weight * other.weight * scale;
      for (const CountPoint& one : firsts) {
        const double u = base + rise * one.count;
        const double v = base + rise * (static_cast<double>(s) - one.count);
        if (u <= 0.0 || v <= 0.0) continue;  // nobody answers
        const double place = std::floor(portable_log(u / v) * inverse);
        const auto cell = static_cast<std::size_t>(
            std::clamp(place, -static_cast<double>(kLossCells), static_cast<double>(kLossCells)) +
            static_cast<double>(kLossCells));
        cells.p[cell] += share * one.weight * u;
        cells.q[cell] += share * one.weight * v;
        terms[cell] += 1.0;
      }
    }
  }
  for (const double count : terms) cells.largest_count = std::max(cells.largest_count, count);
  return cells;
}

double cell_floor(const LossCells& cells, std::size_t i) {
  return (static_cast<double>(i) - static_cast<double>(kLossCells)) * cells.step;
}

void set_errors(const ShufflePlan& plan, const LossCells& cells, PrivacyLoss& loss) {
  loss.weight_error = kUnitRoundoff * (8.0 * cells.widest + 2.0 * cells.largest_count + 256.0);
  loss.loss_error = kUnitRoundoff * (32.0 * (1.0 + plan.epsilon) + 4.0 * cells.largest_count) +
                    cells.step * loss.weight_error;
}

// Both masses of a cell, at its two ends.
PrivacyLoss spread_losses(const CountedPair& pair, const ShufflePlan& plan,
                          const LossCells& cells) {
  std::vector<double> masses(cells.p.size() + 1);
  const double part = -portable_expm1(-cells.step);
  for (std::size_t i = 0; i < cells.p.size(); ++i) {
    if (cells.p[i] <= 0.0) continue;
    const double floor = portable_exp(cell_floor(cells, i));
    const double up = std::clamp((cells.p[i] - cells.q[i] * floor) / part, 0.0, cells.p[i]);
    const double slack = cells.p[i] * kUnitRoundoff * (2.0 * cells.largest_count + 64.0) / part;
    masses[i] += cells.p[i] - up + slack;
    masses[i + 1] += up + slack;
  }
  PrivacyLoss loss;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (masses[i] > 0.0) loss.atoms.push_back({cell_floor(cells, i), portable_log(masses[i])});
  }
  loss.mass_above = plan.lost(2.0 + 4.0 * static_cast<double>(pair.pairs.size()));
  set_errors(plan, cells, loss);
  return loss;
}

// Every cell as one output.
PrivacyLoss merged_losses(const CountedPair& pair, const ShufflePlan& plan,
                          const LossCells& cells) {
  PrivacyLoss loss;
  for (std::size_t i = 0; i < cells.p.size(); ++i) {
    if (cells.p[i] < 1e-290 || cells.q[i] < 1e-290) continue;
    loss.atoms.push_back({portable_log(cells.p[i] / cells.q[i]), portable_log(cells.p[i])});
  }
  std::sort(loss.atoms.begin(), loss.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  loss.mass_above = plan.lost(2.0 + 4.0 * static_cast<double>(pair.pairs.size()));
  set_errors(plan, cells, loss);
  return loss;
}

// (2) or (3).
CountedPair response_pair(const ShufflePlan& plan, double answers, bool above) {
  const double share = 2.0 / (plan.odds + answers - 1.0);
  CountedPair pair;
  pair.pairs = with_one_more(binomial_range(plan.users - 1, share, plan.depth));
  pair.pair_weights = binomial_on(plan.users, 2.0 / (plan.odds + answers - 3.0), pair.pairs);
  pair.has_rest = true;
  pair.rest_odds =
      above ? (answers - 2.0) / portable_expm1(plan.epsilon) : (answers - 3.0) / plan.odds;
  pair.rest_share = pair.rest_odds / (1.0 + pair.rest_odds);
  pair.per_far = above ? 0.0 : 1.0 / plan.odds;
  pair.per_rest = above ? 1.0 : -portable_expm1(-plan.epsilon);
  return pair;
}

// (4).
CountedPair clone_pair(const ShufflePlan& plan) {
  const CountRange copies = binomial_range(plan.users - 1, portable_exp(-plan.epsilon), plan.depth);
  CountedPair pair;
  pair.pairs = {copies.low + 1, copies.high + 1};
  pair.pair_weights = binomial_on(plan.users - 1, 1.0 / portable_expm1(plan.epsilon), copies);
  pair.is_per_pair = true;
  return pair;
}

// ---- two answers, (1) -----------------------------------------------------------------------------

// Ratios f(k + 1)/f(k) of the probabilities of the number of ones, between roundings.
struct RatioBounds {
  double low = 0.0;
  double high = kInfinity;
};

// Of `ones` users with value 1 and `zeros` with value 0, for k in [from, to), to at most the place at which the middle
// term stays positive:
//   (k + 1) f(k + 1) = (ones e + zeros/e - (e + 1/e) k) f(k) + (ones + zeros - k + 1) f(k - 1)   (5)
std::vector<RatioBounds> ratios_from_below(double odds, std::int64_t ones, std::int64_t zeros,
                                           std::int64_t from, std::int64_t to) {
  const double all = static_cast<double>(ones + zeros);
  const double start = static_cast<double>(ones) * odds + static_cast<double>(zeros) / odds;
  const double fall = odds + 1.0 / odds;
  const double down = 1.0 - 8.0 * kUnitRoundoff, up = 1.0 + 8.0 * kUnitRoundoff;
  for (std::int64_t margin = 64;; margin *= 4) {
    std::vector<RatioBounds> kept;
    RatioBounds last;
    const std::int64_t begin = std::max<std::int64_t>(0, from - margin);
    for (std::int64_t k = begin; k < to; ++k) {
      const auto at = static_cast<double>(k);
      const double middle = start - fall * at, slack = 8.0 * kUnitRoundoff * (start + fall * at);
      const double before = k == 0 ? 0.0 : all - at + 1.0;
      const double through_high = before == 0.0 ? 0.0 : before / last.low;
      const RatioBounds next{
          (std::max(middle - slack, 0.0) + before / last.high) / (at + 1.0) * down,
          (std::max(middle, 0.0) + slack + through_high) / (at + 1.0) * up};
      last = next;
      if (k >= from) kept.push_back(last);
    }
    if (begin == 0 || kept.empty() || kept.front().high <= kept.front().low * (1.0 + 1e-12)) {
      return kept;
    }
  }
}

// The number of ones of all users but one.
struct OtherOnes {
  std::int64_t low = 0;
  std::vector<double> mass;
  double error = 0.0;                          // relative, of masses and of their ratios
  bool whole_low = false, whole_high = false;  // nothing is left out at this end
};

OtherOnes other_ones(const ShufflePlan& plan, std::int64_t ones, std::int64_t zeros) {
  const std::int64_t n = ones + zeros;
  const double odds = plan.odds, share = 1.0 / (1.0 + odds);
  const double mean =
      static_cast<double>(ones) * (1.0 - share) + static_cast<double>(zeros) * share;
  const CountRange range =
      range_of_count(n, mean, static_cast<double>(n) * share * (1.0 - share), plan.depth);
  const double turn =
      (static_cast<double>(ones) * odds + static_cast<double>(zeros) / odds) / (odds + 1.0 / odds);
  const auto split = std::clamp(static_cast<std::int64_t>(std::floor(turn)), range.low, range.high);
  auto ratios = ratios_from_below(odds, ones, zeros, range.low, split);
  // Counted by zeros, so that the middle term is positive on the other side.
  const auto mirrored = ratios_from_below(odds, zeros, ones, n - range.high, n - split);
  for (std::size_t i = mirrored.size(); i-- > 0;) {
    ratios.push_back({1.0 / mirrored[i].high * (1.0 - 4.0 * kUnitRoundoff),
                      1.0 / mirrored[i].low * (1.0 + 4.0 * kUnitRoundoff)});
  }
  OtherOnes others;
  others.low = range.low;
  others.whole_low = range.low == 0;
  others.whole_high = range.high == n;
  others.mass.assign(ratios.size() + 1, 1.0);
  std::size_t mode = 0;
  while (mode < ratios.size() && ratios[mode].low >= 1.0) ++mode;
  const auto middle = [](const RatioBounds& r) { return 0.5 * (r.low + r.high); };
  double total = 1.0, below = 0.0, above = 0.0;
  for (std::size_t i = mode; i-- > 0;) {
    total += others.mass[i] = others.mass[i + 1] / middle(ratios[i]);
    below += (ratios[i].high - ratios[i].low) / ratios[i].low + 4.0 * kUnitRoundoff;
  }
  for (std::size_t i = mode; i < ratios.size(); ++i) {
    total += others.mass[i + 1] = others.mass[i] * middle(ratios[i]);
    above += (ratios[i].high - ratios[i].low) / ratios[i].low + 4.0 * kUnitRoundoff;
  }
  for (double& mass : others.mass) mass /= total;
  others.error =
      2.0 * (below + above) + kUnitRoundoff * (static_cast<double>(others.mass.size()) + 32.0);
  return others;
}

struct ResponseOutput {
  double loss;
  double p;
  double q;
};

// All counts of ones, by increasing loss; the first and the last lack what was left out of the others.
std::vector<ResponseOutput> outputs_of(const ShufflePlan& plan, const OtherOnes& others) {
  std::vector<ResponseOutput> outputs;
  const double e = plan.odds, scale = 1.0 / (1.0 + e);
  for (std::size_t c = 0; c <= others.mass.size(); ++c) {
    const double with = c > 0 ? others.mass[c - 1] : 0.0;  // the user's answer is one of the ones
    const double without = c < others.mass.size() ? others.mass[c] : 0.0;
    const double p = (e * with + without) * scale, q = (with + e * without) * scale;
    if (p < 1e-290 || q < 1e-290) continue;
    outputs.push_back({portable_log(p / q), p, q});
  }
  return outputs;
}

struct ResponsePair {
  std::int64_t ones = 0;
  std::int64_t zeros = 0;
  std::vector<ResponseOutput> outputs;
  double error = 0.0;
  bool whole_low = false, whole_high = false;

  // Without the outputs at the ends that lack others which were left out.
  std::pair<std::size_t, std::size_t> complete() const {
    return {whole_low ? 0 : 1, outputs.size() - (whole_high ? 0 : 1)};
  }
};

ResponsePair response_of(const ShufflePlan& plan, std::int64_t ones, std::int64_t zeros) {
  const OtherOnes others = other_ones(plan, ones, zeros);
  return {ones,
          zeros,
          outputs_of(plan, others),
          others.error + 16.0 * kUnitRoundoff,
          others.whole_low,
          others.whole_high};
}

// An upper bound on the profile at losses j step, j = 0..kLossCells.
std::vector<double> profile_above(const ShufflePlan& plan, const ResponsePair& pair, double step) {
  std::vector<double> profile(kLossCells + 1);
  const double lost = plan.lost(2.0), growth = portable_expm1(step);
  const double error =
      2.0 * pair.error + 32.0 * kUnitRoundoff * (1.0 + plan.epsilon);  // of p, q and losses
  double delta = 0.0, p = 0.0, q = 0.0;
  std::size_t k = pair.outputs.size();
  for (std::int64_t j = kLossCells; j >= 0; --j) {
    const double at = static_cast<double>(j) * step;
    delta += growth * portable_exp(at) * q;
    while (k > 0 && pair.outputs[k - 1].loss > at) {
      const ResponseOutput& output = pair.outputs[--k];
      delta += output.p * -portable_expm1(at - output.loss);
      p += output.p;
      q += output.q;
    }
    profile[static_cast<std::size_t>(j)] = delta * (1.0 + 1e-11) + 2.0 * error * p + lost;
  }
  return profile;
}

// The loss at which a falling profile is delta; 0 if it starts below.
double epsilon_of(const std::vector<double>& profile, double step, double delta) {
  std::size_t j = 0;
  while (j < profile.size() && profile[j] > delta) ++j;
  if (j == 0) return 0.0;
  if (j == profile.size()) return static_cast<double>(kLossCells) * step;
  const double above = profile[j - 1], below = profile[j];
  return (static_cast<double>(j) - (delta - below) / (above - below)) * step;
}

PrivacyLoss attained_loss(const ShufflePlan& plan, const ResponsePair& pair, bool mirrored) {
  PrivacyLoss loss;
  const auto [first, end] = pair.complete();
  // Many outputs are told apart in groups only.
  const std::size_t width = (pair.outputs.size() + 2 * kLossCells - 1) / (2 * kLossCells);
  for (std::size_t i = first; i < end; i += width) {
    double p = 0.0, q = 0.0;
    for (std::size_t j = i; j < std::min(end, i + width); ++j) {
      p += pair.outputs[j].p;
      q += pair.outputs[j].q;
    }
    loss.atoms.push_back(mirrored ? LossAtom{portable_log(q / p), portable_log(q)}
                                  : LossAtom{portable_log(p / q), portable_log(p)});
  }
  if (mirrored) std::reverse(loss.atoms.begin(), loss.atoms.end());
  loss.mass_above = plan.lost(4.0) + (mirrored ? pair.outputs.front().q + pair.outputs.back().q
                                               : pair.outputs.front().p + pair.outputs.back().p);
  loss.weight_error = pair.error;
  loss.loss_error = pair.error + 16.0 * kUnitRoundoff * (1.0 + plan.epsilon);
  return loss;
}

struct WorstData {
  ResponsePair pair;
  std::vector<double> profile;
  double step = 0.0;
  double epsilon = 0.0;
};

// The data set that leaks most near delta, of those whose others are alike or evenly split.
WorstData worst_listed(const ShufflePlan& plan, double delta) {
  const std::int64_t others = plan.users - 1;
  std::vector<ResponsePair> listed;
  double largest = 0.0;
  for (const std::int64_t ones : {std::int64_t{0}, others / 2, others}) {
    listed.push_back(response_of(plan, ones, others - ones));
    const auto& pair = listed.back();
    const auto [first, end] = pair.complete();
    if (first < end) {
      largest = std::max({largest, pair.outputs[end - 1].loss, -pair.outputs[first].loss});
    }
  }
  WorstData worst;
  worst.step =
      std::min(1.25 * largest, plan.epsilon * (1.0 + 1e-12)) / static_cast<double>(kLossCells);
  worst.epsilon = -1.0;
  for (ResponsePair& pair : listed) {
    auto profile = profile_above(plan, pair, worst.step);
    const double epsilon = epsilon_of(profile, worst.step, delta);
    if (epsilon <= worst.epsilon) continue;
    worst.epsilon = epsilon;
    worst.pair = std::move(pair);
    worst.profile = std::move(profile);
  }
  return worst;
}

// (1): the largest profile of all data sets. Intervals are halved until none shows at delta.
Result<PrivacyLoss> all_data_sets(const ShufflePlan& plan, const WorstData& worst, double delta) {
  std::vector<double> profile = worst.profile;
  // Whether an interval can stay whole: it shows neither near delta nor where less is at stake.
  const auto shows_little = [&](const std::vector<double>& above) {
    const auto within = [&](double at, double width) {
      return epsilon_of(above, worst.step, at) <=
             epsilon_of(worst.profile, worst.step, at) * (1.0 + width);
    };
    return within(delta, kIntervalWidth) && within(std::sqrt(delta), kRoughWidth) &&
           above.front() <= worst.profile.front() * (1.0 + kRoughWidth);
  };
  std::vector<CountRange> open{{0, plan.users - 1}};
  int intervals = 0;
  while (!open.empty()) {
    ASSAY_TRY(plan.poll());
    const CountRange range = open.back();
    open.pop_back();
    const ResponsePair pair = response_of(plan, range.low, plan.users - 1 - range.high);
    const auto above = profile_above(plan, pair, worst.step);
    const bool is_listed = range.size() == 1 || ++intervals > kMostIntervals;
    if (is_listed || (plan.users > kFewUsers && shows_little(above))) {
      for (std::size_t j = 0; j < profile.size(); ++j) profile[j] = std::max(profile[j], above[j]);
      continue;
    }
    const std::int64_t middle = range.low + (range.size() - 1) / 2;
    open.push_back({range.low, middle});
    open.push_back({middle + 1, range.high});
  }
  std::vector<detail::ProfilePoint> points;
  for (std::size_t j = 0; j < profile.size(); ++j) {
    points.push_back({static_cast<double>(j) * worst.step, profile[j]});
  }
  return detail::hull_of_profile(points);
}

}  // namespace

namespace loss_of {

Result<ShuffledLosses> shuffled_response(double epsilon, std::int64_t answers, std::int64_t users,
                                         const ShuffleOptions& options) {
  const auto plan = ASSAY_TRY(plan_of(epsilon, users, options));
  ASSAY_TRY(detail::check_within("answers", static_cast<double>(answers), 2.0, 1e9));
  if (answers == 2) {
    const auto worst = worst_listed(plan, options.delta);
    auto dominating = ASSAY_TRY(all_data_sets(plan, worst, options.delta));
    return ShuffledLosses{std::move(dominating), attained_loss(plan, worst.pair, false),
                          attained_loss(plan, worst.pair, true)};
  }
  const auto k = static_cast<double>(answers);
  const CountedPair above = response_pair(plan, k, true), below = response_pair(plan, k, false);
  const auto upper = ASSAY_TRY(cells_of(above, plan, true));
  const auto lower = ASSAY_TRY(cells_of(below, plan, false));
  const PrivacyLoss attained = merged_losses(below, plan, lower);
  return ShuffledLosses{spread_losses(above, plan, upper), attained, attained};
}

Result<ShuffledLosses> shuffled_pure(double epsilon, std::int64_t users,
                                     const ShuffleOptions& options) {
  const auto plan = ASSAY_TRY(plan_of(epsilon, users, options));
  const CountedPair above = clone_pair(plan);
  const auto upper = ASSAY_TRY(cells_of(above, plan, true));
  const auto worst = worst_listed(plan, options.delta);
  return ShuffledLosses{spread_losses(above, plan, upper), attained_loss(plan, worst.pair, false),
                        attained_loss(plan, worst.pair, true)};
}

}  // namespace loss_of
}  // namespace assay
