// RAPPOR hashes a value into a Bloom filter and reports the bits of the filter by randomised response.
//
//   B = bits h_1(v)..h_m(v) of k set;  h_i(v) = MurmurHash3 (x86, 32 bits) of v's decimal text with
//   seed i - 1, as a signed number, modulo k                                                   (1)
//   permanent:      B'_j = 1, 0, B_j with probabilities f/2, f/2, 1 - f                        (2)
//   instantaneous:  S_j = 1 with probability q where B'_j = 1, p where B'_j = 0                (3)
//   Rappor releases S, OneTimeRappor B'. Their bits are independent, with
//   P(B'_j = 1) = 1 - f/2 or f/2 and P(S_j = 1) = q P(B'_j = 1) + p P(B'_j = 0)                (4)
//   for B_j = 1 or 0.
//
// Every release draws the noise (2) anew. So the level is that of one report, not of a sequence of
// reports that share B'.
//
// Privacy. Relation: replace the one record, v, by any other. View: the output. Let P_1 >= P_0 be the
// two probabilities of (4), a = log(P_1/P_0) and b = log((1 - P_0)/(1 - P_1)). The level of two values
// is a times the number of bits that only the first filter has, plus b times the number that only the
// second has, or the same with a and b exchanged if that is larger. Over all pairs of values it is at most
//   m (a + b),  which filters of m bits each attain if they share none                        (5)
// guarantee() states (5), and pair_epsilon(v, w) the level of two values.
// OneTimeRappor: (5) is 2 m log((1 - f/2)/(f/2)), the paper's theorem 1.
// Accuracy: each probability of (4) is rounded to 2^-64.
// Reference: Erlingsson, Pihur, Korolova, "RAPPOR" (CCS 2014), sections 2 and 3, theorems 1 and 2.
// MurmurHash3: Appleby (public domain). Threads: values. Cost: 8 ns per bit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/response_bits.hpp"

namespace assay {

struct RapporConfig {
  std::int64_t filter_bits = 20;
  std::int64_t hashes = 4;
  double f = 0.75;
  double p = 0.45;
  double q = 0.55;

  static void fields(auto&& visit) {
    using C = RapporConfig;
    visit(field("filter_bits", &C::filter_bits, Range{1, 64}, "k", "bits of the Bloom filter"));
    visit(field("hashes", &C::hashes, Range{1, 16}, "m", "hash functions"));
    visit(field("f", &C::f, Range{1e-9, 1}, "f", "noise of the permanent response"));
    visit(field("p", &C::p, Range{0, 1}, "p", "P(1) for a permanent bit 0"));
    visit(field("q", &C::q, Range{0, 1}, "q", "P(1) for a permanent bit 1"));
  }
};

struct OneTimeRapporConfig {
  std::int64_t filter_bits = 20;
  std::int64_t hashes = 4;
  double f = 0.95;

  static void fields(auto&& visit) {
    using C = OneTimeRapporConfig;
    visit(field("filter_bits", &C::filter_bits, Range{1, 64}, "k", "bits of the Bloom filter"));
    visit(field("hashes", &C::hashes, Range{1, 16}, "m", "hash functions"));
    visit(field("f", &C::f, Range{1e-9, 1}, "f", "noise of the permanent response"));
  }
};

namespace detail {

std::uint32_t murmur3(std::string_view text, std::uint32_t seed);

// The bits of a value's filter, reported by randomised response.
class FilterResponse {
 public:
  FilterResponse(std::int64_t filter_bits, std::int64_t hashes, double p_one, double p_zero);

  std::uint64_t filter(std::int64_t value) const;  // (1), bit j of the result
  double pair_epsilon(std::int64_t v, std::int64_t w) const;
  double epsilon() const;  // (5)

  ResponseBits bits;  // (4)

 private:
  int filter_bits_;
  int hashes_;
};

// Rappor and OneTimeRappor: Variant has Config, p_one(config), p_zero(config) and kSource.
template <class Variant>
class FilterMechanism : public Configured<typename Variant::Config> {
 public:
  using Config = typename Variant::Config;
  using Input = std::int64_t;
  using Output = std::uint64_t;  // bit j of the report is bit j

  static Result<FilterMechanism> create(const Config& config) {
    ASSAY_TRY(validate(config));
    return FilterMechanism(config);
  }

  Status check_input(const Input&) const { return {}; }
  template <RandomSource R>
  Output release(const Input& value, R& random) const {
    return response_.bits.release(filter(value), random);
  }
  // Fills `out` with independent releases, one after another: a number 0 or 1 for each bit, bit 0 first.
  // Precondition: out.size() is a multiple of filter_bits.
  template <RandomSource R>
  void release_many(const Input& value, R& random, std::span<double> out) const {
    response_.bits.release_many(filter(value), random, out);
  }
  std::vector<Output> outputs(const Input&) const { return response_.bits.outputs(); }
  std::vector<double> log_pmf(const Input& value) const {
    return response_.bits.log_pmf(filter(value));
  }
  double log_probability(const Output& output, const Input& value) const {
    return response_.bits.log_probability(output, filter(value));
  }
  double pair_epsilon(const Input& v, const Input& w) const { return response_.pair_epsilon(v, w); }

  Guarantee guarantee() const {
    return {PureDp{Epsilon{response_.epsilon()}}, Relation::kReplaceOneRecord, View::kOutput,
            Variant::kSource};
  }
  std::uint64_t filter(const Input& value) const { return response_.filter(value); }

 private:
  explicit FilterMechanism(const Config& config)
      : Configured<Config>(config),
        response_(config.filter_bits, config.hashes, Variant::p_one(config),
                  Variant::p_zero(config)) {}

  FilterResponse response_;
};

struct RapporVariant {
  using Config = RapporConfig;
  static constexpr const char* kSource = "Erlingsson, Pihur, Korolova (CCS 2014), theorem 2";
  static double p_one(const Config& c) { return c.q * (1.0 - 0.5 * c.f) + c.p * (0.5 * c.f); }
  static double p_zero(const Config& c) { return c.q * (0.5 * c.f) + c.p * (1.0 - 0.5 * c.f); }
};

struct OneTimeRapporVariant {
  using Config = OneTimeRapporConfig;
  static constexpr const char* kSource = "Erlingsson, Pihur, Korolova (CCS 2014), theorem 1";
  static double p_one(const Config& c) { return 1.0 - 0.5 * c.f; }
  static double p_zero(const Config& c) { return 0.5 * c.f; }
};

}  // namespace detail

using Rappor = detail::FilterMechanism<detail::RapporVariant>;
using OneTimeRappor = detail::FilterMechanism<detail::OneTimeRapporVariant>;

static_assert(FiniteMechanism<Rappor> && FiniteMechanism<OneTimeRappor>);

}  // namespace assay
