// Planted faults in mechanisms, audited against what the correct one promises: each is convicted.
#include "assay/auditors/mechanisms/additive_noise.hpp"
#include "assay/auditors/mechanisms/counters.hpp"
#include "assay/auditors/mechanisms/integer_inputs.hpp"
#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/auditors/mechanisms/selection.hpp"
#include "assay/auditors/mechanisms/sparse_vectors.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace testing {

// Laplace noise of half the scale that the level needs; its law is stated as it is.
class HalvedLaplace {
 public:
  using Config = idealized::LaplaceMechanismConfig;
  using Input = std::span<const double>;
  using Output = std::vector<double>;
  static Result<HalvedLaplace> create(const Config& config) {
    if (const auto status = validate(config); !status) return tl::make_unexpected(status.error());
    return HalvedLaplace(config);
  }
  Status check_input(const Input& input) const { return detail::check_answers(input, 0); }
  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    Output out(input.begin(), input.end());
    for (double& x : out) x += noise_.sample(random);
    return out;
  }
  double log_density(const Output& output, const Input& input) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < input.size(); ++i) sum += noise_.log_density(output[i] - input[i]);
    return sum;
  }
  Guarantee guarantee() const {
    return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput, "wrong"};
  }
  const Config& config() const { return config_; }
  const Laplace& noise() const { return noise_; }

 private:
  explicit HalvedLaplace(const Config& config)
      : config_(config),
        noise_(Laplace::create(0.0, 0.5 * config.sensitivity / config.epsilon).value()) {}
  Config config_;
  Laplace noise_;
};

// The law of a selection, to which a fault adds what it says of itself.
template <class Selection>
class LawOfSelection {
 public:
  using Input = std::span<const double>;
  using Output = std::int64_t;
  Status check_input(const Input& input) const { return selection_.check_input(input); }
  std::vector<Output> outputs(const Input& input) const { return selection_.outputs(input); }
  std::vector<double> log_pmf(const Input& input) const { return selection_.log_pmf(input); }

 protected:
  explicit LawOfSelection(const Selection& selection) : selection_(selection) {}
  Selection selection_;
};

// Report noisy max: the law is the correct mechanism's, the releases are not.
class ReusedNoiseMax : public LawOfSelection<ReportNoisyMax> {
 public:
  using Config = ReportNoisyMaxConfig;
  static Result<ReusedNoiseMax> create(const Config& config) {
    const auto correct = ReportNoisyMax::create(config);
    if (!correct) return tl::make_unexpected(correct.error());
    return ReusedNoiseMax(*correct);
  }
  // One noise for all answers: the largest answer always wins.
  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    const double noise = 0x1p-63 * static_cast<double>(random.next());
    std::size_t best = 0;
    for (std::size_t i = 1; i < input.size(); ++i) {
      if (input[i] + noise > input[best] + noise) best = i;
    }
    return static_cast<Output>(best);
  }
  Guarantee guarantee() const { return selection_.guarantee(); }
  const Config& config() const { return selection_.config(); }

 private:
  using LawOfSelection::LawOfSelection;
};

// The scale of monotone scores, where each may move in a direction of its own.
class MonotoneExponential : public LawOfSelection<ExponentialMechanism> {
 public:
  using Config = SelectionConfig;
  static Result<MonotoneExponential> create(const Config& config) {
    SelectionConfig twice = config;
    twice.epsilon *= 2.0;
    const auto stronger = ExponentialMechanism::create(twice);
    if (!stronger) return tl::make_unexpected(stronger.error());
    return MonotoneExponential(config, *stronger);
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    return selection_.release(input, random);
  }
  Guarantee guarantee() const {
    return {PureDp{Epsilon{config_.epsilon}}, Relation::kAllAnswers, View::kOutput, "wrong"};
  }
  const Config& config() const { return config_; }

 private:
  MonotoneExponential(const Config& config, const ExponentialMechanism& stronger)
      : LawOfSelection(stronger), config_(config) {}
  Config config_;
};

}  // namespace testing

template <>
inline constexpr MechanismName kNameOf<testing::HalvedLaplace>{"halved-laplace", "half the noise"};
template <>
inline constexpr MechanismName kNameOf<testing::ReusedNoiseMax>{"reused-noise",
                                                                "one noise for all"};
template <>
inline constexpr MechanismName kNameOf<testing::MonotoneExponential>{"monotone", "monotone scale"};

template <>
struct AuditTraits<testing::HalvedLaplace> : AuditTraits<idealized::LaplaceMechanism> {
  using M = testing::HalvedLaplace;
  static Status check(const M& m, const InputPair& pair) {
    return distance_at_most(pair, RowNorm::kL1, m.config().sensitivity);
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::split_moves(m.config().sensitivity);
  }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(detail::moves_of(pair, m.noise().scale()), claim, delta0);
  }
};
template <>
struct AuditTraits<testing::ReusedNoiseMax> {
  using M = testing::ReusedNoiseMax;
  static constexpr std::string_view kAbout = "A planted fault.";
  static constexpr std::string_view kInput = "answers";
  static constexpr std::string_view kReference = "none";
  static constexpr bool kProved = true;
  static Status check(const M&, const InputPair& pair) {
    return every_entry_moves_at_most(pair, 1.0);
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::one_against_all(m.config().answers, 1.0, 2.0 / m.config().epsilon,
                                   m.config().epsilon);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return detail::listed_distributions(m, pair, 1e-12, -640.0);
  }
};
template <>
struct AuditTraits<testing::MonotoneExponential>
    : detail::PairedSelection<testing::MonotoneExponential> {
  static constexpr std::string_view kAbout = "A planted fault.";
  static constexpr std::string_view kReference = "none";
};

namespace {

template <class M>
AuditReport audited_case(Method method) {
  AuditRequest request{.method = method, .samples = 4000};
  return must(MechanismCase<M>{}.run(request, {}));
}

TEST(MechanismFaults, HalfTheNoiseIsConvictedByEveryMethod) {
  for (const auto method : {Method::kExact, Method::kLikelihood, Method::kEvents}) {
    const auto report = audited_case<testing::HalvedLaplace>(method);
    EXPECT_EQ(report.verdict, Verdict::kViolated)
        << report.evidence.method << ": " << report.reason;
  }
}

TEST(MechanismFaults, ReusedNoiseIsConvictedByItsReleases) {
  const auto report = audited_case<testing::ReusedNoiseMax>(Method::kEvents);
  EXPECT_EQ(report.verdict, Verdict::kViolated) << report.reason;
}

// The stated law is the correct mechanism's: nothing may be verified from it.
TEST(MechanismFaults, ReleasesThatDoNotFollowTheStatedDistributionVerifyNothing) {
  const auto report = audited_case<testing::ReusedNoiseMax>(Method::kExact);
  EXPECT_EQ(report.verdict, Verdict::kInconclusive) << report.reason;
}

TEST(MechanismFaults, TheMonotoneScaleOnOtherScoresIsConvicted) {
  const auto report = audited_case<testing::MonotoneExponential>(Method::kExact);
  EXPECT_EQ(report.verdict, Verdict::kViolated) << report.reason;
  EXPECT_EQ(report.scope, Scope::kThisPair);
}

}  // namespace
}  // namespace assay
