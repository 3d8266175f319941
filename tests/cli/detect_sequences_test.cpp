// `assay detect --sequences` as a user meets it: exit codes, messages, formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> sequences(std::vector<std::string> words) {
  words.insert(words.begin(), {"detect", "--sequences"});
  return words;
}

TEST(DetectSequencesCommand, ConvictsTheFaultAndAcquitsItsTwin) {
  const auto run = run_assay(sequences({"seed-leaked"}));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, StartsWith("fault "));
  EXPECT_THAT(run.out, HasSubstr("1 of 1 fault: 1 convicted, 0 of their correct twins"));
  EXPECT_THAT(run.out, HasSubstr("at confidence 0.999 each"));
  EXPECT_EQ(run.err, "");
}

TEST(DetectSequencesCommand, TakesAConfidenceAndASeed) {
  const auto run = run_assay(
      sequences({"noise-reused", "--confidence", "0.99", "--seed", "5", "--format", "json"}));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const auto parsed = nlohmann::json::parse(run.out);
  EXPECT_EQ(parsed.at("confidence"), 0.99);
  EXPECT_EQ(parsed.at("seed"), "5");
  EXPECT_EQ(parsed.at("rows").size(), 1u);
}

TEST(DetectSequencesCommand, BadWordsAreUsageErrors) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--confidence", "1"}, "confidence must lie in"},
           {{"--sample-share", "0.1"}, "--sample-share"},
           {{"--format", "csv"}, "--format"},
           {{"laplace"}, "unknown sequence 'laplace'"},
           {{"zzz*"}, "no sequence matches 'zzz*'"}}) {
    const auto run = run_assay(sequences(words));
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }
}

TEST(DetectSequencesCommand, RowsAreListed) {
  const auto run = run_assay({"list", "sequences"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("counter-not-reset"));
  EXPECT_THAT(run.out, HasSubstr("raw data after one rare run of random arms"));
}

}  // namespace
}  // namespace assay
