#include "assay/mechanisms/accounting/pld/internal/best_profile.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::detail {
namespace {

constexpr double kChordRoom = 1.0 + 1e-12;  // for the roundings of a chord

// (1), from above, at increasing s: the best a of one s is not below that of a larger one.
class OtherSide {
 public:
  explicit OtherSide(const std::vector<ProfilePoint>& points) {
    for (const auto& [loss, delta] : points) {
      const Enclosure a = exp(Enclosure(loss)), least = exp(Enclosure(-loss));
      lines_.push_back({a.high, delta});
      // delta(1/a) = 1 - 1/a + delta(a)/a
      lines_.push_back({least.high, (least * delta - expm1(Enclosure(-loss))).high});
    }
    std::sort(lines_.begin(), lines_.end(), [](const Line& x, const Line& y) { return x.a > y.a; });
  }

  double at(double s) {
    double least = value(best_, s);
    while (best_ + 1 < lines_.size()) {
      const double next = value(best_ + 1, s);
      if (next > least) break;
      least = next;
      ++best_;
    }
    return std::min(least, 1.0);
  }

 private:
  struct Line {
    double a, delta;
  };
  double value(std::size_t i, double s) const {
    return (Enclosure(lines_[i].a) * s + lines_[i].delta).high;
  }

  std::vector<Line> lines_;
  std::size_t best_ = 0;
};

// A line u - v z of the maximum.
struct ShareLine {
  double v, u;
};
// w (1 - z/z_k)+ with log z_k.
struct Hinge {
  double log_z, weight;
};

// A polygon through points of which every other one is certainly below a chord is above all lines, whether it is convex or not:
// the hinges from any of its corners on sum to the line of that corner.
std::vector<Hinge> hinges_of(const std::vector<ShareLine>& lines) {
  std::vector<ShareLine> corners;
  for (const ShareLine& next : lines) {
    while (!corners.empty() && corners.back().u <= next.u && corners.back().v >= next.v) {
      corners.pop_back();
    }
    if (!corners.empty() && corners.back().v <= next.v && corners.back().u >= next.u) continue;
    while (corners.size() >= 2) {
      const ShareLine &last = corners.back(), &before = corners[corners.size() - 2];
      const Enclosure down = Enclosure(before.u) - last.u, right = Enclosure(before.v) - last.v;
      const Enclosure further_down = Enclosure(last.u) - next.u;
      const Enclosure further_right = Enclosure(last.v) - next.v;
      if (!((down * further_right).low >= (further_down * right).high)) break;
      corners.pop_back();
    }
    corners.push_back(next);
  }
  std::vector<Hinge> hinges;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Enclosure down = Enclosure(corners[i - 1].u) - corners[i].u;
    const Enclosure z = down / (Enclosure(corners[i - 1].v) - corners[i].v);
    hinges.push_back({log(z).high, down.high});
  }
  return hinges;
}

// Fewer hinges above: those whose z differ by little have the largest of them.
std::vector<Hinge> merged_hinges(std::vector<Hinge> hinges) {
  constexpr double kMost = 500.0;
  std::sort(hinges.begin(), hinges.end(),
            [](const Hinge& a, const Hinge& b) { return a.log_z > b.log_z; });
  const double width = (hinges.front().log_z - std::min(hinges.back().log_z, 0.0)) / kMost;
  std::vector<Hinge> merged;
  for (const Hinge& hinge : hinges) {
    if (!merged.empty() && merged.back().log_z - hinge.log_z <= width) {
      merged.back().weight += hinge.weight;
    } else {
      merged.push_back(hinge);
    }
  }
  return merged;
}

// The largest that a profile on both sides of a = 1 can have there, by the chord of a and 1/a.
double largest_at_one(const std::vector<ProfilePoint>& points) {
  double least = 1.0;
  for (const auto& [loss, delta] : points) {
    const Enclosure down = exp(Enclosure(-loss));
    const Enclosure most = (down * (2.0 * delta) - expm1(Enclosure(-loss))) / (down + 1.0);
    least = std::min(least, most.high);
  }
  return least;
}

// Below the profile everywhere, so that the hull is too: each point with the next one's delta.
std::vector<ProfilePoint> stairs_below(const std::vector<ProfilePoint>& points, double at_one) {
  constexpr double kRoom = 1.0 - 1e-9;
  std::vector<ProfilePoint> stairs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double delta = i + 1 < points.size() ? points[i + 1].delta * kRoom : 0.0;
    stairs.push_back({points[i].loss, std::min(delta, at_one)});
    if (i > 0 && delta == 0.0) break;
  }
  stairs.front().delta = at_one;
  return stairs;
}

}  // namespace

double profile_above(const std::vector<ProfilePoint>& points, double eps) {
  if (eps < 0.0) {
    return std::min(
        1.0, (-portable_expm1(eps) + portable_exp(eps) * profile_above(points, -eps)) * kChordRoom);
  }
  const auto above =
      std::upper_bound(points.begin(), points.end(), eps,
                       [](double x, const ProfilePoint& point) { return x < point.loss; });
  if (above == points.end()) return points.back().delta;
  const ProfilePoint &from = *(above - 1), &to = *above;
  const double part = portable_expm1(eps - from.loss) / portable_expm1(to.loss - from.loss);
  return (from.delta * (1.0 - part) + to.delta * part) * kChordRoom;
}

std::vector<ProfilePoint> profile_of_best(const std::vector<ProfilePoint>& run, double mean,
                                          const std::function<Enclosure(double)>& share) {
  constexpr int kShares = 6000, kPoints = 800;
  constexpr double kLeastShare = 1e-14;
  const double ratio = -portable_log(kLeastShare) / kShares;
  OtherSide other(run);
  std::vector<ShareLine> lines;
  double s = 0.0;
  for (int i = 0; i <= kShares; ++i) {  // from s to the next
    const double next = i < kShares ? kLeastShare * portable_exp(ratio * i) : 1.0;
    lines.push_back({std::max(share(other.at(next)).low, 0.0), share(s).high});
    s = next;
  }
  lines.push_back({0.0, 0.0});
  const auto hinges = merged_hinges(hinges_of(lines));
  const double end = run.back().loss + std::max(hinges.front().log_z, 0.0);
  std::vector<ProfilePoint> best;
  for (int i = 0; i <= kPoints; ++i) {
    const double eps = end * i / kPoints;
    double sum = 0.0;
    for (const auto& [log_z, weight] : hinges) {
      sum += weight * profile_above(run, round_down(eps - log_z));
    }
    best.push_back({eps, std::min(1.0, mean * sum * (1.0 + 1e-10))});  // (2)
  }
  best.front().delta = std::min(best.front().delta, largest_at_one(best));
  return best;
}

std::vector<PairCell> pair_below(const std::vector<ProfilePoint>& remove,
                                 const std::vector<ProfilePoint>& add) {
  constexpr double kLeastRest = 1e-3;  // of both, at a loss of about 0
  constexpr double kLess = 1e-13;      // room for the roundings of the rest
  const auto first = [](const std::vector<ProfilePoint>& points) {
    return points.size() > 1 ? points[1].delta : 0.0;
  };
  const double at_one = std::max(std::min(first(remove), first(add)) * (1.0 - 1e-9) - kLess, 0.0);
  const auto above = convex_hull(stairs_below(remove, at_one)).masses;
  const auto below = convex_hull(stairs_below(add, at_one)).masses;
  double in_p = 0.0;
  for (const auto& [loss, mass] : above) in_p += mass * portable_exp(loss);
  for (const auto& [loss, mass] : below) in_p += mass;
  // Where the stairs have cost convexity, the pair is revealed less often.
  const double scale = std::min(1.0, (1.0 - kLeastRest) / in_p);
  std::vector<PairCell> cells;
  Enclosure rest_p = 1.0, rest_q = 1.0;
  const auto add_cell = [&](double loss, Enclosure log_p, Enclosure log_q) {
    rest_p = rest_p - exp(log_p);
    rest_q = rest_q - exp(log_q);
    cells.push_back({loss, log_p, log_q});
  };
  for (auto kink = below.rbegin(); kink != below.rend(); ++kink) {
    const Enclosure log_mass = log(Enclosure(kink->delta * scale));
    add_cell(-kink->loss, log_mass, log_mass + kink->loss);
  }
  const std::size_t middle = cells.size();
  for (const auto& [loss, mass] : above) {
    const Enclosure log_mass = log(Enclosure(mass * scale));
    add_cell(loss, log_mass + loss, log_mass);
  }
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(middle),
               {0.0, log(rest_p), log(rest_q)});
  return cells;
}

}  // namespace assay::detail
