// Audits of targets that are one function, by bets on coins from the first run on.
#pragma once

#include "assay/auditors/methods/black_box/coin_bets.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// A target that may remember: what it has seen, and what the bets have come to.
struct CoinTarget {
  std::string name;
  ForecastClaim claim;
  // A fresh one. The output of the next run, on P or on Q; log_wealth is that of the auditor.
  using Run = std::function<double(ReplayStream&, bool on_p, double log_wealth)>;
  std::function<Run()> make;
};

inline double draw_normal(ReplayStream& random) { return normal_quantile(random.uniform()); }
inline double draw_laplace(ReplayStream& random) {
  const double size = -portable_log(random.uniform());
  return random.uniform() < 0.5 ? -size : size;
}

// How many runs until the claim falls at this alpha; more than `most` if it stands.
inline std::int64_t runs_to_conviction(const CoinTarget& target, double alpha, std::int64_t most,
                                       std::uint64_t audit) {
  ReplayStream coins({11, hash_purpose("coins of " + target.name), audit, 0, Phase::kCertify});
  ReplayStream random({12, hash_purpose(target.name), audit, 0, Phase::kCertify});
  CoinBets bets(target.claim);
  const CoinTarget::Run run = target.make();
  while (bets.runs() < most) {
    const bool on_p = coins.next() >> 63 != 0;
    const double score = run(random, on_p, bets.log_wealth());
    bets.observe(std::span(&score, 1), {on_p});
    if (bets.reached(alpha)) return bets.runs();
  }
  return most + 1;
}

}  // namespace assay
