// The `check-certificate` subcommand as a user meets it: steps, formats, exit codes, messages.
#include <nlohmann/json.hpp>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
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
  EXPECT_THAT(run.out, HasSubstr("Claim  ts-step-dp"));
  EXPECT_THAT(run.out, HasSubstr("mean 1/2 = 0.5, variance 1/2"));
  EXPECT_THAT(run.out, HasSubstr("Refuted: the next action is not"));
  EXPECT_THAT(run.out, HasSubstr("Claim  ts-eq27"));
  EXPECT_EQ(run.err, "");
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

TEST_F(CheckCertificateCommand, AnInconsistentFileOutranksAndSilencesTheOthers) {
  auto lie = round_certificate();
  lie.counterexample.as<RoundCounterexample>().numbers.true_delta = 0.09;
  const auto lying = write("lie.json", lie);
  const auto weak = write("weak.json", round_certificate(0.25));
  const auto run = run_expecting(2, {"check-certificate", weak, lying, weak});
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("lie.json: /numbers/true_delta: states 0.09, but the inputs"));
  EXPECT_THAT(run.err, Not(HasSubstr("weak.json")));
}

TEST_F(CheckCertificateCommand, DamagedAndUnreadableFilesAreNamed) {
  const auto damaged = folder_.write("damaged.json", "{\n\"claim\": }\n");
  const auto large = folder_.write("large.json", std::string((1 << 20) + 1, ' '));
  const auto run = run_expecting(
      2, {"check-certificate", damaged, large, folder_.file("none.json"), folder_.path().string()});
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("damaged.json:2: is not JSON"));
  EXPECT_THAT(run.err, HasSubstr("large.json: is larger than 1 MiB"));
  EXPECT_THAT(run.err, HasSubstr("none.json: cannot be read: No such file"));
  EXPECT_THAT(run.err, HasSubstr("cannot be read: Is a directory"));
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
