#include "assay/tests/support/exponential_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kSameRate = 1e-6;

using Polynomial = ExponentialPieces::Polynomial;

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0.0) continue;
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      ASSAY_CHECK(i + j < out.size(), "a power beyond those kept");
      out[i + j] += a[i] * b[j];
    }
  }
  return out;
}

bool is_zero(const Polynomial& p) {
  return std::all_of(p.begin(), p.end(), [](double c) { return c == 0.0; });
}

}  // namespace

ExponentialPieces::ExponentialPieces(double constant) : pieces_(1) {
  add(pieces_[0], 0.0, {constant});
}

ExponentialPieces ExponentialPieces::exponential(double rate) {
  return {{}, {{Term{rate, {1.0}}}}};
}

ExponentialPieces ExponentialPieces::laplace_density(double mean) {
  return {{mean},
          {{Term{1.0, {0.5 * portable_exp(-mean)}}}, {Term{-1.0, {0.5 * portable_exp(mean)}}}}};
}

ExponentialPieces ExponentialPieces::laplace_cdf(double mean) {
  return {{mean},
          {{Term{1.0, {0.5 * portable_exp(-mean)}}},
           {Term{-1.0, {-0.5 * portable_exp(mean)}}, Term{0.0, {1.0}}}}};
}

void ExponentialPieces::add(Piece& piece, double rate, const Polynomial& polynomial) {
  if (std::fabs(rate) < kSameRate) rate = 0.0;
  const auto at = std::find_if(piece.begin(), piece.end(),
                               [&](const Term& t) { return t.rate > rate - kSameRate; });
  if (at == piece.end() || at->rate > rate + kSameRate) {
    if (!is_zero(polynomial)) piece.insert(at, {rate, polynomial});
    return;
  }
  for (std::size_t i = 0; i < polynomial.size(); ++i) at->polynomial[i] += polynomial[i];
  if (is_zero(at->polynomial)) piece.erase(at);
}

double ExponentialPieces::value(const Piece& piece, double x) {
  double sum = 0.0;
  for (const Term& term : piece) {
    double p = 0.0;
    for (std::size_t i = kCoefficients; i-- > 0;) p = p * x + term.polynomial[i];
    sum += term.rate == 0.0 ? p : p * portable_exp(term.rate * x);
  }
  return sum;
}

double ExponentialPieces::operator()(double x) const {
  const auto above = std::upper_bound(breaks_.begin(), breaks_.end(), x);
  return value(pieces_[static_cast<std::size_t>(above - breaks_.begin())], x);
}

double ExponentialPieces::at_infinity() const {
  for (const Term& term : pieces_.back()) {
    if (term.rate == 0.0) return term.polynomial[0];
  }
  return 0.0;
}

template <class Combine>
ExponentialPieces ExponentialPieces::combined(const ExponentialPieces& a,
                                              const ExponentialPieces& b, Combine combine) {
  std::vector<double> breaks;
  std::set_union(a.breaks_.begin(), a.breaks_.end(), b.breaks_.begin(), b.breaks_.end(),
                 std::back_inserter(breaks));
  std::vector<Piece> pieces;
  std::size_t i = 0, j = 0;
  for (std::size_t p = 0; p <= breaks.size(); ++p) {
    pieces.push_back(combine(a.pieces_[i], b.pieces_[j]));
    if (p == breaks.size()) break;
    if (i < a.breaks_.size() && a.breaks_[i] == breaks[p]) ++i;
    if (j < b.breaks_.size() && b.breaks_[j] == breaks[p]) ++j;
  }
  return {std::move(breaks), std::move(pieces)};
}

ExponentialPieces ExponentialPieces::operator*(const ExponentialPieces& other) const {
  return combined(*this, other, [](const Piece& a, const Piece& b) {
    Piece out;
    for (const Term& s : a) {
      for (const Term& t : b) add(out, s.rate + t.rate, product(s.polynomial, t.polynomial));
    }
    return out;
  });
}

ExponentialPieces ExponentialPieces::operator-(const ExponentialPieces& other) const {
  return combined(*this, other, [](const Piece& a, const Piece& b) {
    Piece out = a;
    for (const Term& t : b) {
      Polynomial minus = t.polynomial;
      for (double& c : minus) c = -c;
      add(out, t.rate, minus);
    }
    return out;
  });
}

ExponentialPieces ExponentialPieces::composed(double slope, double shift) const {
  ExponentialPieces out = *this;
  for (double& b : out.breaks_) b = (b - shift) / slope;
  for (Piece& piece : out.pieces_) {
    for (Term& term : piece) {
      Polynomial p{};
      for (std::size_t i = kCoefficients; i-- > 0;) {  // Horner: p (slope x + shift) + c_i
        for (std::size_t k = kCoefficients; k-- > 0;) {
          p[k] = p[k] * shift + (k > 0 ? p[k - 1] * slope : 0.0);
        }
        p[0] += term.polynomial[i];
      }
      const double factor = portable_exp(term.rate * shift);
      for (double& c : p) c *= factor;
      term = {term.rate * slope, p};
    }
  }
  return out;
}

ExponentialPieces ExponentialPieces::antiderivatives() const {
  ExponentialPieces out = *this;
  for (Piece& piece : out.pieces_) {
    for (Term& term : piece) {
      Polynomial p{};
      if (term.rate == 0.0) {
        ASSAY_CHECK(term.polynomial.back() == 0.0, "a power beyond those kept");
        for (std::size_t k = 1; k < kCoefficients; ++k) {
          p[k] = term.polynomial[k - 1] / static_cast<double>(k);
        }
      } else {
        // (sum p_k x^k e^(rx))' = sum (r p_k + (k+1) p_{k+1}) x^k e^(rx)
        double next = 0.0;
        for (std::size_t k = kCoefficients; k-- > 0;) {
          p[k] = (term.polynomial[k] - next) / term.rate;
          next = static_cast<double>(k) * p[k];
        }
      }
      term.polynomial = p;
    }
  }
  return out;
}

ExponentialPieces ExponentialPieces::integral_below() const {
  ExponentialPieces out = antiderivatives();
  for (std::size_t i = 0; i < breaks_.size(); ++i) {
    const double b = breaks_[i];
    add(out.pieces_[i + 1], 0.0, {value(out.pieces_[i], b) - value(out.pieces_[i + 1], b)});
  }
  return out;
}

ExponentialPieces ExponentialPieces::integral_above() const {
  ExponentialPieces out = antiderivatives();
  for (std::size_t i = breaks_.size(); i-- > 0;) {
    const double b = breaks_[i];
    add(out.pieces_[i], 0.0, {value(out.pieces_[i + 1], b) - value(out.pieces_[i], b)});
  }
  return out;
}

}  // namespace assay::detail
