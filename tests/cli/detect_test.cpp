// The `detect` subcommand as a user meets it: exit codes, messages, formats.
#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// The `detect` subcommand as a user meets it: exit codes, messages, formats.

Words detect(const Words& words) { return with("detect", words); }

TEST(DetectCommand, PrintsOneTable) {
  const auto run =
      run_expecting(0, detect("sparse-vector-5 --sample-share 0.004 --confidence 0.9999"));
  EXPECT_THAT(run.out, StartsWith("mechanism "));
  EXPECT_THAT(run.out, HasSubstr("Violated"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex("1 of 1 mechanism in [0-9.]+ s: 1 violated"));
  EXPECT_EQ(run.err, "");
}

TEST(DetectCommand, AFaultThatIsNotFoundFails) {
  const auto run =
      run_expecting(1, detect("sparse-vector-4 --sample-share 0.001 --confidence 0.9999"));
  EXPECT_THAT(run.out, HasSubstr("NotRefuted, unexpected"));
}

TEST(DetectCommand, UnknownRowsNameTheNearest) {
  expect_refused(detect("noisy-max-7"),
                 "unknown mechanism 'noisy-max-7'; did you mean 'noisy-max-");
}

TEST(DetectCommand, BadWordsAreUsageErrors) {
  expect_each_refused("detect", {{"--confidence 1", "confidence must lie in"},
                                 {"--sample-share 1", "sample_share must lie in"},
                                 {"--seed -1", "--seed"},
                                 {"--format xml", "--format"},
                                 {"zzz*", "no mechanism matches 'zzz*'"}});
}

TEST(DetectCommand, CsvJsonAndHtml) {
  const Words small = "detect laplace --sample-share 0.002 --confidence 0.9999 --format";
  EXPECT_THAT(run_assay(with(small, "csv")).out, StartsWith("mechanism,claim,truth,"));
  const auto run = run_expecting(0, with(small, "json"));
  EXPECT_EQ(nlohmann::json::parse(run.out).at("rows").size(), 1u);
  EXPECT_THAT(run_assay(with(small, "html")).out, HasSubstr("<svg"));
}

// `assay detect --sequences` as a user meets it: exit codes, messages, formats.

Words sequences(const Words& words) { return with("detect --sequences", words); }

TEST(DetectSequencesCommand, ConvictsTheFaultAndAcquitsItsCounterpart) {
  const auto run = run_expecting(0, sequences("seed-leaked"));
  EXPECT_THAT(run.out, StartsWith("fault "));
  EXPECT_THAT(run.out, HasSubstr("1 convicted, and 0 of the controls."));
  EXPECT_THAT(run.out, HasSubstr("at\nconfidence 0.999 each"));
  EXPECT_EQ(run.err, "");
}

TEST(DetectSequencesCommand, TakesAConfidenceAndASeed) {
  const auto run =
      run_expecting(0, sequences("noise-reused --confidence 0.99 --seed 5 --format json"));
  const auto parsed = nlohmann::json::parse(run.out);
  EXPECT_EQ(parsed.at("confidence"), 0.99);
  EXPECT_EQ(parsed.at("seed"), "5");
  EXPECT_EQ(parsed.at("rows").size(), 1u);
}

TEST(DetectSequencesCommand, BadWordsAreUsageErrors) {
  expect_each_refused("detect --sequences", {{"--confidence 1", "confidence must lie in"},
                                             {"--sample-share 0.1", "--sample-share"},
                                             {"--format csv", "--format"},
                                             {"laplace", "unknown sequence 'laplace'"},
                                             {"zzz*", "no sequence matches 'zzz*'"}});
}

TEST(DetectSequencesCommand, RowsAreListed) {
  const auto run = run_expecting(0, "list sequences");
  EXPECT_THAT(run.out, HasSubstr("counter-not-reset"));
  EXPECT_THAT(run.out, HasSubstr("raw data after one rare sequence of random arms"));
}

}  // namespace
}  // namespace assay
