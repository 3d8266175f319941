// Every mechanism of the list at arbitrary valid configurations: its case never convicts it, losses
// stay below a pure guarantee, profiles fall and are convex, and coarser outputs lose less.
#include <gtest/gtest.h>
#include <rapidcheck/detail/Configuration.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "assay/auditors/mechanisms/additive_noise.hpp"
#include "assay/auditors/mechanisms/counters.hpp"
#include "assay/auditors/mechanisms/integer_inputs.hpp"
#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/auditors/mechanisms/selection.hpp"
#include "assay/auditors/mechanisms/sparse_vectors.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

double unit_draw() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return static_cast<double>(philox4x64({seed, 2, 0, 0}, {0, 0})[0] >> 11) * 0x1p-53;
}

// Inside the range of the field, and within what a test can afford; by ratio for positive numbers.
double arbitrary_double(Range range) {
  const double low = std::max(range.low, range.high <= 1.0 ? 0.05 : range.low < 0.0 ? -4.0 : 0.1);
  const double high = std::min(range.high, range.high <= 1.0 ? 0.95 : 8.0);
  if (low >= high) return range.high;
  if (low <= 0.0) return low + (high - low) * unit_draw();
  return low * std::pow(high / low, unit_draw());
}

// Where 0 means "to be chosen" or "pure", it is drawn a third of the time; grids are powers of two.
template <class Config>
double arbitrary_value(const Field<Config, double>& field) {
  if (field.range.low == 0.0 && *rc::gen::inRange(0, 3) == 0) return 0.0;
  if (std::string_view(field.name) == "granularity") {
    return std::ldexp(1.0, *rc::gen::inRange(-12, 1));
  }
  return arbitrary_double(field.range);
}

// The discrete noises of counters take whole numbers.
template <class Config>
void make_whole(Config& config) {
  if constexpr (requires { config.noise == CounterNoise::kDiscreteLaplace; }) {
    if (is_laplace(config.noise)) config.delta = 0.0;
    if (!is_discrete(config.noise)) return;
    config.sensitivity = std::ceil(config.sensitivity);
    config.lowest = std::floor(config.lowest);
  }
}

template <class Config>
Config arbitrary_config() {
  Config config;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    if constexpr (std::is_same_v<T, double>) {
      config.*f.member = arbitrary_value(f);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      const auto low = static_cast<std::int64_t>(f.range.low);
      const auto high = std::min<std::int64_t>(static_cast<std::int64_t>(f.range.high), 7);
      config.*f.member = *rc::gen::inRange<std::int64_t>(low, high + 1);
    } else if constexpr (std::is_same_v<T, bool>) {
      config.*f.member = *rc::gen::arbitrary<bool>();
    } else if constexpr (std::is_enum_v<T>) {
      const auto names = enum_names(T{});
      config.*f.member = names[*rc::gen::inRange<std::size_t>(0, names.size())].first;
    }
  });
  make_whole(config);
  return config;
}

template <class M>
void check_case(const M& mechanism) {
  AuditRequest request;
  request.parameters = field_values(mechanism.config());
  request.samples = 64;
  const auto report = MechanismCase<M>{}.run(request, {});
  if (!report) RC_FAIL(std::string(kNameOf<M>.id) + ": " + report.error().to_string());
  if (report->verdict != Verdict::kVerified) {
    std::string text(kNameOf<M>.id);
    for (const auto& [key, value] : request.parameters) text += " " + key + "=" + value;
    RC_FAIL(text + ": " + to_string(report->verdict) + ", " + report->reason);
  }
  // Decreasing, and convex in e^eps, up to the width of the intervals.
  const auto& points = report->evidence.profile;
  for (std::size_t i = 0; i + 1 < points.size() && report->evidence.method == "exact"; ++i) {
    RC_ASSERT(points[i + 1].lower <= points[i].upper);
    if (i == 0) continue;
    const double left = std::exp(points[i - 1].epsilon);
    const double middle = std::exp(points[i].epsilon);
    const double right = std::exp(points[i + 1].epsilon);
    if (!std::isfinite(right)) break;
    const double share = (middle - left) / (right - left);
    const double chord = (1.0 - share) * points[i - 1].upper + share * points[i + 1].upper;
    RC_ASSERT(points[i].lower <= chord + 1e-15);
  }
}

// On random neighbours and random outputs of either, the loss is at most a pure guarantee.
template <class M>
void check_losses(const M& mechanism, const AuditedMechanism& subject) {
  const Guarantee guarantee = mechanism.guarantee();
  const auto* pure = std::get_if<PureDp>(&guarantee.level);
  if (pure == nullptr) return;
  std::vector<InputPair> pairs = subject.random_pairs;
  pairs.insert(pairs.end(), subject.hard_pairs.begin(), subject.hard_pairs.end());
  const auto& pair = pairs[*rc::gen::inRange<std::size_t>(0, pairs.size())];
  RC_ASSERT(subject.check(pair));
  const auto loss = subject.losses(pair);
  RC_ASSERT(loss);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (std::uint64_t i = 0; i < 4; ++i) {
    const double l = (*loss)(i % 2 == 0 ? Side::kOld : Side::kNew,
                             ReplayStream({seed, 0, i, 0, Phase::kCertify}));
    RC_ASSERT(std::fabs(l) <= pure->epsilon.value * (1.0 + 1e-9) + 1e-9);
  }
}

// Outcomes merged at random: a coarser output has the smaller profile.
void check_coarsening(const AuditedMechanism& subject) {
  if (!subject.laws) return;
  const auto laws = subject.laws(subject.hard_pairs.front());
  if (!laws || laws->log_p.size() < 2) return;
  const std::size_t cells = std::max<std::size_t>(1, laws->log_p.size() / 2);
  EnumeratedLaws coarse;
  coarse.relative_error = laws->relative_error + 1e-12;
  coarse.log_p.assign(cells, -INFINITY);
  coarse.log_q.assign(cells, -INFINITY);
  for (std::size_t i = 0; i < laws->log_p.size(); ++i) {
    const std::size_t cell = *rc::gen::inRange<std::size_t>(0, cells);
    const auto add = [&](double& sum, double x) {
      sum = sum < x ? log_add_exp(x, sum) : log_add_exp(sum, x);
    };
    add(coarse.log_p[cell], laws->log_p[i]);
    add(coarse.log_q[cell], laws->log_q[i]);
  }
  const auto fine_loss = ExactLoss::create(*laws);
  const auto coarse_loss = ExactLoss::create(coarse);
  RC_ASSERT(fine_loss && coarse_loss);
  const double eps = 2.0 * unit_draw();
  for (const auto o : {Orientation::kOldToNew, Orientation::kNewToOld}) {
    RC_ASSERT(coarse_loss->delta(Epsilon{eps}, o).lower.value.value <=
              fine_loss->delta(Epsilon{eps}, o).upper.value.value);
  }
}

template <class M>
void check_mechanism() {
  const auto config = arbitrary_config<typename M::Config>();
  const auto mechanism = M::create(config);
  if (!mechanism) return;  // fields that contradict each other
  const auto subject = audited(*mechanism);
  check_losses(*mechanism, subject);
  check_coarsening(subject);
  check_case(*mechanism);
}

template <class M>
class EveryMechanism : public ::testing::Test {};

template <class List>
struct AsTypes;
template <class... M>
struct AsTypes<TypeList<M...>> {
  using Type = ::testing::Types<M...>;
};
TYPED_TEST_SUITE(EveryMechanism, AsTypes<Mechanisms>::Type);

TYPED_TEST(EveryMechanism, IsNeverConvictedAndKeepsItsLevel) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  // The laws of sparse vectors and of peeling are integrals, a snapped probability is a search.
  constexpr bool kCostly = requires(const TypeParam& m) { m.rule(); }
  || std::is_same_v<TypeParam, idealized::PeelingMechanism> ||
      std::is_same_v<TypeParam, SnappedLaplace>;
  params.maxSuccess = kSanitized ? 1 : kCostly ? 3 : 12;
  const auto result = rc::detail::checkTestable([] { check_mechanism<TypeParam>(); },
                                                rc::detail::TestMetadata{}, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << kNameOf<TypeParam>.id << ": " << text.str();
}

}  // namespace
}  // namespace assay
