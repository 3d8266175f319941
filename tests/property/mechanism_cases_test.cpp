// Every mechanism of the list at arbitrary valid configurations: its case never convicts it, losses
// stay below a pure guarantee, profiles fall and are convex, and coarser outputs lose less.
#include <cstdlib>

#include "assay/auditors/check/drawn_cases.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

double unit_draw() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return static_cast<double>(philox4x64({seed, 2, 0, 0}, {0, 0})[0] >> 11) * 0x1p-53;
}

// Counters: their Laplace noise is pure, and their discrete noises take whole numbers.
void make_whole(std::vector<KeyValue>& parameters) {
  const auto value_of = [&](std::string_view key) {
    return std::find_if(parameters.begin(), parameters.end(),
                        [&](const KeyValue& one) { return one.key == key; });
  };
  const auto lowest = value_of("lowest"), noise = value_of("noise");
  if (lowest == parameters.end() || noise == parameters.end()) return;
  if (noise->value.find("laplace") != std::string::npos) value_of("delta")->value = "0";
  if (noise->value.find("discrete") != 0) return;
  const auto sensitivity = value_of("sensitivity");
  sensitivity->value = number_text(std::ceil(std::strtod(sensitivity->value.c_str(), nullptr)));
  lowest->value = number_text(std::floor(std::strtod(lowest->value.c_str(), nullptr)));
}

// As users' checks draw them; grids are powers of two.
std::vector<KeyValue> arbitrary_parameters(const MechanismDescription& mechanism) {
  std::vector<KeyValue> kept;
  for (const auto& field : mechanism.parameters) {
    if (field.name != "granularity") continue;
    kept.push_back({field.name, number_text(std::ldexp(1.0, *rc::gen::inRange(-12, 1)))});
  }
  ReplayStream random = arbitrary_stream();
  auto parameters = detail::draw_parameters(mechanism.parameters, kept, 30, random);
  make_whole(parameters);
  return parameters;
}

void check_case(const AuditCase& audit_case, const std::vector<KeyValue>& parameters) {
  AuditRequest request{.parameters = parameters, .samples = 64};
  const auto report = audit_case.run(request, {});
  const std::string id(audit_case.id());
  if (!report) RC_FAIL(id + ": " + report.error().to_string());
  if (report->verdict != Verdict::kVerified) {
    std::string text = id;
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
void check_losses(const AuditedSubject& subject) {
  const auto* pure = std::get_if<PureDp>(&subject.stated.level);
  if (pure == nullptr) return;
  std::vector<InputPair> pairs = subject.random_pairs;
  pairs.insert(pairs.end(), subject.hard_pairs.begin(), subject.hard_pairs.end());
  const auto& pair = pairs[*rc::gen::inRange<std::size_t>(0, pairs.size())];
  if (const auto fits = subject.check(pair); !fits) RC_FAIL(fits.error().to_string());
  const auto loss = subject.losses(pair);
  RC_ASSERT(loss);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (std::uint64_t i = 0; i < 4; ++i) {
    const double l = (*loss)(i % 2 == 0 ? Side::kBase : Side::kNeighbour,
                             ReplayStream({seed, 0, i, 0, Phase::kCertify}));
    RC_ASSERT(std::fabs(l) <= pure->epsilon.value * (1.0 + 1e-9) + 1e-9);
  }
}

// Outcomes merged at random: a coarser output has the smaller profile.
void check_coarsening(const AuditedSubject& subject) {
  if (!subject.distributions) return;
  const auto distributions = subject.distributions(subject.hard_pairs.front());
  if (!distributions || distributions->log_p.size() < 2) return;
  const std::size_t cells = std::max<std::size_t>(1, distributions->log_p.size() / 2);
  EnumeratedDistributions coarse{.relative_error = distributions->relative_error + 1e-12};
  coarse.log_p.assign(cells, -INFINITY);
  coarse.log_q.assign(cells, -INFINITY);
  for (std::size_t i = 0; i < distributions->log_p.size(); ++i) {
    const std::size_t cell = *rc::gen::inRange<std::size_t>(0, cells);
    const auto add = [&](double& sum, double x) {
      sum = sum < x ? log_add_exp(x, sum) : log_add_exp(sum, x);
    };
    add(coarse.log_p[cell], distributions->log_p[i]);
    add(coarse.log_q[cell], distributions->log_q[i]);
  }
  const auto fine_loss = ExactLoss::create(*distributions);
  const auto coarse_loss = ExactLoss::create(coarse);
  RC_ASSERT(fine_loss && coarse_loss);
  const double eps = 2.0 * unit_draw();
  for (const auto o : {Orientation::kBaseToNeighbour, Orientation::kNeighbourToBase}) {
    RC_ASSERT(coarse_loss->delta(Epsilon{eps}, o).lower.value.value <=
              fine_loss->delta(Epsilon{eps}, o).upper.value.value);
  }
}

void check_mechanism(const MechanismDescription& mechanism) {
  const AuditCase& audit_case = **find_audit_case(std::string(mechanism.name.id));
  const auto parameters = arbitrary_parameters(mechanism);
  const auto subject = audit_case.subject(parameters);
  if (!subject) return;  // fields that contradict each other
  check_losses(*subject);
  check_coarsening(*subject);
  check_case(audit_case, parameters);
}

class EveryMechanism : public ::testing::TestWithParam<MechanismDescription> {};

TEST_P(EveryMechanism, IsNeverConvictedAndKeepsItsLevel) {
  const std::string_view id = GetParam().name.id;
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  // The laws of sparse vectors and of peeling are integrals, a snapped probability is a search.
  const bool is_costly = id.ends_with("threshold") || id.ends_with("sparse-vector") ||
                         id == "idealized-peeling" || id == "snapped-laplace";
  params.maxSuccess = kSanitized ? 1 : is_costly ? 3 : 12;
  SCOPED_TRACE(id);
  expect_property([] { check_mechanism(GetParam()); }, params);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMechanism, ::testing::ValuesIn(mechanism_descriptions()),
                         [](const auto& mechanism) {
                           std::string name(mechanism.param.name.id);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace assay
