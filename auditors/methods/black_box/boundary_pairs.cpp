#include "assay/auditors/methods/black_box/boundary_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kSpread = 8;                      // inputs of a path that run first
constexpr std::size_t kBlocks = 3;                       // that are halved
constexpr std::int64_t kFewestRuns = 4, kMostRuns = 64;  // of an input
constexpr std::int64_t kFarthest = 64;  // from 0, for a value without a bounded domain

struct Path {
  std::int64_t steps = 1;
  std::function<InputTable(std::int64_t)> at;  // 0 to steps
};

// ---- paths

using Fill = std::function<double(std::int64_t row, std::int64_t column)>;

// Row by row from the rows that `fill` makes to their opposites.
Path opposed_path(const InputShape& shape, const Fill& fill) {
  InputTable from = InputTable::zeros(shape.rows(), shape.columns());
  for (std::int64_t r = 0; r < from.rows; ++r) {
    for (std::int64_t c = 0; c < from.columns; ++c) {
      from.row(r)[static_cast<std::size_t>(c)] = fill(r, c);
    }
  }
  return {shape.rows(), [shape, from = std::move(from)](std::int64_t step) {
            InputTable table = from;
            for (std::int64_t r = 0; r < step; ++r) {
              const auto turned = opposite_row(shape, from.row(r));
              std::copy(turned.begin(), turned.end(), table.row(r).begin());
            }
            return table;
          }};
}

std::vector<Path> stream_paths(const InputShape& shape) {
  const double low = shape.domain && shape.domain->bounded() ? shape.domain->low : 0.0;
  const double high = shape.domain && shape.domain->bounded() ? shape.domain->high : 1.0;
  std::vector<Path> paths;
  paths.push_back(opposed_path(shape, [=](auto, auto) { return low; }));
  if (shape.columns() > 1) {
    paths.push_back(opposed_path(shape, [=](auto, auto c) { return c == 0 ? low : high; }));
    paths.push_back(
        opposed_path(shape, [=](auto r, auto c) { return (r + c) % 2 == 0 ? low : high; }));
  }
  constexpr std::size_t kMost = 10;
  for (std::int64_t batch = 1; batch < shape.rows() && paths.size() < kMost; batch *= 2) {
    paths.push_back(opposed_path(shape, [=, arms = shape.arms](auto r, auto) {
      return r / batch % arms == 0 ? low : high;
    }));
  }
  return paths;
}

std::vector<Path> duel_paths(const InputShape& shape) {
  std::vector<Path> paths;
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{1}, std::int64_t{4}}) {
    paths.push_back(opposed_path(shape, [=, arms = shape.arms](auto r, auto c) {
      const bool falling = batch == 0 || r / batch % 2 == 0;
      const std::int64_t i = c / arms, j = c % arms;
      return i != j && (i < j) == falling ? 1.0 : 0.0;
    }));
  }
  return paths;
}

// Rewards and contexts turn together; the sign of its context distinguishes an arm from the rest.
std::vector<Path> context_paths(const InputShape& shape) {
  const double low = shape.domain && shape.domain->bounded() ? shape.domain->low : -1.0;
  const double high = shape.domain && shape.domain->bounded() ? shape.domain->high : 1.0;
  std::vector<Path> paths;
  for (const std::int64_t batch : {0, 1, 2, 4, 16}) {
    paths.push_back(opposed_path(shape, [=](auto r, auto c) {
      const bool turned = batch > 0 && r / batch % 2 == 1;
      if (c < shape.arms) return turned ? 1.0 : 0.0;
      return (c - shape.arms < shape.dimension) == turned ? low : high;
    }));
  }
  return paths;
}

// A path of one row: value `c` at step s.
Path row_path(const InputShape& shape, std::int64_t steps,
              const std::function<double(std::int64_t, std::int64_t)>& at) {
  return {steps, [columns = shape.columns(), at](std::int64_t step) {
            InputTable table = InputTable::zeros(1, columns);
            for (std::int64_t c = 0; c < columns; ++c)
              table.values[static_cast<std::size_t>(c)] = at(step, c);
            return table;
          }};
}

std::vector<Path> mechanism_paths(const InputShape& shape) {
  const Neighbours neighbours = shape.neighbours.value_or(Neighbours{});
  if (shape.adds_or_removes()) return {};  // no path has more than one step
  const bool bounded = shape.domain && shape.domain->bounded();
  const std::int64_t count = shape.columns();
  if (neighbours.kind == NeighbourKind::kOne) {
    const double low = bounded ? shape.domain->low : 0.0, high = bounded ? shape.domain->high : 1.0;
    std::vector<Path> paths = {
        row_path(shape, count, [=](auto s, auto c) { return c < s ? high : low; })};
    if (bounded) return paths;
    paths.push_back(row_path(shape, 2 * kFarthest, [](auto s, auto c) {
      return c == 0 ? static_cast<double>(s - kFarthest) : 0.0;
    }));
    return paths;
  }
  const bool whole = shape.domain && shape.domain->integers;
  double size = 1.0;
  if (neighbours.kind == NeighbourKind::kL2) {
    size = neighbours.distance * (1.0 - 0x1p-20);
    if (whole) size = std::floor(neighbours.distance);
  }
  double each =
      neighbours.kind == NeighbourKind::kAll ? 1.0 : size / std::sqrt(static_cast<double>(count));
  if (whole) each = std::floor(each);
  const auto clamped = [domain = shape.domain](double value) {
    return domain ? std::clamp(value, domain->low, domain->high) : value;
  };
  const double middle = bounded ? 0.5 * (shape.domain->low + shape.domain->high) : 0.0;
  std::vector<Path> paths;
  for (const auto& [own, rest] :
       {std::pair{size, 0.0}, std::pair{each, -each}, std::pair{each, each}}) {
    if (own == 0.0) continue;
    paths.push_back(row_path(shape, 2 * kFarthest, [=, o = own, r = rest](auto s, auto c) {
      return clamped(middle + static_cast<double>(s - kFarthest) * (c == 0 ? o : r));
    }));
  }
  return paths;
}

std::vector<Path> paths_of(const InputShape& shape) {
  switch (shape.traits().row) {
    case RowContent::kValues:
      return mechanism_paths(shape);
    case RowContent::kDuels:
      return duel_paths(shape);
    case RowContent::kContexts:
      return context_paths(shape);
    case RowContent::kReward:
    case RowContent::kArms:
      return stream_paths(shape);
  }
  return {};
}

// ---- distances

// (1)
double distance(const OutputBatch& a, const OutputBatch& b) {
  double largest = 0.0;
  std::vector<double> of_a, of_b;
  const auto column = [](const OutputBatch& batch, std::int64_t at, std::vector<double>& out) {
    out.clear();
    for (std::int64_t i = 0; i < batch.count; ++i) {
      const double value = batch.play(i)[static_cast<std::size_t>(at)];
      out.push_back(std::isnan(value) ? HUGE_VAL : value);
    }
    std::sort(out.begin(), out.end());
  };
  for (std::int64_t at = 0; at < a.width; ++at) {
    column(a, at, of_a);
    column(b, at, of_b);
    for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
      const double cut = std::min(of_a[i], of_b[j]);
      while (i < of_a.size() && of_a[i] <= cut) ++i;
      while (j < of_b.size() && of_b[j] <= cut) ++j;
      largest =
          std::max(largest, std::fabs(static_cast<double>(i) / static_cast<double>(of_a.size()) -
                                      static_cast<double>(j) / static_cast<double>(of_b.size())));
    }
  }
  return largest;
}

// ---- bisection

struct Played {
  std::int64_t step = 0;
  std::shared_ptr<const OutputBatch> outputs;
};

struct Block {
  Played left, right;
  double apart = 0.0;

  Block(Played from, Played to) : left(std::move(from)), right(std::move(to)) {
    apart = distance(*left.outputs, *right.outputs);
  }
  bool is_step() const { return right.step - left.step <= 1; }
  std::int64_t middle() const { return std::midpoint(left.step, right.step); }
  // The half over which the outputs move farther.
  Block half(const Played& between) const {
    Block before(left, between), after(between, right);
    return before.apart >= after.apart ? before : after;
  }
};

void keep_farthest(std::vector<Block>& blocks) {
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.apart > b.apart; });
  if (blocks.size() > kBlocks) blocks.erase(blocks.begin() + kBlocks, blocks.end());
}

class BoundarySearch {
 public:
  BoundarySearch(Players& players, std::uint64_t seed, std::int64_t runs, const RunControl& control)
      : players_(players), seed_(seed), control_(control), paths_(paths_of(players.shape())) {
    constexpr std::int64_t kMostNumbers = 1 << 19;  // of the outputs of an input
    std::int64_t inputs = 0;
    for (const Path& path : paths_) {
      inputs += std::min(path.steps, kSpread - 1) + 1;
      const auto blocks = std::min(path.steps, static_cast<std::int64_t>(kBlocks));
      for (std::int64_t steps = path.steps / (kSpread - 1) + 1; steps > 1; steps -= steps / 2) {
        inputs += blocks;
      }
    }
    const auto width = std::max<std::int64_t>(1, players.shape().width());
    if (inputs == 0) return;
    count_ =
        std::min({kMostRuns, kMostNumbers / width, runs_a_message(players.shape()), runs / inputs});
  }

  Result<BoundaryPairs> run(std::size_t most, double allowed) {
    if (count_ < kFewestRuns) return std::move(found_);
    // (1) exceeds t at an entry by chance with probability about 2 exp(-n t^2).
    const auto entries = static_cast<double>(players_.shape().width());
    const double luck = std::sqrt(portable_log(40.0 * entries) / static_cast<double>(count_));
    const double least = std::max(luck, allowed);
    struct Found {
      const Path* path;
      Block step;
    };
    std::vector<Found> all;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      auto steps = steps_of(paths_[i]);
      if (!steps && steps.error().code != ErrorCode::kRefusedInput) {
        return tl::make_unexpected(steps.error());
      }
      // A path that leaves the inputs that the target accepts is not used.
      for (std::size_t k = 0; steps && k < steps->size(); ++k) {
        all.push_back({&paths_[i], std::move((*steps)[k])});
      }
      control_.report("searching boundaries",
                      static_cast<double>(i + 1) / static_cast<double>(paths_.size()));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Found& a, const Found& b) { return a.step.apart > b.step.apart; });
    for (const auto& [path, step] : all) {
      if (found_.pairs.size() >= most || step.apart < least) break;
      auto pair = pair_of(path->at(step.left.step), path->at(step.right.step));
      if (!pair || !check_neighbours(players_.shape(), *pair)) continue;  // cut off by the domain
      if (!contains(found_.pairs, *pair)) found_.pairs.push_back(std::move(*pair));
    }
    return std::move(found_);
  }

 private:
  // The steps of a path at which its halved intervals end.
  Result<std::vector<Block>> steps_of(const Path& path) {
    std::vector<std::int64_t> spread;
    for (std::int64_t i = 0; i < kSpread; ++i) {
      const std::int64_t step = i * path.steps / (kSpread - 1);
      if (spread.empty() || step > spread.back()) spread.push_back(step);
    }
    const auto ends = ASSAY_TRY(play(path, spread));
    std::vector<Block> blocks;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) blocks.emplace_back(ends[i], ends[i + 1]);
    keep_farthest(blocks);
    for (;;) {
      std::vector<std::int64_t> middles;
      for (const Block& one : blocks) {
        if (!one.is_step()) middles.push_back(one.middle());
      }
      if (middles.empty()) return blocks;
      const auto between = ASSAY_TRY(play(path, middles));
      std::size_t at = 0;
      for (Block& one : blocks) {
        if (!one.is_step()) one = one.half(between[at++]);
      }
    }
  }

  // Gives every input the same seeds: if a target draws everything from them, luck does not hide a difference.
  Result<std::vector<Played>> play(const Path& path, const std::vector<std::int64_t>& steps) {
    const auto seeds = play_seeds({seed_, "boundaries", 0, Phase::kSearch}, 0, count_);
    RunControl quiet = control_;
    quiet.progress = nullptr;
    auto ran = players_.run(
        steps.size(), "searching boundaries", quiet,
        [&](Target& target, std::size_t i) { return target.play(path.at(steps[i]), seeds); });
    if (ran.error) return tl::make_unexpected(*ran.error);
    std::vector<Played> played;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      played.push_back({steps[i], std::make_shared<const OutputBatch>(std::move(ran.values[i]))});
    }
    found_.runs += count_ * static_cast<std::int64_t>(steps.size());
    return played;
  }

  Players& players_;
  std::uint64_t seed_;
  const RunControl& control_;
  std::vector<Path> paths_;
  std::int64_t count_ = 0;  // runs of an input
  BoundaryPairs found_;
};

}  // namespace

Result<BoundaryPairs> boundary_pairs(Players& players, std::uint64_t seed, std::size_t most,
                                     std::int64_t runs, double allowed, const RunControl& control) {
  return BoundarySearch(players, seed, runs, control).run(most, allowed);
}

}  // namespace assay
