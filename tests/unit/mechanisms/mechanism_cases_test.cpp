// The audit cases of mechanisms: conformance over the list, closed forms, refusals, determinism.
#include "assay/auditors/mechanisms/counters.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/tests/support/case_audits.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

AuditReport audited_case(const std::string& id, const AuditRequest& request, int threads = 1) {
  return must(find_audit_case(id).value()->run(request, {.threads = threads}));
}

Error refused(const std::string& id, const AuditRequest& request) {
  const auto report = find_audit_case(id).value()->run(request, {});
  EXPECT_FALSE(report) << id;
  return report ? Error{} : report.error();
}

AuditRequest with_claim(const std::string& claim, std::vector<KeyValue> parameters = {}) {
  return AuditRequest{.parameters = std::move(parameters), .claim = claim};
}

AuditRequest with_rows(std::vector<double> base_row, std::vector<double> neighbour_row) {
  return AuditRequest{
      .input = AuditInput::of("pair.txt", "", {std::move(base_row), std::move(neighbour_row)})};
}

TEST(MechanismCases, EveryMechanismHasACaseOfItsRelationThatAcquitsItsOwnGuarantee) {
  for (const auto& mechanism : mechanism_descriptions()) {
    const std::string id(mechanism.name.id);
    const auto audit_case = find_audit_case(id);
    ASSERT_TRUE(audit_case) << id;
    const auto d = (*audit_case)->describe();
    EXPECT_EQ(d.title, mechanism.name.title);
    EXPECT_EQ(d.relation, mechanism.at_defaults.relation) << id;
    EXPECT_EQ(d.view, mechanism.at_defaults.view) << id;
    EXPECT_EQ(d.parameters.size(), mechanism.parameters.size()) << id;
    EXPECT_EQ(d.input_kind, InputKind::kMechanism) << id;
    EXPECT_FALSE(d.about.empty() || d.reference.empty() || d.methods.empty()) << id;
    const auto report = audited_case(id, {});
    EXPECT_EQ(report.verdict, Verdict::kVerified) << id << ": " << report.reason;
    EXPECT_EQ(report.scope, Scope::kAllPairs) << id;
    EXPECT_EQ(report.claim, mechanism.at_defaults.level) << id << ": " << report.claim_text;
    EXPECT_EQ(report.relation, mechanism.at_defaults.relation) << id;
    EXPECT_FALSE(report.evidence.checks.empty()) << id << " is held against no release";
    for (const auto& q : report.evidence.quantities) EXPECT_LE(q.lower.value, q.upper.value) << id;
  }
}

// Losses that are the claimed eps exactly exceed it by rounding, which no claim at delta = 0 forgives.
TEST(MechanismCases, NoMechanismIsConvictedOfItsOwnGuaranteeBySampledLosses) {
  int audits = 0;
  for (const auto& mechanism : mechanism_descriptions()) {
    const auto* audit_case = *find_audit_case(std::string(mechanism.name.id));
    AuditRequest request{.method = Method::kLikelihood, .samples = dear_repetitions(4096)};
    if (!audit_case->prepare(request)) continue;  // not a method of this case
    const auto report = must(audit_case->run(request, {}));
    EXPECT_NE(report.verdict, Verdict::kViolated) << mechanism.name.id << ": " << report.reason;
    ++audits;
  }
  EXPECT_GT(audits, 15);
}

TEST(MechanismCases, AClaimBelowTheLossThatIsAttainedIsViolated) {
  struct Lower {
    std::string id;
    std::string claim;
    std::vector<KeyValue> parameters;
  };
  const std::vector<Lower> claims = {
      {"laplace", "eps=0.9*epsilon", {}},
      {"laplace", "eps=0.9*epsilon", {{"answers", "3"}}},
      {"gaussian", "eps=epsilon,delta=0.9*delta", {}},
      {"snapped-laplace", "eps=0.9*epsilon", {}},
      {"idealized-laplace", "eps=0.9*epsilon", {}},
      {"idealized-gaussian", "eps=epsilon,delta=0.9*delta", {}},
      {"discrete-laplace", "eps=0.9*epsilon", {}},
      {"discrete-gaussian", "eps=1,delta=1.6e-8", {}},
      {"exponential", "eps=0.9*epsilon", {}},
      {"permute-and-flip", "eps=0.9*epsilon", {}},
      {"report-noisy-max", "eps=0.9*epsilon", {}},
      {"top-k", "eps=0.9*epsilon", {}},
      {"top-k", "eps=0.9*epsilon", {{"ordered", "false"}}},
      {"idealized-peeling", "eps=0.9*epsilon", {{"values", "false"}}},
      {"above-threshold", "eps=0.9*epsilon", {}},
      {"resetting-above-threshold", "eps=0.9*epsilon", {}},
      {"idealized-noisy-histogram", "eps=0.9*epsilon", {}},
      {"idealized-prefix-sum", "eps=0.9*epsilon", {}},
      {"idealized-parallel-laplace", "eps=0.9*epsilon*copies", {}},
      {"truncated-geometric", "eps=0.9*log(1+2^-bits)", {}},
      {"randomized-response", "eps=0.9*epsilon", {}},
      {"unary-encoding", "eps=0.9*epsilon", {}},
      {"unary-encoding", "eps=0.9*epsilon", {{"bits", "symmetric"}}},
      {"rappor", "eps=0.36", {}},
      {"one-time-rappor", "eps=0.72", {}},
      {"tree-counter", "eps=0.9*epsilon", {}},
      {"tree-counter", "eps=0.9*epsilon", {{"noise", "idealized-laplace"}, {"horizon", "64"}}},
      {"honaker-counter", "eps=0.9*epsilon", {}},
      {"hybrid-counter", "eps=0.9*epsilon", {}},
      {"hybrid-counter", "eps=0.9*epsilon", {{"noise", "idealized-laplace"}}},
      {"idealized-square-root-counter", "mu=0.9*mu", {}}};
  for (const auto& [id, claim, parameters] : claims) {
    const auto report = audited_case(id, with_claim(claim, parameters));
    EXPECT_EQ(report.verdict, Verdict::kViolated) << id << ": " << report.reason;
  }
  for (const char* noise : {"laplace", "exponential", "gumbel", "discrete-laplace"}) {
    const auto report = audited_case("report-noisy-max",
                                     with_claim("eps=0.9", {{"noise", noise}, {"answers", "3"}}));
    EXPECT_EQ(report.verdict, Verdict::kViolated) << noise << ": " << report.reason;
  }
}

TEST(MechanismCases, ProfilesAreThoseOfTheClosedForms) {
  // Laplace: 1 - e^((eps - 2)/2); randomised response: (e^2 - e^eps)/(e^2 + 1).
  const double eps = 0.75;
  const auto laplace =
      audited_case("idealized-laplace", with_claim("eps=0.75,delta=0.1", {{"epsilon", "2"}}));
  const auto& l = quantity(laplace, QuantityKind::kDeltaAtEpsilon, eps);
  const double delta = -std::expm1((eps - 2.0) / 2.0);
  EXPECT_LE(l.lower.value, delta * (1 + 1e-14));
  EXPECT_GE(l.upper.value, delta * (1 - 1e-14));
  EXPECT_LE(l.upper.value - l.lower.value, 1e-14);
  const auto response = audited_case(
      "randomized-response", with_claim("eps=0.75,delta=0.1", {{"epsilon", "2"}, {"values", "2"}}));
  const auto& r = quantity(response, QuantityKind::kDeltaAtEpsilon, eps);
  const double truth = (std::exp(2.0) - std::exp(eps)) / (std::exp(2.0) + 1.0);
  EXPECT_LE(r.lower.value, truth);
  EXPECT_GE(r.upper.value, truth);
  EXPECT_LE(r.upper.value - r.lower.value, 1e-12);
}

// Two Laplace answers that move by half each: delta by integrating one closed form over the other.
TEST(MechanismCases, SeveralLaplaceAnswersComposeToTheIntegralOfTheirLosses) {
  auto request = with_rows({0.0, 0.0}, {0.5, -0.5});
  request.claim = "eps=0.4,delta=0.1";
  const auto report = audited_case("idealized-laplace", request);
  const auto& q = quantity(report, QuantityKind::kDeltaAtEpsilon, 0.4);
  // The first coordinate's loss under the old answer: atoms at +-0.5, density between.
  const auto one = [](double eps) {
    if (eps >= 0.5) return 0.0;
    if (eps <= -0.5) return 1.0 - std::exp(eps);
    return 1.0 - std::exp((eps - 0.5) / 2.0);
  };
  double sum = 0.5 * one(0.4 - 0.5) + 0.5 * std::exp(-0.5) * one(0.4 + 0.5);
  constexpr int kSteps = 200'000;
  for (int i = 0; i < kSteps; ++i) {
    const double x = 0.5 * (i + 0.5) / kSteps;  // P of density e^-x/2 between the two centres
    sum += 0.5 * std::exp(-x) * (0.5 / kSteps) * one(0.4 - (0.5 - 2.0 * x));
  }
  EXPECT_LE(q.lower.value, sum + 1e-8);
  EXPECT_GE(q.upper.value, sum - 1e-8);
  EXPECT_LE(q.upper.value - q.lower.value, 2e-3 * sum);
}

// Both exact engines on one mechanism's law: RAPPOR by counts against the list of all outputs.
TEST(MechanismCases, RapporsCountsAreSufficient) {
  const OneTimeRapporConfig config{8, 2, 0.6};
  const auto m = OneTimeRappor::create(config).value();
  auto request = with_claim("eps=0.5,delta=0.1", field_values(config));
  const auto report = audited_case("one-time-rappor", request);
  const auto p = m.log_pmf(static_cast<std::int64_t>(report.pair.inputs.base_row()[0]));
  const auto q = m.log_pmf(static_cast<std::int64_t>(report.pair.inputs.neighbour_row()[0]));
  double delta = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    delta += std::max(0.0, std::exp(p[i]) - std::exp(0.5 + q[i]));
  }
  const auto& found = quantity(report, QuantityKind::kDeltaAtEpsilon, 0.5);
  EXPECT_LE(found.lower.value, delta);
  EXPECT_GE(found.upper.value, delta);
  EXPECT_LE(found.upper.value - found.lower.value, 1e-11);
}

TEST(MechanismCases, RowsThatAreNoNeighboursAreRefusedByEntry) {
  EXPECT_THAT(refused("idealized-laplace", with_rows({0, 0}, {1, 0.5})).message,
              HasSubstr("1.5 apart in L1"));
  const auto far = refused("report-noisy-max", with_rows({0, 0, 0, 0, 0}, {0, 0, 2, 0, 0}));
  EXPECT_EQ(far.path, "/input/1/2");
  EXPECT_THAT(far.message, HasSubstr("entry 2 moves from 0 to 2"));
  EXPECT_EQ(refused("idealized-noisy-histogram", with_rows({0, 0}, {1, 1})).path, "/input/1/1");
  EXPECT_THAT(refused("idealized-laplace", with_rows({0, 0}, {0, 0})).message, HasSubstr("equal"));
  EXPECT_THAT(refused("idealized-laplace", with_rows({0, 0}, {0})).message, HasSubstr("2 and 1"));
  EXPECT_THAT(refused("discrete-laplace", with_rows({0}, {0.5})).message, HasSubstr("integer"));
  EXPECT_THAT(refused("randomized-response", with_rows({0}, {2})).message,
              HasSubstr("the second row"));
  EXPECT_THAT(refused("report-noisy-max", with_rows({0}, {1})).message, HasSubstr("5 entries"));
  EXPECT_EQ(audited_case("laplace", with_rows({0.1}, {1.1})).verdict, Verdict::kVerified);
}

TEST(MechanismCases, TheReportDoesNotDependOnThreads) {
  AuditRequest request = with_claim("eps=0.5");
  request.method = Method::kLikelihood;
  request.samples = 256;
  const auto one = audited_case("laplace", request, 1);
  const auto three = audited_case("laplace", request, 3);
  ASSERT_EQ(one.evidence.quantities.size(), three.evidence.quantities.size());
  for (std::size_t i = 0; i < one.evidence.quantities.size(); ++i) {
    EXPECT_EQ(one.evidence.quantities[i].lower.value, three.evidence.quantities[i].lower.value);
    EXPECT_EQ(one.evidence.quantities[i].upper.value, three.evidence.quantities[i].upper.value);
  }
}

// The sum of 1.7 and 2.99 rounds up, so that the pair of 1.7 and their sum would be no neighbours.
TEST(MechanismCases, PairsOfStreamsStayWithinTheSensitivityWhateverRounds) {
  for (const double lowest : {1.7, 0.1, -3.3}) {
    for (double sensitivity = 0.01; sensitivity < 5.0; sensitivity += 0.01) {
      const auto pair = detail::rising_entry(2, 3, lowest, sensitivity);
      const auto row = pair.neighbour_row();
      const std::vector<double> stream(row.begin(), row.end());
      EXPECT_TRUE(
          detail::check_stream(stream, CounterNoise::kIdealizedLaplace, lowest, sensitivity, 3))
          << lowest << " " << sensitivity;
    }
  }
}

// Confidence 0.999 each, fixed seeds: the exact interval and the sampled one are about one number.
TEST(MechanismCases, SampledBoundsHoldTheExactValue) {
  for (const std::string id : {"laplace", "gaussian", "idealized-laplace", "top-k", "tree-counter",
                               "hybrid-counter", "report-noisy-max", "above-threshold",
                               "idealized-parallel-laplace", "discrete-laplace", "rappor"}) {
    AuditRequest request = with_claim("eps=0.3,delta=0.01");
    request.method = Method::kLikelihood;
    request.samples = 512;
    const auto sampled = audited_case(id, request);
    // The pair that was sampled, exactly.
    auto same =
        with_rows(sampled.pair.inputs.base_input().values, sampled.pair.inputs.edit().values);
    same.claim = request.claim;
    const auto exact = audited_case(id, same);
    const auto& s = quantity(sampled, QuantityKind::kDeltaAtEpsilon, 0.3);
    const auto& e = quantity(exact, QuantityKind::kDeltaAtEpsilon, 0.3);
    EXPECT_LE(s.lower.value, e.upper.value) << id;
    EXPECT_GE(s.upper.value, e.lower.value) << id;
  }
}

TEST(MechanismCases, AConfigurationOutOfReachOfTheExactMethodSaysSo) {
  AuditRequest request{.parameters = {{"answers", "40"}, {"cutoff", "10"}},
                       .method = Method::kExact};
  EXPECT_THAT(refused("above-threshold", request).message, HasSubstr("4096 outputs"));
  request = {};
  request.method = Method::kExact;
  EXPECT_THAT(refused("idealized-numerical-sparse-vector", request).message,
              HasSubstr("likelihood"));
}

// The same steps by listing every outcome of (3) of additive_noise.hpp, and by composition.
TEST(MechanismCases, OneDiscreteLaplaceMoveIsTheListOfItsOutcomes) {
  for (const double scale : {0.7, 2.0, 9.5}) {
    for (const double d : {1.0, 2.0, 7.0}) {
      const std::vector<detail::NoisyMove> moves{{d, scale, 1}};
      const auto closed =
          detail::discrete_laplace_profile(moves, PureDp{Epsilon{1.0}}, Delta{1e-6}).value();
      const auto listed =
          ExactLoss::create(detail::discrete_laplace_distributions(moves).value()).value();
      for (int i = 0; i <= 40; ++i) {
        const Epsilon eps{1.1 * d / scale * i / 40.0};
        const auto found = closed.delta(eps);
        const auto truth = listed.delta(eps, Orientation::kBaseToNeighbour);
        EXPECT_LE(found.lower.value.value, truth.upper.value.value)
            << scale << " " << d << " " << i;
        EXPECT_GE(found.upper.value.value, truth.lower.value.value)
            << scale << " " << d << " " << i;
        EXPECT_LE(found.upper.value.value - found.lower.value.value, 1e-13);
      }
    }
  }
}

TEST(MechanismCases, DiscreteGaussianProfilesHoldTheSumOverTheIntegers) {
  for (const double scale : {1.5, 20.0}) {
    for (const double d : {1.0, 3.0}) {
      const auto noise = DiscreteGaussian::create(scale).value();
      for (const double eps : {0.0, 0.1, 0.8, 2.0}) {
        double sum = 0.0;
        for (std::int64_t k = -1000; k <= 1000; ++k) {
          const double x = static_cast<double>(k);
          const double p = std::exp(-x * x / (2 * scale * scale));
          const double q = std::exp(-(x - d) * (x - d) / (2 * scale * scale));
          sum += std::max(0.0, p - std::exp(eps) * q);
        }
        const double norm = std::exp(-noise.log_pmf(0));
        const auto found = discrete_gaussian_delta_between(noise, d, Epsilon{eps});
        EXPECT_LE(found.lower.value.value, sum / norm * (1 + 1e-11))
            << scale << " " << d << " " << eps;
        EXPECT_GE(found.upper.value.value, sum / norm * (1 - 1e-11))
            << scale << " " << d << " " << eps;
        EXPECT_LE(found.upper.value.value - found.lower.value.value, 1e-11);
      }
    }
  }
}

// By listing, for every place of an entry, the dyadic intervals that hold it and are complete.
TEST(MechanismCases, CountersNodesAreThoseThatHoldTheEntry) {
  for (std::int64_t length = 1; length <= 40; ++length) {
    for (std::int64_t s = 1; s <= length; ++s) {
      std::int64_t tree = 0;
      std::int64_t honaker = 0;
      for (std::int64_t end = 1; end <= length; ++end) {
        const std::int64_t low_bit = end & -end;
        if (s > end - low_bit && s <= end) ++tree;
        for (std::int64_t width = 1; width <= low_bit; width *= 2) {
          if (s > end - width && s <= end) ++honaker;
        }
      }
      EXPECT_EQ(detail::tree_nodes_of(s, length), tree) << s << " of " << length;
      EXPECT_EQ(detail::honaker_nodes_of(s, length), honaker) << s << " of " << length;
    }
  }
}

// The loss at one output by the density, at most that of all nodes and attained in the far tail.
TEST(MechanismCases, CountersLossesAreThoseOfTheirMovedNodes) {
  HybridCounterConfig config{.noise = CounterNoise::kIdealizedLaplace};
  const auto m = HybridCounterMechanism::create(config).value();
  for (std::int64_t length = 1; length <= 20; ++length) {
    for (std::int64_t s = 1; s <= length; ++s) {
      const auto pair = detail::rising_entry(s, length, 0.0, 1.0);
      // Noise far below every node of the old stream: each moved node loses all it can.
      double most = 0.0;
      for (const auto& move : detail::node_moves(m, pair)) {
        most += move.distance.high / move.scale * static_cast<double>(move.copies);
      }
      std::vector<double> output(static_cast<std::size_t>(length));
      for (std::size_t i = 0; i < output.size(); ++i) {
        output[i] = -1e5 * static_cast<double>((i + 1) * (i + 1));
      }
      const double loss =
          m.log_density(output, pair.base_row()) - m.log_density(output, pair.neighbour_row());
      EXPECT_NEAR(loss, most, 1e-6) << s << " of " << length;
      EXPECT_LE(most, config.epsilon * (1 + 1e-12));
    }
  }
}

// Outcomes of the snapped law against the density of every output around both answers.
TEST(MechanismCases, SnappedDistributionsSidesAreTheSumsOfTheirOutputs) {
  SnappedLaplaceConfig config{.bound = 40.0};
  const auto m = SnappedLaplace::create(config).value();
  const InputPair pair{{0.3}, {1.3}};
  const auto distributions = AuditTraits<SnappedLaplace>::distributions(m, pair).value();
  const double lowest = -2.0 * m.step();
  double p = 0.0;
  for (double y = -config.bound; y <= lowest; y += m.step()) p += std::exp(m.log_density(y, 0.3));
  EXPECT_NEAR(std::exp(distributions.log_p.front()) / p, 1.0, 1e-12);
  double p_all = 0.0;
  for (const double x : distributions.log_p) p_all += std::exp(x);
  EXPECT_NEAR(p_all, 1.0, 1e-12);
  // Every output of a side has the side's ratio, within its error.
  const double ratio = distributions.log_p.front() - distributions.log_q.front();
  for (double y = -config.bound; y <= lowest; y += 4.0 * m.step()) {
    EXPECT_NEAR(m.log_density(y, 0.3) - m.log_density(y, 1.3), ratio, distributions.relative_error);
  }
}

TEST(RowPairs, DistancesAreThoseOfTheNorms) {
  const InputPair pair{{0.0, 1.0, 2.0}, {3.0, 1.0, -2.0}};
  EXPECT_EQ(distance(pair, RowNorm::kL1), 7.0);
  EXPECT_EQ(distance(pair, RowNorm::kL2), 5.0);
  EXPECT_TRUE(distance_at_most(pair, RowNorm::kL2, 5.0));
  EXPECT_FALSE(distance_at_most(pair, RowNorm::kL2, 4.999));
  EXPECT_FALSE(one_entry_moves_at_most(pair, 10.0));
}

}  // namespace
}  // namespace assay
