#include "assay/auditors/methods/one_run/guesser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

constexpr std::size_t kMostRows = 8'000;       // that a model is fitted on
constexpr std::size_t kWindows = 7;            // lengths 1, 2, 4, ..., 64
constexpr std::size_t kSpan = 128;             // rounds that are read, before and after
constexpr std::int64_t kMostActions = 8;       // distinguished in the next round
constexpr std::size_t kMostOutputs = 16;       // outputs of a mechanism that are read
constexpr std::int64_t kMostTold = 8;          // numbers of a round, and estimates, that are read
constexpr std::size_t kModelsOfTheirOwn = 32;  // canaries of a mechanism

double finite(double x) {
  if (std::isnan(x)) return 0.0;
  return std::clamp(x, -1e6, 1e6);
}

}  // namespace

std::size_t CanaryGuesser::features() const {
  if (!shape_.traits().has_rounds()) {
    if (shape_.outputs == shape_.inputs) return 3;
    return std::min(kMostOutputs, static_cast<std::size_t>(layout_.width()));
  }
  return kWindows + 6 + static_cast<std::size_t>(std::min(shape_.arms, kMostActions)) +
         (layout_.stops ? 1 : 0) +
         static_cast<std::size_t>(std::min(kMostTold, layout_.numbers) +
                                  std::min(kMostTold, layout_.estimates));
}

void CanaryGuesser::describe_number(std::size_t canary, std::span<const double> output,
                                    std::span<double> row) const {
  if (shape_.outputs != shape_.inputs) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = finite(output[k]);
    return;
  }
  const auto at = static_cast<std::size_t>(canaries_->entry(canary));
  row[0] = finite(output[at]);
  row[1] = at > 0 ? finite(output[at] - output[at - 1]) : row[0];
  const bool is_last = at + 1 == static_cast<std::size_t>(shape_.outputs);
  row[2] = is_last ? row[0] : finite(output[at] - output[at + 1]);
}

// How far the action at this place profits from coin 1, in [-1, 1]; 0 if a round did not take place.
double CanaryGuesser::favour(std::size_t canary, std::span<const double> output,
                             std::size_t at) const {
  const auto round = static_cast<std::size_t>(canaries_->entry(canary));
  const InputTable& zero = canaries_->zero();
  const InputTable& one = canaries_->one();
  const auto columns = static_cast<std::size_t>(zero.columns);
  const auto rise = [&](std::size_t column) {
    return one.values[round * columns + column] - zero.values[round * columns + column];
  };
  const std::size_t step = static_cast<std::size_t>(layout_.actions);
  const double own = output[actions_[round * step]];
  if (output[actions_[at]] < 0.0 || own < 0.0) return 0.0;
  const auto action = static_cast<std::size_t>(output[actions_[at]]);
  const auto first = static_cast<std::size_t>(own);
  switch (shape_.traits().row) {
    case RowContent::kReward:
      return action == first ? rise(0) : 0.0;
    case RowContent::kDuels: {
      const auto second = static_cast<std::size_t>(output[actions_[2 * round + 1]]);
      const double won = rise(first * static_cast<std::size_t>(shape_.arms) + second);
      return (action == first ? won : 0.0) - (action == second ? won : 0.0);
    }
    default:
      return rise(action);
  }
}

void CanaryGuesser::describe(std::size_t canary, std::span<const double> output,
                             std::span<double> row) const {
  if (!shape_.traits().has_rounds()) return describe_number(canary, output, row);
  std::fill(row.begin(), row.end(), 0.0);
  const std::size_t step = static_cast<std::size_t>(layout_.actions);
  const std::size_t round = static_cast<std::size_t>(canaries_->entry(canary));
  const std::size_t from = std::min(actions_.size(), (round + 1) * step);
  const std::size_t end = std::min(actions_.size(), from + kSpan * step);
  const std::size_t begin = (round - std::min(round, kSpan)) * step;
  double before = 0.0;
  for (std::size_t at = begin; at < round * step; ++at) before += favour(canary, output, at);
  double after = 0.0;
  std::size_t window = 0;
  for (std::size_t at = from; at < end; ++at) {
    after += favour(canary, output, at);
    const std::size_t seen = at + 1 - from;
    while (window < kWindows && seen == (step << window)) {
      row[window++] = after / static_cast<double>(seen);
    }
  }
  const double rest = static_cast<double>(std::max<std::size_t>(1, end - from));
  for (; window < kWindows; ++window) row[window] = after / rest;
  double* more = row.data() + kWindows;
  more[0] = after / rest;
  more[1] = before / static_cast<double>(std::max<std::size_t>(1, round * step - begin));
  more[2] = more[0] - more[1];
  more[3] = more[0] / (1.0 + std::abs(before));  // few pulls before: one reward weighs more
  more[4] = row[0] / (1.0 + std::abs(before));
  more[5] = from < actions_.size() ? favour(canary, output, actions_.size() - 1) : 0.0;
  const double next = from < actions_.size() ? output[actions_[from]] : kNoAction;
  if (next >= 0.0 && next < static_cast<double>(kMostActions)) {
    more[6 + static_cast<std::size_t>(next)] = 1.0;
  }
  describe_told(round, output, row);
}

// The numbers that a round outputs beside its actions, and the end of the run; last in a row.
void CanaryGuesser::describe_told(std::size_t round, std::span<const double> output,
                                  std::span<double> row) const {
  const std::int64_t numbers = std::min(kMostTold, layout_.numbers);
  const std::int64_t estimates = std::min(kMostTold, layout_.estimates);
  std::size_t at =
      row.size() - static_cast<std::size_t>(numbers + estimates + (layout_.stops ? 1 : 0));
  const auto first = static_cast<std::int64_t>(round) * layout_.stride() + layout_.actions;
  for (std::int64_t j = 0; j < numbers; ++j) {
    row[at++] = finite(output[static_cast<std::size_t>(first + j)]);
  }
  for (std::int64_t i = 0; i < estimates; ++i) {
    row[at++] = finite(output[static_cast<std::size_t>(layout_.longest() - layout_.estimates + i)]);
  }
  if (!layout_.stops) return;
  const auto left = layout_.played(output) - static_cast<std::int64_t>(round);
  row[at] = static_cast<double>(left) / static_cast<double>(layout_.rounds);
}

void CanaryGuesser::group_canaries() {
  const bool mechanism = !shape_.traits().has_rounds();
  const bool apart =
      mechanism && shape_.outputs != shape_.inputs && canaries_->size() <= kModelsOfTheirOwn;
  for (std::size_t j = 0; j < canaries_->size(); ++j) {
    std::size_t group = 0;
    if (apart) group = j;
    if (!mechanism) {
      group = std::bit_width(static_cast<std::size_t>(canaries_->entry(j)) + 1) - 1;
    }
    if (groups_.size() <= group) groups_.resize(group + 1);
    groups_[group].push_back(j);
  }
  std::erase_if(groups_, [](const auto& group) { return group.empty(); });
}

void CanaryGuesser::collect(const std::vector<std::size_t>& group, const CoinRuns& runs,
                            StopPoll& stop, std::vector<double>& heads,
                            std::vector<double>& tails) const {
  const std::size_t columns = features();
  const auto all = static_cast<std::size_t>(runs.outputs.count) * group.size();
  const std::size_t stride = (all + kMostRows - 1) / kMostRows;
  std::vector<double> row(columns);
  for (std::size_t i = 0; i < all && !stop(); i += std::max<std::size_t>(1, stride)) {
    const std::size_t play = i / group.size();
    const std::size_t canary = group[i % group.size()];
    describe(canary, runs.outputs.play(static_cast<std::int64_t>(play)), row);
    auto& side = runs.coins[play][canary] != 0 ? heads : tails;
    side.insert(side.end(), row.begin(), row.end());
  }
}

CanaryGuesser CanaryGuesser::learn(const InputShape& shape, const Canaries& canaries,
                                   const CoinRuns& runs, StopPoll stop) {
  CanaryGuesser guesser(shape, canaries);
  guesser.group_canaries();
  const std::int64_t fitting = runs.outputs.count / 2;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    CoinRuns out;
    out.coins.assign(runs.coins.begin() + first, runs.coins.begin() + first + count);
    const auto at = runs.outputs.values.begin();
    const std::int64_t width = runs.outputs.width;
    out.outputs = {count, width, {at + first * width, at + (first + count) * width}};
    return out;
  };
  const CoinRuns fit = part(0, fitting);
  const CoinRuns scale = part(fitting, runs.outputs.count - fitting);
  const std::size_t columns = guesser.features();
  for (const auto& group : guesser.groups_) {
    std::vector<double> heads, tails;
    guesser.collect(group, fit, stop, heads, tails);
    guesser.models_.push_back(LogisticModel::fit(heads, tails, columns, stop));
    heads.clear();
    tails.clear();
    guesser.collect(group, scale, stop, heads, tails);
    std::array<std::vector<double>, 2> sides;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto& rows = side == 0 ? heads : tails;
      for (std::size_t at = 0; at < rows.size(); at += columns) {
        sides[side].push_back(
            guesser.models_.back().log_odds(std::span(rows).subspan(at, columns)));
      }
    }
    guesser.scales_.push_back(LogisticModel::fit(sides[0], sides[1], 1, stop));
  }
  return guesser;
}

CanaryScores CanaryGuesser::scores(const OutputBatch& outputs, StopPoll stop) const {
  CanaryScores out;
  out.canaries = canaries_->size();
  out.log_odds.resize(out.canaries * static_cast<std::size_t>(outputs.count));
  std::vector<double> row(features());
  for (std::int64_t play = 0; play < outputs.count; ++play) {
    double* of_play = out.log_odds.data() + static_cast<std::size_t>(play) * out.canaries;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const std::size_t canary : groups_[g]) {
        if (stop()) {
          out.log_odds.resize(out.canaries * static_cast<std::size_t>(play));
          return out;
        }
        describe(canary, outputs.play(play), row);
        const double raw = models_[g].log_odds(row);
        of_play[canary] = scales_[g].log_odds({&raw, 1});
      }
    }
  }
  return out;
}

namespace {

// Whether each guess is right, in the order in which guesses are made.
std::vector<std::uint8_t> outcomes(const CanaryScores& scores, const std::vector<Coins>& coins) {
  std::vector<std::size_t> order(scores.log_odds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(scores.log_odds[a]) > std::abs(scores.log_odds[b]);
  });
  std::vector<std::uint8_t> right;
  right.reserve(order.size());
  for (const std::size_t i : order) {
    const bool coin = coins[i / scores.canaries][i % scores.canaries] != 0;
    right.push_back((scores.log_odds[i] > 0.0) == coin ? 1 : 0);
  }
  return right;
}

}  // namespace

std::int64_t right_guesses(const CanaryScores& scores, const std::vector<Coins>& coins,
                           std::int64_t guesses) {
  const auto right = outcomes(scores, coins);
  const auto made = std::min<std::size_t>(right.size(), static_cast<std::size_t>(guesses));
  return std::accumulate(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(made),
                         std::int64_t{0});
}

std::vector<std::int64_t> right_guesses_by_run(const CanaryScores& scores,
                                               const std::vector<Coins>& coins,
                                               std::int64_t guesses, StopPoll stop) {
  std::vector<std::int64_t> right;
  const std::size_t runs = scores.log_odds.size() / scores.canaries;
  for (std::size_t run = 0; run < runs && !stop(); ++run) {
    const auto first = scores.log_odds.begin() + static_cast<std::ptrdiff_t>(run * scores.canaries);
    const CanaryScores alone{scores.canaries,
                             {first, first + static_cast<std::ptrdiff_t>(scores.canaries)}};
    right.push_back(right_guesses(alone, {coins[run]}, guesses));
  }
  return right;
}

std::int64_t choose_guesses(const CanaryScores& scores, const std::vector<Coins>& coins,
                            std::int64_t canaries,
                            const std::function<double(const GuessCounts&)>& bound) {
  constexpr double kStep = 0.75;
  constexpr double kFewest = 4.0;
  constexpr double kCaution = 0.005;  // some twenty shares are compared
  const auto right = outcomes(scores, coins);
  std::vector<std::int64_t> sums(1, 0);
  for (const std::uint8_t r : right) sums.push_back(sums.back() + r);
  std::int64_t best = canaries;
  double best_bound = -1.0, best_excess = -HUGE_VAL;
  for (double r = static_cast<double>(canaries); r >= kFewest || best_bound < 0.0; r *= kStep) {
    const auto guesses = static_cast<std::int64_t>(r);
    const double share = r / static_cast<double>(canaries);
    const auto made = std::max<std::size_t>(
        1, static_cast<std::size_t>(share * static_cast<double>(right.size())));
    const double cautious =
        clopper_pearson_lower(sums[made], static_cast<std::int64_t>(made), kCaution).value.value;
    const auto correct =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(cautious * r), 0, guesses);
    const double value = bound({canaries, guesses, correct});
    // If no number of guesses promises a bound: the one whose share is furthest from one half.
    const double excess = (cautious - 0.5) * std::sqrt(r);
    if (value > best_bound || (value == best_bound && value == 0.0 && excess > best_excess)) {
      best_bound = value;
      best_excess = excess;
      best = guesses;
    }
  }
  return std::max<std::int64_t>(1, best);
}

}  // namespace assay
