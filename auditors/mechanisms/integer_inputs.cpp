#include "assay/auditors/mechanisms/integer_inputs.hpp"

#include <bit>
#include <cmath>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace detail {
namespace {

// Logarithms of Bin(n, p) for n <= 16, so that the coefficients are exact.
std::vector<double> log_binomial(int n, double p) {
  std::vector<double> out;
  double choose = 1.0;
  for (int k = 0; k <= n; ++k) {
    const double ones = k > 0 ? k * portable_log(p) : 0.0;
    const double zeros = k < n ? (n - k) * portable_log1p(-p) : 0.0;
    out.push_back(portable_log(choose) + ones + zeros);
    choose = choose * (n - k) / (k + 1);
  }
  return out;
}

}  // namespace

int bits_only_in(std::uint64_t first, std::uint64_t second) {
  return std::popcount(first & ~second);
}

EnumeratedDistributions filter_laws(const FilterPair& pair) {
  if (pair.p_one == pair.p_zero) return {{0.0}, {0.0}, 0.0};
  const auto p_base = log_binomial(pair.only_base, pair.p_one);
  const auto q_base = log_binomial(pair.only_base, pair.p_zero);
  const auto p_neighbour = log_binomial(pair.only_neighbour, pair.p_zero);
  const auto q_neighbour = log_binomial(pair.only_neighbour, pair.p_one);
  EnumeratedDistributions distributions;
  double deepest = 0.0;
  for (std::size_t i = 0; i < p_base.size(); ++i) {
    for (std::size_t j = 0; j < p_neighbour.size(); ++j) {
      distributions.log_p.push_back(p_base[i] + p_neighbour[j]);
      distributions.log_q.push_back(q_base[i] + q_neighbour[j]);
      deepest = std::max({deepest, -distributions.log_p.back(), -distributions.log_q.back()});
    }
  }
  // The parameters are rounded too: up to 32 factors of relative error 2^-52 each.
  distributions.relative_error = 2e-14 + 1e-15 * deepest;
  return distributions;
}

}  // namespace detail

Result<EnumeratedDistributions> AuditTraits<RandomizedResponse>::distributions(
    const M& m, const InputPair& pair) {
  const auto inputs = ASSAY_TRY(detail::pair_inputs(m, pair));
  const auto truth = static_cast<std::size_t>(inputs.base_input.view());
  const auto other = static_cast<std::size_t>(inputs.neighbour_input.view());
  const auto log_pmf = m.log_pmf(inputs.base_input.view());
  EnumeratedDistributions distributions{{log_pmf[truth], log_pmf[other]},
                                        {log_pmf[other], log_pmf[truth]},
                                        1e-14 + 1e-15 * std::fabs(log_pmf[other])};
  const auto rest = static_cast<double>(m.config().values - 2);
  if (rest > 0.0) {
    distributions.log_p.push_back(log_pmf[other] + portable_log(rest));
    distributions.log_q.push_back(distributions.log_p.back());
  }
  return distributions;
}

}  // namespace assay
