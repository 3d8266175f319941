// Audit cases of mechanisms of one integer: randomised response, unary encoding, RAPPOR, the
// truncated geometric.
//
// Each distribution is that of a sufficient statistic. For randomised response it says whether the output is the first
// value, the second or another. For RAPPOR it is the number of ones among the bits that only the first filter sets, and
// the number among those that only the second sets. These are independent binomials (for unary encoding, of one bit
// each):
//   P(i, j) = Bin(n_1, p_1)(i) Bin(n_2, p_0)(j),  Q(i, j) = Bin(n_1, p_0)(i) Bin(n_2, p_1)(j)  (1)
//
// Proofs for all pairs. Randomised response: each of the two probabilities of an output is 1/Z or e^epsilon/Z.
// Unary encoding: only the bits of the two values differ, and no pair of them has a loss above that of (1, 0). RAPPOR:
// the loss of (1) is largest with all ones here and none there, and equation (5) of rappor.hpp bounds it over filters.
// Truncated geometric: Balcer, Vadhan, theorem 4.7; up to their order, the pairs (c, c + 1) are all pairs, and the
// search covers them all.
#pragma once

#include <limits>
#include <vector>

#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

namespace detail {

struct FilterPair {
  int only_base = 0;  // bits set for the first value alone
  int only_neighbour = 0;
  double p_one = 0.0;
  double p_zero = 0.0;
};
EnumeratedDistributions filter_laws(const FilterPair& pair);  // (1)

int bits_only_in(std::uint64_t first, std::uint64_t second);

// The lowest `count` bits as numbers 0 and 1, starting with bit 0.
inline std::vector<double> bits_of(std::uint64_t output, std::int64_t count) {
  std::vector<double> bits;
  for (std::int64_t j = 0; j < count; ++j) bits.push_back((output >> j & 1) != 0 ? 1.0 : 0.0);
  return bits;
}

// Lists every report of the given number of bits.
inline Status check_few_bits(std::int64_t count) {
  if (count <= 12) return {};
  return fail(ErrorCode::kLimit, "more than 4096 outputs are not listed");
}

// Any two values are neighbours. All pairs are alike, unless the mechanism has filters.
struct PairedValues {
  static constexpr std::string_view kInput = "one integer in 0..k - 1";
  static constexpr bool kProved = true;
  static Status check(const auto&, const InputPair& pair) {
    return every_entry_moves_at_most(pair, std::numeric_limits<double>::infinity());
  }
  static std::vector<InputPair> hard_pairs(const auto&) { return {{{0.0}, {1.0}}}; }
};

template <class M, class Variant>
struct PairedFilter : PairedValues {
  static constexpr std::string_view kInput = "one integer, the value";
  static constexpr std::string_view kReference =
      "Erlingsson, Pihur, Korolova, \"RAPPOR\" (CCS 2014)";
  // Among the first values, the two with the most different filters.
  static std::vector<InputPair> hard_pairs(const M& m) {
    constexpr std::int64_t kFirst = 16;
    constexpr std::int64_t kSecond = 256;
    InputPair worst{{0.0}, {1.0}};
    double most = -1.0;
    for (std::int64_t v = 0; v < kFirst; ++v) {
      for (std::int64_t w = v + 1; w < kSecond; ++w) {
        const double level = m.pair_epsilon(v, w);
        if (!(level > most)) continue;
        most = level;
        worst = {{static_cast<double>(v)}, {static_cast<double>(w)}};
      }
    }
    return {worst};
  }
  static Status check_listed(const M& m, const InputPair&) {
    return check_few_bits(m.config().filter_bits);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    const auto inputs = ASSAY_TRY(pair_inputs(m, pair));
    const auto first = m.filter(inputs.base_input.view());
    const auto second = m.filter(inputs.neighbour_input.view());
    return filter_laws({bits_only_in(first, second), bits_only_in(second, first),
                        Variant::p_one(m.config()), Variant::p_zero(m.config())});
  }
  static double log_density(const M& m, const std::uint64_t& output, const std::int64_t& value) {
    return m.log_probability(output, value);
  }
  static std::vector<double> numbers(const M& m, std::uint64_t output) {
    return bits_of(output, m.config().filter_bits);
  }
};

}  // namespace detail

template <>
struct AuditTraits<RandomizedResponse> : detail::PairedValues {
  using M = RandomizedResponse;
  static constexpr std::string_view kAbout =
      "One of k values is reported, the true one with probability e^epsilon/(e^epsilon + k - 1), "
      "each other one with 1/(e^epsilon + k - 1). Any two values are neighbours, and all pairs are "
      "alike.";
  static constexpr std::string_view kReference =
      "Warner, \"Randomized response\" (JASA 1965); Kairouz, Oh, Viswanath (JMLR 2016)";
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair);
};

template <>
struct AuditTraits<UnaryEncoding> : detail::PairedValues {
  using M = UnaryEncoding;
  static constexpr std::string_view kAbout =
      "One of k values becomes k bits, of which only its own is set, and every bit is reported by "
      "randomised response. Any two values are neighbours, and all pairs are alike.";
  static constexpr std::string_view kReference =
      "Wang, Blocki, Li, Jha, \"Locally differentially private protocols for frequency estimation\" "
      "(USENIX Security 2017)";
  static Status check_listed(const M& m, const InputPair&) {
    return detail::check_few_bits(m.config().values);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    const auto inputs = ASSAY_TRY(detail::pair_inputs(m, pair));
    const int differ = inputs.base_input.view() == inputs.neighbour_input.view() ? 0 : 1;
    return detail::filter_laws({differ, differ, m.p(), m.q()});
  }
  static double log_density(const M& m, const std::uint64_t& output, const std::int64_t& value) {
    return m.log_probability(output, value);
  }
  static std::vector<double> numbers(const M& m, std::uint64_t output) {
    return detail::bits_of(output, m.config().values);
  }
};

template <>
struct AuditTraits<TruncatedGeometric> {
  using M = TruncatedGeometric;
  static constexpr std::string_view kAbout =
      "The mechanism releases a count in 0..n with two-sided geometric noise, folded onto the "
      "ends. All probabilities are rational and exact. Neighbouring counts differ by 1; the search "
      "covers all of them.";
  static constexpr std::string_view kInput = "one integer in 0..n";
  static constexpr std::string_view kReference =
      "Balcer, Vadhan, \"Differential privacy on finite computers\" (ITCS 2018), theorem 4.7";
  static constexpr bool kProved = true;
  static Status check(const M&, const InputPair& pair) {
    return one_entry_moves_at_most(pair, 1.0);
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    std::vector<InputPair> pairs;
    for (std::int64_t c = 0; c < m.config().records; ++c) {
      pairs.push_back({{static_cast<double>(c)}, {static_cast<double>(c + 1)}});
    }
    return pairs;
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return detail::listed_distributions(m, pair, 1e-14, -640.0);
  }
};

template <>
struct AuditTraits<Rappor> : detail::PairedFilter<Rappor, detail::RapporVariant> {
  static constexpr std::string_view kAbout =
      "A value is hashed into a Bloom filter, whose bits are reported by two layers of randomised "
      "response. Any two values are neighbours; the hardest have filters that share no bit.";
};

template <>
struct AuditTraits<OneTimeRappor>
    : detail::PairedFilter<OneTimeRappor, detail::OneTimeRapporVariant> {
  static constexpr std::string_view kAbout =
      "A value is hashed into a Bloom filter, whose bits are reported by randomised response. Any "
      "two values are neighbours; the hardest have filters that share no bit.";
};

}  // namespace assay
