// Every job from its members, without the command.
#include <atomic>

#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/detect/detect_job.hpp"
#include "assay/auditors/simulate/frontier_job.hpp"
#include "assay/auditors/simulate/simulate_job.hpp"
#include "assay/auditors/verify/check_certificate_job.hpp"
#include "assay/auditors/verify/verify_job.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

template <class Job>
std::string job_refusal(const Job& job) {
  return refusal_of(prepare(job));
}

std::string without_meta(AuditReport report) {
  report.meta = {};
  return to_json(report);
}

const std::atomic<bool> kRaised = true;

void expect_interrupted(const auto& job) {
  Session session;
  session.control.cancel = &kRaised;
  EXPECT_EQ(error_of(run_job(job, session)).code, ErrorCode::kInterrupted);
}

TEST(AuditJob, OfACase) {
  AuditJob job;
  job.case_id = "laplace";
  job.claim = "eps=0.5";
  Session session;
  session.control.threads = 2;
  const auto outcome = must(run_job(job, session));
  EXPECT_EQ(outcome.report.verdict, Verdict::kViolated);
  EXPECT_EQ(outcome.report.meta.threads, 2);
  EXPECT_THAT(outcome.report.reproduce, StartsWith("assay audit laplace -p epsilon=1 "));
  // What is prepared once runs as often as it is called.
  const auto prepared = must(prepare(job));
  const auto first = prepared(Session{});
  const auto second = prepared(Session{});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(without_meta(first->report), without_meta(second->report));
  EXPECT_EQ(without_meta(first->report), without_meta(outcome.report));
}

AuditJob gaussian_program_job() {
  AuditJob job;
  job.exec =
      std::string(ASSAY_PYTHON) + " " + ASSAY_SOURCE_DIR + "/examples/targets/naive_gaussian.py";
  job.shape.kind = InputKind::kMechanism;
  job.claim = "eps=1,delta=1e-5";
  return job;
}

TEST(AuditJob, OfAProgram) {
  AuditJob job = gaussian_program_job();
  job.samples = 500;
  std::vector<std::string> stages;
  Session session;
  session.control.progress = [&](const Progress& made) { stages.emplace_back(made.stage); };
  const auto outcome = must(run_job(job, session));
  EXPECT_EQ(outcome.report.case_id, "exec");
  EXPECT_FALSE(outcome.target_error);
  EXPECT_FALSE(stages.empty());
  EXPECT_THAT(outcome.report.reproduce, HasSubstr(" --kind mechanism --inputs 1 --outputs 1 "));
}

TEST(AuditJob, OfAProgramThatIsInterruptedHasAReport) {
  Session session;
  session.control.cancel = &kRaised;
  const auto outcome = must(run_job(gaussian_program_job(), session));
  EXPECT_EQ(outcome.report.verdict, Verdict::kInconclusive);
  EXPECT_THAT(outcome.report.reason, HasSubstr("interrupted"));
}

TEST(AuditJob, RefusesWhatDoesNotBelong) {
  AuditJob job;
  EXPECT_THAT(job_refusal(job), StartsWith("audit needs a case"));
  job.case_id = "laplace";
  job.shape.arms = 3;
  EXPECT_EQ(job_refusal(job),
            "--arms is for external targets that choose actions, and has no effect on an audit of "
            "laplace by exact");
  job = {};
  job.exec = "/bin/false";
  EXPECT_THAT(job_refusal(job), HasSubstr("needs --claim"));
  job.claim = "eps=1";
  job.canaries = 3;
  EXPECT_THAT(job_refusal(job), StartsWith("--canaries is for --method one-run"));
}

TEST(VerificationJob, TellsOfEachClaimAndStopsWhenAsked) {
  VerificationJob job;
  job.claims = {"mts-lemma7"};
  std::vector<std::string> heard;
  job.on_result = [&](const ClaimResult& result) { heard.emplace_back(result.claim->id); };
  const auto outcome = must(run_job(job, Session{}));
  EXPECT_THAT(heard, ElementsAre("mts-lemma7"));
  EXPECT_TRUE(outcome.complete());
  EXPECT_TRUE(outcome.as_expected(false));

  Session session;
  session.control.cancel = &kRaised;
  const auto stopped = must(run_job(job, session));
  EXPECT_FALSE(stopped.complete());

  job.request.seed = 2;
  EXPECT_THAT(job_refusal(job), StartsWith("--seed is for claims whose check searches or samples"));
}

TEST(DetectionJob, IsRefusedBeforeItRuns) {
  DetectionJob job;
  EXPECT_EQ(job_refusal(job), "");
  job.sequences = true;
  EXPECT_EQ(job_refusal(job), "");
  job.sample_share = 0.01;
  EXPECT_EQ(job_refusal(job),
            "--sample-share is for the benchmark of mechanisms, and has no effect on --sequences");
  job = {};
  job.rows = {"no-such-row"};
  EXPECT_NE(job_refusal(job), "");
}

TEST(SimulationJob, DrawsAClosedForm) {
  SimulationJob job;
  job.experiments = {"ts-fig1"};
  const auto prepared = must(prepare(job));
  EXPECT_THAT(prepared.experiments, ElementsAre("ts-fig1"));
  const auto report = must(run_job(job, Session{}));
  EXPECT_THAT(report.reproduce, StartsWith("assay simulate ts-fig1 --horizon "));
  job.checkpoint = "kept";
  EXPECT_THAT(job_refusal(job), StartsWith("--checkpoint is for experiments that run a policy"));
  job.experiments = {"ts-fig2"};
  job.repetitions = "20";
  job.run.write = {"a b.html"};
  EXPECT_EQ(resume_command(job),
            "assay simulate ts-fig2 --repetitions 20 --write 'a b.html' --checkpoint kept");
}

TEST(FrontierJob, FindsARowForEachNoiseAndConstant) {
  FrontierJob job;
  job.budget = 1;
  job.epochs = 2;
  job.actions = {100.0};
  job.noises = {LeaderNoise::kGumbel};
  job.constants = {8.0};
  const auto report = must(run_job(job, Session{}));
  ASSERT_EQ(report.frontier.rows.size(), 1u);
  EXPECT_EQ(report.reproduce,
            "assay frontier --seed 1 --budget 1 --epochs 2 --actions 100 --noise gumbel --c2 8");
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("\n  noise   c2  c1 at least  "));
  EXPECT_THAT(text, HasSubstr("\n  gumbel   8       1.0005  "));
  EXPECT_THAT(text, HasSubstr("\nReproduce   assay frontier --seed 1 --budget 1 "));
  EXPECT_THAT(to_json(report), HasSubstr("\"schema\": \"assay.frontier-report/2\","));
  expect_interrupted(job);

  job.epochs = 9;
  EXPECT_EQ(job_refusal(job), "--epochs must be a whole number 1 to 8, not 9");
}

TEST(CertificateCheckJob, ChecksEachFileAndTellsWhichItCouldNot) {
  CertificateCheckJob job;
  EXPECT_EQ(job_refusal(job), "check-certificate needs the FILE of a certificate");
  const TemporaryFolder folder;
  job.files = {folder.write("round.json", to_json(testing::round_certificate())),
               folder.file("none.json")};
  const auto report = must(run_job(job, Session{}));
  ASSERT_EQ(report.checked.size(), 1u);
  EXPECT_EQ(report.checked[0].claim, "ts-step-dp");
  EXPECT_TRUE(report.checked[0].check.refutes);
  EXPECT_FALSE(report.all_refute());
  EXPECT_THAT(to_text(report),
              StartsWith(job.files[0] + "\n\nClaim  ts-step-dp\n       Given the past, "));
  EXPECT_THAT(to_json(report), HasSubstr("\"refutes\": true,"));
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].to_string(),
            job.files[1] + ": cannot be read: No such file or directory");
  job.files.pop_back();
  const auto good = must(run_job(job, Session{}));
  EXPECT_TRUE(good.all_refute());
  expect_interrupted(job);
}

TEST(AccountJob, OfAMechanism) {
  AccountJob job;
  job.what = "gaussian";
  job.parameters = {{"sigma", "2"}};
  job.compose = 10;
  const auto report = must(run_job(job, Session{}));
  EXPECT_EQ(report.reproduce,
            "assay account gaussian --sigma 2 --sensitivity 1 --compose 10 --delta 1e-06");
  EXPECT_FALSE(report.curves);
  job.parameters.push_back({"rho", "1"});
  EXPECT_THAT(job_refusal(job), HasSubstr("rho"));
}

TEST(ConversionJob, OfALevel) {
  ConversionJob job;
  job.level = "gdp";
  job.parameters = {{"mu", "1"}};
  job.deltas = {1e-3};
  const auto report = must(run_job(job, Session{}));
  EXPECT_EQ(report.reproduce, "assay account convert gdp --mu 1 --delta 0.001");
}

TEST(CalibrationJob, OfAMechanism) {
  CalibrationJob job;
  job.what = "noisy-max";
  job.epsilon = 1.0;
  const auto report = must(run_job(job, Session{}));
  EXPECT_EQ(report.reproduce,
            "assay account calibrate noisy-max --epsilon 1 --delta 0 --sensitivity 1 --compose 1 "
            "--noise laplace --answers 1 --monotone false");
  job.horizon = 8;
  EXPECT_EQ(job_refusal(job),
            "--horizon is for tree, and has no effect on a calibration of noisy-max");
}

}  // namespace
}  // namespace assay
