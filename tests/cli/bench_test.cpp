// The `bench` subcommand as a user meets it: exit codes, messages, formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CommandResult bench(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  return run_assay(words);
}

const std::vector<std::string> kSmallBench = {"counters", "-p",        "horizon=64", "--epsilon",
                                              "1",        "--samples", "20"};

std::vector<std::string> small_with(const std::vector<std::string>& more) {
  auto words = kSmallBench;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(BenchCommand, PrintsOneTableWithTheLevelsAndTheRefused) {
  const auto run = bench(kSmallBench);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, StartsWith("Compared    counters: running sums of a stream\n"));
  EXPECT_THAT(run.out, HasSubstr("Target      eps = 1, delta = 0"));
  EXPECT_THAT(run.out, HasSubstr("contender        rms over time  largest of a stream, median"));
  EXPECT_THAT(run.out, HasSubstr("hybrid-laplace"));
  EXPECT_THAT(run.out, HasSubstr("delta = 0 at eps = 1, by "));
  EXPECT_THAT(run.out, HasSubstr("tree-gaussian  Gaussian noise has no pure level"));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay bench counters -p horizon=64 --epsilon 1"));
  EXPECT_EQ(run.err, "");
}

TEST(BenchCommand, JsonFitsItsSchemaAndIsTheSameOutsideMeta) {
  const TemporaryFolder folder;
  const auto report = [&](const std::string& threads) {
    const auto run = bench(small_with({"--threads", threads, "--format", "json"}));
    EXPECT_EQ(run.status, 0) << run.err;
    const auto valid =
        run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/validate_json.py",
                     ASSAY_SOURCE_DIR "/schemas/bench-report.schema.json",
                     folder.write("report.json", run.out)});
    EXPECT_EQ(valid.status, 0) << valid.err;
    auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json.at("meta").at("measured").at(0).at("seconds_per_unit").size(), 9U);
    json.erase("meta");
    return json;
  };
  EXPECT_EQ(report("1").dump(), report("2").dump());
}

TEST(BenchCommand, CsvHasARowANumberAndHtmlOnePlot) {
  const auto csv = bench(small_with({"--timings", "0", "--format", "csv"}));
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out,
              HasSubstr("\ncontender,horizon,certified_delta,measure,by,value,lower,upper\n"));
  EXPECT_THAT(csv.out, HasSubstr("\ntree-laplace,64,0,rms over time,law,"));
  EXPECT_THAT(csv.out, HasSubstr("# Refused: tree-gaussian, horizon = 64: "));
  EXPECT_THAT(csv.out, Not(HasSubstr("seconds per")));
  const TemporaryFolder folder;
  const auto page = folder.file("report.html");
  const auto run = bench(small_with({"-w", page}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Written     " + page));
  const auto checked =
      run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/check_page.py", page});
  EXPECT_EQ(checked.status, 0) << checked.err << checked.out;
  EXPECT_THAT(read_file(page), HasSubstr("<svg"));
}

TEST(BenchCommand, NothingToCompareIsAnErrorThatStillSaysWhy) {
  const auto run = bench({"gaussian", "--epsilon", "1"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.out, HasSubstr("gaussian  Gaussian noise has no pure level"));
  EXPECT_THAT(run.err, HasSubstr("every contender was refused"));
}

TEST(BenchCommand, BadWordsAreUsageErrors) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--epsilon", "1"}, "name what to compare"},
           {{"additive"}, "bench needs --epsilon"},
           {{"additive", "--epsilon", "0"}, "--epsilon must be"},
           {{"additive", "--epsilon", "1", "--delta", "1"}, "--delta must be"},
           {{"additive", "--epsilon", "1", "--sizes", "9"}, "--sizes must be"},
           {{"additive", "--epsilon", "1", "--timings", "3"}, "--timings must be 0 or 9"},
           {{"additive", "--epsilon", "1", "--confidence", "1"}, "--confidence"},
           {{"additive", "--epsilon", "1", "--samples", "0"}, "--samples must be"},
           {{"additive", "--epsilon", "1", "--time", "0"}, "--time must be"},
           {{"additive", "--epsilon", "1", "-p", "answers=1e9"}, "-p answers must be 1 to 1e+05"},
           {{"additive", "--epsilon", "1", "--format", "xml"}, "--format"},
           {{"laplace", "hedge", "--epsilon", "1"}, "of the group additive"}}) {
    const auto run = bench(words);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace assay
