#include "assay/policies/dueling/preference_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLargestScore = 1e100;

std::string place_text(std::int64_t i, std::int64_t j) {
  return "the preference in row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
         " ";
}

bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

PreferenceMatrix halves(std::int64_t arms) {
  return {arms, std::vector<double>(static_cast<std::size_t>(arms * arms), 0.5)};
}

// The whole matrix from its entries above the diagonal.
template <class Above>
PreferenceMatrix from_above(std::int64_t arms, const Above& above) {
  PreferenceMatrix out = halves(arms);
  for (std::int64_t i = 0; i < arms; ++i) {
    for (std::int64_t j = i + 1; j < arms; ++j) {
      const double p = above(i, j);
      out.values[static_cast<std::size_t>(i * arms + j)] = p;
      out.values[static_cast<std::size_t>(j * arms + i)] = 1.0 - p;
    }
  }
  return out;
}

}  // namespace

Status check_preferences(const PreferenceMatrix& preferences) {
  const std::int64_t arms = preferences.arms;
  ASSAY_TRY(check_whole("arms", arms, 2, kMostDuelingArms));
  if (static_cast<std::int64_t>(preferences.values.size()) != arms * arms) {
    return fail(ErrorCode::kInvalidArgument,
                "preferences must hold " + std::to_string(arms * arms) + " numbers, not " +
                    std::to_string(preferences.values.size()),
                "/preferences");
  }
  const auto wrong = [](std::int64_t i, std::int64_t j, const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, place_text(i, j) + what, "/preferences");
  };
  for (std::int64_t i = 0; i < arms; ++i) {
    for (std::int64_t j = 0; j < arms; ++j) {
      const double p = preferences.of(i, j);
      if (!is_probability(p)) return wrong(i, j, "must be 0 to 1, not " + number_text(p));
      if (i == j && !(std::fabs(p - 0.5) <= kPreferenceTolerance)) {
        return wrong(i, j, "must be 0.5, an arm against itself, not " + number_text(p));
      }
      if (i <= j) continue;
      const double other = preferences.of(j, i);
      if (!(std::fabs(p + other - 1.0) <= kPreferenceTolerance)) {
        return wrong(i, j,
                     "must be " + number_text(1.0 - other) + ", 1 minus that in row " +
                         std::to_string(j + 1) + ", column " + std::to_string(i + 1) + ", not " +
                         number_text(p));
      }
    }
  }
  return {};
}

Result<PreferenceMatrix> preferences_of_scores(std::span<const double> scores) {
  const auto arms = static_cast<std::int64_t>(scores.size());
  ASSAY_TRY(check_whole("arms", arms, 2, kMostDuelingArms));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::fabs(scores[i]) <= kLargestScore) continue;
    return fail(ErrorCode::kInvalidArgument,
                "the score of arm " + std::to_string(i) + " must be -1e100 to 1e100, not " +
                    number_text(scores[i]),
                "/scores");
  }
  return from_above(arms, [&](std::int64_t i, std::int64_t j) {
    return logistic(scores[static_cast<std::size_t>(i)] -
                    scores[static_cast<std::size_t>(j)]);  // (2)
  });
}

Result<std::vector<double>> linear_scores(const ArmFeatures& features,
                                          std::span<const double> weights) {
  ASSAY_TRY(check_features(features));
  if (static_cast<std::int64_t>(weights.size()) != features.dimension) {
    return fail(ErrorCode::kInvalidArgument,
                "weights must hold " + std::to_string(features.dimension) + " numbers, not " +
                    std::to_string(weights.size()),
                "/weights");
  }
  std::vector<double> scores;
  for (std::int64_t i = 0; i < features.arms; ++i) {
    scores.push_back(detail::dot(weights, features.of(i)));
  }
  return scores;
}

Result<PreferenceMatrix> arithmetic_preferences(std::int64_t arms, double step) {
  ASSAY_TRY(check_whole("arms", arms, 2, kMostDuelingArms));
  const double most = 0.5 / static_cast<double>(arms - 1);
  if (!(step > 0.0 && step <= most)) {
    return fail(ErrorCode::kInvalidArgument,
                "step must be above 0 and at most 1/2 over arms - 1, " + number_text(most) +
                    " for arms = " + std::to_string(arms) + ", not " + number_text(step),
                "/step");
  }
  return from_above(arms, [&](std::int64_t i, std::int64_t j) {
    return std::fmin(1.0, 0.5 + step * static_cast<double>(j - i));  // (3)
  });
}

double logistic(double x) {
  return x >= 0.0 ? 1.0 / (1.0 + portable_exp(-x)) : 1.0 - 1.0 / (1.0 + portable_exp(x));
}

}  // namespace assay
