#include "assay/auditors/best_arm/claims/checks.hpp"
#include "assay/auditors/claims/paper_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> best_arm_claims() {
  namespace checks = best_arm_checks;
  const ClaimsOf claim{papers::kBestArm};
  using Kind = ClaimKind;
  using V = ClaimVerdict;
  using Reads = ClaimReads;
  return {
      claim(
          "bai-dp", Kind::kPrivacy, "Proposition 4.1",
          "DP-BAI with noise Laplace(1/(eps n)) on a mean of n rewards is eps-DP, with any schedule "
          "of phases and pulls: neighbouring reward tables differ in one cell.",
          checks::laplace_privacy),
      claim(
          "bai-gauss-release", Kind::kPrivacy, "Appendix I, proof of Proposition D.2",
          "A mean of n rewards with normal noise of variance 2 log(1.25/delta)/(eps n)^2 is (eps, "
          "delta)-DP for any eps > 0.",
          checks::gaussian_release,
          {.expected = V::kRefuted,
           .comment =
               "The proof takes this step from Dwork and Roth, Theorem A.1, which requires eps < "
               "1."}),
      claim(
          "bai-gauss-dp", Kind::kPrivacy, "Proposition D.2",
          "DP-BAI-Gauss, with normal noise of variance 2 log(1.25/delta)/(eps n)^2 on a mean of n "
          "rewards, is (eps, delta)-DP for any eps > 0.",
          checks::gaussian_transcript,
          {.expected = V::kRefuted,
           .comment =
               "The classical constant is proved only for eps < 1. At large eps even the actions "
               "lose more than stated, although they show only which mean is smaller. calibration "
               "= corrected uses the smallest sufficient constant.",
           .rests_on = {"bai-gauss-release"},
           .figure = "bai-gauss-map"}),
      claim(
          "dp-od-dp", Kind::kPrivacy, "Appendix E.1",
          "DP-OD, OD-LinBAI with Laplace(L/eps) noise on every entry of the moments U, L = max "
          "||a_i|| the l2 norm, is eps-DP.",
          checks::moments_l2,
          {.expected = V::kRefuted,
           .cost = "5 s",
           .comment =
               "A reward moves U by up to ||a_i||_1 in l1 norm, which may be sqrt(d) L, and "
               "Laplace noise on every entry must have a scale for this distance. The text does "
               "not say which norm it means; with the l1 norm in each phase's own coordinates the "
               "claim holds (dp-od-l1)."}),
      claim(
          "dp-od-l1", Kind::kPrivacy, "Appendix E.1",
          "DP-OD with L = max ||a_i||_1 over the active arms, in the coordinates of the phase, is "
          "eps-DP.",
          checks::moments_l1),
      claim("dp-od-literal", Kind::kPrivacy, "Appendix E.1",
            "The release of DP-OD in a phase is eps-DP with one L = max over all K arms of "
            "||a_i||_1, while later phases reduce dimension to a basis of their own.",
            checks::moments_literal,
            {.expected = V::kRefuted,
             .comment =
                 "The l1 norm depends on the basis. For two unit vectors 45 degrees apart, the "
                 "change of basis raises it from 1.3066 to 1.4142, and a reward costs 1.0824 eps. "
                 "For arms of other lengths it costs up to sqrt(2) eps. L must be computed anew in "
                 "each phase."}),
      claim(
          "bai-table-equivalence", Kind::kStructure, "Corollary C.6",
          "A policy is eps-DP for reward tables by pull that differ in one cell if and only if it "
          "is eps-DP for tables by time that differ in one round.",
          checks::table_equivalence, {.cost = "5 s"}),
      claim("maxdet-coordinates", Kind::kAnalytic, "Lemma G.1",
            "In the basis of a collection with the largest |det|, the coordinates of every active "
            "vector lie in [-1, 1].",
            checks::max_det),
      claim("bai-pairwise", Kind::kRegret, "Lemma G.2",
            "In phase p, P(private mean of j >= that of the best arm) <= 2 exp(-(D_j^2/16) n) + 2 "
            "exp(-(eps D_j/16) n), n = ceil(T'/(M min(d_Q^2, s_p))), D_j the gap.",
            checks::pairwise, {.reads = Reads::kStatistical}),
      claim(
          "bai-error", Kind::kRegret, "Theorem 4.2, (76), for d >= 2",
          "For d >= 2, and the schedule of phases of its proof (s_1 = K, s_(M_1+1) = g_0), DP-BAI "
          "errs with probability at most (12 M + 4 M_1 lambda) exp(-T'/(64 M H)), and at most "
          "exp(-T'/(65 M H)) for T large enough.",
          checks::error_bound,
          {.cost = "2 s",
           .reads = Reads::kStatistical,
           .comment =
               "The proof is correct for d >= 3. For d <= 2 it uses Delta_(1) = 0. At d = 2, the "
               "dimension of the paper's experiments, the bound holds for another reason. The theorem "
               "does not exclude d = 1 (bai-error-printed). Formulas (5) to (8) have another schedule, "
               "for which the proof does not work."}),
      claim(
          "bai-error-printed", Kind::kRegret, "Theorem 4.2",
          "For every d >= 1, a maximum over the empty set being 0, DP-BAI errs with probability at "
          "most exp(-T'/(65 M H)) for T large enough.",
          checks::error_bound_in_one_dimension,
          {.expected = V::kRefuted,
           .comment =
               "At d = 1 both parts of H are maxima over 2 <= i <= min(d^2, K), over no i. Read as 0 "
               "they make the bound 0, but a policy with noise errs. With no value for H the theorem "
               "states nothing there. With the schedule of the proof it holds for d >= 2 (bai-error)."}),
      claim("bai-budget", Kind::kStructure, "Section 2, Algorithm 1",
            "DP-BAI with formulas (5) to (8), which pulls each of the n arms of a phase ceil(T'/(M "
            "n)) times, never pulls more than T times.",
            checks::budget,
            {.expected = V::kRefuted,
             .comment =
                 "The T - T' pulls that are set aside suffice for rounding up only if few arms "
                 "are pulled. Assay's own policy distributes exactly T pulls "
                 "(policies/best_arm/schedule.hpp)."}),
      claim(
          "hardness", Kind::kStructure, "(15)",
          "H = H_BAI + H_pri, H_BAI = max i/D_(i)^2 and H_pri = (1/eps) max i/D_(i) over 2 <= i <= "
          "min(d^2, K), D_(i) the i-th smallest gap.",
          checks::hardness_parts),
      claim(
          "early-stopping", Kind::kStructure, "Lemma 4.3, Corollary 4.4",
          "P(E) is the same for a policy and for its version that stops before the (n + 1)-th pull "
          "of arm iota, for every E = {recommendation in A, fewer than n pulls of iota}; and the "
          "stopped version is eps-DP if the policy is.",
          checks::early_stopping),
      claim("bai-change-of-measure", Kind::kAnalytic, "Lemma 4.5",
            "For eps > 0 and a policy that is stopped after n pulls of arm iota and then eps-DP, "
            "P_v(S) <= e^(6 eps n TV) P_v'(S) for instances that differ only in arm iota, by a "
            "total variation distance of TV.",
            checks::change_of_measure,
            {.expected = V::kRefuted,
             .comment =
                 "The lemma is true if e^eps <= 1 + 6 eps, that is up to eps = 2.9. Above that, "
                 "one randomised response is a counterexample. The lower bound of Theorem 4.7 "
                 "uses the lemma for eps < 1 and holds. With the factor (1 + TV (e^eps - 1))^n in "
                 "place of e^(6 eps n TV), the lemma holds for every eps."}),
      claim(
          "bai-lower-family", Kind::kRegret, "Lemma H.5, (103)",
          "On the Bernoulli instances 1/2 -+ g_i, g_i = K g_{i-1}, an eps-DP policy that finds arm "
          "1 of instance 0 with probability above 1/2 errs with probability at least (1/4) exp(-96 "
          "T/(log K H_pri)) on one of the others.",
          checks::lower_family,
          {.expected = V::kNotRefuted, .cost = "2 s", .reads = Reads::kStatistical}),
      claim(
          "dp-od-ratio", Kind::kRegret, "Proposition E.1",
          "On arms (x, 0), (0, y) DP-OD errs with probability exp(-Omega(T/(1/D^2 + r/(eps D)))), "
          "r the larger of x/y and y/x, and DP-BAI with the same probability without the factor r.",
          checks::features_ratio,
          {.expected = V::kNotRefuted, .cost = "2 s", .reads = Reads::kStatistical}),
  };
}

}  // namespace assay
