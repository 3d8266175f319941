// A certified bound of a policy's expected regret: what it measures, how it decides, and what it refuses.
#include "assay/auditors/regret/regret_job.hpp"

#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/tests/support/run_command.hpp"

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
      job.at_most = 0.1;
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

// Both arms are pulled once, and the better one is recommended: the second, with rewards uniform on [0, 1/2], beats the
// first, on [0, 1], with probability 1/4, and costs 1/4.
TEST(RegretJobs, OfBestArmPoliciesAreSimpleRegrets) {
  RegretJob job = bandit_job("sequential-halving");
  job.environment = RegretEnvironment::kUniformArms;
  job.means = {0.5, 0.25};
  job.horizon = 2;
  job.runs = 4000;
  job.at_most = 0.1;
  const auto report = certified(job, 2);
  EXPECT_TRUE(report.is_simple);
  EXPECT_DOUBLE_EQ(report.most_regret, 0.25);
  EXPECT_NEAR(report.regret.value, 1.0 / 16.0, 0.0086);  // five standard deviations
  EXPECT_EQ(report.verdict(), RegretVerdict::kWithin);
  job.parameters = {{"budget", "50"}};
  EXPECT_EQ(refusal_of(prepare(job)),
            "parameters: budget must be 2, the horizon of the entry, not 50");
}

// So that the entries of one policy look alike.
TEST(RegretJobs, CallPoliciesByTheNamesOfTheirCases) {
  const auto known = simulated_policy_names();
  for (const std::string name :
       {"thompson-sampling", "ftnl", "dp-ebs", "gopt-dpdb", "ebs-local", "ebs-non-private",
        "dp-bai", "dp-bai-gauss", "bai-baseline", "dp-od", "od-linbai", "sequential-halving"}) {
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
  for (const std::string sparse : {"fliphat", "iht-bandit", "lasso-bandit"}) {
    EXPECT_THAT(why([&](RegretJob& job) { job.policy = sparse; }),
                StartsWith("policy '" + sparse + "' has no regret entry: the regret of a sparse"));
  }
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

// A program whose body is the code of one run: it has rewards, shape, rng and fills arms.
class RegretPrograms : public InAFolder {
 protected:
  RegretJob job_of(const std::string& run, const std::string& options = "kind='bandit'") const {
    RegretJob job = bandit_job("");
    job.exec = command(run, options);
    job.horizon = 20;
    job.runs = 60;
    job.at_most = 3.0;
    return job;
  }
  std::string command(const std::string& run, const std::string& options = "kind='bandit'") const {
    const std::string name = "policy" + std::to_string(++programs_) + ".py";
    return std::string(ASSAY_PYTHON) + " " +
           folder.write(name,
                        "import os, random, time\nfrom assay_target import serve\n"
                        "def play(rewards, shape, seed, rng):\n    arms = []\n" +
                            run + "    return arms\nserve(play, " + options + ")\n");
  }
  std::string error(const RegretJob& job, const Session& session = {}) const {
    return error_of(run_job(job, session)).message;
  }

 private:
  mutable int programs_ = 0;
};
const std::string kAlternates = "    arms = [t % 2 for t in range(shape.horizon)]\n";
const std::string kTheBest = "    arms = [0] * shape.horizon\n";

TEST_F(RegretPrograms, AreJudgedAsPoliciesAre) {
  RegretJob job = job_of(kAlternates);
  const auto within = certified(job, 2);
  EXPECT_NEAR(within.regret.value, 2.0, 1e-12);  // half of 20 rounds, with a gap of 0.2
  EXPECT_DOUBLE_EQ(within.most_regret, 4.0);
  EXPECT_EQ(within.verdict(), RegretVerdict::kWithin);
  EXPECT_EQ(within.runs, 60);
  EXPECT_EQ(within.executions, certified(job, 1).executions);
  job.at_most = 1.0;
  EXPECT_EQ(certified(job).verdict(), RegretVerdict::kAbove);
  job.at_most = 2.0;
  EXPECT_EQ(certified(job).verdict(), RegretVerdict::kUndecided);
  EXPECT_EQ(certified(job_of(kTheBest)).regret.value, 0.0);
}

TEST_F(RegretPrograms, AreComparedWithAPolicyOrAProgram) {
  RegretJob job = job_of(kAlternates);
  job.at_most.reset();
  job.at_most_times = 1.5;
  job.baseline = "explore-then-commit";
  job.baseline_parameters = {{"pulls", "10"}};
  const auto as_policy = certified(job);
  EXPECT_NEAR(as_policy.ratio->value, 1.0, 1e-12);
  EXPECT_EQ(as_policy.verdict(), RegretVerdict::kWithin);
  job.baseline.clear();
  job.baseline_parameters.clear();
  job.baseline_exec = command("    arms = [1] * shape.horizon\n");
  job.at_most_times = 0.75;
  const auto as_program = certified(job);
  EXPECT_NEAR(as_program.ratio->value, 0.5, 1e-12);
  EXPECT_EQ(as_program.baseline, job.baseline_exec);
  EXPECT_EQ(as_program.verdict(), RegretVerdict::kWithin);
  job.policy = "explore-then-commit";
  job.parameters = {{"pulls", "10"}};
  job.exec.clear();
  EXPECT_NEAR(certified(job).ratio->value, 0.5, 1e-12);
}

TEST_F(RegretPrograms, OfOtherKindsReadTheWholeTable) {
  RegretJob experts = job_of("    arms = [0] * shape.horizon\n", "kind='experts'");
  experts.environment = RegretEnvironment::kBernoulliLosses;
  experts.means = {0.7, 0.5, 0.6};
  EXPECT_NEAR(certified(experts).regret.value, 4.0, 1e-12);
  EXPECT_EQ(certified(experts).executions, 0);
  RegretJob duels = job_of("    arms = [0, 1] * shape.horizon\n", "kind='dueling'");
  duels.environment = RegretEnvironment::kScoredDuels;
  EXPECT_NEAR(certified(duels).regret.value, 4.0, 1e-12);
  RegretJob best = job_of("    arms = [0] * shape.horizon + [1]\n", "kind='best-arm'");
  best.kind = InputKind::kBestArm;
  best.at_most = 0.1;
  const auto simple = certified(best);
  EXPECT_TRUE(simple.is_simple);
  EXPECT_NEAR(simple.regret.value, 0.2, 1e-12);
  EXPECT_EQ(simple.verdict(), RegretVerdict::kAbove);
  best.at_most = 0.5;
  EXPECT_EQ(refusal_of(prepare(best)),
            "at-most must be below 0.2, the regret of the worst action, not 0.5");
  best.at_most.reset();
  best.baseline = "ucb1";
  best.at_most_times = 2.0;
  EXPECT_THAT(refusal_of(prepare(best)), StartsWith("baseline: a simple regret has no multiple"));
}

TEST_F(RegretPrograms, GetTheShapeThatTheEntryStates) {
  RegretJob job = job_of(
      "    assert shape == {'kind': 'bandit', 'arms': 2, 'horizon': 20, 'numbers': 1,\n"
      "                     'estimates': 2, 'domain': '-1:2'}, shape\n"
      "    assert os.environ['REGRET_TEST'] == 'yes'\n"
      "    arms = [0, 0.5] * shape.horizon + [7, 8]\n");
  job.arms = 2;
  job.numbers = 1;
  job.estimates = 2;
  job.domain = "-1:2";
  setenv("REGRET_TEST", "yes", 1);
  job.env = {"REGRET_TEST"};
  EXPECT_EQ(certified(job).regret.value, 0.0);
}

TEST_F(RegretPrograms, MayBePlugIns) {
  RegretJob job = job_of(kTheBest);
  job.exec.clear();
  job.plugin = folder.file("policy.so");
  const std::string code = folder.write(
      "policy.c",
      "#include \"assay/policies/external/assay_target.h\"\n"
      "static void play(const assay_shape_v1* shape, const double* input, uint64_t seed,\n"
      "                 double* output) {\n"
      "  for (int64_t t = 0; t < shape->horizon; ++t) output[t] = (double)(t % 2);\n"
      "  (void)input; (void)seed;\n}\n"
      "ASSAY_TARGET(\"alternates\", \"bandit\", 1, play)\n");
  const std::string build = "cc -shared -fPIC -I" + std::string(ASSAY_BINARY_DIR) + "/include " +
                            code + " -o " + job.plugin;
  ASSERT_EQ(run_command({"/bin/sh", "-c", build}).status, 0);
  EXPECT_NEAR(certified(job).regret.value, 2.0, 1e-12);
}

TEST_F(RegretPrograms, ThatFailEndTheEntryWithTheKeyAndTheReason) {
  EXPECT_THAT(error(job_of("    raise ValueError('no luck')\n")),
              AllOf(StartsWith("exec: "), HasSubstr("no luck")));
  EXPECT_THAT(error(job_of("    os._exit(3)\n")),
              AllOf(StartsWith("exec: "), HasSubstr("status 3")));
  EXPECT_THAT(error(job_of("    arms = [2] * shape.horizon\n")), StartsWith("exec: "));
  EXPECT_THAT(error(job_of("    arms = [0]\n")), StartsWith("exec: "));
  EXPECT_THAT(error(job_of(kTheBest, "kind='dueling'")),
              AllOf(StartsWith("exec: "), HasSubstr("is of --kind dueling, not bandit")));
  EXPECT_THAT(error(job_of("    arms = [random.SystemRandom().randrange(2) for _ in rewards]\n")),
              AllOf(StartsWith("exec: with the same seed"), HasSubstr("draw all random numbers")));
  RegretJob none = job_of(kTheBest);
  none.exec = "/nonexistent/policy";
  EXPECT_THAT(error(none), StartsWith("exec: "));
  none.exec.clear();
  none.plugin = "/nonexistent/policy.so";
  EXPECT_THAT(error(none), StartsWith("plugin: "));
  RegretJob compared = job_of(kTheBest);
  compared.at_most.reset();
  compared.at_most_times = 2.0;
  compared.baseline_exec = command("    raise ValueError('no luck')\n");
  EXPECT_THAT(error(compared), AllOf(StartsWith("baseline-exec: "), HasSubstr("no luck")));
}

TEST_F(RegretPrograms, EndWithTheTimeOrAnInterrupt) {
  RegretJob job = job_of("    time.sleep(0.01)\n" + kTheBest);
  job.runs = 10'000;
  Session session;
  session.control.give_seconds(2.0);
  const auto report = must(run_job(job, session));
  EXPECT_GT(report.runs, 0);
  EXPECT_LT(report.runs, 10'000);
  EXPECT_FALSE(report.interrupted);
  const RegretJob hanging = job_of("    time.sleep(60)\n");
  session.control.give_seconds(0.5);
  EXPECT_THAT(error(hanging, session),
              StartsWith("exec: the time ended before its first run. Allow more time"));
  RegretJob late = hanging;
  late.answer_time = 0.2;
  EXPECT_THAT(error(late), AllOf(StartsWith("exec: "), HasSubstr("within 0.200 s")));
  const std::atomic<bool> stop{true};
  Session stopped;
  stopped.control.cancel = &stop;
  EXPECT_EQ(error_of(run_job(job, stopped)).code, ErrorCode::kInterrupted);
}

TEST_F(RegretPrograms, NameWhatContradictsOrHasNoEffect) {
  const auto why = [&](const std::function<void(RegretJob&)>& change) {
    RegretJob job = bandit_job("");
    job.exec = "python3 policy.py";
    change(job);
    return refusal_of(prepare(job));
  };
  EXPECT_EQ(why([](RegretJob&) {}), "");
  EXPECT_EQ(why([](RegretJob& job) { job.policy = "ucb1"; }),
            "policy, exec and plugin contradict each other: give one of them");
  EXPECT_EQ(why([](RegretJob& job) { job.plugin = "policy.so"; }),
            "policy, exec and plugin contradict each other: give one of them");
  EXPECT_THAT(why([](RegretJob& job) { job.exec = "'python3"; }), StartsWith("exec: "));
  EXPECT_THAT(why([](RegretJob& job) {
                job.parameters = {{"variance", "2"}};
              }),
              HasSubstr("is for entries with a policy"));
  EXPECT_EQ(why([](RegretJob& job) { job.arms = 3; }),
            "arms must be 2, as many as the environment has, not 3");
  EXPECT_THAT(why([](RegretJob& job) { job.domain = "1:0"; }), StartsWith("domain must be "));
  EXPECT_THAT(why([](RegretJob& job) { job.domain = "0.5:1"; }),
              StartsWith("domain must contain the rewards of bernoulli-arms"));
  EXPECT_THAT(why([](RegretJob& job) { job.env = {"ASSAY_TEST_NONE"}; }), StartsWith("env "));
  EXPECT_THAT(why([](RegretJob& job) { job.answer_time = 0.0; }),
              HasSubstr("answer-time must be "));
  EXPECT_THAT(why([](RegretJob& job) { job.kind = InputKind::kMechanism; }),
              StartsWith("kind must be bandit, best-arm, experts or dueling"));
  EXPECT_EQ(why([](RegretJob& job) { job.at_most = 20.0; }),
            "at-most must be below 20, the regret of the worst action in every round, not 20");
  EXPECT_EQ(why([](RegretJob& job) { job.baseline_exec = "python3 other.py"; }),
            "at-most and baseline-exec contradict each other: give one of them");
  EXPECT_EQ(why([](RegretJob& job) {
              job.at_most.reset();
              job.baseline = "ucb1";
              job.baseline_exec = "python3 other.py";
            }),
            "baseline and baseline-exec contradict each other: give one of them");
  RegretJob policy = bandit_job();
  policy.kind = InputKind::kBandit;
  EXPECT_THAT(refusal_of(prepare(policy)), HasSubstr("is for entries with a program"));
}

}  // namespace
}  // namespace assay
