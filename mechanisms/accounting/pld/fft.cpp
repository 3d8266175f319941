#include "assay/mechanisms/accounting/pld/fft.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay::detail {
namespace {

constexpr double kTwoPi = 6.283185307179586477;

// Taylor polynomials on [0, pi/4], whose remainders are below 2^-60 there. The leading terms are
// added last, so that rounding stays within u of the value plus u of x^2/2.
double small_sine(double x) {
  const double s = x * x;
  double sum = 0.0;
  for (int k = 17; k >= 3; k -= 2) sum = (1.0 - sum) * s / (k * (k - 1));
  return x - x * sum;
}

double small_cosine(double x) {
  const double s = x * x;
  double sum = 0.0;
  for (int k = 18; k >= 4; k -= 2) sum = (1.0 - sum) * s / (k * (k - 1));
  return 1.0 - 0.5 * s * (1.0 - sum);
}

// The radix-4 butterflies of a block: those of the decimation in frequency, or their inverses.
template <bool kForward>
void butterflies(double* re, double* im, std::size_t q, const double* c, const double* s) {
  double* __restrict r0 = re;
  double* __restrict r1 = r0 + q;
  double* __restrict r2 = r1 + q;
  double* __restrict r3 = r2 + q;
  double* __restrict i0 = im;
  double* __restrict i1 = i0 + q;
  double* __restrict i2 = i1 + q;
  double* __restrict i3 = i2 + q;
  for (std::size_t j = 0; j < q; ++j) {
    if constexpr (kForward) {
      const double sum02_re = r0[j] + r2[j], sum02_im = i0[j] + i2[j];
      const double sum13_re = r1[j] + r3[j], sum13_im = i1[j] + i3[j];
      const double dif02_re = r0[j] - r2[j], dif02_im = i0[j] - i2[j];
      const double dif13_re = r1[j] - r3[j], dif13_im = i1[j] - i3[j];
      r0[j] = sum02_re + sum13_re;
      i0[j] = sum02_im + sum13_im;
      const double b1_re = sum02_re - sum13_re, b1_im = sum02_im - sum13_im;
      const double b2_re = dif02_re + dif13_im, b2_im = dif02_im - dif13_re;  // d - i e
      const double b3_re = dif02_re - dif13_im, b3_im = dif02_im + dif13_re;  // d + i e
      r1[j] = b1_re * c[q + j] + b1_im * s[q + j];
      i1[j] = b1_im * c[q + j] - b1_re * s[q + j];
      r2[j] = b2_re * c[j] + b2_im * s[j];
      i2[j] = b2_im * c[j] - b2_re * s[j];
      r3[j] = b3_re * c[2 * q + j] + b3_im * s[2 * q + j];
      i3[j] = b3_im * c[2 * q + j] - b3_re * s[2 * q + j];
    } else {
      const double c1_re = r1[j] * c[q + j] - i1[j] * s[q + j];
      const double c1_im = i1[j] * c[q + j] + r1[j] * s[q + j];
      const double c2_re = r2[j] * c[j] - i2[j] * s[j];
      const double c2_im = i2[j] * c[j] + r2[j] * s[j];
      const double c3_re = r3[j] * c[2 * q + j] - i3[j] * s[2 * q + j];
      const double c3_im = i3[j] * c[2 * q + j] + r3[j] * s[2 * q + j];
      const double sum01_re = r0[j] + c1_re, sum01_im = i0[j] + c1_im;
      const double dif01_re = r0[j] - c1_re, dif01_im = i0[j] - c1_im;
      const double sum23_re = c2_re + c3_re, sum23_im = c2_im + c3_im;
      const double dif23_re = c2_re - c3_re, dif23_im = c2_im - c3_im;
      r0[j] = sum01_re + sum23_re;
      i0[j] = sum01_im + sum23_im;
      r2[j] = sum01_re - sum23_re;
      i2[j] = sum01_im - sum23_im;
      r1[j] = dif01_re - dif23_im;  // t1 + i t3
      i1[j] = dif01_im + dif23_re;
      r3[j] = dif01_re + dif23_im;
      i3[j] = dif01_im - dif23_re;
    }
  }
}

void pair_stage(std::span<double> re, std::span<double> im) {
  for (std::size_t j = 0; j < re.size(); j += 2) {
    const double a_re = re[j], a_im = im[j];
    re[j] = a_re + re[j + 1];
    im[j] = a_im + im[j + 1];
    re[j + 1] = a_re - re[j + 1];
    im[j + 1] = a_im - im[j + 1];
  }
}

}  // namespace

namespace {

// Of the angle part/n pi/4.
UnitRoot small_root(std::size_t part, std::size_t n) {
  const double angle = kTwoPi * (0.125 * (static_cast<double>(part) / static_cast<double>(n)));
  return {small_cosine(angle), small_sine(angle)};
}

// By octants: the angle of `small`, which may look it up, is at most pi/4, and its fraction is exact.
template <class Small>
UnitRoot root_by_octants(std::size_t j, std::size_t n, const Small& small) {
  const std::size_t eighth = (8 * j) / n;
  const std::size_t rest = 8 * j - eighth * n;  // angle = (eighth + rest/n) pi/4
  const bool is_mirrored = eighth % 2 == 1;
  auto [c, s] = small(is_mirrored ? n - rest : rest);
  if (is_mirrored) std::swap(c, s);
  switch (eighth / 2 % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace

UnitRoot unit_root(std::size_t j, std::size_t n) {
  return root_by_octants(j, n, [n](std::size_t part) { return small_root(part, n); });
}

Fft::Fft(std::size_t size) : size_(size), has_odd_stage_(std::countr_zero(size) % 2 == 1) {
  ASSAY_CHECK(std::has_single_bit(size) && size <= (std::size_t{1} << 26), "a power of two");
  std::vector<UnitRoot> octant;  // parts are multiples of 8
  for (std::size_t k = 0; size >= 8 && k <= size / 8; ++k) {
    octant.push_back(small_root(8 * k, size));
  }
  const auto root_of = [&](std::size_t j) {
    return octant.empty()
               ? unit_root(j, size)
               : root_by_octants(j, size, [&](std::size_t part) { return octant[part / 8]; });
  };
  for (std::size_t quarter = size / 4; quarter >= 1; quarter /= 4) {
    Pass pass{quarter, std::vector<double>(3 * quarter), std::vector<double>(3 * quarter)};
    for (std::size_t j = 0; j < quarter; ++j) {
      for (std::size_t times = 1; times <= 3; ++times) {
        UnitRoot root;
        if (passes_.empty()) {
          root = root_of(times * j);
        } else {  // every fourth of the pass above
          const Pass& above = passes_.front();
          const std::size_t place = (times - 1) * above.quarter + j * (above.quarter / quarter);
          root = {above.cosines[place], above.sines[place]};
        }
        pass.cosines[(times - 1) * quarter + j] = root.cosine;
        pass.sines[(times - 1) * quarter + j] = root.sine;
      }
    }
    passes_.push_back(std::move(pass));
  }
}

double Fft::relative_error() const {
  const double stage = 2.0 * kUnitRoundoff + kComplexProductError + kTwiddleError;
  // (1 + stage)^m - 1 <= m stage (1 + m stage), m stage <= 1e-13.
  return static_cast<double>(std::countr_zero(size_)) * stage * (1.0 + 1e-12);  // (3)
}

void Fft::forward(std::span<double> re, std::span<double> im) const {
  ASSAY_CHECK(re.size() == size_ && im.size() == size_, "as many points as the plan");
  for (const Pass& pass : passes_) {
    for (std::size_t at = 0; at < size_; at += 4 * pass.quarter) {
      butterflies<true>(&re[at], &im[at], pass.quarter, pass.cosines.data(), pass.sines.data());
    }
  }
  if (has_odd_stage_) pair_stage(re, im);
}

void Fft::inverse(std::span<double> re, std::span<double> im) const {
  ASSAY_CHECK(re.size() == size_ && im.size() == size_, "as many points as the plan");
  if (has_odd_stage_) pair_stage(re, im);
  for (std::size_t p = passes_.size(); p-- > 0;) {
    const Pass& pass = passes_[p];
    for (std::size_t at = 0; at < size_; at += 4 * pass.quarter) {
      butterflies<false>(&re[at], &im[at], pass.quarter, pass.cosines.data(), pass.sines.data());
    }
  }
}

std::size_t Fft::partner(std::size_t place) {
  if (place == 0) return 0;
  const std::size_t block = std::bit_floor(place);  // places block .. 2 block - 1 mirror each other
  return 3 * block - 1 - place;
}

}  // namespace assay::detail
