// `assay audit MECHANISM` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string pair_file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("assay_" + name + ".txt");
  std::ofstream(path) << text;
  return path.string();
}

TEST(AuditMechanism, ItsOwnLevelIsVerifiedAndALowerOneViolated) {
  const auto own = run_assay({"audit", "laplace", "-p", "epsilon=1"});
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("Verified for all pairs"));
  EXPECT_THAT(own.out, HasSubstr("the closed form of the discrete Laplace pair"));
  const auto lower = run_assay(
      {"audit", "report-noisy-max", "-p", "noise=gumbel", "-p", "answers=3", "--claim", "eps=0.9"});
  EXPECT_EQ(lower.status, 1) << lower.err;
  EXPECT_THAT(lower.out, HasSubstr("Violated"));
}

TEST(AuditMechanism, TheReproduceCommandMakesTheSameReport) {
  const auto file = pair_file("reproduce", "# neighbours\n0, 0.3\n1 0.3\n");
  for (const std::string method : {"exact", "likelihood", "events"}) {
    std::vector<std::string> asked = {"audit",   "laplace", "-p",       "answers=2",
                                      "--input", file,      "--method", method,
                                      "--claim", "eps=0.5", "--format", "json"};
    if (method != "exact") asked.insert(asked.end(), {"--samples", "1000"});
    const auto first = run_assay(asked);
    ASSERT_EQ(first.status, 1) << method << first.err;
    auto json = nlohmann::json::parse(first.out);
    EXPECT_EQ(json.at("worst_pair").at("neighbour_input"), nlohmann::json({1.0, 0.3}));
    std::istringstream command(json.at("reproduce").get<std::string>());
    std::vector<std::string> words;
    for (std::string word; command >> word;) words.push_back(word);
    words.erase(words.begin());
    for (const char* more : {"--format", "json", "--threads", "1"}) words.emplace_back(more);
    auto again = nlohmann::json::parse(run_assay(words).out);
    json.erase("meta");
    again.erase("meta");
    EXPECT_EQ(json, again) << method;
  }
}

TEST(AuditMechanism, AFileThatIsNoNeighbouringPairIsRefusedByEntry) {
  const auto far =
      run_assay({"audit", "idealized-noisy-histogram", "--input", pair_file("far", "0 0\n0 2\n")});
  EXPECT_EQ(far.status, 2);
  EXPECT_THAT(far.err, HasSubstr("entry 1 moves from 0 to 2"));
  const auto one = run_assay({"audit", "laplace", "--input", pair_file("one", "0 0\n")});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("not 1 rows"));
  const auto word = run_assay({"audit", "laplace", "--input", pair_file("word", "0\nx\n")});
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.err, HasSubstr(":2:"));
  EXPECT_EQ(run_assay({"audit", "laplace", "--input", "/no/such"}).status, 2);
  EXPECT_EQ(run_assay({"audit", "thompson-sampling", "--method", "events"}).status, 2);
}

TEST(AuditMechanism, EveryMechanismIsListedAsACaseAndExplainedOnce) {
  const auto list = run_assay({"list", "cases"});
  for (const auto& mechanism : mechanism_descriptions()) {
    EXPECT_THAT(list.out, HasSubstr(std::string(mechanism.name.id)));
  }
  const auto explained = run_assay({"explain", "laplace"});
  EXPECT_EQ(explained.status, 0) << explained.err;
  for (const char* part : {"Law         density", "Methods     exact, likelihood, events",
                           "Guarantee", "Reference", "two lines", "assay audit laplace"}) {
    EXPECT_THAT(explained.out, HasSubstr(part));
  }
  EXPECT_THAT(explained.out, Not(HasSubstr("Published claims")));
}

}  // namespace
}  // namespace assay
