#include "assay/auditors/methods/black_box/value_pairs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/internal/pair_list.hpp"
#include "assay/auditors/methods/black_box/sensitive_entries.hpp"

namespace assay {
namespace {

constexpr std::int64_t kSteps = 100;
constexpr std::int64_t kFewestSeeds = 8, kMostSeeds = 32;
constexpr double kStandsOut = 10.0;   // times the mean of all steps
constexpr std::size_t kSteepest = 3;  // steps, of two values each

class ValueSearch {
 public:
  explicit ValueSearch(const InputShape& shape) : shape_(shape) {}

  bool applies() const {
    const InputKindTraits& kind = shape_.traits();
    if (kind.has_duels()) return false;
    if (kind.has_rounds()) return true;
    const auto relation = shape_.neighbours.value_or(Neighbours{}).kind;
    return (relation == NeighbourKind::kOne || relation == NeighbourKind::kAddRemove) &&
           shape_.domain && shape_.domain->bounded();
  }

  // The input whose entries are all at this part of the domain, with one at another part.
  InputTable input(double part, double first) const {
    InputTable table = InputTable::zeros(shape_.rows(), shape_.columns());
    for (std::int64_t r = 0; r < table.rows; ++r) fill(table.row(r), part);
    if (has_rounds()) {
      fill(table.row(0), first);
    } else {
      table.values.front() = value(first, 0);
    }
    return table;
  }

  InputPair pair(double rest, double from, double to) const {
    InputTable base = input(rest, from);
    if (shape_.adds_or_removes()) {
      detail::Row more = input(rest, to).values, fewer(more.begin() + 1, more.end());
      return InputPair(std::move(fewer), std::move(more));
    }
    return InputPair::of(std::move(base), detail::row_of(input(rest, to), 0));
  }

  // Rows that all differ, until the first becomes equal to the second.
  InputPair equal_rows() const {
    InputTable base = input(0.0, 0.0);
    for (std::int64_t r = 1; r < base.rows; ++r) {
      fill(base.row(r), static_cast<double>(r) / static_cast<double>(base.rows));
    }
    Edit edit = detail::row_of(base, 1);
    edit.row = 0;
    return InputPair::of(std::move(base), std::move(edit));
  }

  bool has_rounds() const { return shape_.traits().has_rounds(); }

 private:
  double value(double part, std::int64_t column) const {
    const bool contexts = shape_.traits().has_contexts();
    if (contexts && column < shape_.arms) return part;  // a reward
    const bool bounded = shape_.domain && shape_.domain->bounded();
    const Domain within = bounded ? *shape_.domain : Domain{contexts ? -1.0 : 0.0, 1.0};
    return detail::clamped(shape_, within.at(part));
  }
  void fill(std::span<double> row, double part) const {
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = value(part, static_cast<std::int64_t>(c));
    }
  }

  const InputShape& shape_;
};

// The places on the list of inputs whose steps stand out, that with the longest steps first.
std::vector<std::size_t> special_places(const std::vector<double>& steps) {
  double mean = 0.0;
  for (const double step : steps) mean += step / static_cast<double>(steps.size());
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return steps[a] > steps[b]; });
  order.resize(std::min(order.size(), kSteepest));
  std::vector<std::pair<double, std::size_t>> places;
  const auto add = [&](std::size_t place, double step) {
    for (auto& [sum, known] : places) {
      if (known == place) {
        sum += step;
        return;
      }
    }
    places.emplace_back(step, place);
  };
  for (const std::size_t i : order) {
    if (!(steps[i] > kStandsOut * mean)) continue;
    add(i, steps[i]);
    add(i + 1, steps[i]);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> out;
  for (const auto& [sum, place] : places) out.push_back(place);
  return out;
}

}  // namespace

Result<BoundaryPairs> pairs_at_special_values(Players& players, std::uint64_t seed,
                                              std::size_t most, std::int64_t runs,
                                              const RunControl& control) {
  BoundaryPairs found;
  const InputShape& shape = players.shape();
  const ValueSearch search(shape);
  const std::int64_t count = std::min({kMostSeeds, runs / (kSteps + 1), runs_a_message(shape)});
  if (!search.applies() || count < kFewestSeeds) return found;
  const auto part = [](std::size_t place) {
    return static_cast<double>(place) / static_cast<double>(kSteps);
  };
  const auto seeds = play_seeds({seed, "special values", 0, Phase::kSearch}, 0, count);
  RunControl quiet = control;
  quiet.progress = nullptr;
  const auto ran = players.run(static_cast<std::size_t>(kSteps + 1), "searching values", quiet,
                               [&](Target& target, std::size_t i) {
                                 return target.play(search.input(part(i), part(i)), seeds);
                               });
  if (ran.error && ran.error->code == ErrorCode::kRefusedInput) return found;
  if (ran.error) return tl::make_unexpected(*ran.error);
  found.runs = count * (kSteps + 1);
  const OutputLayout layout(shape);
  const auto& outputs = ran.values;
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < outputs.size(); ++i) {
    double moved = 0.0;
    for (std::int64_t s = 0; s < count; ++s) {
      moved += output_distance(layout, outputs[i].play(s), outputs[i + 1].play(s));
    }
    steps.push_back(moved);
  }
  detail::Collected pairs(most);
  if (search.has_rounds() && shape.rows() > 2) pairs.add(search.equal_rows());
  for (const std::size_t place : special_places(steps)) {
    for (const double end : {0.0, 1.0}) pairs.add(search.pair(end, end, part(place)));
  }
  found.pairs = detail::neighbours_of(shape, pairs.take());
  return found;
}

}  // namespace assay
