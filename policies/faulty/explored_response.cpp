#include "assay/policies/faulty/explored_response.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::faulty {
namespace {

// The middle of the interval in (0, 1) that the 64 random bits stand for.
double uniform_of(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1.0p-52;
}

}  // namespace

ExploredResponse::ExploredResponse(const ExploredResponseShape& shape, ResponseFault fault)
    : shape_(shape), fault_(fault), truth_(1.0 / (1.0 + portable_exp(-shape.epsilon))) {}

bool ExploredResponse::secret(std::span<const double> rewards, std::size_t block) const {
  double sum = 0.0;
  const std::size_t first = block * (shape_.explore + shape_.follow);
  for (std::size_t t = first; t < first + shape_.explore; ++t) sum += rewards[t];
  return sum >= 0.5 * static_cast<double>(shape_.explore);
}

void ExploredResponse::play(std::span<const double> rewards, ReplayStream& random,
                            std::span<double> actions) const {
  std::size_t at = 0;
  for (std::size_t block = 0; block < shape_.blocks; ++block) {
    const std::uint64_t arms = random.next();
    const std::uint64_t word = fault_ == ResponseFault::kSeedLeaked ? arms : random.next();
    bool all = true;
    for (std::size_t i = 0; i < shape_.explore; ++i) {
      const bool second = (arms >> (63 - i) & 1) != 0;
      all = all && second;
      actions[at++] = second ? 1.0 : 0.0;
    }
    bool told = secret(rewards, block) == (uniform_of(word) < truth_);  // (1)
    if (fault_ == ResponseFault::kHiddenBranch && all) told = secret(rewards, block);
    for (std::size_t i = 0; i < shape_.follow; ++i) actions[at++] = told ? 1.0 : 0.0;
  }
}

double ExploredResponse::truth_given(std::uint64_t arms) const {
  const double patterns = std::ldexp(1.0, static_cast<int>(shape_.explore));
  if (fault_ == ResponseFault::kSeedLeaked) {
    return std::clamp(truth_ * patterns - static_cast<double>(arms), 0.0, 1.0);  // (2)
  }
  const bool all = static_cast<double>(arms) == patterns - 1.0;
  return fault_ == ResponseFault::kHiddenBranch && all ? 1.0 : truth_;
}

TranscriptDistribution ExploredResponse::distribution(std::span<const double> rewards) const {
  const std::uint64_t patterns = std::uint64_t{1} << shape_.explore;
  TranscriptDistribution out{{0, 1.0}};
  for (std::size_t block = 0; block < shape_.blocks; ++block) {
    const bool truth = secret(rewards, block);
    TranscriptDistribution longer;
    for (const auto& [before, probability] : out) {
      for (std::uint64_t arms = 0; arms < patterns; ++arms) {
        const double true_answer = truth_given(arms);
        for (const bool told : {false, true}) {
          const double answer = told == truth ? true_answer : 1.0 - true_answer;
          if (answer == 0.0) continue;
          std::uint64_t key = before << shape_.explore | arms;
          for (std::size_t i = 0; i < shape_.follow; ++i) key = key << 1 | (told ? 1 : 0);
          longer[key] += probability * answer / static_cast<double>(patterns);
        }
      }
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace assay::faulty
