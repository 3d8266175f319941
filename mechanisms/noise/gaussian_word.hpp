// gaussian_from_word: a standard normal draw from one random 64-bit number w, by inversion.
//
//   x(w) = Phi^{-1}((w + 1/2) 2^-64)                                                        (1)
//
// x increases with w up to the last place, is symmetric (x(~w) = -x(w) exactly), and has true tails
// down to probability 2^-65 (|x| <= 9.15): no value is cut off or wrapped. So counters address draws,
// common random numbers couple the draws of two scales, and the top bits of w bracket x.
//
// With k the distance of w from the nearer end of its range, k >= 2^47 takes a polynomial in
// t = end - (2k + 1) from a cell found by the exponent and the five leading mantissa bits of k; the
// rest (probability 2^-16) takes the quantile of normal.hpp.
//
// Accuracy: relative error at most 2e-15. Same bits on every machine.
// Threads: pure functions; gaussian_brackets() fills its table once, on first use.
// Cost: about 4 ns.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

double gaussian_from_word(std::uint64_t word);

// Every w whose top 16 bits are `top` maps into [low, high].
struct Bracket {
  float low;
  float high;
};

class GaussianBrackets {
 public:
  GaussianBrackets();

  Bracket operator()(std::uint16_t top) const {
    // Bit 15 is the sign; the other bits, flipped in the lower half, count cells from the centre.
    const bool positive = (top & 0x8000u) != 0;
    const std::size_t cell = (positive ? top : ~top) & 0x7FFFu;
    const float near = edges_[cell];
    const float far = edges_[cell + 1] * (1.0f + 0x1p-22f);  // undoes the rounding down
    return positive ? Bracket{near, far} : Bracket{-far, -near};
  }

 private:
  std::vector<float> edges_;  // |x| where cell c begins, rounded down, c in [0, 2^15]
};

// The table, 128 KiB, shared by all threads. Keep the reference outside inner loops.
const GaussianBrackets& gaussian_brackets();

inline Bracket gaussian_bracket_from_top16(std::uint16_t top) { return gaussian_brackets()(top); }

namespace detail {

struct alignas(64) GaussianCell {
  double coefficient[7];
  std::uint64_t end;  // of the cell, in units of 2k + 1, modulo 2^64
};

inline constexpr std::uint64_t kGaussianTailWords = std::uint64_t{1} << 47;
inline constexpr std::uint64_t kGaussianFirstCell = (1023u + 47u) << 5;
inline constexpr int kGaussianCells = 16 * 32 + 1;
extern const GaussianCell kGaussianTable[kGaussianCells];

double gaussian_tail_magnitude(std::uint64_t k);  // |x|, k < kGaussianTailWords

// |x| for k in [2^47, 2^63).
inline double gaussian_magnitude(std::uint64_t k) {
  // A k that rounds up to the next cell is 2^-47 of a cell outside that one's polynomial.
  const auto rounded =
      std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(k)));
  const auto& cell = kGaussianTable[(rounded >> 47) - kGaussianFirstCell];
  const double* c = cell.coefficient;
  const double t = static_cast<double>(static_cast<std::int64_t>(cell.end - (2 * k + 1)));
  const double t2 = t * t;
  const double even = c[0] + t2 * (c[2] + t2 * (c[4] + t2 * c[6]));
  const double odd = c[1] + t2 * (c[3] + t2 * c[5]);
  return even + t * odd;
}

}  // namespace detail

inline double gaussian_from_word(std::uint64_t word) {
  const auto upper =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 63);  // all ones?
  const std::uint64_t k = word ^ upper;
  double magnitude;
  if (k >= detail::kGaussianTailWords) [[likely]] {
    magnitude = detail::gaussian_magnitude(k);
  } else {
    magnitude = detail::gaussian_tail_magnitude(k);
  }
  const std::uint64_t sign = ~upper & 0x8000000000000000u;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);  // (1)
}

}  // namespace assay
