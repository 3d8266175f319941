#include "assay/auditors/claims/paper_claim.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"

namespace assay {

// S is a set of active arms with scores r, P(i,j) = sigma(r_i - r_j), Delta = P - 1/2, B(i) the mean
// of P(i,j) over j in S. The statements say so if a reader needs it.
std::vector<RegisteredClaim> dueling_claims() {
  namespace checks = dueling_checks;
  const ClaimsOf claim{papers::kDueling};
  using Kind = ClaimKind;
  using V = ClaimVerdict;
  using Reads = ClaimReads;
  return {
      claim(
          "sst-sti", Kind::kAnalytic, "Appendix A.1",
          "Preferences P(i,j) = sigma(r_i - r_j), Delta = P - 1/2, are strongly stochastic "
          "transitive, Delta(i,k) >= max(Delta(i,j), Delta(j,k)), and obey the stochastic triangle "
          "inequality, Delta(i,k) <= Delta(i,j) + Delta(j,k), for r_i >= r_j >= r_k.",
          checks::transitivity),
      claim("ebs-property-1", Kind::kAnalytic, "Section 3, property 1",
            "For the effective Borda score B(i), the mean of P(i,j) over the arms j of a set, "
            "B(best) - B(worst) >= Delta(best, worst).",
            checks::borda_spread),
      claim("ebs-property-2", Kind::kAnalytic, "Section 3, property 2",
            "B(j) - B(worst) <= Delta(best, worst) for every arm j of a set but the best.",
            checks::borda_lead,
            {.expected = V::kRefuted,
             .comment =
                 "Appendix A.1 states and proves the property with 2 Delta (ebs-property-2b), but "
                 "its last line drops the 2. Four arms are enough for a counterexample: the best, "
                 "one close to it, one in the middle, and the worst.",
             .rests_on = {"sst-sti"}}),
      claim("ebs-property-2b", Kind::kAnalytic, "Appendix A.1, property 2",
            "B(j) - B(worst) <= 2 Delta(best, worst) for every arm j of a set but the best.",
            checks::borda_lead_doubled),
      claim("tree-dp", Kind::kPrivacy, "Lemma 1",
            "The binary-tree counter with Laplace(h/eps) noise on its nodes, h the levels of the "
            "tree, is eps-DP for a stream of numbers in [0, 1].",
            checks::tree_privacy,
            {.comment = "The lemma requires eps <= 1, which the proof does not need."}),
      claim("tree-accuracy", Kind::kRegret, "Lemma 1",
            "For T >= 3: at every time t the tree counter errs by at most (4/eps) log(1/delta) "
            "log(T)^2.5 with probability at least 1 - delta.",
            checks::tree_accuracy,
            {.reads = Reads::kStatistical,
             .comment =
                 "For T = 1 and 2, which the lemma does not exclude, log(T)^2.5 is too small "
                 "(tree-accuracy-printed). The statement is about each time: for all times at once "
                 "it fails as delta approaches 1."}),
      claim(
          "tree-accuracy-printed", Kind::kRegret, "Lemma 1",
          "For every T >= 1 there is an eps-DP counter that errs at every time t by at most "
          "(4/eps) log(1/delta) log(T)^2.5 with probability at least 1 - delta, eps <= 1.",
          checks::tree_accuracy_as_printed,
          {.expected = V::kRefuted,
           .comment = "At T = 1 the bound is 0, and no private counter is exact. From T = 3 on the "
                      "tree counter has the stated accuracy (tree-accuracy)."}),
      claim(
          "duel-dp", Kind::kPrivacy, "Lemma 2, repaired",
          "DP-EBS-Elimination is eps-DP, where neighbours differ in one preference, if Algorithm 1 "
          "is repaired: a loss feeds a 0 to the counter of the first arm, which has level eps/4, "
          "and the wins of removed duels leave a counter as one entry.",
          checks::elimination_privacy,
          {.cost = "2 s",
           .comment =
               "Algorithm 1 as listed has neither repair, and is not private (duel-dp-printed). The "
               "level is not tight: a win goes to one counter, which spends less than half of eps. "
               "calibration = corrected uses the smallest noise."}),
      claim(
          "duel-dp-printed", Kind::kPrivacy, "Lemma 2, Algorithm 1",
          "Algorithm 1 as listed is eps-DP, eps <= 1: only a win feeds the counter of the first arm, "
          "a tree counter that adds noise to the items that it was fed.",
          checks::listed_elimination,
          {.expected = V::kRefuted,
           .comment =
               "If the first arm loses every duel, all counters stay empty and no arm can leave. One "
               "flipped bit brings a noisy item, and with it a positive probability that an arm "
               "leaves. So no eps is enough. The repaired algorithm holds (duel-dp).",
           .rests_on = {"tree-dp"}}),
      claim(
          "ebs-unbiased", Kind::kStructure, "Lemma 3",
          "For a fixed set S and a fixed number of duels against uniform rivals of S, the share of "
          "wins of arm i has mean B_S(i).",
          checks::unbiased_set),
      claim(
          "ebs-unbiased-phase", Kind::kStructure, "Corollary 1",
          "At any time of a given phase the estimate of an active arm has mean B_S(i), S being the "
          "active set of the phase.",
          checks::unbiased_phase,
          {.expected = V::kRefuted,
           .comment =
               "Whether a phase goes on depends on the averaged wins themselves, so the average "
               "lacks the outcomes that would have ended the phase. The counterexample has no "
               "noise (eps to infinity); noise with mean 0 does not remove the bias.",
           .rests_on = {"ebs-unbiased"}}),
      claim(
          "ebs-coverage", Kind::kRegret, "Lemma 4, proof, for delta = 1/T",
          "For delta = 1/T, 2 <= K <= 16 and 100 <= T <= 1e9, with the repairs of duel-dp: with radius "
          "sqrt(log(K T/delta)/n) + 16 log(K/delta) log(T)^2.5/(n eps) all intervals of all active "
          "arms hold at all times with probability at least 1 - delta.",
          checks::coverage,
          {.cost = "2 s",
           .reads = Reads::kStatistical,
           .comment =
               "Lemma 4 is stated for every delta up to 1/2, every K and T, which is false "
               "(ebs-coverage-printed). Its proof takes a union over arms and times, as if the active "
               "set were fixed. A union over all sets shows it for these K and T.",
           .rests_on = {"ebs-unbiased-phase", "tree-accuracy"}}),
      claim("ebs-coverage-listing", Kind::kRegret, "Lemma 4, Algorithm 1, for delta = 1/T",
            "The statement of ebs-coverage holds with the radius of the listing, which has 16 "
            "log(log(K/delta)) log(T)^2.5/(n eps) for the noise.",
            checks::coverage_of_listing,
            {.reads = Reads::kNothing,
             .comment = "The printed proof, which has log(K/delta), does not show this, but exact "
                        "tails of the noise do."}),
      claim(
          "ebs-coverage-printed", Kind::kRegret, "Lemma 4",
          "For every delta in (0, 1/2], T > K >= 2 and eps <= 1, with the radius of Algorithm 1 and "
          "the repairs of duel-dp, all intervals of all active arms hold at all times with "
          "probability at least 1 - delta.",
          checks::coverage_as_printed,
          {.expected = V::kRefuted,
           .comment =
               "For small T the factor log(T)^2.5 is too small beside the 4 (floor(log2 T) + 1)/eps "
               "of the counters. The regret bound needs delta = 1/T only, where the lemma holds from "
               "T = 100 on for K up to 16 (ebs-coverage, ebs-coverage-listing).",
           .rests_on = {"tree-accuracy-printed"}}),
      claim(
          "ebs-removal-printed", Kind::kRegret, "Lemma 4, Algorithm 1, \"Add -1\"",
          "With delta = 1/T and the radius of Algorithm 1 all intervals of all active arms hold at "
          "all times with probability at least 1 - delta if an arm that leaves adds one -1 to the "
          "counter of every other active arm, as listed, a loss feeding a 0.",
          checks::removal_coverage,
          {.expected = V::kRefuted,
           .comment =
               "One -1 takes one win out of the counter, while n loses all duels against the arm "
               "that left. The estimate of an arm is then its wins against all rivals over its "
               "duels against some. Taking out all those wins, as the w_t of the listing does, "
               "repairs it (ebs-coverage)."}),
      claim("duel-pulls", Kind::kRegret, "Lemma 6",
            "If all intervals hold, a suboptimal arm i is pulled at most 8 log(K T/delta)/Delta^2 "
            "+ 64 log(K T/delta) log(T)^2.5/(Delta eps) times, Delta = Delta(1,i), with the radius "
            "of Lemma 4's proof.",
            checks::pulls,
            {.expected = V::kRefuted,
             .comment =
                 "After that many pulls two radii are up to 0.75 Delta, but the rule of "
                 "elimination needs four radii below Delta. With 32 and 128 in place of 8 and 64 "
                 "the lemma holds for the worst active arm.",
             .rests_on = {"ebs-property-1", "ebs-coverage"}}),
      claim("duel-gap", Kind::kAnalytic, "Theorem 1, proof",
            "r(x_1) - r(x_i) <= 2 Delta(1,i), Delta(1,i) = sigma(r(x_1) - r(x_i)) - 1/2.",
            checks::score_gap,
            {.expected = V::kRefuted,
             .comment =
                 "This is false for every gap. The logistic function has slope at most 1/4, so "
                 "the gap is at least 4 Delta. For gaps up to 2 it is up to 5.26 Delta."}),
      claim(
          "duel-regret", Kind::kRegret, "Theorem 1, proof",
          "The expected regret of DP-EBS-Elimination with delta = 1/T and the radius of Lemma 4's "
          "proof is at most sum over i of 16 log(K T)/Delta(1,i) + 128 log(K T) log(T)^2.5/eps.",
          checks::duel_regret,
          {.expected = V::kRefuted,
           .comment =
               "The bound may hold as an O(), but its explicit constants rely on duel-pulls and "
               "duel-gap. It is vacuous up to T = 2e5 with two arms and 1e7 with ten. Above that, "
               "with two arms and the printed radius, the regret exceeds the bound before any arm "
               "is eliminated.",
           .rests_on = {"duel-pulls", "duel-gap"},
           .figure = "duel-phases"}),
      claim(
          "duel-lower", Kind::kRegret, "Lemma 11, Theorem 2, for delta = 0, a constant for 1",
          "With a constant c > 0 an eps-DP policy (delta = 0), eps <= 1, of regret at most T/2 on "
          "every preference matrix pulls every arm at least c/eps times in expectation, K/eps <= "
          "T/10.",
          checks::duel_lower,
          {.comment =
               "The lemma is stated for (eps, delta)-DP, every delta, with c = 1, which is false "
               "(duel-lower-printed). The printed proof gives c = 0.026 at best; a sum in place of one "
               "probability gives 0.47."}),
      claim(
          "duel-lower-printed", Kind::kRegret, "Lemma 11",
          "For every delta an (eps, delta)-DP policy, eps <= 1, of regret at most T/2 on every "
          "preference matrix pulls every arm at least 1/eps times in expectation, K/eps <= T/10.",
          checks::duel_lower_as_printed,
          {.expected = V::kRefuted,
           .comment =
               "The proof uses group privacy without its delta. A policy that reads one of n duels, "
               "drawn at random, is (0, delta)-DP for delta near 1/(2 n), and has the regret that "
               "the lemma asks for. For delta = 0 a constant times 1/eps holds (duel-lower)."}),
      claim("gopt-dp", Kind::kPrivacy, "Theorem 3, Algorithm 2",
            "GOptimal-DPDB with Laplace(1/eps) on each pair's wins of a phase is eps-DP.",
            checks::design_privacy, {.cost = "2 s", .comment = "The policy spends all of eps."}),
      claim("gopt-dp-proof", Kind::kPrivacy, "Theorem 3, proof of Lemma 7",
            "GOptimal-DPDB with the Laplace(log(T)/eps) of the proof is eps-DP, T >= 3.",
            checks::design_privacy_of_proof,
            {.cost = "2 s",
             .comment =
                 "The noise is for log T phases, but each bit is used in only one of them, so the "
                 "policy spends eps/log T."}),
      claim(
          "kiefer-wolfowitz", Kind::kStructure, "Section 2",
          "A compact set that spans R^d has a design pi with max |z|^2_{V(pi)^-1} = d, the least possible, "
          "and a support of at most d (d + 1)/2.",
          checks::kiefer_wolfowitz, {.cost = "2 s"}),
      claim("gopt-phase", Kind::kStructure, "Lemma 8",
            "Phase l has at most t_0 + 16 d^5 log(d T/delta)/(kappa eps xi) + 64 d "
            "log(T/delta)/(kappa xi)^2 + d^2 duels, xi = 2^-l.",
            checks::phase_length,
            {.comment =
                 "The statement is true, but the phases are longer than practical horizons: see "
                 "the T at which one phase ends.",
             .figure = "duel-phases"}),
      claim(
          "gopt-kappa", Kind::kAnalytic, "Theorem 3",
          "The slope sigma'(<x - y, w*>) of every duel of items of the unit ball, |w*| <= 1, is at "
          "least kappa = sigma'(2) = 0.105.",
          checks::slope),
      claim("gopt-kappa-listing", Kind::kAnalytic, "Algorithm 2",
            "The slope sigma'(<x - y, w>) of every duel of items of the unit ball, |w - w*| <= 1, "
            "|w*| <= 1, is at least kappa = sigma'(4) = 0.0177.",
            checks::slope_of_listing),
      claim(
          "gopt-confidence", Kind::kRegret, "Corollary 2",
          "In every phase l, t_0 initial draws included, for every item x, |<x, w_l - w*>| <= 2^-l "
          "with probability at least 1 - 3 delta.",
          checks::score_confidence,
          {.expected = V::kRefuted,
           .comment =
               "Duels reveal only differences of items. Inequality (12) of the proof treats an "
               "item as such a difference. The proof's t_0 assumes that the least eigenvalue of "
               "V(pi_1) is 1/d, although it vanishes as items approach each other. The "
               "eliminations need only gopt-confidence-differences."}),
      claim(
          "gopt-confidence-differences", Kind::kRegret, "Corollary 2, as used",
          "In every phase l, |<x - y, w_l - w*>| <= 2 2^-l for all items x, y with probability at "
          "least 1 - 6 delta.",
          checks::difference_confidence,
          {.expected = V::kNotRefuted, .cost = "2 s", .reads = Reads::kStatistical}),
  };
}

}  // namespace assay
