// The noises of report noisy max by name. Mechanisms, calibrators and audits offer the same five.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace assay {

enum class MaxNoise { kLaplace, kExponential, kGumbel, kGaussian, kDiscreteLaplace };
constexpr std::array<std::pair<MaxNoise, std::string_view>, 5> enum_names(MaxNoise) {
  return {{{MaxNoise::kLaplace, "laplace"},
           {MaxNoise::kExponential, "exponential"},
           {MaxNoise::kGumbel, "gumbel"},
           {MaxNoise::kGaussian, "gaussian"},
           {MaxNoise::kDiscreteLaplace, "discrete-laplace"}}};
}

}  // namespace assay
