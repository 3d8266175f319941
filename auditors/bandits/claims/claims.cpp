#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/claims/paper_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> thompson_sampling_claims() {
  namespace checks = thompson_sampling_checks;
  const ClaimsOf claim{papers::kThompsonSampling};
  using Kind = ClaimKind;
  using V = ClaimVerdict;
  using Reads = ClaimReads;
  return {
      claim("ts-step-gdp", Kind::kPrivacy, "Lemma 3",
            "One round of Thompson sampling is sqrt(1/2)-GDP once the arm that drew the changed "
            "reward has n_j >= 1 pulls.",
            checks::step_gdp),
      claim("ts-gdp", Kind::kPrivacy, "Lemma 4", "T rounds of Thompson sampling are sqrt(T/2)-GDP.",
            checks::run_gdp),
      claim("ts-dp", Kind::kPrivacy, "Theorem 3",
            "T rounds are (eps, delta(eps))-DP for every eps >= 0, delta(eps) = Phi(-eps/eta + "
            "eta/2) - e^eps Phi(-eps/eta - eta/2), eta = sqrt(T/2).",
            checks::run_dp),
      claim(
          "mts-gdp", Kind::kPrivacy, "Lemma 5, Theorem 4",
          "Modified Thompson sampling with b >= 0 pre-pulls an arm and variance multiplier c >= 1 is "
          "sqrt(T/(c(b + 1)))-GDP, and so (eps, delta(eps))-DP as in Theorem 3 for that eta.",
          checks::modified_gdp),
      claim(
          "ts-sensitivity", Kind::kSensitivity, "proof of Lemma 3",
          "Replacing one reward moves the posterior mean of the arm that drew it by at most 1/(n_i "
          "+ 1), and moves no other mean.",
          checks::sensitivity),
      claim("gdp-dp-duality", Kind::kAnalytic, "Lemma 1",
            "mu-GDP is the same as (eps, delta(eps))-DP for every eps >= 0, with delta(eps) = "
            "Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2).",
            checks::duality, {.expected = V::kNotRefuted}),
      claim("gdp-composition", Kind::kComposition, "Lemma 2",
            "The adaptive composition of mu_t-GDP mechanisms is sqrt(sum mu_t^2)-GDP.",
            checks::composition, {.expected = V::kNotRefuted}),
      claim(
          "rnm-hetero-gauss", Kind::kAnalytic, "Theorem 6",
          "Report-noisy-max with Gaussian noise of deviations sigma_i, where one value changes by "
          "at most its sensitivity s_i, is (eps, delta)-DP for eps >= (1/2) sqrt(log((n - 1)/(2 "
          "delta))) max_i s_i/sigma_i.",
          checks::noisy_max,
          {.expected = V::kRefuted,
           .comment =
               "The proof quotes a shift lemma (Lemma 13) with too small a constant. As delta "
               "falls, a Gaussian shifted by a needs an eps that grows like a sqrt(2 "
               "log(1/delta)), which is 2 sqrt 2 times the eps of the quoted lemma. The Gaussian "
               "DP analysis of the same mechanism (ts-step-gdp) is sound."}),
      claim(
          "ts-step-dp", Kind::kPrivacy, "Theorem 7",
          "Given the past, the action of one round of Thompson sampling is (eps, delta)-DP for eps "
          "= sqrt(log((N - 1)/(2 delta)))/(2 sqrt 2).",
          checks::step_dp,
          {.expected = V::kRefuted,
           .comment =
               "This is an instance of Theorem 6, and it is false too: after the history below, "
               "one action already distinguishes the two neighbours better than stated. Lemma 3's "
               "sqrt(1/2)-GDP holds.",
           .rests_on = {"rnm-hetero-gauss"}}),
      claim("ts-advanced", Kind::kComposition, "Corollary 1",
            "T rounds are (eps_TS, delta_TS)-DP for eps_TS = eps sqrt(2T log(1/(delta_TS - T "
            "delta))) + T eps (e^eps - 1), delta_TS > T delta, eps as in Theorem 7.",
            checks::advanced_composition,
            {.reads = Reads::kNothing,
             .comment =
                 "The corollary is true for another reason. Its proof composes Theorem 7, which "
                 "is false, but the slack of advanced composition is larger than the error, and "
                 "Lemma 4 implies the stated level.",
             .rests_on = {"ts-step-dp"}}),
      claim("ts-rdp", Kind::kAnalytic, "Theorem 8",
            "T rounds are (eps, delta)-DP for eps = alpha T/4 + log(1/delta)/(alpha - 1) and every "
            "alpha > 1.",
            checks::renyi, {.reads = Reads::kNothing}),
      claim(
          "ts-eq27", Kind::kStructure, "Appendix C, (27)",
          "One round plays the arm argmax theta_i, where theta_i has variance (1/(n_i + 1))^2, as "
          "in Algorithm 1.",
          checks::printed_variance,
          {.expected = V::kRefuted,
           .comment =
               "This is a misprint. Algorithm 1 draws theta_i with variance 1/(n_i + 1), and "
               "every proof uses that variance. Appendix C.2 repeats the square; Section 3 once "
               "has 1/n_i."}),
      claim("mts-lemma6", Kind::kAnalytic, "Lemma 6",
            "Over the T - bN sampling rounds, sum_t P(a_t = i, mean_i > mu_i + D/3) <= (9/D^2) "
            "e^(-2bD^2/9), D the gap of arm i.",
            checks::lemma_6),
      claim(
          "mts-lemma7", Kind::kAnalytic, "Lemma 7",
          "Over the T - bN sampling rounds, T >= bN + e^(1/(4 pi))/D^2: sum_t P(a_t = i, mean_i <= "
          "mu_i + D/3, theta_i > mu_1 - D/3) <= max(0, 18c log((T - bN)D^2)/D^2 - b) + 1/D^2.",
          checks::lemma_7, {.reads = Reads::kNothing}),
      claim(
          "mts-lemma9", Kind::kAnalytic, "Lemma 9",
          "For T >= bN + 4/D^2: E[1/p] - 1 <= 71 after any number k of pulls of the best arm beyond the "
          "pre-pulls, p = P(theta_1 > mu_1 - D/3) given the past, and <= 4/((T - bN)D^2) for k >= "
          "max(1, 72c log((T - bN)D^2)/D^2 - (b + 1)).",
          checks::lemma_9, {.expected = V::kNotRefuted}),
      claim("mts-pulls", Kind::kRegret, "eq. (9)",
            "For T >= bN + 4/D^2: E[n_{i,T}] <= b + 14/D^2 + (5130 c/D^2) log((T - bN) D^2).",
            checks::pulls,
            {.expected = V::kVacuous,
             .reads = Reads::kStatistical,
             .comment =
                 "The bound is vacuous in the paper's own experiments, where it exceeds the "
                 "number of rounds that can play the arm. Its rate is of value, its constant is "
                 "not."}),
      claim("mts-regret", Kind::kRegret, "Theorem 5, without gaps",
            "For T > bN + 4/min D^2 the expected regret is bN + O(c sqrt(N (T - bN) log N)), "
            "for any gaps.",
            checks::regret, {.expected = V::kNotRefuted, .reads = Reads::kStatistical}),
      claim("ts-gdp-loose", Kind::kOpen, "Lemma 4",
            "How much smaller than sqrt(T/2) can the level of T rounds be? (Remark 2 expects no "
            "improvement in general; the bound is compared with certified ones.)",
            checks::looseness, {.expected = V::kNotRefuted, .reads = Reads::kStatistical}),
  };
}

}  // namespace assay
