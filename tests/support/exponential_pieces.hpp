// Functions of one variable that are sums of c x^k e^(r x) between breaks: what Laplace densities
// become by products, integrals and windows, exactly but for rounding.
//
// A break belongs to the piece on its right. Rates closer than 1e-6 are taken for equal: those that
// arise from Laplace noise of scale 1 and means of a few values are fractions of small numbers.
// Threads: a value. Cost: of a value, one exponential a rate of its piece.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace assay::detail {

class ExponentialPieces {
 public:
  static constexpr std::size_t kCoefficients = 5;
  using Polynomial = std::array<double, kCoefficients>;  // by power
  struct Term {
    double rate = 0.0;
    Polynomial polynomial{};
  };

  explicit ExponentialPieces(double constant);
  // Of Laplace noise of scale 1 about `mean`.
  static ExponentialPieces laplace_density(double mean);
  static ExponentialPieces laplace_cdf(double mean);
  static ExponentialPieces exponential(double rate);

  double operator()(double x) const;
  double at_infinity() const;  // where it tends to a number
  std::span<const double> breaks() const { return breaks_; }

  ExponentialPieces operator*(const ExponentialPieces& other) const;
  ExponentialPieces operator-(const ExponentialPieces& other) const;
  // x -> f(slope x + shift). Precondition: slope > 0.
  ExponentialPieces composed(double slope, double shift) const;
  // Integral from -infinity to x. Precondition: it exists.
  ExponentialPieces integral_below() const;
  // Minus the integral from x to infinity. Precondition: it exists.
  ExponentialPieces integral_above() const;

 private:
  using Piece = std::vector<Term>;  // rates increasing

  ExponentialPieces(std::vector<double> breaks, std::vector<Piece> pieces)
      : breaks_(std::move(breaks)), pieces_(std::move(pieces)) {}

  template <class Combine>
  static ExponentialPieces combined(const ExponentialPieces& a, const ExponentialPieces& b,
                                    Combine combine);
  static void add(Piece& piece, double rate, const Polynomial& polynomial);
  static double value(const Piece& piece, double x);
  ExponentialPieces antiderivatives() const;  // of each piece by itself

  std::vector<double> breaks_;
  std::vector<Piece> pieces_;  // one more
};

}  // namespace assay::detail
