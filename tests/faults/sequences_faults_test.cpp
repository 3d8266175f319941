// The fault zoo for sequences through the black-box audit: a few seeds of each row; the power itself
// is measured by sequences_faults_slow_test.cpp.
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/sequence_power.hpp"

namespace assay {
namespace {

// Cheap rows: all but those that hide.
std::vector<faulty::SequenceRow> cheap_rows() {
  auto rows = faulty::sequence_table();
  std::erase_if(rows, [](const auto& row) { return row.runs > 10'000; });
  return rows;
}

const faulty::SequenceRow& row_named(const std::vector<faulty::SequenceRow>& rows,
                                     const std::string& name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

// At power 0.99 all but the binomial limit of the runs convict.
TEST(SequenceFaults, AreConvictedBySeedAfterSeed) {
  const int runs = dear_repetitions(12);
  const auto rows = cheap_rows();
  EXPECT_EQ(rows.size(), 8u);
  int missed = 0;
  for (const auto& row : rows) {
    const int convicted = repeat_audit(row, false, 0.999, 1000, runs).convicted;
    EXPECT_GE(convicted, runs - binomial_limit(runs, 0.01, 8)) << row.name;
    missed += runs - convicted;
  }
  EXPECT_LE(missed, binomial_limit(8 * runs, 0.01, 1));
}

// alpha = 0.05 for each audit of a correct policy, most of them at exactly their claim.
TEST(SequenceFaults, TheirCorrectCounterpartsAreConvictedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(12);
  const auto rows = cheap_rows();
  SequenceRuns sum;
  for (const auto& row : rows) {
    const auto counterpart = repeat_audit(row, true, 0.95, 2000, runs);
    sum.convicted += counterpart.convicted;
    sum.above_truth += counterpart.above_truth;
  }
  const int limit = binomial_limit(static_cast<int>(rows.size()) * runs, 0.05, 2);
  EXPECT_LE(sum.convicted, limit);
  EXPECT_LE(sum.above_truth, limit);
}

// The statistic adapts to sequences: no single round and no whole transcript tells, the count does.
// 33,604 plays in all; benchmarks/sequences_benchmark.cpp has the time.
TEST(SequenceFaults, ALeakThroughACountIsCertifiedToFourFifthsOfItsLevel) {
  const auto table = faulty::sequence_table();
  const auto& row = row_named(table, "budget-split");
  EXPECT_EQ(row.shape.horizon, 20);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto audit = audit_sequence(row, false, {seed, 0.999}, {}).value();
    EXPECT_GE(audit.lower, 0.8 * audit.exact) << seed;
    EXPECT_LE(audit.lower, audit.exact) << seed;
    EXPECT_LT(audit.runs, 40'000);
  }
}

// An infinite loss in events of probability 1e-3, where no event of probability 0.01 exceeds the claim.
TEST(SequenceFaults, ALeakBelowAFixedEventProbabilityIsConvicted) {
  const auto table = faulty::sequence_table();
  const auto& row = row_named(table, "hidden-1e-3");
  const auto audit = audit_sequence(row, false, {1, 0.999}, {}).value();
  EXPECT_LT(audit.common_event, row.claim);
  EXPECT_EQ(audit.verdict, Verdict::kViolated);
  EXPECT_GT(audit.lower, row.claim);
  const auto counterpart = audit_sequence(row, true, {1, 0.999}, {}).value();
  EXPECT_EQ(counterpart.verdict, Verdict::kNotRefuted);
}

}  // namespace
}  // namespace assay
