#include "assay/auditors/statistics/drawn_actions.hpp"

#include <cmath>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Mixes a number into a class, so that classes of different histories differ but for a chance of 2^-64.
std::uint64_t joined_key(std::uint64_t key, std::uint64_t more) {
  key ^= more + 0x9e3779b97f4a7c15u + (key << 6) + (key >> 2);
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

// 0 to 20: equal steps of the log-odds between 0.0001 and 0.9999.
std::uint64_t size_class(double probability) {
  constexpr double kEnd = 9.2, kSteps = 20.0;
  if (!(probability > 0.0 && probability < 1.0)) return probability > 0.0 ? 20 : 0;
  const double odds = portable_log(probability) - portable_log1p(-probability);
  const double place = (std::fmin(std::fmax(odds, -kEnd), kEnd) + kEnd) / (2.0 * kEnd);
  return static_cast<std::uint64_t>(std::floor(place * kSteps));
}

}  // namespace

void DrawnActionsTest::run(Side side, std::span<const double> probabilities,
                           std::span<const int> actions) {
  ASSAY_CHECK(!actions.empty() && probabilities.size() % actions.size() == 0,
              "every round needs the probabilities of all actions");
  const std::size_t count = probabilities.size() / actions.size();
  const std::uint64_t input = side == Side::kBase ? 1 : 2;
  std::vector<Share*> classes(count);
  std::uint64_t history = joined_key(0, input);
  std::uint64_t last = count;  // no action yet
  for (std::size_t t = 0; t < actions.size(); ++t) {
    const auto pi = probabilities.subspan(t * count, count);
    const auto drawn = static_cast<std::size_t>(actions[t]);
    ASSAY_CHECK(drawn < count, "a drawn action must be one of those with a probability");
    if (!(pi[drawn] > 0.0)) log_wealth_.fill(kInfinity);
    for (std::size_t way = 0; way < kWays; ++way) {
      const std::uint64_t keys[kWays] = {0, t + 1, last, history, 2 * t + input, 0};
      double norm = 0.0;
      for (std::size_t a = 0; a < count; ++a) {
        const std::uint64_t own = way == kWays - 1 ? size_class(pi[a]) : joined_key(keys[way], a);
        classes[a] = &shares_[way][own];
        norm += pi[a] * (classes[a]->drawn + 1.0) / (classes[a]->expected + 1.0);  // (2)
      }
      const Share& of_drawn = *classes[drawn];
      const double weight = (of_drawn.drawn + 1.0) / (of_drawn.expected + 1.0);
      if (log_wealth_[way] < kInfinity) log_wealth_[way] += portable_log(weight / norm);  // (1)
      for (std::size_t a = 0; a < count; ++a) classes[a]->expected += pi[a];
      classes[drawn]->drawn += 1.0;
    }
    last = drawn;
    history = joined_key(history, drawn + 1);
  }
  ++runs_;
  if (log_wealth_.front() == kInfinity) return evidence_.note(kInfinity);
  double sum = -kInfinity;
  for (const double wealth : log_wealth_) sum = log_add_exp(sum, wealth);
  evidence_.note(sum - portable_log(static_cast<double>(kWays)));
}

}  // namespace assay
