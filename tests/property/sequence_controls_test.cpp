// The correct twins of the fault zoo hold their claim on any neighbouring pair, by their exact laws.
#include "assay/policies/faulty/sequence_table.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay::faulty {
namespace {

const std::vector<SequenceRow>& table() {
  static const auto rows = sequence_table();
  return rows;
}

// Mostly the extremes, which leak most; else a multiple of 1/8.
double reward() {
  const int kind = *rc::gen::inRange(0, 4);
  return kind < 3 ? static_cast<double>(kind % 2) : *rc::gen::inRange(0, 9) / 8.0;
}

RC_GTEST_PROP(SequenceCounterparts, HoldTheirClaimOnEveryPairOfNeighbours, ()) {
  for (const auto& row : table()) {
    InputTable input = row.base_input;
    for (double& value : input.values) value = reward();
    InputTable other = input;
    const auto changed = *rc::gen::inRange<std::int64_t>(0, input.rows);
    for (std::int64_t c = 0; c < input.columns; ++c) {
      other.values[static_cast<std::size_t>(changed * input.columns + c)] = reward();
    }
    const double epsilon = exact_epsilon(cells_of(row.counterpart.distribution(input.values),
                                                  row.counterpart.distribution(other.values)));
    if (!(epsilon <= row.claim * (1.0 + 1e-9))) RC_FAIL(row.name);
  }
}

}  // namespace
}  // namespace assay::faulty
