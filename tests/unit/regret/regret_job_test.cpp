// A certified bound of a policy's expected regret: what it measures, how it decides, and what it refuses.
#include "assay/auditors/regret/regret_job.hpp"

#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Two arms with a gap of 0.2.
RegretJob bandit_job(const std::string& policy = "thompson-sampling") {
  RegretJob job;
  job.policy = policy;
  job.environment = RegretEnvironment::kBernoulliArms;
  job.means = {0.7, 0.5};
  job.horizon = 100;
  job.runs = 200;
  job.at_most = 10.0;
  return job;
}

RegretReport certified(const RegretJob& job, int threads = 1) {
  Session session;
  session.control.threads = threads;
  return must(run_job(job, session));
}

TEST(RegretJobs, FindTheRegretOfRunsThatChooseInAFixedOrder) {
  RegretJob job = bandit_job("explore-then-commit");
  job.parameters = {{"pulls", "50"}};  // 50 rounds of each arm, then the horizon ends
  const auto report = certified(job);
  EXPECT_DOUBLE_EQ(report.regret.value, 10.0);
  EXPECT_LE(report.regret.lower, 10.0);
  EXPECT_GE(report.regret.upper, 10.0);
  EXPECT_DOUBLE_EQ(report.most_regret, 20.0);
  EXPECT_EQ(report.runs, 200);
}

// In the first round all arms are alike to Thompson sampling, and with the lowest rate all experts to hedge.
TEST(RegretJobs, FindTheRegretOfUniformChoice) {
  RegretJob job = bandit_job();
  job.horizon = 1;
  job.runs = 4000;
  job.at_most = 0.15;
  job.means = {0.9, 0.6, 0.6};
  const auto bandits = certified(job);
  EXPECT_LT(bandits.regret.lower, 0.2);
  EXPECT_GT(bandits.regret.upper, 0.2);
  EXPECT_NEAR(bandits.regret.value, 0.2, 0.02);
  job.policy = "hedge";
  job.environment = RegretEnvironment::kBernoulliLosses;
  job.means = {0.1, 0.4, 0.4};
  const auto experts = certified(job);
  EXPECT_NEAR(experts.regret.value, 0.2, 0.02);
}

TEST(RegretJobs, AreWithinAboveOrUndecided) {
  RegretJob job = bandit_job();
  const auto report = certified(job);
  EXPECT_EQ(report.verdict(), RegretVerdict::kWithin);
  EXPECT_LT(report.regret.upper, 10.0);
  job.at_most = report.regret.lower / 2.0;
  EXPECT_EQ(certified(job).verdict(), RegretVerdict::kAbove);
  job.at_most = report.regret.value + 0.25;
  const auto undecided = certified(job);
  EXPECT_EQ(undecided.verdict(), RegretVerdict::kUndecided);
  const auto runs = runs_to_decide(undecided);
  ASSERT_TRUE(runs);
  EXPECT_GT(*runs, 200);
  job.runs = *runs;
  EXPECT_EQ(certified(job).verdict(), RegretVerdict::kWithin);
  job.runs = 200;
  job.at_most = undecided.regret.value;
  EXPECT_FALSE(runs_to_decide(certified(job)));
}

TEST(RegretJobs, CompareWithABaseline) {
  RegretJob job = bandit_job("explore-then-commit");
  job.parameters = {{"pulls", "50"}};
  job.at_most.reset();
  job.baseline = "thompson-sampling";
  job.at_most_times = 1.1;
  const auto report = certified(job);
  EXPECT_EQ(report.verdict(), RegretVerdict::kAbove);
  EXPECT_EQ(report.baseline, "thompson-sampling");
  ASSERT_TRUE(report.ratio && report.baseline_regret);
  EXPECT_DOUBLE_EQ(report.ratio->value, 10.0 / report.baseline_regret->value);
  EXPECT_LE(report.ratio->lower, report.regret.lower / report.baseline_regret->upper);
  EXPECT_GE(report.ratio->upper, report.regret.upper / report.baseline_regret->lower);
  job.at_most_times = 4.0;
  EXPECT_EQ(certified(job).verdict(), RegretVerdict::kWithin);
  // Without a lower bound of its regret, nothing bounds the ratio from above.
  job.runs = 2;
  const auto few = certified(job);
  EXPECT_EQ(few.verdict(), RegretVerdict::kUndecided);
  EXPECT_GT(few.ratio->upper, 4.0);
  EXPECT_TRUE(runs_to_decide(few));
}

TEST(RegretJobs, DoNotDependOnTheNumberOfThreads) {
  RegretJob job = bandit_job();
  job.horizon = 20'000;
  job.runs = 300;
  const auto one = certified(job, 1);
  const auto three = certified(job, 3);
  EXPECT_EQ(one.regret.value, three.regret.value);
  EXPECT_EQ(one.regret.lower, three.regret.lower);
  EXPECT_EQ(one.regret.upper, three.regret.upper);
}

TEST(RegretJobs, EndWithTheTimeAndStateHowFarTheyCame) {
  RegretJob job = bandit_job();
  job.horizon = 100'000;
  job.runs = 1'000'000;
  Session session;
  session.control.give_seconds(0.05);
  const auto report = must(run_job(job, session));
  EXPECT_GT(report.runs, 0);
  EXPECT_LT(report.runs, 1'000'000);
  EXPECT_FALSE(report.interrupted);
}

TEST(RegretJobs, RunEveryPolicyThatTheyName) {
  for (const std::string& name : simulated_policy_names()) {
    bool runs = false;
    for (const auto& [environment, word] : enum_names(RegretEnvironment{})) {
      RegretJob job = bandit_job(name);
      job.environment = environment;
      job.means = {0.5, 0.25};
      if (environment == RegretEnvironment::kTruncatedExponentialArms) {
        job.rates = {1.0, 5.0};
        job.means.clear();
      }
      job.runs = 4;
      job.at_most = 1.0;
      const auto report = run_job(job, Session{});
      if (!report) {
        EXPECT_THAT(report.error().message,
                    AllOf(StartsWith("environment must be "), HasSubstr("for the policy " + name),
                          HasSubstr("not " + std::string(word))));
        continue;
      }
      runs = true;
      EXPECT_LE(report->regret.value, report->most_regret) << name << " in " << word;
    }
    EXPECT_TRUE(runs) << name;
  }
}

// So that the entries of one policy look alike.
TEST(RegretJobs, CallPoliciesByTheNamesOfTheirCases) {
  const auto known = simulated_policy_names();
  for (const std::string name :
       {"thompson-sampling", "ftnl", "dp-ebs", "gopt-dpdb", "ebs-local", "ebs-non-private"}) {
    EXPECT_THAT(known, Contains(name));
    EXPECT_TRUE(find_audit_case(name)) << name;
  }
}

TEST(RegretJobs, NameWhatIsMissingOrDoesNotFit) {
  const auto why = [](const std::function<void(RegretJob&)>& change) {
    RegretJob job = bandit_job();
    change(job);
    return refusal_of(prepare(job));
  };
  EXPECT_EQ(why([](RegretJob&) {}), "");
  EXPECT_THAT(why([](RegretJob& job) { job.policy = ""; }),
              StartsWith("a regret needs policy, one of thompson-sampling, "));
  EXPECT_EQ(why([](RegretJob& job) { job.policy = "thomson-sampling"; }),
            "policy 'thomson-sampling' is unknown; did you mean 'thompson-sampling'?");
  EXPECT_THAT(why([](RegretJob& job) { job.environment.reset(); }),
              StartsWith("a regret needs environment, bernoulli-arms, "));
  EXPECT_EQ(why([](RegretJob& job) { job.means.clear(); }),
            "a regret needs means, a number for each arm or expert");
  EXPECT_EQ(why([](RegretJob& job) {
              job.means = {0.5, 1.5};
            }),
            "means: the mean of a Bernoulli arm must be 0 to 1, not 1.5");
  EXPECT_EQ(why([](RegretJob& job) {
              job.means = {0.5, 0.5};
            }),
            "means must differ: if all actions are equally good, every policy has regret 0");
  EXPECT_THAT(why([](RegretJob& job) {
                job.rates = {1.0, 2.0};
              }),
              HasSubstr("rates is for environment truncated-exponential-arms"));
  EXPECT_THAT(why([](RegretJob& job) { job.environment = RegretEnvironment::kScoredDuels; }),
              StartsWith("environment must be bernoulli-arms, uniform-arms or "
                         "truncated-exponential-arms for the policy thompson-sampling, not "
                         "scored-duels"));
  EXPECT_EQ(why([](RegretJob& job) { job.horizon.reset(); }),
            "a regret needs horizon, the number of rounds of a run");
  EXPECT_THAT(why([](RegretJob& job) { job.horizon = 0; }), HasSubstr("horizon must be 1 to "));
  EXPECT_THAT(why([](RegretJob& job) { job.runs.reset(); }), StartsWith("a regret needs runs, "));
  EXPECT_EQ(why([](RegretJob& job) {
              job.parameters = {{"arms", "3"}};
            }),
            "parameters: arms must be 2, as many as the environment has, not 3");
  EXPECT_EQ(why([](RegretJob& job) {
              job.parameters = {{"horizon", "50"}};
            }),
            "parameters: horizon must be 100, that of the entry, not 50");
  EXPECT_THAT(why([](RegretJob& job) {
                job.parameters = {{"variance", "-1"}};
              }),
              StartsWith("parameters: variance must be "));
  EXPECT_THAT(why([](RegretJob& job) { job.at_most.reset(); }),
              StartsWith("a regret needs a limit, at-most = NUMBER, or baseline"));
  EXPECT_EQ(why([](RegretJob& job) { job.at_most = 20.0; }),
            "at-most must be below 20, the regret of the worst action in every round, not 20");
  EXPECT_EQ(why([](RegretJob& job) { job.baseline = "ucb1"; }),
            "at-most and baseline contradict each other: give one of them");
  const auto with_baseline = [&](const std::function<void(RegretJob&)>& change) {
    return why([&](RegretJob& job) {
      job.at_most.reset();
      job.baseline = "ucb1";
      job.at_most_times = 2.0;
      change(job);
    });
  };
  EXPECT_EQ(with_baseline([](RegretJob&) {}), "");
  EXPECT_THAT(with_baseline([](RegretJob& job) { job.at_most_times.reset(); }),
              StartsWith("a regret needs at-most-times, "));
  EXPECT_THAT(with_baseline([](RegretJob& job) { job.baseline = "ucb"; }),
              StartsWith("baseline 'ucb' is unknown; did you mean 'ucb1'?"));
  EXPECT_THAT(with_baseline([](RegretJob& job) { job.baseline = "hedge"; }),
              StartsWith("environment must be bernoulli-losses for the baseline hedge"));
  EXPECT_THAT(with_baseline([](RegretJob& job) {
                job.baseline_parameters = {{"arms", "9"}};
              }),
              StartsWith("baseline-parameters: arms must be 2"));
  EXPECT_THAT(why([](RegretJob& job) { job.at_most_times = 2.0; }),
              HasSubstr("at-most-times is for entries with a baseline"));
}

}  // namespace
}  // namespace assay
