// The `check-certificate` subcommand as a user meets it: steps, formats, exit codes, messages.
#include <nlohmann/json.hpp>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

using testing::distribution_certificate;
using testing::round_certificate;

class CheckCertificateCommand : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const Certificate& certificate) const {
    return folder_.write(name, to_json(certificate));
  }
  TemporaryFolder folder_;
};

TEST_F(CheckCertificateCommand, ShowsClaimStepsAndConclusionOfEachFile) {
  const auto round = write("round.json", round_certificate());
  const auto distribution = write("law.json", distribution_certificate());
  const auto run = run_expecting(0, {"check-certificate", round, distribution});
  EXPECT_THAT(run.out, HasSubstr("round.json"));
  EXPECT_THAT(run.out,
              HasSubstr("Claim  ts-step-dp\n       Given the past, the action of one round"));
  EXPECT_THAT(run.out, HasSubstr("Theorem 7, in our wording; Tingting Ou, Marco Avella Medina"));
  EXPECT_THAT(run.out, HasSubstr("mean 1/2 = 0.5, variance 1/2"));
  EXPECT_THAT(run.out, HasSubstr("Refuted: the next action is not"));
  EXPECT_THAT(run.out, HasSubstr("Claim  ts-eq27"));
  EXPECT_EQ(run.err, "");
}

TEST_F(CheckCertificateCommand, TheNameOfAClaimIsNoFileButHasOne) {
  EXPECT_THAT(run_expecting(2, {"check-certificate", "ts-step-dp"}).err,
              HasSubstr("`assay verify ts-step-dp --certificates FOLDER` writes its certificate"));
  EXPECT_THAT(run_expecting(2, {"check-certificate", "ts-none"}).err,
              Not(HasSubstr("--certificates")));
}

TEST_F(CheckCertificateCommand, JsonCarriesTheSame) {
  const auto file = write("round.json", round_certificate());
  const auto run = run_expecting(0, {"check-certificate", file, "--format", "json"});
  const auto check = nlohmann::json::parse(run.out).at("certificates").at(0);
  EXPECT_EQ(check.at("file"), file);
  EXPECT_EQ(check.at("claim"), "ts-step-dp");
  EXPECT_EQ(check.at("refutes"), true);
  EXPECT_GT(check.at("steps").size(), 4u);
  EXPECT_THAT(check.at("conclusion").get<std::string>(), HasSubstr("Refuted"));
  EXPECT_NEAR(check.at("numbers").at("true_delta").get<double>(), 0.0818, 5e-5);
}

TEST_F(CheckCertificateCommand, ACertificateThatDoesNotRefuteEndsWithOne) {
  const auto good = write("good.json", round_certificate());
  const auto weak = write("weak.json", round_certificate(0.25));
  const auto run = run_expecting(1, {"check-certificate", weak, good});
  EXPECT_THAT(run.out, HasSubstr("Not refuted by this"));
}

TEST_F(CheckCertificateCommand, JsonNamesTheNumbersThatTheClaimIsAbout) {
  const std::string folder = ASSAY_SOURCE_DIR "/docs/certificates/";
  const auto run = run_expecting(0, {"check-certificate", folder + "duel-regret.json",
                                     folder + "duel-gap.json", "--format", "json"});
  expect_valid("certificate-check-report.schema.json", run.out);
  const auto checked = nlohmann::json::parse(run.out).at("certificates");
  const auto regret = checked.at(0).at("numbers");
  EXPECT_EQ(regret.size(), 3u);
  EXPECT_EQ(regret.at("regret"), 67108864);
  EXPECT_NEAR(regret.at("bound").get<double>(), 28835923.028, 1e-3);
  EXPECT_NEAR(regret.at("failure").get<double>(), 1.3234889800848371e-23, 1e-36);
  EXPECT_NEAR(checked.at(1).at("numbers").at("doubled").get<double>(), 0.46211715726, 1e-11);
}

TEST_F(CheckCertificateCommand, TheRegretOfDuelsHasTheFormulaOfItsProbability) {
  const auto run = run_expecting(
      0, {"check-certificate", ASSAY_SOURCE_DIR "/docs/certificates/duel-regret.json"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("T P(|X| > y) = "), HasSubstr("2 T e^(-2 L) = "),
                             HasSubstr("with probability at most 1.32348898e-23")));
}

TEST_F(CheckCertificateCommand, AFolderIsAllItsFilesAndOneBadFileHidesNoOther) {
  write("good.json", round_certificate());
  folder_.write("bad.json", "{");
  folder_.write("notes.txt", "x");
  const auto run = run_expecting(2, {"check-certificate", folder_.path().string()});
  EXPECT_THAT(run.out, AllOf(HasSubstr("good.json"), HasSubstr("Refuted: the next action is not")));
  EXPECT_THAT(run.err, HasSubstr("bad.json"));
  EXPECT_THAT(run.err, Not(HasSubstr("notes.txt")));
  const auto json = run_assay({"check-certificate", folder_.path().string(), "--format", "json"});
  expect_valid("certificate-check-report.schema.json", json.out);
  EXPECT_THAT(nlohmann::json::parse(json.out).at("errors").at(0).get<std::string>(),
              HasSubstr("bad.json"));
}

TEST_F(CheckCertificateCommand, AnInconsistentFileOutranksTheOthersAndHidesNone) {
  auto lie = round_certificate();
  lie.counterexample.as<RoundCounterexample>().numbers.true_delta = 0.09;
  const auto lying = write("lie.json", lie);
  const auto weak = write("weak.json", round_certificate(0.25));
  const auto run = run_expecting(2, {"check-certificate", weak, lying, weak});
  EXPECT_THAT(run.out, HasSubstr("weak.json"));
  EXPECT_THAT(run.err, HasSubstr("lie.json: /numbers/true_delta: states 0.09, but the inputs"));
  EXPECT_THAT(run.err, Not(HasSubstr("weak.json")));
}

TEST_F(CheckCertificateCommand, DamagedAndUnreadableFilesAreNamed) {
  const auto damaged = folder_.write("damaged.json", "{\n\"claim\": }\n");
  const auto large = folder_.write("large.json", std::string((1 << 20) + 1, ' '));
  const auto run = run_expecting(2, {"check-certificate", damaged, large, folder_.file("none.json"),
                                     ASSAY_SOURCE_DIR "/tools"});
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("damaged.json:2: is not JSON"));
  EXPECT_THAT(run.err, HasSubstr("large.json: is larger than 1 MiB"));
  EXPECT_THAT(run.err, HasSubstr("none.json: cannot be read: No such file"));
  EXPECT_THAT(run.err, HasSubstr("tools: has no file that ends in .json"));
}

TEST_F(CheckCertificateCommand, WordsThatItDoesNotKnowAreUsageErrors) {
  const auto file = write("round.json", round_certificate());
  EXPECT_THAT(run_assay("check-certificate").err, HasSubstr("check-certificate needs FILE..."));
  expect_refused({"check-certificate", file, "--format", "html"},
                 "--format must be text or json, not 'html'");
}

TEST_F(CheckCertificateCommand, AnEmptyNameIsNotNoFile) {
  const auto run = run_expecting(2, {"check-certificate", ""});
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "assay: FILE is given an empty value\n");
}

TEST_F(CheckCertificateCommand, HelpSaysWhatTheExitStatusMeans) {
  const auto run = run_expecting(0, "check-certificate --help");
  EXPECT_THAT(run.out, HasSubstr("Exit status:\n  0  every certificate refutes its claim\n"));
}

}  // namespace
}  // namespace assay
