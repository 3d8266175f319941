// Planted faults in the comparators of Thompson sampling: each breaks the claim of eps-DP by a
// value that is known exactly, and is convicted on the released means; the policy itself and the
// plain implementation without a fault are acquitted.
//
// | fault                               | policy      | smallest eps of the releases read |
// |-------------------------------------|-------------|-----------------------------------|
// | noise of scale 1/(2 eps R)          | both        | 2 eps                             |
// | rewards of earlier phases not       | lazy UCB    | eps (1 + 2/3 + 4/7)               |
// |   forgotten                         |             |                                   |
// | sums not restarted with the epoch   | elimination | 2 eps                             |
//
// The first reward of arm 1 is 1 in one stream and 0 in its neighbour, all others are 0. Event A:
// the first k releases of arm 1 each exceed the noiseless mean of the stream with the 1. Under that
// stream P(A) = 2^-k, under the neighbour Q(A) = 2^-k e^-loss, with the loss of the table. Test:
// mean of 1_A(P) - e^eps 1_A(Q) over n independent pairs, at most 0 under the claim, in
// [-e^eps, 1]: convict where it exceeds Hoeffding's bound at alpha = 1e-6.
#include "assay/tests/support/plain_baselines.hpp"

namespace assay {
namespace {

constexpr double kFrequencyAlpha = 1e-6;
constexpr double kBaselineEpsilon = 1.0;
constexpr std::uint64_t kPlayPairs = 40'000;

// Whether arm 1's first releases exceed `levels`, one after the other.
bool exceeds(const PlainRun& run, const std::vector<double>& levels) {
  std::size_t k = 0;
  for (const auto& release : run.releases) {
    if (release.arm != 0 || k == levels.size()) continue;
    if (release.value <= levels[k++]) return false;
  }
  return k == levels.size();
}

RewardOf pays_first(double reward) {
  return [reward](std::int64_t round, int) { return round == 0 ? reward : 0.0; };
}

struct Outcome {
  double p, q;  // frequencies of A
  bool convicted;
};

template <class Run>
Outcome audit_frequencies(const std::vector<double>& levels, const Run& run) {
  std::int64_t under_p = 0;
  std::int64_t under_q = 0;
  for (std::uint64_t i = 0; i < kPlayPairs; ++i) {
    const ReplayStream p({.seed = 41, .replicate = i, .lane = 0});
    const ReplayStream q({.seed = 41, .replicate = i, .lane = 1});
    under_p += exceeds(run(pays_first(1.0), p), levels);
    under_q += exceeds(run(pays_first(0.0), q), levels);
  }
  const double n = static_cast<double>(kPlayPairs);
  const double p = static_cast<double>(under_p) / n;
  const double q = static_cast<double>(under_q) / n;
  const double slack =
      (1.0 + std::exp(kBaselineEpsilon)) * std::sqrt(std::log(1.0 / kFrequencyAlpha) / (2.0 * n));
  return {p, q, p - std::exp(kBaselineEpsilon) * q > slack};
}

// Hoeffding at alpha, two-sided, for a frequency.
void expect_frequency(double observed, double exact) {
  EXPECT_NEAR(observed, exact, std::sqrt(std::log(2.0 / kFrequencyAlpha) / (2.0 * kPlayPairs)));
}

// A fault whose event has probability p, and a loss of so many eps.
void expect_breaks(const Outcome& outcome, double p, double loss) {
  expect_frequency(outcome.p, p);
  expect_frequency(outcome.q, p * std::exp(-loss * kBaselineEpsilon));
  EXPECT_TRUE(outcome.convicted);
}
// The correct policy attains eps, and does not exceed it.
void expect_kept(const Outcome& outcome, double p) {
  expect_frequency(outcome.p, p);
  expect_frequency(outcome.q, p * std::exp(-kBaselineEpsilon));
  EXPECT_FALSE(outcome.convicted);
}

class LazyUcbFault : public ::testing::Test {
 protected:
  static Outcome audit_plain(const std::vector<double>& levels, BaselineFault fault) {
    return audit_frequencies(levels, [&](const RewardOf& reward, const ReplayStream& random) {
      return plain_lazy_ucb(config(), 30, reward, random, fault);
    });
  }
  static Outcome audit_policy(const std::vector<double>& levels) {
    return audit_frequencies(levels, [&](const RewardOf& reward, const ReplayStream& random) {
      return run_lazy_ucb(config(), 30, reward, random);
    });
  }
  static AnytimeLazyUcbConfig config() { return AnytimeLazyUcbConfig{.epsilon = kBaselineEpsilon}; }
};

TEST_F(LazyUcbFault, IsConvicted) {
  expect_breaks(audit_plain({1.0}, BaselineFault::kHalfNoise), 0.5, 2.0);
  expect_breaks(audit_plain({1.0, 1.0 / 3.0, 1.0 / 7.0}, BaselineFault::kNotForgotten), 0.125,
                1.0 + 2.0 / 3.0 + 4.0 / 7.0);
}

TEST_F(LazyUcbFault, TheCorrectPolicyIsAcquitted) {
  for (const std::vector<double>& levels :
       {std::vector<double>{1.0}, std::vector<double>{1.0, 0.0, 0.0}}) {
    const double p = std::ldexp(1.0, -static_cast<int>(levels.size()));
    expect_kept(audit_policy(levels), p);
    expect_kept(audit_plain(levels, BaselineFault::kNone), p);
  }
}

class EliminationFault : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRounds = 40;

  static Outcome audit_plain(const std::vector<double>& levels, BaselineFault fault) {
    return audit_frequencies(levels, [&](const RewardOf& reward, const ReplayStream& random) {
      return plain_elimination(config(), kRounds, reward, random, fault);
    });
  }
  static Outcome audit_policy(const std::vector<double>& levels) {
    return audit_frequencies(levels, [&](const RewardOf& reward, const ReplayStream& random) {
      return run_elimination(config(), kRounds, reward, random);
    });
  }
  // Epochs of 2 and 6 pulls whose width lets almost every arm live.
  static DpSuccessiveEliminationConfig config() {
    return DpSuccessiveEliminationConfig{
        .horizon = kRounds, .epsilon = kBaselineEpsilon, .beta = 1e-3, .epoch_scale = 1e-3};
  }
  // The noiseless means of arm 1's first releases in the stream with the 1.
  static std::vector<double> levels(std::size_t count, bool forgotten) {
    std::vector<double> out;
    for (std::size_t e = 1; e <= count; ++e) {
      const auto epoch = detail::elimination_epoch(config(), static_cast<std::int64_t>(e), 2);
      out.push_back(e > 1 && forgotten ? 0.0 : 1.0 / static_cast<double>(epoch.pulls));
    }
    return out;
  }
};

TEST_F(EliminationFault, IsConvicted) {
  expect_breaks(audit_plain(levels(1, true), BaselineFault::kHalfNoise), 0.5, 2.0);
  expect_breaks(audit_plain(levels(2, false), BaselineFault::kNotForgotten), 0.25, 2.0);
}

TEST_F(EliminationFault, TheCorrectPolicyIsAcquitted) {
  for (const std::size_t count : {1u, 2u}) {
    const double p = std::ldexp(1.0, -static_cast<int>(count));
    expect_kept(audit_policy(levels(count, true)), p);
    expect_kept(audit_plain(levels(count, true), BaselineFault::kNone), p);
  }
}

}  // namespace
}  // namespace assay
