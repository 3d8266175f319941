#include "assay/auditors/claims/experts/epoch_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::expert_checks {
namespace {

constexpr double kReach = 45.0;        // scales beyond the best score, and log K more
constexpr double kNegligible = 1e-18;  // of each probability: what the lowest pieces may add

double arms_in(std::span<const ArmGroup> groups) {
  double arms = 0.0;
  for (const auto& group : groups) arms += group.arms;
  return arms;
}

struct Support {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of any G_j
  std::int64_t most = 0;
};

std::int64_t most_of(const CountLaw& law) {
  return law.least + static_cast<std::int64_t>(law.weights.size()) - 1;
}

Support support_of(std::span<const ArmGroup> groups) {
  Support support;
  for (const auto& group : groups) {
    support.least = std::min(support.least, group.losses.least);
    support.most = std::max(support.most, most_of(group.losses));
  }
  return support;
}

// One group at one node of (1). Beside many arms the cdf is needed to 1e-16 of its distance from 1,
// which `tail` holds.
struct AtNode {
  double cdf = 0.0;
  double tail = 0.0;     // 1 - cdf
  double density = 0.0;  // times the weight of the node
  double log_cdf() const { return tail < 0.5 ? portable_log1p(-tail) : portable_log(cdf); }
};

// Adds up the nodes of (1) for every group.
class Accumulator {
 public:
  explicit Accumulator(std::span<const ArmGroup> groups)
      : groups_(groups), totals_(groups.size(), 0.0) {}

  // Returns the product of all cdfs: the probability that every N_j lies below the node.
  double add(std::span<const AtNode> at) {
    double below = 0.0;  // log of the product
    for (std::size_t i = 0; i < groups_.size(); ++i) below += groups_[i].arms * at[i].log_cdf();
    const double product = portable_exp(below);
    if (product > 0.0) {
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        totals_[i] += at[i].density * (product / at[i].cdf);
      }
    }
    return product;
  }
  // What lies below adds at most `below` to any probability.
  bool done(double below) const {
    return std::all_of(totals_.begin(), totals_.end(),
                       [&](double total) { return below <= kNegligible * total; });
  }
  std::vector<double> take() { return std::move(totals_); }
  void add_everywhere(double value) {
    for (double& total : totals_) total += value;
  }

 private:
  std::span<const ArmGroup> groups_;
  std::vector<double> totals_;
};

// ---- exponential and Laplace noise --------------------------------------------------------------

// One group between the scores -most + c and -most + c + 1, at distance u above the lower one:
//   exponential  F = reached + near (1 - e^(-u/b)),             b f = near e^(-u/b)
//                1 - F = near e^(-u/b) + above
//   Laplace      F = reached + near (1 - e^(-u/b)/2) + far e^(u/b)/2,
//                b f = near e^(-u/b)/2 + far e^(u/b)/2
//                1 - F = near e^(-u/b)/2 + above - far e^(u/b)/2
// over the atoms k at or below: near = sum w e^(-d/b), reached = sum w (1 - e^(-d/b)), d their
// distance below; over those above: far = sum w e^(-d/b), above = sum w, at least far e^(u/b).
struct Piece {
  double near = 0.0;
  double reached = 0.0;
  double far = 0.0;
  double above = 0.0;
};

std::vector<Piece> pieces_of(const CountLaw& law, const Support& support, double scale) {
  const auto cells = static_cast<std::size_t>(support.most - support.least + 1);
  std::vector<double> weight(cells, 0.0);  // by score, ascending
  for (std::size_t i = 0; i < law.weights.size(); ++i) {
    weight[static_cast<std::size_t>(support.most - law.least) - i] = law.weights[i];
  }
  const double decay = portable_exp(-1.0 / scale);
  const double lost = -portable_expm1(-1.0 / scale);
  std::vector<Piece> pieces(cells);
  pieces[0].near = weight[0];
  for (std::size_t c = 1; c < cells; ++c) {
    pieces[c].near = weight[c] + decay * pieces[c - 1].near;
    pieces[c].reached = pieces[c - 1].reached + lost * pieces[c - 1].near;
  }
  for (std::size_t c = cells - 1; c-- > 0;) {
    pieces[c].far = decay * (weight[c + 1] + pieces[c + 1].far);
    pieces[c].above = weight[c + 1] + pieces[c + 1].above;
  }
  return pieces;
}

struct PieceNode {
  double weight;
  double fall;     // e^(-u/b)
  double reached;  // 1 - e^(-u/b)
};

AtNode at_node(const Piece& piece, const PieceNode& node, bool two_sided) {
  if (!two_sided) {
    return {piece.reached + piece.near * node.reached, piece.near * node.fall + piece.above,
            node.weight * piece.near * node.fall};
  }
  const double rise = piece.far / node.fall;
  return {piece.reached + piece.near * (0.5 + 0.5 * node.reached) + 0.5 * rise,
          0.5 * piece.near * node.fall + (piece.above - 0.5 * rise),
          node.weight * 0.5 * (piece.near * node.fall + rise)};
}

std::vector<PieceNode> piece_nodes(double length, double scale) {
  std::vector<PieceNode> out;
  for (const auto& [u, weight] : gauss_legendre_nodes(0.0, length, {}, scale)) {
    out.push_back({weight / scale, portable_exp(-u / scale), -portable_expm1(-u / scale)});
  }
  std::reverse(out.begin(), out.end());  // from above, as all sums here
  return out;
}

std::vector<double> piecewise(bool two_sided, double scale, std::span<const ArmGroup> groups) {
  const Support support = support_of(groups);
  std::vector<std::vector<Piece>> pieces;
  for (const auto& group : groups) pieces.push_back(pieces_of(group.losses, support, scale));
  const double arms = arms_in(groups);
  const auto unit = piece_nodes(1.0, scale);
  const auto last = piece_nodes(scale * (kReach + portable_log(arms)), scale);
  Accumulator sums(groups);
  std::vector<AtNode> at(groups.size());
  for (std::size_t c = pieces[0].size(); c-- > 0;) {
    double below = 1.0;
    for (const auto& node : c + 1 == pieces[0].size() ? last : unit) {
      for (std::size_t i = 0; i < groups.size(); ++i)
        at[i] = at_node(pieces[i][c], node, two_sided);
      below = sums.add(at);
    }
    if (sums.done(below)) return sums.take();
  }
  if (two_sided) {
    // Below every score F_j = (1/2) e^(-v/b) times the mean of e^(-distance/b), so each arm gets
    // 1/K of the product at v = 0.
    double product = 0.0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Piece& lowest = pieces[i][0];
      product += groups[i].arms * portable_log(0.5 * (lowest.near + lowest.far));
    }
    sums.add_everywhere(portable_exp(product) / arms);
  }
  return sums.take();
}

// ---- Gumbel noise -------------------------------------------------------------------------------

// F_Q and h f_Q on a grid that holds every difference of a node and a score.
struct GumbelTable {
  double first = 0.0;
  double step = 1.0;
  std::vector<AtNode> nodes;
};

GumbelTable gumbel_table(double scale, double low, double high, double step, double rule) {
  GumbelTable table;
  table.step = step;
  table.first = low;
  const auto count = static_cast<std::size_t>(std::llround((high - low) / step)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double power = portable_exp(-(low + step * static_cast<double>(i)) / scale);
    const double cdf = portable_exp(-power);
    table.nodes.push_back(
        {cdf, -portable_expm1(-power), cdf > 0.0 ? rule / scale * power * cdf : 0.0});
  }
  return table;
}

// The trapezoid rule of step h <= b/5: the integrand is analytic for |Im x| < b pi/2, which makes
// its relative error about e^(-2 pi (pi/2) 5) = e^(-49), and less than 1e-13 allowing for its
// growth towards the edges of the strip.
std::vector<double> gumbel(double scale, std::span<const ArmGroup> groups) {
  const Support support = support_of(groups);
  const bool fine = scale <= 5.0;
  const double per_unit = fine ? std::ceil(5.0 / scale) : 1.0;
  const double step = 1.0 / per_unit;                         // of the table
  const double rule = fine ? step : std::floor(scale / 5.0);  // of the quadrature
  const double reach = std::ceil(scale * (kReach + portable_log(arms_in(groups))));
  const double drop = std::ceil(7.0 * scale);  // where F_Q = exp(-e^7)
  const double high = reach - static_cast<double>(support.least);
  const double low = -drop - static_cast<double>(support.most);
  const auto table = gumbel_table(scale, low + static_cast<double>(support.least),
                                  high + static_cast<double>(support.most), step, rule);
  const auto stride = static_cast<std::size_t>(per_unit);
  Accumulator sums(groups);
  std::vector<AtNode> at(groups.size());
  for (double x = high; x >= low; x -= rule) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const CountLaw& law = groups[i].losses;
      auto entry = static_cast<std::size_t>(
          std::llround((x + static_cast<double>(law.least) - table.first) * per_unit));
      at[i] = {};
      for (const double weight : law.weights) {
        at[i].cdf += weight * table.nodes[entry].cdf;
        at[i].tail += weight * table.nodes[entry].tail;
        at[i].density += weight * table.nodes[entry].density;
        entry += stride;
      }
    }
    const bool vanished =
        std::any_of(at.begin(), at.end(), [](const AtNode& node) { return node.cdf == 0.0; });
    if (vanished || sums.done(sums.add(at))) break;
  }
  return sums.take();
}

}  // namespace

CountLaw binomial_law(std::int64_t rounds, double mean, std::int64_t shift) {
  ASSAY_CHECK(rounds >= 0 && mean >= 0.0 && mean <= 1.0, "a binomial law");
  if (mean == 0.0 || rounds == 0) return {shift, {1.0}};
  if (mean == 1.0) return {shift + rounds, {1.0}};
  constexpr double kLeast = std::numeric_limits<double>::min();
  const double n = static_cast<double>(rounds);
  const double odds = mean / (1.0 - mean);
  const double mode = std::min(n, std::floor((n + 1.0) * mean));
  std::vector<double> down;
  double weight = 1.0;
  for (double k = mode; k > 0.0; k -= 1.0) {
    weight *= k / ((n - k + 1.0) * odds);
    if (weight < kLeast) break;
    down.push_back(weight);
  }
  CountLaw law;
  law.least = shift + static_cast<std::int64_t>(mode) - static_cast<std::int64_t>(down.size());
  law.weights.assign(down.rbegin(), down.rend());
  law.weights.push_back(1.0);
  weight = 1.0;
  for (double k = mode; k < n; k += 1.0) {
    weight *= (n - k) * odds / (k + 1.0);
    if (weight < kLeast) break;
    law.weights.push_back(weight);
  }
  double total = 0.0;
  for (const double w : law.weights) total += w;
  for (double& w : law.weights) w /= total;
  return law;
}

double noise_scale(ExpertNoise noise, double epsilon) {
  return (noise == ExpertNoise::kExponential ? 1.0 : 2.0) / epsilon;
}

std::vector<double> choice_probabilities(ExpertNoise noise, double scale,
                                         std::span<const ArmGroup> groups) {
  ASSAY_CHECK(!groups.empty(), "at least one arm");
  if (groups.size() == 1 && groups[0].arms == 1.0) return {1.0};
  if (noise == ExpertNoise::kGumbel) return gumbel(scale, groups);
  return piecewise(noise == ExpertNoise::kLaplace, scale, groups);
}

}  // namespace assay::expert_checks
