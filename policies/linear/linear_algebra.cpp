// The only source that uses Eigen. Not vectorised, so that no sum depends on memory alignment.
#define EIGEN_DONT_VECTORIZE
#include "assay/policies/linear/linear_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::dot;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;

constexpr double kRankTolerance = 1e-10;
constexpr double kExchangeTolerance = 1e-10;  // below kMaxDetTolerance, as a fresh one rounds
constexpr int kMostExchangeRounds = 1000;
constexpr int kMostDesignSteps = 100'000;
constexpr double kLeastWeight = 1e-9;

// A matrix with one column per vector.
Matrix columns_of(const ArmFeatures& vectors, std::span<const int> chosen) {
  Matrix columns(vectors.dimension, static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto from = vectors.of(chosen[i]);
    for (Index k = 0; k < vectors.dimension; ++k) {
      columns(k, static_cast<Index>(i)) = from[static_cast<std::size_t>(k)];
    }
  }
  return columns;
}

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// The inverse of the matrix whose columns are the members. It is in long double: they may be nearly
// dependent, and the next exchange could undo one that only rounding suggests. Each column is
// scaled by its own length, without a threshold, because the scale of an arm does not indicate
// dependence.
LongMatrix inverse_of(const ArmFeatures& vectors, const std::vector<int>& members) {
  LongMatrix columns = columns_of(vectors, members).cast<long double>();
  const Eigen::Matrix<long double, 1, Eigen::Dynamic> lengths = columns.colwise().norm();
  for (Index j = 0; j < columns.cols(); ++j) columns.col(j) /= lengths(j);
  auto factors = columns.fullPivLu();
  LongMatrix inverse = factors.setThreshold(0.0L).inverse();
  for (Index j = 0; j < columns.cols(); ++j) inverse.row(j) /= lengths(j);
  return inverse;
}

// The coordinates of every vector with respect to the members.
std::vector<double> coordinates_in(const ArmFeatures& vectors, const std::vector<int>& members) {
  const LongMatrix inverse = inverse_of(vectors, members);
  const auto r = static_cast<std::size_t>(vectors.dimension);
  std::vector<double> alpha(static_cast<std::size_t>(vectors.arms) * r);
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    const auto vector = vectors.of(i);
    for (std::size_t j = 0; j < r; ++j) {
      long double sum = 0.0L;
      for (std::size_t k = 0; k < r; ++k) {
        sum += inverse(static_cast<Index>(j), static_cast<Index>(k)) * vector[k];
      }
      alpha[static_cast<std::size_t>(i) * r + j] = static_cast<double>(sum);
    }
  }
  return alpha;
}

std::size_t largest_entry(const std::vector<double>& alpha) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < alpha.size(); ++k) {
    if (std::fabs(alpha[k]) > std::fabs(alpha[best])) best = k;
  }
  return best;
}

// The coordinates after vector i has taken the place of member j.
void exchange(std::vector<double>& alpha, std::size_t r, std::size_t i, std::size_t j) {
  const std::vector<double> entering(alpha.begin() + static_cast<std::ptrdiff_t>(i * r),
                                     alpha.begin() + static_cast<std::ptrdiff_t>((i + 1) * r));
  for (std::size_t row = 0; row < alpha.size(); row += r) {
    const double share = alpha[row + j] / entering[j];
    for (std::size_t k = 0; k < r; ++k) alpha[row + k] -= share * entering[k];
    alpha[row + j] = share;
  }
}

// (2), starting from the first r pivots of QR.
std::vector<int> exchanged_collection(const ArmFeatures& vectors) {
  const auto r = static_cast<std::size_t>(vectors.dimension);
  const Eigen::ColPivHouseholderQR<Matrix> qr(columns_of(vectors, all_arms(vectors.arms)));
  std::vector<int> members;
  for (std::size_t j = 0; j < r; ++j) {
    members.push_back(static_cast<int>(qr.colsPermutation().indices()(static_cast<Index>(j))));
  }
  // Each exchange raises |det|, so none comes twice. Rounding is removed now and then. If it still
  // exceeds the tolerance, the rounds end and the certificate shows it.
  bool improved = true;
  for (int rounds = 0; improved && rounds < kMostExchangeRounds; ++rounds) {
    auto alpha = coordinates_in(vectors, members);
    improved = false;
    for (int steps = 0; steps < 100; ++steps) {
      const std::size_t best = largest_entry(alpha);
      if (std::fabs(alpha[best]) <= 1.0 + kExchangeTolerance) break;
      exchange(alpha, r, best / r, best % r);
      members[best % r] = static_cast<int>(best / r);
      improved = true;
    }
  }
  return members;
}

double collections(std::int64_t s, std::int64_t r) {
  double count = 1.0;
  for (std::int64_t k = 0; k < r && count <= kMostCollections; ++k) {
    count *= static_cast<double>(s - k) / static_cast<double>(k + 1);
  }
  return count;
}

// (1): grows a collection in ascending order and keeps the residual of every later vector
// orthogonal to it. |det| is the product of the norms of the chosen residuals. By Hadamard no
// completion has more than the largest residual for each vector that is still to choose.
class BranchAndBound {
 public:
  BranchAndBound(const ArmFeatures& vectors, std::vector<int> start)
      : vectors_(vectors),
        r_(static_cast<std::size_t>(vectors.dimension)),
        best_(std::move(start)) {
    const Eigen::FullPivLU<Matrix> factors(columns_of(vectors, best_));
    for (Index j = 0; j < vectors.dimension; ++j) {  // log |det|, because |det| may overflow
      best_log_ += portable_log(std::fabs(factors.matrixLU()(j, j)));
    }
    grow(vectors.values, 0, 0.0);
  }
  std::vector<int> best() const { return best_; }

 private:
  void grow(const std::vector<double>& residuals, std::int64_t first, double log_volume) {
    const std::size_t missing = r_ - chosen_.size();
    if (missing == 0) {
      // Rounding must not prefer one of two that are equal.
      if (log_volume > best_log_ + 1e-12) {
        best_log_ = log_volume;
        best_ = chosen_;
      }
      return;
    }
    std::vector<double> norms;
    for (std::int64_t i = first; i < vectors_.arms; ++i) norms.push_back(norm(residuals, i));
    double longest = 0.0;
    for (std::size_t k = norms.size(); k-- > 0;) {  // over this vector and the later ones
      longest = std::max(longest, norms[k]);
      norms_after_.push_back(longest);
    }
    const std::size_t mark = norms_after_.size();
    for (std::int64_t i = first; i + static_cast<std::int64_t>(missing) <= vectors_.arms; ++i) {
      const double after = norms_after_[mark - 1 - static_cast<std::size_t>(i - first)];
      if (log_volume + static_cast<double>(missing) * portable_log(after) <= best_log_) break;
      const double taken = norms[static_cast<std::size_t>(i - first)];
      if (taken == 0.0) continue;
      chosen_.push_back(static_cast<int>(i));
      grow(without(residuals, i, taken), i + 1, log_volume + portable_log(taken));
      chosen_.pop_back();
    }
    norms_after_.resize(mark - norms.size());
  }

  std::span<const double> row(const std::vector<double>& residuals, std::int64_t i) const {
    return std::span(residuals).subspan(static_cast<std::size_t>(i) * r_, r_);
  }
  double norm(const std::vector<double>& residuals, std::int64_t i) const {
    return std::sqrt(dot(row(residuals, i), row(residuals, i)));
  }
  // The residuals of the vectors after i.
  std::vector<double> without(const std::vector<double>& residuals, std::int64_t i,
                              double length) const {
    std::vector<double> left = residuals;
    const auto direction = row(residuals, i);
    for (std::int64_t k = i + 1; k < vectors_.arms; ++k) {
      const double share = dot(row(residuals, k), direction) / (length * length);
      for (std::size_t e = 0; e < r_; ++e) {
        left[static_cast<std::size_t>(k) * r_ + e] -= share * direction[e];
      }
    }
    return left;
  }

  const ArmFeatures& vectors_;
  std::size_t r_;
  std::vector<int> best_;
  double best_log_ = 0.0;
  std::vector<int> chosen_;
  std::vector<double> norms_after_;
};

Matrix information(const ArmFeatures& vectors, std::span<const double> weights) {
  Matrix sum = Matrix::Zero(vectors.dimension, vectors.dimension);
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    const double weight = weights[static_cast<std::size_t>(i)];
    if (weight == 0.0) continue;
    const auto a = vectors.of(i);
    for (Index k = 0; k < vectors.dimension; ++k) {
      for (Index l = 0; l < vectors.dimension; ++l) {
        sum(k, l) += weight * a[static_cast<std::size_t>(k)] * a[static_cast<std::size_t>(l)];
      }
    }
  }
  return sum;
}

// The inverse of the above, for vectors in (well-conditioned) coordinates of a collection.
std::vector<double> inverse_information(const ArmFeatures& vectors,
                                        std::span<const double> weights) {
  const Matrix inverse = information(vectors, weights).fullPivLu().inverse();
  std::vector<double> out;
  for (Index k = 0; k < vectors.dimension; ++k) {
    for (Index l = 0; l < vectors.dimension; ++l) out.push_back(inverse(k, l));
  }
  return out;
}

// A Max-Det collection, and all vectors in its coordinates, which are at most 1 in size. Designs do
// not depend on coordinates, but rounding does.
std::pair<std::vector<int>, ArmFeatures> in_a_collection(const ArmFeatures& vectors) {
  auto found = max_det_collection(vectors);
  ArmFeatures coordinates{vectors.arms, vectors.dimension, std::move(found.coordinates)};
  return {std::move(found.members), std::move(coordinates)};
}

// The weights of a design and g of every vector, step by step.
class DesignSteps {
 public:
  DesignSteps(const ArmFeatures& vectors, std::vector<double> weights)
      : vectors_(vectors),
        r_(static_cast<double>(vectors.dimension)),
        weights_(std::move(weights)),
        u_(static_cast<std::size_t>(vectors.dimension)) {
    refresh();
  }

  void run(double gap) {
    for (int step = 0; step < kMostDesignSteps; ++step) {
      if (step % 100 == 99) refresh();
      const auto [most, least] = extremes();
      const double above = g_[most] / r_ - 1.0;
      if (above <= gap) return;
      if (above >= 1.0 - g_[least] / r_) {
        move(most, (g_[most] - r_) / (r_ * (g_[most] - 1.0)));
      } else {
        const double all = -weights_[least] / (1.0 - weights_[least]);
        const double g = g_[least];
        move(least, g <= 1.0 ? all : std::max(all, (g - r_) / (r_ * (g - 1.0))));
      }
    }
  }

  // Computes V^-1 and g afresh. Returns the largest g/r - 1.
  double refresh() {
    inverse_ = inverse_information(vectors_, weights_);
    g_.clear();
    double most = 0.0;
    for (std::int64_t i = 0; i < vectors_.arms; ++i) {
      apply(vectors_.of(i));
      g_.push_back(dot(u_, vectors_.of(i)));
      most = std::max(most, g_.back());
    }
    return most / r_ - 1.0;
  }
  std::vector<double>& weights() { return weights_; }

 private:
  // The vector with the largest g, and the vector of the support with the smallest g.
  std::pair<std::size_t, std::size_t> extremes() const {
    std::size_t most = 0;
    std::size_t least = g_.size();
    for (std::size_t i = 0; i < g_.size(); ++i) {
      if (g_[i] > g_[most]) most = i;
      if (weights_[i] > 0.0 && (least == g_.size() || g_[i] < g_[least])) least = i;
    }
    return {most, least};
  }

  // w <- (1 - t) w + t e_i.
  void move(std::size_t i, double t) {
    const auto r = u_.size();
    apply(vectors_.of(static_cast<std::int64_t>(i)));
    const double keep = 1.0 - t;
    const double rank_one = t / (keep + t * g_[i]);
    for (std::size_t k = 0; k < r; ++k) {
      for (std::size_t l = 0; l < r; ++l) {
        inverse_[k * r + l] = (inverse_[k * r + l] - rank_one * u_[k] * u_[l]) / keep;
      }
    }
    for (std::size_t k = 0; k < g_.size(); ++k) {
      const double inner = dot(u_, vectors_.of(static_cast<std::int64_t>(k)));
      g_[k] = (g_[k] - rank_one * inner * inner) / keep;
      weights_[k] *= keep;
    }
    const bool leaves = t < 0.0 && weights_[i] + t <= 0.0;
    weights_[i] = leaves ? 0.0 : weights_[i] + t;
  }

  void apply(std::span<const double> a) {
    const std::size_t r = u_.size();
    for (std::size_t k = 0; k < r; ++k) {
      u_[k] = dot(std::span(inverse_).subspan(k * r, r), a);
    }
  }

  const ArmFeatures& vectors_;
  double r_;
  std::vector<double> weights_;
  std::vector<double> inverse_;  // V^-1
  std::vector<double> g_;
  std::vector<double> u_;
};

std::vector<int> support_of(std::span<const double> weights) {
  std::vector<int> support;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) support.push_back(static_cast<int>(i));
  }
  return support;
}

// (4): while too many vectors have weight, moves the weights in a direction that leaves V as it is,
// until one of them is 0.
void thin_out(const ArmFeatures& vectors, std::vector<double>& weights) {
  const Index most = vectors.dimension * (vectors.dimension + 1) / 2;
  for (auto support = support_of(weights); static_cast<Index>(support.size()) > most;
       support = support_of(weights)) {
    // This takes one more vector than there are equations.
    support.resize(static_cast<std::size_t>(most) + 1);
    Matrix equations(most, most + 1);
    for (Index i = 0; i <= most; ++i) {
      const auto a = vectors.of(support[static_cast<std::size_t>(i)]);
      Index row = 0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        for (std::size_t l = 0; l <= k; ++l) equations(row++, i) = a[k] * a[l];
      }
    }
    // Chooses the sign for which the sum of weights does not grow, because scaling a larger sum
    // back to 1 would widen the gap.
    Eigen::VectorXd along_kernel = equations.fullPivLu().kernel().col(0);
    if (along_kernel.sum() < 0.0) along_kernel = -along_kernel;
    double step = std::numeric_limits<double>::infinity();
    std::size_t leaves = 0;
    for (std::size_t i = 0; i < support.size(); ++i) {
      const double along = along_kernel(static_cast<Index>(i));
      const double weight = weights[static_cast<std::size_t>(support[i])];
      if (along > 0.0 && weight / along < step) {
        step = weight / along;
        leaves = i;
      }
    }
    for (std::size_t i = 0; i < support.size(); ++i) {
      double& weight = weights[static_cast<std::size_t>(support[i])];
      weight =
          i == leaves ? 0.0 : std::max(0.0, weight - step * along_kernel(static_cast<Index>(i)));
    }
  }
}

void normalise(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

}  // namespace

ArmFeatures in_their_span(const ArmFeatures& features, std::span<const int> active) {
  const Matrix columns = columns_of(features, active);
  Matrix directions = columns;
  for (Index i = 0; i < columns.cols(); ++i) directions.col(i) /= columns.col(i).stableNorm();
  Eigen::ColPivHouseholderQR<Matrix> qr(directions);
  qr.setThreshold(kRankTolerance);
  const Index rank = qr.rank();
  ArmFeatures out{static_cast<std::int64_t>(active.size()), rank, {}};
  if (rank == 0) return out;
  out.values.reserve(active.size() * static_cast<std::size_t>(rank));
  if (rank == features.dimension) {
    for (const int arm : active) {
      const auto from = features.of(arm);
      out.values.insert(out.values.end(), from.begin(), from.end());
    }
    return out;
  }
  const Matrix basis =
      qr.householderQ() * Matrix::Identity(features.dimension, features.dimension).leftCols(rank);
  for (Index i = 0; i < columns.cols(); ++i) {
    for (Index k = 0; k < rank; ++k) {
      double sum = 0.0;
      for (Index e = 0; e < columns.rows(); ++e) sum += basis(e, k) * columns(e, i);
      out.values.push_back(sum);
    }
  }
  return out;
}

MaxDetCollection max_det_collection(const ArmFeatures& vectors) {
  ASSAY_CHECK(vectors.dimension > 0 && vectors.arms >= vectors.dimension,
              "the vectors span their space");
  MaxDetCollection found;
  found.members = exchanged_collection(vectors);
  std::sort(found.members.begin(), found.members.end());
  found.is_maximum = collections(vectors.arms, vectors.dimension) <= kMostCollections;
  if (found.is_maximum) found.members = BranchAndBound(vectors, found.members).best();
  found.coordinates = coordinates_in(vectors, found.members);
  found.largest = std::fabs(found.coordinates[largest_entry(found.coordinates)]);
  const std::size_t r = found.members.size();
  for (std::size_t j = 0; j < r; ++j) {  // without the rounding of the inverse
    const std::size_t row = static_cast<std::size_t>(found.members[j]) * r;
    for (std::size_t k = 0; k < r; ++k) found.coordinates[row + k] = k == j ? 1.0 : 0.0;
  }
  return found;
}

GOptimalDesign g_optimal_design(const ArmFeatures& vectors, double wanted_gap) {
  const auto [collection, coordinates] = in_a_collection(vectors);
  std::vector<double> weights(static_cast<std::size_t>(vectors.arms), 0.0);
  for (const int member : collection) {
    weights[static_cast<std::size_t>(member)] = 1.0 / static_cast<double>(vectors.dimension);
  }
  DesignSteps design(coordinates, std::move(weights));
  design.run(wanted_gap);
  for (double& weight : design.weights()) weight = weight < kLeastWeight ? 0.0 : weight;
  thin_out(coordinates, design.weights());
  normalise(design.weights());
  const double gap = design.refresh();
  return {std::move(design.weights()), gap};
}

std::vector<double> least_squares(const ArmFeatures& vectors, std::span<const double> pulls) {
  // With a_i = B alpha_i, row i is alpha_i^T (sum_j n_j alpha_j alpha_j^T)^-1 B^-1.
  const auto [collection, coordinates] = in_a_collection(vectors);
  const auto information = inverse_information(coordinates, pulls);
  const LongMatrix inverse = inverse_of(vectors, collection);
  const auto r = static_cast<std::size_t>(vectors.dimension);
  std::vector<double> out;
  out.reserve(coordinates.values.size());
  std::vector<long double> row(r);
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    for (std::size_t l = 0; l < r; ++l) {
      row[l] = dot(coordinates.of(i), std::span(information).subspan(l * r, r));
    }
    for (std::size_t k = 0; k < r; ++k) {
      long double weight = 0.0L;
      for (std::size_t l = 0; l < r; ++l) {
        weight += row[l] * inverse(static_cast<Index>(l), static_cast<Index>(k));
      }
      out.push_back(static_cast<double>(weight));
    }
  }
  return out;
}

}  // namespace assay
