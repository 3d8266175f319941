// The engine of `assay detect` on cheap rows with few samples, and its reports.
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/auditors/detect/detection.hpp"
#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/detect/row_samples.hpp"
#include "assay/auditors/detect/row_search.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const std::vector<faulty::DetectionRow>& detection_rows() {
  static const auto rows = faulty::detection_table();
  return rows;
}

Detection detected_rows(const std::vector<std::string>& names, const DetectionPlan& plan,
                        int threads = 2) {
  return detect(select_rows(detection_rows(), names).value(), plan, {.threads = threads}).value();
}

// Confidence 0.9999: a bound above the truth would be a fault.
const DetectionPlan kSmallDetection{1, 0.9999, 0.004};

TEST(RowSamples, CoupledInputsShareTheirNoiseAndOthersDoNot) {
  const auto& row = *select_rows(detection_rows(), {"laplace"}).value().front();
  const auto samples = [&](std::size_t input, bool coupled) {
    return detail::sample_chunk(row, input, {7, Phase::kCertify, 0, coupled}, 1000, 0);
  };
  const auto [one, two] = std::pair(row.pairs[0][0], row.pairs[0][1]);
  const auto first = samples(one, true), second = samples(two, true);
  const auto alone = samples(one, false), other = samples(two, false);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(std::abs(first[i] - second[i]), 1.0, 1e-9);
    equal += std::abs(std::abs(alone[i] - other[i]) - 1.0) < 1e-9 ? 1 : 0;
  }
  EXPECT_EQ(equal, 0U);
  EXPECT_NE(first, alone);
}

TEST(Detection, ConvictsFaultyMechanismsAndAcquitsTheOthers) {
  const auto detection = detected_rows(
      {"laplace", "noisy-histogram-2", "noisy-max-1", "sparse-vector-5"}, kSmallDetection);
  ASSERT_EQ(detection.results.size(), 4u);
  EXPECT_TRUE(detection.as_expected());
  for (const auto& result : detection.results) {
    EXPECT_LE(result.lower, result.row->true_epsilon) << result.row->name;
    EXPECT_EQ(result.convicted(), result.row->true_epsilon > 1.0) << result.row->name;
    EXPECT_LE(result.samples * 250, result.sniper_samples) << result.row->name;
  }
  EXPECT_GT(detection.results[1].lower, 4.0);
  EXPECT_GT(detection.results[3].lower, 4.0);
}

TEST(Detection, ThreadsChangeNoBound) {
  const std::vector<std::string> names{"laplace", "sparse-vector-3"};
  const auto one = detected_rows(names, kSmallDetection, 1);
  const auto three = detected_rows(names, kSmallDetection, 3);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(one.results[i].lower, three.results[i].lower);
    EXPECT_EQ(one.results[i].counts.x, three.results[i].counts.x);
    EXPECT_EQ(one.results[i].score, three.results[i].score);
  }
}

TEST(Detection, TheSearchSpendsNoMoreThanItSays) {
  // Per input 1%, 1%, 2%, 5%: of three, three, two and two inputs where there are two pairs; of ten,
  // ten, at most six and two where there are eight.
  for (const auto& [name, most] : std::vector<std::pair<std::string, std::int64_t>>{
           {"laplace", 200'000}, {"noisy-max-1", 420'000}}) {
    const auto* row = select_rows(detection_rows(), {name}).value().front();
    const auto found = search_row(*row, {7, 0.1, 1'000'000}, {.threads = 2});
    ASSERT_NE(found.found.score, nullptr);
    EXPECT_LE(found.samples, most) << name;
    EXPECT_GT(found.samples, most - 30'000) << name;
    EXPECT_GT(found.found.selected.p, found.found.selected.q) << name;
  }
}

TEST(Detection, ACancelledSearchFindsNothing) {
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(search_row(detection_rows()[0], {1, 0.1, 100'000}, {.cancel = &cancel}).found.score,
            nullptr);
}

TEST(Detection, RowsAreFoundByNameAndPattern) {
  EXPECT_EQ(select_rows(detection_rows(), {})->size(), 20u);
  EXPECT_EQ(select_rows(detection_rows(), {"sparse-vector-*", "laplace"})->size(), 7u);
  EXPECT_THAT(select_rows(detection_rows(), {"laplce"}).error().message,
              HasSubstr("unknown mechanism 'laplce'; did you mean 'laplace'?"));
  EXPECT_THAT(select_rows(detection_rows(), {"x*"}).error().message,
              HasSubstr("no mechanism matches"));
}

TEST(Detection, PlansOutsideTheirRangesAreErrors) {
  EXPECT_THAT(check_plan({1, 0.4, 0.1}).error().message, HasSubstr("confidence must lie in"));
  EXPECT_THAT(check_plan({1, 0.9, 0.2}).error().message, HasSubstr("sample_share must lie in"));
  EXPECT_THAT(check_plan({1, 0.9, std::nan("")}).error().message, HasSubstr("sample_share"));
}

TEST(Detection, WhatTheTruthImplies) {
  DetectionResult result;
  faulty::DetectionRow row = detection_rows()[0];
  result.row = &row;
  row.true_epsilon = 0.5;
  result.best_event = 0.4;
  result.lower = 0.05;
  EXPECT_FALSE(result.as_expected()) << "not convicted";
  result.lower = 0.2;
  EXPECT_TRUE(result.as_expected());
  result.lower = 0.51;
  EXPECT_FALSE(result.as_expected()) << "above the truth";
  row.true_epsilon = result.best_event = 0.1;
  result.lower = 0.05;
  EXPECT_TRUE(result.as_expected()) << "rightly acquitted";
}

TEST(DetectionReport, ThePageStandsAlone) {
  const auto detection = detected_rows({"noisy-max-4", "sparse-vector-5"}, kSmallDetection);
  const std::string page = to_html(detection, {"0.1.0", "a build", "2026-01-01T00:00:00Z", 1.5, 2});
  EXPECT_THAT(page, HasSubstr("noisy-max-4: truth inf"));
  const TemporaryFolder folder;
  expect_page(page);
}

TEST(DetectionReport, JsonFollowsItsSchema) {
  const auto detection = detected_rows({"laplace", "sparse-vector-5"}, kSmallDetection);
  const std::string json = to_json(detection, {"0.1.0", "a build", "2026-01-01T00:00:00Z", 1.5, 2});
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed.at("rows").at(1).at("truth"), "inf");
  EXPECT_EQ(parsed.at("rows").at(0).at("verdict"), "NotRefuted");
  EXPECT_EQ(parsed.at("rows").at(0).at("statdp").at("seconds"), 46);
  const TemporaryFolder folder;
  const std::string root = ASSAY_SOURCE_DIR;
  expect_valid("detection-report.schema.json", json);
}

}  // namespace
}  // namespace assay
