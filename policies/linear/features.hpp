// The arms' features: K vectors a_1..a_K in R^d, public, under which the mean reward of arm i is
// <a_i, theta>.
//
//   sphere   directions that are uniform on the unit sphere, drawn from `seed`                  (1)
//   basis    the unit vectors: no arm gives information about another; needs K = d             (2)
//   line     (0, 1), (0, 0.9), (10, 0), then (1, w), w uniform on [0, 0.8]; needs d = 2: the arms
//            of the paper's Figure 1                                                            (3)
//   given    the caller passes them; no configuration makes them
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), section 5, for (3).
// Threads: values. The same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::int64_t kMostArms = 100'000;
inline constexpr std::int64_t kMostDimension = 64;

// The vectors, stored one after another: values[arm * dimension + entry].
struct ArmFeatures {
  std::int64_t arms = 0;
  std::int64_t dimension = 0;
  std::vector<double> values;

  std::span<const double> of(std::int64_t arm) const {
    return std::span(values).subspan(static_cast<std::size_t>(arm * dimension),
                                     static_cast<std::size_t>(dimension));
  }
  std::span<double> of(std::int64_t arm) {
    return std::span(values).subspan(static_cast<std::size_t>(arm * dimension),
                                     static_cast<std::size_t>(dimension));
  }
  friend bool operator==(const ArmFeatures&, const ArmFeatures&) = default;
};

// Errors: arms not 2 to kMostArms, features not 1 to kMostDimension, a feature beyond 1e100, an arm without a
// feature of at least 1e-100. The message names the arm and the feature, counted from 0.
Status check_features(const ArmFeatures& features);

// Reads a file. Each line is an arm, with its d features separated by commas; the first line fixes d. Comments, line
// ends and blank lines are as in inputs/loss_sequence.hpp. Every error names the file, the line, the
// column and what is allowed there.
Result<ArmFeatures> read_features(const std::string& path);

// Makes the policy P of a configuration. If a file is named, the features of the arms come from the file.
template <class P>
Result<P> create_with_features(const typename P::Config& config,
                               const std::optional<std::string>& file) {
  if constexpr (requires(const ArmFeatures& features) { P::create(config, features); }) {
    if (file) {
      const auto features = ASSAY_TRY(read_features(*file));
      return P::create(config, features);
    }
  }
  return P::create(config);
}

enum class FeatureKind { kSphere, kBasis, kLine, kGiven };
constexpr std::array<std::pair<FeatureKind, std::string_view>, 4> enum_names(FeatureKind) {
  return {{{FeatureKind::kSphere, "sphere"},
           {FeatureKind::kBasis, "basis"},
           {FeatureKind::kLine, "line"},
           {FeatureKind::kGiven, "given"}}};
}

// The features (1) to (3). Errors: sizes out of range or not possible for the kind; kGiven.
Result<ArmFeatures> generated_features(FeatureKind kind, std::int64_t arms, std::int64_t dimension,
                                       std::uint64_t seed);

std::vector<int> all_arms(std::int64_t arms);  // 0, 1, ..

namespace detail {

// The inner product, summed in order.
inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace detail
}  // namespace assay
