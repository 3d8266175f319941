// Power and level of the black-box audit on every row of the fault zoo for sequences.
//
// Power at least 0.99, shown at confidence 95% row by row by the Clopper-Pearson limit of the
// convictions in 500 seeds: at most one may fail (a power of 0.97 does so well with probability 4e-6).
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/sequence_power.hpp"

namespace assay {
namespace {

// The row that takes 1.7 million plays an audit has fewer: all of them have to convict.
int power_runs(const faulty::SequenceRow& row) { return row.runs > 200'000 ? 300 : 500; }
constexpr int kLevelRuns = 300;

class SequencePower : public ::testing::TestWithParam<std::size_t> {
 protected:
  const std::vector<faulty::SequenceRow> table_ = faulty::sequence_table();
  const faulty::SequenceRow& row_ = table_.at(GetParam());
};

TEST_P(SequencePower, ConvictsTheFaultWithProbability99Percent) {
  const int runs = power_runs(row_);
  const int convicted = repeat_audit(row_, false, 0.999, 1, runs).convicted;
  RecordProperty("convicted", convicted);
  EXPECT_GE(clopper_pearson_lower(convicted, runs, 0.05).value.value, 0.99)
      << row_.name << ": " << convicted;
}

TEST_P(SequencePower, ConvictsTheCounterpartAtMostAsOftenAsAlphaSays) {
  const auto counterpart = repeat_audit(row_, true, 0.95, 5000, kLevelRuns);
  const int limit = binomial_limit(kLevelRuns, 0.05, 20);
  RecordProperty("convicted", counterpart.convicted);
  RecordProperty("above_truth", counterpart.above_truth);
  EXPECT_LE(counterpart.convicted, limit) << row_.name;
  EXPECT_LE(counterpart.above_truth, limit) << row_.name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, SequencePower,
                         ::testing::Range(std::size_t{0}, faulty::sequence_table().size()));

}  // namespace
}  // namespace assay
