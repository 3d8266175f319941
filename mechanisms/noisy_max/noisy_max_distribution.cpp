#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/internal/discrete_quadrature.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// The part left out is e^-kCut of the whole: 3e-20.
constexpr double kCut = 45.0;
// A score further below the best, in scales, counts as at this distance, since its difference may overflow.
constexpr double kDeepest = -1e300;

// The order of the scores from the largest on, equal ones by index.
std::vector<std::size_t> descending(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
  return order;
}

double log_sum(double a, double b) { return a < b ? log_add_exp(b, a) : log_add_exp(a, b); }

// x^count for x in [0, 1].
double power(double x, double count) {
  return count == 1.0 ? x : portable_exp(count * portable_log(x));
}

// Equal scores, from the largest on: (score - largest)/scale and how many there are.
struct Groups {
  std::vector<double> position;
  std::vector<double> count;
  std::vector<std::size_t> of;  // the group of each score

  Groups(std::span<const double> scores, double scale) : of(scores.size()) {
    const auto order = descending(scores);
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == 0 || scores[order[k]] != scores[order[k - 1]]) {
        position.push_back(std::max(kDeepest, (scores[order[k]] - scores[order[0]]) / scale));
        count.push_back(0.0);
      }
      count.back() += 1.0;
      of[order[k]] = position.size() - 1;
    }
  }
  std::size_t size() const { return position.size(); }

  std::vector<double> scattered(std::span<const double> by_group) const {
    std::vector<double> out;
    for (const std::size_t g : of) out.push_back(std::min(0.0, by_group[g]));
    return out;
  }
};

// ---- Gumbel -------------------------------------------------------------------------------------

std::vector<double> gumbel_distribution(const Gumbel& noise, std::span<const double> scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double total = 0.0;
  for (const double q : scores) total += portable_exp((q - most) / noise.scale());
  const double log_total = portable_log(total);
  std::vector<double> out;
  for (const double q : scores) {
    out.push_back(std::min(0.0, (q - most) / noise.scale() - log_total));  // (2)
  }
  return out;
}

// ---- Exponential --------------------------------------------------------------------------------

std::vector<double> exponential_distribution(const Exponential& noise,
                                             std::span<const double> scores) {
  const Groups groups(scores, noise.scale());
  std::vector<double> weights;
  double total = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    weights.push_back(portable_exp(groups.position[g]));
    total += groups.count[g] * weights.back();
  }
  const double end = std::min(1.0, (kCut + portable_log1p(total)) / total);
  std::vector<double> sums(groups.size(), 0.0);
  for (const auto& [t, weight] : gauss_legendre_nodes(0.0, end, {}, 8.0 / total)) {
    double product = weight;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      product *= power(1.0 - t * weights[g], groups.count[g]);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) sums[g] += product / (1.0 - t * weights[g]);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sums[g] = groups.position[g] + portable_log(sums[g]);  // (3)
  }
  return groups.scattered(sums);
}

// ---- Laplace and discrete Laplace ---------------------------------------------------------------

// The two distributions at once, in units of the step: P(Z <= z) is h e^(z u) below and 1 - h a e^(-z u)
// above, P(Z < z) is h a e^(z u) and 1 - h e^(-z u), with h = 1/(1 + a). Laplace: u = 1, a = 1.
struct TwoSided {
  bool discrete;
  double unit;         // u
  double log_decay;    // log a
  double decay;        // a
  double half;         // h
  double log_half;     // log h
  double log_density;  // at 0
  double slack;        // the most that (1 + V) a h can take from P(i)/w_i

  explicit TwoSided(double scale, bool integers)
      : discrete(integers),
        unit(integers ? 1.0 / scale : 1.0),
        log_decay(integers ? -unit : 0.0),
        decay(portable_exp(log_decay)),
        half(1.0 / (1.0 + decay)),
        log_half(-portable_log1p(decay)),
        log_density(integers ? portable_log(-portable_expm1(-unit)) + log_half : log_half),
        slack(kCut - log_decay) {}
};

// One entry per distinct place that a score can have: with Laplace noise equal scores share one, with
// their number; with integer noise every score has its own, as ties distinguish them.
struct Arm {
  double position;  // 0 or below, in units of the step
  double count;
  std::size_t rank;  // who wins ties
  double log_mass = -kInfinity;
};

// log of the integral of e^(c u (x - high)) over [low, high], or the sum over low+1..high.
double log_exponential_piece(const TwoSided& distribution, double c, double low, double high) {
  const double length = high - low;
  if (c == 0.0) return portable_log(length);
  const double rate = c * distribution.unit;
  const double missing = portable_log(-portable_expm1(-rate * length));
  return missing - portable_log(distribution.discrete ? -portable_expm1(-rate) : rate);
}

// The arms of one noisy max from the highest position on, cut at every position.
class PiecewiseDistribution {
 public:
  PiecewiseDistribution(const TwoSided& distribution, std::vector<Arm> arms)
      : distribution_(distribution), arms_(std::move(arms)) {
    double weight = 0.0;
    for (const Arm& arm : arms_)
      weight += arm.count * portable_exp(arm.position * distribution_.unit);
    slack_ = distribution_.slack + portable_log1p(weight);
    by_rank_.resize(arms_.size());
    std::iota(by_rank_.begin(), by_rank_.end(), std::size_t{0});
    std::sort(by_rank_.begin(), by_rank_.end(),
              [&](std::size_t i, std::size_t j) { return arms_[i].rank < arms_[j].rank; });
  }

  std::vector<Arm> integrate() {
    std::size_t tops = 0;  // arms at or above the piece, as entries
    double high = kInfinity;
    while (true) {
      const double low = tops < arms_.size() ? arms_[tops].position : -kInfinity;
      piece(tops, low, high);
      if (tops == arms_.size()) break;
      high = low;
      while (tops < arms_.size() && arms_[tops].position == high) ++tops;
      // prod of h e^(x - p) over all arms above but one: a factor of every winner.
      above_ = place_ = 0.0;
      for (std::size_t j = 0; j < tops; ++j) {
        above_ += arms_[j].count;
        place_ += arms_[j].count * arms_[j].position;
      }
      if ((place_ - (above_ - 1.0) * high) * distribution_.unit -
              (above_ - 1.0) * distribution_.log_half >
          slack_) {
        break;
      }
    }
    return std::move(arms_);
  }

 private:
  struct Factor {
    double size;  // h e^((p_j - start) u)
    double count;
  };

  // sum of h e^((p_j - x) u) over the arms below: the deficit of prod F from 1.
  double missing(std::size_t tops, double x) const {
    double total = 0.0;
    for (std::size_t j = tops; j < arms_.size(); ++j) {
      const double y = portable_exp((arms_[j].position - x) * distribution_.unit);
      if (y < 1e-40) break;
      total += arms_[j].count * y;
    }
    return total * distribution_.half;
  }

  // Winners with a value in (low, high], `tops` arms at or above high, the others at or below low.
  void piece(std::size_t tops, double low, double high) {
    double start = low;
    double end = high;
    if (tops < arms_.size()) {
      const double most = missing(tops, low);
      const double needed = slack_ / distribution_.decay;
      if (most > needed) start = advanced(low, portable_log(most / needed));
      end = advanced(low, std::max(0.0, portable_log(most) + 64.0 * 0.6931471805599453));
      if (start >= high) return;
      end = std::min(end, high);
      select_active(tops, start);
      integrate_panels(tops, start, end);
    } else {
      select_active(tops, 0.0);
      end = low;
    }
    if (end < high) integrate_rest(tops, end, high);
    collect(tops);
  }

  double advanced(double x, double scales) const {
    const double step = scales / distribution_.unit;
    return x + (distribution_.discrete ? std::ceil(step) : step);
  }

  // The arms below that still differ from 1, by rank, and where every other arm's rank falls.
  void select_active(std::size_t tops, double start) {
    std::size_t last = arms_.size();
    double pruned = 0.0;
    while (last > tops) {
      pruned +=
          arms_[last - 1].count *
          portable_exp(std::min(0.0, (arms_[last - 1].position - start) * distribution_.unit));
      if (pruned > 1e-19) break;
      --last;
    }
    start_ = start;
    active_.clear();
    slot_.assign(arms_.size(), 0);
    tops_before_.assign(arms_.size(), 0.0);
    double before = 0.0;
    for (const std::size_t j : by_rank_) {
      tops_before_[j] = before;
      slot_[j] = active_.size();
      if (j < tops) before += arms_[j].count;
      if (j >= tops && j < last) {
        active_.push_back(
            {distribution_.half * portable_exp((arms_[j].position - start) * distribution_.unit),
             arms_[j].count});
      }
    }
    last_ = last;
    winners_.assign(active_.size(), 0.0);
    low_rest_.assign(active_.size() + 1, 0.0);
    top_rest_.assign(active_.size() + 1, 0.0);
    before_.resize(active_.size() + 1);
    after_.resize(active_.size() + 1);
    single_.resize(active_.size());
  }

  void integrate_panels(std::size_t tops, double start, double end) {
    const double growth = tops == 0 ? 1.0 : above_;
    for (double x = start; x < end;) {
      const double y = missing(tops, x);
      const double width = std::min(y > 4.0 ? 0.25 : y > 0.5 ? 1.0 : 2.0, 6.0 / growth);
      if (distribution_.discrete) {
        const double count =
            std::min(end - x, std::max(1.0, std::floor(width / distribution_.unit)));
        if (count != rule_count_) {
          rule_ = discrete_gauss_nodes(static_cast<std::int64_t>(count));
          rule_count_ = count;
        }
        for (const auto& node : rule_) add_node(tops, x + 1.0 + node.x, node.weight);
        x += count;
      } else {
        const double next = end - x < 1.5 * width ? end : x + width;
        for (const auto& node : gauss_legendre_nodes(x, next, {}, width * 2.0)) {
          add_node(tops, node.x, node.weight);
        }
        x = next;
      }
    }
  }

  void add_node(std::size_t tops, double x, double weight) {
    const std::size_t n = active_.size();
    const double falling = portable_exp((start_ - x) * distribution_.unit);
    const double origin = origin_of(tops);
    const double low_factor =
        weight * portable_exp((above_ - 1.0) * (x - origin) * distribution_.unit);
    const double top_factor = weight * portable_exp(above_ * (x - origin) * distribution_.unit);
    before_[0] = 1.0;
    for (std::size_t l = 0; l < n; ++l) {
      single_[l] = 1.0 - active_[l].size * falling;  // P(Z_j < x - q_j)
      before_[l + 1] = before_[l] * power(single_[l], active_[l].count);
    }
    after_[n] = 1.0;
    for (std::size_t l = n; l-- > 0;) {
      after_[l] = after_[l + 1] *
                  power(1.0 - active_[l].size * distribution_.decay * falling, active_[l].count);
    }
    for (std::size_t l = 0; l < n; ++l) {
      const double others =
          active_[l].count == 1.0 ? 1.0 : power(single_[l], active_[l].count - 1.0);
      winners_[l] += low_factor * before_[l] * others * after_[l + 1];  // (4), (5)
    }
    for (std::size_t l = 0; l <= n; ++l) {
      const double product = before_[l] * after_[l];
      low_rest_[l] += low_factor * product;
      top_rest_[l] += top_factor * product;
    }
  }

  // Where the exponents of the piece are the largest: they are counted from there.
  double origin_of(std::size_t tops) const {
    if (tops > 0) return arms_[tops - 1].position;
    return distribution_.discrete ? start_ + 1.0 : start_;
  }

  // From `end` on the arms below count as 1.
  void integrate_rest(std::size_t tops, double end, double high) {
    double low_part = 0.0;
    double top_part = 0.0;
    if (tops == 0) {
      const double origin = origin_of(0);
      const double tail =
          portable_exp((origin - (distribution_.discrete ? end + 1.0 : end)) * distribution_.unit);
      low_part = distribution_.discrete ? tail / -portable_expm1(-distribution_.unit) : tail;
    } else {
      low_part = portable_exp(log_exponential_piece(distribution_, above_ - 1.0, end, high));
      top_part = portable_exp(log_exponential_piece(distribution_, above_, end, high));
      if (!(end > -kInfinity)) low_part = 0.0;  // no arm is below
    }
    for (double& x : winners_) x += low_part;
    for (double& x : low_rest_) x += low_part;
    for (double& x : top_rest_) x += top_part;
  }

  // Adds the sums of the piece to every arm, with its exponents.
  void collect(std::size_t tops) {
    const double origin = origin_of(tops);
    const double low_exponent = distribution_.log_density + above_ * distribution_.log_half +
                                ((above_ - 1.0) * origin - place_) * distribution_.unit;
    const double top_exponent = distribution_.log_density +
                                (above_ - 1.0) * distribution_.log_half +
                                (above_ * origin - place_) * distribution_.unit;
    for (std::size_t j = 0; j < arms_.size(); ++j) {
      const bool top = j < tops;
      const double sum = top         ? top_rest_[slot_[j]]
                         : j < last_ ? winners_[slot_[j]]
                                     : low_rest_[slot_[j]];
      // The place of a top winner is in place_ already: its own e^(x - p) is the density's.
      const double exponent =
          (top ? top_exponent : low_exponent + arms_[j].position * distribution_.unit) +
          tops_before_[j] * distribution_.log_decay;
      arms_[j].log_mass = log_sum(arms_[j].log_mass, portable_log(sum) + exponent);
    }
  }

  TwoSided distribution_;
  std::vector<Arm> arms_;
  std::vector<std::size_t> by_rank_;
  double slack_ = 0.0;
  double above_ = 0.0;  // arms above the piece, with their counts, and the sum of their positions
  double place_ = 0.0;
  // State of the piece.
  double start_ = 0.0;
  std::size_t last_ = 0;
  std::vector<Factor> active_;
  std::vector<std::size_t> slot_;
  std::vector<double> tops_before_;
  std::vector<double> winners_;
  std::vector<double> low_rest_;
  std::vector<double> top_rest_;
  std::vector<double> before_;
  std::vector<double> after_;
  std::vector<double> single_;
  std::vector<QuadratureNode> rule_;
  double rule_count_ = 0.0;
};

std::vector<double> laplace_distribution(const Laplace& noise, std::span<const double> scores) {
  const Groups groups(scores, noise.scale());
  std::vector<Arm> arms;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    arms.push_back({groups.position[g], groups.count[g], g});
  }
  arms = PiecewiseDistribution(TwoSided(1.0, false), std::move(arms)).integrate();
  std::vector<double> out;
  for (const Arm& arm : arms) out.push_back(arm.log_mass);
  return groups.scattered(out);
}

std::vector<double> discrete_laplace_distribution(const DiscreteLaplace& noise,
                                                  std::span<const double> scores) {
  // q = whole + fraction exactly, the fraction as a sum of two doubles.
  struct Part {
    double whole;
    double fraction;
    double rest;
    std::size_t index;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double whole = std::floor(scores[i]);
    const double fraction = scores[i] - whole;
    // 1 + q rounds only for whole = -1.
    const double rest = whole == -1.0 ? scores[i] - (fraction - 1.0) : 0.0;
    parts.push_back({whole, fraction, rest, i});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& i, const Part& j) {
    return i.fraction != j.fraction ? i.fraction > j.fraction : i.rest > j.rest;
  });
  double most = -kInfinity;
  for (const Part& part : parts) most = std::max(most, part.whole);
  std::vector<Arm> arms;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    arms.push_back({std::max(kDeepest, parts[rank].whole - most), 1.0, rank});
  }
  std::stable_sort(arms.begin(), arms.end(),
                   [](const Arm& i, const Arm& j) { return i.position > j.position; });
  arms = PiecewiseDistribution(TwoSided(noise.scale(), true), std::move(arms)).integrate();
  std::vector<double> out(scores.size());
  for (const Arm& arm : arms) out[parts[arm.rank].index] = std::min(0.0, arm.log_mass);
  return out;
}

// ---- Gaussian -----------------------------------------------------------------------------------

// Winners further below than this, in scales, are integrated one by one.
constexpr double kDeepGaussian = 20.0;
// Further below than this the quadrature loses its peak between doubles; (7) is as accurate as their spacing.
constexpr double kAbyss = 0x1p26;

double gaussian_abyss(std::span<const double> scores, double scale, std::size_t index) {
  const double most = *std::max_element(scores.begin(), scores.end());
  std::vector<double> above;  // in scales above the winner, the largest first
  for (const double q : scores) {
    if (q > scores[index]) above.push_back((q - scores[index]) / scale);
  }
  if (!(std::abs(most / scale - scores[index] / scale) < 1e150)) return -kInfinity;
  std::sort(above.begin(), above.end(), std::greater<>());
  double sum = 0.0;
  std::size_t count = 0;
  // x is the mean of the winner's place and those of the answers above x.
  while (count < above.size() && above[count] * static_cast<double>(count + 1) > sum) {
    sum += above[count++];
  }
  const double x = sum / static_cast<double>(count + 1);
  double squares = x * x;
  double rest = 0.5 * portable_log(static_cast<double>(count + 1));
  for (std::size_t j = 0; j < count; ++j) {
    const double z = above[j] - x;
    squares += z * z;
    rest += portable_log(std::max(1.0, z)) + 0.91893853320467274178;
  }
  return -0.5 * squares - rest;  // (7)
}

double gaussian_deep(std::span<const double> scores, double scale, std::size_t index) {
  const double most = *std::max_element(scores.begin(), scores.end());
  if (!((most - scores[index]) / scale < kAbyss)) return gaussian_abyss(scores, scale, index);
  const std::vector<double> scales(scores.size(), scale);
  return log_argmax_probability(scores, scales, static_cast<int>(index), ArgmaxPrecision::kExact);
}

// The least x, in scales, with sum of log Phi(x - position) above `level`.
double gaussian_start(const Groups& groups, double level) {
  double x = 0.0;
  const auto total = [&](double at) {
    double sum = 0.0;
    for (std::size_t g = 0; g < groups.size() && sum >= level; ++g) {
      sum += groups.count[g] * normal_log_cdf(at - groups.position[g]);
    }
    return sum;
  };
  while (total(x) >= level) x -= 1.0;
  while (total(x + 0.125) < level) x += 0.125;
  return x;
}

std::vector<double> gaussian_distribution(const Gaussian& noise, std::span<const double> scores) {
  const Groups groups(scores, noise.scale());
  std::size_t near = 0;
  while (near < groups.size() && groups.position[near] > -kDeepGaussian) ++near;
  // A winner this near has a probability above e^-120/n^10. Nodes leave out e^-300 below
  // and, above, e^-75 of that probability.
  const double step = 0.715 / std::sqrt(static_cast<double>(scores.size()));
  std::vector<double> sums(groups.size(), 0.0);
  std::vector<double> ratios(groups.size());
  const double low = gaussian_start(groups, -300.0);
  const double nodes = std::ceil((13.0 - low) / step);
  for (double k = 0.0; k <= nodes; k += 1.0) {
    const double x = low + k * step;
    double log_product = 0.0;
    double product = 1.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double z = x - groups.position[g];
      if (z > 9.0) {  // 1 - Phi < 2e-19
        ratios[g] = g < near ? portable_exp(normal_log_pdf(z)) : 0.0;
        continue;
      }
      if (z < -8.0 || groups.count[g] > 1.0) {
        log_product += groups.count[g] * normal_log_cdf(z);
        ratios[g] = normal_hazard(-z);
      } else {
        const double cdf = normal_cdf(z);
        product *= cdf;
        if (product < 1e-250) log_product += portable_log(product), product = 1.0;
        ratios[g] = portable_exp(-0.5 * z * z) * (0.39894228040143267794 / cdf);
      }
    }
    const double all = step * product * portable_exp(log_product);
    for (std::size_t g = 0; g < near; ++g) sums[g] += all * ratios[g];
  }
  for (double& sum : sums) sum = portable_log(sum);  // (6)
  std::vector<double> out = groups.scattered(sums);
  std::vector<double> deep(groups.size(), kInfinity);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double& log_p = deep[groups.of[i]];
    if (groups.of[i] < near) continue;
    if (log_p == kInfinity) log_p = gaussian_deep(scores, noise.scale(), i);
    out[i] = log_p;
  }
  return out;
}

}  // namespace

std::vector<double> noisy_max_log_probabilities(const MaxNoiseDistribution& noise,
                                                std::span<const double> scores) {
  ASSAY_CHECK(!scores.empty(), "at least one score");
  return std::visit(
      [&](const auto& distribution) {
        using Distribution = std::decay_t<decltype(distribution)>;
        if constexpr (std::is_same_v<Distribution, Gumbel>)
          return gumbel_distribution(distribution, scores);
        if constexpr (std::is_same_v<Distribution, Exponential>)
          return exponential_distribution(distribution, scores);
        if constexpr (std::is_same_v<Distribution, Laplace>)
          return laplace_distribution(distribution, scores);
        if constexpr (std::is_same_v<Distribution, DiscreteLaplace>)
          return discrete_laplace_distribution(distribution, scores);
        if constexpr (std::is_same_v<Distribution, Gaussian>)
          return gaussian_distribution(distribution, scores);
      },
      noise);
}

double noisy_max_log_probability(const MaxNoiseDistribution& noise, std::span<const double> scores,
                                 std::size_t index) {
  ASSAY_CHECK(index < scores.size(), "the index of a score");
  if (const auto* gaussian = std::get_if<Gaussian>(&noise)) {
    return gaussian_deep(scores, gaussian->scale(), index);
  }
  return noisy_max_log_probabilities(noise, scores)[index];
}

}  // namespace assay
