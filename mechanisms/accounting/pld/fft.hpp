// A discrete Fourier transform with a proved error bound and the same bits on every machine.
//
//   Z_k = sum over j of z_j e^(-2 pi i j k/N),   N = 2^m                                       (1)
//   z_j = (1/N) sum over k of Z_k e^(2 pi i j k/N)                                             (2)
//
// The forward transform leaves its output in bit-reversed order, and the inverse takes that order,
// so nothing is permuted. A convolution needs no order, only the partner of each place.
//
// Accuracy: with u = 2^-53, each of the m stages is sqrt(2) times a unitary map, computed as sums
// (relative error u in l2) and products with twiddles (relative error sqrt(5) u for the product,
// kTwiddleError for the twiddle, both in l2), so that the computed transform has
//   |computed - Z|_2 <= ((1 + (2 + sqrt(5)) u + kTwiddleError)^m - 1) |Z|_2                    (3)
// and the same for (2). Two stages are fused into one pass, which saves products and adds none. The
// extra u for each stage covers the products of the errors.
//
// Eigen's transform is not used, because its twiddles come from the C library's sine, which has different
// bits on different CPUs, and because it states no error bound. This one computes sines by polynomials.
//
// Reference: Higham, "Accuracy and Stability of Numerical Algorithms" (2nd ed., SIAM 2002), Theorem
// 24.2, whose proof goes stage by stage as above; Brent, Percival, Zimmermann, "Error bounds on
// complex floating-point multiplication" (Math. Comp., 2007), for sqrt(5) u.
// Threads: a plan is a value and const. Cost: 1 to 2 ms at N = 2^16; 16 N bytes of twiddles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/mechanisms/numerics/constants.hpp"

namespace assay::detail {

inline constexpr double kComplexProductError = 2.2361 * kUnitRoundoff;  // above sqrt(5) u
inline constexpr double kTwiddleError = 4.0 * kUnitRoundoff;

class Fft {
 public:
  // Precondition: size is a power of two, 1 to 2^26.
  explicit Fft(std::size_t size);

  std::size_t size() const { return size_; }
  double relative_error() const;  // the factor of (3)

  // In place, with real and imaginary parts apart. The inverse leaves out the division by N.
  void forward(std::span<double> re, std::span<double> im) const;
  void inverse(std::span<double> re, std::span<double> im) const;

  // The place of frequency N - k, for the place of frequency k.
  static std::size_t partner(std::size_t place);

 private:
  struct Pass {  // two fused stages over blocks of 4 quarter points
    std::size_t quarter;
    std::vector<double> cosines;  // of 1, 2 and 3 times 2 pi j/(4 quarter), one after the other
    std::vector<double> sines;
  };

  std::size_t size_;
  bool has_odd_stage_;  // m odd: one stage of pairs at the end
  std::vector<Pass> passes_;
};

// cos and sin of 2 pi j/n for 0 <= j < n: error of the
// pair, as a complex number, at most kTwiddleError.
struct UnitRoot {
  double cosine;
  double sine;
};
UnitRoot unit_root(std::size_t j, std::size_t n);

}  // namespace assay::detail
