#include "assay/mechanisms/release/rappor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay::detail {
namespace {

// P(word < threshold) = p to 2^-64; 1 is handled apart.
bool draw_bit(double p, std::uint64_t word) {
  return p >= 1.0 || word < static_cast<std::uint64_t>(p * 0x1p64);
}

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t i = count; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

}  // namespace

std::uint32_t murmur3(std::string_view text, std::uint32_t seed) {
  constexpr std::uint32_t kC1 = 0xcc9e2d51u;
  constexpr std::uint32_t kC2 = 0x1b873593u;
  std::uint32_t hash = seed;
  const auto scramble = [](std::uint32_t k) { return std::rotl(k * kC1, 15) * kC2; };
  std::size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    hash ^= scramble(static_cast<std::uint32_t>(load(text.data() + i, 4)));
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64u;
  }
  if (i < text.size()) {
    hash ^= scramble(static_cast<std::uint32_t>(load(text.data() + i, text.size() - i)));
  }
  hash ^= static_cast<std::uint32_t>(text.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

FilterResponse::FilterResponse(std::int64_t bits, std::int64_t hashes, double p_one, double p_zero)
    : bits_(static_cast<int>(bits)), hashes_(static_cast<int>(hashes)), p_{p_zero, p_one} {}

std::uint64_t FilterResponse::filter(std::int64_t value) const {
  const std::string text = std::to_string(value);
  std::uint64_t out = 0;
  for (int i = 0; i < hashes_; ++i) {
    const auto hash =
        std::int64_t{static_cast<std::int32_t>(murmur3(text, static_cast<std::uint32_t>(i)))};
    out |= std::uint64_t{1} << (((hash % bits_) + bits_) % bits_);  // (1)
  }
  return out;
}

template <RandomSource R>
std::uint64_t FilterResponse::release(std::int64_t value, R& random) const {
  const std::uint64_t set = filter(value);
  std::uint64_t out = 0;
  for (int j = 0; j < bits_; ++j) {
    out |= std::uint64_t{draw_bit(p_[set >> j & 1], random.next())} << j;
  }
  return out;
}

template <RandomSource R>
void FilterResponse::release_many(std::int64_t value, R& random, std::span<double> out) const {
  const auto bits = static_cast<std::size_t>(bits_);
  ASSAY_CHECK(out.size() % bits == 0, "whole releases");
  const std::uint64_t set = filter(value);
  std::uint64_t threshold[64];
  bool always[64];
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

double FilterResponse::log_probability(std::uint64_t output, std::int64_t value) const {
  const std::uint64_t set = filter(value);
  const std::uint64_t mask = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
  double total = 0.0;
  for (int on = 0; on < 2; ++on) {
    const std::uint64_t here = on != 0 ? set : ~set & mask;
    const int ones = std::popcount(here & output);
    const int zeros = std::popcount(here & ~output);
    if (ones > 0) total += ones * portable_log(p_[on]);  // (4)
    if (zeros > 0) total += zeros * portable_log1p(-p_[on]);
  }
  return total;
}

std::vector<std::uint64_t> FilterResponse::outputs() const {
  ASSAY_CHECK(bits_ <= 20, "at most 2^20 outputs");
  std::vector<std::uint64_t> out(std::size_t{1} << bits_);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::vector<double> FilterResponse::log_pmf(std::int64_t value) const {
  auto all = outputs();
  std::vector<double> out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) out[i] = log_probability(all[i], value);
  return out;
}

namespace {

struct BitLosses {
  double one;   // a
  double zero;  // b
};

BitLosses bit_losses(double p_zero, double p_one) {
  if (p_one == p_zero) return {0.0, 0.0};
  return {std::abs(portable_log(p_one / p_zero)),
          std::abs(portable_log((1.0 - p_zero) / (1.0 - p_one)))};
}

}  // namespace

double FilterResponse::pair_epsilon(std::int64_t v, std::int64_t w) const {
  const auto [a, b] = bit_losses(p_[0], p_[1]);
  const double first = std::popcount(filter(v) & ~filter(w));
  const double second = std::popcount(filter(w) & ~filter(v));
  const auto times = [](double count, double loss) { return count > 0.0 ? count * loss : 0.0; };
  return std::max(times(first, a) + times(second, b), times(first, b) + times(second, a));
}

double FilterResponse::epsilon() const {
  const auto [a, b] = bit_losses(p_[0], p_[1]);
  return hashes_ * (a + b);  // (5)
}

template std::uint64_t FilterResponse::release(std::int64_t, ReplayStream&) const;
template void FilterResponse::release_many(std::int64_t, ReplayStream&, std::span<double>) const;
template std::uint64_t FilterResponse::release(std::int64_t, SecureStream&) const;
template void FilterResponse::release_many(std::int64_t, SecureStream&, std::span<double>) const;

}  // namespace assay::detail
