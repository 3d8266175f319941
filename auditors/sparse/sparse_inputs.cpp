#include "assay/auditors/sparse/sparse_inputs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFewThresholds = 16;
constexpr std::size_t kMostThresholds = 96;

std::int64_t first_round(std::int64_t episode) { return (std::int64_t{1} << episode) - 1; }

// A round in which all arms have the same context and reward.
void fill_round(std::span<double> row, std::int64_t arms, double reward,
                const std::function<double(std::int64_t)>& context) {
  std::fill_n(row.begin(), arms, reward);
  const auto entries = static_cast<std::int64_t>(row.size()) - arms;
  for (std::int64_t k = 0; k < entries; ++k) {
    row[static_cast<std::size_t>(arms + k)] = context(k % (entries / arms));
  }
}

// The weights w of (2), one for each round, at most `most`.
std::vector<std::vector<double>> readings(const std::vector<double>& way,
                                          const std::vector<double>& lifted, std::size_t most,
                                          bool thresholds_first) {
  constexpr double kWidest = 2.7725887222397812;  // log 16
  std::vector<std::vector<double>> out{way};
  const auto add_coordinates = [&] {
    for (std::size_t j = 0; j < way.size() && out.size() < most; ++j) {
      if (way[j] == 0.0) continue;
      out.emplace_back(way.size(), 0.0);
      out.back()[j] = way[j];
    }
  };
  if (!thresholds_first) add_coordinates();
  bool both = false;
  for (std::size_t j = 0; j < way.size(); ++j) both |= way[j] * lifted[j] < 0.0;
  const std::size_t thresholds = both ? std::min(most - out.size(), kMostThresholds) : 0;
  for (std::size_t k = 0; k < thresholds; ++k) {
    const double place = (static_cast<double>(k) + 0.5) / static_cast<double>(thresholds);
    const double share = portable_exp(kWidest * (2.0 * place - 1.0));
    auto w = way;
    for (std::size_t j = 0; j < way.size(); ++j) {
      const bool shrinks = way[j] * lifted[j] < 0.0;
      w[j] *= shrinks ? std::min(share, 1.0) : std::min(1.0 / share, 1.0);  // within x_max
    }
    out.push_back(std::move(w));
  }
  if (thresholds_first) add_coordinates();
  return out;
}

// The lift that brings sizes to `scales` scales of the noise.
double lift_to(const EpisodesConfig& config, const ReadEpisode& read, double scales) {
  const double n = static_cast<double>(std::int64_t{1} << read.episode);
  const double whole = config.step * loss_slope(config.loss) * config.x_max *
                       episode_reward_clip(config, std::int64_t{1} << read.episode) * (n - 1.0) / n;
  // At least the distance that the changed record moves, so that no sign turns.
  const double least = n > 1.0 ? 1.0 / (n - 1.0) : 1.0;
  return whole > 0.0 ? std::clamp(scales * read.scale / whole, std::min(least, 1.0), 1.0) : 1.0;
}

}  // namespace

InputPair sparse_pair(const EpisodesConfig& config, const SparseDesign& design) {
  const std::int64_t n = std::int64_t{1} << design.episode;
  const double most = episode_reward_clip(config, n);
  const bool split = design.record == ChangedRecord::kSplit;
  const std::int64_t kept = config.sparsity / 2;  // of a split: D and D' share these
  const auto orientation = [&](std::int64_t j) {
    return j >= design.used ? 0.0 : j < design.up ? 1.0 : -1.0;
  };
  InputTable table =
      InputTable::zeros(config.horizon, config.arms + config.arms * config.dimension);
  const std::int64_t first = first_round(design.episode);
  for (std::int64_t t = first + 1; t < first + n; ++t) {
    fill_round(table.row(t), config.arms, design.lift * most, [&](std::int64_t j) {
      if (split) return j < kept ? config.x_max : 0.0;
      return orientation(j) * config.x_max;  // (1)
    });
  }
  const auto record = [&](std::int64_t j) {
    if (j >= design.used) return 0.0;
    return design.record == ChangedRecord::kAlong ? orientation(j) * config.x_max : config.x_max;
  };
  fill_round(table.row(first), config.arms, split ? -most : most, record);
  Edit edit{first, std::vector<double>(static_cast<std::size_t>(table.columns))};
  fill_round(edit.values, config.arms, -most,
             [&](std::int64_t j) { return split && j >= kept ? -record(j) : record(j); });
  // (2)
  std::vector<double> way, lifted;
  for (std::int64_t j = 0; j < config.dimension; ++j) {
    way.push_back(split ? (j < kept ? 0.0 : -record(j)) : record(j));
    lifted.push_back(split ? 0.0 : design.lift * orientation(j));
  }
  const std::int64_t rounds = std::min(config.horizon, first + 3 * n) - (first + n);
  if (rounds > 0) {
    std::int64_t t = first + n;
    for (const auto& w :
         readings(way, lifted, static_cast<std::size_t>(rounds), design.thresholds_first)) {
      std::copy(w.begin(), w.end(), table.row(t++).begin() + config.arms + config.dimension);
    }
  }
  return InputPair::of(std::move(table), std::move(edit));
}

std::vector<InputPair> hard_sparse_pairs(const SparsePairs& plan) {
  const std::int64_t d = plan.config.dimension;
  std::vector<InputPair> out;
  const auto add = [&](const SparseDesign& design) {
    if (out.size() < plan.most) out.push_back(sparse_pair(plan.config, design));
  };
  const std::int64_t half = (d + 1) / 2;
  for (const ReadEpisode& read : plan.episodes) {
    const std::int64_t episode = read.episode;
    const double lift = lift_to(plan.config, read, 3.0);
    const double less = lift_to(plan.config, read, 1.0);
    add({.episode = episode, .used = d, .up = half, .lift = lift});
    if (less < lift) add({.episode = episode, .used = d, .up = half, .lift = less});
    if ((std::int64_t{2} << episode) < d + kFewThresholds) {
      add({.episode = episode, .used = d, .up = half, .lift = lift, .thresholds_first = true});
    }
    add({.episode = episode, .used = d, .up = d, .lift = 0.0});
    if (plan.config.sparsity == d) continue;
    const std::int64_t s = plan.config.sparsity;
    add({.episode = episode, .record = ChangedRecord::kAlong, .used = s, .up = s, .lift = lift});
    add({.episode = episode, .record = ChangedRecord::kSplit, .used = d, .up = d});
  }
  return out;
}

std::vector<InputPair> sparse_pairs_beside(const SparsePairs& plan,
                                           const std::shared_ptr<const InputTable>& base) {
  std::vector<InputPair> out;
  for (const auto& [episode, scale] : plan.episodes) {
    const double most = episode_reward_clip(plan.config, std::int64_t{1} << episode);
    for (const double reward : {most, -most}) {
      for (const bool alternating : {false, true}) {
        if (out.size() >= plan.most) return out;
        Edit edit{first_round(episode),
                  std::vector<double>(static_cast<std::size_t>(base->columns))};
        fill_round(edit.values, plan.config.arms, reward, [&](std::int64_t j) {
          return alternating && j % 2 == 1 ? -plan.config.x_max : plan.config.x_max;
        });
        out.emplace_back(base, std::move(edit));
      }
    }
  }
  return out;
}

InputPair random_sparse_pair(const SparsePairs& plan, const std::shared_ptr<const InputTable>& base,
                             ReplayStream random) {
  const auto& config = plan.config;
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(bound)));
  };
  const ReadEpisode& read = plan.episodes[static_cast<std::size_t>(
      below(static_cast<std::int64_t>(plan.episodes.size())))];
  const std::int64_t episode = read.episode;
  const std::int64_t n = std::int64_t{1} << episode;
  if (base == nullptr) {
    SparseDesign design{.episode = episode};
    const std::int64_t kind = below(5);
    design.record = kind < 3    ? ChangedRecord::kAcross
                    : kind == 3 ? ChangedRecord::kAlong
                                : ChangedRecord::kSplit;
    design.used = below(2) == 0 ? config.dimension : 1 + below(config.dimension);
    design.up = below(design.used + 1);
    design.lift = below(4) == 0 ? random.uniform() : lift_to(config, read, 8.0 * random.uniform());
    design.thresholds_first = below(4) == 0;
    return sparse_pair(config, design);
  }
  Edit edit{first_round(episode) + below(n),
            std::vector<double>(static_cast<std::size_t>(base->columns))};
  const double most = episode_reward_clip(config, n);
  std::vector<double> context;
  for (std::int64_t j = 0; j < config.dimension; ++j) {
    context.push_back(below(2) == 0 ? config.x_max : -config.x_max);
  }
  fill_round(edit.values, config.arms, below(2) == 0 ? most : -most,
             [&](std::int64_t j) { return context[static_cast<std::size_t>(j)]; });
  return {base, std::move(edit)};
}

}  // namespace assay
