// The `bench` subcommand as a user meets it: exit codes, messages, formats.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const Words kSmallBench = "bench counters -p horizon=64 --epsilon 1 --samples 20";

TEST(BenchCommand, PrintsOneTableWithTheLevelsAndTheRefused) {
  const auto run = run_expecting(0, kSmallBench);
  EXPECT_THAT(run.out, StartsWith("Compared    counters: running sums of a stream\n"));
  EXPECT_THAT(run.out, HasSubstr("Target      eps = 1, delta = 0"));
  EXPECT_THAT(run.out, HasSubstr("candidate        rms over time  largest of a stream, median"));
  EXPECT_THAT(run.out, HasSubstr("hybrid-laplace"));
  EXPECT_THAT(run.out, HasSubstr("delta = 0 at eps = 1, by "));
  EXPECT_THAT(run.out, HasSubstr("tree-gaussian  Gaussian noise has no pure level"));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay bench counters -p horizon=64 --epsilon 1"));
  EXPECT_EQ(run.err, "");
}

TEST(BenchCommand, JsonFitsItsSchemaAndIsTheSameOutsideMeta) {
  const TemporaryFolder folder;
  const auto report = [&](const std::string& threads) {
    const auto run =
        run_expecting(0, with(kSmallBench, {"--threads", threads, "--format", "json"}));
    expect_valid("bench-report.schema.json", run.out);
    auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json.at("meta").at("measured").at(0).at("seconds_per_unit").size(), 9U);
    json.erase("meta");
    return json;
  };
  EXPECT_EQ(report("1").dump(), report("2").dump());
}

TEST(BenchCommand, CsvHasARowANumberAndHtmlOnePlot) {
  const auto csv = run_expecting(0, with(kSmallBench, "--timings 0 --format csv"));
  EXPECT_THAT(csv.out,
              HasSubstr("\ncandidate,horizon,certified_delta,measure,by,value,lower,upper\n"));
  EXPECT_THAT(csv.out, HasSubstr("\ntree-laplace,64,0,rms over time,distribution,"));
  EXPECT_THAT(csv.out, HasSubstr("# Not applicable: tree-gaussian, horizon = 64: "));
  EXPECT_THAT(csv.out, Not(HasSubstr("seconds per")));
  const TemporaryFolder folder;
  const auto page = folder.file("report.html");
  const auto run = run_expecting(0, with(kSmallBench, {"-w", page}));
  EXPECT_THAT(run.out, HasSubstr("Written     " + page));
  expect_page(read_file(page));
  EXPECT_THAT(read_file(page), HasSubstr("<svg"));
}

TEST(BenchCommand, NothingToCompareIsAnErrorThatStillSaysWhy) {
  const auto run = run_expecting(2, "bench gaussian --epsilon 1");
  EXPECT_THAT(run.out, HasSubstr("gaussian  Gaussian noise has no pure level"));
  EXPECT_THAT(run.err, HasSubstr("no candidate is applicable"));
}

TEST(BenchCommand, BadWordsAreUsageErrors) {
  expect_each_refused("bench",
                      {{"--epsilon 1", "name what to compare"},
                       {"additive", "bench needs --epsilon"},
                       {"additive --epsilon 0", "--epsilon must be"},
                       {"additive --epsilon 1 --delta 1", "--delta must be"},
                       {"additive --epsilon 1 --sizes 9", "--sizes must be"},
                       {"additive --epsilon 1 --timings 3", "--timings must be 0 or 9"},
                       {"additive --epsilon 1 --confidence 1", "--confidence"},
                       {"additive --epsilon 1 --samples 0", "--samples must be"},
                       {"additive --epsilon 1 --time 0", "--time must be"},
                       {"additive --epsilon 1 -p answers=1e9", "-p answers must be 1 to 1e+05"},
                       {"additive --epsilon 1 --format xml", "--format"},
                       {"laplace hedge --epsilon 1", "of the group additive"}});
}

}  // namespace
}  // namespace assay
