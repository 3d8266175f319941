// DP-EBS-Elimination written out by its listing, with a fault to plant: plays of both sides of a
// pair, with the loss of what they release.
//
// Bounds are those of the policy times `radius` and `width`: neither has a part in privacy, and at 0
// a game of twenty rounds decides something. Without a fault and at 1 it plays as the policy does.
#pragma once

#include "assay/auditors/dueling/dueling_pair.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

enum class EbsFault { kNone, kSkipsLosses, kRedraws, kTakesBackOne, kReadsCounts, kTiesByWins };

struct FaultyEbs {
  DpEbsEliminationConfig config;
  EbsFault fault = EbsFault::kNone;
  double radius = 1.0;
  double width = 1.0;
};

struct FaultyPlay {
  std::vector<Duel> duels;
  double loss = 0.0;            // of the side that is played against the other
  bool read = false;            // the changed bit
  std::vector<double> entries;  // all that was fed, by arm
  std::vector<double> wins;     // that count at the end, by arm
};

class FaultyEbsRelease final : public PairRelease {
 public:
  FaultyEbsRelease(FaultyEbs policy, InputPair pair)
      : policy_(policy),
        right_(DpEbsElimination::create(policy.config).value()),
        pair_(std::move(pair)) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    const FaultyPlay played = play(side, random);
    const double loss = side == Side::kBase ? played.loss : -played.loss;
    if (!played.read) return {{0}, 0.0};
    std::vector<int> seen{1};
    for (std::size_t t = 0; t < played.duels.size(); ++t) {
      const int due = static_cast<int>(t % static_cast<std::size_t>(policy_.config.arms));
      if (played.duels[t].first == due) continue;
      seen.insert(seen.end(), {static_cast<int>(t), played.duels[t].first});
      break;
    }
    return {seen, loss};
  }

  FaultyPlay play(Side side, ReplayStream& random) const {
    const std::int64_t arms = policy_.config.arms;
    const auto count = static_cast<std::size_t>(arms);
    const double scale = right_.noise_scale();
    const Laplace noise = Laplace::create(0.0, scale).value();
    const double log_cases =
        std::log(static_cast<double>(arms * policy_.config.horizon) /
                 (policy_.config.delta > 0.0
                      ? policy_.config.delta
                      : std::min(0.5, 1.0 / static_cast<double>(policy_.config.horizon))));
    struct Counter {
      std::vector<double> fed, other, noises;  // entries on either side
      double estimate = 0.0;
    };
    std::vector<Counter> counters(count);
    std::vector<double> plays(count * count, 0.0), wins(count * count, 0.0),
        lost(count * count, 0.0);
    std::set<int> active;
    for (int arm = 0; arm < arms; ++arm) active.insert(arm);
    FaultyPlay out;
    const auto place = [&](int i, int j) {
      return static_cast<std::size_t>(i) * count + static_cast<std::size_t>(j);
    };
    const auto sum = [&](const std::vector<double>& of, int i) {
      double total = 0.0;
      for (const int j : active) total += of[place(i, j)];
      return total;
    };
    const auto feed = [&](int arm, double entry, double other) {
      if (policy_.fault == EbsFault::kSkipsLosses && entry == 0.0) {
        if (other != 0.0) out.loss = std::numeric_limits<double>::infinity();
        return;
      }
      if (policy_.fault == EbsFault::kSkipsLosses && entry > 0.0 && other == 0.0) {
        out.loss = std::numeric_limits<double>::infinity();
      }
      Counter& c = counters[static_cast<std::size_t>(arm)];
      c.fed.push_back(entry);
      c.other.push_back(other);
      c.noises.push_back(noise.sample(random));
      c.estimate = 0.0;
      // The nodes of the prefix, the latest first; drawn anew but for the latest by kRedraws.
      for (std::size_t end = c.fed.size(); end > 0; end &= end - 1) {
        const std::size_t begin = end & (end - 1);
        double node = 0.0, moved = 0.0;
        for (std::size_t s = begin; s < end; ++s) {
          node += c.fed[s];
          moved += c.other[s] - c.fed[s];
        }
        const bool is_new = end == c.fed.size();
        const bool redrawn = policy_.fault == EbsFault::kRedraws && !is_new;
        const double drawn = redrawn ? noise.sample(random) : c.noises[end - 1];
        if (is_new || redrawn) out.loss += (std::fabs(drawn - moved) - std::fabs(drawn)) / scale;
        c.estimate += node + drawn;
      }
    };
    for (std::int64_t t = 0; t < policy_.config.horizon; ++t) {
      const auto least = [&](int i, int j) {
        const double n = sum(plays, i), m = sum(plays, j);
        if (n != m || policy_.fault != EbsFault::kTiesByWins) return n < m;
        return sum(wins, i) > sum(wins, j);
      };
      const int a = active.size() == 1 ? *active.begin()
                                       : *std::min_element(active.begin(), active.end(), least);
      const int b =
          active.size() == 1
              ? a
              : *std::next(active.begin(),
                           static_cast<std::ptrdiff_t>(uniform_below(random, active.size())));
      out.duels.push_back({a, b});
      if (active.size() == 1) continue;
      const double base_bit = pair_.base()->row(t)[place(a, b)];
      const double neighbour_bit = pair_.neighbour_row(t)[place(a, b)];
      const double bit = side == Side::kBase ? base_bit : neighbour_bit;
      const double other = side == Side::kBase ? neighbour_bit : base_bit;
      if (bit != other) out.read = true;
      if (bit != other &&
          (policy_.fault == EbsFault::kReadsCounts || policy_.fault == EbsFault::kTiesByWins)) {
        out.loss = std::numeric_limits<double>::infinity();
      }
      plays[place(a, b)] += 1.0;
      wins[place(a, b)] += bit;
      lost[place(a, b)] += other;
      feed(a, bit, other);
      std::vector<std::pair<double, double>> bounds;
      double best = -std::numeric_limits<double>::infinity();
      for (const int i : active) {
        const double n = sum(plays, i);
        const Counter& c = counters[static_cast<std::size_t>(i)];
        const double counted = policy_.fault == EbsFault::kReadsCounts ? sum(wins, i) : c.estimate;
        const double wide =
            policy_.width * std::sqrt(log_cases / n) +
            policy_.radius *
                right_.radius(std::popcount(static_cast<std::uint64_t>(c.fed.size()))) / n;
        bounds.emplace_back(n == 0.0 ? -HUGE_VAL : counted / n - wide,
                            n == 0.0 ? HUGE_VAL : counted / n + wide);
        best = std::max(best, bounds.back().first);
      }
      std::vector<int> gone;
      std::size_t k = 0;
      for (const int i : active) {
        if (bounds[k++].second < best) gone.push_back(i);
      }
      for (const int i : gone) active.erase(i);
      if (active.size() == 1) continue;
      for (const int i : gone) {
        for (const int j : active) {
          const bool one = policy_.fault == EbsFault::kTakesBackOne;
          feed(j, one ? -1.0 : -wins[place(j, i)], one ? -1.0 : -lost[place(j, i)]);
        }
      }
    }
    for (int i = 0; i < arms; ++i) {
      double fed = 0.0;
      for (const double entry : counters[static_cast<std::size_t>(i)].fed) fed += entry;
      out.entries.push_back(fed);
      out.wins.push_back(active.count(i) > 0 ? sum(wins, i) : 0.0);
    }
    return out;
  }

 private:
  FaultyEbs policy_;
  DpEbsElimination right_;
  InputPair pair_;
};

}  // namespace assay
