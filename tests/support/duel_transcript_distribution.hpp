// The exact law of what DP-EBS-Elimination plays against given outcomes: two arms, few rounds.
//
// Symbols: s the scale of a node's noise; X_m, Y_m the estimates of the two counters after m
// entries; in round t the arms have n = ceil(t/2) and m = floor(t/2) plays, W_t the sum of the half
// widths of their bounds. Second arms are words, the outcomes are fixed, so that the entries of the
// counters are known along a path of duels.
//   round t <  T ends the elimination, the first arm leaving, where  Y_m/m - X_n/n >  W_t          (1)
//                                      the second             where  Y_m/m - X_n/n < -W_t
// X_1, X_2, X_4 are a node's noise about its sum each, X_3 is X_2 and a node, and so for Y: a path
// is a polyhedron of at most 8 Laplace noises, its factor 2^-(duels drawn). Elimination in round T
// is not seen; a transcript is one path or, where it ends so soon that both look alike, several.
//   rounds 2-4: one variable after another integrates out in closed form, h below, in units of s:
//     h_2(y) = P(X_1 in (1) | Y_1 = y), r(x) = f(x - x_2) int over Y_1 in (1) of f h_2             (2)
//     P(a leaves in round 4) = int f(y - y_2) int over x in (1) of r(x) dx dy
//   rounds 5-8: X_1 and Y_1 are gone; with e, e' what X_3, Y_3 add, over Y_2 = y and X_3 = x
//     int int f(y - y_2) V(x, y) K(x, y) dx dy over (1) for t = 5                                  (3)
//     V = int over X_2 in (1) for t = 4 of r(u) f(x - u - e) du
//     K = int over Y_3 in (1) for t = 6 of f(v - y - e') k(v) dv, k of rounds 7 and 8 as h_2 and r
//   V and K in closed form, (3) by Gauss-Legendre between all lines on which they have kinks.
//
// Accuracy: 1e-9 of each probability above 1e-6, measured: the paths, each integrated by itself, sum
// to 1 within 3e-13 (tests/unit/dueling/transcript_distribution_test.cpp).
// Threads: a value. Cost: 0.1 ms a sequence of wins for T <= 5, 20 ms for T = 8, 50 ms for T = 9.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "assay/auditors/methods/exact.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

inline constexpr std::int64_t kMostExactDuels = 9;
inline constexpr double kDuelRelativeError = 1e-9;  // of a transcript

// The probability of each transcript of positive probability: T duels, each K first + second.
using DuelDistribution = std::map<std::vector<int>, double>;

class EbsTranscriptDistribution {
 public:
  // Errors: more than two arms, more than kMostExactDuels rounds, s below T/200.
  static Result<EbsTranscriptDistribution> create(const DpEbsElimination& policy);

  // Precondition: a policy without rounds played. Errors: those of check_input.
  // Remembers what sequences of wins it has seen.
  Result<DuelDistribution> distribution(const InputTable& outcomes);

  // Of rounds 2, 3, .., T - 1 along one path; `wins` has bit t - 1 set where round t's first arm won.
  struct PathChances {
    std::array<std::array<double, 2>, kMostExactDuels + 1> leaves{};  // [t][arm]
    double none = 1.0;                                                // none left before T
  };
  const PathChances& chances(std::uint32_t wins);

 private:
  explicit EbsTranscriptDistribution(const DpEbsElimination& policy);

  std::int64_t horizon_;
  double scale_;
  std::array<double, kMostExactDuels + 1> widths_{};  // W_t/s
  std::map<std::uint32_t, PathChances> known_;
};

// Both sides of a pair, over every transcript that either can show.
struct DuelTranscriptDistributions {
  EnumeratedDistributions distributions;
  std::vector<std::vector<int>> transcripts;
};
Result<DuelTranscriptDistributions> duel_transcript_distributions(const DpEbsElimination& policy,
                                                                  const InputPair& pair);

}  // namespace assay
