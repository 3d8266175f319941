#include "assay/auditors/methods/black_box/boundary_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"

namespace assay {
namespace {

constexpr std::int64_t kPlaysOfInput = 64, kFewestPlays = 16;
constexpr std::int64_t kParts = 8;      // of a path, before it is halved
constexpr double kLeastStep = 0.3;      // of (1); smaller ones are luck
constexpr std::int64_t kFarthest = 64;  // of a value without a bounded domain, from 0

struct Path {
  std::int64_t steps = 1;
  std::function<InputTable(std::int64_t)> at;  // 0 to steps
};

// ---- paths

using Fill = std::function<double(std::int64_t row, std::int64_t column)>;

// Row by row from what `fill` says to its opposite.
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

// Rewards and contexts turn together; an arm is told from the rest by the sign of its context.
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
  switch (shape.kind) {
    case InputKind::kMechanism:
      return mechanism_paths(shape);
    case InputKind::kDueling:
      return duel_paths(shape);
    case InputKind::kContextual:
      return context_paths(shape);
    case InputKind::kBandit:
    case InputKind::kBestArm:
    case InputKind::kExperts:
      return stream_paths(shape);
  }
  return {};
}

// ---- distances

// (1)
double distance(const OutputBatch& a, const OutputBatch& b) {
  double farthest = 0.0;
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
      farthest =
          std::max(farthest, std::fabs(static_cast<double>(i) / static_cast<double>(of_a.size()) -
                                       static_cast<double>(j) / static_cast<double>(of_b.size())));
    }
  }
  return farthest;
}

// ---- bisection

struct Played {
  std::int64_t step = 0;
  std::shared_ptr<const OutputBatch> outputs;
};

struct Bisection {
  const Path* path = nullptr;
  Played left, right;
  double apart = 0.0;
  bool done() const { return right.step - left.step <= 1; }
};

bool farther(const Bisection& a, const Bisection& b) { return a.apart > b.apart; }

class BoundarySearch {
 public:
  BoundarySearch(Players& players, std::uint64_t seed, std::int64_t plays,
                 const RunControl& control)
      : players_(players),
        seed_(seed),
        most_(plays),
        control_(control),
        paths_(paths_of(players.shape())) {
    const auto size = std::max<std::int64_t>(1, players.shape().width());
    constexpr std::int64_t kMostNumbers = 1 << 18;  // of the outputs of an input
    count_ = std::clamp(kMostNumbers / size, std::int64_t{4}, kPlaysOfInput);
    count_ = std::min(count_, plays_a_message(players.shape()));
    // Long outputs may be played less often than kFewestPlays, a small budget has fewer paths.
    std::int64_t inputs = 0;
    std::size_t paths = 0;
    for (; paths < paths_.size(); ++paths) {
      const std::int64_t more = inputs + inputs_of(paths_[paths]);
      if (plays / more < std::min(count_, kFewestPlays)) break;
      inputs = more;
    }
    paths_.resize(paths);
    if (inputs > 0) count_ = std::min(count_, plays / inputs);
  }

  Result<BoundaryPairs> run(std::size_t most) {
    if (paths_.empty()) return std::move(found_);
    auto all = ASSAY_TRY(play_parts());
    while (true) {
      std::erase_if(all, [](const Bisection& one) { return one.apart < kLeastStep; });
      std::stable_sort(all.begin(), all.end(), farther);
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
        if (!all[i].done()) open.push_back(i);
      }
      open.resize(std::min(open.size(), static_cast<std::size_t>((most_ - found_.plays) / count_)));
      if (open.empty()) break;
      ASSAY_TRY(halve(all, open));
    }
    std::erase_if(all, [](const Bisection& one) { return !one.done(); });
    for (const Bisection& one : all) {
      if (found_.pairs.size() >= most) break;
      auto pair = pair_of(one.path->at(one.left.step), one.path->at(one.right.step));
      if (!pair || !check_neighbours(players_.shape(), *pair)) continue;  // cut off by the domain
      const auto known = std::find(found_.pairs.begin(), found_.pairs.end(), *pair);
      if (known != found_.pairs.end()) continue;
      found_.pairs.push_back(std::move(*pair));
    }
    return std::move(found_);
  }

 private:
  // Every input with the same seeds: what draws all from them shows the inputs apart from luck.
  Result<std::vector<std::shared_ptr<const OutputBatch>>> play(
      const std::vector<InputTable>& inputs) {
    std::vector<std::shared_ptr<const OutputBatch>> outputs(inputs.size());
    const auto seeds = play_seeds({seed_, "boundaries", 0, Phase::kSearch}, 0, count_);
    RunControl quiet = control_;
    quiet.progress = nullptr;
    const auto ran = players_.run(
        inputs.size(), "searching boundaries", quiet, [&](Target& target, std::size_t i) -> Status {
          outputs[i] =
              std::make_shared<const OutputBatch>(ASSAY_TRY(target.play(inputs[i], seeds)));
          return {};
        });
    if (ran.error) return tl::make_unexpected(*ran.error);
    found_.plays += count_ * static_cast<std::int64_t>(inputs.size());
    return outputs;
  }

  static std::int64_t parts_of(const Path& path) { return std::min(kParts, path.steps); }
  // As many again are kept for halving.
  static std::int64_t inputs_of(const Path& path) { return 2 * (parts_of(path) + 1); }

  // A path may pass several thresholds and end where it began: its parts are looked at first.
  Result<std::vector<Bisection>> play_parts() {
    std::vector<InputTable> inputs;
    std::vector<std::int64_t> steps;
    for (const Path& path : paths_) {
      const std::int64_t parts = parts_of(path);
      for (std::int64_t i = 0; i <= parts; ++i) {
        steps.push_back(path.steps * i / parts);
        inputs.push_back(path.at(steps.back()));
      }
    }
    const auto outputs = ASSAY_TRY(play(inputs));
    std::vector<Bisection> all;
    std::size_t at = 0;
    for (const Path& path : paths_) {
      for (; steps[at] < path.steps; ++at) {
        all.push_back({&path,
                       {steps[at], outputs[at]},
                       {steps[at + 1], outputs[at + 1]},
                       distance(*outputs[at], *outputs[at + 1])});
      }
      ++at;
    }
    return all;
  }

  // Both halves stay: which one holds the sharper step shows as they get shorter.
  Status halve(std::vector<Bisection>& all, const std::vector<std::size_t>& open) {
    const auto middle_of = [&](const Bisection& one) {
      return std::midpoint(one.left.step, one.right.step);
    };
    std::vector<InputTable> inputs;
    for (const std::size_t i : open) inputs.push_back(all[i].path->at(middle_of(all[i])));
    const auto outputs = ASSAY_TRY(play(inputs));
    for (std::size_t i = 0; i < open.size(); ++i) {
      Bisection& one = all[open[i]];
      Bisection after = one;
      one.right = after.left = {middle_of(one), outputs[i]};
      one.apart = distance(*one.left.outputs, *one.right.outputs);
      after.apart = distance(*after.left.outputs, *after.right.outputs);
      all.push_back(std::move(after));
    }
    return {};
  }

  Players& players_;
  std::uint64_t seed_;
  std::int64_t most_;  // plays
  const RunControl& control_;
  std::vector<Path> paths_;
  std::int64_t count_ = kPlaysOfInput;
  BoundaryPairs found_;
};

}  // namespace

Result<BoundaryPairs> boundary_pairs(Players& players, std::uint64_t seed, std::size_t most,
                                     std::int64_t plays, const RunControl& control) {
  return BoundarySearch(players, seed, plays, control).run(most);
}

}  // namespace assay
