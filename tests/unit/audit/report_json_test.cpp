
#include <nlohmann/json.hpp>

#include "assay/auditors/audit/audit_json.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

using Tree = nlohmann::ordered_json;

void expect_valid_report(const AuditReport& report) {
  expect_valid("audit-report.schema.json", to_json(report));
}

void expect_invalid(const Tree& document, const std::string& complaint) {
  const CommandResult result = validated("audit-report.schema.json", document.dump());
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr(complaint));
}

TEST(JsonReport, ValidatesAgainstTheCommittedSchema) {
  expect_valid_report(testing::sample_report());
  expect_valid_report(testing::violated_sample_report());
  expect_valid_report(testing::black_box_sample_report());
}

TEST(JsonReport, HoldsTheErrorOfWhatWasAudited) {
  const std::string text =
      to_json(testing::sample_report(), Error{ErrorCode::kTarget, "it ended", {}, 0});
  expect_valid("audit-report.schema.json", text);
  EXPECT_EQ(Tree::parse(text)["error"]["code"], "target");
  EXPECT_EQ(Tree::parse(text)["error"]["message"], "it ended");
}

TEST(JsonReport, ValidatesWhenEverythingOptionalIsAbsent) {
  AuditReport report;
  report.claim = PureDp{Epsilon{1.0}};
  expect_valid_report(report);
}

TEST(JsonReport, ValidatesWithInfiniteBounds) {
  AuditReport report = testing::sample_report();
  report.evidence.quantities[0].upper = {kInfinity, Evidence::kNone, ""};
  report.evidence.witness->log_probability_neighbour = -kInfinity;
  report.evidence.losses.edges.back() = kInfinity;
  expect_valid_report(report);
  const Tree json = Tree::parse(to_json(report));
  EXPECT_EQ(json["quantities"][0]["upper"]["value"], "inf");
  EXPECT_EQ(json["witness"]["neighbour_log_probability"], "-inf");
}

TEST(JsonReportSchema, RejectsWhatTheWriterWouldNeverWrite) {
  const Tree good = Tree::parse(to_json(testing::sample_report()));
  Tree extra = good;
  extra["worst_pair"]["colour"] = "red";
  expect_invalid(extra, "colour");
  Tree missing = good;
  missing.erase("seed");
  expect_invalid(missing, "seed");
  Tree null_bound = good;
  null_bound["quantities"][0]["lower"]["value"] = nullptr;
  expect_invalid(null_bound, "quantities");
  Tree no_arm = good;
  no_arm["witness"]["arms"][0] = -1;
  expect_invalid(no_arm, "witness");
  Tree verdict = good;
  verdict["verdict"] = "Private";
  expect_invalid(verdict, "Private");
  Tree no_at = good;
  no_at["quantities"][1].erase("at");
  expect_invalid(no_at, "at");
}

TEST(JsonReport, ReadsBackToTheSameBits) {
  AuditReport report = testing::sample_report();
  report.evidence.quantities[0].lower.value = 0.1 + 0.2;
  InputTable input = report.pair.inputs.base_input();
  input.values[3] = 1.0 / 3.0;
  report.pair.inputs = InputPair::of(std::move(input), report.pair.inputs.edit());
  const Tree json = Tree::parse(to_json(report));
  EXPECT_EQ(json["quantities"][0]["lower"]["value"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["claim"]["level"]["mu"].get<double>(),
            std::get<GaussianDp>(report.claim).mu.value);
  EXPECT_EQ(json["worst_pair"]["base_input"].get<std::vector<double>>(),
            report.pair.inputs.base_input().values);
  EXPECT_EQ(json["losses"]["edges"].get<std::vector<double>>(), report.evidence.losses.edges);
  EXPECT_EQ(json["losses"]["neighbour"].get<std::vector<double>>(),
            report.evidence.losses.side_neighbour);
  ASSERT_EQ(json["profile"].size(), report.evidence.profile.size());
  for (std::size_t i = 0; i < report.evidence.profile.size(); ++i) {
    EXPECT_EQ(json["profile"][i]["epsilon"].get<double>(), report.evidence.profile[i].epsilon);
    EXPECT_EQ(json["profile"][i]["lower"].get<double>(), report.evidence.profile[i].lower);
    EXPECT_EQ(json["profile"][i]["estimate"].get<double>(), report.evidence.profile[i].estimate);
    EXPECT_EQ(json["profile"][i]["upper"].get<double>(), report.evidence.profile[i].upper);
  }
  ASSERT_EQ(json["rounds"].size(), report.evidence.rounds.size());
  for (std::size_t i = 0; i < report.evidence.rounds.size(); ++i) {
    EXPECT_EQ(json["rounds"][i]["neighbour_mean_loss"].get<double>(),
              report.evidence.rounds[i].mean_loss_neighbour);
    EXPECT_EQ(json["rounds"][i]["witness_loss"].get<double>(),
              report.evidence.rounds[i].witness_loss);
  }
  EXPECT_EQ(std::stoull(json["seed"].get<std::string>()), report.seed);
}

TEST(JsonReport, CountsArmsFromZero) {
  const AuditReport report = testing::sample_report();
  const Tree json = Tree::parse(to_json(report));
  EXPECT_EQ(json["witness"]["arms"][0], report.evidence.witness->actions[0]);
  EXPECT_EQ(json["rounds"][0]["witness_arm"], report.evidence.rounds[0].witness_action);
}

TEST(JsonReport, GivesParametersTheirTypes) {
  AuditReport report;
  report.parameters = {{"arms", "5"}, {"variance", "1.5"}, {"lazy", "true"}, {"mode", "paper"}};
  const Tree parameters = Tree::parse(to_json(report))["case"]["parameters"];
  EXPECT_TRUE(parameters["arms"].is_number_integer());
  EXPECT_EQ(parameters["variance"], 1.5);
  EXPECT_EQ(parameters["lazy"], true);
  EXPECT_EQ(parameters["mode"], "paper");
}

TEST(JsonReport, KeepsEverythingVolatileUnderMeta) {
  AuditReport other = testing::sample_report();
  other.meta = {"9.9", "another build", "2030-01-01T00:00:00Z", 1e6, 64, 1.0};
  Tree a = Tree::parse(to_json(testing::sample_report()));
  Tree b = Tree::parse(to_json(other));
  EXPECT_NE(a, b);
  EXPECT_EQ((--a.end()).key(), "meta");
  a.erase("meta");
  b.erase("meta");
  EXPECT_EQ(a, b);
}

TEST(JsonReport, EscapesStringsAndReplacesBrokenBytes) {
  AuditReport report = testing::sample_report();
  report.input->file = "a\"\\\n\x01\xFF.csv";
  const Tree json = Tree::parse(to_json(report));
  EXPECT_EQ(json["input"]["file"], "a\"\\\n\x01\xEF\xBF\xBD.csv");
}

TEST(JsonReport, KeepsLinesReadable) {
  std::istringstream in(to_json(testing::sample_report(1000)));
  std::string line;
  std::size_t stream_lines = 0;
  while (std::getline(in, line)) {
    if (line.find("\": \"") == std::string::npos) {
      EXPECT_LE(line.size(), 100U) << line;
    }
    ++stream_lines;
  }
  EXPECT_GT(stream_lines, 1000U);
}

}  // namespace
}  // namespace assay
