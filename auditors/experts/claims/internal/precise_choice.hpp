// P[argmax_j (s_j + Q_j) = k] in 50 digits. The scores s_j are independent with finitely many
// values, the Q_j are i.i.d.
//
//   P = integral of f_k(x) prod over the other arms of F_j(x) dx, F_j(x) = sum w F_Q(x - s)    (1)
//
// Errors, each a fraction of P, for any number of arms, groups and weights:
// Exponential and Laplace noise of scale b. Between two scores every F_j is A + B e^(-u/b) + C
// e^(u/b). Gauss-Legendre with 30 nodes on panels of at most b/2: by (6) of
// docs/proofs/grouped_noisy_max.md with a = 1/4, rho = 4.5, R = 0.6, t = 1.73, where m = 1, the sum
// of the panels' errors is below (64/15) 4.5^-60/(1 - 4.5^-2) e^(R + t + 1) < 1e-36. Beyond the
// largest score by (R + log K) b, K arms, the integral is at most 2 e^-R of P.
// Gumbel noise. Fixed scores give a softmax. Otherwise scores are whole, and the trapezoid rule has
// a step of at most b/8: by (7) there, 2/(cos theta (e^(2 pi 8 theta) - 1)) at theta = pi/2 - 1/50,
// below 2e-32.
// Rounding. The arithmetic has 50 digits. A count c enters as e^(c log F), from 1 - F if F > 1/2,
// which loses |c log F| 1e-50 of a term that is at least e^-140 of P.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay::precise {

struct PreciseArms {
  std::vector<Float> scores;  // ascending, distinct
  std::vector<Float> weights;
  Float arms = 1;
};

// log of F^arms, from the smaller of F and 1 - F.
inline Float log_power(const Float& cdf, const Float& tail, const Float& arms) {
  return arms * (tail < Float(0.5) ? log1p(Float(-tail)) : Float(log(cdf)));
}

inline Float number_of_arms(const std::vector<PreciseArms>& all) {
  Float sum = 0;
  for (const auto& group : all) sum += group.arms;
  return sum;
}

// The parts of one group between two neighbouring scores, at distance u above the lower one.
struct PrecisePiece {
  Float near = 0;   // sum of w e^(-distance/b) over the scores at or below
  Float mass = 0;   // sum of their w
  Float far = 0;    // sum of w e^(-distance/b) over the scores above
  Float above = 0;  // sum of their w
};

inline std::vector<PrecisePiece> precise_pieces(const PreciseArms& group,
                                                const std::vector<Float>& scores, const Float& b) {
  std::vector<Float> weight(scores.size(), Float(0));
  for (std::size_t i = 0, at = 0; i < group.scores.size(); ++i) {
    while (scores[at] < group.scores[i]) ++at;
    weight[at] = group.weights[i];
  }
  std::vector<PrecisePiece> pieces(scores.size());
  for (std::size_t c = 0; c < scores.size(); ++c) {
    pieces[c].near = weight[c];
    pieces[c].mass = weight[c];
    if (c == 0) continue;
    pieces[c].near += pieces[c - 1].near * exp((scores[c - 1] - scores[c]) / b);
    pieces[c].mass += pieces[c - 1].mass;
  }
  for (std::size_t c = scores.size() - 1; c-- > 0;) {
    pieces[c].far = (weight[c + 1] + pieces[c + 1].far) * exp((scores[c] - scores[c + 1]) / b);
    pieces[c].above = weight[c + 1] + pieces[c + 1].above;
  }
  return pieces;
}

// b times the integrand of (1) at e^(-u/b) = fall, and the product of all F.
struct PreciseNode {
  Float value;
  Float below;
};

inline PreciseNode precise_node(bool two_sided, const std::vector<PreciseArms>& all, std::size_t k,
                                const std::vector<std::vector<PrecisePiece>>& pieces, std::size_t c,
                                const Float& fall) {
  Float log_product = 0;
  Float product = 1;
  Float own = 1;
  Float density = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PrecisePiece& piece = pieces[i][c];
    const Float low = two_sided ? Float(piece.near * fall / 2) : Float(piece.near * fall);
    const Float high = two_sided ? Float(piece.far / (2 * fall)) : Float(0);
    const Float cdf = piece.mass - low + high;
    if (all[i].arms == 1) {
      product *= cdf;
    } else {
      log_product += log_power(cdf, Float(piece.above + low - high), all[i].arms);
    }
    if (i == k) {
      own = cdf;
      density = low + high;
    }
  }
  if (own <= 0) return {0, 0};
  if (log_product != 0) product *= exp(log_product);
  return {density * product / own, product};
}

inline Float precise_piecewise(bool two_sided, const Float& b, const std::vector<PreciseArms>& all,
                               std::size_t k, int reach) {
  const GaussRule& rule = gauss_rule();
  std::vector<Float> scores;
  for (const auto& group : all) {
    scores.insert(scores.end(), group.scores.begin(), group.scores.end());
  }
  std::sort(scores.begin(), scores.end());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<std::vector<PrecisePiece>> pieces;
  for (const auto& group : all) pieces.push_back(precise_pieces(group, scores, b));
  Float sum = 0;
  for (std::size_t c = scores.size(); c-- > 0;) {
    const bool last = c + 1 == scores.size();
    const Float length =
        last ? Float(b * (reach + log(number_of_arms(all)))) : Float(scores[c + 1] - scores[c]);
    const int panels = static_cast<int>(ceil(2 * length / b));
    const Float half = length / (2 * panels);
    std::vector<Float> falls;  // e^(-d/b) to the nodes on either side of a panel's middle
    for (const auto& x : rule.nodes) falls.push_back(exp(-half * x / b));
    Float below = 0;
    for (int panel = panels; panel-- > 0;) {
      const Float middle = exp(-half * (2 * panel + 1) / b);
      for (std::size_t i = 0; i < falls.size(); ++i) {
        const auto upper = precise_node(two_sided, all, k, pieces, c, middle * falls[i]);
        const auto lower = precise_node(two_sided, all, k, pieces, c, middle / falls[i]);
        sum += half / b * rule.weights[i] * (upper.value + lower.value);
        below = lower.below;
      }
      if (below < Float("1e-60") * sum) return sum;
    }
  }
  if (two_sided) {
    Float log_product = 0;  // at the lowest score, below which all F fall by the same factor
    for (std::size_t i = 0; i < all.size(); ++i) {
      log_product += all[i].arms * log(Float((pieces[i][0].near + pieces[i][0].far) / 2));
    }
    sum += exp(log_product) / number_of_arms(all);
  }
  return sum;
}

inline Float precise_softmax(const Float& b, const std::vector<PreciseArms>& all, std::size_t k) {
  Float sum = 0;
  for (const auto& group : all) {
    sum += group.arms * exp((group.scores[0] - all[k].scores[0]) / b);
  }
  return 1 / sum;
}

inline Float precise_gumbel(const Float& b, const std::vector<PreciseArms>& all, std::size_t k,
                            int reach) {
  Float least = all[0].scores.front();
  Float most = all[0].scores.back();
  for (const auto& group : all) {
    least = std::min(least, group.scores.front());
    most = std::max(most, group.scores.back());
  }
  const bool fine = b <= 8;
  const long per_unit = fine ? static_cast<long>(ceil(8 / b)) : 1;  // nodes of the table
  const long stride = fine ? 1 : static_cast<long>(floor(b / 8));   // table nodes in a step
  const Float step = Float(stride) / per_unit;
  const Float high = b * (reach + log(number_of_arms(all))) + most;
  const long top = per_unit * static_cast<long>(ceil(high));
  const long bottom = per_unit * static_cast<long>(floor(least - 8 * b));
  const long lowest = bottom - per_unit * static_cast<long>(most);
  const long highest = top - per_unit * static_cast<long>(least);
  std::vector<Float> cdf;
  std::vector<Float> tail;
  std::vector<Float> density;
  for (long t = lowest; t <= highest; ++t) {
    const Float power = exp(-Float(t) / (per_unit * b));
    cdf.push_back(exp(-power));
    tail.push_back(-expm1(Float(-power)));
    density.push_back(power * cdf.back());
  }
  Float sum = 0;
  for (long node = top; node >= bottom; node -= stride) {
    Float log_product = 0;
    Float own = 1;
    Float own_density = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Float f = 0;
      Float g = 0;
      Float d = 0;
      for (std::size_t a = 0; a < all[i].scores.size(); ++a) {
        const auto at = static_cast<std::size_t>(
            node - per_unit * static_cast<long>(all[i].scores[a]) - lowest);
        f += all[i].weights[a] * cdf[at];
        g += all[i].weights[a] * tail[at];
        if (i == k) d += all[i].weights[a] * density[at];
      }
      log_product += log_power(f, g, all[i].arms);
      if (i == k) {
        own = f;
        own_density = d;
      }
    }
    const Float product = exp(log_product);
    sum += step / b * own_density * product / own;
    if (product < Float("1e-60") * sum) break;
  }
  return sum;
}

// P[k is the largest], with `reach` as above in scales.
inline Float precise_choice(LeaderNoise noise, const Float& b, const std::vector<PreciseArms>& all,
                            std::size_t k, int reach) {
  if (noise != LeaderNoise::kGumbel) {
    return precise_piecewise(noise == LeaderNoise::kLaplace, b, all, k, reach);
  }
  const bool fixed = std::all_of(all.begin(), all.end(),
                                 [](const PreciseArms& group) { return group.scores.size() == 1; });
  return fixed ? precise_softmax(b, all, k) : precise_gumbel(b, all, k, reach);
}

inline Float precise_scale(LeaderNoise noise, double epsilon) {
  return (noise == LeaderNoise::kExponential ? 1 : 2) / Float(epsilon);
}

}  // namespace assay::precise
