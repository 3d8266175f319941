#include "assay/auditors/claims/paper_claim.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"

namespace assay {

std::vector<RegisteredClaim> sparse_claims() {
  namespace checks = sparse_checks;
  const ClaimsOf claim{papers::kSparse};
  using Kind = ClaimKind;
  using V = ClaimVerdict;
  using Reads = ClaimReads;
  return {
      claim(
          "peel-dp", Kind::kPrivacy, "Lemma A.2",
          "Peeling of s entries with noise of scale 2 lambda sqrt(3 s log(1/delta))/eps is (eps, "
          "delta)-DP if no entry moves by more than lambda between neighbours, for every eps > 0, "
          "delta in (0, 1) and s.",
          checks::peeling_privacy,
          {.expected = V::kRefuted,
           .cost = "2 s",
           .comment =
               "The lemma states no range, but its source requires eps <= 1/2, delta <= 0.011 and "
               "s >= 10. At delta = 0.01 composition by zCDP proves the lemma up to about eps = "
               "2, and certified composition up to 8 or more. The counterexamples begin at still "
               "larger eps."}),
      claim("peel-dp-range", Kind::kPrivacy, "Lemma A.2, in its source",
            "Peeling of s entries with noise of scale 2 lambda sqrt(3 s log(1/delta))/eps is (eps, "
            "delta)-DP if no entry moves by more than lambda between neighbours, for eps <= 1/2, "
            "delta <= 0.011 and s >= 10.",
            checks::peeling_privacy_in_range,
            {.comment = "The lemma holds for every s, and for eps up to 0.418 log(1/delta)."}),
      claim(
          "peel-dp-experiments", Kind::kComposition, "Lemma A.2, Section 6",
          "At the levels of the experiments, delta = 0.01 and eps = 0.5, 1, 2, 5 and 10, and their s "
          "= 10: one peeling of 10 entries with noise of scale 2 lambda sqrt(30 log(1/delta))/eps is "
          "(eps, delta)-DP if no entry moves by more than lambda between neighbours.",
          checks::peeling_privacy_in_experiments, {.reads = Reads::kNothing}),
      claim(
          "niht-sensitivity", Kind::kSensitivity, "Sections 4, 5.1",
          "With contexts within x_max, rewards within R and |theta|_1 <= C = b_max, replacing one "
          "record of n moves the vector that N-IHT gives to peeling by at most eta B/n in sup "
          "norm, B = R + x_max b_max.",
          checks::sensitivity,
          {.expected = V::kRefuted,
           .comment =
               "The sensitivity is eta/n times 4 x_max (R + x_max C), or times 2 x_max (R + x_max "
               "C) for half the squared loss. calibration = corrected uses it.",
           .figure = "fliphat-peeling"}),
      claim("l1-projection", Kind::kAnalytic, "Appendix D.2, (9)",
            "The Euclidean projection onto an l1 ball moves no two points apart in the l2 norm.",
            checks::projection_contracts,
            {.comment =
                 "The same holds for every closed convex set. In the l1 norm two points may move "
                 "apart, up to twofold."}),
      claim("peel-contraction", Kind::kAnalytic, "Lemma D.1, for |I| >= s",
            "For v with support in I, |I| >= s, and v' with at most s' <= s entries, s' < |I|, "
            "peeling's choice of s entries P(v) by noises w_1 .. w_s has |P(v) - v|^2 <= (1 + 1/c) "
            "(|I| - s)/(|I| - s') |v' - v|^2 + 4 (1 + c) sum of |w_i|_inf^2 for every c > 0.",
            checks::peeling_contracts,
            {.comment = "The lemma does not require |I| >= s, without which it is false "
                        "(peel-contraction-printed). The paper uses |I| = s + s*."}),
      claim(
          "peel-contraction-printed", Kind::kAnalytic, "Lemma D.1",
          "For any I, v with support in I, and v' with at most s' <= s entries, s' < |I|, peeling's "
          "choice of s entries P(v) by noises w_1 .. w_s has |P(v) - v|^2 <= (1 + 1/c) (|I| - "
          "s)/(|I| - s') |v' - v|^2 + 4 (1 + c) sum of |w_i|_inf^2 for every c > 0.",
          checks::peeling_contracts_as_printed,
          {.expected = V::kRefuted,
           .comment =
               "If I has fewer than s entries, the first term on the right is negative. With "
               "|I| >= s the lemma holds (peel-contraction)."}),
      claim(
          "laplace-tails", Kind::kAnalytic, "Lemma E.1",
          "For k Laplace noises w of scale lambda and every C > 1, P(|w|_2^2 > k C^2 lambda^2) <= "
          "k e^-C and P(|w|_inf^2 > C^2 lambda^2 log(k)^2) <= k^-(C-1).",
          checks::laplace_tails,
          {.comment = "Both bounds are union bounds over the k noise values; the first is "
                      "attained at k = 1."}),
      claim(
          "clip-inactive", Kind::kRegret, "Appendix E.2",
          "In an episode of N rounds, with probability at least 1 - 1/N, no reward is clipped to R "
          "= x_max b_max + sigma sqrt(2 log N), for sigma-sub-Gaussian noise.",
          checks::clipping,
          {.expected = V::kRefuted,
           .comment =
               "The proof takes N exp(-log N) for 1/N, but it is 1. With sigma sqrt(2 log(2 N^2)) "
               "in place of sigma sqrt(2 log N) the claimed bound holds. With 2 sigma sqrt(log N) "
               "the bound is 2/N, and 1/N for Gaussian noise."}),
      claim(
          "niht-error", Kind::kRegret, "Proposition 5.5",
          "The squared error of N-IHT, eta = 1/(2 kappa'), C = b_max, is O((s + s*) log(d)/N + (s "
          "log d)^2 log(log(N)/delta) log(N)^3/(N eps)^2) with high probability.",
          checks::niht_error,
          {.expected = V::kNotRefuted,
           .cost = "2 s",
           .reads = Reads::kStatistical,
           .comment =
               "This is an O() without constants, so the check fits the exponents of the private "
               "term in N, 1/eps and log d.",
           .rests_on = {"peel-contraction", "laplace-tails", "clip-inactive", "l1-projection"}}),
      claim(
          "fliphat-regret", Kind::kRegret, "Theorem 5.6, Figure 1",
          "Without a margin, alpha = 0, FLIPHAT's regret grows at most like log d at fixed T, like "
          "sqrt(T) and like 1/eps, logarithms of T aside.",
          checks::regret_rates,
          {.expected = V::kNotRefuted,
           .cost = "3 s",
           .reads = Reads::kStatistical,
           .comment =
               "The statement uses the paper's noise, which is less than the sensitivity requires "
               "if x_max > 1/4.",
           .rests_on = {"niht-error"}}),
      claim(
          "sparse-lower", Kind::kRegret, "Theorem 3.2, delta = 0",
          "With a constant c > 0, every eps-JDP policy, for every eps > 0 and T, has an expected "
          "regret of at least c max(s* log(d/s*)^1.5/eps, sqrt(s* T log(d/s*))) in some instance of "
          "Appendix C: two arms, |beta*|_1 <= b_max, contexts with E|x|_inf of order 1; s* "
          "log(d/s*) being large enough.",
          checks::lower_bound,
          {.expected = V::kRefuted,
           .comment =
               "The bound lacks a cap: with two arms the regret is at most 2 E|x|_inf b_max T, for "
               "bounded contexts as in Section 2 and for the Gaussian ones of Appendix C, but the "
               "bound grows without limit as eps falls. The hard instances of the proof have |beta|_1 "
               "<= b_max only if eps T is large enough."}),
      claim("fliphat-jdp", Kind::kPrivacy, "Theorem 5.1",
            "FLIPHAT is (eps, delta)-joint differentially private.", checks::joint_privacy,
            {.expected = V::kRefuted,
             .comment =
                 "B = R + x_max b_max lacks a factor 4 x_max, so the noise does not grow with the "
                 "contexts. One coordinate and two rounds are enough: the neighbour replaces the "
                 "reward of the first round, and the adversary reads the greedy action of the "
                 "second.",
             .rests_on = {"niht-sensitivity", "peel-dp"}}),
      claim(
          "fliphat-jdp-normalized", Kind::kPrivacy, "Theorem 5.1",
          "FLIPHAT is (eps, delta)-joint differentially private if x_max = 1, M = 1, C = b_max, s "
          ">= 10, eps <= 1/2 and delta <= 0.011, the range that the lemma of peeling is proved "
          "for.",
          checks::joint_privacy_normalized,
          {.expected = V::kRefuted,
           .cost = "2 s",
           .comment =
               "Peeling has slack, so the theorem holds at delta = 0.01 if sigma is well below "
               "b_max. A sigma above b_max or a smaller delta uses up the slack.",
           .rests_on = {"niht-sensitivity", "peel-dp-range"}}),
      claim(
          "fliphat-jdp-experiments", Kind::kPrivacy, "Theorem 5.1, Section 6",
          "FLIPHAT is (eps, 0.01)-joint differentially private in the experiments: d = 400, K = 3, s "
          "= 10, sigma = 0.1, eps from 1/2 to 10, one iteration (M_0 = 0.16, as the published curves, "
          "not the 1.6 of Appendix F), x_max = sqrt(2 log d) as in the authors' code.",
          checks::joint_privacy_experiments,
          {.expected = V::kRefuted,
           .cost = "2 s",
           .comment =
               "The statement is false at every eps of the figures: delta is at least 0.1 at eps "
               "= 1/2, and close to 1 from eps = 5 on. With contexts clipped at 1, b_max = 5, "
               "sigma = 0.1 and n = 256, it holds at eps = 1/2, fails at 5 with d = 20 and at 10 "
               "with d = 30, and is open in between. For more iterations it is undecided.",
           .rests_on = {"niht-sensitivity", "peel-dp-experiments"}}),
  };
}

}  // namespace assay
