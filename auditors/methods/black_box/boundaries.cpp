#include "assay/auditors/methods/black_box/boundaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::int64_t kSpread = 8;    // inputs of a path that are played first
constexpr std::size_t kStretches = 2;  // that are halved
constexpr std::int64_t kFewestPlays = 16, kMostPlays = 128;  // of an input
using Frequencies = std::vector<double>;  // of each action at each place of an output

// Step m has the first m rows of `to`, the others of `from`.
struct Path {
  InputTable from, to;

  InputTable at(std::int64_t step) const {
    InputTable table = from;
    for (std::int64_t row = 0; row < step; ++row) {
      std::copy_n(to.row(row).begin(), to.columns, table.row(row).begin());
    }
    return table;
  }
  InputPair pair_at(std::int64_t step) const {
    const auto values = to.row(step);
    return InputPair::of(at(step), {step, {values.begin(), values.end()}});
  }
};

std::vector<Path> paths_of(const InputShape& shape) {
  const auto table = [&](auto&& value) {
    InputTable made = InputTable::zeros(shape.rows(), shape.columns());
    for (std::int64_t row = 0; row < made.rows; ++row) {
      for (std::int64_t c = 0; c < made.columns; ++c) {
        made.row(row)[static_cast<std::size_t>(c)] = value(c) ? 1.0 : 0.0;
      }
    }
    return made;
  };
  std::vector<std::pair<InputTable, InputTable>> ends;
  if (shape.kind == InputKind::kDueling) {
    const std::int64_t arms = shape.arms;
    ends.emplace_back(table([arms](std::int64_t c) { return c / arms < c % arms; }),
                      table([arms](std::int64_t c) { return c / arms > c % arms; }));
  } else if (shape.kind != InputKind::kMechanism && shape.kind != InputKind::kContextual) {
    const InputTable zeros = table([](std::int64_t) { return false; });
    ends.emplace_back(zeros, table([](std::int64_t c) { return c == 0; }));
    if (shape.columns() > 1) ends.emplace_back(zeros, table([](std::int64_t) { return true; }));
  }
  std::vector<Path> paths;
  for (auto& [from, to] : ends) {
    paths.push_back({from, to});
    paths.push_back({std::move(to), std::move(from)});
  }
  return paths;
}

Frequencies frequencies_of(const InputShape& shape, const OutputBatch& plays) {
  Frequencies seen(static_cast<std::size_t>(plays.width * shape.arms));
  for (std::int64_t i = 0; i < plays.count; ++i) {
    const auto play = plays.play(i);
    for (std::size_t place = 0; place < play.size(); ++place) {
      const double action = play[place];
      if (!(action >= 0.0 && action < static_cast<double>(shape.arms))) continue;
      seen[place * static_cast<std::size_t>(shape.arms) + static_cast<std::size_t>(action)] +=
          1.0 / static_cast<double>(plays.count);
    }
  }
  return seen;
}

double difference(const Frequencies& a, const Frequencies& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

struct Stretch {
  std::int64_t first = 0, last = 0;  // steps of its ends
  Frequencies at_first, at_last;

  double differs() const { return difference(at_first, at_last); }
  bool is_step() const { return last - first <= 1; }
  std::int64_t middle() const { return first + (last - first) / 2; }
  // To the half whose ends differ more.
  void halve(Frequencies at_middle) {
    const std::int64_t here = middle();
    if (difference(at_first, at_middle) >= difference(at_middle, at_last)) {
      last = here;
      at_last = std::move(at_middle);
    } else {
      first = here;
      at_first = std::move(at_middle);
    }
  }
};

class PathSearch {
 public:
  PathSearch(Players& players, const Path& path, std::string purpose, std::int64_t plays,
             std::uint64_t seed, const RunControl& control)
      : players_(players),
        path_(path),
        purpose_(std::move(purpose)),
        each_(plays),
        seed_(seed),
        control_(control) {}

  Result<std::vector<Stretch>> run() {
    std::vector<std::int64_t> steps;
    for (std::int64_t i = 0; i < kSpread; ++i) {
      steps.push_back(i * path_.from.rows / (kSpread - 1));
    }
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    if (steps.size() % 2 == 1) steps.insert(steps.begin() + 1, 0);  // played in twos
    std::vector<Frequencies> seen;
    for (std::size_t i = 0; i < steps.size(); i += 2) {
      auto two = ASSAY_TRY(play(steps[i], steps[i + 1]));
      for (auto& one : two) seen.push_back(std::move(one));
    }
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      if (steps[i] == steps[i + 1]) continue;
      stretches.push_back({steps[i], steps[i + 1], seen[i], seen[i + 1]});
    }
    std::stable_sort(stretches.begin(), stretches.end(),
                     [](const Stretch& a, const Stretch& b) { return a.differs() > b.differs(); });
    stretches.resize(std::min(stretches.size(), kStretches));
    while (std::any_of(stretches.begin(), stretches.end(),
                       [](const Stretch& one) { return !one.is_step(); })) {
      auto two = ASSAY_TRY(play(stretches.front().middle(), stretches.back().middle()));
      for (std::size_t i = 0; i < stretches.size(); ++i) {
        if (!stretches[i].is_step()) stretches[i].halve(std::move(two[i]));
      }
    }
    return stretches;
  }
  std::int64_t played() const { return played_; }

 private:
  Result<std::array<Frequencies, 2>> play(std::int64_t one, std::int64_t other) {
    const auto plays = players_.play_both(
        path_.at(one), path_.at(other), each_,
        {seed_, purpose_, static_cast<std::uint64_t>(played_), Phase::kSearch}, control_);
    if (plays.error) return tl::make_unexpected(*plays.error);
    played_ += 2 * each_;
    return std::array{frequencies_of(players_.shape(), plays.of[0]),
                      frequencies_of(players_.shape(), plays.of[1])};
  }

  Players& players_;
  const Path& path_;
  std::string purpose_;
  std::int64_t each_;
  std::uint64_t seed_;
  const RunControl& control_;
  std::int64_t played_ = 0;
};

}  // namespace

Result<BoundaryPairs> boundary_pairs(Players& players, std::int64_t most, std::uint64_t seed,
                                     const RunControl& control) {
  RunControl said = control;
  said.progress = nullptr;
  BoundaryPairs found;
  std::vector<std::pair<double, InputPair>> pairs;
  const auto paths = paths_of(players.shape());
  std::int64_t inputs = kSpread;
  for (std::int64_t rows = players.shape().rows() / (kSpread - 1); rows > 0; rows /= 2) inputs += 2;
  const std::int64_t plays =
      paths.empty() ? 0 : std::min(kMostPlays, most / (std::ssize(paths) * inputs));
  if (plays < kFewestPlays) return found;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    PathSearch search(players, paths[i], "boundaries/" + std::to_string(i), plays, seed, said);
    for (const auto& stretch : ASSAY_TRY(search.run())) {
      pairs.emplace_back(stretch.differs(), paths[i].pair_at(stretch.first));
    }
    found.plays += search.played();
    control.report("searching boundaries",
                   static_cast<double>(i + 1) / static_cast<double>(paths.size()));
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [differs, pair] : pairs) {
    if (std::find(found.pairs.begin(), found.pairs.end(), pair) == found.pairs.end()) {
      found.pairs.push_back(std::move(pair));
    }
  }
  return found;
}

}  // namespace assay
