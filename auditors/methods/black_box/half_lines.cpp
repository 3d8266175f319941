#include "assay/auditors/methods/black_box/half_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kClear = 3.0;            // of (3)
constexpr double kGrowth = 0.3;           // of (2)
constexpr std::size_t kMostClasses = 16;  // about
constexpr double kFewestInClass = 8.0;    // runs on both inputs, at the ends
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The log ratio of nested half-lines, each inside the one before, by their counts. Its steps
// are nearly independent, and each is shrunk by how much of it may be noise.
class NestedRatio {
 public:
  void observe(double p, double q, double variance) {
    const double counted = portable_log(p / q);
    if (p > 0.5 || !started_) {
      mean_ = counted;
      variance_ = variance;
    } else {
      const double of_step = std::max(variance - last_variance_, 0.0);
      const double prior = kGrowth * kGrowth * (mean_ * mean_ + variance_) *
                           std::max(0.0, portable_log(last_p_ / p) / kLog2);
      const double step = counted - last_;
      const double by_prior = prior > 0.0 ? prior / (prior + of_step) : 0.0;
      // (3)
      const double clear = step == 0.0 ? 0.0 : 1.0 - kClear * kClear * of_step / (step * step);
      const double kept = std::max(by_prior, clear);
      mean_ += kept * step;  // (2)
      variance_ += kept * of_step;
    }
    started_ = true;
    last_ = counted;
    last_variance_ = variance;
    last_p_ = p;
  }
  double mean() const { return mean_; }  // r
  double error() const { return std::sqrt(variance_); }

 private:
  bool started_ = false;
  double mean_ = 0.0, variance_ = 0.0;
  double last_ = 0.0, last_variance_ = 0.0, last_p_ = 1.0;
};

// (1) of r = log(p/q), with its error.
double worth(double r, double error, double doubt, double p, double both, const Outlook& outlook) {
  const double above = p - outlook.delta;
  if (!(r > 0.0 && above > 0.0)) return kNone;
  const double q = p * portable_exp(-r);
  if (rarer_frequency(p, q) < outlook.least_frequency) return kNone;
  if (outlook.gaussian) {
    const double of_p = normal_quantile(std::min(p, 1.0 - 1e-9)), of_q = normal_quantile(q);
    const double of_error = q * portable_exp(-normal_log_pdf(of_q));  // of log q, carried to mu
    return of_p - of_q - outlook.width(p, q, both) - doubt * error * of_error;
  }
  return r + portable_log(above / p) - outlook.width(p, q, both) - doubt * error * (p / above);
}

EventOrientation orientation_of(std::size_t on_p) {
  return on_p == 0 ? EventOrientation::kBaseAboveNeighbour : EventOrientation::kNeighbourAboveBase;
}

}  // namespace

CountedScore::CountedScore(std::shared_ptr<const OutputScore> score, std::vector<std::int64_t> cuts)
    : score_(std::move(score)), cuts_(std::move(cuts)) {
  for (auto& side : counts_) side.assign(cuts_.size() + 1, 0);
  smaller_ = larger_ = counts_.front();
}

CountedScore::CountedScore(CountedScore&& other) noexcept
    : score_(std::move(other.score_)),
      cuts_(std::move(other.cuts_)),
      counts_(std::move(other.counts_)),
      smaller_(std::move(other.smaller_)),
      larger_(std::move(other.larger_)) {}

void CountedScore::add(const std::vector<double>& base_scores,
                       const std::vector<double>& neighbour_scores) {
  std::array<std::vector<std::int64_t>, 2> counts;
  for (auto& side : counts) side.assign(cuts_.size() + 1, 0);
  auto smaller = counts.front(), larger = counts.front();
  for (std::size_t i = 0; i < base_scores.size(); ++i) {
    const std::size_t base_bin = bin_of(cuts_, base_scores[i]),
                      neighbour_bin = bin_of(cuts_, neighbour_scores[i]);
    ++counts[0][base_bin];
    ++counts[1][neighbour_bin];
    ++smaller[std::min(base_bin, neighbour_bin)];
    ++larger[std::max(base_bin, neighbour_bin)];
  }
  const std::lock_guard lock(counting_);
  for (std::size_t b = 0; b < smaller.size(); ++b) {
    for (const std::size_t side : {0u, 1u}) counts_[side][b] += counts[side][b];
    smaller_[b] += smaller[b];
    larger_[b] += larger[b];
  }
}

void CountedScore::try_half_lines(const Outlook& outlook, FoundEvent& best) const {
  double runs = 0.0;
  for (const std::int64_t count : smaller_) runs += static_cast<double>(count);
  for (const bool above : {true, false}) {
    for (const std::size_t on_p : {0u, 1u}) {
      NestedRatio ratio;
      std::array<double, 2> inside{runs, runs};
      double inside_both = runs;
      const std::size_t cuts = cuts_.size();
      for (std::size_t i = 0; i < cuts; ++i) {
        const std::size_t left_out = above ? i : cuts - i;
        const std::size_t cut = above ? i : cuts - 1 - i;
        for (const std::size_t side : {0u, 1u}) {
          inside[side] -= static_cast<double>(counts_[side][left_out]);
        }
        inside_both -= static_cast<double>((above ? smaller_ : larger_)[left_out]);
        const double p = (inside[on_p] + 0.5) / (runs + 1.0);
        const double q = (inside[1 - on_p] + 1.0) / (runs + 1.5);
        if (!(p < 1.0 && q < 1.0)) continue;
        const double both = std::clamp(inside_both / runs, 0.0, std::min(p, q) - 0.5 / runs);
        if (outlook.doubt == 0.0) ratio = {};
        ratio.observe(p, q, pair_variance(p, q, both) / runs);
        const double value = worth(ratio.mean(), ratio.error(), outlook.doubt, p, both, outlook);
        if (value <= best.selected.predicted) continue;
        const double shrunk = p * portable_exp(-ratio.mean());
        best.selected = {{cuts_[cut], kHighest, above}, orientation_of(on_p), p, shrunk, value};
        best.both = std::min(both, shrunk);
        best.never_on_q = inside[1 - on_p] == 0.0;
      }
    }
  }
}

void CountedScore::try_intervals(const Outlook& outlook, FoundEvent& best) const {
  const std::size_t bins = cuts_.size() + 1;
  std::array<std::vector<double>, 2> below;
  for (const std::size_t side : {0u, 1u}) {
    below[side].assign(1, 0.0);
    for (const std::int64_t count : counts_[side]) {
      below[side].push_back(below[side].back() + static_cast<double>(count));
    }
  }
  const double runs = below[0].back();
  for (std::size_t i = 0; i < bins; ++i) {
    for (std::size_t j = i + 1; j <= bins; ++j) {
      if (i == 0 && j == bins) continue;
      for (const bool inside : {true, false}) {
        for (const std::size_t on_p : {0u, 1u}) {
          const auto hits = [&](std::size_t side) {
            const double within = below[side][j] - below[side][i];
            return inside ? within : runs - within;
          };
          const double p = (hits(on_p) + 0.5) / (runs + 1.0);
          const double q = (hits(1 - on_p) + 1.0) / (runs + 1.5);
          if (!(p > q)) continue;
          const double error = std::sqrt(pair_variance(p, q, p * q) / runs);
          const double value =
              worth(portable_log(p / q), error, std::max(1.0, outlook.doubt), p, p * q, outlook);
          if (value <= best.selected.predicted) continue;
          const std::int64_t low = i == 0 ? kLowest : cuts_[i - 1];
          const std::int64_t high = j == bins ? kHighest : cuts_[j - 1] - 1;
          best.selected = {{low, high, inside}, orientation_of(on_p), p, q, value};
          best.both = p * q;
          best.never_on_q = hits(1 - on_p) == 0.0;
        }
      }
    }
  }
}

FoundEvent CountedScore::best(const Outlook& outlook) const {
  FoundEvent best;
  best.score = score_;
  best.selected.event = {kLowest, kHighest, true};
  best.selected.p = best.selected.q = best.both = 1.0;
  best.selected.predicted = kNone;
  try_half_lines(outlook, best);
  if (score_->events() == EventClass::kIntervals) try_intervals(outlook, best);
  return best;
}

ScoreClasses CountedScore::classes(const SelectedEvent& event) const {
  ScoreClasses out;
  const std::size_t bins = cuts_.size() + 1;
  // Keeps cuts at equal steps of the normal quantile of the runs outside, from kFewestInClass at one end to as many at
  // the other. Log ratios of neighbouring classes then change about linearly, as class_weights.hpp supposes.
  std::vector<char> kept(cuts_.size(), bins <= kMostClasses ? 1 : 0);
  double all = 0.0;
  for (const auto& side : counts_) {
    for (const std::int64_t count : side) all += static_cast<double>(count);
  }
  if (all > 2.0 * kFewestInClass) {
    const double end = -normal_quantile(kFewestInClass / all);
    const double step = 2.0 * end / static_cast<double>(kMostClasses - 2);
    double below = 0.0, next = -end;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      below += static_cast<double>(counts_[0][i] + counts_[1][i]);
      if (below < kFewestInClass || all - below < kFewestInClass) continue;
      const double at = normal_quantile(below / all);
      if (at < next) continue;
      kept[i] = 1;
      while (next <= at) next += step;
    }
  }
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const bool of_event = cuts_[i] == event.event.low || cuts_[i] - 1 == event.event.high;
    if (kept[i] != 0 || of_event) out.cuts.push_back(cuts_[i]);
  }
  std::vector<std::size_t> class_of;
  for (std::size_t b = 0, k = 0; b < bins; ++b) {
    if (k < out.cuts.size() && b > 0 && cuts_[b - 1] >= out.cuts[k]) ++k;
    class_of.push_back(k);
  }
  const std::size_t classes = out.cuts.size() + 1;
  const bool base_is_p = event.orientation == EventOrientation::kBaseAboveNeighbour;
  out.counts.p.assign(classes, 0.0);
  out.counts.q.assign(classes, 0.0);
  for (std::size_t a = 0; a < bins; ++a) {
    out.counts.p[class_of[a]] += static_cast<double>(counts_[base_is_p ? 0 : 1][a]);
    out.counts.q[class_of[a]] += static_cast<double>(counts_[base_is_p ? 1 : 0][a]);
  }
  out.counts.smoothness = best_smoothness(out.counts);
  return out;
}

}  // namespace assay
