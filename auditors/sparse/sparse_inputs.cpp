#include "assay/auditors/sparse/sparse_inputs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

std::int64_t first_round(std::int64_t episode) { return (std::int64_t{1} << episode) - 1; }

// A round whose arms have context and reward in common.
void fill_round(std::span<double> row, std::int64_t arms, double reward,
                const std::function<double(std::int64_t)>& context) {
  std::fill_n(row.begin(), arms, reward);
  const auto entries = static_cast<std::int64_t>(row.size()) - arms;
  for (std::int64_t k = 0; k < entries; ++k) {
    row[static_cast<std::size_t>(arms + k)] = context(k % (entries / arms));
  }
}

// The weights w of (2), one a round.
std::vector<std::vector<double>> readings(const std::vector<double>& way,
                                          const std::vector<double>& lifted, bool grid) {
  std::vector<std::vector<double>> out{way};
  bool both = false;
  for (std::size_t j = 0; j < way.size(); ++j) both |= way[j] * lifted[j] < 0.0;
  const auto add_grid = [&] {
    for (const double share : {0.5, 2.0, 0.25, 4.0, 0.75, 1.5, 0.0, 0.125, 8.0}) {
      auto w = way;
      for (std::size_t j = 0; j < way.size(); ++j) {
        if (way[j] * lifted[j] < 0.0) w[j] *= share;
      }
      out.push_back(std::move(w));
    }
  };
  if (both && grid) add_grid();
  for (std::size_t j = 0; j < way.size(); ++j) {
    if (way[j] == 0.0) continue;
    std::vector<double> w(way.size(), 0.0);
    w[j] = way[j];
    out.push_back(std::move(w));
  }
  if (both && !grid) add_grid();
  return out;
}

}  // namespace

InputPair sparse_pair(const EpisodesConfig& config, const SparseDesign& design) {
  const std::int64_t n = std::int64_t{1} << design.episode;
  const double most = episode_reward_clip(config, n);
  const bool split = design.record == ChangedRecord::kSplit;
  const auto orientation = [&](std::int64_t j) {
    return j >= design.used ? 0.0 : j < design.up ? 1.0 : -1.0;
  };
  InputTable table =
      InputTable::zeros(config.horizon, config.arms + config.arms * config.dimension);
  const std::int64_t first = first_round(design.episode);
  for (std::int64_t t = first + 1; t < first + n; ++t) {
    fill_round(table.row(t), config.arms, design.lift * most, [&](std::int64_t j) {
      if (split) return j < config.sparsity ? config.x_max : 0.0;
      return orientation(j) * config.x_max;  // (1)
    });
  }
  const auto record = [&](std::int64_t j) {
    if (j >= design.used) return 0.0;
    return design.record == ChangedRecord::kAlong ? orientation(j) * config.x_max : config.x_max;
  };
  fill_round(table.row(first), config.arms, split ? -most : most, record);
  Edit edit{first, std::vector<double>(static_cast<std::size_t>(table.columns))};
  fill_round(edit.values, config.arms, -most, [&](std::int64_t j) {
    return split && j >= config.sparsity ? -record(j) : record(j);
  });
  // (2)
  std::vector<double> way, lifted;
  for (std::int64_t j = 0; j < config.dimension; ++j) {
    way.push_back(split ? (j < config.sparsity ? 0.0 : -record(j)) : record(j));
    lifted.push_back(split ? 0.0 : design.lift * orientation(j));
  }
  std::int64_t t = first + n;
  for (const auto& w : readings(way, lifted, design.grid)) {
    if (t >= std::min(config.horizon, first + 3 * n)) break;
    const auto row = table.row(t++);
    std::copy(w.begin(), w.end(), row.begin() + config.arms + config.dimension);
  }
  return InputPair::of(std::move(table), std::move(edit));
}

std::vector<InputPair> hard_sparse_pairs(const SparsePairs& plan) {
  const std::int64_t d = plan.config.dimension;
  std::vector<InputPair> out;
  const auto add = [&](const SparseDesign& design) {
    if (out.size() < plan.most) out.push_back(sparse_pair(plan.config, design));
  };
  for (const std::int64_t episode : plan.episodes) {
    const double others =
        static_cast<double>(std::max<std::int64_t>((std::int64_t{1} << episode) - 1, 1));
    add({.episode = episode, .used = d, .up = (d + 1) / 2});
    add({.episode = episode, .used = d, .up = d, .lift = 0.0});
    add({.episode = episode, .used = d, .up = (d + 1) / 2, .lift = 1.0 / others, .grid = false});
    add({.episode = episode,
         .record = ChangedRecord::kAlong,
         .used = plan.config.sparsity,
         .up = plan.config.sparsity});
    if (plan.config.sparsity < d) {
      add({.episode = episode, .record = ChangedRecord::kSplit, .used = d, .up = d});
    }
  }
  return out;
}

std::vector<InputPair> sparse_pairs_beside(const SparsePairs& plan,
                                           const std::shared_ptr<const InputTable>& base) {
  std::vector<InputPair> out;
  for (const std::int64_t episode : plan.episodes) {
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
  const std::int64_t episode = plan.episodes[static_cast<std::size_t>(
      below(static_cast<std::int64_t>(plan.episodes.size())))];
  const std::int64_t n = std::int64_t{1} << episode;
  if (base == nullptr) {
    SparseDesign design{.episode = episode};
    const std::int64_t kind = below(5);
    design.record = kind < 3    ? ChangedRecord::kAcross
                    : kind == 3 ? ChangedRecord::kAlong
                                : ChangedRecord::kSplit;
    design.used = below(2) == 0 ? config.dimension : 1 + below(config.dimension);
    design.up = below(design.used + 1);
    const double draw = random.uniform();
    design.lift = below(3) == 0 ? draw / static_cast<double>(n) : draw;
    design.grid = below(2) == 0;
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
