#include "assay/tests/support/duel_transcript_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/exponential_pieces.hpp"

namespace assay {
namespace {

using Pieces = detail::ExponentialPieces;

constexpr int kNone = 2;               // beside the arm that leaves
constexpr double kReach = 45.0;        // scales from a mean, beyond which there is no mass
constexpr double kShort = 0.5;         // a panel of six nodes
constexpr double kTiny = 0.03;         // and of three
constexpr double kMostScales = 200.0;  // that a sum of wins may be

std::int64_t plays_of(int arm, std::int64_t t) { return arm == 0 ? (t + 1) / 2 : t / 2; }

// An interval whose ends move with the other arm's estimate: slope z + low to slope z + high.
struct Window {
  double slope, low, high;
  double low_at(double z) const { return slope * z + low; }
  double high_at(double z) const { return slope * z + high; }
};

// Of the estimate of `arm` given the other's, in round t: (1).
Window window(int arm, std::int64_t t, int leaver, double width) {
  const auto own = static_cast<double>(plays_of(arm, t));
  const auto others = static_cast<double>(plays_of(1 - arm, t));
  const double far = own * width;
  if (leaver == kNone) return {own / others, -far, far};
  return leaver == arm ? Window{own / others, -kInfinity, -far}
                       : Window{own / others, far, kInfinity};
}

// The mass of a window as a function of where it is, from the integral below.
Pieces mass(const Pieces& below, const Window& w) {
  const Pieces high =
      w.high == kInfinity ? Pieces(below.at_infinity()) : below.composed(w.slope, w.high);
  return w.low == -kInfinity ? high : high - below.composed(w.slope, w.low);
}
double total(const Pieces& f) { return f.integral_below().at_infinity(); }

// Integrals of g(u) e^-|u - x|/2 over low < u < high, which split at x are of one variable each.
class Smoothing {
 public:
  explicit Smoothing(const Pieces& g)
      : below_((g * Pieces::exponential(1.0)).integral_below()),
        above_((g * Pieces::exponential(-1.0)).integral_above()) {}

  // What does not depend on the limits, and on x.
  struct Point {
    double x, down, up, below, above;
  };
  struct Limits {
    double low, high, below_low, above_high;
  };
  Point point(double x) const {
    return {x, 0.5 * portable_exp(-x), 0.5 * portable_exp(x), below_(x), above_(x)};
  }
  Limits limits(double low, double high) const {
    return {low, high, low == -kInfinity ? 0.0 : below_(low),
            high == kInfinity ? 0.0 : above_(high)};
  }
  // The part of u < x and that of u > x.
  double from_below(const Point& p, const Limits& l) const {
    if (p.x <= l.low) return 0.0;
    return p.down * ((p.x < l.high ? p.below : below_(l.high)) - l.below_low);
  }
  double from_above(const Point& p, const Limits& l) const {
    if (p.x >= l.high) return 0.0;
    return p.up * (l.above_high - (p.x > l.low ? p.above : above_(l.low)));
  }
  double operator()(const Point& p, const Limits& l) const {
    return from_below(p, l) + from_above(p, l);
  }
  std::span<const double> breaks() const { return below_.breaks(); }

 private:
  Pieces below_, above_;
};

// x = slope y + shift, where an inner integrand has a kink.
struct Line {
  double slope, shift;
  double at(double y) const { return slope * y + shift; }
};

// Abramowitz and Stegun, table 25.4, n = 3 and 6: nodes and weights.
using Rule = std::span<const std::array<double, 2>>;
constexpr std::array<std::array<double, 2>, 3> kThree{
    {{0.0, 8.0 / 9.0}, {0.77459666924148338, 5.0 / 9.0}, {-0.77459666924148338, 5.0 / 9.0}}};
constexpr std::array<std::array<double, 2>, 6> kSix{{{0.23861918608319691, 0.46791393457269105},
                                                     {0.66120938646626451, 0.36076157304813861},
                                                     {0.93246951420315203, 0.17132449237917034},
                                                     {-0.23861918608319691, 0.46791393457269105},
                                                     {-0.66120938646626451, 0.36076157304813861},
                                                     {-0.93246951420315203, 0.17132449237917034}}};

// Panels between breaks: fewer nodes where they are short.
std::vector<QuadratureNode> nodes_between(double low, double high, std::vector<double>& breaks) {
  std::vector<QuadratureNode> nodes;
  if (!(low < high)) return nodes;
  std::erase_if(breaks, [&](double b) { return !(b > low && b < high); });
  breaks.push_back(high);
  std::sort(breaks.begin(), breaks.end());
  double left = low;
  for (const double right : breaks) {
    const double half = 0.5 * (right - left);
    if (half <= 0.0) continue;
    if (2.0 * half <= kShort) {
      for (const auto& [x, w] : 2.0 * half <= kTiny ? Rule(kThree) : Rule(kSix)) {
        nodes.push_back({left + half + half * x, half * w});
      }
    } else {
      const auto panels = gauss_legendre_nodes(left, right, {}, 2.0);
      nodes.insert(nodes.end(), panels.begin(), panels.end());
    }
    left = right;
  }
  return nodes;
}

// Rounds 5 and later along one path: (3).
class LateRounds {
 public:
  struct Means {
    double y2, x3_adds, y3_adds, x4, y4;
  };
  LateRounds(const Pieces& r, const Means& means, std::int64_t last, std::span<const double> widths)
      : means_(means), widths_(widths), r_below_(r.integral_below()), v_(r) {
    if (last < 6) return;
    const Pieces one(1.0);
    for (int leaver = 0; leaver <= kNone; ++leaver) {
      if (leaver != kNone || last == 6) add(6, leaver, one);
    }
    if (last < 7) return;
    const auto x4 = Pieces::laplace_cdf(means.x4);
    for (int leaver = 0; leaver <= kNone; ++leaver) {
      if (leaver != kNone || last == 7) add(7, leaver, mass(x4, window(0, 7, leaver, widths[7])));
    }
    if (last < 8) return;
    const auto y4 = Pieces::laplace_cdf(means.y4);
    for (int leaver = 0; leaver <= kNone; ++leaver) {
      const Pieces inner =
          Pieces::laplace_density(means.x4) * mass(y4, window(1, 8, leaver, widths[8]));
      add(8, leaver, mass(inner.integral_below(), window(0, 7, kNone, widths[7])));
    }
  }

  void integrate(EbsTranscriptDistribution::PathChances& out) const {
    const Window four = window(0, 4, kNone, widths_[4]);
    const Window five = window(0, 5, kNone, widths_[5]);
    const Kinks kinks(*this, four, five);
    std::array<double, 3> fifth{};
    std::vector<double> sums(events_.size(), 0.0), breaks;
    std::vector<double> outer = kinks.outer;
    std::vector<Smoothing::Point> points(events_.size());
    for (const auto& [y, y_weight] : nodes_between(means_.y2 - kReach, means_.y2 + kReach, outer)) {
      const double weight = y_weight * 0.5 * portable_exp(-std::fabs(y - means_.y2));
      const auto limits = v_.limits(four.low_at(y), four.high_at(y));
      const double first = five_below(five.low_at(y), limits);
      const double second = five_above(five.high_at(y), limits);
      fifth[0] += weight * first;
      fifth[1] += weight * second;
      fifth[2] += weight * (r_below_(limits.high) - r_below_(limits.low) - first - second);
      if (events_.empty()) continue;
      for (std::size_t e = 0; e < events_.size(); ++e) {
        points[e] = events_[e].k.point(y + means_.y3_adds);
      }
      breaks = kinks.verticals;
      for (const Line& line : kinks.lines) breaks.push_back(line.at(y));
      for (const auto& [x, x_weight] : nodes_between(five.low_at(y), five.high_at(y), breaks)) {
        const double v = weight * x_weight * v_(v_.point(x - means_.x3_adds), limits);
        for (std::size_t e = 0; e < events_.size(); ++e) {
          const auto& [round, leaver, six, k] = events_[e];
          sums[e] += v * k(points[e], k.limits(six.low_at(x), six.high_at(x)));  // (3)
        }
      }
    }
    out.leaves[5] = {fifth[0], fifth[1]};
    out.none = fifth[2];
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const auto leaver = static_cast<std::size_t>(events_[e].leaver);
      (leaver == kNone ? out.none
                       : out.leaves[static_cast<std::size_t>(events_[e].round)][leaver]) = sums[e];
    }
  }

 private:
  struct Event {
    std::int64_t round;
    int leaver;
    Window window;  // of Y_3, round 6
    Smoothing k;
  };
  void add(std::int64_t round, int leaver, const Pieces& k) {
    events_.push_back(
        {round, leaver, window(1, 6, round == 6 ? leaver : kNone, widths_[6]), Smoothing(k)});
  }

  // P(X_3 < c), P(X_3 > c) with X_2 between the limits.
  double five_below(double c, const Smoothing::Limits& limits) const {
    const auto p = v_.point(c - means_.x3_adds);
    const double q = std::clamp(p.x, limits.low, limits.high);
    return r_below_(q) - r_below_(limits.low) - v_.from_below(p, limits) + v_.from_above(p, limits);
  }
  double five_above(double c, const Smoothing::Limits& limits) const {
    const auto p = v_.point(c - means_.x3_adds);
    const double q = std::clamp(p.x, limits.low, limits.high);
    return r_below_(limits.high) - r_below_(q) + v_.from_below(p, limits) -
           v_.from_above(p, limits);
  }

  // Where the integrand of (3) has kinks, in x given y, and its integral over x in y.
  struct Kinks {
    Kinks(const LateRounds& of, const Window& four, const Window& five) {
      const double e = of.means_.x3_adds, more = of.means_.y3_adds;
      for (const double shift : {five.low, five.high}) lines.push_back({five.slope, shift});
      for (const double shift : {four.low, four.high}) lines.push_back({four.slope, shift + e});
      outer.push_back(of.means_.y2);
      for (const double b : of.v_.breaks()) {
        verticals.push_back(b + e);
        for (const double shift : {four.low, four.high}) outer.push_back((b - shift) / four.slope);
      }
      for (const Event& event : of.events_) {
        const Window& six = event.window;
        for (const double shift : {six.low, six.high}) {
          if (std::isinf(shift)) continue;
          lines.push_back({1.0 / six.slope, (more - shift) / six.slope});
          for (const double b : event.k.breaks()) verticals.push_back((b - shift) / six.slope);
        }
        for (const double b : event.k.breaks()) outer.push_back(b - more);
      }
      std::sort(verticals.begin(), verticals.end());
      verticals.erase(std::unique(verticals.begin(), verticals.end()), verticals.end());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        for (const double x : verticals) outer.push_back((x - lines[i].shift) / lines[i].slope);
        for (std::size_t j = 0; j < i; ++j) {
          const double apart = lines[i].slope - lines[j].slope;
          if (apart != 0.0) outer.push_back((lines[j].shift - lines[i].shift) / apart);
        }
      }
    }
    std::vector<Line> lines;
    std::vector<double> verticals, outer;
  };

  Means means_;
  std::span<const double> widths_;
  Pieces r_below_;
  Smoothing v_;
  std::vector<Event> events_;
};

}  // namespace

EbsTranscriptDistribution::EbsTranscriptDistribution(const DpEbsElimination& policy)
    : horizon_(policy.config().horizon), scale_(policy.noise_scale()) {
  for (std::int64_t t = 2; t < horizon_; ++t) {
    double width = 0.0;
    for (const int arm : {0, 1}) width += policy.half_width(plays_of(arm, t), plays_of(arm, t));
    widths_[static_cast<std::size_t>(t)] = width / scale_;
  }
}

Result<EbsTranscriptDistribution> EbsTranscriptDistribution::create(
    const DpEbsElimination& policy) {
  const auto& config = policy.config();
  if (config.arms != 2 || config.horizon > kMostExactDuels) {
    return fail(ErrorCode::kLimit, "the exact law of transcripts is of 2 arms and at most " +
                                       std::to_string(kMostExactDuels) + " rounds");
  }
  if (policy.noise_scale() < static_cast<double>(config.horizon) / kMostScales) {
    return fail(ErrorCode::kLimit, "the exact law of transcripts needs noise of scale T/200");
  }
  return EbsTranscriptDistribution(policy);
}

const EbsTranscriptDistribution::PathChances& EbsTranscriptDistribution::chances(
    std::uint32_t wins) {
  const std::int64_t last = horizon_ - 1;
  if (const auto at = known_.find(wins); at != known_.end()) return at->second;
  PathChances out;
  if (last >= 2) {
    // What the first `count` entries of a counter add up to, in units of the noise.
    const auto sum = [&](int arm, int count) {
      int ones = 0;
      for (int i = 0; i < count; ++i) ones += static_cast<int>(wins >> (2 * i + arm)) & 1;
      return ones / scale_;
    };
    // Round t, with the density f of the estimate that is new, given that of the other arm until now.
    const auto play = [&](std::int64_t t, int count, const Pieces& until_now) {
      const int fed = t % 2 == 0 ? 1 : 0;
      const auto f = Pieces::laplace_density(sum(fed, count));
      const Pieces below = until_now.integral_below();
      const auto round = static_cast<std::size_t>(t);
      const auto with = [&](int leaver) {
        return f * mass(below, window(1 - fed, t, leaver, widths_[round]));
      };
      for (const int leaver : {0, 1}) {
        out.leaves[round][static_cast<std::size_t>(leaver)] = total(with(leaver));
      }
      Pieces rest = with(kNone);
      out.none = total(rest);
      return rest;
    };
    const Pieces two = play(2, 1, Pieces::laplace_density(sum(0, 1)));
    if (last >= 3) {
      const Pieces three = play(3, 2, two);  // (2)
      if (last >= 4) play(4, 2, three);
      if (last >= 5) {
        const LateRounds::Means means{sum(1, 2), sum(0, 3) - sum(0, 2), sum(1, 3) - sum(1, 2),
                                      sum(0, 4), sum(1, 4)};
        LateRounds(three, means, last, widths_).integrate(out);
      }
    }
  }
  return known_.emplace(wins, out).first->second;
}

Result<DuelDistribution> EbsTranscriptDistribution::distribution(const InputTable& outcomes) {
  ASSAY_TRY(check_input(duel_shape(2, horizon_), outcomes));
  DuelDistribution out;
  const auto rounds = static_cast<std::uint32_t>(horizon_);
  const auto arm_of = [](std::uint32_t t) { return static_cast<int>((t + 1) % 2); };
  // Bit t - 1 of `seconds` says whom the arm of round t meets.
  for (std::uint32_t seconds = 0; seconds < (1u << rounds); ++seconds) {
    std::uint32_t wins = 0;
    std::vector<int> duels;
    for (std::uint32_t t = 1; t <= rounds; ++t) {
      const int duel = 2 * arm_of(t) + static_cast<int>(seconds >> (t - 1) & 1u);
      duels.push_back(duel);
      if (t < rounds && outcomes.row(t - 1)[static_cast<std::size_t>(duel)] == 1.0) {
        wins |= 1u << (t - 1);
      }
    }
    const PathChances& path = chances(wins);
    out[duels] += std::ldexp(path.none, -static_cast<int>(rounds));
    for (std::uint32_t t = 2; t < rounds; ++t) {
      if (seconds >> t != 0) continue;  // each beginning of t rounds once
      for (const int leaver : {0, 1}) {
        auto ended = duels;
        std::fill(ended.begin() + t, ended.end(), 3 * (1 - leaver));
        out[ended] +=
            std::ldexp(path.leaves[t][static_cast<std::size_t>(leaver)], -static_cast<int>(t));
      }
    }
  }
  return out;
}

Result<DuelTranscriptDistributions> duel_transcript_distributions(const DpEbsElimination& policy,
                                                                  const InputPair& pair) {
  auto exact = ASSAY_TRY(EbsTranscriptDistribution::create(policy));
  const auto before = ASSAY_TRY(exact.distribution(pair.base_input()));
  const auto after = ASSAY_TRY(exact.distribution(pair.neighbour_input()));
  DuelTranscriptDistributions out;
  out.distributions.relative_error = kDuelRelativeError;
  // Both have the same transcripts: which there are does not depend on outcomes.
  for (auto p = before.begin(), q = after.begin(); p != before.end(); ++p, ++q) {
    ASSAY_CHECK(p->first == q->first, "the same transcripts on both sides");
    out.transcripts.push_back(p->first);
    out.distributions.log_p.push_back(portable_log(p->second));
    out.distributions.log_q.push_back(portable_log(q->second));
  }
  return out;
}

}  // namespace assay
