// The trend of a suite's figures as text, JSON and CSV.
#include "assay/auditors/suite/suite_history.hpp"

#include <nlohmann/json.hpp>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

SuiteHistory sample_history() {
  const HistoryFigure eps{"eps",
                          FigureKind::kLoss,
                          {{1, "2026-11-01T10:00:00Z", "aaa", 0.5, HUGE_VAL},
                           {2, "2026-11-02T10:00:00Z", "bbb", 0.96314, 1.00001},
                           {3, "2026-11-03T10:00:00Z", "ccc", 0.96314, 1.00001},
                           {5, "2026-11-05T10:00:00Z", "ddd", 0.96314, 1.2}}};
  return {{{"lap,\"lace\"", {eps}},
           {"=x\x1b[31m", {{"t", FigureKind::kTime, {{4, "d", "", 0.25, 0.5}}}}}}};
}

TEST(SuiteHistoryText, HasALineForRunsThatFoundTheSame) {
  EXPECT_EQ(to_text(sample_history()),
            "lap,\"lace\"\n"
            "  eps (loss)\n"
            "     run                  from  revision  at least  at most\n"
            "       1  2026-11-01T10:00:00Z  aaa            0.5      inf\n"
            "  2 to 3  2026-11-02T10:00:00Z  bbb         0.9631    1.001\n"
            "       5  2026-11-05T10:00:00Z  ddd         0.9631      1.2\n"
            "\n"
            "=x [31m\n"
            "  t (time)\n"
            "  run  from  revision  at least  at most\n"
            "    4  d                   0.25      0.5\n");
  EXPECT_EQ(to_text(SuiteHistory{}), "The history has no figure of such an entry.\n");
}

TEST(SuiteHistoryText, LeavesOutTheBeginningOfALongTableAndSaysSo) {
  SuiteHistory history{{{"a", {{"f", FigureKind::kLoss, {}}}}}};
  for (int run = 1; run <= 40; ++run)
    history.entries[0].figures[0].points.push_back({run, "d", "", 0.0, 1.0 * run});
  EXPECT_THAT(to_text(history), HasSubstr("10 earlier lines left out"));
  EXPECT_THAT(to_text(history), HasSubstr("\n   40  d"));
  EXPECT_THAT(to_text(history), Not(HasSubstr("\n   10  d")));
}

TEST(SuiteHistoryJson, HasEveryRun) {
  const auto read = nlohmann::json::parse(to_json(sample_history()));
  EXPECT_EQ(read["schema"], "assay.suite-history/1");
  const auto& points = read["entries"][0]["figures"][0]["points"];
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0]["upper"], "inf");
  EXPECT_EQ(points[3]["run"], 5);
  EXPECT_EQ(points[3]["revision"], "ddd");
  EXPECT_EQ(points[1]["lower"], 0.96314);
}

TEST(SuiteHistoryCsv, HasARowForEachRunAndQuotesWhatItMust) {
  EXPECT_EQ(to_csv(sample_history()),
            "entry,figure,kind,run,started,revision,lower,upper\n"
            "\"lap,\"\"lace\"\"\",eps,loss,1,2026-11-01T10:00:00Z,aaa,0.5,inf\n"
            "\"lap,\"\"lace\"\"\",eps,loss,2,2026-11-02T10:00:00Z,bbb,0.96314,1.00001\n"
            "\"lap,\"\"lace\"\"\",eps,loss,3,2026-11-03T10:00:00Z,ccc,0.96314,1.00001\n"
            "\"lap,\"\"lace\"\"\",eps,loss,5,2026-11-05T10:00:00Z,ddd,0.96314,1.2\n"
            "=x [31m,t,time,4,d,,0.25,0.5\n");
}

}  // namespace
}  // namespace assay
