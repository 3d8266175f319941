#include "assay/mechanisms/idealized/peeling.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay::idealized {
namespace {

constexpr std::size_t kBuckets = 64;

// z with log F(z) = log_p for the standard Laplace distribution.
double laplace_from_log(double log_p) {
  if (log_p < -kLog2) return log_p + kLog2;
  return -(kLog2 + portable_log(-portable_expm1(log_p)));
}

// Coordinates of similar size, with a bound on their sizes.
struct Bucket {
  std::vector<std::int64_t> members;
  double largest = -kInfinity;
};

std::vector<Bucket> buckets_of(std::span<const double> sizes, double scale) {
  const double most = *std::max_element(sizes.begin(), sizes.end());
  std::vector<Bucket> buckets(kBuckets);
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const double depth = std::min((most - sizes[j]) / scale, static_cast<double>(kBuckets - 1));
    Bucket& bucket = buckets[static_cast<std::size_t>(depth)];
    bucket.members.push_back(static_cast<std::int64_t>(j));
    bucket.largest = std::max(bucket.largest, sizes[j]);
  }
  return buckets;
}

struct Winner {
  double value = -kInfinity;
  std::size_t bucket = 0;
  std::size_t member = 0;
};

// The noises of one bucket, the largest first, until none of the remaining ones can win.
template <RandomSource R>
void draw_bucket(std::span<const double> sizes, double scale, std::size_t index, Bucket& bucket,
                 R& random, Winner& best) {
  double log_p = 0.0;
  for (std::size_t left = bucket.members.size(); left > 0; --left) {
    log_p += assay::detail::log_midpoint(random.next(), 64) / static_cast<double>(left);  // (5)
    const double noise = scale * laplace_from_log(log_p);
    if (bucket.largest + noise < best.value) return;
    const std::size_t member = static_cast<std::size_t>(uniform_below(random, left));
    const std::int64_t j = bucket.members[member];
    const double value = sizes[static_cast<std::size_t>(j)] + noise;
    // Drawn indices move behind the remaining ones, so the best found must be located again.
    std::swap(bucket.members[member], bucket.members[left - 1]);
    if (value > best.value) best = {value, index, left - 1};
  }
}

template <RandomSource R>
std::int64_t take_winner(std::span<const double> sizes, double scale, std::vector<Bucket>& buckets,
                         R& random) {
  Winner best;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    draw_bucket(sizes, scale, b, buckets[b], random, best);
  }
  auto& members = buckets[best.bucket].members;
  const std::int64_t winner = members[best.member];
  members[best.member] = members.back();
  members.pop_back();
  return winner;  // (1)
}

std::vector<double> sizes_of(std::span<const double> input) {
  std::vector<double> sizes;
  sizes.reserve(input.size());
  for (const double x : input) sizes.push_back(std::abs(x));
  return sizes;
}

// The levels of all releases at `scale`, added: a bound at any delta.
double summed_epsilon(const PeelingConfig& config, double scale) {
  const double each = config.values ? 3.0 : 2.0;
  return (assay::detail::Enclosure(config.sensitivity) / scale *
          (each * static_cast<double>(config.rounds)))
      .high;
}

// The least epsilon at which the certificates allow `scale`, rounded up to 1e-6 of it.
double certified_epsilon(const PeelingConfig& config, double scale) {
  const Peeling peeling{config.rounds, config.sensitivity, config.values};
  const auto allowed = [&](double epsilon) {
    const auto least = peeling_scale({Epsilon{epsilon}, Delta{config.delta}}, peeling);
    return least && least->value.value <= scale;
  };
  double high = 1e6;
  double low = 1e-9;
  if (allowed(low)) return low;
  if (!allowed(high)) return summed_epsilon(config, scale);
  while (high > low * (1.0 + 1e-6)) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (allowed(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Result<PeelingMechanism> PeelingMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  if (config.rounds > config.coordinates) {
    return fail(ErrorCode::kInvalidArgument,
                "rounds must be 1 to coordinates = " + std::to_string(config.coordinates) +
                    ", not " + std::to_string(config.rounds),
                "/rounds");
  }
  double scale = config.scale;
  if (scale == 0.0) {
    const auto least =
        ASSAY_TRY(peeling_scale({Epsilon{config.epsilon}, Delta{config.delta}},
                                Peeling{config.rounds, config.sensitivity, config.values}));  // (3)
    scale = least.value.value;
  }
  if (!std::isfinite(summed_epsilon(config, scale))) {
    return fail(ErrorCode::kInvalidArgument,
                "scale must be large enough for a finite epsilon, not " + number_text(scale),
                "/scale");
  }
  const auto noise = ASSAY_TRY(Laplace::create(0.0, scale));
  return PeelingMechanism(config, noise);
}

template <RandomSource R>
PeelingOutput PeelingMechanism::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite entry per coordinate");
  const auto sizes = sizes_of(input);
  auto buckets = buckets_of(sizes, noise_.scale());
  Output output;
  for (std::int64_t round = 0; round < config_.rounds; ++round) {
    output.indices.push_back(take_winner(sizes, noise_.scale(), buckets, random));
  }
  if (!config_.values) return output;
  for (const std::int64_t j : output.indices) {
    output.values.push_back(input[static_cast<std::size_t>(j)] + noise_.sample(random));  // (2)
  }
  return output;
}

double PeelingMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite entry per coordinate");
  const auto rounds = static_cast<std::size_t>(config_.rounds);
  if (output.indices.size() != rounds) return -kInfinity;
  if (output.values.size() != (config_.values ? rounds : 0)) return -kInfinity;
  auto sizes = sizes_of(input);
  std::vector<std::int64_t> left(sizes.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] = static_cast<std::int64_t>(j);
  double total = 0.0;
  for (std::size_t r = 0; r < rounds; ++r) {
    const auto at = std::lower_bound(left.begin(), left.end(), output.indices[r]);
    if (at == left.end() || *at != output.indices[r]) return -kInfinity;
    const auto place = at - left.begin();
    total += noisy_max_log_probability(noise_, sizes, static_cast<std::size_t>(place));
    if (config_.values) {
      const double value = input[static_cast<std::size_t>(*at)];
      total += noise_.log_density(output.values[r] - value);  // (4)
    }
    left.erase(at);
    sizes.erase(sizes.begin() + place);
  }
  return total;
}

Guarantee PeelingMechanism::guarantee() const {
  const double epsilon =
      config_.scale == 0.0 ? config_.epsilon : certified_epsilon(config_, config_.scale);
  PrivacyLevel level = PureDp{Epsilon{epsilon}};
  if (config_.delta > 0.0) level = ApproximateDp{Epsilon{epsilon}, Delta{config_.delta}};
  return {level, config_.sensitivity == 1.0 ? Relation::kAllAnswers : Relation::kReplaceOneRecord,
          View::kOutput,
          "adaptive composition of report noisy max and Laplace releases (calibrate.hpp, peeling)"};
}

template PeelingOutput PeelingMechanism::release(const Input&, ReplayStream&) const;
template PeelingOutput PeelingMechanism::release(const Input&, SecureStream&) const;

}  // namespace assay::idealized
