// The `detect` subcommand as a user meets it: exit codes, messages, formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> detect(std::vector<std::string> words) {
  words.insert(words.begin(), "detect");
  return words;
}

TEST(DetectCommand, PrintsOneTable) {
  const auto run =
      run_assay(detect({"sparse-vector-5", "--sample-share", "0.004", "--confidence", "0.9999"}));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, StartsWith("mechanism "));
  EXPECT_THAT(run.out, HasSubstr("Violated"));
  EXPECT_THAT(run.out, HasSubstr("1 of 1 mechanism: 1 violated"));
  EXPECT_EQ(run.err, "");
}

TEST(DetectCommand, AFaultThatIsNotFoundFails) {
  const auto run =
      run_assay(detect({"sparse-vector-4", "--sample-share", "0.001", "--confidence", "0.9999"}));
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("NotRefuted, unexpected"));
}

TEST(DetectCommand, UnknownRowsNameTheNearest) {
  const auto run = run_assay(detect({"noisy-max-7"}));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("unknown mechanism 'noisy-max-7'; did you mean 'noisy-max-"));
}

TEST(DetectCommand, BadWordsAreUsageErrors) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--confidence", "1"}, "confidence must lie in"},
           {{"--sample-share", "1"}, "sample_share must lie in"},
           {{"--seed", "-1"}, "--seed"},
           {{"--format", "xml"}, "--format"},
           {{"zzz*"}, "no mechanism matches 'zzz*'"}}) {
    const auto run = run_assay(detect(words));
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }
}

TEST(DetectCommand, CsvJsonAndHtml) {
  const std::vector<std::string> small{"laplace",      "--sample-share", "0.002",
                                       "--confidence", "0.9999",         "--format"};
  auto csv = small;
  csv.push_back("csv");
  EXPECT_THAT(run_assay(detect(csv)).out, StartsWith("mechanism,claim,truth,"));
  auto json = small;
  json.push_back("json");
  const auto run = run_assay(detect(json));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out).at("rows").size(), 1u);
  auto html = small;
  html.push_back("html");
  EXPECT_THAT(run_assay(detect(html)).out, HasSubstr("<svg"));
}

}  // namespace
}  // namespace assay
