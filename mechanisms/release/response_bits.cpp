#include "assay/mechanisms/release/response_bits.hpp"

#include <bit>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"

namespace assay::detail {
namespace {

// P(number < threshold) = p to 2^-64; 1 is handled apart.
bool draw_bit(double p, std::uint64_t word) {
  return p >= 1.0 || word < static_cast<std::uint64_t>(p * 0x1p64);
}

}  // namespace

ResponseBits::ResponseBits(std::int64_t bits, double p_one, double p_zero)
    : bits_(static_cast<int>(bits)), p_{p_zero, p_one} {}

template <RandomSource R>
std::uint64_t ResponseBits::release(std::uint64_t set, R& random) const {
  std::uint64_t out = 0;
  for (int j = 0; j < bits_; ++j) {
    out |= std::uint64_t{draw_bit(p_[set >> j & 1], random.next())} << j;
  }
  return out;
}

template <RandomSource R>
void ResponseBits::release_many(std::uint64_t set, R& random, std::span<double> out) const {
  const auto bits = static_cast<std::size_t>(bits_);
  ASSAY_CHECK(out.size() % bits == 0, "whole releases");
  std::uint64_t threshold[64] = {};
  bool always[64] = {};
  for (std::size_t j = 0; j < bits; ++j) {
    const double p = p_[set >> j & 1];
    always[j] = p >= 1.0;
    threshold[j] = always[j] ? 0 : static_cast<std::uint64_t>(p * 0x1p64);
  }
  std::size_t j = 0;
  fill_from_words(random, out, [&](std::uint64_t word) {
    const double bit = word < threshold[j] || always[j] ? 1.0 : 0.0;
    j = j + 1 == bits ? 0 : j + 1;
    return bit;
  });
}

double ResponseBits::log_probability(std::uint64_t output, std::uint64_t set) const {
  const std::uint64_t mask = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
  double total = 0.0;
  for (int on = 0; on < 2; ++on) {
    const std::uint64_t here = on != 0 ? set : ~set & mask;
    const int ones = std::popcount(here & output);
    const int zeros = std::popcount(here & ~output);
    if (ones > 0) total += ones * portable_log(p_[on]);
    if (zeros > 0) total += zeros * portable_log1p(-p_[on]);
  }
  return total;
}

std::vector<std::uint64_t> ResponseBits::outputs() const {
  ASSAY_CHECK(bits_ <= 20, "at most 2^20 outputs");
  std::vector<std::uint64_t> out(std::size_t{1} << bits_);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::vector<double> ResponseBits::log_pmf(std::uint64_t set) const {
  const auto all = outputs();
  std::vector<double> out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) out[i] = log_probability(all[i], set);
  return out;
}

template std::uint64_t ResponseBits::release(std::uint64_t, ReplayStream&) const;
template void ResponseBits::release_many(std::uint64_t, ReplayStream&, std::span<double>) const;
template std::uint64_t ResponseBits::release(std::uint64_t, SecureStream&) const;
template void ResponseBits::release_many(std::uint64_t, SecureStream&, std::span<double>) const;

}  // namespace assay::detail
