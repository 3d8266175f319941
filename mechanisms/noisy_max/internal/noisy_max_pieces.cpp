// The distribution of the largest score under exponential and Laplace noise: (4) of grouped_noisy_max.hpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "assay/mechanisms/noisy_max/internal/noisy_max_sums.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"

namespace assay::detail {
namespace {

constexpr double kLongest = 4.0;    // scales in a block
constexpr double kFewMembers = 12;  // for which panels of a whole scale are proved
constexpr double kTail = 44.0;      // scales of panels of two, above log K + 1

// A node of a piece, at distance u above its lower end; all distances here are in scales.
struct PieceNode {
  double weight;
  double fall;     // e^-u
  double reached;  // 1 - e^-u
  double rise;     // e^u
};

std::vector<PieceNode> piece_nodes(double length, double width) {
  std::vector<PieceNode> out;
  for (const auto& [u, weight] : gauss_legendre_nodes(0.0, length, {}, width)) {
    out.push_back({weight, portable_exp(-u), -portable_expm1(-u), portable_exp(u)});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// One group in a piece without scores inside:
//   H = base + near (1 - e^-u) + far e^u,   b h = own_near e^-u + own_far e^u
//   1 - H = near e^-u + above - part e^u
// H without `above` in units of e^log_cdf, b h in units of e^log_density, 1 - H in units of 1.
struct Piece {
  double base = 0.0;
  double near = 0.0;
  double far = 0.0;
  double above = 0.0;
  double part = 0.0;
  double own_near = 0.0;
  double own_far = 0.0;

  NoisyMaxNode at(const PieceNode& node) const {
    return {base + near * node.reached + far * node.rise,
            near * node.fall + (above - part * node.rise),
            node.weight * (own_near * node.fall + own_far * node.rise)};
  }
};

// e^-distance and 1 - e^-distance, computed once for equal distances in a row.
class Decay {
 public:
  void set(double distance) {
    if (distance == distance_) return;
    distance_ = distance;
    left = portable_exp(-distance);
    lost = -portable_expm1(-distance);
  }
  double left = 1.0;
  double lost = 0.0;

 private:
  double distance_ = 0.0;
};

// The scores of one group, ascending, each with the sums over those up to it and from it on. All
// terms are positive.
class ScoreSums {
 public:
  ScoreSums(const ScoreGroup& group, double scale, bool two_sided)
      : scale_(scale), half_(two_sided ? 0.5 : 1.0), two_sided_(two_sided) {
    for (std::size_t k = 0; k < group.values.size(); ++k) {
      at_.push_back({group.values[k], group.weights[k]});
    }
    std::sort(at_.begin(), at_.end(),
              [](const Score& a, const Score& b) { return a.value < b.value; });
    Decay decay;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      at_[k].near = at_[k].far = at_[k].above = at_[k].weight;
      if (k == 0) continue;
      decay.set((at_[k].value - at_[k - 1].value) / scale);
      at_[k].near += at_[k - 1].near * decay.left;
      at_[k].reached = at_[k - 1].reached + at_[k - 1].near * decay.lost;
    }
    for (std::size_t k = at_.size() - 1; k-- > 0;) {
      decay.set((at_[k + 1].value - at_[k].value) / scale);
      at_[k].far += at_[k + 1].far * decay.left;
      at_[k].above += at_[k + 1].above;
    }
    next_ = at_.size();
  }

  double least() const { return at_[0].value; }

  // The piece that begins `offset` scales above the score `low` and reaches no higher score. Calls
  // come from above.
  Piece piece(double low, double offset, NoisyMaxUnits& units) {
    while (next_ > 0 && at_[next_ - 1].value > low) --next_;
    const bool has_above = two_sided_ && next_ < at_.size();
    double below_distance = 0.0;
    double above_distance = 0.0;
    double below_left = 0.0;
    double above_left = 0.0;
    Piece piece;
    if (next_ > 0) {
      const Score& score = at_[next_ - 1];
      below_distance = (low - score.value) / scale_ + offset;
      decay_.set(below_distance);
      below_left = score.near * decay_.left;
      piece.near = half_ * below_left;
      piece.base = score.reached + score.near * decay_.lost + (below_left - piece.near);
    }
    if (next_ < at_.size()) piece.above = at_[next_].above;
    if (has_above) {
      above_distance = (at_[next_].value - low) / scale_ - offset;
      above_decay_.set(above_distance);
      above_left = at_[next_].far * above_decay_.left;
      piece.part = half_ * above_left;
      piece.far = piece.part;
    }
    units = {};
    if (next_ == 0 && has_above) {
      units.log_cdf = -above_distance;
      piece.far = half_ * at_[0].far;
    }
    piece.own_near = piece.near;
    piece.own_far = piece.part;
    if (std::max(below_left, above_left) < 1e-200) {
      far_away(below_distance, above_distance, has_above, piece, units);
    }
    return piece;
  }

 private:
  struct Score {
    double value;
    double weight;
    double near = 0.0;     // sum over scores k at or below of w_k e^-distance
    double reached = 0.0;  // sum over the same of w_k (1 - e^-distance)
    double far = 0.0;      // sum over scores at or above of w_k e^-distance
    double above = 0.0;    // sum over the same of w_k
  };

  // The density's two parts in units of the larger, where doubles are about to end.
  void far_away(double below_distance, double above_distance, bool has_above, Piece& piece,
                NoisyMaxUnits& units) const {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const double near = next_ > 0 ? portable_log(at_[next_ - 1].near) - below_distance : kNone;
    const double far = has_above ? portable_log(at_[next_].far) - above_distance : kNone;
    units.log_density = std::max(near, far);
    if (units.log_density == kNone) return;  // exponential noise, below every score: no density
    piece.own_near = half_ * portable_exp(near - units.log_density);
    piece.own_far = half_ * portable_exp(far - units.log_density);
  }

  double scale_;
  double half_;
  bool two_sided_;
  std::vector<Score> at_;
  std::size_t next_ = 0;  // the scores below this one are at or below the piece
  Decay decay_;
  Decay above_decay_;
};

class PieceIntegral {
 public:
  PieceIntegral(bool two_sided, double scale, std::span<const ScoreGroup> groups,
                const RunControl& control)
      : control_(control),
        two_sided_(two_sided),
        scale_(scale),
        members_(members_of(groups)),
        width_(members_ <= kFewMembers ? 1.0 : 0.75),
        groups_(groups),
        sums_(groups),
        pieces_(groups.size()),
        at_(groups.size()) {
    scores_.reserve(groups.size());
    for (const ScoreGroup& group : groups) {
      scores_.emplace_back(group, scale, two_sided);
      support_ = std::max(support_, scores_.back().least());
      kinks_.insert(kinks_.end(), group.values.begin(), group.values.end());
    }
    std::sort(kinks_.begin(), kinks_.end(), std::greater<>());
    kinks_.erase(std::unique(kinks_.begin(), kinks_.end()), kinks_.end());
    // Exponential noise: below its least score some other group surely lies higher.
    if (!two_sided)
      kinks_.erase(std::find(kinks_.begin(), kinks_.end(), support_) + 1, kinks_.end());
  }

  std::vector<double> run() {
    const double middle = portable_log(members_) + 1.0;
    if (interval(kinks_[0], middle, kTail, 2.0) || interval(kinks_[0], 0.0, middle, width_)) {
      return sums_.logs();
    }
    for (std::size_t k = 1; k < kinks_.size(); ++k) {
      if (interval(kinks_[k], 0.0, (kinks_[k - 1] - kinks_[k]) / scale_, width_))
        return sums_.logs();
    }
    if (two_sided_) add_rest();
    return sums_.logs();
  }

 private:
  // Integrates from `offset` to `offset + length` above the score `low`. True once the rest adds
  // nothing, or the caller has stopped.
  bool interval(double low, double offset, double length, double width) {
    const double blocks = std::ceil(length / kLongest);
    const auto& nodes = nodes_of(length / blocks, width);
    for (double block = blocks - 1.0; block >= 0.0; block -= 1.0) {
      const auto units = sums_.start_block();
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        pieces_[g] = scores_[g].piece(low, offset + block * (length / blocks), units[g]);
      }
      for (const PieceNode& node : nodes) {
        for (std::size_t g = 0; g < groups_.size(); ++g) at_[g] = pieces_[g].at(node);
        sums_.add(at_);
      }
      sums_.finish_block();
      if (sums_.is_done() || control_.stopped()) return true;
    }
    return false;
  }

  // Laplace noise, below every score: H_g = H_g(lowest) e^-v, so that each member gets 1/K of the
  // product there.
  void add_rest() {
    double product = 0.0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      NoisyMaxUnits units;
      const Piece piece = scores_[g].piece(kinks_.back(), 0.0, units);
      product += groups_[g].count * log_cdf_of(piece.at({0.0, 1.0, 0.0, 1.0}), units);
    }
    sums_.add_everywhere(1.0 / members_, product);
  }

  const std::vector<PieceNode>& nodes_of(double length, double width) {
    if (length != length_ || width != nodes_width_) {
      nodes_ = piece_nodes(length, width);
      length_ = length;
      nodes_width_ = width;
    }
    return nodes_;
  }

  const RunControl& control_;
  bool two_sided_;
  double scale_;
  double members_;
  double width_;
  std::span<const ScoreGroup> groups_;
  NoisyMaxSums sums_;
  std::vector<ScoreSums> scores_;
  std::vector<double> kinks_;  // all scores, descending
  double support_ = -std::numeric_limits<double>::infinity();
  std::vector<Piece> pieces_;
  std::vector<NoisyMaxNode> at_;
  std::vector<PieceNode> nodes_;
  double length_ = 0.0;
  double nodes_width_ = 0.0;
};

}  // namespace

std::vector<double> noisy_max_by_pieces(bool two_sided, double scale,
                                        std::span<const ScoreGroup> groups,
                                        const RunControl& control) {
  return PieceIntegral(two_sided, scale, groups, control).run();
}

}  // namespace assay::detail
