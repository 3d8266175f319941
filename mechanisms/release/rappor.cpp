#include "assay/mechanisms/release/rappor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

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

FilterResponse::FilterResponse(std::int64_t filter_bits, std::int64_t hashes, double p_one,
                               double p_zero)
    : bits(filter_bits, p_one, p_zero),
      filter_bits_(static_cast<int>(filter_bits)),
      hashes_(static_cast<int>(hashes)) {}

std::uint64_t FilterResponse::filter(std::int64_t value) const {
  const std::string text = std::to_string(value);
  std::uint64_t out = 0;
  for (int i = 0; i < hashes_; ++i) {
    const auto hash =
        std::int64_t{static_cast<std::int32_t>(murmur3(text, static_cast<std::uint32_t>(i)))};
    out |= std::uint64_t{1} << (((hash % filter_bits_) + filter_bits_) % filter_bits_);  // (1)
  }
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
  const auto [a, b] = bit_losses(bits.p_zero(), bits.p_one());
  const double first = std::popcount(filter(v) & ~filter(w));
  const double second = std::popcount(filter(w) & ~filter(v));
  const auto times = [](double count, double loss) { return count > 0.0 ? count * loss : 0.0; };
  return std::max(times(first, a) + times(second, b), times(first, b) + times(second, a));
}

double FilterResponse::epsilon() const {
  const auto [a, b] = bit_losses(bits.p_zero(), bits.p_one());
  return hashes_ * (a + b);  // (5)
}

}  // namespace assay::detail
