#include "assay/policies/linear/features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/internal/data_lines.hpp"

namespace assay {
namespace {

// Products of a few such numbers stay finite.
constexpr double kLargestFeature = 1e100;
constexpr double kLeastFeature = 1e-100;  // for the largest of an arm: squares do not vanish

Status check_sizes(std::int64_t arms, std::int64_t dimension) {
  ASSAY_TRY(check_whole("arms", arms, 2, kMostArms));
  return check_whole("dimension", dimension, 1, kMostDimension);
}

bool is_feature(double value) { return std::fabs(value) <= kLargestFeature; }

void draw_direction(ReplayStream& random, std::span<double> out) {
  const Gaussian normal = Gaussian::create(0.0, 1.0).value();
  double squares = 0.0;
  for (double& entry : out) {
    entry = normal.sample(random);
    squares += entry * entry;
  }
  const double norm = std::sqrt(squares);
  for (double& entry : out) entry /= norm;
}

void set_line_arm(std::int64_t arm, ReplayStream& random, std::span<double> out) {
  constexpr double kFirst[3][2] = {{0.0, 1.0}, {0.0, 0.9}, {10.0, 0.0}};
  if (arm < 3) {
    std::copy(kFirst[arm], kFirst[arm] + 2, out.begin());
  } else {
    out[0] = 1.0;
    out[1] = 0.8 * random.uniform();
  }
}

Status append_features(const std::string& path, const detail::DataLine& line,
                       std::span<const std::string> fields, std::vector<double>& values) {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const std::string column = "column " + std::to_string(j + 1) + " ";
    const auto value = parse_number(fields[j]);
    if (!value) return fail(ErrorCode::kParse, column + value.error().message, path, line.number);
    if (!is_feature(*value)) {
      return fail(ErrorCode::kInvalidArgument, column + "must be -1e100 to 1e100, not " + fields[j],
                  path, line.number);
    }
    values.push_back(*value);
  }
  return {};
}

}  // namespace

Status check_features(const ArmFeatures& features) {
  ASSAY_TRY(check_sizes(features.arms, features.dimension));
  if (static_cast<std::int64_t>(features.values.size()) != features.arms * features.dimension) {
    return fail(ErrorCode::kInvalidArgument,
                "features must hold " + std::to_string(features.arms * features.dimension) +
                    " numbers, not " + std::to_string(features.values.size()),
                "/features");
  }
  for (std::size_t k = 0; k < features.values.size(); ++k) {
    if (is_feature(features.values[k])) continue;
    const auto d = static_cast<std::size_t>(features.dimension);
    return fail(ErrorCode::kInvalidArgument,
                "feature " + std::to_string(k % d) + " of arm " + std::to_string(k / d) +
                    " must be -1e100 to 1e100, not " + number_text(features.values[k]),
                "/features");
  }
  for (std::int64_t arm = 0; arm < features.arms; ++arm) {
    const auto entries = features.of(arm);
    const auto counts = [](double value) { return std::fabs(value) >= kLeastFeature; };
    if (std::any_of(entries.begin(), entries.end(), counts)) continue;
    return fail(ErrorCode::kInvalidArgument,
                "the features of arm " + std::to_string(arm) +
                    " must not all be 0, nor all below 1e-100 in size",
                "/features");
  }
  return {};
}

Result<ArmFeatures> read_features(const std::string& path) {
  const auto lines = ASSAY_TRY(detail::read_data_lines(path, kMostArms));
  ArmFeatures features;
  for (const auto& line : lines) {
    const auto fields = detail::split_fields(line.text);
    if (!fields) {
      return fail(ErrorCode::kParse, "has a quote that is not closed", path, line.number);
    }
    const auto count = static_cast<std::int64_t>(fields->size());
    if (features.dimension == 0) features.dimension = count;
    if (count != features.dimension) {
      return fail(ErrorCode::kParse,
                  "has " + std::to_string(count) + " features; the first line has " +
                      std::to_string(features.dimension),
                  path, line.number);
    }
    if (count > kMostDimension || features.arms == kMostArms) {
      return fail(ErrorCode::kLimit,
                  "is too much: at most " + std::to_string(kMostArms) + " arms of " +
                      std::to_string(kMostDimension) + " features are allowed",
                  path, line.number);
    }
    ASSAY_TRY(append_features(path, line, *fields, features.values));
    ++features.arms;
  }
  if (features.arms < 2) {
    return fail(ErrorCode::kParse,
                "holds " + std::to_string(features.arms) +
                    " arms; at least two lines, one per arm, are needed",
                path);
  }
  if (auto status = check_features(features); !status) {
    return fail(status.error().code, status.error().message, path);
  }
  return features;
}

Result<ArmFeatures> generated_features(FeatureKind kind, std::int64_t arms, std::int64_t dimension,
                                       std::uint64_t seed) {
  ASSAY_TRY(check_sizes(arms, dimension));
  if (kind == FeatureKind::kBasis && arms != dimension) {
    return fail(ErrorCode::kInvalidArgument,
                "features = basis needs dimension = arms; dimension is " +
                    std::to_string(dimension) + ", arms is " + std::to_string(arms),
                "/dimension");
  }
  if (kind == FeatureKind::kLine && dimension != 2) {
    return fail(ErrorCode::kInvalidArgument,
                "features = line needs dimension = 2, not " + std::to_string(dimension),
                "/dimension");
  }
  if (kind == FeatureKind::kGiven) {
    return fail(ErrorCode::kInvalidArgument,
                "features = given means that the features are not generated: they must be passed",
                "/features");
  }
  ArmFeatures features{arms, dimension,
                       std::vector<double>(static_cast<std::size_t>(arms * dimension), 0.0)};
  ReplayStream random({.seed = seed, .purpose = hash_purpose("best-arm/features")});
  for (std::int64_t arm = 0; arm < arms; ++arm) {
    const auto entries = features.of(arm);
    switch (kind) {
      case FeatureKind::kSphere:
        draw_direction(random, entries);  // (1)
        break;
      case FeatureKind::kBasis:
        entries[static_cast<std::size_t>(arm)] = 1.0;  // (2)
        break;
      case FeatureKind::kLine:
        set_line_arm(arm, random, entries);  // (3)
        break;
      case FeatureKind::kGiven:
        break;
    }
  }
  return features;
}

std::vector<int> all_arms(std::int64_t arms) {
  std::vector<int> all(static_cast<std::size_t>(arms));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace assay
