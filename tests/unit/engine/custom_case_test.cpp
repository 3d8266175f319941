// Classes of the test's own as audit cases, against levels that are known in closed form, and a shipped policy
// against its own case.
#include "assay/auditors/engine/custom_case.hpp"

#include <fstream>
#include <optional>

#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/engine/custom_plugin.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/sparse/random_arm.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct LastRewardConfig {
  std::int64_t horizon = 4;
  double epsilon = 1.0;
  double noise = 1.0;  // what the answers are really randomised at; 0: not at all
  static void fields(auto&& visit) {
    using C = LastRewardConfig;
    visit(field("horizon", &C::horizon, Range{1, 1e4}, "T", "rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "level"));
    visit(field("noise", &C::noise, Range{0, 1e3}, "", "of the answers"));
  }
};

// Arm 1 if the last reward was at least a half, told with probability e^noise / (1 + e^noise): a reward moves the
// law of one round, so that the loss of every pair that crosses a half is noise.
class LastReward {
 public:
  using Config = LastRewardConfig;
  using Context = NoContext;
  using Action = int;
  using Feedback = double;

  static Result<LastReward> create(const Config& config) { return of<LastReward>(config); }
  int choose(ReplayStream& random) {
    const double lie = config_.noise == 0.0 ? 0.0 : 1.0 / (1.0 + std::exp(config_.noise));
    return random.uniform() < lie ? 1 - answer_ : answer_;
  }
  void observe(double reward) { answer_ = reward >= 0.5 ? 1 : 0; }
  Guarantee guarantee() const {
    return {PureDp{Epsilon{config_.epsilon}}, relation, View::kActions, ""};
  }
  const Config& config() const { return config_; }

  inline static Relation relation = Relation::kReplaceOneReward;

 protected:
  template <class P>  // this or one derived of it
  static P of(const Config& config) {
    P policy;
    policy.config_ = config;
    return policy;
  }

  Config config_;
  int answer_ = 0;
};

// The same, and says so.
class ToldLastReward : public LastReward {
 public:
  static Result<ToldLastReward> create(const Config& config) { return of<ToldLastReward>(config); }
  double log_probability(int action) const {
    if (faulty_log) return *faulty_log;
    const bool told = action == answer_;
    if (config_.noise == 0.0) return told ? 0.0 : -std::numeric_limits<double>::infinity();
    return -std::log1p(std::exp(told ? -config_.noise : config_.noise));
  }
  void advance(int) {}

  inline static std::optional<double> faulty_log;
};
static_assert(detail::HasOwnLikelihood<ToldLastReward>);
static_assert(Policy<LastReward> && !detail::HasOwnLikelihood<LastReward>);

AuditJob own_job(const std::string& claim, std::vector<KeyValue> parameters) {
  AuditJob job;
  job.claim = claim;
  job.parameters = std::move(parameters);
  return job;
}

Result<AuditReport> audit_own(const AuditCase& own, const AuditJob& job) {
  const auto prepared = ASSAY_TRY(prepare(job, own));
  Session session;
  session.control.threads = 2;
  auto outcome = ASSAY_TRY(prepared(session));
  return std::move(outcome.report);
}

template <class P>
AuditReport own_report(const AuditJob& job) {
  const auto own = make_custom_case<P>({.id = "mine"});
  return must(audit_own(*own, job));
}

template <class P>
std::string own_error(const AuditJob& job) {
  const auto own = make_custom_case<P>({.id = "mine"});
  return error_of(audit_own(*own, job)).message;
}

TEST(CustomCase, WithALikelihoodHasTheLossOfItsDistribution) {
  const auto leaky = own_report<ToldLastReward>(own_job("eps=1", {{"noise", "3"}}));
  EXPECT_EQ(leaky.evidence.method, "exact");
  EXPECT_EQ(leaky.verdict, Verdict::kViolated);
  const auto held = own_report<ToldLastReward>(own_job("eps=1", {{"noise", "0.75"}}));
  EXPECT_EQ(held.verdict, Verdict::kVerified);
  EXPECT_EQ(held.scope, Scope::kThisPair);  // nothing is proved of all
  bool is_there = false;
  for (const auto& quantity : held.evidence.quantities) {
    if (quantity.kind != QuantityKind::kEpsilonAtDelta || quantity.at != 0.0) continue;
    EXPECT_NEAR(quantity.lower.value, 0.75, 1e-9);
    EXPECT_NEAR(quantity.upper.value, 0.75, 1e-9);
    is_there = true;
  }
  EXPECT_TRUE(is_there);
}

TEST(CustomCase, WithoutOneIsConvictedAndAcquittedByItsRuns) {
  auto job = own_job("eps=1", {{"noise", "3"}});
  job.samples = 3000;
  const auto leaky = own_report<LastReward>(job);
  EXPECT_EQ(leaky.evidence.method, "events");
  EXPECT_EQ(leaky.verdict, Verdict::kViolated);
  job.parameters = {{"noise", "0.75"}};
  EXPECT_NE(own_report<LastReward>(job).verdict, Verdict::kViolated);
}

// One input can play what the other cannot: no likelihood bounds that, and plays show it.
TEST(CustomCase, ThatPromisesWhatItDoesNotRandomiseIsConvictedByItsRuns) {
  auto job = own_job("", {{"noise", "0"}});
  job.samples = 1000;
  const auto report = own_report<ToldLastReward>(job);
  EXPECT_EQ(report.evidence.method, "events");
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_THAT(report.notes, Contains(HasSubstr("never gives")));
  EXPECT_EQ(report.claim, PrivacyLevel(PureDp{Epsilon{1.0}}));  // its own guarantee
}

// It tells the truth far more often than it says: its numbers alone would acquit it.
class Misreporting : public ToldLastReward {
 public:
  static Result<Misreporting> create(const Config& config) { return of<Misreporting>(config); }
  int choose(ReplayStream& random) { return random.uniform() < 0.01 ? 1 - answer_ : answer_; }
};

TEST(CustomCase, ThatSamplesOtherwiseThanItSaysIsNotAcquitted) {
  for (const char* method : {"exact", "likelihood"}) {
    auto job = own_job("eps=1", {{"noise", "0.5"}});
    job.method = method;
    if (job.method == "likelihood") job.samples = 500;
    EXPECT_EQ(own_report<Misreporting>(job).verdict, Verdict::kInconclusive) << method;
  }
}

// It counts its choices, forgets that in advance(), and from round 3 tells the last reward.
class Forgetful : public LastReward {
 public:
  static Result<Forgetful> create(const Config& config) { return of<Forgetful>(config); }
  int choose(ReplayStream& random) {
    const double lie = ++choices_ > 2 ? 0.001 : 0.5;
    return random.uniform() < lie ? 1 - answer_ : answer_;
  }
  double log_probability(int action) const {
    if (choices_ < 2) return std::log(0.5);
    return std::log(action == answer_ ? 0.999 : 0.001);
  }
  void advance(int) {}

 private:
  int choices_ = 0;
};

// What choosing leaves behind is part of what it plays: probabilities of a state that nobody plays acquit nobody.
TEST(CustomCase, ThatChoosesFromAnotherStateThanItSaysHasFailed) {
  for (const char* method : {"exact", "likelihood"}) {
    auto job = own_job("eps=1", {});
    job.method = method;
    if (job.method == "likelihood") job.samples = 200;
    EXPECT_THAT(own_error<Forgetful>(job),
                HasSubstr("log_probability() gives other numbers after advance()"))
        << method;
  }
}

// Right where the structural pairs look, and no number at all where it leaks.
class SometimesNone : public ToldLastReward {
 public:
  static Result<SometimesNone> create(const Config& config) { return of<SometimesNone>(config); }
  void observe(double reward) {
    ToldLastReward::observe(reward);
    reward_ = reward;
  }
  double log_probability(int action) const {
    if (reward_ > 0.2 && reward_ < 0.3) return std::numeric_limits<double>::quiet_NaN();
    return ToldLastReward::log_probability(action);
  }

 private:
  double reward_ = 0.0;
};

TEST(CustomCase, ThatSaysNoNumberSomewhereHasFailedThere) {
  const TemporaryFolder folder;
  auto job = own_job("eps=1", {});
  job.method = "exact";
  job.input = folder.write("rewards.csv", "0\n0.25\n0\n0\n");
  EXPECT_THAT(own_error<SometimesNone>(job), HasSubstr("not the logarithm of a probability"));
}

struct LastLossConfig {
  std::int64_t actions = 3;
  std::int64_t horizon = 4;
  double epsilon = 1.0;
  static void fields(auto&& visit) {
    using C = LastLossConfig;
    visit(field("actions", &C::actions, Range{2, 100}, "K", "experts"));
    visit(field("horizon", &C::horizon, Range{1, 1e4}, "T", "rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "level"));
  }
};

// The exponential mechanism on the losses of the last round: P(j) proportional to e^(-eps loss_j / 2), whose loss
// is largest where one expert's loss rises as all others' fall.
class LastLoss {
 public:
  using Config = LastLossConfig;
  using Context = NoContext;
  using Action = int;
  using Feedback = std::span<const double>;

  static Result<LastLoss> create(const Config& config) {
    LastLoss policy;
    policy.config_ = config;
    policy.losses_.assign(static_cast<std::size_t>(config.actions), 0.0);
    return policy;
  }
  int choose(ReplayStream& random) {
    double left = random.uniform();
    int action = 0;
    while (action + 1 < config_.actions && (left -= std::exp(log_probability(action))) >= 0.0)
      ++action;
    return action;
  }
  void observe(std::span<const double> losses) { losses_.assign(losses.begin(), losses.end()); }
  double log_probability(int action) const {
    double sum = 0.0;
    for (const double loss : losses_) sum += std::exp(-0.5 * config_.epsilon * loss);
    return -0.5 * config_.epsilon * losses_[static_cast<std::size_t>(action)] - std::log(sum);
  }
  void advance(int) {}
  Guarantee guarantee() const {
    return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneLossVector, View::kActions, ""};
  }
  const Config& config() const { return config_; }

 private:
  Config config_;
  std::vector<double> losses_;
};

// log of e^0 / (e^0 + (K-1) e^(-eps/2)) over e^(-eps/2) / (e^(-eps/2) + (K-1) e^0).
TEST(CustomCase, OfExpertsWithALikelihoodHasTheLossOfItsDistribution) {
  const auto report = own_report<LastLoss>(own_job("eps=1", {}));
  EXPECT_EQ(report.evidence.method, "exact");
  const double half = std::exp(-0.5);
  const double truth = std::log((1.0 / (1.0 + 2.0 * half)) / (half / (half + 2.0)));
  bool is_there = false;
  for (const auto& quantity : report.evidence.quantities) {
    if (quantity.kind != QuantityKind::kEpsilonAtDelta || quantity.at != 0.0) continue;
    EXPECT_NEAR(quantity.lower.value, truth, 1e-9);
    is_there = true;
  }
  EXPECT_TRUE(is_there);
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  auto claimed = own_job("eps=0.6", {});  // the truth is 0.664
  EXPECT_EQ(own_report<LastLoss>(claimed).verdict, Verdict::kViolated);
}

TEST(CustomCase, WithALikelihoodIsCountedWhereThatIsAskedFor) {
  auto job = own_job("eps=1", {{"noise", "3"}});
  job.method = "events";
  job.samples = 3000;
  const auto report = own_report<ToldLastReward>(job);
  EXPECT_EQ(report.evidence.method, "events");
  EXPECT_EQ(report.verdict, Verdict::kViolated);
}

// The engine sees a shipped policy through its own case and through this one: the numbers are the same.
TEST(CustomCase, OfAShippedPolicyFindsWhatItsCaseFinds) {
  const auto own = make_custom_case<ModifiedThompsonSampling>({.id = "thompson-sampling"});
  auto job = own_job("mu=1", {{"horizon", "5"}});
  job.seed = 7;
  const auto mine = audit_own(*own, job);
  job.case_id = "thompson-sampling";
  const auto shipped = run_job(job, Session{});
  ASSERT_TRUE(mine && shipped);
  ASSERT_EQ(mine->evidence.quantities.size(), shipped->report.evidence.quantities.size());
  for (std::size_t i = 0; i < mine->evidence.quantities.size(); ++i) {
    const auto& a = mine->evidence.quantities[i];
    const auto& b = shipped->report.evidence.quantities[i];
    EXPECT_NEAR(a.lower.value, b.lower.value, 1e-9 * std::fabs(b.lower.value)) << i;
  }
}

template <class P>
class CustomCaseOfKind : public ::testing::Test {};
using Kinds = ::testing::Types<Ucb1, SequentialHalving, RandomPrefix, Rucb, RandomArm>;
TYPED_TEST_SUITE(CustomCaseOfKind, Kinds);

// Of every kind of input: the private ones (random_prefix, random_arm) are not refuted, the greedy ones are.
TYPED_TEST(CustomCaseOfKind, IsPlayedWithItsSizes) {
  const auto own = make_custom_case<TypeParam>({.id = "mine"});
  const auto described = own->describe();
  auto job = own_job("eps=3", {});
  for (const auto& field : described.parameters) {
    if (field.name == "horizon" || field.name == "budget")
      job.parameters.push_back({field.name, "16"});
  }
  ASSERT_EQ(job.parameters.size(), 1u);  // of the case where the Config has none
  job.samples = 200;
  const auto report = must(audit_own(*own, job));
  const bool is_private =
      std::is_same_v<TypeParam, RandomPrefix> || std::is_same_v<TypeParam, RandomArm>;
  EXPECT_EQ(report.verdict == Verdict::kViolated, !is_private);
  EXPECT_EQ(report.evidence.method, "events");
}

TEST(CustomCase, ReadsAnInputAndTriesItsNeighbours) {
  const std::string file = ::testing::TempDir() + "custom_case_rewards.csv";
  std::ofstream(file) << "0.2\n0.9\n0.4\n0.6\n";
  auto job = own_job("eps=1", {{"noise", "3"}});
  job.input = file;
  job.samples = 3000;
  for (const bool told : {false, true}) {
    const auto report = told ? own_report<ToldLastReward>(job) : own_report<LastReward>(job);
    EXPECT_EQ(report.verdict, Verdict::kViolated) << told;
    EXPECT_EQ(report.pair.inputs.base_input().values, (std::vector<double>{0.2, 0.9, 0.4, 0.6}));
    job.samples.reset();  // the exact method has no use for it
  }
  job.parameters.push_back({"horizon", "5"});
  EXPECT_THAT(own_error<LastReward>(job), HasSubstr("has 4 x 1 numbers, not 5 x 1"));
}

TEST(CustomCase, SaysHowItsProgramRepeatsTheReport) {
  const auto own = make_custom_case<ToldLastReward>({.id = "mine", .program = "./my_audit"});
  const auto report = must(audit_own(*own, own_job("eps=1", {{"noise", "3"}})));
  EXPECT_THAT(report.reproduce,
              ::testing::StartsWith("./my_audit -p horizon=4 -p epsilon=1 -p noise=3 "));
}

TEST(CustomCase, IsTheSameReportOnAnyNumberOfThreads) {
  auto job = own_job("eps=1", {{"noise", "1.2"}});
  job.samples = 1000;
  const auto own = make_custom_case<LastReward>({});
  const auto prepared = must(prepare(job, *own));
  std::vector<AuditReport> reports;
  for (const int threads : {1, 3}) {
    Session session;
    session.control.threads = threads;
    reports.push_back(prepared(session)->report);
  }
  EXPECT_EQ(reports[0].reproduce, reports[1].reproduce);
  ASSERT_FALSE(reports[0].evidence.quantities.empty());
  EXPECT_EQ(reports[0].evidence.quantities[0].lower.value,
            reports[1].evidence.quantities[0].lower.value);
}

TEST(CustomCase, ThatContradictsItselfIsRefusedInWords) {
  const auto job = own_job("eps=1", {});
  ToldLastReward::faulty_log = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(
      own_error<ToldLastReward>(job),
      HasSubstr(
          "mine, round 1: log_probability(0) is nan, which is not the logarithm of a probability"));
  ToldLastReward::faulty_log = std::log(0.4);
  EXPECT_THAT(own_error<ToldLastReward>(job),
              HasSubstr("the probabilities of all actions sum to 0.8"));
  ToldLastReward::faulty_log.reset();

  LastReward::relation = Relation::kReplaceOneRecord;
  EXPECT_THAT(
      own_error<LastReward>(job),
      HasSubstr("the guarantee() of mine is for the relation replace-one-record, but neighbours of "
                "kind bandit differ by replace-one-reward"));
  LastReward::relation = Relation::kReplaceOneReward;

  EXPECT_THAT(own_error<LastReward>(own_job("eps=1", {{"arms", "1"}})),
              HasSubstr("arms must be 2 to 1024"));
  EXPECT_THAT(own_error<LastReward>(own_job("eps=1", {{"nois", "1"}})),
              HasSubstr("did you mean 'noise'"));
  auto other = job;
  other.exec = "true";
  EXPECT_THAT(own_error<LastReward>(other), HasSubstr("name something else"));
}

// It plays an arm that there is not, which is the class's failure and no verdict.
class NoSuchArm : public LastReward {
 public:
  static Result<NoSuchArm> create(const Config&) { return NoSuchArm(); }
  int choose(ReplayStream&) { return ++round_ < 3 ? 0 : 2; }

 private:
  int round_ = 0;
};

TEST(CustomCase, ThatRunsNoSuchArmHasFailed) {
  const auto own = make_custom_case<NoSuchArm>({.id = "mine"});
  const auto error = error_of(audit_own(*own, own_job("eps=1", {})));
  EXPECT_EQ(error.code, ErrorCode::kTarget);
  EXPECT_THAT(error.message,
              HasSubstr("a run of mine: entry 3 must be an action from 0 to 1, not 2"));
}

std::string plugin_refusal(const assay_shape_v1& shape) {
  std::array<char, 512> error{};
  void* self = detail::CustomPlugin<Ucb1>::create(&shape, error.data(), error.size());
  if (self != nullptr) detail::CustomPlugin<Ucb1>::destroy(self);
  return self != nullptr ? "" : error.data();
}

// A shape with more than the actions of all rounds is none that a Policy plays.
TEST(CustomPlugin, RefusesWhatAPolicyDoesNotTell) {
  const assay_shape_v1 plain = {"bandit", 2, 10, 0, 0, 0, 10, 1, 10, 0, 0, 0, nullptr, nullptr};
  EXPECT_EQ(plugin_refusal(plain), "");
  for (const auto member :
       {&assay_shape_v1::stops, &assay_shape_v1::numbers, &assay_shape_v1::estimates}) {
    assay_shape_v1 shape = plain;
    shape.*member = 1;
    EXPECT_THAT(plugin_refusal(shape), HasSubstr("no early stops, numbers or estimates"));
  }
}

}  // namespace
}  // namespace assay
