#include "assay/auditors/dueling/dueling_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

std::size_t place(std::int64_t arms, std::int64_t i, std::int64_t j) {
  return static_cast<std::size_t>(i * arms + j);
}

Edit edit_of(const InputTable& base, std::int64_t round) {
  const auto row = base.row(round);
  return {round, {row.begin(), row.end()}};
}

}  // namespace

std::shared_ptr<const InputTable> dueling_base(const DuelingBase& base) {
  const std::int64_t arms = base.arms;
  std::vector<int> order = base.order;
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(arms));
    std::iota(order.begin(), order.end(), 0);
  }
  InputTable table = InputTable::zeros(base.horizon, arms * arms);
  for (std::int64_t t = 0; t < base.horizon; ++t) {
    const std::int64_t turns = t / base.turn;
    const auto turn = static_cast<double>(turns);
    const bool reversed =
        std::floor((turn + 1.0) * base.reversed) > std::floor(turn * base.reversed);
    const auto row = table.row(t);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        row[reversed ? place(arms, order[j], order[i]) : place(arms, order[i], order[j])] = 1.0;
      }
    }
  }
  return std::make_shared<const InputTable>(std::move(table));
}

InputPair reversed_round(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                         std::int64_t round) {
  Edit edit = edit_of(*base, round);
  for (std::int64_t i = 0; i < arms; ++i) {
    for (std::int64_t j = i + 1; j < arms; ++j) {
      std::swap(edit.values[place(arms, i, j)], edit.values[place(arms, j, i)]);
    }
  }
  return {base, std::move(edit)};
}

InputPair reversed_duel(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                        std::int64_t round, int i, int j) {
  Edit edit = edit_of(*base, round);
  std::swap(edit.values[place(arms, i, j)], edit.values[place(arms, j, i)]);
  return {base, std::move(edit)};
}

std::vector<InputPair> hard_dueling_pairs(const DuelingPairs& plan) {
  std::vector<int> backwards(static_cast<std::size_t>(plan.arms));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  std::vector<InputPair> out;
  for (const double share : {0.0, 0.125, 0.25, 0.375}) {
    for (const auto& order : {std::vector<int>{}, backwards}) {
      const auto base = dueling_base({.arms = plan.arms,
                                      .horizon = plan.horizon,
                                      .turn = plan.in_turn ? plan.arms : 1,
                                      .reversed = share,
                                      .order = order});
      for (const std::int64_t round : plan.rounds(base)) {
        if (out.size() >= plan.most) return out;
        out.push_back(reversed_round(base, plan.arms, round));
      }
    }
  }
  return out;
}

std::vector<InputPair> dueling_pairs_beside(const DuelingPairs& plan,
                                            const std::shared_ptr<const InputTable>& base) {
  std::vector<InputPair> out;
  for (const std::int64_t round : plan.rounds(base)) {
    if (out.size() < plan.most) out.push_back(reversed_round(base, plan.arms, round));
  }
  return out;
}

InputPair random_dueling_pair(const DuelingPairs& plan,
                              const std::shared_ptr<const InputTable>& base, ReplayStream random) {
  auto table = base;
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(bound)));
  };
  if (table == nullptr) {
    DuelingBase drawn{.arms = plan.arms,
                      .horizon = plan.horizon,
                      .turn = plan.in_turn ? plan.arms : 1,
                      .reversed = 0.5 * random.uniform() * random.uniform(),
                      .order = std::vector<int>(static_cast<std::size_t>(plan.arms))};
    std::iota(drawn.order.begin(), drawn.order.end(), 0);
    for (std::int64_t i = plan.arms - 1; i > 0; --i) {
      std::swap(drawn.order[static_cast<std::size_t>(i)],
                drawn.order[static_cast<std::size_t>(below(i + 1))]);
    }
    table = dueling_base(drawn);
  }
  // A round near an informative one, or any round.
  const auto telling = plan.rounds(table);
  std::int64_t round = below(plan.horizon);
  if (!telling.empty() && below(4) > 0) {
    const std::int64_t near =
        telling[static_cast<std::size_t>(below(static_cast<std::int64_t>(telling.size())))];
    round = std::clamp<std::int64_t>(near - 2 * plan.arms + below(4 * plan.arms + 1), 0,
                                     plan.horizon - 1);
  }
  if (below(2) == 0) return reversed_round(table, plan.arms, round);
  const auto i = static_cast<int>(below(plan.arms));
  const auto other = static_cast<int>(below(plan.arms - 1));
  return reversed_duel(table, plan.arms, round, i, other < i ? other : other + 1);
}

}  // namespace assay
