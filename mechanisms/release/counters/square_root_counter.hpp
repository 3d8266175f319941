// The square-root counter releases the running sums of a stream. It adds noise that is correlated by a
// factor L of the lower triangular matrix of ones, M = L R. It is the modern alternative to the tree.
//
//   f_0 = 1, f_k = f_(k-1) (2k - 1)/(2k);  L = R = the lower triangular Toeplitz matrix of f   (1)
//   estimates = M x + L z,  z_t ~ N(0, s^2) independent                                         (2)
//   s = D |R|/mu,  |R|^2 = the largest column norm squared = f_0^2 + ... + f_(T-1)^2           (3)
//   variance(t) = s^2 (f_0^2 + ... + f_(t-1)^2), about (D/mu)^2 (log T + 3.35)(log t + 3.35)/pi^2 (4)
// L R = M since sum f_k z^k = (1 - z)^(-1/2), whose square is sum z^k.
//
// Privacy. Relation: one x_t moves by at most `sensitivity`, even if later entries depend on
// earlier estimates. View: all T estimates. The mechanism is mu-GDP, which t = 1 attains.
// Idealized: real noise in double precision, whose low bits leak. Use it for simulation and audits.
// Accuracy: (4), whose mean over t has log(T)^2 with the factor 1/pi^2 = 0.10, where the tree has
// 1/(2 log(2)^2) = 1.04 (docs/benchmarks.md has a table). (6) bounds all T errors at once.
// Proofs, and (5) to (8): docs/proofs/square_root_counter.md.
//
// Reference: Fichtenberger, Henzinger, Upadhyay, "Constant matters: fine-grained error bound on
// differentially private continual observation" (ICML 2023); Henzinger, Upadhyay, Upadhyay, "Almost
// tight error bounds on differentially private continual counting" (SODA 2023); Denisov, McMahan,
// Rush, Smith, Thakurta (NeurIPS 2022) for streams that depend on estimates.
// Threads: values. Cost: creation 0.2 us per entry; a release O(T log T). The running counter draws all its
// noise before the first entry, since the noise does not depend on entries: O(1) a step, 8 T bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/pld/fft.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {
namespace detail {

// Replaces x by the first size() numbers of the convolution of `coefficients` and x.
class ToeplitzProduct {
 public:
  // Precondition: 1 to 2^25 coefficients.
  explicit ToeplitzProduct(std::span<const double> coefficients);

  std::size_t size() const { return size_; }
  double relative_error() const { return fft_.relative_error(); }  // e of (8)
  void apply(std::span<double> x) const;                           // in place, x.size() <= size()

 private:
  std::size_t size_;
  Fft fft_;
  std::vector<double> re_;  // the coefficients' transform, divided by its length
  std::vector<double> im_;
};

}  // namespace detail

// (7) for D = mu = 1. Precondition: horizon >= 1. Cost: O(T).
double least_factorisation_error(std::int64_t horizon);

namespace idealized {

struct SquareRootCounterConfig {
  std::int64_t horizon = 1024;
  double mu = 1.0;
  double sensitivity = 1.0;
  double lowest = 0.0;

  static void fields(auto&& visit) {
    using C = SquareRootCounterConfig;
    visit(field("horizon", &C::horizon, Range{1, 0x1p25}, "T", "entries of the stream"));
    visit(field("mu", &C::mu, Range{1e-6, 1e3}, "mu", "privacy level of all estimates"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "D",
                "how far one entry moves: the length of its range"));
    visit(field("lowest", &C::lowest, Range{-1e9, 1e9}, "", "the smallest entry"));
  }
};

// The parts that all releases share: the factor, and the distribution of the noise z.
struct SquareRootFactor {
  Gaussian noise;
  double squared_norm;  // |R|^2, as doubles sum it
  std::vector<double> coefficients;
  assay::detail::ToeplitzProduct product;

  // Draws a new z and writes the first out.size() entries of L z.
  template <RandomSource R>
  void draw(R& random, std::span<double> out) const {
    noise.fill(random, out);
    product.apply(out);
  }
};

// The counter while a stream arrives: add() reads the next entry, estimate() is the running sum.
class SquareRootCounter {
 public:
  explicit SquareRootCounter(std::shared_ptr<const SquareRootFactor> factor)
      : factor_(std::move(factor)) {}

  // The first call draws the noise of all steps. Precondition: time() < horizon().
  template <RandomSource R>
  void add(double x, R& random) {
    ASSAY_CHECK(time_ < horizon(), "the stream is longer than the horizon");
    if (noise_.empty()) {
      noise_.resize(static_cast<std::size_t>(horizon()));
      factor_->draw(random, noise_);
    }
    sum_ += x;
    estimate_ = sum_ + noise_[static_cast<std::size_t>(time_++)];  // (2)
  }

  double estimate() const { return estimate_; }
  std::int64_t time() const { return time_; }
  std::int64_t horizon() const { return static_cast<std::int64_t>(factor_->coefficients.size()); }

 private:
  std::shared_ptr<const SquareRootFactor> factor_;
  std::vector<double> noise_;
  std::int64_t time_ = 0;
  double sum_ = 0.0;
  double estimate_ = 0.0;
};

// Whole streams of 1 to T entries in [lowest, lowest + sensitivity].
class SquareRootCounterMechanism
    : public Configured<SquareRootCounterConfig>,
      public assay::detail::ReleasesOneOfMany<SquareRootCounterMechanism> {
 public:
  using Input = std::span<const double>;
  using Output = std::vector<double>;  // estimate(1), estimate(2), ...

  static Result<SquareRootCounterMechanism> create(const Config& config);

  Status check_input(const Input& input) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  // A counter that gives the same estimates one by one, as the entries arrive.
  SquareRootCounter start() const { return SquareRootCounter(factor_); }

  // Relative accuracy of each z_t about 1e-12 of the largest.
  double log_density(const Output& output, const Input& input) const;
  double variance(std::int64_t t) const;  // (4); cost O(t)
  double error_bound(double beta) const;  // (6)

  Guarantee guarantee() const;
  const SquareRootFactor& factor() const { return *factor_; }

 private:
  SquareRootCounterMechanism(const Config& config, std::shared_ptr<const SquareRootFactor> factor)
      : Configured(config), factor_(std::move(factor)) {}

  std::shared_ptr<const SquareRootFactor> factor_;
};

static_assert(DensityMechanism<SquareRootCounterMechanism>);

}  // namespace idealized
}  // namespace assay
