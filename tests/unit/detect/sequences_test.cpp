// The engine of `assay detect --sequences` on cheap rows, and its reports.
#include "assay/auditors/detect/sequences.hpp"

#include <nlohmann/json.hpp>

#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const std::vector<faulty::SequenceRow>& sequence_rows() {
  static const auto rows = faulty::sequence_table();
  return rows;
}

SequenceDetection detected_sequences(const std::vector<std::string>& names, int threads = 1) {
  return detect_sequences(select_rows(sequence_rows(), names).value(), {}, {.threads = threads})
      .value();
}

TEST(Sequences, AreFoundByNameAndPattern) {
  EXPECT_EQ(select_rows(sequence_rows(), {})->size(), sequence_rows().size());
  EXPECT_EQ(select_rows(sequence_rows(), {"hidden-*", "seed-leaked"})->size(), 3u);
  EXPECT_THAT(select_rows(sequence_rows(), {"seed-leakd"}),
              IsRefused("unknown sequence 'seed-leakd'; did you mean 'seed-leaked'?"));
  EXPECT_THAT(select_rows(sequence_rows(), {"x*"}),
              IsRefused("no sequence matches 'x*'; `assay list sequences` lists them"));
}

TEST(Sequences, ThreadsChangeNothing) {
  const auto one = detected_sequences({"budget-split"}, 1);
  const auto three = detected_sequences({"budget-split"}, 3);
  for (const auto audit : {&SequenceResult::fault, &SequenceResult::counterpart}) {
    EXPECT_EQ((one.results[0].*audit).lower, (three.results[0].*audit).lower);
    EXPECT_EQ((one.results[0].*audit).reason, (three.results[0].*audit).reason);
    EXPECT_EQ((one.results[0].*audit).runs, (three.results[0].*audit).runs);
  }
}

TEST(Sequences, ConfidencesOutsideTheirRangeAreErrors) {
  for (const double confidence : {0.4, 1.0, std::nan("")}) {
    EXPECT_THAT(audit_sequence(sequence_rows()[0], false, {1, confidence}, {}),
                IsRefused("confidence must lie in [0.5, 1 - 1e-9]"));
  }
}

TEST(Sequences, ACancelledRunIsIncomplete) {
  const std::atomic<bool> cancelled{true};
  const auto detection = detect_sequences(select_rows(sequence_rows(), {"noise-reused"}).value(),
                                          {}, {.cancel = &cancelled})
                             .value();
  EXPECT_FALSE(detection.complete());
  EXPECT_FALSE(detection.as_expected());
}

TEST(Sequences, WhatIsExpected) {
  SequenceResult good{.row = &sequence_rows()[0],
                      .fault = {2.0, 2.0, 1.5, Verdict::kViolated, "", 1, 0.0},
                      .counterpart = {1.0, 1.0, 0.9, Verdict::kNotRefuted, "", 1, 0.0}};
  EXPECT_TRUE(good.as_expected());
  const auto changed = [&](auto&& change) {
    SequenceResult result = good;
    change(result);
    return result.as_expected();
  };
  EXPECT_FALSE(changed([](auto& r) { r.fault.verdict = Verdict::kNotRefuted; }));
  EXPECT_FALSE(changed([](auto& r) { r.counterpart.verdict = Verdict::kViolated; }));
  EXPECT_FALSE(changed([](auto& r) { r.counterpart.verdict = Verdict::kInconclusive; }));
  EXPECT_FALSE(changed([](auto& r) { r.fault.exact = 1.0; })) << "no fault";
  EXPECT_FALSE(changed([](auto& r) { r.counterpart.exact = 1.1; })) << "not correct";
  EXPECT_FALSE(changed([](auto& r) { r.fault.lower = 2.1; })) << "above the truth";
  EXPECT_FALSE(changed([](auto& r) { r.counterpart.lower = 1.01; })) << "above the truth";
}

TEST(SequencesReport, JsonFollowsItsSchema) {
  const auto detection = detected_sequences({"noise-reused", "raw-tie-breaking"});
  const std::string json = to_json(detection, {"0.1.0", "a build", "2026-01-01T00:00:00Z", 1.5, 2});
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed.at("rows").at(0).at("faulty").at("exact"), "inf");
  EXPECT_EQ(parsed.at("rows").at(0).at("faulty").at("verdict"), "Violated");
  EXPECT_EQ(parsed.at("rows").at(1).at("kind"), "experts");
  const TemporaryFolder folder;
  const std::string root = ASSAY_SOURCE_DIR;
  expect_valid("sequences-report.schema.json", json);
}

TEST(SequencesReport, TextSaysWhatIsWrongAndWhatCameOut) {
  SequenceDetection detection = detected_sequences({"noise-reused"});
  const RunMeta meta{"0.1.0", "a build", "2026-01-01T00:00:00Z", 1.5, 1, 0.0, 0};
  const auto text = to_text(detection, meta);
  EXPECT_THAT(text, HasSubstr("one draw of noise serves every epoch"));
  EXPECT_THAT(text, HasSubstr("1 of 1 fault in 1.5 s: 1 convicted, and 0 of the controls."));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("unexpected")));
  detection.results[0].fault.verdict = Verdict::kNotRefuted;
  const auto missed = to_text(detection, meta);
  EXPECT_THAT(missed, HasSubstr("NotRefuted, unexpected"));
  EXPECT_THAT(missed, HasSubstr("Rows that are not as expected: 1."));
}

}  // namespace
}  // namespace assay
