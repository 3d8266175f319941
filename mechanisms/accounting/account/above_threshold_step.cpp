#include "assay/mechanisms/accounting/account/above_threshold_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/flag_pairs.hpp"
#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;
using detail::FlagStream;
using detail::middle;

constexpr double kMostBlocks = 64.0;      // of a stream
constexpr double kMostStreamed = 8192.0;  // answers of a stream
constexpr double kLeastScale = 0.03;      // of answers, to bound the panels of the integrals
constexpr double kMostTerms = 1e9;        // a chain composes no more
constexpr double kLeastMove = 1e-6, kMostMove = 100.0;  // of noise with a pair (privacy_loss.hpp)

// Of the step, in units of the scale of the threshold's noise.
struct FlagScales {
  double scale;     // of the answers' noise
  Enclosure moved;  // D
  double flags;     // above, at most
  double runs;      // times that the threshold's noise is drawn, at most
};

FlagScales scales_of(const AboveThresholdStep& s) {
  const auto c = static_cast<double>(s.answers == 0 ? s.cutoff : std::min(s.cutoff, s.answers));
  const double runs = s.resetting ? c : 1.0;
  if (s.noise == FlagNoise::kGaussian) {
    return {s.sigma / s.threshold_sigma, detail::moved(s.sensitivity, s.group) / s.threshold_sigma,
            c, runs};
  }
  const auto cutoff = static_cast<double>(s.cutoff);
  return {s.resetting ? 2.0 : 2.0 * cutoff,
          Enclosure(0.5) * s.epsilon / (s.resetting ? cutoff : 1.0), c, runs};
}

// m in units of the answers' noise.
Enclosure answer_move(const AboveThresholdStep& s) {
  const double times = s.monotone ? 1.0 : 2.0;
  if (s.noise == FlagNoise::kGaussian) {
    return detail::moved(s.sensitivity, s.group) * times / s.sigma;
  }
  return Enclosure(0.25 * times) * s.epsilon / static_cast<double>(s.cutoff);
}

// ---- from above -----------------------------------------------------------------------------------

// Of noise moved by `move` scales.
double log_moment_of_noise(FlagNoise noise, double move, double tilt) {
  if (noise == FlagNoise::kGaussian) return 0.5 * move * move * tilt * (tilt + 1.0);
  const double up = portable_log1p(tilt) + tilt * move;
  const double down = portable_log(tilt) - (1.0 + tilt) * move;
  return log_add_exp(up, down) - portable_log1p(2.0 * tilt);
}

Result<PrivacyLoss> moved_noise(FlagNoise noise, double move, double log_tail) {
  const bool is_gaussian = noise == FlagNoise::kGaussian;
  auto loss = ASSAY_TRY(is_gaussian ? loss_of::gaussian(1.0 / move, log_tail)
                                    : loss_of::laplace(1.0 / move));
  return detail::for_quotient(std::move(loss),
                              is_gaussian ? detail::normal_reach(move, log_tail) : move);
}

struct FromAbove {
  PrivacyLoss first;
  std::vector<RepeatedLosses> more;
  std::string source;
};

constexpr const char* kSource =
    "the threshold's noise and the flags apart (docs/proofs/above_threshold.md)";

Result<FromAbove> from_above(const AboveThresholdStep& s, const LossAccuracy& accuracy) {
  const FlagScales scales = scales_of(s);
  const bool is_gaussian = s.noise == FlagNoise::kGaussian;
  const double log_tail = std::max(-600.0, accuracy.log_tail - portable_log(scales.flags));
  // Noise that moves further leaks no less.
  const double move = std::max(answer_move(s).high, kLeastMove);
  const double threshold = std::max(scales.moved.high, kLeastMove);
  // The single pair: (3) or (4).
  double level = 0.0;
  FromAbove single;
  if (is_gaussian) {
    level = std::max(s.mu()->high, kLeastMove);
    single.source = "Gaussian DP of all noisy answers less the threshold";
  } else {
    level = s.largest_loss()->high;
    single.source = "randomised response at the largest loss (Lyu, Su, Li 2017, theorem 2)";
  }
  const auto leak_of_single = [&](double tilt) {
    if (is_gaussian) return log_moment_of_noise(s.noise, level, tilt);
    const double other = portable_exp(-level);
    return log_add_exp(tilt * level, -(tilt + 1.0) * level) - portable_log1p(other);
  };
  const bool is_short = scales.flags * static_cast<double>(accuracy.releases) <= kMostTerms;
  if (is_short && move <= kMostMove && threshold <= kMostMove) {
    const PrivacyLoss flags = is_gaussian      ? detail::gaussian_flags(move, s.answers, log_tail)
                              : s.answers == 1 ? ASSAY_TRY(moved_noise(s.noise, move, log_tail))
                                               : detail::laplace_flags(move);
    const bool is_noise = s.answers == 1;  // the pair of moved noise, which has no list of losses
    const auto leak_of_both = [&](double tilt) {
      return scales.runs * log_moment_of_noise(s.noise, threshold, tilt) +
             scales.flags * (is_noise ? log_moment_of_noise(s.noise, move, tilt)
                                      : detail::log_moment(flags, tilt));
    };
    // For one release the largest loss bounds both, and two pairs leak less below it.
    double least = detail::leak_by_moments(accuracy, leak_of_single);
    if (is_gaussian ? level > kMostMove : accuracy.releases == 1) least = kInfinity;
    const double both_leak = detail::leak_by_moments(accuracy, leak_of_both);
    const auto runs = static_cast<std::int64_t>(scales.runs);
    if (!is_noise && scales.runs == scales.flags && runs * accuracy.releases > 1) {
      const PrivacyLoss run = detail::one_run(s.noise, threshold, flags, log_tail);
      const auto leak_of_run = [&](double tilt) {
        return scales.runs * detail::log_moment(run, tilt);
      };
      if (detail::leak_by_moments(accuracy, leak_of_run) < std::min(least, both_leak)) {
        FromAbove one{run, {}, kSource};
        if (runs > 1) one.more.push_back({both_orders(run), runs - 1});
        return one;
      }
    }
    if (both_leak <= least) {
      FromAbove both{ASSAY_TRY(moved_noise(s.noise, threshold, log_tail)), {}, kSource};
      if (runs > 1) both.more.push_back({both_orders(both.first), runs - 1});
      both.more.push_back({both_orders(flags), static_cast<std::int64_t>(scales.flags)});
      return both;
    }
  }
  single.first = is_gaussian ? ASSAY_TRY(moved_noise(s.noise, level, log_tail))
                             : ASSAY_TRY(loss_of::randomized_response(level));
  return single;
}

// ---- from below -----------------------------------------------------------------------------------

// How far a neighbour moves the two kinds of answers of a stream, in units of D.
struct Moves {
  double first;
  double block;
};

struct FlagSearch {
  const AboveThresholdStep& step;
  FlagScales scales;
  LossAccuracy accuracy;   // of the releases of the stream
  std::int64_t runs = 1;   // streams of a release, each with new noise of the threshold
  std::int64_t limit = 1;  // answers of a stream

  // A stream by its shape: where the first answers and the blocks have a flag for a threshold's noise of `at`.
  struct Shape {
    std::int64_t first = 0;
    std::int64_t size = 1;
    double first_at = 0.0;
    double block_at = 0.0;
    Moves moves{0.0, -1.0};
    bool swapped = false;  // the neighbour's answers in place of these
  };

  std::int64_t blocks() const {
    if (step.resetting) return 1;
    const double most = std::min({kMostBlocks, scales.flags, 300.0 * scales.scale});
    return static_cast<std::int64_t>(most);
  }
  bool allows(const Shape& shape) const { return shape.first + shape.size * blocks() <= limit; }

  // The x that n noises stay below with probability 1/2.
  double half_quantile(std::int64_t n) const {
    const double log_p = -kLog2 / static_cast<double>(n);
    if (step.noise == FlagNoise::kGaussian) return normal_quantile_from_log(log_p);
    return -portable_log(-2.0 * portable_expm1(log_p));
  }
  FlagStream stream(const Shape& shape) const {
    FlagStream s{step.noise, scales.scale, shape.first, 0.0, blocks(), shape.size, 0.0};
    if (shape.first > 0) s.first_level = shape.first_at - scales.scale * half_quantile(s.first);
    s.level = shape.block_at - scales.scale * half_quantile(s.size);
    return s;
  }
  // Down to what the sums of levels and moves round.
  Moves moves_of(const FlagStream& s, const Shape& shape) const {
    const auto rounded = [&](double times, double level) {
      const double slack = 16.0 * kUnitRoundoff * (std::fabs(level) + scales.moved.high);
      return times * std::max(0.0, scales.moved.low - slack);
    };
    return {rounded(shape.moves.first, s.first_level), rounded(shape.moves.block, s.level)};
  }

  // As leak_of() of release_step.cpp: of a release exactly, and of many by moments.
  double leak(const std::vector<double>& p, const std::vector<double>& q) const {
    const auto delta_at = [&](double eps) {
      double delta = 0.0;
      for (std::size_t j = 0; j < p.size(); ++j) {
        delta += std::max(0.0, p[j] - portable_exp(eps) * q[j]);
      }
      return delta;
    };
    if (accuracy.releases > 1) {
      return detail::leak_by_moments(accuracy, [&](double tilt) {
        LogSum sum;
        for (std::size_t j = 0; j < p.size(); ++j) {
          if (p[j] < 1e-25 || q[j] < 1e-25) continue;
          sum.add(1.0, (tilt + 1.0) * portable_log(p[j]) - tilt * portable_log(q[j]));
        }
        return sum.log();
      });
    }
    if (accuracy.epsilon >= 0.0) return delta_at(accuracy.epsilon);
    double low = 0.0, high = 700.0;
    for (int i = 0; i < 60; ++i) {
      const double half = 0.5 * (low + high);
      (delta_at(half) > accuracy.delta ? low : high) = half;
    }
    return low;
  }
  double leak(const Shape& shape) const {
    const FlagStream s = stream(shape);
    const Moves moves = moves_of(s, shape);
    const auto here = s.rough_masses(0.0, 0.0), there = s.rough_masses(moves.first, moves.block);
    return shape.swapped ? leak(there, here) : leak(here, there);
  }

  // One parameter after the other, twice, and then both levels more closely.
  Shape best() const {
    std::vector<Moves> moves{{1.0, -1.0}, {0.0, -1.0}};
    if (step.monotone) moves = {{1.0, 0.0}, {0.0, 1.0}};
    Shape worst;
    worst.first = allows({1, 1}) ? 1 : 0;
    worst.moves = worst.first > 0 ? moves.front() : moves.back();
    double most = leak(worst);
    const auto consider = [&](const Shape& shape) {
      if (!allows(shape)) return;
      const double leaks = leak(shape);
      if (!(leaks > most)) return;
      most = leaks;
      worst = shape;
    };
    const auto vary = [&](const auto& values, auto Shape::*member) {
      const Shape from = worst;
      for (const auto& value : values) {
        Shape shape = from;
        shape.*member = value;
        consider(shape);
      }
    };
    const std::vector<std::int64_t> counts{0, 1, 4, 16, 64, 256, 1024, 4096};
    const std::vector<std::int64_t> sizes{1, 4, 16, 64, 256, 1024, 4096};
    const std::vector<double> places{-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0};
    for (int round = 0; round < 2; ++round) {
      vary(std::vector<bool>{false, true}, &Shape::swapped);
      vary(moves, &Shape::moves);
      vary(places, &Shape::first_at);
      std::vector<double> blocks_at;
      for (const double part : {-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0}) {
        blocks_at.push_back(worst.first_at + part * std::max(1.0, scales.scale));
      }
      vary(blocks_at, &Shape::block_at);
      vary(counts, &Shape::first);
      vary(sizes, &Shape::size);
    }
    for (double width = 0.5; width > 0.05; width *= 0.5) {
      vary(std::vector<double>{worst.first_at - width, worst.first_at + width}, &Shape::first_at);
      const double wide = width * std::max(1.0, scales.scale);
      vary(std::vector<double>{worst.block_at - wide, worst.block_at + wide}, &Shape::block_at);
    }
    return worst;
  }
};

// Rare outputs, of which little is known, joined to their neighbours.
void join_rare(std::vector<Enclosure>& p, std::vector<Enclosure>& q) {
  constexpr double kRare = 1e-18;
  for (std::size_t j = p.size(); j-- > 1;) {
    if (p[j].low >= kRare && q[j].low >= kRare) continue;
    const std::size_t to = j == 1 ? std::min<std::size_t>(2, p.size() - 1) : j - 1;
    if (to == j) continue;
    p[to] = p[to] + p[j];
    q[to] = q[to] + q[j];
    p.erase(p.begin() + static_cast<std::ptrdiff_t>(j));
    q.erase(q.begin() + static_cast<std::ptrdiff_t>(j));
  }
  if (p.front().low >= kRare && q.front().low >= kRare) return;
  p[1] = p[1] + p.front();
  q[1] = q[1] + q.front();
  p.erase(p.begin());
  q.erase(q.begin());
}

LossAccuracy with_releases(LossAccuracy accuracy, std::int64_t times) {
  accuracy.releases *= times;
  return accuracy;
}

struct FromBelow {
  PrivacyLoss loss;
  std::int64_t count = 1;  // of this pair in a release
  std::string source;
};

FromBelow from_below(const AboveThresholdStep& s, const LossAccuracy& accuracy) {
  FlagSearch search{s, scales_of(s), accuracy};
  const double wide = search.scales.scale;
  // An answer far above the threshold ends a run without a flag.
  if (s.resetting)
    search.runs = s.answers == 0 ? s.cutoff : std::clamp<std::int64_t>(s.answers / 2, 1, s.cutoff);
  search.limit = static_cast<std::int64_t>(std::min(kMostStreamed, 500.0 * wide * 500.0 * wide));
  if (s.answers > 0) {
    search.limit = std::min(search.limit, s.answers / search.runs - (search.runs > 1 ? 1 : 0));
  }
  search.accuracy = with_releases(accuracy, search.runs);
  const double shift = std::max(0.0, search.scales.moved.low * (1.0 - 8.0 * kUnitRoundoff));
  detail::DifferenceTail tail = [square = Enclosure(wide) * wide, wide](Enclosure x) {
    return (square * exp(-x / wide) - exp(-x)) / (square - 1.0) / 2.0;
  };
  if (s.noise == FlagNoise::kGaussian) {
    const Enclosure ratio = Enclosure(s.sigma) / s.threshold_sigma;
    tail = [deviation = sqrt(Enclosure(1.0) + ratio * ratio)](Enclosure x) {
      constexpr double kError = 2e-13;
      const Enclosure z = x / deviation;
      return Enclosure(normal_ccdf(z.high) * (1.0 - kError), normal_ccdf(z.low) * (1.0 + kError));
    };
  }
  FromBelow best{detail::worst_shift(tail, shift, search.accuracy), search.runs,
                 "the flag of a single answer"};
  if (wide < kLeastScale) return best;
  const FlagSearch::Shape shape = search.best();
  const FlagStream stream = search.stream(shape);
  const Moves moves = search.moves_of(stream, shape);
  auto p = stream.masses(0.0, 0.0), q = stream.masses(moves.first, moves.block);
  if (shape.swapped) std::swap(p, q);
  join_rare(p, q);
  std::vector<detail::OutputOfRelease> outputs;
  std::vector<double> p_low, q_high, flag_p, flag_q;
  for (std::size_t j = 0; j < p.size(); ++j) {
    outputs.push_back({log(p[j]) - log(q[j]), log(p[j])});
    p_low.push_back(p[j].low);
    q_high.push_back(q[j].high);
  }
  for (const LossAtom& atom : best.loss.atoms) {
    flag_p.push_back(portable_exp(atom.log_mass));
    flag_q.push_back(portable_exp(atom.log_mass - atom.loss));
  }
  if (search.leak(p_low, q_high) > search.leak(flag_p, flag_q)) {
    best = {
        detail::loss_of_outputs(outputs), search.runs,
        "the flags of " + std::to_string(stream.first + stream.blocks * stream.size) + " answers"};
  }
  const double range = answer_move(s).low * (1.0 - 8.0 * kUnitRoundoff);
  const LossAccuracy each_flag = with_releases(accuracy, s.cutoff);
  if (s.noise == FlagNoise::kGaussian || s.answers > 0 || range < kLeastMove ||
      each_flag.releases == 1 || static_cast<double>(each_flag.releases) > kMostTerms) {
    return best;
  }
  FromBelow kinds{detail::worst_range(range, each_flag), s.cutoff,
                  "two kinds of answers, one after the other, far below the threshold"};
  const auto leak_of = [](const FromBelow& pair, const LossAccuracy& of) {
    return detail::leak_by_moments(
        of, [&](double tilt) { return detail::log_moment(pair.loss, tilt); });
  };
  return leak_of(kinds, each_flag) > leak_of(best, search.accuracy) ? kinds : best;
}

}  // namespace

bool AboveThresholdStep::shows(std::string_view parameter) const {
  if (parameter == "noise") return noise != FlagNoise::kLaplace;
  if (parameter == "epsilon") return noise == FlagNoise::kLaplace;
  if (parameter == "answers") return answers != 0;
  if (parameter == "monotone") return monotone;
  const bool is_gaussian =
      parameter == "threshold_sigma" || parameter == "sigma" || parameter == "sensitivity";
  return !is_gaussian || noise == FlagNoise::kGaussian;
}

Status AboveThresholdStep::check() const {
  const auto refuse = [](const char* name, const char* range, double value) {
    return detail::out_of_range(name, range, number_text(value));
  };
  if (noise == FlagNoise::kLaplace) {
    if (epsilon < 1e-6) return refuse("epsilon", "1e-06 to 100 for noise laplace", epsilon);
    const char* only = "left out for noise laplace, whose scales follow from epsilon";
    if (threshold_sigma != 0.0) return refuse("threshold_sigma", only, threshold_sigma);
    if (sigma != 0.0) return refuse("sigma", only, sigma);
    if (sensitivity != 1.0) return refuse("sensitivity", "1 for noise laplace", sensitivity);
    return {};
  }
  if (epsilon != 0.0) {
    return refuse("epsilon", "left out for noise gaussian, which has threshold_sigma and sigma",
                  epsilon);
  }
  if (answers < 1) {
    return refuse("answers", "1 to 1000000 for noise gaussian", static_cast<double>(answers));
  }
  for (const auto& [name, deviation] :
       {std::pair{"threshold_sigma", threshold_sigma}, std::pair{"sigma", sigma}}) {
    const double ratio = deviation / (sensitivity * group);
    if (ratio >= 0.05 && ratio <= 1e6) continue;
    return detail::out_of_range(name, "0.05 to 1e+06 times the sensitivity",
                                number_text(ratio) + " times");
  }
  return {};
}

Result<StepLosses> AboveThresholdStep::losses(const LossAccuracy& accuracy) const {
  auto above = ASSAY_TRY(from_above(*this, accuracy));
  auto below = from_below(*this, accuracy);
  StepLosses all{both_orders(above.first), both_orders(below.loss), std::move(above.source),
                 std::move(below.source)};
  all.more_dominating = std::move(above.more);
  if (below.count > 1) all.more_attained.push_back({both_orders(below.loss), below.count - 1});
  return all;
}

Known<Enclosure> AboveThresholdStep::largest_loss() const {
  if (noise == FlagNoise::kGaussian) {
    return tl::make_unexpected(Unknown{"its noise can lose any eps, with small probability"});
  }
  if (answers == 0 && !monotone) return Enclosure(epsilon);
  const FlagScales scales = scales_of(*this);
  const Enclosure all = scales.moved * scales.runs + answer_move(*this) * scales.flags;
  const bool is_attained = answers == 0 || answers > 5 * cutoff;
  return Enclosure(is_attained ? all.low : 0.0, std::min(all.high, epsilon));
}

std::optional<Enclosure> AboveThresholdStep::mu() const {
  if (noise == FlagNoise::kLaplace) return std::nullopt;
  const auto n = static_cast<double>(answers);
  const Enclosure moved = detail::moved(sensitivity, group), answer = Enclosure(sigma) * sigma,
                  threshold = Enclosure(threshold_sigma) * threshold_sigma;
  const bool is_reset = resetting && cutoff > 1 && answers > 1;
  // The answers that move add up to `sum` times D.
  const auto squares = [&](double many, double sum) {
    const Enclosure known = is_reset ? Enclosure(0.0) : threshold / (answer + threshold * n);
    return (Enclosure(many) - known * (sum * sum)) / answer;
  };
  Enclosure most = 0.0;
  if (!monotone) {
    most = squares(n, answers % 2 == 0 ? 0.0 : 1.0);
  } else {
    const double best = 0.5 * n + 0.5 * middle(answer / threshold);
    for (const double many : {std::floor(best), std::ceil(best), n}) {
      const Enclosure at = squares(is_reset ? n : std::clamp(many, 1.0, n),
                                   is_reset ? 0.0 : std::clamp(many, 1.0, n));
      most = {std::max(most.low, at.low), std::max(most.high, at.high)};
    }
  }
  return moved * sqrt(most);
}

}  // namespace assay
