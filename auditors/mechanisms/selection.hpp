// Audit cases of mechanisms that select the index of a good candidate by noisy scores.
//
// The hardest pairs move one score up and all others down, when that score is far behind. Its own probability then
// changes by the whole factor e^epsilon, and the others hardly change. `gap` is the distance behind, in scales of the
// noise. Exponential and Gumbel noise and both selection mechanisms attain epsilon there up to e^-gap, Laplace noise up
// to a share 1/gap. For k rounds the hardest pair moves k scores up, all far behind, and the others down: each round
// that takes one of the k loses as much.
//
// Proofs for all pairs, scores moving by at most u. Exponential mechanism: w_i moves by a factor of at
// most e^(epsilon/2) either way, and so does sum w. Permute-and-flip is report noisy max with
// exponential noise of scale 2 u/epsilon (Ding et al. 2021). Report noisy max: given the other noises,
// I = i is Z_i >= t for a t that moves by at most 2 u; P(Z >= t + 2 u) >= e^(-2 u/b) P(Z >= t) for its four pure
// distributions; with Gaussian noise the index is a function of n Gaussian releases whose means are at most sqrt(n)
// apart. For top-k and peeling see their headers.
#pragma once

#include <vector>

#include "assay/auditors/mechanisms/mechanism_case.hpp"

namespace assay {

namespace detail {

// One score moves against all others, by `move` each. The score is behind or ahead by each of the
// gaps.
std::vector<InputPair> one_against_all(std::int64_t answers, double move, double scale,
                                       double epsilon);
// The first `up` candidates move against the others, from as far behind.
std::vector<InputPair> some_against_all(std::int64_t answers, std::int64_t up, double move,
                                        double scale, double epsilon);
std::vector<InputPair> random_scores(std::int64_t answers, double move, double scale,
                                     ReplayStream& random);

template <class M>
struct PairedSelection {
  static constexpr std::string_view kInput = "a score for each candidate";
  static constexpr bool kProved = true;
  static Status check(const M& m, const InputPair& pair) {
    return every_entry_moves_at_most(pair, m.config().sensitivity);
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    const auto& c = m.config();
    return one_against_all(c.answers, c.sensitivity, 2.0 * c.sensitivity / c.epsilon, c.epsilon);
  }
  static std::vector<InputPair> random_pairs(const M& m, ReplayStream& random) {
    const auto& c = m.config();
    return random_scores(c.answers, c.sensitivity, 2.0 * c.sensitivity / c.epsilon, random);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return listed_distributions(m, pair, 2e-13, -10'000.0);
  }
};

}  // namespace detail

template <>
struct AuditTraits<ExponentialMechanism> : detail::PairedSelection<ExponentialMechanism> {
  static constexpr std::string_view kAbout =
      "The exponential mechanism chooses candidate i with probability proportional to exp(epsilon "
      "q_i/(2 sensitivity)). Between neighbouring databases every score moves by at most "
      "`sensitivity`.";
  static constexpr std::string_view kReference =
      "McSherry, Talwar, \"Mechanism design via differential privacy\" (FOCS 2007)";
};

template <>
struct AuditTraits<PermuteAndFlip> : detail::PairedSelection<PermuteAndFlip> {
  static constexpr std::string_view kAbout =
      "Permute-and-flip visits the candidates in random order and returns the first for which a "
      "coin of probability exp(epsilon (q_i - max q)/(2 sensitivity)) shows heads. Between "
      "neighbouring databases every score moves by at most `sensitivity`.";
  static constexpr std::string_view kReference =
      "McKenna, Sheldon, \"Permute-and-flip\" (NeurIPS 2020), theorem 1";
};

template <>
struct AuditTraits<ReportNoisyMax> {
  using M = ReportNoisyMax;
  static constexpr std::string_view kAbout =
      "The mechanism releases the index of the largest of n noisy answers. The noise is Laplace, "
      "exponential, Gumbel, discrete Laplace or Gaussian. Between neighbouring databases every "
      "answer moves by at most 1, in any direction.";
  static constexpr std::string_view kInput = "an answer for each candidate";
  static constexpr std::string_view kReference =
      "Dwork, Roth, \"The algorithmic foundations of differential privacy\" (2014), section 3.3";
  static constexpr bool kProved = true;
  static Status check(const M&, const InputPair& pair) {
    return every_entry_moves_at_most(pair, 1.0);
  }
  static double scale(const M& m) {
    const double b = 2.0 / m.config().epsilon;
    return m.config().noise == MaxNoise::kGaussian
               ? b * std::sqrt(static_cast<double>(m.config().answers))
               : b;
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::one_against_all(m.config().answers, 1.0, scale(m), m.config().epsilon);
  }
  static std::vector<InputPair> random_pairs(const M& m, ReplayStream& random) {
    return detail::random_scores(m.config().answers, 1.0, scale(m), random);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return detail::listed_distributions(m, pair, 1e-12, -640.0);
  }
};

template <>
struct AuditTraits<TopK> : detail::PairedSelection<TopK> {
  using M = TopK;
  static constexpr std::string_view kAbout =
      "The mechanism releases the k candidates of largest score under Gumbel noise, in order or as "
      "a set. Between neighbouring databases every score moves by at most `sensitivity`, in any "
      "direction.";
  static constexpr std::string_view kReference =
      "Durfee, Rogers, \"Practical differentially private top-k selection with pay-what-you-get "
      "composition\" (NeurIPS 2019)";
  static double scale(const M& m) { return 2.0 * m.config().sensitivity / m.round_epsilon().value; }
  static std::vector<InputPair> hard_pairs(const M& m) {
    const auto& c = m.config();
    return detail::some_against_all(c.answers, c.count, c.sensitivity, scale(m), c.epsilon);
  }
  static std::vector<InputPair> random_pairs(const M& m, ReplayStream& random) {
    return detail::random_scores(m.config().answers, m.config().sensitivity, scale(m), random);
  }
  static Status check_listed(const M& m, const InputPair& pair);
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair);
  static double log_density(const M& m, const M::Output& output, const M::Input& input) {
    return m.log_probability(output, input);
  }
  // Errors: sets with so many orders that adding them up for every release would take too long.
  static Result<ReleaseLoss> losses(const M& m, const InputPair& pair);
};

template <>
struct AuditTraits<idealized::PeelingMechanism>
    : detail::PairedSelection<idealized::PeelingMechanism> {
  using M = idealized::PeelingMechanism;
  static constexpr std::string_view kAbout =
      "The mechanism releases the coordinates of largest noisy size, one after another under fresh "
      "Laplace noise, with noisy values or without. Between neighbouring databases every "
      "coordinate moves by at most `sensitivity`, in any direction.";
  static constexpr std::string_view kInput = "a number for each coordinate";
  static constexpr std::string_view kReference =
      "Dwork, Su, Zhang, \"Differentially private false discovery rate control\" (2021), "
      "algorithm 2";
  static std::vector<InputPair> hard_pairs(const M& m);
  static std::vector<InputPair> random_pairs(const M& m, ReplayStream& random) {
    return detail::random_scores(m.config().coordinates, m.config().sensitivity, m.scale(), random);
  }
  // Without values the outputs are all sequences of indices.
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair);
  static std::vector<double> numbers(const M&, const idealized::PeelingOutput& output);
};

}  // namespace assay
