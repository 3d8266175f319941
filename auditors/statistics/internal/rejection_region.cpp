#include "assay/auditors/statistics/internal/rejection_region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

namespace {

constexpr int kMaxDegree = 64;
constexpr int kOversampling = 16;  // K/N of (3)
constexpr int kTable = 2 * 3 * kMaxDegree * kOversampling;
constexpr int kMaxEvaluations = 3000;
constexpr std::size_t kBlock = 16;  // counts between two checks of the rest
constexpr double kRounding = 1e-9;  // relative, of a probability

// cos(pi j/(kTable/2)), j in [0, kTable): by halving angles, with IEEE operations alone.
class CosineTable {
 public:
  CosineTable() {
    constexpr int kHalf = kTable / 2;
    std::array<double, kHalf + 1> c{};
    c[0] = 1.0;
    c[kHalf / 3] = 0.5;
    c[2 * kHalf / 3] = -0.5;
    c[kHalf] = -1.0;
    double half_cosine = std::sqrt(0.75);  // cos of half the present gap
    for (int gap = kHalf / 3; gap > 1; gap /= 2) {
      for (int i = gap / 2; i < kHalf; i += gap) {
        const auto j = static_cast<std::size_t>(i), d = static_cast<std::size_t>(gap / 2);
        c[j] = (c[j - d] + c[j + d]) / (2.0 * half_cosine);
      }
      half_cosine = std::sqrt(0.5 + 0.5 * half_cosine);
    }
    for (int i = 0; i < kTable; ++i) {
      values_[static_cast<std::size_t>(i)] =
          c[static_cast<std::size_t>(i <= kHalf ? i : kTable - i)];
    }
  }
  double operator()(int i) const { return values_[static_cast<std::size_t>(i % kTable)]; }

 private:
  std::array<double, kTable> values_{};
};

const CosineTable& cosines() {
  static const CosineTable table;
  return table;
}

// max of |z| + |1 - z| - 1 at z = u + iv, without cancellation.
double excess(double u, double v) {
  const auto one = [v](double s) {
    const double length = std::sqrt(s * s + v * v);
    return s >= 0.0 ? (length + s > 0.0 ? v * v / (length + s) : 0.0) : length - s;
  };
  return one(u) + one(1.0 - u);
}

struct Window {
  std::int64_t first, last;
};

// Counts outside of which any binomial with p between p_low and p_high has a probability of about exp(-depth).
Window window(double trials, double p_low, double p_high, double depth) {
  const auto reach = [&](double p) {
    return std::sqrt(2.0 * depth * trials * p * (1.0 - p)) + depth + 2.0;
  };
  const double first = std::max(0.0, std::floor(trials * p_low - reach(p_low)));
  const double last = std::min(trials, std::ceil(trials * p_high + reach(p_high)));
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

}  // namespace

RejectionRegion::RejectionRegion(const CountOrdering& ordering, double t, const EventCounts& counts,
                                 const ClaimBoundary& null, double q_low, double q_high,
                                 double level)
    : null_(null),
      n_(static_cast<double>(counts.n)),
      m_(static_cast<double>(counts.m)),
      q_low_(q_low),
      q_high_(q_high),
      level_(level),
      tail_(1e-6 * level) {
  const double depth = 3.0 - portable_log(tail_);
  const auto x = window(n_, null_(q_low), null_(q_high), depth);
  const auto y = window(m_, q_low, q_high, depth);
  x_first_ = x.first;
  x_last_ = x.last;
  y_first_ = y.first;
  y_last_ = y.last;
  const auto ratios = [](const Window& w, double trials, std::vector<double>& up,
                         std::vector<double>& down) {
    const auto size = static_cast<std::size_t>(w.last - w.first + 1);
    up.reserve(size);
    down.reserve(size);
    for (std::int64_t k = w.first; k <= w.last; ++k) {
      const auto count = static_cast<double>(k);
      up.push_back((trials - count) / (count + 1.0));
      down.push_back(count / (trials - count + 1.0));
    }
  };
  ratios(x, n_, x_ratio_, x_inverse_);
  ratios(y, m_, y_ratio_, y_inverse_);
  x_tail_.resize(x_ratio_.size());
  find_critical_counts(ordering, t);
}

// smallest_x_ from chords of the critical curve. Knots are half a standard
// deviation apart, which moves the curve by far less than a count.
void RejectionRegion::find_critical_counts(const CountOrdering& ordering, double t) {
  const std::int64_t none = x_last_ + 1;
  smallest_x_.assign(y_ratio_.size(), none);
  const double threshold = t - kOrderingError * (1.0 + t);
  std::int64_t covered = y_first_ - 1;  // counts y up to this one have their smallest x
  const auto cover = [&](double y_critical, std::int64_t x) {
    const auto y = static_cast<std::int64_t>(
        std::floor(std::min(y_critical + 1e-9, static_cast<double>(y_last_))));
    for (; covered < y; ++covered) {
      smallest_x_[static_cast<std::size_t>(covered + 1 - y_first_)] = x;
    }
  };
  std::int64_t left = x_first_;
  double at_left = ordering.critical(static_cast<double>(left), threshold, -1.0);
  double before = at_left, gap = 1.0;
  cover(at_left, left);
  while (left < x_last_ && covered < y_last_) {
    const auto x = static_cast<double>(left);
    const double deviation = std::sqrt(std::max(1.0, std::min(x, n_ - x)));
    const auto step = static_cast<std::int64_t>(deviation < 6.0 ? 1.0 : 0.5 * deviation);
    const std::int64_t right = std::min(x_last_, left + step);
    const auto width = static_cast<double>(right - left);
    const double guess = at_left + (at_left - before) / gap * width;
    const double at_right = ordering.critical(static_cast<double>(right), threshold, guess);
    const bool capped = at_right >= m_;  // the curve goes on above: no chord
    for (std::int64_t k = left + 1; k <= right && covered < y_last_; ++k) {
      const double part = static_cast<double>(k - left) / width;
      cover(capped ? at_right : at_left + (at_right - at_left) * part, k);
    }
    before = at_left;
    gap = width;
    left = right;
    at_left = at_right;
  }
}

// Weights of both distributions are relative to one near the mode. The sum over a window is at most their
// total, so that dividing by it errs upward.
double RejectionRegion::probability(double p, double q) {
  // Binomials with p outside (0, 1) have all their probability on one count.
  const auto mode = [](double trials, double rate, std::int64_t first, std::int64_t last) {
    const double at = std::floor((trials + 1.0) * rate);
    return std::clamp(static_cast<std::int64_t>(at), first, last);
  };
  const double x_odds = p < 1.0 ? p / (1.0 - p) : 1e300, q_odds = q < 1.0 ? q / (1.0 - q) : 1e300;
  const std::int64_t x_mode = mode(n_, p, x_first_, x_last_);
  const std::int64_t y_mode = mode(m_, q, y_first_, y_last_);
  const double cut = tail_ * 0.05;
  double left_over = 0.0;  // probability of X outside the window
  // The sum of the terms after weight w if the next ratios are at most r.
  const auto geometric = [](double w, double r) {
    return r < 1.0 ? w * r / (1.0 - r) : std::numeric_limits<double>::infinity();
  };

  // Both walks away from the mode at once: two chains of multiplications keep the processor busier.
  double* tail = x_tail_.data();
  const auto i = static_cast<std::size_t>(x_mode - x_first_);
  const std::size_t x_end = x_ratio_.size() - 1;
  const double x_inverse_odds = p > 0.0 ? (1.0 - p) / p : 1e300;
  const auto ends = [cut](double weight, double ratio) {
    return weight * ratio < cut * (1.0 - ratio) && ratio < 0.9999999;
  };
  tail[i] = 1.0;
  std::size_t x_top = i, x_bottom = i;
  double up = 1.0, down = 1.0, below = 0.0;  // below: sum of the weights under the mode
  bool upward = x_top<x_end, downward = x_bottom> 0;
  while (upward || downward) {
    if (upward && downward && x_top + kBlock <= x_end && x_bottom >= kBlock) {
      for (std::size_t k = 0; k < kBlock; ++k) {
        up *= x_ratio_[x_top] * x_odds;
        down *= x_inverse_[x_bottom] * x_inverse_odds;
        below += down;
        tail[++x_top] = up;
        tail[--x_bottom] = below;
      }
      upward = x_top < x_end && !ends(up, x_ratio_[x_top] * x_odds);
      downward = x_bottom > 0 && !ends(down, x_inverse_[x_bottom] * x_inverse_odds);
      continue;
    }
    if (upward) {
      const double ratio = x_ratio_[x_top] * x_odds;
      if (ends(up, ratio)) {
        upward = false;
      } else {
        up *= ratio;
        tail[++x_top] = up;
        upward = x_top < x_end;
      }
    }
    if (downward) {
      const double ratio = x_inverse_[x_bottom] * x_inverse_odds;
      if (ends(down, ratio)) {
        downward = false;
      } else {
        down *= ratio;
        below += down;
        tail[--x_bottom] = below;  // up to, not including, the mode; the rest is added below
        downward = x_bottom > 0;
      }
    }
  }
  left_over += geometric(up, x_ratio_[x_top] * x_odds);
  left_over += geometric(down, x_inverse_[x_bottom] * x_inverse_odds);
  for (std::size_t k = x_top; k-- > i;) tail[k] += tail[k + 1];
  const double from_mode = tail[i], x_total = from_mode + below;

  // P(X >= smallest x of y) of the window, up to x_total.
  const auto at_least = [&](std::size_t y) {
    const std::int64_t x = smallest_x_[y] - x_first_;
    if (x > static_cast<std::int64_t>(x_top)) return 0.0;
    const std::size_t k = std::max(static_cast<std::size_t>(x), x_bottom);
    return k < i ? from_mode + tail[k] : tail[k];
  };
  const auto j = static_cast<std::size_t>(y_mode - y_first_);
  const std::size_t y_end = y_ratio_.size() - 1;
  const double y_inverse_odds = q > 0.0 ? (1.0 - q) / q : 1e300;
  std::size_t y_top = j, y_bottom = j;
  double y_total = 1.0, sum = at_least(j), total_down = 0.0, sum_down = 0.0;
  up = down = 1.0;
  upward = y_top < y_end;
  downward = y_bottom > 0;
  while (upward || downward) {
    if (upward && downward && y_top + kBlock <= y_end && y_bottom >= kBlock) {
      for (std::size_t k = 0; k < kBlock; ++k) {
        up *= y_ratio_[y_top] * q_odds;
        down *= y_inverse_[y_bottom] * y_inverse_odds;
        y_total += up;
        total_down += down;
        sum += up * at_least(++y_top);
        sum_down += down * at_least(--y_bottom);
      }
      upward = y_top < y_end && !ends(up, y_ratio_[y_top] * q_odds);
      downward = y_bottom > 0 && !ends(down, y_inverse_[y_bottom] * y_inverse_odds);
      continue;
    }
    if (upward) {
      const double ratio = y_ratio_[y_top] * q_odds;
      if (ends(up, ratio)) {
        upward = false;
      } else {
        up *= ratio;
        y_total += up;
        sum += up * at_least(++y_top);
        upward = y_top < y_end;
      }
    }
    if (downward) {
      const double ratio = y_inverse_[y_bottom] * y_inverse_odds;
      if (ends(down, ratio)) {
        downward = false;
      } else {
        down *= ratio;
        total_down += down;
        sum_down += down * at_least(--y_bottom);
        downward = y_bottom > 0;
      }
    }
  }
  y_total += total_down;
  sum += sum_down;
  const double y_left_over = geometric(up, y_ratio_[y_top] * q_odds) +
                             geometric(down, y_inverse_[y_bottom] * y_inverse_odds);
  const double inside = sum / (x_total * y_total) * (1.0 + kRounding);
  const double value = inside + left_over / x_total + y_left_over / y_total;
  return std::min(1.0, value);
}

// n log max(|p| + |1 - p|) + m log max(|q| + |1 - q|) over the ellipse, log M of (2).
double RejectionRegion::log_growth(const Piece& piece, const Line& line, double rho) const {
  constexpr int kCorners = 32;
  const double centre = 0.5 * (piece.low + piece.high), radius = 0.5 * (piece.high - piece.low);
  const auto& cosine = cosines();
  constexpr int kPart = kTable / kCorners;
  // The polygon whose sides touch the ellipse: its corners are the ellipse's points, moved out.
  const double out = 1.0 / cosine(kPart / 2);
  const double a = 0.5 * radius * (rho + 1.0 / rho) * out;
  const double b = 0.5 * radius * (rho - 1.0 / rho) * out;
  double most_p = 0.0, most_q = 0.0;
  for (int i = 0; i <= kCorners / 2; ++i) {  // the lower half is its mirror image
    const double u = a * cosine(i * kPart), v = b * cosine(i * kPart + 3 * kTable / 4);
    most_q = std::max(most_q, excess(centre + u, v));
    most_p = std::max(most_p, excess(line(centre + u), line.slope * v));
  }
  return n_ * portable_log1p(most_p) + m_ * portable_log1p(most_q);
}

bool RejectionRegion::tangent_is_close(const Piece& piece, const Line& line) const {
  if (null_.affine()) return true;
  for (const double q : {piece.low, piece.high}) {
    const double p = line(q);
    if (!(p < 1.0)) return false;
    if (p - null_(q) > 0.002 * std::sqrt(p * (1.0 - p) / n_)) return false;
  }
  return true;
}

RejectionRegion::Outcome RejectionRegion::interpolate(const Piece& piece) {
  const double centre = 0.5 * (piece.low + piece.high), radius = 0.5 * (piece.high - piece.low);
  const Line line{centre, null_(centre), null_.derivative(centre)};
  if (!tangent_is_close(piece, line) || line(piece.high) > 1.0 + 1e-12) {
    return Outcome::kOpen;
  }

  const double log_allowed = portable_log(2e-4 * level_);
  int degree = 0;
  double log_error = 0.0;
  for (const int n : {8, 12, 16, 24, 32, 48, kMaxDegree}) {
    if (degree > 0) break;
    for (const double s : {0.15, 0.25, 0.4, 0.6, 0.85, 1.2, 1.6, 2.1, 2.7}) {  // log rho
      const double rho = portable_exp(s);
      if (n * s + portable_log(rho - 1.0) < 1.4 - log_allowed) continue;  // even with M = 1
      const double error = 1.3862943611198906 + log_growth(piece, line, rho) - n * s -
                           portable_log(rho - 1.0);  // (2)
      if (error <= log_allowed) {
        degree = n;
        log_error = error;
        break;
      }
    }
  }
  if (degree == 0) return Outcome::kOpen;

  const auto& cosine = cosines();
  const int node_part = kTable / 2 / degree;
  std::array<double, kMaxDegree + 1> value{}, coefficient{};
  double highest = 0.0;
  for (int j = 0; j <= degree; ++j) {
    const double q = std::clamp(centre + radius * cosine(j * node_part), piece.low, piece.high);
    const double f = probability(std::min(1.0, line(q)), q);
    value[static_cast<std::size_t>(j)] = f;
    highest = std::max(highest, f);
    largest_ = std::max(largest_, f);
    if (f > level_) return null_.affine() ? Outcome::kAbove : Outcome::kOpen;
  }
  const auto halved = [degree](int j) { return j == 0 || j == degree ? 0.5 : 1.0; };
  for (int k = 0; k <= degree; ++k) {
    double sum = 0.0;
    for (int j = 0; j <= degree; ++j) {
      sum += halved(j) * value[static_cast<std::size_t>(j)] * cosine(j * k * node_part);
    }
    coefficient[static_cast<std::size_t>(k)] = 2.0 / degree * halved(k) * sum;
  }
  const int fine = degree * kOversampling, fine_part = node_part / kOversampling;
  double high = 0.0, low = 1.0;
  for (int i = 0; i <= fine; ++i) {
    double sum = 0.0;
    for (int k = 0; k <= degree; ++k) {
      sum += coefficient[static_cast<std::size_t>(k)] * cosine(i * k * fine_part);
    }
    high = std::max(high, sum);
    low = std::min(low, sum);
  }
  // 1/cos(pi/(2 kOversampling)) < 1.00485; the interpolant of the nodes' errors, each at most
  // 3 tails and the rounding, is at most 4 times as large (Lebesgue).
  const double noise = 4.0 * (3.0 * tail_ + 2.0 * kRounding * highest);
  const double bound =
      0.5 * (high + low) + 0.5 * (high - low) * 1.00485 + noise + portable_exp(log_error);  // (3)
  return bound <= level_ ? Outcome::kBelow : Outcome::kOpen;
}

bool RejectionRegion::stays_below(double first) {
  const double start = std::clamp(first, q_low_, q_high_);
  largest_ = probability(null_(start), start);
  if (largest_ > level_) return false;
  std::vector<Piece> open{{q_low_, q_high_}};
  for (int evaluations = 0; !open.empty();) {
    if (evaluations > kMaxEvaluations) return false;
    const Piece piece = open.back();
    open.pop_back();
    const Outcome outcome = interpolate(piece);
    evaluations += 32;
    if (outcome == Outcome::kAbove) return false;
    if (outcome == Outcome::kBelow) continue;
    ++evaluations;
    const double corner = probability(null_(piece.high), piece.low);  // (4)
    if (corner <= level_) continue;
    const double middle = piece.low > 0.0 && piece.high > 4.0 * piece.low
                              ? std::sqrt(piece.low * piece.high)
                              : 0.5 * (piece.low + piece.high);
    if (!(middle > piece.low && middle < piece.high)) return false;
    const double at_middle = probability(null_(middle), middle);
    largest_ = std::max(largest_, at_middle);
    if (at_middle > level_) return false;
    open.push_back({piece.low, middle});
    open.push_back({middle, piece.high});
  }
  return true;
}

bool rejects_block(const EventCounts& counts, double level, double q_low, double q_high,
                   const ClaimBoundary& easiest, const ClaimBoundary& hardest, double& seen) {
  seen = 1.0;
  const auto x = static_cast<double>(counts.x), y = static_cast<double>(counts.y);
  const CountOrdering at_end(hardest, counts.n, counts.m);
  const double t = at_end(x, y);
  const double q_one = hardest.inverse(1.0);
  if (!(t > 0.0) || !(q_low <= q_one)) return false;
  const CountOrdering ordering(easiest, counts.n, counts.m);
  RejectionRegion region(ordering, t, counts, hardest, q_low, std::min(q_high, q_one), level);
  const bool below = region.stays_below(at_end.nearest_null(x, y));
  seen = region.largest_seen();
  return below;
}

}  // namespace assay::detail
