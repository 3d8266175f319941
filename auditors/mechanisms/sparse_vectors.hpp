// Audit cases of the sparse vector technique.
//
// The hardest pairs move the answers that are reported below the threshold up and those above it down: D has (T + g,
// .., T + g, T, .., T), D' has (T + g + 1, .., T - 1). "All below, then k above" needs a threshold noise z near g. The
// move of the first answers makes that less likely by e^(1/b_rho). Each answer above is then 2 further away, which
// costs e^(2/b_nu) each. More answers below and a larger g come closer to
//   L = 1/b_rho + 2 k/b_nu,  k <= cutoff                                                       (1)
//
// Proofs for all pairs (Lyu, Su, Li, theorem 2). Take any output with k answers above, and z' = z + 1:
// an answer is below for z' in one database whenever it is for z in the other; one above stays so if
// its own noise grows by 2. The change of variables costs e^(2/b_nu) for each answer above and e^(1/b_rho) once. If the
// threshold is redrawn after each answer above, it costs e^(1/b_rho) once for each block between them (at most c
// blocks, b_rho = 2 c/epsilon). This is (1) with k = c, which is epsilon. The numerical variant adds c values of
// epsilon/(3 c) each to 2 epsilon/3.
#pragma once

#include <algorithm>
#include <vector>

#include "assay/auditors/mechanisms/mechanism_case.hpp"

namespace assay {

namespace detail {

std::vector<InputPair> below_then_above(const SparseVectorConfig& config, double nu_scale);
std::vector<InputPair> random_answers(const SparseVectorConfig& config, double nu_scale,
                                      ReplayStream& random);
// At most 4096 outputs, so that their distribution takes tenths of a second.
Status check_distribution(const SparseVectorConfig& config, double work);

template <class M>
struct PairedSparseVector {
  static constexpr std::string_view kInput = "an answer for each query, in their order";
  static constexpr bool kProved = true;
  static Status check(const M&, const InputPair& pair) {
    return every_entry_moves_at_most(pair, 1.0);
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    return below_then_above(m.config(), m.rule().nu().scale());
  }
  static std::vector<InputPair> random_pairs(const M& m, ReplayStream& random) {
    return random_answers(m.config(), m.rule().nu().scale(), random);
  }
};

template <class M>
struct PairedFlags : PairedSparseVector<M> {
  static Status check_listed(const M& m, const InputPair& pair) {
    return check_distribution(m.config(),
                              std::max(m.rule().distribution_work(pair.base_row()),
                                       m.rule().distribution_work(pair.neighbour_row())));
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    ASSAY_TRY(check_listed(m, pair));
    return listed_distributions(m, pair, 1e-12 * static_cast<double>(m.config().cutoff + 1),
                                -640.0);
  }
  static double log_density(const M& m, const typename M::Output& output,
                            const typename M::Input& input) {
    return m.rule().log_probability(output, input);
  }
};

}  // namespace detail

template <>
struct AuditTraits<AboveThreshold> : detail::PairedFlags<AboveThreshold> {
  static constexpr std::string_view kAbout =
      "The mechanism reports which answers of a list lie above a noisy threshold, up to a cutoff. "
      "Between neighbouring databases every answer moves by at most 1, in any direction.";
  static constexpr std::string_view kReference =
      "Lyu, Su, Li, \"Understanding the sparse vector technique\" (PVLDB 2017), algorithm 1";
};

template <>
struct AuditTraits<ResettingAboveThreshold> : detail::PairedFlags<ResettingAboveThreshold> {
  static constexpr std::string_view kAbout =
      "The mechanism reports which answers of a list lie above a noisy threshold, up to a cutoff. "
      "The threshold is redrawn after each answer above it. Between neighbouring databases every "
      "answer moves by at most 1, in any direction.";
  static constexpr std::string_view kReference =
      "Dwork, Roth, \"The algorithmic foundations of differential privacy\" (2014), theorem 3.25";
};

template <>
struct AuditTraits<idealized::NumericalSparseVector>
    : detail::PairedSparseVector<idealized::NumericalSparseVector> {
  static constexpr std::string_view kAbout =
      "The mechanism reports which answers of a list lie above a noisy threshold, and the values "
      "of these answers under noise of their own. Between neighbouring databases every answer "
      "moves by at most 1, in any direction.";
  static constexpr std::string_view kReference =
      "Wang, Ding, Wang, Kifer, Zhang, \"Proving differential privacy with shadow execution\" "
      "(PLDI 2019)";
};

}  // namespace assay
