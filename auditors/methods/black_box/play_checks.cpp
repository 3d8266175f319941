#include "assay/auditors/methods/black_box/play_checks.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/methods/black_box/features.hpp"

namespace assay {
namespace {

constexpr int kInstances = 8;
constexpr int kMessages = 2;       // an instance
constexpr int kPlays = 16;         // a message
constexpr int kEnoughLarger = 20;  // regroupings, after which a p-value is settled

// Columns to mean 0 and variance 1; values that are not finite go to a far place of their own.
void standardise(std::vector<double>& rows, std::size_t columns) {
  const double count = static_cast<double>(rows.size() / columns);
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = c; i < rows.size(); i += columns) {
      if (!std::isfinite(rows[i]))
        rows[i] = std::isnan(rows[i]) ? 0.0 : std::copysign(1e6, rows[i]);
      rows[i] = std::clamp(rows[i], -1e6, 1e6);
      mean += rows[i] / count;
    }
    for (std::size_t i = c; i < rows.size(); i += columns) {
      rows[i] -= mean;
      square += rows[i] * rows[i] / count;
    }
    const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    for (std::size_t i = c; i < rows.size(); i += columns) rows[i] *= scale;
  }
}

// Sum over groups and columns of (sum in the group)^2; group sizes are equal or nearly so.
double between_groups(const std::vector<double>& rows, std::size_t columns,
                      const std::vector<int>& groups, std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t r = 0; r < groups.size(); ++r) {
    double* sum = sums.data() + static_cast<std::size_t>(groups[r]) * columns;
    const double* row = rows.data() + r * columns;
    for (std::size_t c = 0; c < columns; ++c) sum[c] += row[c];
  }
  double total = 0.0;
  for (const double s : sums) total += s * s;
  return total;
}

void shuffle(std::vector<int>& groups, ReplayStream& random) {
  for (std::size_t i = groups.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(random.uniform() * static_cast<double>(i));
    std::swap(groups[i - 1], groups[std::min(j, i - 1)]);
  }
}

struct Sampled {
  OutputBatch outputs;
  std::vector<int> message;  // of each play
  std::vector<int> place;    // of each play within its instance
};

Result<Sampled> sample(const Target& target, const InputTable& input, std::uint64_t seed) {
  Sampled out;
  out.outputs.width = target.shape().width();
  for (int instance = 0; instance < kInstances; ++instance) {
    auto fresh = target.clone();
    if (!fresh) return tl::make_unexpected(fresh.error());
    for (int m = 0; m < kMessages; ++m) {
      const std::int64_t first = (instance * kMessages + m) * kPlays;
      const auto batch = (*fresh)->play(
          input, play_seeds({seed, "independence", 0, Phase::kCalibrate}, first, kPlays));
      if (!batch) return tl::make_unexpected(batch.error());
      out.outputs.values.insert(out.outputs.values.end(), batch->values.begin(),
                                batch->values.end());
      out.outputs.count += batch->count;
      for (int i = 0; i < kPlays; ++i) {
        out.message.push_back(instance * kMessages + m);
        out.place.push_back(m * kPlays + i);
      }
    }
  }
  return out;
}

bool same_values(const OutputBatch& a, const OutputBatch& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

double grouping_p_value(const std::vector<double>& rows, std::size_t columns,
                        const std::vector<int>& groups, int regroupings, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end()) + 1);
  std::vector<double> sums(count * columns);
  const double seen = between_groups(rows, columns, groups, sums);
  ReplayStream random({seed, hash_purpose("regrouping"), 0, 0, Phase::kCalibrate});
  std::vector<int> shuffled = groups;
  int larger = 0;
  for (int i = 0; i < regroupings; ++i) {
    shuffle(shuffled, random);
    // A tie up to rounding counts as larger: outputs that never vary are no evidence.
    if (between_groups(rows, columns, shuffled, sums) < seen * (1.0 - 1e-9)) continue;
    if (++larger == kEnoughLarger) return static_cast<double>(larger) / (1.0 + i);
  }
  return (1.0 + larger) / (1.0 + regroupings);
}

Result<PlayChecks> check_plays(const Target& target, const InputTable& input, bool promises_seeds,
                               double alpha, std::uint64_t seed) {
  const auto sampled = sample(target, input, seed);
  if (!sampled) return tl::make_unexpected(sampled.error());
  PlayChecks result;
  const OutputFeatures features(target.shape(), 0);
  std::vector<double> rows(static_cast<std::size_t>(sampled->outputs.count) * features.size());
  for (std::int64_t i = 0; i < sampled->outputs.count; ++i) {
    features.write(
        sampled->outputs.play(i),
        std::span(rows).subspan(static_cast<std::size_t>(i) * features.size(), features.size()));
  }
  standardise(rows, features.size());
  const int regroupings = static_cast<int>(std::min(1e5, 2.0 * std::ceil(2.0 / alpha)));
  const auto test = [&](const char* name, const char* meaning, const std::vector<int>& groups,
                        std::uint64_t lane) {
    const double p = grouping_p_value(rows, features.size(), groups, regroupings, seed + lane);
    const bool passed = p > alpha / 2.0;
    result.checks.push_back({name, meaning, 1.0 / p, 2.0 / alpha, passed});
    result.independent = result.independent && passed;
  };
  test("independent plays", "plays of one message or process are no more alike than others",
       sampled->message, 1);
  test("fresh randomness", "plays at the same place of different processes are no more alike",
       sampled->place, 2);
  const auto seeds = play_seeds({seed, "independence", 0, Phase::kCalibrate}, 0, kPlays);
  auto again = target.clone();
  if (!again) return tl::make_unexpected(again.error());
  const auto repeated = (*again)->play(input, seeds);
  if (!repeated) return tl::make_unexpected(repeated.error());
  OutputBatch first{kPlays, sampled->outputs.width, {}};
  first.values.assign(sampled->outputs.values.begin(),
                      sampled->outputs.values.begin() + kPlays * sampled->outputs.width);
  result.seeded = same_values(first, *repeated);
  if (promises_seeds || result.seeded) {
    result.checks.push_back({"seeds",
                             result.seeded
                                 ? "the same seeds gave the same outputs in another process"
                                 : "it promises that plays are functions of their seeds, but the "
                                   "same seeds gave other outputs in another process",
                             1.0, 1.0, result.seeded});
  }
  return result;
}

}  // namespace assay
